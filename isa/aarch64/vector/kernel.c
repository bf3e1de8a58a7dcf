/* SPDX-License-Identifier: MIT */
/* What one lane of a vector becomes: Arm ARM, C7.2. */
#include "isa/aarch64/vector/lanes.h"

#include <stdbool.h>

#include "isa/aarch64/operand.h"

static int64_t extended(uint64_t lane, unsigned bits)
{
	return (int64_t)aarch64_sign_extend(lane, bits);
}

/* sshl, ushl: left by the lowest byte of @by, or right where it is negative */
static uint64_t shift(uint64_t lane, uint64_t by, unsigned bits, bool is_signed)
{
	int distance = (int8_t)by;
	int64_t wide = extended(lane, bits);

	if (distance >= (int)bits)
		return 0;
	if (distance >= 0)
		return lane << distance;
	if (-distance >= (int)bits)
		return is_signed && wide < 0 ? UINT64_MAX : 0;
	return is_signed ? (uint64_t)(wide >> -distance) : lane >> -distance;
}

static uint64_t shift_right(uint64_t lane, uint64_t by, unsigned bits, bool is_signed)
{
	int64_t wide = extended(lane, bits);

	if (!is_signed)
		return by >= bits ? 0 : lane >> by;
	return (uint64_t)(wide >> (by >= bits ? bits - 1 : by));
}

static unsigned leading_zeros(uint64_t lane, unsigned bits)
{
	return lane ? (unsigned)__builtin_clzll(lane) - (64 - bits) : bits;
}

static uint64_t reverse(uint64_t lane, unsigned bits)
{
	uint64_t v = 0;

	for (unsigned i = 0; i < bits; i++)
		v |= (lane >> i & 1) << (bits - 1 - i);
	return v;
}

static uint64_t all_if(bool holds)
{
	return holds ? UINT64_MAX : 0;
}

static uint64_t logic(unsigned kernel, uint64_t a, uint64_t b, uint64_t old)
{
	switch (kernel) {
	case AARCH64_VECTOR_AND:
		return a & b;
	case AARCH64_VECTOR_BIC:
		return a & ~b;
	case AARCH64_VECTOR_ORR:
		return a | b;
	case AARCH64_VECTOR_ORN:
		return a | ~b;
	case AARCH64_VECTOR_EOR:
		return a ^ b;
	case AARCH64_VECTOR_BSL:
		return (a & old) | (b & ~old);
	case AARCH64_VECTOR_BIT:
		return (a & b) | (old & ~b);
	default: /* bif */
		return (a & ~b) | (old & b);
	}
}

static uint64_t of_one(unsigned kernel, uint64_t a, unsigned bits)
{
	int64_t wide = extended(a, bits);

	switch (kernel) {
	case AARCH64_VECTOR_CLS:
		return leading_zeros((a ^ a >> 1) & ((UINT64_C(1) << (bits - 1)) - 1), bits) - 1;
	case AARCH64_VECTOR_CLZ:
		return leading_zeros(a, bits);
	case AARCH64_VECTOR_CNT:
		return (uint64_t)__builtin_popcountll(a);
	case AARCH64_VECTOR_NOT:
		return ~a;
	case AARCH64_VECTOR_RBIT:
		return reverse(a, bits);
	case AARCH64_VECTOR_CMLE:
		return all_if(wide <= 0);
	case AARCH64_VECTOR_CMLT:
		return all_if(wide < 0);
	case AARCH64_VECTOR_ABS:
		return wide < 0 ? -a : a;
	default: /* neg */
		return -a;
	}
}

static uint64_t kernel_compare(unsigned kernel, uint64_t a, uint64_t b, unsigned bits)
{
	int64_t wide_a = extended(a, bits), wide_b = extended(b, bits);

	switch (kernel) {
	case AARCH64_VECTOR_CMTST:
		return all_if(a & b);
	case AARCH64_VECTOR_CMEQ:
		return all_if(a == b);
	case AARCH64_VECTOR_CMGT:
		return all_if(wide_a > wide_b);
	case AARCH64_VECTOR_CMHI:
		return all_if(a > b);
	case AARCH64_VECTOR_CMGE:
		return all_if(wide_a >= wide_b);
	case AARCH64_VECTOR_CMHS:
		return all_if(a >= b);
	case AARCH64_VECTOR_SMAX:
		return wide_a > wide_b ? a : b;
	case AARCH64_VECTOR_UMAX:
		return a > b ? a : b;
	case AARCH64_VECTOR_SMIN:
		return wide_a < wide_b ? a : b;
	default: /* umin */
		return a < b ? a : b;
	}
}

static uint64_t arithmetic(unsigned kernel, uint64_t a, uint64_t b, uint64_t old, unsigned bits)
{
	bool less = extended(a, bits) < extended(b, bits);

	switch (kernel) {
	case AARCH64_VECTOR_ADD:
		return a + b;
	case AARCH64_VECTOR_SUB:
		return a - b;
	case AARCH64_VECTOR_MUL:
		return a * b;
	case AARCH64_VECTOR_MLA:
		return old + a * b;
	case AARCH64_VECTOR_MLS:
		return old - a * b;
	case AARCH64_VECTOR_SABD:
		return less ? b - a : a - b;
	case AARCH64_VECTOR_UABD:
		return a < b ? b - a : a - b;
	case AARCH64_VECTOR_SABA:
		return old + (less ? b - a : a - b);
	case AARCH64_VECTOR_UABA:
		return old + (a < b ? b - a : a - b);
	default: /* uqsub */
		return a < b ? 0 : a - b;
	}
}

/* By a constant: the distance is at most @bits to the right, less than @bits to the left. */
static uint64_t shift_by(unsigned kernel, uint64_t a, uint64_t by, uint64_t old, unsigned bits)
{
	uint64_t all = isa_mask(bits / 8);

	switch (kernel) {
	case AARCH64_VECTOR_SSHR:
		return shift_right(a, by, bits, true);
	case AARCH64_VECTOR_USHR:
		return shift_right(a, by, bits, false);
	case AARCH64_VECTOR_SSRA:
		return old + shift_right(a, by, bits, true);
	case AARCH64_VECTOR_USRA:
		return old + shift_right(a, by, bits, false);
	case AARCH64_VECTOR_SHL:
		return a << by;
	case AARCH64_VECTOR_SLI:
		return a << by | (old & ((UINT64_C(1) << by) - 1));
	default: /* sri */
		return shift_right(a, by, bits, false) | (old & ~shift_right(all, by, bits, false));
	}
}

uint64_t aarch64_kernel_lane(unsigned kernel, uint64_t a, uint64_t b, uint64_t old, unsigned bits)
{
	switch (kernel) {
	case AARCH64_VECTOR_AND ... AARCH64_VECTOR_BIF:
		return logic(kernel, a, b, old);
	case AARCH64_VECTOR_CMTST ... AARCH64_VECTOR_UMIN:
		return kernel_compare(kernel, a, b, bits);
	case AARCH64_VECTOR_SSHL:
	case AARCH64_VECTOR_USHL:
		return shift(a, b, bits, kernel == AARCH64_VECTOR_SSHL);
	case AARCH64_VECTOR_CLS ... AARCH64_VECTOR_NEG:
		return of_one(kernel, a, bits);
	case AARCH64_VECTOR_SSHR ... AARCH64_VECTOR_SRI:
		return shift_by(kernel, a, b, old, bits);
	default:
		return arithmetic(kernel, a, b, old, bits);
	}
}
