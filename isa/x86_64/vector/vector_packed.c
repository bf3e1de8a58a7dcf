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
			s->cause = X86_CAUSE_TRAP;
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

/* ---- 16 bytes and less, without a mask ----------------------------------------------------- */

/*
 * The commonest vector instructions of 16 bytes and less, without a mask: moves and arithmetic, of
 * single numbers mostly. What vector_move.c and the functions above do for all sizes, on the low 16
 * bytes alone. record.c chooses them.
 */

/* 16 bytes on their way, and a bit for each known 8. */
struct low {
	union x86_chunk v;
	uint8_t known;
};

#define BOTH 3u

static inline void read_register(const struct isa_state *s, unsigned reg, struct low *out)
{
	memcpy(&out->v, &s->vector[reg], sizeof(out->v));
	out->known = s->vector_known[reg] & BOTH;
}

/* 4, 8 or 16 bytes, zero behind them. */
static inline void read_memory(const struct isa_record *r, struct isa_state *s,
			       const struct isa_memory *m, struct low *out)
{
	unsigned part = r->bytes < 8 ? r->bytes : 8;
	struct isa_value v = X86_UNKNOWN, upper = {0, UINT64_MAX};
	uint64_t address;

	if (r->bytes == 16)
		upper = X86_UNKNOWN;
	if (x86_address(r, s, &address)) {
		v = x86_load(s, m, address, part);
		if (r->bytes == 16)
			upper = x86_load(s, m, address + 8, 8);
	}
	out->v.u64[0] = v.bits;
	out->v.u64[1] = upper.bits;
	out->known = (uint8_t)(x86_is_known(v, part) | x86_is_known(upper, 8) << 1);
}

static inline void write_register(const struct isa_record *r, struct isa_state *s, struct low *v)
{
	union x86_vector *to = &s->vector[r->reg];

	if (v->known != BOTH) {
		v->v.u64[0] = v->known & 1 ? v->v.u64[0] : 0;
		v->v.u64[1] = v->known & 2 ? v->v.u64[1] : 0;
	}
	memcpy(to, &v->v, sizeof(v->v));
	if (r->attributes & X86_KEEP_UPPER) {
		s->vector_known[r->reg] = (uint8_t)((s->vector_known[r->reg] & ~BOTH) | v->known);
		return;
	}
	memset(to->u8 + 16, 0, sizeof(*to) - 16);
	s->vector_known[r->reg] = (uint8_t)(v->known | ~BOTH);
}

X86_EVALUATOR(vector_low_move)
{
	struct low v;

	if (r->rm == X86_MEMORY) {
		read_memory(r, s, m, &v);
	} else {
		read_register(s, r->rm, &v);
		if (r->bytes == 8) { /* movq */
			v.v.u64[1] = 0;
			v.known |= 2;
		}
	}
	write_register(r, s, &v);
	return ISA_NEXT;
}

X86_EVALUATOR(vector_low_store)
{
	unsigned part = r->bytes < 8 ? r->bytes : 8;
	struct isa_value parts[2] = {X86_UNKNOWN, X86_UNKNOWN};
	uint64_t address;
	struct low v;

	read_register(s, r->reg, &v);
	if (!x86_address(r, s, &address)) {
		isa_shadow_forget(&s->shadow);
		return ISA_NEXT;
	}
	for (unsigned i = 0; i < 2; i++)
		if (v.known >> i & 1)
			parts[i] = x86_known(v.v.u64[i], part);
	if (!x86_store(s, address, part, parts[0]) ||
	    (r->bytes == 16 && !x86_store(s, address + 8, 8, parts[1])))
		return ISA_UNMODELLED;
	return ISA_NEXT;
}

static uint8_t low_result_known(unsigned shape, uint8_t a, uint8_t b)
{
	switch (shape & X86_SHAPE) {
	case X86_LANE:
		return a & b;
	case X86_CHUNK:
		return (a & b) == BOTH ? BOTH : 0;
	case X86_LANE_B:
		return b;
	case X86_CHUNK_B:
		return b == BOTH ? BOTH : 0;
	case X86_COUNT:
		return b & 1 ? a : 0;
	case X86_SCALAR:
		return (a & b & 1) | (a & 2);
	case X86_SCALAR_B:
		return (b & 1) | (a & 2);
	}
	return 0;
}

X86_EVALUATOR(vector_low_packed)
{
	const struct x86_kernel *k = &x86_kernel_table[r->variant];
	struct low a, b, d;

	if ((k->shape & (X86_SELF_ZERO | X86_SELF_ONES) && r->rm == r->reg2) ||
	    (k->shape & X86_FLOAT && !x86_vector_operands_rounds_by_default(s)))
		return x86_vector_packed(r, s, m);
	if (r->rm == X86_MEMORY)
		read_memory(r, s, m, &b);
	else
		read_register(s, r->rm, &b);
	read_register(s, r->reg2, &a);
	k->compute(&d.v, &a.v, &b.v, (unsigned)r->immediate & 0xffff);
	d.known = low_result_known(k->shape, a.known, b.known);
	if (k->shape & X86_FLOAT)
		x86_mxcsr_raise(s);
	write_register(r, s, &d);
	return ISA_NEXT;
}
