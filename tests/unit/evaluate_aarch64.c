/* SPDX-License-Identifier: MIT */
/*
 * Evaluation of AArch64 where there is no such machine: answers that follow from the Arm ARM's
 * pseudocode (the instructions' operation in C6.2 and C7.2; AddWithCarry, ConditionHolds, Strip).
 * tests/live/instructions_aarch64.sh compares with a machine, which is another's reading of it.
 */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <cmocka.h>
#include <string.h>
#include "tests/snapshot.h"

#define PC    UINT64_C(0xaaaac0de1000)
#define STACK UINT64_C(0xffffe0000000)

static struct isa_state state;
static struct snapshot from;
static uint8_t bytes[256]; /* the program's memory, at STACK */

static bool read_memory(void *context, uint64_t address, void *out, size_t count)
{
	(void)context;
	if (address - STACK > sizeof(bytes) - count)
		return false;
	memcpy(out, bytes + (address - STACK), count);
	return true;
}

static const struct isa_memory memory = {.read = read_memory};

static int begin(void **unused)
{
	(void)unused;
	from = (struct snapshot){.pc = PC, .sp = STACK, .pointer_bits = 48};
	snapshot_load(&state, &from);
	return 0;
}

static enum isa_outcome evaluate(uint32_t word)
{
	struct isa_record r;

	assert_true(isa_record_decode((const uint8_t *)&word, 4, isa_state_pc(&state), &r));
	return isa_evaluate(&r, &state, &memory);
}

static void set(unsigned reg, uint64_t bits, uint64_t known)
{
	state.gpr[reg] = bits & known;
	state.gpr_known[reg] = known;
}

static void expect(unsigned reg, uint64_t bits, uint64_t known)
{
	assert_int_equal(state.gpr_known[reg], known);
	assert_int_equal(state.gpr[reg], bits);
}

#define ALL UINT64_MAX

static void sums(void **unused)
{
	(void)unused;
	set(1, INT64_MAX, ALL);
	assert_int_equal(evaluate(0xb1000420), ISA_NEXT); /* adds x0, x1, #1 */
	expect(0, (uint64_t)INT64_MIN, ALL);
	assert_int_equal(state.flags, AARCH64_N | AARCH64_V);
	set(1, 5, ALL);
	set(2, 5, ALL);
	assert_int_equal(evaluate(0x6b02003f), ISA_NEXT); /* cmp w1, w2 */
	assert_int_equal(state.flags, AARCH64_Z | AARCH64_C);
	assert_int_equal(evaluate(0x5a020023), ISA_NEXT); /* sbc w3, w1, w2: C is set */
	expect(3, 0, ALL);
}

/* What does not depend on an unknown bit is known. */
static void partly_known(void **unused)
{
	(void)unused;
	set(1, 0x10, ~UINT64_C(0x0f));
	assert_int_equal(evaluate(0x91008020), ISA_NEXT); /* add x0, x1, #32 */
	expect(0, 0x30, ~UINT64_C(0x0f));
	assert_int_equal(evaluate(0x92400c20), ISA_NEXT); /* and x0, x1, #15 */
	expect(0, 0, ~UINT64_C(0x0f));
	assert_int_equal(evaluate(0xeb1f003f), ISA_NEXT); /* cmp x1, xzr */
	assert_int_equal(state.flags_known, AARCH64_NZCV);
	assert_int_equal(evaluate(0xb5000041), ISA_TAKEN); /* cbnz x1, .+8: bit 4 is set */
	isa_state_set_pc(&state, PC);
	assert_int_equal(evaluate(0x36000041), ISA_UNRESOLVED); /* tbz w1, #0 */
	assert_int_equal(isa_state_pc(&state), PC);
	set(1, 0, 0);
	assert_int_equal(evaluate(0x9b017c22), ISA_NEXT); /* mul x2, x1, x1 */
	expect(2, 0, 0);
	set(3, 0, ALL);
	assert_int_equal(evaluate(0x9b037c22), ISA_NEXT); /* mul x2, x1, x3: by zero */
	expect(2, 0, ALL);
}

