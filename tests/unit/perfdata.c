/* SPDX-License-Identifier: MIT */
/* The perf.data reader on hand-made files. */
#include <setjmp.h>
#include <stdarg.h>
#include <stdlib.h>

#include <cmocka.h>

#include "base/memory.h"
#include "formats/perfdata.h"
#include "perfdata_bytes.h"
#include "whole_files.h"

/* What a reading delivered. */
struct seen {
	unsigned samples, mmaps, forks, comms, lost, branches;
	struct perfdata_record sample, mmap;
	struct perfdata_branch stack[8];
	char path[64];
	char comment[64];
	uint64_t sums[4]; /* branch `from` by event */
	char event_name[64];
};

static int take(void *context, const struct perfdata_info *info,
		const struct perfdata_record *record, struct softlbr_error *e)
{
	struct seen *s = context;

	(void)e;
	strcpy(s->event_name, info->events[0].name);
	if (info->comment)
		strcpy(s->comment, info->comment);
	switch (record->type) {
	case PERF_RECORD_SAMPLE:
		s->samples++;
		s->sample = *record;
		for (size_t i = 0; i < record->sample.branch_count; i++) {
			s->branches++;
			s->sums[record->sample.event & 3] += record->sample.branches[i].from;
			if (i < 8)
				s->stack[i] = record->sample.branches[i];
		}
		break;
	case PERF_RECORD_MMAP:
	case PERF_RECORD_MMAP2:
		s->mmaps++;
		s->mmap = *record;
		strcpy(s->path, record->mmap.path);
		break;
	case PERF_RECORD_FORK:
		s->forks++;
		break;
	case PERF_RECORD_COMM:
		s->comms++;
		break;
	case PERF_RECORD_LOST:
		s->lost += (unsigned)record->lost;
		break;
	}
	return 0;
}

static int read_all(const struct perfdata_bytes *b, struct seen *s, struct softlbr_error *e)
{
	memset(s, 0, sizeof(*s));
	memset(e, 0, sizeof(*e));
	return perfdata_read_bytes(b->data, b->size, "test", take, s, e);
}

#define PLAIN (PERF_SAMPLE_IP | PERF_SAMPLE_TID | PERF_SAMPLE_TIME | PERF_SAMPLE_BRANCH_STACK)

static void put_stack(struct perfdata_bytes *b, unsigned n)
{
	put(b, n, 8);
	for (unsigned i = 0; i < n; i++) {
		put(b, 0x1000 + i, 8);
		put(b, 0x2000 + i, 8);
		/* mispredicted, 7 cycles, wrong path */
		put(b, b->big ? 1ull << 63 | 7ull << 44 | 1ull << 38 : 1 | 7 << 4 | 1 << 24, 8);
	}
}

static void put_plain_sample(struct perfdata_bytes *b, uint64_t time, unsigned n)
{
	begin_record(b, PERF_RECORD_SAMPLE, PERF_RECORD_MISC_USER);
	put(b, 0x1234, 8);
	put(b, 10, 4);
	put(b, 11, 4);
	put(b, time, 8);
	put_stack(b, n);
	end_record(b);
}

static void put_trailer(struct perfdata_bytes *b, uint64_t time)
{
	put(b, 10, 4);
	put(b, 11, 4);
	put(b, time, 8);
}

static void put_mmap2(struct perfdata_bytes *b, uint64_t time)
{
	begin_record(b, PERF_RECORD_MMAP2, PERF_RECORD_MISC_USER | PERF_RECORD_MISC_MMAP_BUILD_ID);
	put(b, 10, 4);
	put(b, 10, 4);
	put(b, 0x400000, 8);
	put(b, 0x3000, 8);
	put(b, 0x1000, 8);
	put(b, 4, 1); /* build-id size */
	put(b, 0, 3);
	for (unsigned i = 0; i < 20; i++)
		put(b, 0xa0 + i, 1);
	put(b, 5, 4); /* PROT_READ | PROT_EXEC */
	put(b, 2, 4);
	put_text(b, "/bin/program");
	put_trailer(b, time);
	end_record(b);
}

