/* SPDX-License-Identifier: MIT */
/* Vectors computed lane by lane, and folded: Arm ARM, C7.2. */
#include "isa/aarch64/vector/lanes.h"

static unsigned count_of(const struct isa_record *r)
{
	return r->attributes & AARCH64_SCALAR ? 1 : r->size / r->element;
}

static unsigned written_bytes(const struct isa_record *r)
{
	return r->attributes & AARCH64_SCALAR ? r->element : r->size;
}

static bool needs_old(unsigned kernel)
{
	switch (kernel) {
	case AARCH64_VECTOR_BSL ... AARCH64_VECTOR_BIF:
	case AARCH64_VECTOR_MLA:
	case AARCH64_VECTOR_MLS:
	case AARCH64_VECTOR_SABA:
	case AARCH64_VECTOR_UABA:
	case AARCH64_VECTOR_SSRA:
	case AARCH64_VECTOR_USRA:
	case AARCH64_VECTOR_SLI:
	case AARCH64_VECTOR_SRI:
		return true;
	}
	return false;
}

static enum isa_outcome each(const struct isa_record *r, struct isa_state *s,
			     const struct aarch64_lanes *b)
{
	struct aarch64_lanes a = aarch64_lanes_of(s, r->rn), old = aarch64_lanes_of(s, r->rd);
	struct aarch64_lanes out = {.known = a.known & b->known};

	if (needs_old(r->variant))
		out.known &= old.known;
	for (unsigned i = 0; i < count_of(r); i++)
		aarch64_lanes_set(&out, r->element, i,
				  aarch64_kernel_lane(
					  r->variant, aarch64_lanes_get(&a, r->element, i),
					  aarch64_lanes_get(b, r->element, i),
					  aarch64_lanes_get(&old, r->element, i), r->element * 8u));
	aarch64_lanes_write(s, r->rd, written_bytes(r), out);
	return ISA_NEXT;
}

AARCH64_EVALUATOR(lanes_each)
{
	struct aarch64_lanes b = aarch64_lanes_of(s, r->rm);

	if (r->rm == r->rn && r->variant == AARCH64_VECTOR_EOR) { /* how zero is made */
		b.known = AARCH64_VECTOR_KNOWN;
		b.v = (union aarch64_vector){{0}};
		aarch64_lanes_write(s, r->rd, r->size, b);
		return ISA_NEXT;
	}
	return each(r, s, &b);
}

/* With a constant in each lane: comparisons with zero, shifts. */
AARCH64_EVALUATOR(lanes_each_constant)
{
	struct aarch64_lanes b = {.known = AARCH64_VECTOR_KNOWN};

	for (unsigned i = 0; i < 16u / r->element; i++)
		aarch64_lanes_set(&b, r->element, i, r->immediate);
	return each(r, s, &b);
}

/* addp and the like: of the lanes of rn, then those of rm, two at a time */
AARCH64_EVALUATOR(lanes_pairwise)
{
	struct aarch64_lanes source[2] = {aarch64_lanes_of(s, r->rn), aarch64_lanes_of(s, r->rm)};
	unsigned needed = aarch64_lanes_halves(r->size), count = r->size / r->element;
	struct aarch64_lanes out = {
		.known = aarch64_lanes_all_or_none(source[0].known & source[1].known, needed),
	};

	for (unsigned i = 0; i < count; i++) {
		const struct aarch64_lanes *from = &source[i * 2 / count];
		unsigned at = i * 2 % count;

		aarch64_lanes_set(&out, r->element, i,
				  aarch64_kernel_lane(r->variant,
						      aarch64_lanes_get(from, r->element, at),
						      aarch64_lanes_get(from, r->element, at + 1),
						      0, r->element * 8u));
	}
	aarch64_lanes_write(s, r->rd, r->size, out);
	return ISA_NEXT;
}

static uint64_t lane_of(const struct isa_record *r, const struct aarch64_lanes *l, unsigned i)
{
	uint64_t lane = aarch64_lanes_get(l, r->element, i);

	return r->attributes & AARCH64_SIGNED ? aarch64_sign_extend(lane, r->element * 8u) : lane;
}

/* addv, umaxv and so on: of all lanes one; uaddlv has twice the width (r->bytes) */
AARCH64_EVALUATOR(lanes_across)
{
	struct aarch64_lanes a = aarch64_lanes_of(s, r->rn);
	struct aarch64_lanes out = {
		.known = aarch64_lanes_all_or_none(a.known, aarch64_lanes_halves(r->size)),
	};
	uint64_t folded = lane_of(r, &a, 0), mask = isa_mask(r->bytes);

	for (unsigned i = 1; i < r->size / r->element; i++)
		folded = aarch64_kernel_lane(r->variant, folded & mask, lane_of(r, &a, i) & mask, 0,
					     r->bytes * 8u);
	out.v.u64[0] = folded;
	aarch64_lanes_write(s, r->rd, r->bytes, out);
	return ISA_NEXT;
}

/* uaddlp, uadalp: neighbours are added to lanes of twice the width; variant 1 adds to rd */
AARCH64_EVALUATOR(lanes_add_long_pairs)
{
	struct aarch64_lanes a = aarch64_lanes_of(s, r->rn), old = aarch64_lanes_of(s, r->rd);
	struct aarch64_lanes out = {.known = a.known & (r->variant ? old.known : 3)};
	unsigned wide = r->element * 2u;

	for (unsigned i = 0; i < r->size / wide; i++) {
		uint64_t sum = lane_of(r, &a, 2 * i) + lane_of(r, &a, 2 * i + 1);

		if (r->variant)
			sum += aarch64_lanes_get(&old, wide, i);
		aarch64_lanes_set(&out, wide, i, sum);
	}
	aarch64_lanes_write(s, r->rd, r->size, out);
	return ISA_NEXT;
}

