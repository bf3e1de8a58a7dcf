/* SPDX-License-Identifier: MIT */
/* What is written is read back, complete or cut off at any moment by a writer that was killed. */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <cmocka.h>
#include <fcntl.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "collector/engine/trace_record.h"
#include "formats/perfdata.h"
#include "formats/perfdata_write.h"
#include "whole_files.h"

#define BRANCHES 5u

struct seen {
	unsigned samples, maps;
	bool softlbr;
	char comment[128];
	uint64_t oldest_from;
	char path[64];
	struct build_id build_id;
};

static int note(void *context, const struct perfdata_info *info,
		const struct perfdata_record *record, struct softlbr_error *e)
{
	struct seen *seen = context;

	(void)e;
	seen->softlbr = info->softlbr;
	snprintf(seen->comment, sizeof(seen->comment), "%s", info->comment ? info->comment : "");
	if (record->type == PERF_RECORD_SAMPLE) {
		assert_int_equal(record->sample.branch_count, BRANCHES);
		assert_int_equal(record->sample.ip, 0x401000);
		assert_int_equal(record->sample.tid, 8);
		assert_int_equal(record->sample.period, 12345);
		assert_int_equal(record->sample.weight, 777);
		assert_int_equal(record->time, 1000 + seen->samples);
		seen->oldest_from = record->sample.branches[BRANCHES - 1].from;
		seen->samples++;
	} else if (record->type == PERF_RECORD_MMAP2) {
		snprintf(seen->path, sizeof(seen->path), "%s", record->mmap.path);
		seen->build_id = record->mmap.build_id;
		seen->maps++;
	}
	return 0;
}

static void append_sample(struct perfdata_writer *w, uint64_t time)
{
	struct {
		struct perfdata_sample_head head;
		struct perf_branch_entry stack[BRANCHES];
		uint64_t weight;
	} r = {.head = {.header = {PERF_RECORD_SAMPLE, PERF_RECORD_MISC_USER, sizeof(r)},
			.ip = 0x401000,
			.pid = 7,
			.tid = 8,
			.time = time,
			.period = 12345,
			.branch_count = BRANCHES},
	       .weight = 777};

	assert_int_equal(sizeof(r), perfdata_sample_bytes(BRANCHES));
	for (unsigned i = 0; i < BRANCHES; i++)
		r.stack[i] = (struct perf_branch_entry){.from = 0x401100 - i, .to = 0x401200};
	assert_int_equal(perfdata_writer_append(w, &r, sizeof(r), NULL), 0);
}

static void append_map(struct perfdata_writer *w)
{
	struct {
		struct perf_event_header header;
		uint32_t pid, tid;
		uint64_t start, length, offset;
		uint8_t id_size, reserved[3], id[20];
		uint32_t protection, flags;
		char path[16];
		struct perfdata_sample_id trailer;
	} r = {.header = {PERF_RECORD_MMAP2, PERF_RECORD_MISC_MMAP_BUILD_ID, sizeof(r)},
	       .pid = 7,
	       .tid = 7,
	       .start = 0x401000,
	       .length = 0x1000,
	       .id_size = 20,
	       .id = {0xab, 0xcd},
	       .protection = 5,
	       .path = "/bin/program",
	       .trailer = {7, 7, 999}};

	assert_int_equal(perfdata_writer_append_other(w, &r.header, NULL), 0);
}

static void open_writer(struct perfdata_writer *w, const char *path)
{
	struct perf_event_attr attr = {.type = PERF_TYPE_SOFTWARE,
				       .config = PERF_COUNT_SW_TASK_CLOCK,
				       .sample_period = 1000000,
				       .sigtrap = 1};

	assert_int_equal(perfdata_writer_open(w, path, &attr, NULL, NULL), 0);
}

