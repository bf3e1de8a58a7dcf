/* SPDX-License-Identifier: MIT */
/* Broadcasts, permutations, blends, widening and narrowing: elements that change their place. */
#include "isa/x86_64/vector/vector_operands.h"

/* `bytes` of rm, repeated; variant 1: rm is a general register of `element` bytes */
X86_EVALUATOR(vector_broadcast)
{
	struct x86_packed v;

	if (r->variant) {
		struct isa_value from = x86_register(s, r->rm & 15, r->element);

		v.v.u64[0] = from.bits;
		v.known = x86_is_known(from, r->element);
	} else {
		x86_vector_operands_rm(r, s, m, &v);
	}
	if (r->bytes <= 8) {
		x86_vector_operands_repeat(&v, r->bytes);
	} else {
		uint8_t part = v.known & x86_lanes(r->bytes);

		v.known = (uint8_t)(part | part << r->bytes / 8 | part << r->bytes / 4 |
				    part << r->bytes / 8 * 3);
		for (unsigned i = r->bytes; i < r->size; i += r->bytes)
			memcpy(v.v.u8 + i, v.v.u8, r->bytes);
	}
	x86_vector_operands_write(r, s, r->reg, &v);
	return ISA_NEXT;
}

/* pmovsx (variant 1), pmovzx: elements of `bytes * element / size` become `element` wide */
X86_EVALUATOR(vector_widen)
{
	unsigned narrow = r->bytes * r->element / r->size, count = r->size / r->element;
	struct x86_packed from, v = {.known = X86_ALL_LANES};

	x86_vector_operands_rm(r, s, m, &from);
	for (unsigned i = 0; i < count; i++) {
		uint64_t bits = 0;

		memcpy(&bits, from.v.u8 + i * narrow, narrow);
		if (r->variant)
			bits = (uint64_t)x86_sign_extend(bits, narrow);
		memcpy(v.v.u8 + i * r->element, &bits, r->element);
		if (!(from.known >> i * narrow / 8 & 1))
			v.known &= (uint8_t) ~(1u << i * r->element / 8);
	}
	x86_vector_operands_write(r, s, r->reg, &v);
	return ISA_NEXT;
}

/* vpmovqb and its like, truncating only: `element` bytes of reg become `bytes / count` in rm */
X86_EVALUATOR(vector_narrow)
{
	unsigned wide = r->reg2, count = r->size / wide, narrow = r->bytes / count;
	struct x86_packed from, v = {.known = X86_ALL_LANES};
	struct isa_record to = *r;

	x86_vector_read(s, r->reg, &from);
	for (unsigned i = 0; i < count; i++) {
		memcpy(v.v.u8 + i * narrow, from.v.u8 + i * wide, narrow);
		if (!(from.known >> i * wide / 8 & 1))
			v.known &= (uint8_t) ~(1u << i * narrow / 8);
	}
	if (r->rm != X86_MEMORY) {
		to.size = r->bytes < 16 ? 16 : r->bytes;
		x86_vector_operands_write(&to, s, r->rm, &v);
		return ISA_NEXT;
	}
	return x86_vector_operands_store(r, s, &v);
}

static bool all_known(uint8_t known, unsigned bytes)
{
	return (known & x86_lanes(bytes)) == x86_lanes(bytes);
}

/* vpermq, vpermpd: the immediate permutes 8-byte elements within each 32 bytes */
static void permute_immediate(const struct isa_record *r, const struct x86_packed *b,
			      struct x86_packed *v)
{
	for (unsigned i = 0; i < r->size / 8u; i++)
		v->v.u64[i] = b->v.u64[i / 4 * 4 + (r->immediate >> i % 4 * 2 & 3)];
	v->known = all_known(b->known, r->size) ? X86_ALL_LANES : 0;
}

/* Elements of @tables (of one vector, or two: an index bit more) as @index says. */
static void permute_by_index(const struct isa_record *r, const struct x86_packed *index,
			     const struct x86_packed *const tables[2], struct x86_packed *v)
{
	unsigned element = r->element, count = r->size / element;

	if (!all_known(index->known, r->size) || !all_known(tables[0]->known, r->size) ||
	    !all_known(tables[1]->known, r->size))
		return;
	for (unsigned i = 0; i < count; i++) {
		uint64_t at = 0;

		memcpy(&at, index->v.u8 + i * element, element);
		memcpy(v->v.u8 + i * element,
		       tables[(at & count) != 0]->v.u8 + (at & (count - 1)) * element, element);
	}
	v->known = X86_ALL_LANES;
}

