/* SPDX-License-Identifier: MIT */
/* From an instruction's word to its record. */

#include "isa/aarch64/op.h"
#include "isa/decoder.h"

static bool select_op(uint32_t word, uint64_t address, struct isa_record *r)
{
	switch (aarch64_field(word, 25, 4)) {
	case 2:
		return aarch64_select_scalable(word, r);
	case 8:
	case 9:
		return aarch64_select_immediate(word, address, r);
	case 10:
	case 11:
		return aarch64_select_branch(word, r);
	case 4:
	case 6:
	case 12:
	case 14:
		if (word >> 26 & 1)
			return aarch64_select_vector_memory(word, address, r);
		return aarch64_select_memory(word, address, r);
	case 5:
	case 13:
		return aarch64_select_register(word, r);
	case 7:
	case 15:
		return aarch64_select_vector(word, r);
	}
	return false;
}

bool isa_record_decode(const uint8_t *bytes, size_t size, uint64_t address, struct isa_record *out)
{
	struct isa_insn insn;
	uint32_t word;

	if (!aarch64_decode(bytes, size, address, &insn))
		return false;
	word = (uint32_t)bytes[0] | (uint32_t)bytes[1] << 8 | (uint32_t)bytes[2] << 16 |
	       (uint32_t)bytes[3] << 24;
	*out = (struct isa_record){
		.word = word, .length = insn.length, .behind = insn.length, .kind = insn.kind};
	if (!select_op(word, address, out)) {
		out->op = AARCH64_OP_UNMODELLED;
		out->variant = insn.kind == ISA_STOP ? ISA_CAUSE_TRAP : ISA_CAUSE_UNMODELLED;
	}
	out->divides = out->op == AARCH64_OP_DIVIDE;
	/* Cortex-A72, Neoverse N1: 4 to 20 cycles by the quotient (their optimization guides) */
	out->wait = out->divides ? 12 : 0;
	if (insn.target)
		out->target = insn.target;
	return true;
}