static void is_read_back(void **state)
{
	char path[] = "/tmp/softlbr-write-XXXXXX", *command[] = {"softlbr", "record", NULL};
	struct perfdata_features features = {
		.version = "softlbr 1; depth=5", .event_name = "task-clock:u", .command = command};
	struct perfdata_writer w;
	struct softlbr_error e = {0};
	struct seen seen = {0};

	(void)state;
	close(mkstemp(path));
	open_writer(&w, path);
	append_map(&w);
	append_map(&w); /* the build-id table has it once */
	for (unsigned i = 0; i < 10; i++)
		append_sample(&w, 1000 + i);
	assert_int_equal(w.modules.count, 1);
	assert_int_equal(perfdata_writer_close(&w, &features, NULL), 0);
	if (perfdata_read(path, note, &seen, &e))
		fail_msg("%s", e.text);
	assert_int_equal(seen.samples, 10);
	assert_int_equal(seen.maps, 2);
	assert_true(seen.softlbr);
	assert_string_equal(seen.comment, "softlbr 1; depth=5");
	assert_int_equal(seen.oldest_from, 0x401100 - (BRANCHES - 1));
	assert_string_equal(seen.path, "/bin/program");
	assert_int_equal(seen.build_id.size, 20);
	assert_int_equal(seen.build_id.bytes[1], 0xcd);
	unlink(path);
}

/* perf 7 warns of recordings that do not tell how many CPUs there are (HEADER_NRCPUS). */
static void cpus_are_told(void **state)
{
	enum { FEATURES_AT = 72, DATA_AT = 40, NRCPUS = 7 };
	char path[] = "/tmp/softlbr-write-XXXXXX";
	struct perfdata_features features = {.version = "softlbr 1", .event_name = "task-clock:u"};
	uint64_t data[2], bits, section[2];
	struct perfdata_writer w;
	uint32_t cpus[2];
	int fd = mkstemp(path);

	(void)state;
	open_writer(&w, path);
	append_sample(&w, 1000);
	assert_int_equal(perfdata_writer_close(&w, &features, NULL), 0);
	close(fd);
	fd = open(path, O_RDONLY);
	assert_int_equal(pread(fd, &bits, sizeof(bits), FEATURES_AT), sizeof(bits));
	assert_true(bits >> NRCPUS & 1);
	assert_int_equal(pread(fd, data, sizeof(data), DATA_AT), sizeof(data));
	data[0] += data[1] + sizeof(section) * (unsigned)__builtin_popcountll(bits & 0x7f);
	assert_int_equal(pread(fd, section, sizeof(section), (off_t)data[0]), sizeof(section));
	assert_int_equal(section[1], sizeof(cpus));
	assert_int_equal(pread(fd, cpus, sizeof(cpus), (off_t)section[0]), sizeof(cpus));
	assert_int_equal(cpus[0], sysconf(_SC_NPROCESSORS_CONF));
	assert_int_equal(cpus[1], sysconf(_SC_NPROCESSORS_ONLN));
	close(fd);
	unlink(path);
}

struct values_seen {
	unsigned traces, values, bare, maps, stacks;
};

#define STACK_BYTES 24u

static void note_stack(struct values_seen *seen, const struct perfdata_info *info,
		       const struct perfdata_sample *s)
{
	uint64_t value = 0;

	assert_string_equal(info->events[s->event].name, "softlbr:stacks");
	assert_int_equal(s->ip, 5);
	assert_int_equal(s->tid, 8);
	assert_int_equal(s->period, 9);
	assert_int_equal(s->address, 3);
	assert_int_equal(s->register_mask, ISA_HOST_UNWIND_MASK);
	assert_true(perfdata_sample_register(s, 0, &value));
	assert_int_equal(value, 70);
	assert_int_equal(s->registers[ISA_HOST_UNWIND_REGISTERS - 1], 71);
	assert_int_equal(s->stack_bytes, seen->stacks ? 0 : STACK_BYTES);
	if (s->stack_bytes)
		assert_int_equal(s->stack[STACK_BYTES - 1], 0xab);
	seen->stacks++;
}

