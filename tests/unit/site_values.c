/* SPDX-License-Identifier: MIT */
/* Values along a trace: which instructions give one, and which are kept when there are too many. */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <cmocka.h>
#include <elf.h>
#include <string.h>

#include "collector/engine/site_values.h"
#include "tests/snapshot.h"

#define PC 0x400000u

static struct isa_state state;
static struct snapshot registers;

static bool read_memory(void *context, uint64_t address, void *out, size_t bytes)
{
	const int32_t value = -7;

	(void)context;
	if (address != 0x9000 || bytes != sizeof(value))
		return false;
	memcpy(out, &value, sizeof(value));
	return true;
}

static const struct isa_memory memory = {.read = read_memory};

static struct isa_record decode(const uint8_t *bytes, size_t size)
{
	struct isa_record r;

	assert_true(isa_record_decode(bytes, size, PC, &r));
	return r;
}

static void load(void)
{
	registers = (struct snapshot){.pc = PC, .mxcsr = 0x1f80};
	for (unsigned i = 0; i < 16; i++)
		registers.gpr[i] = 100 + i;
	registers.gpr[3] = 0x9000; /* rbx */
	registers.gpr[4] = 0x7ff0; /* rsp, as in a function that calls others */
	snapshot_load(&state, &registers);
}

/* The divisor that is kept; UINT64_MAX if none is. */
static uint64_t divisor_of(const uint8_t *bytes, size_t size)
{
	struct isa_record r = decode(bytes, size);
	struct site_value item = {0};
	struct site_values v = {.items = &item, .kept.most = 1};

	assert_true(r.divides);
	site_values_division(&v, &r, &state, &memory);
	if (!v.kept.count)
		return UINT64_MAX;
	assert_int_equal(item.site, PC);
	assert_false(item.has_arguments);
	return item.value;
}

static void divisors_are_registers_or_memory(void **unused)
{
	static const uint8_t div_rsi[] = {0x48, 0xf7, 0xf6}, idiv_memory[] = {0xf7, 0x3b};
	static const uint8_t div_memory[] = {0xf7, 0x33}, div_far[] = {0xf7, 0x31};
	static const uint8_t add[] = {0x01, 0xc8};

	(void)unused;
	load();
	assert_int_equal(divisor_of(div_rsi, sizeof(div_rsi)), 106);
	assert_true(divisor_of(idiv_memory, sizeof(idiv_memory)) == (uint64_t)-7);
	assert_int_equal(divisor_of(div_memory, sizeof(div_memory)), (uint32_t)-7);
	/* memory that can't be read, and a divisor that traps */
	assert_true(divisor_of(div_far, sizeof(div_far)) == UINT64_MAX);
	registers.gpr[6] = 0;
	snapshot_load(&state, &registers);
	assert_true(divisor_of(div_rsi, sizeof(div_rsi)) == UINT64_MAX);
	assert_false(decode(add, sizeof(add)).divides);
}

static void take_call(struct site_values *v, uint64_t site)
{
	const struct isa_record call = {.kind = ISA_CALL};

	site_values_branch(v, &call, site, 0, &state);
}

static const struct isa_record jump = {.kind = ISA_JUMP};
static const struct isa_record stub = {.kind = ISA_JUMP_INDIRECT, .base = X86_RIP};
static const struct isa_record table = {.kind = ISA_JUMP_INDIRECT, .base = X86_RAX};

/* jmp *slot(%rip) behind a jump to it is a call by the jump; behind anything else it is none. */
static void jumps_to_stubs_are_calls(void **unused)
{
	struct site_value items[4];
	struct site_values v = {.items = items, .kept.most = 4};

	(void)unused;
	load();
	site_values_begin(&v);
	site_values_branch(&v, &jump, 0x1000, 0, &state);
	site_values_branch(&v, &stub, 0x2000, 0x1ffc, &state);
	site_values_branch(&v, &stub, 0x2000, 0x1ffc, &state);
	site_values_branch(&v, &jump, 0x1000, 0, &state);
	site_values_branch(&v, &table, 0x2000, 0x1ff0, &state);
	assert_int_equal(v.kept.count, 1);
	assert_int_equal(items[0].site, 0x1000);
	assert_int_equal(items[0].value, 0x1ffc);
}

/* Where the stack is aligned as at a function's first instruction, also through a slot. */
static void indirect_jumps_may_be_calls(void **unused)
{
	struct site_value items[4];
	struct site_values v = {.items = items, .kept.most = 4};

	(void)unused;
	load();
	registers.gpr[4] = 0x7ff8;
	snapshot_load(&state, &registers);
	site_values_begin(&v);
	site_values_branch(&v, &table, 0x2000, 0x1ff0, &state);
	site_values_branch(&v, &stub, 0x3000, 0x2ff0, &state);
	site_values_branch(&v, &stub, 0x4000, 0x4000, &state);
	registers.gpr[4] = 0x7ff0;
	snapshot_load(&state, &registers);
	site_values_branch(&v, &table, 0x5000, 0x1ff0, &state);
	assert_int_equal(v.kept.count, 2);
	assert_int_equal(items[0].site, 0x2000);
	assert_int_equal(items[0].value, PC);
	assert_int_equal(items[1].site, 0x3000);
}

static void calls_have_arguments_if_they_are_known(void **unused)
{
	static const uint8_t rdtsc[] = {0x0f, 0x31};
	struct isa_record r = decode(rdtsc, sizeof(rdtsc));
	struct site_value items[2];
	struct site_values v = {.items = items, .kept.most = 2};

	(void)unused;
	load();
	take_call(&v, 0x1234);
	assert_int_equal(isa_evaluate(&r, &state, &memory), ISA_NEXT); /* rdx is not known now */
	take_call(&v, 0x1235);
	assert_int_equal(v.kept.count, 2);
	assert_true(items[0].has_arguments);
	assert_int_equal(items[0].site, 0x1234);
	assert_int_equal(items[0].value, PC);
	assert_int_equal(items[0].arguments[0], 107); /* rdi */
	assert_int_equal(items[0].arguments[2], 102); /* rdx */
	assert_int_equal(items[0].arguments[5], 109); /* r9 */
	assert_false(items[1].has_arguments);
}

/* Of 1,000 that come by, each is kept as often as another. */
static void too_many_are_thinned_evenly(void **unused)
{
	enum { MET = 1000, KEPT = 50, TRACES = 400 };
	struct site_value items[KEPT];
	struct site_values v = {.items = items, .kept.most = KEPT};
	unsigned early = 0, late = 0;

	(void)unused;
	load();
	for (unsigned trace = 0; trace < TRACES; trace++) {
		uint64_t sum = 0;

		site_values_begin(&v);
		for (unsigned i = 0; i < MET; i++)
			take_call(&v, i);
		assert_int_equal(v.kept.count, KEPT);
		for (unsigned i = 0; i < KEPT; i++) {
			early += items[i].site < MET / 4;
			late += items[i].site >= MET - MET / 4;
			sum += reservoir_share(&v.kept, i);
		}
		assert_int_equal(sum, MET);
	}
	/* a quarter of 20,000 each, give or take five standard deviations */
	assert_in_range(early, 5000 - 310, 5000 + 310);
	assert_in_range(late, 5000 - 310, 5000 + 310);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(divisors_are_registers_or_memory),
		cmocka_unit_test(calls_have_arguments_if_they_are_known),
		cmocka_unit_test(jumps_to_stubs_are_calls),
		cmocka_unit_test(indirect_jumps_may_be_calls),
		cmocka_unit_test(too_many_are_thinned_evenly),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
