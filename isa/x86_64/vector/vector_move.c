/* SPDX-License-Identifier: MIT */
/* Moves of vectors and of their parts, to and from memory and general registers. */
#include "isa/x86_64/operand.h"
#include "isa/x86_64/vector/vector_operands.h"

/* The elements whose bits are set in @bits, from the lowest on; others may be on an unmapped page.
 */
static void load_lane(const struct isa_record *r, struct isa_state *s, const struct isa_memory *m,
		      uint64_t address, unsigned bits, struct x86_packed *out, unsigned lane)
{
	unsigned skipped, run, at = 0;

	while (bits) {
		struct isa_value v;

		skipped = (unsigned)__builtin_ctz(bits);
		run = (unsigned)__builtin_ctz(~(bits >> skipped));
		at += skipped;
		v = isa_load(s, m, address + at * r->element, run * r->element);
		memcpy(out->v.u8 + lane * 8 + at * r->element, &v.bits, run * r->element);
		if (!x86_is_known(v, run * r->element))
			out->known &= (uint8_t) ~(1u << lane);
		at += run;
		bits >>= skipped + run;
	}
}

static void masked_load(const struct isa_record *r, struct isa_state *s, const struct isa_memory *m,
			uint64_t address, struct x86_packed *out)
{
	unsigned each = 8u / r->element, all = (1u << each) - 1;

	memset(&out->v, 0, sizeof(out->v));
	out->known = X86_ALL_LANES;
	for (unsigned lane = 0; lane < (r->bytes + 7u) / 8; lane++) {
		uint64_t bits = s->opmask[r->mask] >> lane * each & all;

		if (r->bytes < 8)
			bits &= (1u << r->bytes / r->element) - 1;
		load_lane(r, s, m, address + lane * 8, (unsigned)bits, out, lane);
	}
}

/* reg from rm: `bytes` of memory, or of a register */
X86_EVALUATOR(vector_move)
{
	struct x86_packed v;
	uint64_t address;

	if (r->mask && r->rm == X86_MEMORY && x86_address(r, s, &address))
		masked_load(r, s, m, address, &v);
	else
		x86_vector_operands_rm(r, s, m, &v);
	if (r->rm != X86_MEMORY && r->bytes < r->size) { /* movq */
		memset(v.v.u8 + r->bytes, 0, sizeof(v.v) - r->bytes);
		v.known |= (uint8_t)~x86_lanes(r->bytes);
	}
	x86_vector_operands_write(r, s, r->reg, &v);
	return ISA_NEXT;
}

static enum isa_outcome masked_store(const struct isa_record *r, struct isa_state *s,
				     uint64_t address, const struct x86_packed *v)
{
	for (unsigned i = 0; i < r->bytes / r->element; i++) {
		unsigned at = i * r->element;
		struct isa_value part = ISA_UNKNOWN;

		if (!((s->opmask[r->mask] | ~s->opmask_known[r->mask]) >> i & 1))
			continue;
		if ((s->opmask_known[r->mask] >> i & 1) && (v->known >> at / 8 & 1)) {
			memcpy(&part.bits, v->v.u8 + at, r->element);
			part.known = isa_mask(r->element);
		}
		if (!isa_store(s, address + at, r->element, part))
			return ISA_UNMODELLED;
	}
	return ISA_NEXT;
}

/* memory from `bytes` of reg, from eighth `variant` on */
X86_EVALUATOR(vector_store)
{
	struct x86_packed v;
	uint64_t address;

	x86_vector_read(s, r->reg, &v);
	if (r->variant) {
		memmove(v.v.u8, v.v.u8 + r->variant * 8, sizeof(v.v) - r->variant * 8);
		v.known >>= r->variant;
	}
	if (r->mask && x86_address(r, s, &address))
		return masked_store(r, s, address, &v);
	return x86_vector_operands_store(r, s, &v);
}

/*
 * `element` bytes of rm into reg2's value: movss and movsd between registers, movlps, movhps,
 * movhlps, movlhps. `variant`: the byte they go to, and above it, times 256, the byte they come
 * from.
 */