static int note_values(void *context, const struct perfdata_info *info,
		       const struct perfdata_record *record, struct softlbr_error *e)
{
	const struct perfdata_sample *s = &record->sample;
	struct values_seen *seen = context;
	uint64_t value = 0;

	(void)e;
	if (record->type == PERF_RECORD_MMAP2) {
		assert_string_equal(record->mmap.path, "/bin/program");
		assert_int_equal(record->time, 999);
		seen->maps++;
	} else if (info->events[s->event].samples == PERFDATA_STACKS) {
		note_stack(seen, info, s);
	} else if (info->events[s->event].samples == PERFDATA_MOMENTS) {
		assert_int_equal(s->branch_count, 2);
		assert_int_equal(s->branches[1].from, 5);
		assert_int_equal(s->weight, 66);
		assert_int_equal(s->register_mask, 0);
		seen->traces++;
	} else {
		assert_string_equal(info->events[s->event].name, "softlbr:values");
		assert_int_equal(s->branch_count, 0);
		assert_int_equal(s->ip, 0x1000);
		assert_int_equal(s->address, 0x2000);
		assert_int_equal(s->period, 3);
		assert_int_equal(s->weight, 66);
		assert_false(perfdata_sample_register(s, 0, &value)); /* rax */
		seen->bare += !s->register_mask;
		seen->values++;
		if (!s->register_mask)
			return 0;
		assert_true(perfdata_sample_register(s, 5, &value)); /* rdi */
		assert_int_equal(value, 101);
		assert_true(perfdata_sample_register(s, 2, &value)); /* rcx */
		assert_int_equal(value, 104);
		assert_true(perfdata_sample_register(s, 17, &value)); /* r9 */
		assert_int_equal(value, 106);
	}
	return 0;
}

static void append_values(struct perfdata_writer *w)
{
	struct isa_taken entries[] = {{5, 6}, {7, 8}};
	uint8_t kinds[] = {ISA_JUMP, ISA_RETURN};
	struct trace trace = {.entries = entries, .kinds = kinds, .count = 2};
	struct trace_record_sample sample = {
		.pid = 7, .tid = 8, .time = 1000, .period = 9, .weight = 66, .tagged = true};
	struct site_value value = {.site = 0x1000,
				   .value = 0x2000,
				   .has_arguments = true,
				   .arguments = {101, 102, 103, 104, 105, 106}};
	uint64_t room[64];

	trace_record_put(room, &sample, &trace, 0, 2);
	assert_int_equal(perfdata_writer_append(w, room, perfdata_tagged_bytes(2), NULL), 0);
	for (int i = 0; i < 2; i++) {
		size_t bytes = trace_record_put_value(room, &sample, &value, 3);

		assert_int_equal(perfdata_writer_append(w, room, bytes, NULL), 0);
		value.has_arguments = false;
	}
}

static void append_stacks(struct perfdata_writer *w)
{
	struct trace_record_sample sample = {.pid = 7, .tid = 8, .time = 1000, .period = 9};
	uint8_t stack[STACK_BYTES] = {[STACK_BYTES - 1] = 0xab};
	struct stack_copy copy = {.stack = stack, .bytes = STACK_BYTES};
	uint64_t room[64];

	copy.registers[0] = 70;
	copy.registers[ISA_HOST_UNWIND_REGISTERS - 1] = 71;
	for (unsigned i = 0; i < 2; i++, copy.bytes = 0) {
		size_t bytes = perfdata_stack_record_bytes(ISA_HOST_UNWIND_REGISTERS, copy.bytes);

		trace_record_put_stack(room, &sample, 5, 3, &copy);
		assert_int_equal(perfdata_writer_append(w, room, bytes, NULL), 0);
	}
}

