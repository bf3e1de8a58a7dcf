/* SPDX-License-Identifier: MIT */
/*
 * Which op evaluates a legacy-encoded integer instruction, by opcode map, and vldmxcsr and
 * vstmxcsr. BMI instructions are VEX-encoded: isa/x86_64/decode/select_bmi.c. Source: Intel SDM
 * volume 2, appendix A.
 */
#include "isa/x86_64/state/flags.h"
#include "isa/x86_64/op.h"

static bool op(struct isa_record *r, enum x86_op which)
{
	r->op = (uint16_t)which;
	return true;
}

static bool op_variant(struct isa_record *r, enum x86_op which, unsigned variant)
{
	r->variant = (uint16_t)variant;
	return op(r, which);
}

static bool unmodelled(struct isa_record *r, enum x86_cause cause)
{
	return op_variant(r, X86_OP_UNMODELLED, cause);
}

/* A byte register without REX: 4 to 7 are ah, ch, dh, bh. */
static uint8_t byte_register(const struct x86_layout *l, uint8_t reg)
{
	if (!l->opcode.rex && reg >= 4 && reg < 8)
		return X86_HIGH | (reg - 4);
	return reg;
}

static void set_bytes(const struct x86_layout *l, struct isa_record *r)
{
	r->size = 1;
	r->reg = byte_register(l, r->reg);
	if (r->rm != X86_MEMORY)
		r->rm = byte_register(l, r->rm);
}

/* Even opcodes work on bytes, odd ones on the operand size. */
static void size_by_opcode(const struct x86_layout *l, struct isa_record *r)
{
	if (!(l->opcode.opcode & 1))
		set_bytes(l, r);
}

static void use_immediate(const struct x86_layout *l, struct isa_record *r)
{
	r->attributes |= X86_IMMEDIATE;
	r->immediate = (uint64_t)l->immediate;
}

/* push, pop, near branches: 64 bits, or 16 behind 66 */
static void stack_size(const struct x86_layout *l, struct isa_record *r)
{
	r->size = l->opcode.operand16 ? 2 : 8;
}

static const uint8_t arithmetic_ops[8] = {X86_OP_ADD, X86_OP_OR,  X86_OP_ADC, X86_OP_SBB,
					  X86_OP_AND, X86_OP_SUB, X86_OP_XOR, X86_OP_CMP};

/* 00 to 3f: add, or, adc, sbb, and, sub, xor, cmp in six forms each */
static bool select_arithmetic(const struct x86_layout *l, struct isa_record *r)
{
	unsigned form = l->opcode.opcode & 7;

	if (form >= 4) {
		r->rm = X86_RAX;
		use_immediate(l, r);
	}
	size_by_opcode(l, r);
	r->element = form == 2 || form == 3; /* into reg */
	return op(r, arithmetic_ops[l->opcode.opcode >> 3]);
}

/* 80, 81, 83 */
static bool select_arithmetic_immediate(const struct x86_layout *l, struct isa_record *r)
{
	size_by_opcode(l, r);
	use_immediate(l, r);
	return op(r, arithmetic_ops[x86_layout_digit(l)]);
}

/* 88 to 8b */
static bool select_move(const struct x86_layout *l, struct isa_record *r)
{
	size_by_opcode(l, r);
	if (r->rm == X86_MEMORY)
		return op(r, l->opcode.opcode & 2 ? X86_OP_LOAD : X86_OP_STORE);
	if (!(l->opcode.opcode & 2)) {
		uint8_t to = r->rm;

		r->rm = r->reg;
		r->reg = to;
	}
	return op(r, X86_OP_MOVE);
}

/* 84 to 87 */
static bool select_test_exchange(const struct x86_layout *l, struct isa_record *r)
{
	size_by_opcode(l, r);
	if (!(l->opcode.opcode & 2))
		return op(r, X86_OP_TEST);
	if (r->rm == X86_MEMORY)
		r->attributes |= X86_LOCK;
	return op(r, X86_OP_EXCHANGE);
}

/* a0 to a3: the accumulator and an absolute address of 64 bits, which no compiler uses */
static bool select_move_absolute(const struct x86_layout *l, struct isa_record *r)
{
	uint64_t address = (uint64_t)l->immediate;

	if ((int64_t)(int32_t)address != (int64_t)address)
		return unmodelled(r, X86_CAUSE_UNMODELLED);
	size_by_opcode(l, r);
	r->rm = X86_MEMORY;
	r->reg = X86_RAX;
	r->displacement = (int32_t)address;
	return op(r, l->opcode.opcode & 2 ? X86_OP_STORE : X86_OP_LOAD);
}

