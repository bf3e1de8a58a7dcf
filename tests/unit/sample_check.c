/* SPDX-License-Identifier: MIT */
/* What of a process's buffers is passed on, and which files are a process's. */
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <setjmp.h>
#include <cmocka.h>
#include <string.h>

#include "collector/recorder/process_buffer.h"
#include "collector/shared/trusted.h"
#include "collector/engine/trace_record.h"

#define BRANCHES     3u
#define RECORD_BYTES (sizeof(struct perfdata_sample_head) + BRANCHES * 24u + 8)

static const struct sample_check_rule rule = {
	.pid = 7, .stack = BRANCHES, .since = 100, .until = 200};

static void put(uint8_t *room)
{
	struct isa_taken entries[BRANCHES] = {{1, 2}, {3, 4}, {UINT64_MAX, UINT64_MAX}};
	uint8_t kinds[BRANCHES] = {ISA_JUMP, ISA_CALL, ISA_RETURN};
	struct trace trace = {.entries = entries, .kinds = kinds, .count = BRANCHES};
	struct trace_record_sample sample = {.pid = 7, .tid = 8, .time = 150, .period = 9};

	trace_record_put(room, &sample, &trace, 0, BRANCHES);
}

/* The second of three records with @value at @at. */
static struct sample_check_result with(size_t at, uint64_t value, size_t bytes)
{
	uint8_t records[3 * RECORD_BYTES];
	struct sample_check_result r;

	for (unsigned i = 0; i < 3; i++)
		put(records + i * RECORD_BYTES);
	records[2 * RECORD_BYTES + offsetof(struct perfdata_sample_head, ip)] = 77;
	memcpy(records + RECORD_BYTES + at, &value, bytes);
	r = sample_check_keep(records, sizeof(records), &rule);
	if (r.kept == 2 * RECORD_BYTES) /* the third has moved up */
		assert_int_equal(records[RECORD_BYTES + offsetof(struct perfdata_sample_head, ip)],
				 77);
	return r;
}

#define AT(member)	offsetof(struct perfdata_sample_head, member)
#define AT_BRANCH_FLAGS (sizeof(struct perfdata_sample_head) + 16) /* of a branch */

static void test_samples_of_the_collector_are_kept(void **state)
{
	struct sample_check_result r = with(AT(tid), 1234, 4);

	(void)state;
	assert_int_equal(r.kept, 3 * RECORD_BYTES);
	assert_int_equal(r.looked_at, 3 * RECORD_BYTES);
	assert_int_equal(r.refused, 0);
	r = with(AT_BRANCH_FLAGS, PERF_BR_RET << PERFDATA_BRANCH_TYPE_SHIFT, 8);
	assert_int_equal(r.kept, 3 * RECORD_BYTES);
}

static size_t put_value(uint8_t *room, bool has_arguments)
{
	struct trace_record_sample sample = {
		.pid = 7, .tid = 8, .time = 150, .period = 9, .tagged = true};
	struct site_value value = {.site = 1, .value = 2, .has_arguments = has_arguments};

	return trace_record_put_value(room, &sample, &value, 1);
}

static size_t put_tagged(uint8_t *room)
{
	struct isa_taken entries[BRANCHES] = {{1, 2}, {3, 4}, {5, 6}};
	uint8_t kinds[BRANCHES] = {ISA_JUMP, ISA_CALL, ISA_RETURN};
	struct trace trace = {.entries = entries, .kinds = kinds, .count = BRANCHES};
	struct trace_record_sample sample = {
		.pid = 7, .tid = 8, .time = 150, .period = 9, .tagged = true};

	trace_record_put(room, &sample, &trace, 0, BRANCHES);
	return perfdata_tagged_bytes(BRANCHES);
}

static uint64_t refused_of(size_t at, uint64_t value, bool has_arguments)
{
	struct sample_check_rule tagged = rule;
	uint8_t records[512];
	size_t bytes = put_value(records, has_arguments);

	tagged.tagged = true;
	memcpy(records + at, &value, sizeof(value));
	bytes += put_tagged(records + bytes);
	return sample_check_keep(records, bytes, &tagged).refused;
}

#define AT_VALUE(member) offsetof(struct perfdata_value, member)

