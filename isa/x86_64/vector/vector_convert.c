/* SPDX-License-Identifier: MIT */
/* Floating-point comparisons into flags, conversions, and fused multiplication. */
#include <cpuid.h>

#include "base/atomics.h"
#include "isa/x86_64/operand.h"
#include "isa/x86_64/vector/kernel.h"
#include "isa/x86_64/vector/vector_operands.h"

static enum isa_outcome trap(struct isa_state *s)
{
	return isa_stop(s, ISA_UNMODELLED, ISA_CAUSE_TRAP);
}

/* ucomis, comis: reg with rm, `element` bytes */
X86_EVALUATOR(vector_float_compare)
{
	uint64_t flags = X86_ZF | X86_PF | X86_CF, out = 0;
	struct x86_packed a, b;
	uint32_t saved;

	x86_vector_operands_rm(r, s, m, &b);
	x86_vector_read(s, r->reg, &a);
	x86_flags_set(s, X86_STATUS_FLAGS, 0, X86_STATUS_FLAGS & ~flags);
	if (!(a.known & b.known & 1) || !x86_vector_operands_float_begin(s, &saved))
		return ISA_NEXT;
	/* the machine's own comparison: denormals count as zero if MXCSR says so */
	if (r->element == 8)
		__asm__ volatile("comisd %2, %1; lahf; movzbl %%ah, %%eax"
				 : "=a"(out)
				 : "x"(*(const __m128i *)&a.v), "x"(*(const __m128i *)&b.v)
				 : "cc");
	else
		__asm__ volatile("comiss %2, %1; lahf; movzbl %%ah, %%eax"
				 : "=a"(out)
				 : "x"(*(const __m128i *)&a.v), "x"(*(const __m128i *)&b.v)
				 : "cc");
	if (!x86_vector_operands_float_end(s, saved))
		return trap(s);
	x86_flags_set(s, flags, out, flags);
	return ISA_NEXT;
}

/* The integers of cvtsi2ss, cvtsi2sd: rm of `bytes`; unsigned ones of AVX-512 are not here */
X86_EVALUATOR(vector_float_from_integer)
{
	struct isa_value from = x86_rm_read(r, s, m, r->bytes);
	struct x86_packed v;
	union x86_chunk *d = (union x86_chunk *)&v.v;
	uint32_t saved;
	int64_t number;

	x86_vector_read(s, r->reg2, &v);
	number = x86_sign_extend(from.bits, r->bytes);
	if (!x86_is_known(from, r->bytes) || !x86_vector_operands_float_begin(s, &saved)) {
		v.known &= (uint8_t)~1u;
		x86_vector_operands_write(r, s, r->reg, &v);
		return ISA_NEXT;
	}
	if (r->element == 8) {
		__asm__ volatile("cvtsi2sdq %1, %0" : "+x"(d->v) : "r"(number));
		v.known |= 1;
	} else {
		__asm__ volatile("cvtsi2ssq %1, %0" : "+x"(d->v) : "r"(number));
	}
	if (!x86_vector_operands_float_end(s, saved))
		return trap(s);
	x86_vector_operands_write(r, s, r->reg, &v);
	return ISA_NEXT;
}

/* Sizes differ in what counts as overflow, so each has its instruction. */
#define TO_INTEGER(name)                                                     \
	do {                                                                 \
		if (r->bytes == 8)                                           \
			__asm__ volatile(#name "q %1, %0"                    \
					 : "=r"(out)                         \
					 : "x"(*(const __m128i *)&from->v)); \
		else                                                         \
			__asm__ volatile(#name "l %1, %k0"                   \
					 : "=r"(out)                         \
					 : "x"(*(const __m128i *)&from->v)); \
	} while (0)

static uint64_t to_integer(const struct isa_record *r, const struct x86_packed *from)
{
	bool truncate = r->variant;
	uint64_t out;

	if (r->element == 8 && truncate)
		TO_INTEGER(cvttsd2si);
	else if (r->element == 8)
		TO_INTEGER(cvtsd2si);
	else if (truncate)
		TO_INTEGER(cvttss2si);
	else
		TO_INTEGER(cvtss2si);
	return out;
}

/* cvtss2si and its like: `element` bytes of rm to `bytes` of general register reg */
X86_EVALUATOR(vector_float_to_integer)
{
	struct isa_record source = *r;
	struct x86_packed from;
	struct isa_value v = ISA_UNKNOWN;
	uint32_t saved;

	source.bytes = r->element;
	x86_vector_operands_rm(&source, s, m, &from);
	if ((from.known & 1) && x86_vector_operands_float_begin(s, &saved)) {
		v = x86_known(to_integer(r, &from), r->bytes);
		if (!x86_vector_operands_float_end(s, saved))
			return trap(s);
	}
	x86_register_set(s, r->reg & 15, r->bytes, v);
	return ISA_NEXT;
}

/* Two floats become doubles and the like: 8 bytes of rm for each 16 bytes of result. */
X86_EVALUATOR(vector_float_widen)
{
	const struct x86_kernel *k = &x86_kernel_table[r->variant];
	struct x86_packed from, v = {.known = 0};
	uint32_t saved;

	x86_vector_operands_rm(r, s, m, &from);
	if (x86_vector_operands_float_begin(s, &saved)) {
		for (unsigned i = 0; i < r->size / 16u; i++) {
			union x86_chunk part = {.u64 = {from.v.u64[i], 0}};

			k->compute((union x86_chunk *)&v.v + i, &part, &part, 0);
			v.known |= from.known >> i & 1 ? 3u << i * 2 : 0;
		}
		if (!x86_vector_operands_float_end(s, saved))
			return trap(s);
	}
	x86_vector_operands_write(r, s, r->reg, &v);
	return ISA_NEXT;
}