static bool select_string(const struct x86_layout *l, struct isa_record *r)
{
	size_by_opcode(l, r);
	switch (l->opcode.opcode & 0xfe) {
	case 0xa4:
		return op(r, X86_OP_STRING_MOVE);
	case 0xa6:
		return op_variant(r, X86_OP_STRING_COMPARE, 0);
	case 0xaa:
		return op(r, X86_OP_STRING_STORE);
	case 0xac:
		return op(r, X86_OP_STRING_LOAD);
	}
	return op_variant(r, X86_OP_STRING_COMPARE, 1);
}

/* c0, c1, d0 to d3 */
static bool select_shift(const struct x86_layout *l, struct isa_record *r)
{
	size_by_opcode(l, r);
	if (l->opcode.opcode < 0xd0) {
		use_immediate(l, r);
	} else if (l->opcode.opcode < 0xd2) {
		r->attributes |= X86_IMMEDIATE;
		r->immediate = 1;
	}
	return op_variant(r, X86_OP_SHIFT, x86_layout_digit(l));
}

/* f6, f7 */
static bool select_group3(const struct x86_layout *l, struct isa_record *r)
{
	unsigned digit = x86_layout_digit(l);

	size_by_opcode(l, r);
	switch (digit) {
	case 0:
	case 1:
		use_immediate(l, r);
		return op(r, X86_OP_TEST);
	case 2:
		return op(r, X86_OP_COMPLEMENT);
	case 3:
		return op(r, X86_OP_NEGATE);
	case 4:
	case 5:
		return op_variant(r, X86_OP_MULTIPLY_PAIR, digit == 5);
	}
	return op_variant(r, X86_OP_DIVIDE, digit == 7);
}

/* fe, ff */
static bool select_group45(const struct x86_layout *l, struct isa_record *r)
{
	unsigned digit = x86_layout_digit(l);

	switch (digit) {
	case 0:
	case 1:
		size_by_opcode(l, r);
		return op_variant(r, X86_OP_INCREMENT, digit);
	case 2:
		r->size = 8;
		return op(r, X86_OP_CALL_INDIRECT);
	case 4:
		r->size = 8;
		return op(r, X86_OP_JUMP_INDIRECT);
	case 6:
		stack_size(l, r);
		return op(r, X86_OP_PUSH);
	}
	return unmodelled(r, X86_CAUSE_TRANSFER);
}

static bool select_conditional(const struct x86_layout *l, struct isa_record *r)
{
	return op_variant(r, X86_OP_JUMP_CONDITIONAL, l->opcode.opcode & 15);
}

/* e0 to e3 */
static bool select_loop(const struct x86_layout *l, struct isa_record *r)
{
	r->size = l->opcode.address32 ? 4 : 8;
	return op_variant(r, X86_OP_LOOP, l->opcode.opcode & 3);
}

/* Bytes that an x87 instruction writes to memory; 0: none. */
static unsigned x87_stored(uint8_t opcode, unsigned digit)
{
	static const uint8_t stored[8][8] = {
		[1] = {0, 0, 4, 4, 0, 0, 28, 2},  /* fst, fstp, fnstenv, fnstcw */
		[3] = {0, 4, 4, 4, 0, 0, 0, 10},  /* fisttp, fist, fistp, fstp */
		[5] = {0, 8, 8, 8, 0, 0, 108, 2}, /* fisttp, fst, fstp, fnsave, fnstsw */
		[7] = {0, 2, 2, 2, 0, 0, 10, 8},  /* fisttp, fist, fistp, fbstp, fistp */
	};

	return stored[opcode & 7][digit];
}

static bool clobber(struct isa_record *r, unsigned registers, unsigned bytes, uint64_t flags,
		    uint64_t zero_flags)
{
	r->size = (uint8_t)bytes;
	r->immediate = zero_flags << 32 | flags;
	return op_variant(r, X86_OP_CLOBBER, registers);
}

/* fldenv, fnstenv, frstor, fnsave; fninit */
static bool x87_sets_control(const struct x86_layout *l, unsigned digit)
{
	if (l->modrm >= 0xc0)
		return l->opcode.opcode == 0xdb && l->modrm == 0xe3;
	return (l->opcode.opcode == 0xd9 && (digit == 4 || digit == 6)) ||
	       (l->opcode.opcode == 0xdd && (digit == 4 || digit == 6));
}