static void test_values_are_kept_where_they_are_recorded(void **state)
{
	uint8_t record[256];
	size_t bytes = put_value(record, true);

	(void)state;
	assert_int_equal(sample_check_keep(record, bytes, &rule).refused, 1);
	assert_int_equal(refused_of(AT_VALUE(head.ip), 1, true), 0);
	assert_int_equal(refused_of(AT_VALUE(head.ip), 1, false), 0);
	assert_int_equal(refused_of(AT_VALUE(head.id), 6, true), 1);
	assert_int_equal(refused_of(AT_VALUE(head.id), PERFDATA_OF_LOADS, true), 1);
	assert_int_equal(refused_of(AT_VALUE(head.id), PERFDATA_OF_STACKS, true), 1);
	assert_int_equal(refused_of(AT_VALUE(head.id), PERFDATA_OF_TRACES, true), 1);
	assert_int_equal(refused_of(AT_VALUE(head.time), 99, true), 1);
	assert_int_equal(refused_of(AT_VALUE(head.period), UINT64_MAX, true), 1);
	assert_int_equal(refused_of(AT_VALUE(head.branch_count), 1, true), 1);
	assert_int_equal(refused_of(AT_VALUE(weight), UINT64_MAX, false), 1);
	assert_int_equal(refused_of(AT_VALUE(abi), PERF_SAMPLE_REGS_ABI_64, false), 1);
	assert_int_equal(refused_of(AT_VALUE(abi), PERF_SAMPLE_REGS_ABI_NONE, true), 1);
}

static size_t put_time(uint8_t *room, bool load)
{
	struct trace_record_sample sample = {
		.pid = 7, .tid = 8, .time = 150, .period = 9, .model_ps = 10, .timed_ps = 11};
	struct isa_taken entries[] = {{1, 2}};
	struct trace trace = {.entries = entries, .count = 1};
	struct load_time time = {1, 64, 300};

	if (load)
		trace_record_put_load(room, &sample, &time, 5);
	else
		trace_record_put_path(room, &sample, &trace);
	return perfdata_tagged_bytes(0);
}

static void test_times_are_kept_where_they_are_recorded(void **state)
{
	struct sample_check_rule tagged = rule;
	uint8_t record[256];

	(void)state;
	tagged.tagged = true;
	for (int load = 0; load < 2; load++) {
		const uint64_t much = UINT64_MAX, one = 1;
		size_t bytes = put_time(record, load);

		assert_int_equal(sample_check_keep(record, bytes, &rule).refused, 1);
		assert_int_equal(sample_check_keep(record, bytes, &tagged).kept, bytes);
		memcpy(record + AT_VALUE(head.period), &much, sizeof(much));
		assert_int_equal(sample_check_keep(record, bytes, &tagged).refused, 1);
		put_time(record, load);
		memcpy(record + AT_VALUE(abi), &one, sizeof(one));
		assert_int_equal(sample_check_keep(record, bytes, &tagged).refused, 1);
	}
}

static size_t put_stack(uint8_t *room, uint32_t bytes)
{
	struct trace_record_sample sample = {.pid = 7, .tid = 8, .time = 150, .period = 9};
	uint8_t stack[64];
	struct stack_copy copy = {.stack = stack, .bytes = bytes};

	memset(stack, 0xff, sizeof(stack));
	trace_record_put_stack(room, &sample, 1, 2, &copy);
	return perfdata_stack_record_bytes(ISA_HOST_UNWIND_REGISTERS, bytes);
}

static uint64_t refused_of_stack(size_t at, uint64_t value, uint32_t bytes)
{
	struct sample_check_rule copied = rule;
	uint8_t records[1024];
	size_t size = put_stack(records, bytes);

	copied.tagged = true;
	copied.stack_copy = 32;
	memcpy(records + at, &value, sizeof(value));
	size += put_tagged(records + size);
	return sample_check_keep(records, size, &copied).refused;
}

#define AT_STACK(member) offsetof(struct perfdata_stack_head, member)
#define AT_STACK_SIZE	 (sizeof(struct perfdata_stack_head) + ISA_HOST_UNWIND_REGISTERS * 8)