X86_EVALUATOR(vector_merge)
{
	unsigned to = r->variant & 0xff, from = r->variant >> 8;
	struct x86_packed v, part;

	x86_vector_operands_rm(r, s, m, &part);
	x86_vector_read(s, r->reg2, &v);
	memcpy(v.v.u8 + to, part.v.u8 + from, r->element);
	if (!(part.known >> from / 8 & 1))
		v.known &= (uint8_t) ~(1u << to / 8);
	else if (r->element == 8)
		v.known |= (uint8_t)(1u << to / 8);
	x86_vector_operands_write(r, s, r->reg, &v);
	return ISA_NEXT;
}

/* movd, movq from a general register or memory */
X86_EVALUATOR(vector_from_general)
{
	struct x86_packed v = {.known = X86_ALL_LANES};
	struct isa_value from = x86_rm_read(r, s, m, r->element);

	v.v.u64[0] = from.bits;
	if (!x86_is_known(from, r->element))
		v.known &= (uint8_t)~1u;
	x86_vector_operands_write(r, s, r->reg, &v);
	return ISA_NEXT;
}

/* pextrb, pextrw, pextrd, pextrq, extractps, movd, movq: element number `immediate` of reg to rm */
X86_EVALUATOR(vector_extract)
{
	unsigned at = (r->immediate & (16u / r->element - 1)) * r->element;
	struct isa_value v = {0, ~isa_mask(r->element)};

	if (s->vector_known[r->reg] >> at / 8 & 1) {
		memcpy(&v.bits, s->vector[r->reg].u8 + at, r->element);
		v.known = UINT64_MAX;
	}
	if (r->rm != X86_MEMORY) { /* zero-extended */
		x86_register_set(s, r->rm, 8, v);
		return ISA_NEXT;
	}
	v.known &= isa_mask(r->element);
	return x86_memory_write(r, s, r->element, v) ? ISA_NEXT : ISA_UNMODELLED;
}

/* pinsrb, pinsrw, pinsrd, pinsrq */
X86_EVALUATOR(vector_insert)
{
	unsigned at = (r->immediate & (16u / r->element - 1)) * r->element;
	struct x86_packed v;
	struct isa_value part = x86_rm_read(r, s, m, r->element);

	x86_vector_read(s, r->reg2, &v);
	memcpy(v.v.u8 + at, &part.bits, r->element);
	if (!x86_is_known(part, r->element))
		v.known &= (uint8_t) ~(1u << at / 8);
	else if (r->element == 8)
		v.known |= (uint8_t)(1u << at / 8);
	x86_vector_operands_write(r, s, r->reg, &v);
	return ISA_NEXT;
}

/* vzeroupper, vzeroall (variant 1): of the first 16 registers */
X86_EVALUATOR(vector_zero_upper)
{
	uint8_t zeroed = (uint8_t)~x86_lanes(r->variant ? 0 : 16);

	for (unsigned i = 0; i < 16; i++)
		memset(s->vector[i].u8 + 16, 0, sizeof(s->vector[i]) - 16);
	for (unsigned i = 0; r->variant && i < 16; i++)
		memset(s->vector[i].u8, 0, 16);
	for (unsigned i = 0; i < 16; i++)
		s->vector_known[i] |= zeroed;
	return ISA_NEXT;
}

/* ptest: ZF if no bit is in both, CF if no bit of rm is missing in reg */
X86_EVALUATOR(vector_test)
{
	uint8_t lanes = x86_lanes(r->size);
	uint64_t both = 0, missing = 0;
	struct x86_packed b;
	bool known;

	x86_vector_operands_rm(r, s, m, &b);
	for (unsigned i = 0; i < r->size / 8u; i++) {
		uint64_t a = s->vector[r->reg].u64[i];

		both |= a & b.v.u64[i];
		missing |= ~a & b.v.u64[i];
	}
	known = (b.known & s->vector_known[r->reg] & lanes) == lanes;
	x86_flags_set(s, X86_STATUS_FLAGS, 0, X86_STATUS_FLAGS);
	x86_flag_assign(s, X86_ZF, !both, known);
	x86_flag_assign(s, X86_CF, !missing, known);
	return ISA_NEXT;
}