static void small_file(struct perfdata_bytes *b, bool big, unsigned attr_bytes)
{
	begin_file(b, big, 1, attr_bytes, PLAIN, 0, PERF_SAMPLE_BRANCH_ANY);
	put_mmap2(b, 77);
	begin_record(b, PERF_RECORD_COMM, PERF_RECORD_MISC_COMM_EXEC);
	put(b, 10, 4);
	put(b, 10, 4);
	put_text(b, "program");
	put_trailer(b, 78);
	end_record(b);
	begin_record(b, PERF_RECORD_FORK, 0);
	put(b, 12, 4);
	put(b, 10, 4);
	put(b, 12, 4);
	put(b, 10, 4);
	put(b, 79, 8);
	put_trailer(b, 79);
	end_record(b);
	begin_record(b, PERF_RECORD_LOST, 0);
	put(b, 1, 8);
	put(b, 5, 8);
	put_trailer(b, 79);
	end_record(b);
	begin_record(b, 999, 0); /* from the future */
	put(b, 1, 8);
	end_record(b);
	put_plain_sample(b, 80, 3);
	finish_file(b);
}

static void check_small_file(const struct seen *s)
{
	assert_int_equal(s->samples, 1);
	assert_int_equal(s->mmaps, 1);
	assert_int_equal(s->comms, 1);
	assert_int_equal(s->forks, 1);
	assert_int_equal(s->lost, 5);
	assert_int_equal(s->branches, 3);
	assert_string_equal(s->path, "/bin/program");
	assert_int_equal(s->mmap.time, 77);
	assert_int_equal(s->mmap.mmap.start, 0x400000);
	assert_int_equal(s->mmap.mmap.page_offset, 0x1000);
	assert_int_equal(s->mmap.mmap.build_id.size, 4);
	assert_int_equal(s->mmap.mmap.build_id.bytes[3], 0xa3);
	assert_int_equal(s->sample.time, 80);
	assert_int_equal(s->sample.sample.ip, 0x1234);
	assert_int_equal(s->sample.sample.pid, 10);
	assert_int_equal(s->sample.sample.tid, 11);
	assert_int_equal(s->sample.sample.period, 1);
	assert_int_equal(s->stack[2].from, 0x1002);
	assert_int_equal(s->stack[2].to, 0x2002);
	assert_int_equal(s->stack[2].flags, 1 | 7 << 4 | 1 << 24);
	assert_string_equal(s->event_name, "branches");
}

static void reads_both_byte_orders_and_all_attr_sizes(void **state)
{
	static const unsigned sizes[] = {80, 96, 104, 112, 120, 128, 136, 160};
	struct perfdata_bytes b;
	struct softlbr_error e;
	struct seen s;

	(void)state;
	for (unsigned i = 0; i < sizeof(sizes) / sizeof(*sizes); i++) {
		for (int big = 0; big < 2; big++) {
			small_file(&b, big, sizes[i]);
			assert_int_equal(read_all(&b, &s, &e), 0);
			check_small_file(&s);
		}
	}
	/* the oldest attributes (64 and 72 bytes) know no branch stack, but the walk is the same */
	small_file(&b, false, 64);
	assert_int_equal(read_all(&b, &s, &e), 0);
	assert_int_equal(s.mmaps, 1);
}

static void cut_anywhere_is_an_error(void **state)
{
	struct perfdata_bytes b, whole;
	struct softlbr_error e;
	struct seen s;

	(void)state;
	small_file(&whole, false, 112);
	for (size_t n = 0; n < whole.size; n++) {
		uint8_t *exact = malloc(n ? n : 1); /* so that ASan sees any step past the end */

		memset(&s, 0, sizeof(s));
		memset(&e, 0, sizeof(e));
		memcpy(exact, whole.data, n);
		assert_int_equal(perfdata_read_bytes(exact, n, "test", take, &s, &e),
				 -SOFTLBR_E_INPUT);
		assert_int_equal(e.code, SOFTLBR_E_INPUT);
		assert_true(strlen(e.text) > 20);
		assert_int_equal(s.samples, 0); /* the only one is last */
		free(exact);
	}
	/* the recorder was killed before it wrote the final header: all records, and an error */
	b = whole;
	put_at(&b, 48, 0, 8);
	assert_int_equal(read_all(&b, &s, &e), -SOFTLBR_E_INPUT);
	check_small_file(&s);
}

