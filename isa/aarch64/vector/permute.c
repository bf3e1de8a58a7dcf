/* SPDX-License-Identifier: MIT */
/* Lanes that go elsewhere: Arm ARM, C7.2 (DUP, INS, UMOV, EXT, ZIP, UZP, TRN, TBL, REV). */
#include "isa/aarch64/vector/lanes.h"

static unsigned half_of(const struct isa_record *r, unsigned lane)
{
	return lane * r->element / 8;
}

static void fill(const struct isa_record *r, struct isa_state *s, uint64_t lane, bool known)
{
	struct aarch64_lanes out = {.known = known ? AARCH64_VECTOR_KNOWN : 0};

	for (unsigned i = 0; i < 16u / r->element; i++)
		aarch64_lanes_set(&out, r->element, i, lane);
	aarch64_lanes_write(s, r->rd, r->attributes & AARCH64_SCALAR ? r->element : r->size, out);
}

/* dup of the lane r->shift */
AARCH64_EVALUATOR(permute_duplicate)
{
	struct aarch64_lanes a = aarch64_lanes_of(s, r->rn);

	fill(r, s, aarch64_lanes_get(&a, r->element, r->shift),
	     a.known >> half_of(r, r->shift) & 1);
	return ISA_NEXT;
}

/* dup of a general register */
AARCH64_EVALUATOR(permute_duplicate_general)
{
	struct isa_value v = {s->gpr[r->rn], s->gpr_known[r->rn]};

	v = aarch64_cut(v, r->element);
	fill(r, s, v.bits, aarch64_is_known(v));
	return ISA_NEXT;
}

static void insert(const struct isa_record *r, struct isa_state *s, uint64_t lane, bool known)
{
	struct aarch64_lanes to = aarch64_lanes_of(s, r->rd);
	unsigned half = half_of(r, r->shift);

	aarch64_lanes_set(&to, r->element, r->shift, lane);
	if (!known)
		to.known &= ~(1u << half);
	else if (r->element == 8)
		to.known |= 1u << half;
	aarch64_lanes_write(s, r->rd, 16, to);
}

/* ins: the lane r->immediate to r->shift */
AARCH64_EVALUATOR(permute_insert)
{
	struct aarch64_lanes a = aarch64_lanes_of(s, r->rn);
	unsigned from = (unsigned)r->immediate;

	insert(r, s, aarch64_lanes_get(&a, r->element, from), a.known >> half_of(r, from) & 1);
	return ISA_NEXT;
}

AARCH64_EVALUATOR(permute_insert_general)
{
	struct isa_value v = {s->gpr[r->rn], s->gpr_known[r->rn]};

	v = aarch64_cut(v, r->element);
	insert(r, s, v.bits, aarch64_is_known(v));
	return ISA_NEXT;
}

/* umov, smov; fmov to a general register */
AARCH64_EVALUATOR(permute_extract)
{
	struct aarch64_lanes a = aarch64_lanes_of(s, r->rn);
	struct isa_value v = ISA_UNKNOWN;

	if (a.known >> half_of(r, r->shift) & 1) {
		v = aarch64_known(aarch64_lanes_get(&a, r->element, r->shift));
		if (r->attributes & AARCH64_SIGNED)
			v = aarch64_extend_sign(v, r->element);
	}
	aarch64_register_set(s, r->rd, r->size, v);
	return ISA_NEXT;
}

/* ext: from byte r->shift of rn on, then rm */
AARCH64_EVALUATOR(permute_window)
{
	struct aarch64_lanes a = aarch64_lanes_of(s, r->rn), b = aarch64_lanes_of(s, r->rm);
	unsigned needed = aarch64_lanes_halves(r->size);
	struct aarch64_lanes out = {.known = aarch64_lanes_all_or_none(a.known & b.known, needed)};

	for (unsigned i = 0; i < r->size; i++) {
		unsigned at = i + r->shift;

		out.v.u8[i] = at < r->size ? a.v.u8[at] : b.v.u8[at - r->size];
	}
	aarch64_lanes_write(s, r->rd, r->size, out);
	return ISA_NEXT;
}

/* The lane of rn and rm, one behind the other, that goes to lane @i of @count. */
static unsigned source_of(unsigned variant, unsigned i, unsigned count)
{
	unsigned part = variant >> 2, side = i & 1;

	switch (variant & 3) {
	case 1: /* uzp: every second one */
		return 2 * i + part;
	case 2: /* trn: pairs */
		return i - side + part + side * count;
	default: /* zip: in turn */
		return i / 2 + part * (count / 2) + side * count;
	}
}

/* uzp1, trn1, zip1, uzp2, trn2, zip2: the encoding's number is the variant */
AARCH64_EVALUATOR(permute_mix)
{
	struct aarch64_lanes source[2] = {aarch64_lanes_of(s, r->rn), aarch64_lanes_of(s, r->rm)};
	unsigned count = r->size / r->element, needed = aarch64_lanes_halves(r->size);
	struct aarch64_lanes out = {
		.known = aarch64_lanes_all_or_none(source[0].known & source[1].known, needed),
	};

	for (unsigned i = 0; i < count; i++) {
		unsigned at = source_of(r->variant, i, count);

		aarch64_lanes_set(&out, r->element, i,
				  aarch64_lanes_get(&source[at / count], r->element, at % count));
	}
	aarch64_lanes_write(s, r->rd, r->size, out);
	return ISA_NEXT;
}

/* tbl, tbx (variant 1: what is not in the table stays) of r->registers */
AARCH64_EVALUATOR(permute_table)
{
	struct aarch64_lanes at = aarch64_lanes_of(s, r->rm), old = aarch64_lanes_of(s, r->rd);
	struct aarch64_lanes out = {.known = 0};
	unsigned known = at.known & (r->variant ? old.known : 3u);

	for (unsigned i = 0; i < r->registers; i++)
		known &= aarch64_lanes_all_or_none(s->vector_known[(r->rn + i) % 32], 3);
	out.known = known;
	for (unsigned i = 0; i < r->size; i++) {
		unsigned index = at.v.u8[i];

		if (index < 16u * r->registers)
			out.v.u8[i] = s->vector[(r->rn + index / 16) % 32].u8[index % 16];
		else if (r->variant)
			out.v.u8[i] = old.v.u8[i];
	}
	aarch64_lanes_write(s, r->rd, r->size, out);
	return ISA_NEXT;
}

/* rev16, rev32, rev64: lanes in reverse within r->bytes */
AARCH64_EVALUATOR(permute_reverse)
{
	struct aarch64_lanes a = aarch64_lanes_of(s, r->rn), out = {.known = a.known};
	unsigned within = r->bytes / r->element;

	for (unsigned i = 0; i < r->size / r->element; i++)
		aarch64_lanes_set(&out, r->element, i,
				  aarch64_lanes_get(&a, r->element,
						    i - i % within + (within - 1 - i % within)));
	aarch64_lanes_write(s, r->rd, r->size, out);
	return ISA_NEXT;
}
