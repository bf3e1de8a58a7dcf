/* SPDX-License-Identifier: MIT */
/* The states of a traced thread, as a backend sees them: with a program of two instructions, and
 * breakpoints that are hit by hand. */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>

#include <cmocka.h>
#include <linux/perf_event.h>
#include <string.h>

#include "collector/engine/counters.h"
#include "collector/engine/drive.h"
#include "collector/engine/trace_record.h"
#include "tests/snapshot.h"

#define BASE	    0x400000u
#define CACHE_BYTES (1u << 20)

/* nop; jmp to it */
static const uint8_t program[] = {0x90, 0xeb, 0xfd};

static struct {
	struct core core;
	struct snapshot registers;
	struct decode_cache cache;
	struct isa_taken entries[64];
	uint8_t kinds[64];
	struct isa_state states[2];
	uint8_t code[CACHE_BYTES] __attribute__((aligned(16)));
	uint64_t counters[COUNTER_COUNT];
	struct drive drive;
	bool refuses, times;	  /* breakpoints; traces */
	enum trace_state seen;	  /* by the last call of the backend */
	unsigned finished, right; /* traces */
	uint8_t record[4096];	  /* the last one */
	size_t record_bytes;
	unsigned records;
} f;

static bool read_memory(void *context, uint64_t address, void *out, size_t bytes)
{
	size_t room = sizeof(program) - (address - BASE);

	(void)context;
	if (address - BASE >= sizeof(program))
		return false;
	memset(out, 0x90, bytes);
	memcpy(out, program + (address - BASE), bytes < room ? bytes : room);
	return true;
}

static const struct isa_memory memory = {.read = read_memory};

static bool set_breakpoint(struct drive *d, const struct core_action *action)
{
	(void)action;
	f.seen = d->state;
	return !f.refuses;
}

static bool defer_finish(struct drive *d)
{
	f.seen = d->state;
	return f.times;
}

static int finish(struct drive *d, bool right)
{
	f.seen = d->state;
	f.finished++;
	f.right += right;
	d->state = TRACE_IDLE;
	return 0;
}

/* A weight that tells of how many branches it is. */
static void fill_sample(struct drive *d, struct trace_record_sample *sample)
{
	*sample = (struct trace_record_sample){.period = 1000,
					       .weight = 1000 + d->core->trace.count};
}

static void *reserve(struct drive *d, size_t bytes)
{
	(void)d;
	assert_true(bytes <= sizeof(f.record));
	f.record_bytes = bytes;
	return f.record;
}

static int publish(struct drive *d, void *record, size_t bytes)
{
	(void)d;
	assert_ptr_equal(record, f.record);
	assert_int_equal(bytes, f.record_bytes);
	f.records++;
	return 0;
}

static const struct core_backend backend = {
	.set_breakpoint = set_breakpoint,
	.defer_finish = defer_finish,
	.finish = finish,
	.fill_sample = fill_sample,
	.reserve = reserve,
	.publish = publish,
};

/* ---- what is recorded ---- */

static uint64_t room[256];
static struct perfdata_sample_head published;

static void fill_part(struct drive *d, struct trace_record_sample *sample)
{
	(void)d;
	sample->pid = sample->tid = 7;
}

static void *reserve_part(struct drive *d, size_t bytes)
{
	(void)d;
	return bytes <= sizeof(room) ? room : NULL;
}

static int publish_part(struct drive *d, void *record, size_t bytes)
{
	(void)d;
	(void)bytes;
	memcpy(&published, record, sizeof(published));
	return 0;
}