/*
 * Lanes of twice the width become narrow: shrn, xtn, addhn, subhn. r->size 16: they go to the upper
 * half of rd, and the lower one stays (the forms named -2).
 */
static void write_narrow(const struct isa_record *r, struct isa_state *s, struct aarch64_lanes out)
{
	struct aarch64_lanes to = aarch64_lanes_of(s, r->rd);

	if (r->size == 8) {
		aarch64_lanes_write(s, r->rd, 8, out);
		return;
	}
	to.v.u64[1] = out.v.u64[0];
	to.known = (to.known & 1) | (out.known & 1) << 1;
	aarch64_lanes_write(s, r->rd, 16, to);
}

/* r->shift: the distance; r->immediate: what rounds */
AARCH64_EVALUATOR(lanes_narrow)
{
	struct aarch64_lanes a = aarch64_lanes_of(s, r->rn);
	struct aarch64_lanes out = {.known = aarch64_lanes_all_or_none(a.known, 3)};

	for (unsigned i = 0; i < 8u / r->element; i++) {
		uint64_t wide = aarch64_lanes_get(&a, r->element * 2u, i);

		/* as if it had one more bit */
		wide = r->immediate ? (wide >> (r->shift - 1)) / 2 + (wide >> (r->shift - 1) & 1)
				    : wide >> r->shift;
		aarch64_lanes_set(&out, r->element, i, wide);
	}
	write_narrow(r, s, out);
	return ISA_NEXT;
}

/* addhn, subhn: the high halves of sums; r->immediate rounds */
AARCH64_EVALUATOR(lanes_add_narrow)
{
	struct aarch64_lanes a = aarch64_lanes_of(s, r->rn), b = aarch64_lanes_of(s, r->rm);
	struct aarch64_lanes out = {.known = aarch64_lanes_all_or_none(a.known & b.known, 3)};
	unsigned wide = r->element * 2u;

	for (unsigned i = 0; i < 8u / r->element; i++) {
		uint64_t x = aarch64_lanes_get(&a, wide, i), y = aarch64_lanes_get(&b, wide, i);
		uint64_t sum = r->attributes & AARCH64_SUBTRACTS ? x - y : x + y;

		aarch64_lanes_set(&out, r->element, i, (sum + r->immediate) >> r->element * 8);
	}
	write_narrow(r, s, out);
	return ISA_NEXT;
}

/* One half of a register's lanes at twice the width; r->size 16: the upper half. */
static struct aarch64_lanes widened(const struct isa_record *r, const struct isa_state *s,
				    unsigned reg)
{
	struct aarch64_lanes a = aarch64_lanes_of(s, reg), out = {.known = 0};
	unsigned half = r->size == 16, count = 8u / r->element;

	out.known = aarch64_lanes_all_or_none(a.known, 1u << half);
	for (unsigned i = 0; i < count; i++)
		aarch64_lanes_set(&out, r->element * 2u, i, lane_of(r, &a, half * count + i));
	return out;
}

/* ushll, uaddl, umull and so on; saddw: variant's first operand is wide already (r->registers 1);
 * of a constant (r->registers 2): shll */
AARCH64_EVALUATOR(lanes_widen)
{
	struct aarch64_lanes a = r->registers == 1 ? aarch64_lanes_of(s, r->rn)
						   : widened(r, s, r->rn);
	struct aarch64_lanes b = {.known = AARCH64_VECTOR_KNOWN}, old = aarch64_lanes_of(s, r->rd);
	struct aarch64_lanes out = {.known = 0};
	unsigned wide = r->element * 2u;

	if (r->registers != 2)
		b = widened(r, s, r->rm);
	out.known = a.known & b.known & (needs_old(r->variant) ? old.known : 3u);
	for (unsigned i = 0; i < 16 / wide; i++)
		aarch64_lanes_set(&out, wide, i,
				  aarch64_kernel_lane(r->variant, aarch64_lanes_get(&a, wide, i),
						      r->registers == 2
							      ? r->shift
							      : aarch64_lanes_get(&b, wide, i),
						      aarch64_lanes_get(&old, wide, i), wide * 8));
	aarch64_lanes_write(s, r->rd, 16, out);
	return ISA_NEXT;
}

/* movi, mvni, fmov; variant 1: orr, 2: bic, which keep the other bits */
AARCH64_EVALUATOR(lanes_constant)
{
	struct aarch64_lanes out = {.known = AARCH64_VECTOR_KNOWN};

	if (r->variant)
		out = aarch64_lanes_of(s, r->rd);
	for (unsigned half = 0; half < 2; half++)
		out.v.u64[half] = r->variant == 0   ? r->immediate
				  : r->variant == 1 ? out.v.u64[half] | r->immediate
						    : out.v.u64[half] & ~r->immediate;
	aarch64_lanes_write(s, r->rd, r->size, out);
	return ISA_NEXT;
}

/* rd is not computed */
AARCH64_EVALUATOR(lanes_forget)
{
	const struct aarch64_lanes none = {.known = 0};

	aarch64_unmodelled(s);
	aarch64_lanes_write(s, r->rd, 16, none);
	return ISA_NEXT;
}
