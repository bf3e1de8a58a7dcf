/* SPDX-License-Identifier: MIT */
/*
 * The record of an instruction on general registers, from its entry in the opcode table. Where more
 * than the entry decides there is a function. Source: Intel SDM volume 2.
 */
#include "isa/x86_64/decode/layout.h"
#include "isa/x86_64/operand.h"

static void op_variant(struct isa_record *r, enum x86_op which, unsigned variant)
{
	r->op = (uint8_t)which;
	r->variant = (uint16_t)variant;
}

static void op(struct isa_record *r, enum x86_op which)
{
	r->op = (uint8_t)which;
}

static void unmodelled(struct isa_record *r, enum isa_cause cause)
{
	op_variant(r, X86_OP_UNMODELLED, cause);
}

static void clobber(struct isa_record *r, unsigned registers, unsigned bytes, uint64_t flags,
		    uint64_t zero_flags)
{
	r->size = (uint8_t)bytes;
	r->immediate = zero_flags << 32 | flags;
	op_variant(r, X86_OP_CLOBBER, registers);
}

/* ---- operands ------------------------------------------------------------------------------ */

/* A byte register without REX: 4 to 7 are ah, ch, dh, bh. */
static uint8_t byte_register(const struct x86_layout *l, uint8_t reg)
{
	if (!l->opcode.rex && reg >= 4 && reg < 8)
		return X86_HIGH | (reg - 4);
	return reg;
}

static void set_rm_byte(const struct x86_layout *l, struct isa_record *r)
{
	if (r->rm != X86_MEMORY)
		r->rm = byte_register(l, r->rm);
}

static void set_size(const struct x86_layout *l, struct isa_record *r, unsigned how)
{
	if (how & (X86_BYTES | X86_EVEN_BYTES)) {
		r->size = 1;
		r->reg = byte_register(l, r->reg);
		set_rm_byte(l, r);
	}
	if (how & X86_STACK)
		r->size = l->opcode.operand16 ? 2 : 8;
	if (how & X86_QUAD)
		r->size = 8;
	if (how & X86_LONG)
		r->size = 4;
	if (how & X86_RM_BYTE)
		set_rm_byte(l, r);
}

static void set_immediate(const struct x86_layout *l, struct isa_record *r, unsigned how)
{
	if (how & (X86_CONSTANT | X86_ONE))
		r->attributes |= X86_IMMEDIATE;
	if (how & (X86_CONSTANT | X86_VALUE))
		r->immediate = (uint64_t)l->immediate;
	if (how & X86_ONE)
		r->immediate = 1;
	if (how & X86_UNSIGNED)
		r->immediate &= isa_mask(l->immediate_bytes);
}

#define SIZES	(X86_EVEN_BYTES | X86_BYTES | X86_RM_BYTE | X86_STACK | X86_QUAD | X86_LONG)
#define SOURCES (X86_CONSTANT | X86_ONE | X86_VALUE | X86_UNSIGNED)

static void set_operands(const struct x86_layout *l, struct isa_record *r, unsigned how)
{
	if (l->opcode.opcode & 1)
		how &= ~(unsigned)X86_EVEN_BYTES;
	if (how & SIZES)
		set_size(l, r, how);
	if (how & SOURCES)
		set_immediate(l, r, how);
	if (!(how & ~(unsigned)(SIZES | SOURCES)))
		return;
	if (how & X86_RM_RAX)
		r->rm = X86_RAX;
	if (how & X86_REG_RAX)
		r->reg = X86_RAX;
	if (how & X86_RM_ZERO)
		r->rm = X86_NONE;
	if (how & X86_CONDITION)
		r->variant = l->opcode.opcode & 15;
	if (how & X86_DIGIT)
		r->variant = (uint16_t)x86_layout_digit(l);
	if (how & X86_LOCKED && r->rm == X86_MEMORY)
		r->attributes |= X86_LOCK;
}

/* ---- where more than the entry decides ----------------------------------------------------- */