/* d8 to df: of the x87 only its control word is modelled, what else it writes becomes unknown */
static bool select_x87(const struct x86_layout *l, struct isa_record *r)
{
	unsigned digit = x86_layout_digit(l), bytes;

	if (x87_sets_control(l, digit)) {
		bytes = r->rm == X86_MEMORY ? x87_stored(l->opcode.opcode, digit) : 0;
		return op_variant(r, X86_OP_FORGET_X87_CONTROL, bytes);
	}
	if (r->rm == X86_MEMORY && l->opcode.opcode == 0xd9 && digit == 5)
		return op(r, X86_OP_LOAD_X87_CONTROL);
	if (r->rm == X86_MEMORY && l->opcode.opcode == 0xd9 && digit == 7)
		return op(r, X86_OP_STORE_X87_CONTROL);
	if (r->rm == X86_MEMORY) {
		bytes = x87_stored(l->opcode.opcode, digit);
		return bytes ? op_variant(r, X86_OP_STORE_UNKNOWN, bytes) : op(r, X86_OP_NOTHING);
	}
	if (l->opcode.opcode == 0xdf && l->modrm == 0xe0) /* fnstsw ax */
		return clobber(r, 1 << X86_RAX, 2, 0, 0);
	if ((l->opcode.opcode & 0xfb) == 0xdb && (digit == 5 || digit == 6)) /* f(u)comi(p) */
		return clobber(r, 0, 8, X86_ZF | X86_PF | X86_CF, X86_OF | X86_SF | X86_AF);
	return op(r, X86_OP_NOTHING);
}

static bool select_legacy_high(const struct x86_layout *l, struct isa_record *r)
{
	switch (l->opcode.opcode) {
	case 0xb0 ... 0xb7:
		set_bytes(l, r);
		__attribute__((fallthrough));
	case 0xb8 ... 0xbf:
		r->immediate = (uint64_t)l->immediate;
		return op(r, X86_OP_SET);
	case 0xc0:
	case 0xc1:
	case 0xd0 ... 0xd3:
		return select_shift(l, r);
	case 0xc2:
	case 0xc3:
		r->immediate = (uint16_t)l->immediate;
		return op(r, X86_OP_RETURN);
	case 0xc6:
	case 0xc7:
		if (x86_layout_digit(l)) /* xabort, xbegin */
			return unmodelled(r, X86_CAUSE_TRANSFER);
		size_by_opcode(l, r);
		r->immediate = (uint64_t)l->immediate;
		return op(r, X86_OP_SET);
	case 0xc8:
		r->immediate = (uint64_t)l->immediate & 0xffffff;
		return op(r, X86_OP_ENTER);
	case 0xc9:
		stack_size(l, r);
		return op(r, X86_OP_LEAVE);
	case 0xcc:
	case 0xf1:
	case 0xf4:
		return unmodelled(r, X86_CAUSE_TRAP);
	case 0xcd:
		return unmodelled(r, X86_CAUSE_SYSTEM_CALL);
	case 0xd7:
		return op(r, X86_OP_TRANSLATE);
	case 0xd8 ... 0xdf:
		return select_x87(l, r);
	case 0xe0 ... 0xe3:
		return select_loop(l, r);
	case 0xe8:
		return op(r, X86_OP_CALL);
	case 0xe9:
	case 0xeb:
		return op(r, X86_OP_JUMP);
	case 0xf5:
	case 0xf8:
	case 0xf9:
	case 0xfc:
	case 0xfd:
		return op_variant(r, X86_OP_FLAG, l->opcode.opcode);
	case 0xf6:
	case 0xf7:
		return select_group3(l, r);
	case 0xfe:
	case 0xff:
		return select_group45(l, r);
	}
	/* far returns, in, out, cli, sti */
	return unmodelled(r, X86_CAUSE_TRANSFER);
}