static void every_damaged_byte_is_survived(void **state)
{
	struct perfdata_bytes whole;
	struct softlbr_error e;
	struct seen s;
	unsigned errors = 0;

	(void)state;
	small_file(&whole, false, 112);
	for (size_t at = 0; at < whole.size; at++) {
		static const uint8_t values[] = {0, 1, 0x7f, 0xff};

		for (unsigned i = 0; i < sizeof(values); i++) {
			uint8_t *exact = malloc(whole.size);

			memcpy(exact, whole.data, whole.size);
			exact[at] = values[i];
			memset(&s, 0, sizeof(s));
			memset(&e, 0, sizeof(e));
			if (perfdata_read_bytes(exact, whole.size, "test", take, &s, &e)) {
				assert_true(e.code != 0);
				errors++;
			}
			free(exact);
		}
	}
	assert_true(errors > 100);
}

/* Every field that can stand before the stack, and those between it and the weight. */
static void put_full_sample(struct perfdata_bytes *b)
{
	begin_record(b, PERF_RECORD_SAMPLE, PERF_RECORD_MISC_USER);
	put(b, 2, 8); /* IDENTIFIER */
	put(b, 0x1234, 8);
	put(b, 10, 4);
	put(b, 11, 4);
	put(b, 80, 8);
	put(b, 0xadd, 8); /* ADDR */
	put(b, 2, 8);	  /* ID */
	put(b, 9, 8);	  /* STREAM_ID */
	put(b, 1, 8);	  /* CPU */
	put(b, 4711, 8);  /* PERIOD */
	put(b, 2, 8);	  /* READ: two values with ids, and the two times */
	put(b, 100, 8);
	put(b, 101, 8);
	for (unsigned i = 0; i < 4; i++)
		put(b, i, 8);
	put(b, 2, 8); /* CALLCHAIN */
	put(b, 0xc0, 8);
	put(b, 0xc1, 8);
	put(b, 12, 4); /* RAW */
	put(b, 0, 4);
	put(b, 0, 8);
	put(b, 2, 8); /* BRANCH_STACK with the hardware's index */
	put(b, 0, 8);
	for (unsigned i = 0; i < 2; i++) {
		put(b, 0x1000 + i, 8);
		put(b, 0x2000 + i, 8);
		put(b, 0, 8);
	}
	put(b, 2, 8); /* REGS_USER: the ABI and two registers */
	put(b, 1, 8);
	put(b, 2, 8);
	put(b, 16, 8); /* STACK_USER */
	put(b, 0, 8);
	put(b, 0, 8);
	put(b, 16, 8);
	put(b, 33, 8); /* WEIGHT */
	put(b, 44, 8); /* DATA_SRC */
	put(b, 45, 8); /* TRANSACTION */
	end_record(b);
}

static void skips_all_other_fields(void **state)
{
	uint64_t type = PLAIN | PERF_SAMPLE_IDENTIFIER | PERF_SAMPLE_ADDR | PERF_SAMPLE_ID |
			PERF_SAMPLE_STREAM_ID | PERF_SAMPLE_CPU | PERF_SAMPLE_PERIOD |
			PERF_SAMPLE_READ | PERF_SAMPLE_CALLCHAIN | PERF_SAMPLE_RAW |
			PERF_SAMPLE_REGS_USER | PERF_SAMPLE_STACK_USER | PERF_SAMPLE_WEIGHT |
			PERF_SAMPLE_DATA_SRC | PERF_SAMPLE_TRANSACTION;
	uint64_t format = PERF_FORMAT_GROUP | PERF_FORMAT_ID | PERF_FORMAT_TOTAL_TIME_ENABLED |
			  PERF_FORMAT_TOTAL_TIME_RUNNING;
	struct perfdata_bytes b;
	struct softlbr_error e;
	struct seen s;

	(void)state;
	for (int big = 0; big < 2; big++) {
		begin_file(&b, big, 2, 112, type, format,
			   PERF_SAMPLE_BRANCH_ANY | PERF_SAMPLE_BRANCH_HW_INDEX);
		put_full_sample(&b);
		finish_file(&b);
		assert_int_equal(read_all(&b, &s, &e), 0);
		assert_int_equal(s.samples, 1);
		assert_int_equal(s.sample.time, 80);
		assert_int_equal(s.sample.sample.event, 1);
		assert_int_equal(s.sample.sample.id, 2);
		assert_int_equal(s.sample.sample.period, 4711);
		assert_int_equal(s.sample.sample.weight, 33);
		assert_int_equal(s.branches, 2);
		assert_int_equal(s.stack[1].from, 0x1001);
		assert_int_equal(s.stack[1].to, 0x2001);
	}
}