/* ccmp x1, #3, #4, ne: where the condition is not known, flags that both ways agree on are */
static void conditional_compare(void **unused)
{
	(void)unused;
	state.flags = AARCH64_Z;
	assert_int_equal(evaluate(0xfa431824), ISA_NEXT);
	assert_int_equal(state.flags, 4);
	state.flags = 0;
	set(1, 7, ALL);
	assert_int_equal(evaluate(0xfa431824), ISA_NEXT);
	assert_int_equal(state.flags, AARCH64_C);
	state.flags = 0;
	state.flags_known = AARCH64_NZCV & ~AARCH64_Z;
	assert_int_equal(evaluate(0xfa431824), ISA_NEXT);
	assert_int_equal(state.flags_known, AARCH64_N | AARCH64_V);
	assert_int_equal(state.flags, 0);
}

static void conditions(void **unused)
{
	(void)unused;
	state.flags = AARCH64_C;
	state.flags_known = AARCH64_C | AARCH64_Z;
	assert_int_equal(evaluate(0x54000048), ISA_TAKEN); /* b.hi */
	isa_state_set_pc(&state, PC);
	assert_int_equal(evaluate(0x5400004c), ISA_UNRESOLVED); /* b.gt: of N and V too */
	state.flags = AARCH64_Z;
	assert_int_equal(evaluate(0x5400004c), ISA_NEXT); /* Z says no whatever they are */
	assert_int_equal(evaluate(0x1a9f07e0), ISA_NEXT); /* cset w0, ne */
	expect(0, 0, ALL);
}

/* Signing makes bits 54 to 48 of a pointer unknown; authentication and stripping clear them. */
static void pointers(void **unused)
{
	const uint64_t code = UINT64_C(0x007f000000000000);

	(void)unused;
	set(30, PC, ALL);
	assert_int_equal(evaluate(0xd503233f), ISA_NEXT); /* paciasp */
	expect(30, PC, ~code);
	assert_int_equal(evaluate(0xd65f0bff), ISA_TAKEN); /* retaa */
	assert_int_equal(isa_state_pc(&state), PC);
	assert_int_equal(evaluate(0xd65f03c0), ISA_UNRESOLVED); /* ret would trap */
	assert_int_equal(evaluate(0xd50323bf), ISA_NEXT);	/* autiasp */
	expect(30, PC, ALL);
	set(5, PC | UINT64_C(0x1234000000000000), ALL);
	assert_int_equal(evaluate(0xdac143e5), ISA_NEXT); /* xpaci x5: the top byte is a tag */
	expect(5, PC | UINT64_C(0x1200000000000000), ALL);
	state.pointer_bits = 0; /* on an unusual kernel: where the code begins is not known */
	set(30, PC, ALL);
	assert_int_equal(evaluate(0xd50323bf), ISA_NEXT);
	assert_int_equal(evaluate(0xd65f03c0), ISA_UNRESOLVED);
}

static void memory_accesses(void **unused)
{
	(void)unused;
	for (unsigned i = 0; i < sizeof(bytes); i++)
		bytes[i] = (uint8_t)(0xf0 + i);
	assert_int_equal(evaluate(0x39c007e0), ISA_NEXT); /* ldrsb w0, [sp, #1] */
	expect(0, 0xfffffff1, ALL);
	assert_int_equal(evaluate(0xa9bf7be0), ISA_NEXT); /* stp x0, x30, [sp, #-16]! */
	expect(AARCH64_SP, STACK - 16, ALL);
	assert_int_equal(evaluate(0xa8c107e2), ISA_NEXT); /* ldp x2, x1, [sp], #16 */
	expect(2, 0xfffffff1, ALL);
	expect(AARCH64_SP, STACK, ALL);
	set(3, STACK | UINT64_C(0x5a00000000000000), ALL); /* with a tag */
	assert_int_equal(evaluate(0xf9400064), ISA_NEXT);  /* ldr x4, [x3] */
	expect(4, UINT64_C(0xf7f6f5f4f3f2f1f0), ALL);
	set(3, 0, 0);
	assert_int_equal(evaluate(0xf9000064), ISA_NEXT); /* str x4, [x3]: nothing is known now */
	assert_int_equal(evaluate(0xf94003e4), ISA_NEXT);
	expect(4, 0, 0);
}

