/* SPDX-License-Identifier: MIT */
/* Loads and stores of vectors: Arm ARM, C7.2 (LDR, STR, LDP, STP, LD1 to LD4, ST1 to ST4). */
#include "isa/aarch64/vector/lanes.h"

static struct aarch64_lanes load(const struct isa_state *s, const struct isa_memory *m,
				 const struct aarch64_place *p, unsigned offset, unsigned bytes)
{
	struct aarch64_lanes out = {.known = 0};

	for (unsigned done = 0; p->known && done < bytes; done += 8) {
		unsigned part = bytes - done < 8 ? bytes - done : 8;
		struct isa_value v = isa_load(s, m, p->address + offset + done, part);

		out.v.u64[done / 8] = v.bits;
		if (aarch64_is_known(aarch64_cut(v, part)))
			out.known |= 1u << done / 8;
	}
	return out;
}

static bool store(struct isa_state *s, const struct aarch64_place *p, unsigned offset,
		  const struct aarch64_lanes *l, unsigned bytes)
{
	for (unsigned done = 0; done < bytes; done += 8) {
		unsigned part = bytes - done < 8 ? bytes - done : 8;
		struct isa_value v = {l->v.u64[done / 8],
				      l->known >> done / 8 & 1 ? UINT64_MAX : 0};

		if (!isa_store(s, p->address + offset + done, part, v))
			return false;
	}
	return true;
}

AARCH64_EVALUATOR(vector_access_load)
{
	struct aarch64_place p = aarch64_place(r, s);

	aarch64_lanes_write(s, r->rd, r->bytes, load(s, m, &p, 0, r->bytes));
	aarch64_place_done(r, s, &p);
	return ISA_NEXT;
}

AARCH64_EVALUATOR(vector_access_store)
{
	struct aarch64_place p = aarch64_place(r, s);
	struct aarch64_lanes l = aarch64_lanes_of(s, r->rd);

	if (!p.known)
		isa_shadow_forget(&s->shadow);
	else if (!store(s, &p, 0, &l, r->bytes))
		return ISA_UNMODELLED;
	aarch64_place_done(r, s, &p);
	return ISA_NEXT;
}

/* The registers of a pair are any two; of more they follow each other. */
static unsigned register_of(const struct isa_record *r, unsigned number)
{
	return number ? (r->ra + number - 1) % 32u : r->rd;
}

/* ldp; ld1 of several */
AARCH64_EVALUATOR(vector_access_load_many)
{
	struct aarch64_place p = aarch64_place(r, s);

	for (unsigned i = 0; i < r->registers; i++)
		aarch64_lanes_write(s, register_of(r, i), r->bytes,
				    load(s, m, &p, i * r->bytes, r->bytes));
	aarch64_place_done(r, s, &p);
	return ISA_NEXT;
}

AARCH64_EVALUATOR(vector_access_store_many)
{
	struct aarch64_place p = aarch64_place(r, s);

	if (!p.known)
		isa_shadow_forget(&s->shadow);
	for (unsigned i = 0; p.known && i < r->registers; i++) {
		struct aarch64_lanes l = aarch64_lanes_of(s, register_of(r, i));

		if (!store(s, &p, i * r->bytes, &l, r->bytes))
			return ISA_UNMODELLED;
	}
	aarch64_place_done(r, s, &p);
	return ISA_NEXT;
}

/* ld2 to ld4: the elements in memory go to the registers in turn */
AARCH64_EVALUATOR(vector_access_load_turns)
{
	struct aarch64_place p = aarch64_place(r, s);

	for (unsigned i = 0; i < r->registers; i++) {
		struct aarch64_lanes out = {.known = AARCH64_VECTOR_KNOWN};

		for (unsigned lane = 0; lane < r->bytes / r->element; lane++) {
			unsigned offset = (lane * r->registers + i) * r->element;
			struct aarch64_lanes one = load(s, m, &p, offset, r->element);

			aarch64_lanes_set(&out, r->element, lane, one.v.u64[0]);
			if (!one.known)
				out.known &= ~(1u << lane * r->element / 8u);
		}
		aarch64_lanes_write(s, register_of(r, i), r->bytes, out);
	}
	aarch64_place_done(r, s, &p);
	return ISA_NEXT;
}

/* One element of a register into memory. */
static bool store_lane(struct isa_state *s, const struct aarch64_place *p, unsigned offset,
		       unsigned reg, unsigned element, unsigned lane)
{
	struct aarch64_lanes l = aarch64_lanes_of(s, reg), one = {.known = 0};

	one.v.u64[0] = aarch64_lanes_get(&l, element, lane);
	one.known = l.known >> lane * element / 8 & 1;
	return store(s, p, offset, &one, element);
}

AARCH64_EVALUATOR(vector_access_store_turns)
{
	struct aarch64_place p = aarch64_place(r, s);
	unsigned elements = r->registers * r->bytes / r->element;

	if (!p.known)
		isa_shadow_forget(&s->shadow);
	for (unsigned i = 0; p.known && i < elements; i++) {
		if (!store_lane(s, &p, i * r->element, register_of(r, i % r->registers), r->element,
				i / r->registers))
			return ISA_UNMODELLED;
	}
	aarch64_place_done(r, s, &p);
	return ISA_NEXT;
}

/* The lane r->variant; the others stay. */
AARCH64_EVALUATOR(vector_access_load_lane)
{
	struct aarch64_place p = aarch64_place(r, s);
	unsigned half = 1u << r->variant * r->element / 8;

	for (unsigned i = 0; i < r->registers; i++) {
		unsigned reg = (r->rd + i) % 32u;
		struct aarch64_lanes out = aarch64_lanes_of(s, reg);
		struct aarch64_lanes one = load(s, m, &p, i * r->element, r->element);

		aarch64_lanes_set(&out, r->element, r->variant, one.v.u64[0]);
		if (!one.known)
			out.known &= ~half;
		else if (r->element == 8)
			out.known |= half;
		aarch64_lanes_write(s, reg, 16, out);
	}
	aarch64_place_done(r, s, &p);
	return ISA_NEXT;
}

AARCH64_EVALUATOR(vector_access_store_lane)
{
	struct aarch64_place p = aarch64_place(r, s);

	if (!p.known)
		isa_shadow_forget(&s->shadow);
	for (unsigned i = 0; p.known && i < r->registers; i++) {
		if (!store_lane(s, &p, i * r->element, (r->rd + i) % 32u, r->element, r->variant))
			return ISA_UNMODELLED;
	}
	aarch64_place_done(r, s, &p);
	return ISA_NEXT;
}

/* ld1r to ld4r: one element to all lanes */
AARCH64_EVALUATOR(vector_access_load_same)
{
	struct aarch64_place p = aarch64_place(r, s);

	for (unsigned i = 0; i < r->registers; i++) {
		struct aarch64_lanes one = load(s, m, &p, i * r->element, r->element);
		struct aarch64_lanes out = {.known = one.known ? AARCH64_VECTOR_KNOWN : 0};

		for (unsigned lane = 0; lane < 16u / r->element; lane++)
			aarch64_lanes_set(&out, r->element, lane, one.v.u64[0]);
		aarch64_lanes_write(s, (r->rd + i) % 32u, r->size, out);
	}
	aarch64_place_done(r, s, &p);
	return ISA_NEXT;
}