/* Permutations across the whole vector. */
X86_EVALUATOR(vector_permute)
{
	struct x86_packed reg, reg2, rm, v = {.known = 0};

	x86_vector_operands_rm(r, s, m, &rm);
	x86_vector_read(s, r->reg, &reg);
	x86_vector_read(s, r->reg2, &reg2);
	switch (r->variant) {
	case X86_PERMUTE_IMMEDIATE:
		permute_immediate(r, &rm, &v);
		break;
	case X86_PERMUTE_INDEX:
		permute_by_index(r, &reg2, (const struct x86_packed *[]){&rm, &rm}, &v);
		break;
	case X86_PERMUTE_TWO:
		permute_by_index(r, &reg, (const struct x86_packed *[]){&reg2, &rm}, &v);
		break;
	case X86_PERMUTE_TWO_OVER:
		permute_by_index(r, &reg2, (const struct x86_packed *[]){&reg, &rm}, &v);
		break;
	}
	x86_vector_operands_write(r, s, r->reg, &v);
	return ISA_NEXT;
}

/* Parts of `element` 16-byte units chosen by the immediate: vperm2i128, vshufi32x4 and its like */
X86_EVALUATOR(vector_permute_parts)
{
	unsigned count = r->size / 16u, bits = count == 2 ? 1 : 2;
	struct x86_packed a, b, v = {.known = 0};

	x86_vector_operands_rm(r, s, m, &b);
	x86_vector_read(s, r->reg2, &a);
	for (unsigned i = 0; i < count; i++) {
		unsigned choice = (unsigned)r->immediate >> i * bits & ((1u << bits) - 1);
		const struct x86_packed *from = i < count / 2 ? &a : &b;

		if (r->variant == X86_PARTS_ANY) { /* vperm2i128: 4 bits each, bit 3 zeroes */
			choice = (unsigned)r->immediate >> i * 4 & 0xf;
			from = choice & 2 ? &b : &a;
			if (choice & 8) {
				memset(v.v.u8 + i * 16, 0, 16);
				v.known |= (uint8_t)(3u << i * 2);
				continue;
			}
			choice &= 1;
		}
		memcpy(v.v.u8 + i * 16, from->v.u8 + choice * 16, 16);
		v.known |= (uint8_t)((from->known >> choice * 2 & 3) << i * 2);
	}
	x86_vector_operands_write(r, s, r->reg, &v);
	return ISA_NEXT;
}

/* vextracti128 and its like: `bytes` of reg, part `immediate`, to rm */
X86_EVALUATOR(vector_extract_part)
{
	unsigned part = (unsigned)r->immediate & (r->size / r->bytes - 1u);
	struct isa_record to = *r;
	struct x86_packed v;

	x86_vector_read(s, r->reg, &v);
	memmove(v.v.u8, v.v.u8 + part * r->bytes, r->bytes);
	v.known >>= part * r->bytes / 8;
	if (r->rm != X86_MEMORY) {
		to.size = r->bytes;
		x86_vector_operands_write(&to, s, r->rm, &v);
		return ISA_NEXT;
	}
	return x86_vector_operands_store(r, s, &v);
}

/* vinserti128 and its like: `bytes` of rm into a copy of reg2 */
X86_EVALUATOR(vector_insert_part)
{
	unsigned part = (unsigned)r->immediate & (r->size / r->bytes - 1u);
	unsigned lane = part * r->bytes / 8;
	uint8_t lanes = (uint8_t)(x86_lanes(r->bytes) << lane);
	struct x86_packed v, from;

	x86_vector_operands_rm(r, s, m, &from);
	x86_vector_read(s, r->reg2, &v);
	memcpy(v.v.u8 + part * r->bytes, from.v.u8, r->bytes);
	v.known = (uint8_t)((v.known & ~lanes) | (from.known << lane & lanes));
	x86_vector_operands_write(r, s, r->reg, &v);
	return ISA_NEXT;
}

