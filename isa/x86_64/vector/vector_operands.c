/* SPDX-License-Identifier: MIT */
#include "isa/x86_64/vector/vector_operands.h"

/* @bytes of memory, zero behind them. */
static void x86_vector_operands_load(struct isa_state *s, const struct isa_memory *m,
				     uint64_t address, unsigned bytes, struct x86_packed *out)
{
	out->known = X86_ALL_LANES;
	memset(&out->v, 0, sizeof(out->v));
	if (isa_shadow_is_clean(&s->shadow, address, bytes)) {
		if (!m->read(m->context, address, &out->v, bytes))
			out->known &= (uint8_t)~x86_lanes(bytes);
		return;
	}
	for (unsigned i = 0; i < bytes; i += 8) {
		unsigned part = bytes - i < 8 ? bytes - i : 8;
		struct isa_value lane = isa_load(s, m, address + i, part);

		out->v.u64[i / 8] = lane.bits;
		if (!x86_is_known(lane, part))
			out->known &= (uint8_t) ~(1u << i / 8);
	}
}

enum isa_outcome x86_vector_operands_store(const struct isa_record *r, struct isa_state *s,
					   const struct x86_packed *v)
{
	unsigned bytes = r->bytes;
	uint64_t address;

	if (!x86_address(r, s, &address)) {
		isa_shadow_forget(&s->shadow);
		return ISA_NEXT;
	}
	for (unsigned i = 0; i < bytes; i += 8) {
		unsigned part = bytes - i < 8 ? bytes - i : 8;
		struct isa_value lane = ISA_UNKNOWN;

		if (v->known >> i / 8 & 1)
			lane = x86_known(v->v.u64[i / 8], part);
		if (!isa_store(s, address + i, part, lane))
			return ISA_UNMODELLED;
	}
	return ISA_NEXT;
}

void x86_vector_operands_repeat(struct x86_packed *v, unsigned element)
{
	/* a one at the lowest bit of each element */
	uint64_t ones = UINT64_MAX / isa_mask(element);
	uint64_t lane = (v->v.u64[0] & isa_mask(element)) * ones;

	for (unsigned i = 0; i < sizeof(v->v) / sizeof(lane); i++)
		v->v.u64[i] = lane;
	v->known = v->known & 1 ? X86_ALL_LANES : 0;
}

void x86_vector_operands_rm(const struct isa_record *r, struct isa_state *s,
			    const struct isa_memory *m, struct x86_packed *out)
{
	uint64_t address;

	if (r->rm != X86_MEMORY) {
		x86_vector_read(s, r->rm, out);
	} else if (!x86_address(r, s, &address)) {
		memset(&out->v, 0, sizeof(out->v));
		out->known = (uint8_t)~x86_lanes(r->bytes);
	} else if (r->attributes & X86_BROADCAST) {
		x86_vector_operands_load(s, m, address, r->element, out);
		x86_vector_operands_repeat(out, r->element);
	} else {
		x86_vector_operands_load(s, m, address, r->bytes, out);
	}
}

/* The bytes of a lane's elements whose bits are set in @bits, the lane's. */
static uint64_t bytes_of(unsigned bits, unsigned element)
{
	unsigned bytes = 0;

	if (element == 1)
		return isa_shadow_spread((uint8_t)bits);
	for (unsigned i = 0; i < 8 / element; i++)
		bytes |= bits >> i & 1 ? ((1u << element) - 1) << i * element : 0;
	return isa_shadow_spread((uint8_t)bytes);
}

static void apply_mask(const struct isa_record *r, const struct isa_state *s, unsigned reg,
		       struct x86_packed *v)
{
	unsigned element = r->element ? r->element : 1, each = 8 / element, all = (1u << each) - 1;
	uint64_t mask = s->opmask[r->mask], known = s->opmask_known[r->mask];

	for (unsigned i = 0; i < r->size / 8u; i++) {
		uint64_t taken = bytes_of(mask >> i * each & all, element);
		bool keeps = taken != UINT64_MAX && !(r->attributes & X86_ZEROING);

		v->v.u64[i] &= taken;
		if (keeps)
			v->v.u64[i] |= s->vector[reg].u64[i] & ~taken;
		if ((known >> i * each & all) != all || (keeps && !(s->vector_known[reg] >> i & 1)))
			v->known &= (uint8_t) ~(1u << i);
	}
}

/* Lanes all of whose elements are masked out do not depend on the result: make them known first. */
static void ignore_masked_out(const struct isa_record *r, const struct isa_state *s,
			      struct x86_packed *v)
{
	unsigned element = r->element ? r->element : 1, each = 8 / element;
	uint64_t out = ~s->opmask[r->mask] & s->opmask_known[r->mask];
	uint64_t all = (UINT64_C(1) << each) - 1;

	for (unsigned lane = 0; lane < r->size / 8u; lane++) {
		if ((out >> lane * each & all) == all)
			v->known |= (uint8_t)(1u << lane);
	}
}

void x86_vector_operands_write(const struct isa_record *r, struct isa_state *s, unsigned reg,
			       struct x86_packed *v)
{
	union x86_vector *to = &s->vector[reg];
	uint8_t lanes = x86_lanes(r->size);

	if (r->mask) {
		ignore_masked_out(r, s, v);
		apply_mask(r, s, reg, v);
	}
	for (unsigned i = 0; (v->known & lanes) != lanes && i < r->size / 8u; i++)
		v->v.u64[i] = v->known >> i & 1 ? v->v.u64[i] : 0;
	if (r->attributes & X86_KEEP_UPPER) {
		memcpy(to, &v->v, r->size);
		s->vector_known[reg] = (s->vector_known[reg] & ~lanes) | (v->known & lanes);
		return;
	}
	/* sizes that the compiler knows: no call */
	memcpy(to, &v->v, 16);
	if (r->size >= 32)
		memcpy(to->u8 + 16, v->v.u8 + 16, 16);
	else
		memset(to->u8 + 16, 0, 16);
	if (r->size == 64)
		memcpy(to->u8 + 32, v->v.u8 + 32, 32);
	else
		memset(to->u8 + 32, 0, 32);
	s->vector_known[reg] = v->known | (uint8_t)~lanes;
}

#define MXCSR_MASKS 0x1f80u

static void load_mxcsr(uint32_t value)
{
	__asm__ volatile("ldmxcsr %0" : : "m"(value));
}

bool x86_vector_operands_float_begin(struct isa_state *s, uint32_t *saved)
{
	*saved = 0;
	if ((s->mxcsr_known & X86_MXCSR_CONTROL) != X86_MXCSR_CONTROL)
		return false;
	if ((s->mxcsr & X86_MXCSR_CONTROL) == X86_MXCSR_DEFAULT)
		return true;
	*saved = X86_MXCSR_DEFAULT;
	load_mxcsr((s->mxcsr & X86_MXCSR_CONTROL) | MXCSR_MASKS);
	return true;
}

bool x86_vector_operands_float_end(struct isa_state *s, uint32_t saved)
{
	uint32_t now, raised;

	/* which of the sticky flags were set is not asked: those that are clear may be by now */
	x86_mxcsr_raise(s);
	if (!saved)
		return true;
	__asm__ volatile("stmxcsr %0" : "=m"(now));
	load_mxcsr(saved);
	raised = now & X86_MXCSR_FLAGS;
	return !(raised & ~(s->mxcsr >> 7));
}