/* 88 to 8b */
static void select_move(const struct x86_layout *l, struct isa_record *r)
{
	bool to_reg = l->opcode.opcode & 2;
	uint8_t to = r->rm;

	if (r->rm == X86_MEMORY) {
		op(r, to_reg ? X86_OP_LOAD : X86_OP_STORE);
		return;
	}
	if (!to_reg) {
		r->rm = r->reg;
		r->reg = to;
	}
	op(r, X86_OP_MOVE);
}

static void select_segment(const struct x86_layout *l, struct isa_record *r)
{
	(void)l;
	if (r->rm == X86_MEMORY)
		op_variant(r, X86_OP_STORE_UNKNOWN, 2);
	else
		clobber(r, 1u << (r->rm & 15), 8, 0, 0);
}

static void select_nop(const struct x86_layout *l, struct isa_record *r)
{
	if (l->opcode.repeat == 0xf3) { /* pause */
		unmodelled(r, ISA_CAUSE_SPIN);
		return;
	}
	if (l->opcode.rex & 1) { /* xchg r8, rax */
		r->reg = X86_RAX;
		op(r, X86_OP_EXCHANGE);
		return;
	}
	op(r, X86_OP_NOTHING);
}

/* a0 to a3: the accumulator and an absolute address of 64 bits, which no compiler uses */
static void select_absolute(const struct x86_layout *l, struct isa_record *r)
{
	uint64_t address = (uint64_t)l->immediate;

	if ((int64_t)(int32_t)address != (int64_t)address) {
		unmodelled(r, ISA_CAUSE_UNMODELLED);
		return;
	}
	r->rm = X86_MEMORY;
	r->reg = X86_RAX;
	r->displacement = (int32_t)address;
	op(r, l->opcode.opcode & 2 ? X86_OP_STORE : X86_OP_LOAD);
}

