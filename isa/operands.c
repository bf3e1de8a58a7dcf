/* SPDX-License-Identifier: MIT */
/*
 * Operands of x86-64 instructions, by Capstone's details. Register numbers:
 * arch/x86/include/uapi/asm/perf_regs.h.
 */
#include "isa/text.h"

#include <capstone/capstone.h>
#include <elf.h>

#include "base/memory.h"

#define ALL_REGISTERS UINT64_MAX

enum { AX, BX, CX, DX, SI, DI, BP, SP, R8 = 16, R9, R10, R11, R12, R13, R14, R15 };

#define BIT(number) (UINT64_C(1) << (number))

struct operands_reader {
	csh capstone;
	cs_insn *insn;
};

bool operands_are_known(uint16_t elf_machine)
{
	return elf_machine == EM_X86_64;
}

struct operands_reader *operands_reader_new(uint16_t elf_machine)
{
	struct operands_reader *r;

	if (!operands_are_known(elf_machine))
		return NULL;
	r = memory_alloc(sizeof(*r));
	if (!r)
		return NULL;
	if (cs_open(CS_ARCH_X86, CS_MODE_64, &r->capstone) != CS_ERR_OK) {
		memory_free(r);
		return NULL;
	}
	cs_option(r->capstone, CS_OPT_DETAIL, CS_OPT_ON);
	r->insn = cs_malloc(r->capstone);
	if (r->insn)
		return r;
	operands_reader_free(r);
	return NULL;
}

void operands_reader_free(struct operands_reader *r)
{
	if (!r)
		return;
	if (r->insn)
		cs_free(r->insn, 1);
	cs_close(&r->capstone);
	memory_free(r);
}

