/* SPDX-License-Identifier: MIT */
/*
 * Scalable vectors (SVE), as far as glibc's memcpy and simple loops over memory use them: Arm ARM,
 * C8.2. The low 16 bytes of a vector are those of the vector registers; the others are not known.
 */
#include "isa/aarch64/operand.h"
#include "isa/aarch64/vector/lanes.h"

#define PATTERN_VL16 9u
#define PATTERN_MUL4 29u
#define PATTERN_MUL3 30u
#define PATTERN_ALL  31u

/* of a predicate, for one half of 8 bytes: a bit for the lowest byte of each element */
static const uint8_t bits_of_elements[] = {[1] = 0xff, [2] = 0x55, [4] = 0x11, [8] = 0x01};

static bool length_is_known(const struct isa_state *s)
{
	return s->sve_bytes && s->sve_bytes <= sizeof(s->predicate[0]) * 8;
}

/* Arm ARM, DecodePredCount */
static unsigned count_of(unsigned pattern, unsigned elements)
{
	unsigned wanted = pattern < PATTERN_VL16 ? pattern : 16u << (pattern - PATTERN_VL16);

	switch (pattern) {
	case 0:
		return 1u << (31 - __builtin_clz(elements));
	case 1 ... 13:
		return wanted <= elements ? wanted : 0;
	case PATTERN_MUL4:
		return elements - elements % 4;
	case PATTERN_MUL3:
		return elements - elements % 3;
	case PATTERN_ALL:
		return elements;
	}
	return 0;
}

/* cnt, inc, dec, rdvl, addvl, addpl */
AARCH64_EVALUATOR(scalable_add_count)
{
	struct isa_value v = {s->gpr[r->rn], s->gpr_known[r->rn]};

	if (length_is_known(s))
		v = aarch64_sum(v,
				aarch64_known(count_of(r->variant, s->sve_bytes / r->element) *
					      r->immediate),
				aarch64_known(0));
	else
		v = ISA_UNKNOWN;
	aarch64_register_set(s, r->rd, 8, v);
	return ISA_NEXT;
}

/* The first @count elements are active. */
static void write_predicate(const struct isa_record *r, struct isa_state *s, unsigned count)
{
	uint64_t *words = s->predicate[r->rd];

	memset(words, 0, sizeof(s->predicate[0]));
	for (unsigned at = 0; at < count * r->element; at += r->element)
		words[at / 64] |= UINT64_C(1) << at % 64;
	s->predicate_known |= (uint16_t)(1u << r->rd);
}

/* Arm ARM, PredTest: is the first one active, none, and the last of @of not? */
static void test_predicate(struct isa_state *s, unsigned count, unsigned of)
{
	aarch64_flags_set(s,
			  (count ? AARCH64_N : AARCH64_Z) | (count && count == of ? 0 : AARCH64_C),
			  AARCH64_NZCV);
}

static void forget_predicate(const struct isa_record *r, struct isa_state *s)
{
	s->predicate_known &= (uint16_t) ~(1u << r->rd);
	if (r->attributes & AARCH64_SETS_FLAGS)
		aarch64_flags_set(s, 0, 0);
}

/* ptrue, ptrues, pfalse */
AARCH64_EVALUATOR(scalable_true)
{
	unsigned count;

	if (!length_is_known(s)) {
		forget_predicate(r, s);
		return ISA_NEXT;
	}
	count = count_of(r->variant, s->sve_bytes / r->element);
	write_predicate(r, s, count);
	if (r->attributes & AARCH64_SETS_FLAGS)
		test_predicate(s, count, count);
	return ISA_NEXT;
}

static bool is_less(const struct isa_record *r, uint64_t a, uint64_t b)
{
	if (r->attributes & AARCH64_SIGNED) {
		a = aarch64_sign_extend(a, r->size * 8) ^ isa_sign(8);
		b = aarch64_sign_extend(b, r->size * 8) ^ isa_sign(8);
	}
	return a < b || (r->variant && a == b);
}