static void tells_events_apart_by_id_without_identifier(void **state)
{
	struct perfdata_bytes b;
	struct softlbr_error e;
	struct seen s;

	(void)state;
	begin_file(&b, false, 3, 112, PLAIN | PERF_SAMPLE_ID, 0, PERF_SAMPLE_BRANCH_ANY);
	for (unsigned id = 1; id <= 3; id++) {
		begin_record(&b, PERF_RECORD_SAMPLE, PERF_RECORD_MISC_USER);
		put(&b, 0x1234, 8);
		put(&b, 10, 8);
		put(&b, 80, 8);
		put(&b, id, 8);
		put_stack(&b, id);
		end_record(&b);
	}
	finish_file(&b);
	assert_int_equal(read_all(&b, &s, &e), 0);
	assert_int_equal(s.sums[0], 0x1000);
	assert_int_equal(s.sums[1], 0x2001);
	assert_int_equal(s.sums[2], 0x3003);
}

/* As perf record does where it follows all CPUs: its own event for maps has the CPU, others not. */
static void trailers_are_those_of_their_events(void **state)
{
	uint64_t with_cpu = PLAIN | PERF_SAMPLE_IDENTIFIER | PERF_SAMPLE_CPU;
	uint64_t without = PLAIN | PERF_SAMPLE_IDENTIFIER;
	struct perfdata_bytes b;
	struct softlbr_error e;
	struct seen s;

	(void)state;
	for (unsigned turn = 0; turn < 4; turn++) {
		bool cpu_first = turn & 1;

		begin_file(&b, turn & 2, 2, 112, cpu_first ? with_cpu : without, 0,
			   PERF_SAMPLE_BRANCH_ANY);
		/* the second event's sample_type */
		put_at(&b, 104 + 16 + 128 + 24, cpu_first ? without : with_cpu, 8);
		for (unsigned id = 1; id <= 2; id++) {
			begin_record(&b, PERF_RECORD_MMAP, PERF_RECORD_MISC_USER);
			put(&b, 10, 4);
			put(&b, 10, 4);
			put(&b, 0x400000, 8);
			put(&b, 0x3000, 8);
			put(&b, 0x1000, 8);
			put_text(&b, "/bin/program");
			put_trailer(&b, 70 + id);
			if ((id == 1) == cpu_first)
				put(&b, 3, 8);
			put(&b, id, 8);
			end_record(&b);
			finish_file(&b);
			assert_int_equal(read_all(&b, &s, &e), 0);
			assert_int_equal(s.mmaps, id);
			assert_int_equal(s.mmap.time, 70 + id);
		}
	}
}

static void put_string(struct perfdata_bytes *b, const char *text)
{
	size_t at = b->size;

	put(b, 0, 4);
	put_text(b, text);
	put_at(b, at, b->size - at - 4, 4);
}

static void takes_build_ids_names_and_version_from_features(void **state)
{
	struct perfdata_bytes b;
	struct softlbr_error e;
	struct seen s;
	size_t table, at;

	(void)state;
	begin_file(&b, false, 1, 112, PLAIN, 0, PERF_SAMPLE_BRANCH_ANY);
	begin_record(&b, PERF_RECORD_MMAP, PERF_RECORD_MISC_USER);
	put(&b, 10, 8);
	put(&b, 0x400000, 8);
	put(&b, 0x1000, 8);
	put(&b, 0, 8);
	put_text(&b, "/bin/program");
	put_trailer(&b, 1);
	end_record(&b);
	finish_file(&b);
	put_at(&b, 72, 1 << 2 | 1 << 5 | 1 << 12, 8);
	table = b.size;
	b.size += 3 * 16;

	at = b.size;
	begin_record(&b, 67, 1 << 15);
	put(&b, UINT32_MAX, 4);
	for (unsigned i = 0; i < 20; i++)
		put(&b, i < 16 ? 0xb0 + i : 0, 1);
	put(&b, 16, 4);
	put_text(&b, "/bin/program");
	end_record(&b);
	put_at(&b, table, at, 8);
	put_at(&b, table + 8, b.size - at, 8);

	at = b.size;
	put_string(&b, "softlbr 0.1.0; event=task-clock; depth=16");
	put_at(&b, table + 16, at, 8);
	put_at(&b, table + 24, b.size - at, 8);

	at = b.size;
	put(&b, 1, 4);
	put(&b, 112, 4);
	put_attr(&b, 112, PLAIN, 0, PERF_SAMPLE_BRANCH_ANY);
	put(&b, 1, 4);
	put_string(&b, "br_inst_retired.near_taken:upp");
	put(&b, 1, 8);
	put_at(&b, table + 32, at, 8);
	put_at(&b, table + 40, b.size - at, 8);

	assert_int_equal(read_all(&b, &s, &e), 0);
	assert_int_equal(s.mmap.mmap.build_id.size, 16);
	assert_int_equal(s.mmap.mmap.build_id.bytes[15], 0xbf);
	assert_string_equal(s.comment, "softlbr 0.1.0; event=task-clock; depth=16");
	assert_string_equal(s.event_name, "br_inst_retired.near_taken:upp");
}