#define WITH_PARTS(number, whole, half, word, low)                                     \
	{X86_REG_##whole, number}, {X86_REG_##half, number}, {X86_REG_##word, number}, \
	{                                                                              \
		X86_REG_##low, number                                                  \
	}

/* The number of a general register or of a part of one; OPERANDS_NO_REGISTER for others. */
static uint8_t number_of(unsigned reg)
{
	static const struct {
		uint16_t reg;
		uint8_t number;
	} known[] = {
		WITH_PARTS(AX, RAX, EAX, AX, AL),
		WITH_PARTS(BX, RBX, EBX, BX, BL),
		WITH_PARTS(CX, RCX, ECX, CX, CL),
		WITH_PARTS(DX, RDX, EDX, DX, DL),
		WITH_PARTS(SI, RSI, ESI, SI, SIL),
		WITH_PARTS(DI, RDI, EDI, DI, DIL),
		WITH_PARTS(BP, RBP, EBP, BP, BPL),
		WITH_PARTS(SP, RSP, ESP, SP, SPL),
		WITH_PARTS(R8, R8, R8D, R8W, R8B),
		WITH_PARTS(R9, R9, R9D, R9W, R9B),
		WITH_PARTS(R10, R10, R10D, R10W, R10B),
		WITH_PARTS(R11, R11, R11D, R11W, R11B),
		WITH_PARTS(R12, R12, R12D, R12W, R12B),
		WITH_PARTS(R13, R13, R13D, R13W, R13B),
		WITH_PARTS(R14, R14, R14D, R14W, R14B),
		WITH_PARTS(R15, R15, R15D, R15W, R15B),
		{X86_REG_AH, AX},
		{X86_REG_BH, BX},
		{X86_REG_CH, CX},
		{X86_REG_DH, DX},
	};

	for (size_t i = 0; i < sizeof(known) / sizeof(known[0]); i++)
		if (known[i].reg == reg)
			return known[i].number;
	return OPERANDS_NO_REGISTER;
}

static uint64_t mask_of(const uint16_t *regs, uint8_t count)
{
	uint64_t mask = 0;

	for (uint8_t i = 0; i < count; i++) {
		uint8_t number = number_of(regs[i]);

		if (number != OPERANDS_NO_REGISTER)
			mask |= BIT(number);
	}
	return mask;
}

/* The registers of a call's arguments, which its callee may read. */
#define ARGUMENTS (BIT(DI) | BIT(SI) | BIT(DX) | BIT(CX) | BIT(R8) | BIT(R9))

static void read_division(const cs_x86 *x, bool is_signed, struct operands *out)
{
	const cs_x86_op *o = &x->operands[0];

	if (x->op_count != 1)
		return;
	out->divides = true;
	out->is_signed = is_signed;
	out->divisor_bytes = o->size;
	/* the upper byte of a word is another value */
	if (o->type == X86_OP_REG && o->reg != X86_REG_AH && o->reg != X86_REG_BH &&
	    o->reg != X86_REG_CH && o->reg != X86_REG_DH)
		out->divisor = number_of(o->reg);
}

/* A move of 8 bytes, or of 4, which clears the rest of the register. */
static void read_move(const cs_x86 *x, struct operands *out)
{
	const cs_x86_op *to = &x->operands[0], *from = &x->operands[1];

	if (x->op_count != 2 || to->type != X86_OP_REG || from->type != X86_OP_REG ||
	    to->size < 4 || from->size != to->size)
		return;
	out->copied = number_of(to->reg);
	out->source = number_of(from->reg);
	out->copied_bytes = to->size;
}

static void read_details(struct operands_reader *r, struct operands *out)
{
	const cs_x86 *x = &r->insn->detail->x86;
	cs_regs read, written;
	uint8_t reads, writes;

	if (cs_regs_access(r->capstone, r->insn, read, &reads, written, &writes) != CS_ERR_OK)
		return;
	out->read = mask_of(read, reads);
	out->written = mask_of(written, writes);
	switch (r->insn->id) {
	case X86_INS_DIV:
	case X86_INS_IDIV:
		out->written |= BIT(AX) | BIT(DX);
		out->read |= BIT(AX) | BIT(DX);
		read_division(x, r->insn->id == X86_INS_IDIV, out);
		break;
	case X86_INS_MOV:
	case X86_INS_MOVABS:
		read_move(x, out);
		break;
	case X86_INS_CALL:
		out->written = BIT(AX) | ARGUMENTS | BIT(R10) | BIT(R11);
		if (x->op_count == 1 && x->operands[0].type == X86_OP_REG)
			out->target = number_of(x->operands[0].reg);
		break;
	case X86_INS_JMP:
		if (x->op_count == 1 && x->operands[0].type == X86_OP_REG)
			out->target = number_of(x->operands[0].reg);
		break;
	case X86_INS_SYSCALL:
		out->written = BIT(AX) | BIT(CX) | BIT(R11);
		break;
	case X86_INS_CPUID:
		out->written = BIT(AX) | BIT(BX) | BIT(CX) | BIT(DX);
		break;
	case X86_INS_XOR: /* with itself: it reads nothing */
	case X86_INS_SUB:
		if (x->op_count == 2 && x->operands[0].type == X86_OP_REG &&
		    x->operands[1].type == X86_OP_REG && x->operands[0].reg == x->operands[1].reg)
			out->read &= ~out->written;
		break;
	}
}

void operands_read(struct operands_reader *r, const uint8_t *bytes, size_t size, uint64_t address,
		   struct operands *out)
{
	*out = (struct operands){.written = ALL_REGISTERS,
				 .copied = OPERANDS_NO_REGISTER,
				 .source = OPERANDS_NO_REGISTER,
				 .divisor = OPERANDS_NO_REGISTER,
				 .target = OPERANDS_NO_REGISTER};
	if (cs_disasm_iter(r->capstone, &bytes, &size, &address, r->insn) && r->insn->detail)
		read_details(r, out);
}

uint8_t operands_argument(uint16_t elf_machine, unsigned number)
{
	static const uint8_t order[] = {DI, SI, DX, CX, R8, R9};

	return elf_machine == EM_X86_64 && number < sizeof(order) ? order[number]
								  : OPERANDS_NO_REGISTER;
}