/* Four branches, of which the first @recorded are recorded by @filter; the record's head. */
static const struct perfdata_sample_head *recorded(unsigned recorded, uint32_t filter)
{
	static const uint8_t kinds[] = {ISA_CALL, ISA_RETURN, ISA_CALL, ISA_CALL};
	static const struct core_backend writes = {
		.fill_sample = fill_part, .reserve = reserve_part, .publish = publish_part};
	struct trace *t = &f.core.trace;

	t->start = 50;
	t->count = 4;
	for (unsigned i = 0; i < 4; i++) {
		t->entries[i] = (struct isa_taken){100 + i, 200 + i};
		t->kinds[i] = kinds[i];
	}
	f.drive.backend = &writes;
	f.drive.recorded = recorded;
	f.drive.filter = filter;
	assert_int_equal(drive_record(&f.drive), 0);
	return &published;
}

static void begin(enum core_lookahead lookahead, unsigned audit)
{
	struct core_options options = {.depth = 2, .lookahead = lookahead, .audit = audit};
	struct core_memory lent = {f.entries, f.kinds, f.states, &f.cache};

	memset(&f, 0, sizeof(f));
	decode_cache_init(&f.cache, f.code, CACHE_BYTES);
	core_init(&f.core, &options, &lent);
	f.registers.pc = BASE;
	f.registers.mxcsr = 0x1f80;
	f.drive = (struct drive){
		.backend = &backend, .counters = f.counters, .stack = 32, .core = &f.core};
}

static void sample(void)
{
	assert_int_equal(f.drive.state, TRACE_IDLE);
	snapshot_load(core_state(&f.core), &f.registers);
	drive_begin(&f.drive, &memory);
}

/* The thread comes to its breakpoint, as often as it has to be let pass. */
static void hit(void)
{
	enum trace_state awaited = f.drive.state;
	enum drive_hit how;

	f.registers.pc = f.drive.breakpoint;
	snapshot_load(core_state(&f.core), &f.registers);
	while ((how = drive_hit(&f.drive, false)) == DRIVE_SKIPPED)
		assert_int_equal(f.drive.state, awaited);
	assert_int_equal(how, DRIVE_AWAITED);
	assert_int_equal(f.drive.state, awaited);
	drive_resume(&f.drive, &memory);
}

/* Each branch has its breakpoint; between them look-ahead follows. */
static void waits_at_breakpoints(void **state)
{
	(void)state;
	begin(CORE_OFF, 0);
	sample();
	assert_int_equal(f.seen, TRACE_FOLLOWING);
	assert_int_equal(f.drive.state, TRACE_AT_BREAKPOINT);
	hit();
	assert_int_equal(f.seen, TRACE_FOLLOWING);
	assert_int_equal(f.drive.state, TRACE_AT_BREAKPOINT);
	hit();
	assert_int_equal(f.seen, TRACE_FOLLOWING);
	assert_int_equal(f.drive.state, TRACE_IDLE);
	assert_int_equal(f.finished, 1);
	assert_int_equal(f.right, 1);
}

/* At the trace's predicted end; who finishes it sees that the thread came there. */
static void audits_its_end(void **state)
{
	(void)state;
	begin(CORE_FULL, 1);
	sample();
	assert_int_equal(f.drive.state, TRACE_AUDITING);
	assert_int_equal(drive_awaits(&f.drive), TRACE_AUDITING);
	hit();
	assert_int_equal(f.seen, TRACE_AUDITED);
	assert_int_equal(f.drive.state, TRACE_IDLE);
	assert_int_equal(f.right, 1);
}

/* A trace that is complete at once may be timed before it is finished. */
static void is_timed(void **state)
{
	(void)state;
	begin(CORE_FULL, 0);
	f.times = true;
	sample();
	assert_int_equal(f.seen, TRACE_FOLLOWING);
	assert_int_equal(f.drive.state, TRACE_TIMING);
	assert_int_equal(f.finished, 0);
}

/* Without a breakpoint the trace ends, with what it holds. */
static void ends_without_a_breakpoint(void **state)
{
	(void)state;
	begin(CORE_OFF, 0);
	f.refuses = true;
	sample();
	assert_int_equal(f.seen, TRACE_FOLLOWING);
	assert_int_equal(f.drive.state, TRACE_IDLE);
	assert_int_equal(f.finished, 1);
	assert_int_equal(f.counters[COUNTER_BREAKPOINTS], 0);
}