static bool select_legacy(const struct x86_layout *l, struct isa_record *r)
{
	uint8_t opcode = l->opcode.opcode;

	if (opcode < 0x40)
		return select_arithmetic(l, r);
	switch (opcode) {
	case 0x50 ... 0x57:
		stack_size(l, r);
		return op(r, X86_OP_PUSH);
	case 0x58 ... 0x5f:
	case 0x8f:
		stack_size(l, r);
		return op(r, X86_OP_POP);
	case 0x63: /* movsxd */
		r->element = 4;
		return op(r, X86_OP_SIGN_EXTEND);
	case 0x68:
	case 0x6a:
		stack_size(l, r);
		use_immediate(l, r);
		return op(r, X86_OP_PUSH);
	case 0x69:
	case 0x6b:
		use_immediate(l, r);
		return op(r, X86_OP_MULTIPLY);
	case 0x70 ... 0x7f:
		return select_conditional(l, r);
	case 0x80:
	case 0x81:
	case 0x83:
		return select_arithmetic_immediate(l, r);
	case 0x84 ... 0x87:
		return select_test_exchange(l, r);
	case 0x88 ... 0x8b:
		return select_move(l, r);
	case 0x8c: /* mov from a segment register */
		if (r->rm == X86_MEMORY)
			return op_variant(r, X86_OP_STORE_UNKNOWN, 2);
		return clobber(r, 1u << (r->rm & 15), 8, 0, 0);
	case 0x8d:
		r->segment = 0;
		return op(r, X86_OP_LEA);
	case 0x90 ... 0x97:
		if (opcode == 0x90 && l->opcode.repeat == 0xf3) /* pause */
			return unmodelled(r, X86_CAUSE_SPIN);
		if (opcode == 0x90 && !(l->opcode.rex & 1))
			return op(r, X86_OP_NOTHING);
		r->reg = X86_RAX;
		return op(r, X86_OP_EXCHANGE);
	case 0x98:
		return op(r, X86_OP_CONVERT);
	case 0x99:
		return op(r, X86_OP_CONVERT_DOUBLE);
	case 0x9b: /* fwait */
		return op(r, X86_OP_NOTHING);
	case 0x9c:
		stack_size(l, r);
		return op(r, X86_OP_PUSH_FLAGS);
	case 0x9d:
		stack_size(l, r);
		return op(r, X86_OP_POP_FLAGS);
	case 0x9e:
		return op(r, X86_OP_STORE_FLAGS);
	case 0x9f:
		return op(r, X86_OP_LOAD_FLAGS);
	case 0xa0 ... 0xa3:
		return select_move_absolute(l, r);
	case 0xa4 ... 0xa7:
	case 0xaa ... 0xaf:
		return select_string(l, r);
	case 0xa8:
	case 0xa9:
		r->rm = X86_RAX;
		size_by_opcode(l, r);
		use_immediate(l, r);
		return op(r, X86_OP_TEST);
	}
	if (opcode >= 0xb0)
		return select_legacy_high(l, r);
	return unmodelled(r, X86_CAUSE_TRANSFER); /* ins, outs, mov to a segment register */
}

/* 0f 01: system instructions, told apart by the whole ModRM byte */
static bool select_0f01(const struct x86_layout *l, struct isa_record *r)
{
	if (r->rm == X86_MEMORY && x86_layout_digit(l) == 7) /* invlpg */
		return unmodelled(r, X86_CAUSE_TRANSFER);
	if (r->rm == X86_MEMORY) /* sgdt, sidt, smsw; rstorssp */
		return op_variant(r, X86_OP_STORE_UNKNOWN, 10);
	switch (l->modrm) {
	case 0xd0: /* xgetbv */
		return clobber(r, 1 << X86_RAX | 1 << X86_RDX, 4, 0, 0);
	case 0xd6: /* xtest: no transaction is ever followed */
		return clobber(r, 0, 8, 0, X86_STATUS_FLAGS);
	case 0xe8: /* serialize */
	case 0xef: /* wrpkru */
	case 0xfa: /* monitorx */
	case 0xfc: /* clzero: writes a cache line, at rax */
		return unmodelled(r, X86_CAUSE_UNMODELLED);
	case 0xee: /* rdpkru */
		return clobber(r, 1 << X86_RAX | 1 << X86_RDX, 4, 0, 0);
	case 0xf9: /* rdtscp */
		return clobber(r, 1 << X86_RAX | 1 << X86_RDX | 1 << X86_RCX, 4, 0, 0);
	}
	return unmodelled(r, X86_CAUSE_TRANSFER);
}

static bool select_mxcsr(struct isa_record *r, unsigned digit)
{
	return op(r, digit == 2 ? X86_OP_LOAD_MXCSR : X86_OP_STORE_MXCSR);
}