static void test_stacks_are_kept_where_they_are_recorded(void **state)
{
	struct sample_check_rule tagged = rule;
	uint8_t record[1024];
	size_t bytes = put_stack(record, 32);

	(void)state;
	tagged.tagged = true;
	assert_int_equal(sample_check_keep(record, bytes, &tagged).refused, 1);
	assert_int_equal(refused_of_stack(AT_STACK(ip), 1, 32), 0);
	assert_int_equal(refused_of_stack(AT_STACK(ip), 1, 0), 0);
	assert_int_equal(refused_of_stack(AT_STACK_SIZE + 8, 1, 32), 0); /* of the stack itself */
	assert_int_equal(refused_of_stack(AT_STACK(ip), 1, 40), 1);
	assert_int_equal(refused_of_stack(AT_STACK(id), PERFDATA_OF_TRACES, 32), 1);
	assert_int_equal(refused_of_stack(AT_STACK(time), 99, 32), 1);
	assert_int_equal(refused_of_stack(AT_STACK(period), UINT64_MAX, 32), 1);
	assert_int_equal(refused_of_stack(AT_STACK(chain_count), 1, 32), 1);
	assert_int_equal(refused_of_stack(AT_STACK(abi), PERF_SAMPLE_REGS_ABI_NONE, 32), 1);
	assert_int_equal(refused_of_stack(AT_STACK_SIZE, 24, 32), 1);
	assert_int_equal(refused_of_stack(AT_STACK_SIZE, UINT64_MAX - 7, 32), 1);
	assert_int_equal(refused_of_stack(AT_STACK_SIZE + 40, 24, 32), 1); /* what was filled */
}

static void test_others_are_not(void **state)
{
	static const struct {
		size_t at;
		uint64_t value;
		size_t bytes;
	} faults[] = {
		{AT(header.type), PERF_RECORD_MMAP2, 4},
		{AT(header.type), 68, 4},
		{AT(header.misc), PERF_RECORD_MISC_KERNEL, 2},
		{AT(pid), 1, 4},
		{AT(time), 99, 8},
		{AT(time), 201, 8},
		{AT(period), UINT64_MAX, 8},
		{AT(branch_count), BRANCHES - 1, 8},
		{AT(branch_count), BRANCHES + 1, 8},
		{AT(branch_count), UINT64_MAX / 24, 8},
		{AT_BRANCH_FLAGS, 1, 8},
		{AT_BRANCH_FLAGS, (PERF_BR_RET + 1) << PERFDATA_BRANCH_TYPE_SHIFT, 8},
		{AT_BRANCH_FLAGS, UINT64_C(1) << 33, 8},
		{RECORD_BYTES - 8, UINT64_MAX, 8}, /* the weight */
	};

	(void)state;
	for (size_t i = 0; i < sizeof(faults) / sizeof(faults[0]); i++) {
		struct sample_check_result r = with(faults[i].at, faults[i].value, faults[i].bytes);

		assert_int_equal(r.kept, 2 * RECORD_BYTES);
		assert_int_equal(r.looked_at, 3 * RECORD_BYTES);
		assert_int_equal(r.refused, 1);
	}
}

static void test_sizes_end_it(void **state)
{
	static const uint16_t sizes[] = {0, 7, 3 * RECORD_BYTES, UINT16_MAX};

	(void)state;
	for (size_t i = 0; i < sizeof(sizes) / sizeof(sizes[0]); i++) {
		struct sample_check_result r = with(AT(header.size), sizes[i], 2);

		assert_int_equal(r.kept, RECORD_BYTES);
		assert_int_equal(r.looked_at, RECORD_BYTES);
	}
	assert_int_equal(with(AT(header.size), 8, 2).kept, RECORD_BYTES);
}

static void test_names(void **state)
{
	static const char *const none[] = {"",
					   "control",
					   "0.0",
					   "01.0",
					   "1.00",
					   "1",
					   "1.",
					   ".1",
					   "1.1000",
					   "4194305.0",
					   "99999999999999999999.0",
					   "-1.0",
					   "1.0 ",
					   "1.0.0",
					   "1.0/x",
					   "libsoftlbr-collector.so"};

	(void)state;
	assert_int_equal(process_buffer_pid("1.0"), 1);
	assert_int_equal(process_buffer_pid("4194304.999"), 4194304);
	for (size_t i = 0; i < sizeof(none) / sizeof(none[0]); i++)
		assert_int_equal(process_buffer_pid(none[i]), 0);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(test_samples_of_the_collector_are_kept),
		cmocka_unit_test(test_others_are_not),
		cmocka_unit_test(test_values_are_kept_where_they_are_recorded),
		cmocka_unit_test(test_stacks_are_kept_where_they_are_recorded),
		cmocka_unit_test(test_times_are_kept_where_they_are_recorded),
		cmocka_unit_test(test_sizes_end_it),
		cmocka_unit_test(test_names),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