/* A path of 64 branches, of which so many are recorded, in so many records; the last one has
 * @last. */
static void assert_recorded(unsigned recorded, unsigned branches, unsigned records, unsigned last)
{
	uint64_t weight;

	begin(CORE_FULL, 0);
	f.core.options.depth = 64;
	f.drive.recorded = recorded;
	sample();
	assert_int_equal(f.core.trace.count, 64);
	assert_int_equal(drive_record(&f.drive), 0);
	assert_int_equal(f.records, records);
	assert_int_equal(f.record_bytes, perfdata_sample_bytes(last));
	assert_int_equal(f.counters[COUNTER_TRACES], 1);
	assert_int_equal(f.counters[COUNTER_BRANCHES], branches);
	assert_int_equal(f.counters[COUNTER_PERIODS], 1000);
	/* it is by all of the path */
	memcpy(&weight, f.record + f.record_bytes - sizeof(weight), sizeof(weight));
	assert_int_equal(weight, 1064);
}

/* Of a path that was followed to know its rate. */
static void records_the_first_part(void **state)
{
	(void)state;
	assert_recorded(0, 64, 3, 2); /* each begins with the last branch of the one before */
	assert_recorded(16, 16, 1, 16);
	assert_recorded(40, 40, 2, 9);
	assert_recorded(64, 64, 3, 2);
	assert_recorded(100, 64, 3, 2);
}

/* What is asked for is the first part of a longer path: the path is cut, and then what is not
 * wanted of it is left out, so that a call stack is that of the part's end. */
static void a_part_is_recorded(void **state)
{
	const struct perfdata_sample_head *head;

	(void)state;
	begin(CORE_FULL, 0);
	head = recorded(2, 0);
	assert_int_equal(head->branch_count, 2);
	assert_int_equal(head->ip, 50);
	assert_int_equal(f.core.trace.count, 4); /* the path that took its time */
	assert_int_equal(recorded(0, 0)->branch_count, 4);
	assert_int_equal(recorded(3, PERF_SAMPLE_BRANCH_ANY_CALL)->branch_count, 2);
	head = recorded(3, PERF_SAMPLE_BRANCH_CALL_STACK);
	assert_int_equal(head->branch_count, 1);
	assert_int_equal(head->ip, 202);
	head = recorded(2, PERF_SAMPLE_BRANCH_CALL_STACK);
	assert_int_equal(head->branch_count, 0);
	assert_int_equal(head->ip, 201);
}

/* The types of what recorded() has put down, newest first, as digits. */
static unsigned types(const struct perfdata_sample_head *head)
{
	const struct perf_branch_entry *b = (const void *)((const char *)room + sizeof(*head));
	unsigned digits = 0;

	for (uint64_t i = 0; i < head->branch_count; i++)
		digits = 10 * digits + b[i].type;
	return digits;
}

/* As hardware's with PERF_SAMPLE_BRANCH_TYPE_SAVE; what is left out of a trace moves none. */
static void types_are_recorded(void **state)
{
	(void)state;
	assert_int_equal(PERF_BR_CALL, 4);
	assert_int_equal(PERF_BR_RET, 6);
	begin(CORE_FULL, 0);
	assert_int_equal(types(recorded(0, 0)), 4464);
	assert_int_equal(types(recorded(3, PERF_SAMPLE_BRANCH_ANY_RETURN)), 6);
	assert_int_equal(types(recorded(3, PERF_SAMPLE_BRANCH_ANY_CALL)), 44);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(waits_at_breakpoints),
		cmocka_unit_test(audits_its_end),
		cmocka_unit_test(is_timed),
		cmocka_unit_test(a_part_is_recorded),
		cmocka_unit_test(types_are_recorded),
		cmocka_unit_test(ends_without_a_breakpoint),
		cmocka_unit_test(records_the_first_part),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