/* A store-exclusive fails if the path began behind its load; a lock that stays taken is a loop. */
static void exclusives(void **unused)
{
	(void)unused;
	memset(bytes, 0, sizeof(bytes));
	set(1, STACK, ALL);
	set(2, 9, ALL);
	assert_int_equal(evaluate(0x88037c22), ISA_NEXT); /* stxr w3, w2, [x1] */
	expect(3, 1, ALL);
	for (unsigned i = 0; i < 3; i++) {
		assert_int_equal(evaluate(0x885f7c20), ISA_NEXT); /* ldxr w0, [x1] */
		set(2, i + 1, ALL);
		assert_int_equal(evaluate(0x88037c22), ISA_NEXT);
		expect(3, 0, ALL);
		isa_state_set_pc(&state, PC);
	}
	expect(0, 2, ALL);
	for (unsigned i = 0; i < 4; i++) {
		assert_int_equal(evaluate(0x885f7c20), ISA_NEXT);
		isa_state_set_pc(&state, PC);
	}
	assert_int_equal(evaluate(0x885f7c20), ISA_UNMODELLED);
	assert_string_equal(isa_state_cause(&state), "spinning atomic");
	set(4, 7, ALL);
	assert_int_equal(evaluate(0xb9000024), ISA_NEXT); /* str w4, [x1]: no longer as it was */
	isa_state_set_pc(&state, PC);
	assert_int_equal(evaluate(0x885f7c20), ISA_NEXT);
	expect(0, 7, ALL);
}

/* An atomic that changes nothing, again and again: while it finds something else it is followed. */
static void waiting(void **unused)
{
	(void)unused;
	memset(bytes, 0, sizeof(bytes));
	set(1, STACK, ALL);
	for (uint64_t i = 1; i < 100; i++) {
		set(2, i, ALL);
		assert_int_equal(evaluate(0xb9000022), ISA_NEXT); /* str w2, [x1] */
		isa_state_set_pc(&state, PC);
		assert_int_equal(evaluate(0xb8228020), ISA_NEXT); /* swp w2, w0, [x1] */
	}
	isa_state_set_pc(&state, PC);
	assert_int_equal(evaluate(0xb8228020), ISA_UNMODELLED);
	assert_string_equal(isa_state_cause(&state), "spinning atomic");
	isa_state_set_pc(&state, PC + 4);
	set(3, 1, ALL);
	assert_int_equal(evaluate(0xb8238020), ISA_NEXT); /* swp w3, w0, [x1]: another place */
	isa_state_set_pc(&state, PC);
	assert_int_equal(evaluate(0xb8228020), ISA_NEXT);
}

static void stops(void **unused)
{
	(void)unused;
	set(AARCH64_X8, 64, ALL);
	assert_int_equal(evaluate(0xd4000001), ISA_UNMODELLED); /* svc #0 */
	assert_int_equal(isa_state_system_call(&state), 64);
	assert_int_equal(evaluate(0xd4200000), ISA_UNMODELLED); /* brk */
	assert_int_equal(isa_state_system_call(&state), -1);
	assert_int_equal(evaluate(0x00000000), ISA_UNMODELLED); /* udf */
	assert_string_equal(isa_state_cause(&state), "trap");
}

static void divisors(void **unused)
{
	const uint32_t word = 0x1ac20c20; /* sdiv w0, w1, w2 */
	uint64_t divisor = 0;
	struct isa_record r;

	(void)unused;
	assert_true(isa_record_decode((const uint8_t *)&word, 4, PC, &r));
	assert_true(r.divides);
	assert_false(isa_state_divisor(&r, &state, &memory, &divisor));
	set(2, 0xfffffffd, ALL);
	assert_true(isa_state_divisor(&r, &state, &memory, &divisor));
	assert_int_equal(divisor, -3);
	set(1, 7, ALL);
	assert_int_equal(evaluate(word), ISA_NEXT);
	expect(0, 0xfffffffe, ALL); /* towards zero */
}

static void set_vector(unsigned reg, uint64_t low, uint64_t high)
{
	state.vector[reg].u64[0] = low;
	state.vector[reg].u64[1] = high;
	state.vector_known[reg] = AARCH64_VECTOR_KNOWN;
}

static void expect_vector(unsigned reg, uint64_t low, uint64_t high)
{
	assert_int_equal(state.vector_known[reg], AARCH64_VECTOR_KNOWN);
	assert_int_equal(state.vector[reg].u64[0], low);
	assert_int_equal(state.vector[reg].u64[1], high);
}

