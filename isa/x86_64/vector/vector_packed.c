/* SPDX-License-Identifier: MIT */
/* Packed and scalar arithmetic: a kernel on each 16 bytes. `variant` is the kernel. */
#include "isa/x86_64/vector/kernel.h"
#include "isa/x86_64/vector/vector_operands.h"

static uint8_t each_chunk(uint8_t known)
{
	uint8_t both = known & known >> 1 & 0x55;

	return both | (uint8_t)(both << 1);
}

static uint8_t result_known(unsigned shape, uint8_t a, uint8_t b)
{
	switch (shape & X86_SHAPE) {
	case X86_LANE:
		return a & b;
	case X86_CHUNK:
		return each_chunk(a) & each_chunk(b);
	case X86_LANE_B:
		return b;
	case X86_CHUNK_B:
		return each_chunk(b);
	case X86_COUNT:
		return b & 1 ? a : 0;
	case X86_SCALAR:
		return (a & b & 1) | (a & ~1);
	case X86_SCALAR_B:
		return (b & 1) | (a & ~1);
	}
	return 0;
}

static void compute(const struct isa_record *r, const struct x86_kernel *k, struct x86_packed *d,
		    const struct x86_packed *a, const struct x86_packed *b)
{
	bool count = (k->shape & X86_SHAPE) == X86_COUNT;

	for (unsigned i = 0; i < r->size; i += 16)
		k->compute((union x86_chunk *)(d->v.u8 + i), (const union x86_chunk *)(a->v.u8 + i),
			   (const union x86_chunk *)(b->v.u8 + (count ? 0 : i)),
			   (unsigned)(r->immediate >> i) & 0xffff);
}

/* x ^ x and its like: known whatever x is */
static bool is_self(const struct isa_record *r, const struct x86_kernel *k)
{
	return r->rm == r->reg2 && (k->shape & (X86_SELF_ZERO | X86_SELF_ONES));
}

static bool operate(const struct isa_record *r, struct isa_state *s, const struct isa_memory *m,
		    struct x86_packed *d)
{
	const struct x86_kernel *k = &x86_kernel_table[r->variant];
	struct x86_packed a, b;

	if (is_self(r, k)) {
		memset(&d->v, k->shape & X86_SELF_ONES ? 0xff : 0, sizeof(d->v));
		d->known = X86_ALL_LANES;
		return true;
	}
	x86_vector_operands_rm(r, s, m, &b);
	x86_vector_read(s, r->reg2, &a);
	d->known = result_known(k->shape, a.known, b.known);
	if (k->shape & X86_FLOAT) {
		uint32_t saved;

		if (!x86_vector_operands_float_begin(s, &saved)) {
			d->known = 0;
			return true;
		}
		compute(r, k, d, &a, &b);
		if (!x86_vector_operands_float_end(s, saved)) {
			s->cause = ISA_CAUSE_TRAP;
			return false;
		}
		return true;
	}
	compute(r, k, d, &a, &b);
	return true;
}

X86_EVALUATOR(vector_packed)
{
	struct x86_packed d;

	if (!operate(r, s, m, &d))
		return ISA_UNMODELLED;
	x86_vector_operands_write(r, s, r->reg, &d);
	return ISA_NEXT;
}

/* Shifts by an immediate: the result goes to reg2, from rm. */
X86_EVALUATOR(vector_packed_shift)
{
	struct x86_packed d;

	if (!operate(r, s, m, &d))
		return ISA_UNMODELLED;
	x86_vector_operands_write(r, s, r->reg2, &d);
	return ISA_NEXT;
}

static unsigned chunk_top_bits(__m128i v, unsigned element)
{
	switch (element) {
	case 1:
		return (unsigned)_mm_movemask_epi8(v);
	case 2:
		return (unsigned)_mm_movemask_epi8(_mm_packs_epi16(v, _mm_setzero_si128()));
	case 4:
		return (unsigned)_mm_movemask_ps(_mm_castsi128_ps(v));
	default:
		return (unsigned)_mm_movemask_pd(_mm_castsi128_pd(v));
	}
}

static uint64_t top_bits(const union x86_vector *v, unsigned element, unsigned size)
{
	uint64_t bits = 0;

	for (unsigned i = 0; i < size; i += 16)
		bits |= (uint64_t)chunk_top_bits(_mm_load_si128((const __m128i *)(v->u8 + i)),
						 element)
			<< i / element;
	return bits;
}

/* The top bits of all elements; each is known if its lane is. */
static struct isa_value gather_top_bits(const struct x86_packed *v, unsigned element, unsigned size)
{
	struct isa_value out = {top_bits(&v->v, element, size), 0};
	unsigned each = element < 8 ? 8 / element : 1;

	for (unsigned lane = 0; lane < (size + 7) / 8; lane++) {
		if (v->known >> lane & 1)
			out.known |= ((UINT64_C(1) << each) - 1) << lane * each;
	}
	out.bits &= out.known;
	return out;
}

/* EVEX comparisons: an element's result is a bit of opmask reg, zero if it is masked out. */
X86_EVALUATOR(vector_packed_to_opmask)
{
	unsigned bits = r->size / r->element;
	uint64_t all = bits >= 64 ? UINT64_MAX : (UINT64_C(1) << bits) - 1;
	struct x86_packed d;
	struct isa_value out;

	if (!operate(r, s, m, &d))
		return ISA_UNMODELLED;
	out = gather_top_bits(&d, r->element, r->size);
	if (r->mask) {
		uint64_t mask = s->opmask[r->mask], mask_known = s->opmask_known[r->mask];

		out.known = (out.known & mask_known) | (~out.bits & out.known) |
			    (~mask & mask_known);
		out.bits &= mask & out.known;
	}
	s->opmask[r->reg & 7] = out.bits & all;
	s->opmask_known[r->reg & 7] = out.known | ~all;
	return ISA_NEXT;
}

/* pmovmskb, movmskps, movmskpd */
X86_EVALUATOR(vector_move_mask)
{
	struct x86_packed v;
	struct isa_value out;
	unsigned bits = r->size / r->element;

	x86_vector_read(s, r->rm & 31, &v);
	out = gather_top_bits(&v, r->element, r->size);
	if (bits < 64)
		out.known |= ~((UINT64_C(1) << bits) - 1);
	x86_register_set(s, r->reg & 15, 8, out);
	return ISA_NEXT;
}