static void values_are_read_back(void **state)
{
	const struct perfdata_beside beside = {.values = true,
					       .stack_bytes = STACK_BYTES,
					       .stack_registers = ISA_HOST_UNWIND_MASK};
	char path[] = "/tmp/softlbr-write-XXXXXX";
	struct perfdata_features features = {.version = "softlbr 1", .event_name = "task-clock:u"};
	struct perf_event_attr attr = {.type = PERF_TYPE_SOFTWARE,
				       .config = PERF_COUNT_SW_TASK_CLOCK};
	struct perfdata_writer w;
	struct softlbr_error e = {0};
	struct values_seen seen = {0};

	(void)state;
	close(mkstemp(path));
	assert_int_equal(perfdata_writer_open(&w, path, &attr, &beside, NULL), 0);
	append_map(&w);
	append_stacks(&w);
	append_values(&w);
	assert_int_equal(w.modules.count, 1);
	assert_int_equal(perfdata_writer_close(&w, &features, NULL), 0);
	if (perfdata_read(path, note_values, &seen, &e))
		fail_msg("%s", e.text);
	assert_int_equal(seen.maps, 1);
	assert_int_equal(seen.traces, 1);
	assert_int_equal(seen.values, 2);
	assert_int_equal(seen.stacks, 2);
	assert_int_equal(seen.bare, 1);
	unlink(path);
}

static void is_readable_when_the_writer_dies(void **state)
{
	char path[] = "/tmp/softlbr-write-XXXXXX";
	struct softlbr_error e = {0};
	struct perfdata_writer w;
	struct seen seen = {0};

	(void)state;
	close(mkstemp(path));
	open_writer(&w, path);
	append_map(&w);
	append_sample(&w, 1000);
	assert_int_equal(perfdata_writer_sync(&w, NULL), 0);
	append_sample(&w, 1001); /* not synced */
	perfdata_writer_abandon(&w);
	if (perfdata_read(path, note, &seen, &e))
		fail_msg("%s", e.text);
	assert_in_range(seen.samples, 1, 2);
	unlink(path);
}

static char first_byte(const char *path)
{
	FILE *f = fopen(path, "r");
	char byte = 0;

	if (f) {
		byte = (char)fgetc(f);
		fclose(f);
	}
	return byte;
}

static void put_byte(const char *path, char byte)
{
	FILE *f = fopen(path, "w");

	assert_non_null(f);
	fputc(byte, f);
	fclose(f);
}

/* What was there stays, with its own older one, until there is something better. */
static void replaces_nothing_without_samples(void **state)
{
	struct perfdata_features features = {.version = "softlbr 1", .event_name = "task-clock:u"};
	char path[] = "/tmp/softlbr-write-XXXXXX", old[sizeof(path) + 4];
	struct perfdata_writer w;

	(void)state;
	close(mkstemp(path));
	snprintf(old, sizeof(old), "%s.old", path);
	put_byte(path, 'p');
	put_byte(old, 'o');
	for (unsigned samples = 0; samples < 2; samples++) {
		open_writer(&w, path);
		append_map(&w);
		assert_int_equal(perfdata_writer_sync(&w, NULL), 0);
		assert_int_equal(first_byte(path), 'p');
		assert_false(perfdata_writer_appeared(&w));
		if (samples)
			append_sample(&w, 1000);
		assert_int_equal(perfdata_writer_close(&w, &features, NULL), 0);
		assert_int_equal(first_byte(path), samples ? 'P' : 'p');
		assert_int_equal(first_byte(old), samples ? 'p' : 'o');
	}
	open_writer(&w, path);
	perfdata_writer_abandon(&w);
	assert_int_equal(first_byte(path), 'P');
	assert_int_equal(first_byte(old), 'p');
	unlink(old);
	/* there is nothing to keep: it is there at once */
	unlink(path);
	open_writer(&w, path);
	assert_int_equal(first_byte(path), 'P');
	perfdata_writer_abandon(&w);
	unlink(path);
}

static void says_where_it_cannot_write(void **state)
{
	struct perf_event_attr attr = {0};
	struct softlbr_error e = {0};
	struct perfdata_writer w;

	(void)state;
	assert_int_equal(perfdata_writer_open(&w, "/nonexistent/perf.data", &attr, NULL, &e),
			 -SOFTLBR_E_SYSTEM);
	assert_non_null(strstr(e.text, "/nonexistent/perf.data"));
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(is_read_back),
		cmocka_unit_test(cpus_are_told),
		cmocka_unit_test(values_are_read_back),
		cmocka_unit_test(is_readable_when_the_writer_dies),
		cmocka_unit_test(replaces_nothing_without_samples),
		cmocka_unit_test(says_where_it_cannot_write),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