/* whilelt, whilele, whilelo, whilels: from the first element on, as long as it holds */
AARCH64_EVALUATOR(scalable_while)
{
	struct isa_value a = aarch64_register(s, r->rn, r->size);
	struct isa_value b = aarch64_register(s, r->rm, r->size);
	unsigned count = 0, elements = s->sve_bytes / r->element;

	if (!length_is_known(s) || !aarch64_is_known(a) || !aarch64_is_known(b)) {
		forget_predicate(r, s);
		return ISA_NEXT;
	}
	while (count < elements && is_less(r, (a.bits + count) & isa_mask(r->size), b.bits))
		count++;
	write_predicate(r, s, count);
	test_predicate(s, count, elements);
	return ISA_NEXT;
}

/* ---- memory -------------------------------------------------------------------------------- */

/* Offsets are in vectors, or an index. */
static struct aarch64_place place_of(const struct isa_record *r, const struct isa_state *s)
{
	struct isa_record in_bytes = *r;

	in_bytes.immediate *= s->sve_bytes;
	return aarch64_place(&in_bytes, s);
}

/* The predicate's bits of the elements in the 8 bytes at @at. */
static unsigned active(const struct isa_record *r, const struct isa_state *s, unsigned at)
{
	return s->predicate[r->ra][at / 64] >> at % 64 & bits_of_elements[r->element];
}

static bool predicate_is_known(const struct isa_record *r, const struct isa_state *s)
{
	return length_is_known(s) && s->predicate_known >> r->ra & 1;
}

/* Elements that are not active become zero. */
static struct isa_value load_half(const struct isa_record *r, const struct isa_state *s,
				  const struct isa_memory *m, uint64_t address, unsigned bits)
{
	struct isa_value half = aarch64_known(0);

	if (bits == bits_of_elements[r->element])
		return isa_load(s, m, address, 8);
	for (unsigned i = 0; i < 8; i += r->element) {
		uint64_t mask = isa_mask(r->element) << i * 8;
		struct isa_value v;

		if (!(bits >> i & 1))
			continue;
		v = isa_load(s, m, address + i, r->element);
		half.bits |= v.bits << i * 8 & mask;
		half.known &= ~mask | v.known << i * 8;
	}
	return half;
}

/* ld1b, ld1h, ld1w, ld1d of elements as wide as those in memory */
AARCH64_EVALUATOR(scalable_load)
{
	struct aarch64_place p = place_of(r, s);
	struct aarch64_lanes out = {.known = 0};

	for (unsigned at = 0; p.known && predicate_is_known(r, s) && at < 16; at += 8) {
		struct isa_value v = load_half(r, s, m, p.address + at, active(r, s, at));

		out.v.u64[at / 8] = v.bits;
		if (aarch64_is_known(v))
			out.known |= 1u << at / 8;
	}
	aarch64_lanes_write(s, r->rd, 16, out);
	return ISA_NEXT;
}

static bool store_half(const struct isa_record *r, struct isa_state *s, uint64_t address,
		       unsigned bits, struct isa_value v)
{
	if (bits == bits_of_elements[r->element])
		return isa_store(s, address, 8, v);
	for (unsigned i = 0; i < 8; i += r->element) {
		struct isa_value one = {v.bits >> i * 8, v.known >> i * 8};

		if (bits >> i & 1 && !isa_store(s, address + i, r->element, one))
			return false;
	}
	return true;
}

/* Where it is not known which elements are stored, all may be. */
static bool store_all(const struct isa_record *r, struct isa_state *s, uint64_t address)
{
	const struct aarch64_lanes l = aarch64_lanes_of(s, r->rd);
	const bool known = predicate_is_known(r, s);

	for (unsigned at = 0; at < s->sve_bytes; at += 8) {
		struct isa_value v = ISA_UNKNOWN;

		if (known && at < 16 && l.known >> at / 8 & 1)
			v = aarch64_known(l.v.u64[at / 8]);
		if (!store_half(r, s, address + at,
				known ? active(r, s, at) : bits_of_elements[r->element], v))
			return false;
	}
	return true;
}

/* st1b, st1h, st1w, st1d */
AARCH64_EVALUATOR(scalable_store)
{
	struct aarch64_place p = place_of(r, s);

	if (!p.known || !length_is_known(s))
		isa_shadow_forget(&s->shadow);
	else if (!store_all(r, s, p.address))
		return ISA_UNMODELLED;
	return ISA_NEXT;
}
