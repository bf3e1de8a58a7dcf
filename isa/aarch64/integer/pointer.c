/* SPDX-License-Identifier: MIT */
/*
 * Pointer authentication codes: they depend on keys that no program can read, so signing makes
 * their bits unknown, and authentication, which a running program passes, known again.
 * Source: Arm ARM, D5.1.4 and the functions AddPAC, Auth and Strip.
 */
#include "isa/aarch64/operand.h"

#define SELECTOR (UINT64_C(1) << 55) /* of the program's half of the addresses or the kernel's */
#define TOP	 UINT64_C(0xff00000000000000)
#define LOWEST	 36 /* bits of an address that there are anyway */

/* The bits that may belong to the code, beside the top ones: from the address's end to bit 54. */
static uint64_t code_of(const struct isa_state *s)
{
	unsigned bits = s->pointer_bits ? s->pointer_bits : LOWEST;

	return (SELECTOR - 1) & ~((UINT64_C(1) << bits) - 1);
}

/* Is this an address of the program's half? The kernel has its top byte ignored there, so that it
 * is no part of the code (Documentation/arm64/pointer-authentication.rst). */
static bool is_program_s(struct isa_value v)
{
	return v.known & ~v.bits & SELECTOR;
}

struct isa_value aarch64_pointer_strip_code(const struct isa_state *s, struct isa_value v)
{
	uint64_t code = code_of(s);

	if (!is_program_s(v)) {
		v.known &= ~(code | TOP);
	} else if (s->pointer_bits) {
		v.known |= code;
		v.bits &= ~code;
	} else {
		v.known &= ~code;
	}
	v.bits &= v.known;
	return v;
}

/* pacia and the like */
AARCH64_EVALUATOR(pointer_sign)
{
	struct isa_value v = aarch64_register(s, r->rd, 8);

	if (!is_program_s(v)) /* what comes out depends on how the machine is set up */
		v.known &= ~(SELECTOR | TOP);
	v.known &= ~code_of(s);
	v.bits &= v.known;
	aarch64_register_set(s, r->rd, 8, v);
	return ISA_NEXT;
}

/* autia and the like, xpaci */
AARCH64_EVALUATOR(pointer_strip)
{
	aarch64_register_set(s, r->rd, 8,
			     aarch64_pointer_strip_code(s, aarch64_register(s, r->rd, 8)));
	return ISA_NEXT;
}