/* The other way: 8 bytes of result for each 16 bytes of rm, the rest zero. */
X86_EVALUATOR(vector_float_narrow)
{
	const struct x86_kernel *k = &x86_kernel_table[r->variant];
	struct x86_packed from, v = {.known = 0};
	uint32_t saved;

	x86_vector_operands_rm(r, s, m, &from);
	if (x86_vector_operands_float_begin(s, &saved)) {
		v.known = (uint8_t)~x86_lanes(r->size / 2u);
		for (unsigned i = 0; i < r->size / 16u; i++) {
			const union x86_chunk *part = (const union x86_chunk *)&from.v + i;
			union x86_chunk out;

			k->compute(&out, part, part, 0);
			v.v.u64[i] = out.u64[0];
			v.known |= (from.known >> i * 2 & 3) == 3 ? 1u << i : 0;
		}
		if (!x86_vector_operands_float_end(s, saved))
			return trap(s);
	}
	x86_vector_operands_write(r, s, r->reg, &v);
	return ISA_NEXT;
}

/*
 * Fused multiplication and addition with one rounding: the machine's own, in the same form, because
 * the form also decides which of several not-a-numbers is the result. `variant` is the opcode: its
 * high half is the form, its low half the signs, and whether it is scalar.
 */
#define FUSED(form, name, sign)                                                                \
	static void name##form##_float(float *x, float y, float z)                             \
	{                                                                                      \
		__asm__ volatile("vf" sign #form "ss %2, %1, %0" : "+x"(*x) : "x"(y), "x"(z)); \
	}                                                                                      \
	static void name##form##_double(double *x, double y, double z)                         \
	{                                                                                      \
		__asm__ volatile("vf" sign #form "sd %2, %1, %0" : "+x"(*x) : "x"(y), "x"(z)); \
	}

#define FUSED_SIGNS(form)                \
	FUSED(form, add, "madd")         \
	FUSED(form, subtract, "msub")    \
	FUSED(form, negate_add, "nmadd") \
	FUSED(form, negate_subtract, "nmsub")

FUSED_SIGNS(132)
FUSED_SIGNS(213)
FUSED_SIGNS(231)

struct fused {
	void (*of_float)(float *, float, float);
	void (*of_double)(double *, double, double);
};

#define PAIR(name, form)                                \
	{                                               \
		name##form##_float, name##form##_double \
	}
#define PAIRS(form)                                                            \
	{                                                                      \
		PAIR(add, form), PAIR(subtract, form), PAIR(negate_add, form), \
			PAIR(negate_subtract, form)                            \
	}

static const struct fused fused[3][4] = {PAIRS(132), PAIRS(213), PAIRS(231)};

/* The last index of the table above. */
static unsigned fused_signs(unsigned opcode, unsigned element_number)
{
	switch (opcode & 0x0f) {
	case 0x06: /* fmaddsub: even elements subtract */
		return !(element_number & 1);
	case 0x07:
		return element_number & 1;
	}
	return (opcode & 0x0f) / 2 - 4;
}

/* Asked once; libgcc's answer would ask CPUID at each program's start, which takes microseconds in
 * virtual machines. */
static bool has_fused(void)
{
	static uint32_t answer; /* 1: no, 2: yes */
	uint32_t a, b, c = 0, d, enabled = 0;

	if (atomic_read_relaxed(&answer))
		return atomic_read_relaxed(&answer) == 2;
	__get_cpuid(1, &a, &b, &c, &d);
	if (c & bit_OSXSAVE)
		__asm__("xgetbv" : "=a"(enabled), "=d"(d) : "c"(0));
	atomic_write_relaxed(&answer, c & bit_FMA && (enabled & 6) == 6 ? 2 : 1);
	return atomic_read_relaxed(&answer) == 2;
}

X86_EVALUATOR(vector_fused)
{
	bool scalar = (r->variant & 0x09) == 0x09;
	unsigned count = scalar ? 1 : r->size / r->element;
	struct x86_packed first, second, third;
	uint8_t known;
	uint32_t saved;

	x86_vector_operands_rm(r, s, m, &third);
	x86_vector_read(s, r->reg, &first);
	x86_vector_read(s, r->reg2, &second);
	known = first.known & second.known & third.known;
	if (!has_fused() || !x86_vector_operands_float_begin(s, &saved)) {
		known = 0;
	} else {
		union x86_chunk *x = (union x86_chunk *)&first.v;
		const union x86_chunk *y = (const union x86_chunk *)&second.v;
		const union x86_chunk *z = (const union x86_chunk *)&third.v;

		for (unsigned i = 0; i < count; i++) {
			const struct fused *f =
				&fused[(r->variant >> 4) - 9][fused_signs(r->variant, i)];
			unsigned chunk = i * r->element / 16, at = i % (16 / r->element);

			if (r->element == 8)
				f->of_double(&x[chunk].f64[at], y[chunk].f64[at], z[chunk].f64[at]);
			else
				f->of_float(&x[chunk].f32[at], y[chunk].f32[at], z[chunk].f32[at]);
		}
		if (!x86_vector_operands_float_end(s, saved))
			return trap(s);
	}
	first.known = scalar ? (known & 1) | (first.known & ~1) : known;
	x86_vector_operands_write(r, s, r->reg, &first);
	return ISA_NEXT;
}