/* 0f ae */
static bool select_0fae(const struct x86_layout *l, struct isa_record *r)
{
	unsigned digit = x86_layout_digit(l);

	if (r->rm != X86_MEMORY) {
		if (l->opcode.repeat == 0xf3 && digit < 2) /* rdfsbase, rdgsbase */
			return clobber(r, 1u << (r->rm & 15), r->size, 0, 0);
		if (l->opcode.repeat || digit < 5)
			return unmodelled(r, X86_CAUSE_UNMODELLED); /* wrfsbase, umonitor ... */
		return op(r, X86_OP_NOTHING);			    /* fences */
	}
	if (l->opcode.operand16 || l->opcode.repeat) /* clwb, clflushopt; clrssbsy */
		return op(r, X86_OP_NOTHING);
	switch (digit) {
	case 0: /* fxsave */
		return op_variant(r, X86_OP_STORE_UNKNOWN, 512);
	case 2:
	case 3:
		return select_mxcsr(r, digit);
	case 4: /* xsave */
	case 6: /* xsaveopt */
		return op_variant(r, X86_OP_SAVE_EXTENDED, false);
	case 5: /* xrstor */
		return op(r, X86_OP_RESTORE_EXTENDED);
	case 7: /* clflush */
		return op(r, X86_OP_NOTHING);
	}
	return op(r, X86_OP_FORGET_VECTORS); /* fxrstor */
}

/* 0f c7 */
static bool select_0fc7(const struct x86_layout *l, struct isa_record *r)
{
	unsigned digit = x86_layout_digit(l);

	if (r->rm == X86_MEMORY && digit == 1) {
		r->size = l->opcode.rex & 8 ? 8 : 4;
		return op(r, X86_OP_COMPARE_EXCHANGE_PAIR);
	}
	if (r->rm == X86_MEMORY && digit == 3)
		return op(r, X86_OP_FORGET_VECTORS); /* xrstors */
	if (r->rm == X86_MEMORY && digit == 4)	     /* xsavec */
		return op_variant(r, X86_OP_SAVE_EXTENDED, true);
	if (r->rm == X86_MEMORY)
		return unmodelled(r, X86_CAUSE_TRANSFER);
	if (digit == 7 && l->opcode.repeat == 0xf3) /* rdpid */
		return clobber(r, 1u << (r->rm & 15), 8, 0, 0);
	return clobber(r, 1u << (r->rm & 15), r->size, X86_CF, /* rdrand, rdseed */
		       X86_STATUS_FLAGS & ~X86_CF);
}

static bool select_bit_test(struct isa_record *r, enum x86_bit which)
{
	return op_variant(r, X86_OP_BIT_TEST, which);
}

static bool select_bit_count(const struct x86_layout *l, struct isa_record *r)
{
	unsigned reverse = l->opcode.opcode & 1;

	if (l->opcode.repeat == 0xf3)
		return op_variant(r, X86_OP_COUNT_ZEROS, reverse);
	return op_variant(r, X86_OP_BIT_SCAN, reverse);
}

static bool select_extend(const struct x86_layout *l, struct isa_record *r)
{
	r->element = l->opcode.opcode & 1 ? 2 : 1;
	if (r->element == 1 && r->rm != X86_MEMORY)
		r->rm = byte_register(l, r->rm);
	return op(r, l->opcode.opcode & 8 ? X86_OP_SIGN_EXTEND : X86_OP_ZERO_EXTEND);
}

static bool select_shift_double(const struct x86_layout *l, struct isa_record *r)
{
	if (!(l->opcode.opcode & 1))
		use_immediate(l, r);
	return op_variant(r, X86_OP_SHIFT_DOUBLE, l->opcode.opcode >= 0xac);
}