/* What libc's strlen does with 16 bytes: where is the first zero? */
static void zero_in_text(void **unused)
{
	(void)unused;
	set_vector(0, UINT64_C(0x6867666564636261), UINT64_C(0x706f6e6d6c006b69));
	assert_int_equal(evaluate(0x4e209801), ISA_NEXT); /* cmeq v1.16b, v0.16b, #0 */
	expect_vector(1, 0, UINT64_C(0x0000000000ff0000));
	assert_int_equal(evaluate(0x6e21a422), ISA_NEXT); /* umaxp v2.16b, v1.16b, v1.16b */
	expect_vector(2, UINT64_C(0x0000ff0000000000), UINT64_C(0x0000ff0000000000));
	assert_int_equal(evaluate(0x0f0c8421), ISA_NEXT); /* shrn v1.8b, v1.8h, #4 */
	expect_vector(1, UINT64_C(0x00000f0000000000), 0);
	assert_int_equal(evaluate(0x9e660023), ISA_NEXT); /* fmov x3, d1 */
	assert_int_equal(evaluate(0xdac00063), ISA_NEXT); /* rbit x3, x3 */
	assert_int_equal(evaluate(0xdac01063), ISA_NEXT); /* clz x3, x3 */
	expect(3, 40, ALL);				  /* four bits for each byte */
}

/* A half of a vector that is not known makes unknown what depends on it. */
static void half_known(void **unused)
{
	(void)unused;
	set_vector(0, 7, 0);
	state.vector_known[0] = 1;
	assert_int_equal(evaluate(0x4ee08401), ISA_NEXT); /* add v1.2d, v0.2d, v0.2d */
	assert_int_equal(state.vector_known[1], 1);
	assert_int_equal(state.vector[1].u64[0], 14);
	assert_int_equal(evaluate(0x0e31b802), ISA_NEXT); /* addv b2, v0.8b */
	expect_vector(2, 7, 0);
	assert_int_equal(evaluate(0x4e31b802), ISA_NEXT); /* addv b2, v0.16b */
	assert_int_equal(state.vector_known[2], 2);	  /* above the byte are zeros */
	assert_int_equal(evaluate(0x6e201c03), ISA_NEXT); /* eor v3.16b, v0.16b, v0.16b */
	expect_vector(3, 0, 0);
}

static void floats(void **unused)
{
	const uint64_t one = UINT64_C(0x3ff0000000000000), nan = UINT64_C(0x7ff8000000000000);

	(void)unused;
	set_vector(1, one, 5);
	set_vector(2, 0, 5);
	assert_int_equal(evaluate(0x1e622820), ISA_NEXT); /* fadd d0, d1, d2 */
	expect_vector(0, one, 0);
	assert_int_equal(evaluate(0x1e621843), ISA_NEXT); /* fdiv d3, d2, d2: the default NaN */
	expect_vector(3, nan, 0);
	assert_int_equal(evaluate(0x1e632020), ISA_NEXT); /* fcmp d1, d3: unordered */
	assert_int_equal(state.flags, AARCH64_C | AARCH64_V);
	assert_int_equal(evaluate(0x9e780020), ISA_NEXT); /* fcvtzs x0, d1 */
	expect(0, 1, ALL);
	assert_int_equal(evaluate(0x9e780060), ISA_NEXT); /* fcvtzs x0, d3 */
	expect(0, 0, ALL);
	state.fpcr = UINT32_C(1) << 22; /* rounds up: not computed */
	assert_int_equal(evaluate(0x1e622820), ISA_NEXT);
	assert_int_equal(state.vector_known[0], 2);
	assert_int_equal(evaluate(0x1e622020), ISA_NEXT);
	assert_int_equal(state.flags_known, 0);
}

/* The instruction before is svc. */
static void behind_a_system_call(void **unused)
{
	static const uint32_t words[] = {0xd503201f, 0xd4000001, 0xd2800000}; /* nop, svc #0, mov */
	struct snapshot at = from;

	(void)unused;
	memcpy(bytes, words, sizeof(words));
	for (unsigned i = 0; i < 3; i++) {
		at.pc = STACK + i * 4;
		snapshot_load(&state, &at);
		assert_int_equal(isa_state_is_behind_system_call(&state, &memory), i == 2);
	}
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test_setup(sums, begin),
		cmocka_unit_test_setup(partly_known, begin),
		cmocka_unit_test_setup(conditional_compare, begin),
		cmocka_unit_test_setup(conditions, begin),
		cmocka_unit_test_setup(pointers, begin),
		cmocka_unit_test_setup(memory_accesses, begin),
		cmocka_unit_test_setup(exclusives, begin),
		cmocka_unit_test_setup(waiting, begin),
		cmocka_unit_test_setup(behind_a_system_call, begin),
		cmocka_unit_test_setup(stops, begin),
		cmocka_unit_test_setup(divisors, begin),
		cmocka_unit_test_setup(zero_in_text, begin),
		cmocka_unit_test_setup(half_known, begin),
		cmocka_unit_test_setup(floats, begin),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