static void reads_recordings_of_a_pipe(void **state)
{
	struct perfdata_bytes b = {0};
	struct softlbr_error e;
	struct seen s;

	(void)state;
	put(&b, 0x32454c4946524550, 8);
	put(&b, 16, 8);
	begin_record(&b, 64, 0); /* HEADER_ATTR */
	put_attr(&b, 112, PLAIN, 0, PERF_SAMPLE_BRANCH_ANY);
	put(&b, 1, 8);
	end_record(&b);
	begin_record(&b, 66, 0); /* TRACING_DATA: its bytes follow */
	put(&b, 5, 4);
	put(&b, 0, 4);
	end_record(&b);
	put(&b, UINT64_MAX, 8);
	put_mmap2(&b, 77);
	put_plain_sample(&b, 80, 3);
	begin_record(&b, 68, 0); /* FINISHED_ROUND */
	end_record(&b);
	assert_int_equal(read_all(&b, &s, &e), 0);
	assert_int_equal(s.samples, 1);
	assert_int_equal(s.mmaps, 1);
	assert_int_equal(s.branches, 3);
	b.size -= 3;
	assert_int_equal(read_all(&b, &s, &e), -SOFTLBR_E_INPUT);
}

static void refuses_what_it_cannot_read_by_name(void **state)
{
	struct perfdata_bytes b;
	struct softlbr_error e;
	struct seen s;

	(void)state;
	begin_file(&b, false, 1, 112, PLAIN, 0, PERF_SAMPLE_BRANCH_ANY);
	begin_record(&b, 81, 0);
	put(&b, 0x0123456789abcdef, 8);
	end_record(&b);
	finish_file(&b);
	assert_int_equal(read_all(&b, &s, &e), -SOFTLBR_E_INPUT);
	assert_non_null(strstr(e.text, "no zstd stream"));
	memcpy(b.data, "\177ELF", 4);
	assert_int_equal(read_all(&b, &s, &e), -SOFTLBR_E_INPUT);
	assert_non_null(strstr(e.text, "not a perf.data"));
	assert_int_equal(perfdata_read("/no/such/file", take, &s, NULL), -SOFTLBR_E_SYSTEM);
}

static void every_failed_allocation_is_reported(void **state)
{
	struct perfdata_bytes b;
	struct softlbr_error e;
	struct seen s;
	size_t n, made;

	(void)state;
	small_file(&b, false, 112);
	memory_fail_at(0);
	assert_int_equal(read_all(&b, &s, &e), 0);
	made = memory_fail_at(0);
	assert_true(made > 3);
	for (n = 1; n <= made; n++) {
		memory_fail_at(n);
		assert_int_equal(read_all(&b, &s, &e), -SOFTLBR_E_SYSTEM);
		assert_string_equal(e.text, "out of memory");
	}
	memory_fail_at(0);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(reads_both_byte_orders_and_all_attr_sizes),
		cmocka_unit_test(cut_anywhere_is_an_error),
		cmocka_unit_test(every_damaged_byte_is_survived),
		cmocka_unit_test(skips_all_other_fields),
		cmocka_unit_test(tells_events_apart_by_id_without_identifier),
		cmocka_unit_test(trailers_are_those_of_their_events),
		cmocka_unit_test(takes_build_ids_names_and_version_from_features),
		cmocka_unit_test(reads_recordings_of_a_pipe),
		cmocka_unit_test(refuses_what_it_cannot_read_by_name),
		cmocka_unit_test(every_failed_allocation_is_reported),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