/*
 * pblendvb, blendvps, blendvpd: elements of rm where the top bit of the selector's element is set,
 * else of reg2. The selector is xmm0, or with X86_IMMEDIATE named by the immediate's high half.
 */
X86_EVALUATOR(vector_blend)
{
	unsigned selector = r->attributes & X86_IMMEDIATE ? r->immediate >> 4 & 15 : 0;
	struct x86_packed v, b, by;

	x86_vector_operands_rm(r, s, m, &b);
	x86_vector_read(s, r->reg2, &v);
	x86_vector_read(s, selector, &by);
	for (unsigned i = 0; i < r->size; i += r->element) {
		if (by.v.u8[i + r->element - 1] & 0x80)
			memcpy(v.v.u8 + i, b.v.u8 + i, r->element);
	}
	v.known &= b.known & by.known;
	x86_vector_operands_write(r, s, r->reg, &v);
	return ISA_NEXT;
}

/* vpblendm, and vpermi of one's own: rm where the opmask is set, else reg2 (or zero) */
X86_EVALUATOR(vector_blend_opmask)
{
	struct isa_record all = *r;
	struct x86_packed v, b;

	x86_vector_operands_rm(r, s, m, &b);
	x86_vector_read(s, r->reg2, &v);
	for (unsigned i = 0; r->mask && i < r->size / r->element; i++) {
		unsigned at = i * r->element;
		uint8_t lane = (uint8_t)(1u << at / 8);

		if (!(s->opmask_known[r->mask] >> i & 1))
			b.known &= (uint8_t)~lane;
		if (s->opmask[r->mask] >> i & 1)
			continue;
		if (r->attributes & X86_ZEROING) {
			memset(b.v.u8 + at, 0, r->element);
			continue;
		}
		memcpy(b.v.u8 + at, v.v.u8 + at, r->element);
		if (!(v.known & lane))
			b.known &= (uint8_t)~lane;
	}
	all.mask = 0;
	x86_vector_operands_write(&all, s, r->reg, &b);
	return ISA_NEXT;
}

static uint64_t ternary(uint64_t a, uint64_t b, uint64_t c, unsigned table)
{
	uint64_t out = 0;

	for (unsigned i = 0; i < 8; i++) {
		if (table >> i & 1)
			out |= (i & 4 ? a : ~a) & (i & 2 ? b : ~b) & (i & 1 ? c : ~c);
	}
	return out;
}

/* vpternlog: any function of reg, reg2 and rm, as a table in the immediate */
X86_EVALUATOR(vector_ternary)
{
	unsigned table = r->immediate & 0xff;
	struct x86_packed a, b, c, v = {.known = X86_ALL_LANES};

	x86_vector_operands_rm(r, s, m, &c);
	x86_vector_read(s, r->reg, &a);
	x86_vector_read(s, r->reg2, &b);
	for (unsigned i = 0; i < r->size / 8u; i++)
		v.v.u64[i] = ternary(a.v.u64[i], b.v.u64[i], c.v.u64[i], table);
	/* operands that the table does not look at need not be known */
	if ((table >> 4 ^ table) & 0x0f)
		v.known &= a.known;
	if ((table >> 2 ^ table) & 0x33)
		v.known &= b.known;
	if ((table >> 1 ^ table) & 0x55)
		v.known &= c.known;
	x86_vector_operands_write(r, s, r->reg, &v);
	return ISA_NEXT;
}

/* valignd, valignq: reg2 above rm, shifted right by elements */
X86_EVALUATOR(vector_align)
{
	unsigned count = r->size / r->element, shift = (unsigned)r->immediate & (count - 1);
	struct x86_packed a, b, v = {.known = X86_ALL_LANES};

	x86_vector_operands_rm(r, s, m, &b);
	x86_vector_read(s, r->reg2, &a);
	for (unsigned i = 0; i < count; i++) {
		unsigned from = i + shift;
		const struct x86_packed *source = from < count ? &b : &a;

		from %= count;
		memcpy(v.v.u8 + i * r->element, source->v.u8 + from * r->element, r->element);
		if (!(source->known >> from * r->element / 8 & 1))
			v.known &= (uint8_t) ~(1u << i * r->element / 8);
	}
	x86_vector_operands_write(r, s, r->reg, &v);
	return ISA_NEXT;
}