/* e0 to e3 */
static void select_loop(const struct x86_layout *l, struct isa_record *r)
{
	r->size = l->opcode.address32 ? 4 : 8;
	op_variant(r, X86_OP_LOOP, l->opcode.opcode & 3);
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

/* fldenv, fnstenv, frstor, fnsave; fninit */
static bool x87_sets_control(const struct x86_layout *l, unsigned digit)
{
	if (l->modrm >= 0xc0)
		return l->opcode.opcode == 0xdb && l->modrm == 0xe3;
	return (l->opcode.opcode == 0xd9 && (digit == 4 || digit == 6)) ||
	       (l->opcode.opcode == 0xdd && (digit == 4 || digit == 6));
}

static void select_x87_memory(const struct x86_layout *l, struct isa_record *r, unsigned digit)
{
	unsigned bytes = x87_stored(l->opcode.opcode, digit);

	if (l->opcode.opcode == 0xd9 && digit == 5)
		op(r, X86_OP_LOAD_X87_CONTROL);
	else if (l->opcode.opcode == 0xd9 && digit == 7)
		op(r, X86_OP_STORE_X87_CONTROL);
	else if (x87_sets_control(l, digit))
		op_variant(r, X86_OP_FORGET_X87_CONTROL, bytes);
	else if (bytes)
		op_variant(r, X86_OP_STORE_UNKNOWN, bytes);
	else
		op(r, X86_OP_NOTHING);
}

/* d8 to df: of the x87 only its control word is modelled, what else it writes becomes unknown */
static void select_x87(const struct x86_layout *l, struct isa_record *r)
{
	unsigned digit = x86_layout_digit(l);

	if (r->rm == X86_MEMORY)
		select_x87_memory(l, r, digit);
	else if (x87_sets_control(l, digit))
		op_variant(r, X86_OP_FORGET_X87_CONTROL, 0);
	else if (l->opcode.opcode == 0xdf && l->modrm == 0xe0) /* fnstsw ax */
		clobber(r, 1 << X86_RAX, 2, 0, 0);
	else if ((l->opcode.opcode & 0xfb) == 0xdb && (digit == 5 || digit == 6)) /* f(u)comi(p) */
		clobber(r, 0, 8, X86_ZF | X86_PF | X86_CF, X86_OF | X86_SF | X86_AF);
	else
		op(r, X86_OP_NOTHING);
}

/* 0f 01: system instructions, told apart by the whole ModRM byte */
static void select_0f01(const struct x86_layout *l, struct isa_record *r)
{
	if (r->rm == X86_MEMORY && x86_layout_digit(l) == 7) { /* invlpg */
		unmodelled(r, ISA_CAUSE_TRANSFER);
		return;
	}
	if (r->rm == X86_MEMORY) { /* sgdt, sidt, smsw; rstorssp */
		op_variant(r, X86_OP_STORE_UNKNOWN, 10);
		return;
	}
	switch (l->modrm) {
	case 0xd0: /* xgetbv */
	case 0xee: /* rdpkru */
		clobber(r, 1 << X86_RAX | 1 << X86_RDX, 4, 0, 0);
		break;
	case 0xd6: /* xtest: no transaction is ever followed */
		clobber(r, 0, 8, 0, X86_STATUS_FLAGS);
		break;
	case 0xe8: /* serialize */
	case 0xef: /* wrpkru */
	case 0xfa: /* monitorx */
	case 0xfc: /* clzero: writes a cache line, at rax */
		unmodelled(r, ISA_CAUSE_UNMODELLED);
		break;
	case 0xf9: /* rdtscp */
		clobber(r, 1 << X86_RAX | 1 << X86_RDX | 1 << X86_RCX, 4, 0, 0);
		break;
	default:
		unmodelled(r, ISA_CAUSE_TRANSFER);
	}
}

static void select_0fae_register(const struct x86_layout *l, struct isa_record *r, unsigned digit)
{
	if (l->opcode.repeat == 0xf3 && digit < 2) /* rdfsbase, rdgsbase */
		clobber(r, 1u << (r->rm & 15), r->size, 0, 0);
	else if (l->opcode.repeat || digit < 5) /* wrfsbase, umonitor ... */
		unmodelled(r, ISA_CAUSE_UNMODELLED);
	else /* fences */
		op(r, X86_OP_NOTHING);
}

/* 0f ae */
static void select_0fae(const struct x86_layout *l, struct isa_record *r)
{
	static const uint8_t ops[8] = {X86_OP_STORE_UNKNOWN,  /* fxsave */
				       X86_OP_FORGET_VECTORS, /* fxrstor */
				       X86_OP_LOAD_MXCSR,	X86_OP_STORE_MXCSR,
				       X86_OP_SAVE_EXTENDED,	/* xsave */
				       X86_OP_RESTORE_EXTENDED, /* xrstor */
				       X86_OP_SAVE_EXTENDED,	/* xsaveopt */
				       X86_OP_NOTHING};		/* clflush */
	unsigned digit = x86_layout_digit(l);

	if (r->rm != X86_MEMORY)
		select_0fae_register(l, r, digit);
	else if (l->opcode.operand16 || l->opcode.repeat) /* clwb, clflushopt; clrssbsy */
		op(r, X86_OP_NOTHING);
	else
		op_variant(r, ops[digit], digit == 0 ? 512 : 0);
}

/* 0f c7 */
static void select_0fc7(const struct x86_layout *l, struct isa_record *r)
{
	unsigned digit = x86_layout_digit(l);

	if (r->rm != X86_MEMORY) {
		if (digit == 7 && l->opcode.repeat == 0xf3) /* rdpid */
			clobber(r, 1u << (r->rm & 15), 8, 0, 0);
		else /* rdrand, rdseed */
			clobber(r, 1u << (r->rm & 15), r->size, X86_CF, X86_STATUS_FLAGS & ~X86_CF);
	} else if (digit == 1) {
		r->size = l->opcode.rex & 8 ? 8 : 4;
		op(r, X86_OP_COMPARE_EXCHANGE_PAIR);
	} else if (digit == 3) { /* xrstors */
		op(r, X86_OP_FORGET_VECTORS);
	} else if (digit == 4) { /* xsavec */
		op_variant(r, X86_OP_SAVE_EXTENDED, true);
	} else {
		unmodelled(r, ISA_CAUSE_TRANSFER);
	}
}

static void select_hint(const struct x86_layout *l, struct isa_record *r)
{
	/* rdssp: nothing without a shadow stack */
	if (l->opcode.repeat == 0xf3 && l->modrm >= 0xc0 && x86_layout_digit(l) == 1)
		clobber(r, 1u << (r->rm & 15), 8, 0, 0);
	else
		op(r, X86_OP_NOTHING);
}

/* 0f b8, bc, bd */
static void select_behind_f3(const struct x86_layout *l, struct isa_record *r)
{
	unsigned reverse = l->opcode.opcode & 1;
	bool f3 = l->opcode.repeat == 0xf3;

	if (l->opcode.opcode != 0xb8)
		op_variant(r, f3 ? X86_OP_COUNT_ZEROS : X86_OP_BIT_SCAN, reverse);
	else if (f3)
		op(r, X86_OP_POPULATION);
	else
		unmodelled(r, ISA_CAUSE_UNMODELLED);
}

/* 0f 38 f0 to ff: crc32, movbe, adcx, adox and other stores; the rest are vectors */
static void select_0f38(const struct x86_layout *l, struct isa_record *r)
{
	uint8_t opcode = l->opcode.opcode;

	if ((opcode == 0xf0 || opcode == 0xf1) && l->opcode.repeat == 0xf2) {
		r->element = opcode == 0xf0 ? 1 : r->size;
		if (r->element == 1)
			set_rm_byte(l, r);
		op(r, X86_OP_CRC32);
	} else if (opcode == 0xf0 || opcode == 0xf1) {
		op_variant(r, X86_OP_MOVE_SWAPPED, opcode & 1);
	} else if (opcode == 0xf6 && (l->opcode.operand16 || l->opcode.repeat == 0xf3)) {
		r->size = l->opcode.rex & 8 ? 8 : 4;
		op_variant(r, X86_OP_ADD_CARRY, l->opcode.operand16 ? X86_CF : X86_OF);
	} else if (opcode == 0xf9 && r->rm == X86_MEMORY) { /* movdiri */
		op(r, X86_OP_STORE);
	} else if (opcode == 0xf8) { /* movdir64b, enqcmd */
		op_variant(r, X86_OP_STORE_UNKNOWN, 0);
	} else {
		x86_select_vector(l, r);
	}
}

void x86_select_integer(const struct x86_layout *l, struct isa_record *r)
{
	static void (*const selectors[])(const struct x86_layout *, struct isa_record *) = {
		[X86_SELECT_VECTOR - X86_SELECT_FIRST] = x86_select_vector,
		[X86_SELECT_MOVE - X86_SELECT_FIRST] = select_move,
		[X86_SELECT_SEGMENT - X86_SELECT_FIRST] = select_segment,
		[X86_SELECT_NOP - X86_SELECT_FIRST] = select_nop,
		[X86_SELECT_ABSOLUTE - X86_SELECT_FIRST] = select_absolute,
		[X86_SELECT_LOOP - X86_SELECT_FIRST] = select_loop,
		[X86_SELECT_X87 - X86_SELECT_FIRST] = select_x87,
		[X86_SELECT_0F01 - X86_SELECT_FIRST] = select_0f01,
		[X86_SELECT_0FAE - X86_SELECT_FIRST] = select_0fae,
		[X86_SELECT_0FC7 - X86_SELECT_FIRST] = select_0fc7,
		[X86_SELECT_HINT - X86_SELECT_FIRST] = select_hint,
		[X86_SELECT_BEHIND_F3 - X86_SELECT_FIRST] = select_behind_f3,
		[X86_SELECT_0F38 - X86_SELECT_FIRST] = select_0f38,
	};
	const struct x86_opcode_entry *e = l->entry;

	set_operands(l, r, e->operands);
	if (e->op >= X86_SELECT_FIRST) {
		selectors[e->op - X86_SELECT_FIRST](l, r);
		return;
	}
	r->op = e->op;
	if (e->variant)
		r->variant = e->variant;
	if (e->element)
		r->element = e->element;
	if (e->op == X86_OP_LEA)
		r->segment = 0;
}