static bool select_0f(const struct x86_layout *l, struct isa_record *r)
{
	uint8_t opcode = l->opcode.opcode;

	switch (opcode) {
	case 0x01:
		return select_0f01(l, r);
	case 0x05: /* syscall */
	case 0x07:
	case 0x34: /* sysenter */
	case 0x35:
		return unmodelled(r, X86_CAUSE_SYSTEM_CALL);
	case 0x0b: /* ud2, ud1, ud0 */
	case 0xb9:
	case 0xff:
		return unmodelled(r, X86_CAUSE_TRAP);
	case 0x0d: /* prefetches and hints */
	case 0x18 ... 0x1f:
		if (opcode == 0x1e && l->opcode.repeat == 0xf3 && l->modrm >= 0xc0 &&
		    x86_layout_digit(l) == 1) /* rdssp: nothing without a shadow stack */
			return clobber(r, 1u << (r->rm & 15), 8, 0, 0);
		return op(r, X86_OP_NOTHING);
	case 0x31: /* rdtsc, rdpmc */
	case 0x33:
		return clobber(r, 1 << X86_RAX | 1 << X86_RDX, 4, 0, 0);
	case 0x40 ... 0x4f:
		return op_variant(r, X86_OP_CMOV, opcode & 15);
	case 0x80 ... 0x8f:
		return select_conditional(l, r);
	case 0x90 ... 0x9f:
		set_bytes(l, r);
		return op_variant(r, X86_OP_SETCC, opcode & 15);
	case 0xa0: /* push fs, push gs */
	case 0xa8:
		stack_size(l, r);
		r->rm = X86_NONE; /* zero, as in every 64-bit process */
		return op(r, X86_OP_PUSH);
	case 0xa2: /* cpuid */
		return clobber(r, 0xf, 4, 0, 0);
	case 0xa3:
		return select_bit_test(r, X86_BT);
	case 0xab:
		return select_bit_test(r, X86_BTS);
	case 0xb3:
		return select_bit_test(r, X86_BTR);
	case 0xbb:
		return select_bit_test(r, X86_BTC);
	case 0xba:
		if (x86_layout_digit(l) < 4)
			return false;
		use_immediate(l, r);
		return select_bit_test(r, x86_layout_digit(l) & 3);
	case 0xa4:
	case 0xa5:
	case 0xac:
	case 0xad:
		return select_shift_double(l, r);
	case 0xae:
		return select_0fae(l, r);
	case 0xaf:
		return op(r, X86_OP_MULTIPLY);
	case 0xb0:
	case 0xb1:
		size_by_opcode(l, r);
		return op(r, X86_OP_COMPARE_EXCHANGE);
	case 0xb6:
	case 0xb7:
	case 0xbe:
	case 0xbf:
		return select_extend(l, r);
	case 0xb8:
		return l->opcode.repeat == 0xf3 && op(r, X86_OP_POPULATION);
	case 0xbc:
	case 0xbd:
		return select_bit_count(l, r);
	case 0xc0:
	case 0xc1:
		size_by_opcode(l, r);
		return op(r, X86_OP_EXCHANGE_ADD);
	case 0xc3: /* movnti */
		return op(r, X86_OP_STORE);
	case 0xc7:
		return select_0fc7(l, r);
	case 0xc8 ... 0xcf:
		return op(r, X86_OP_BYTE_SWAP);
	}
	return false;
}

/* 0f 38: crc32 and movbe, adcx and adox; the rest of the map are vectors */
static bool select_0f38(const struct x86_layout *l, struct isa_record *r)
{
	uint8_t opcode = l->opcode.opcode;

	if ((opcode == 0xf0 || opcode == 0xf1) && l->opcode.repeat == 0xf2) {
		r->element = opcode == 0xf0 ? 1 : r->size;
		if (r->element == 1 && r->rm != X86_MEMORY)
			r->rm = byte_register(l, r->rm);
		return op(r, X86_OP_CRC32);
	}
	if (opcode == 0xf0 || opcode == 0xf1)
		return op_variant(r, X86_OP_MOVE_SWAPPED, opcode & 1);
	if (opcode == 0xf6 && (l->opcode.operand16 || l->opcode.repeat == 0xf3)) {
		r->size = l->opcode.rex & 8 ? 8 : 4;
		return op_variant(r, X86_OP_ADD_CARRY, l->opcode.operand16 ? X86_CF : X86_OF);
	}
	if (opcode == 0xf9 && r->rm == X86_MEMORY) /* movdiri */
		return op(r, X86_OP_STORE);
	if (opcode == 0xf8) /* movdir64b, enqcmd */
		return op_variant(r, X86_OP_STORE_UNKNOWN, 0);
	return false;
}

/* vldmxcsr, vstmxcsr */
static bool select_vex_mxcsr(const struct x86_layout *l, struct isa_record *r)
{
	unsigned digit = x86_layout_digit(l);

	return l->opcode.map == X86_MAP_0F && l->opcode.opcode == 0xae && r->rm == X86_MEMORY &&
	       (digit == 2 || digit == 3) && select_mxcsr(r, digit);
}

bool x86_select_integer(const struct x86_layout *l, struct isa_record *r)
{
	if (l->opcode.encoding == X86_VEX)
		return select_vex_mxcsr(l, r);
	if (l->opcode.encoding != X86_LEGACY)
		return false;
	switch (l->opcode.map) {
	case X86_MAP_LEGACY:
		return select_legacy(l, r);
	case X86_MAP_0F:
		return select_0f(l, r);
	case X86_MAP_0F38:
		return select_0f38(l, r);
	}
	return false;
}
