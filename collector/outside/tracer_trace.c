/* SPDX-License-Identifier: MIT */
#include <errno.h>
#include <sys/mman.h>
#include <sys/syscall.h>

#include "base/error.h"
#include "base/memory.h"
#include "collector/session/clock.h"
#include "collector/session/trace_record.h"
#include "collector/outside/tracer.h"

/* How many ticks that find the thread running a breakpoint is waited for. */
#define PATIENCE_TICKS 8u

static struct tracing *new_tracing(const struct tracer *t)
{
	const struct session_options *o = &t->options->session;
	struct core_options options = {.depth = o->depth,
				       .lookahead = o->lookahead,
				       .end_at_system_calls = true,
				       .audit = o->audit};
	size_t head = (sizeof(struct tracing) + 63) & ~(size_t)63;
	size_t bytes = head + 2 * sizeof(struct isa_state) + o->depth * sizeof(struct trace_entry);
	struct core_memory lent = {0};
	struct tracing *g = mmap(NULL, bytes, PROT_READ | PROT_WRITE, MAP_PRIVATE | MAP_ANONYMOUS,
				 -1, 0);

	if (g == MAP_FAILED)
		return NULL;
	lent.states = (void *)((char *)g + head);
	lent.entries = (void *)(lent.states + 2);
	if (core_init(&g->core, &options, &lent)) {
		munmap(g, bytes);
		return NULL;
	}
	return g;
}

static struct tracing *take_tracing(struct tracer *t, struct tracee_process *guest)
{
	struct tracing *g = t->idle;

	if (g)
		t->idle = g->next;
	else
		g = new_tracing(t);
	if (g) {
		g->core.cache = &guest->cache;
		g->core.options.restartable = &guest->restartable;
	}
	return g;
}

static void give_tracing_back(struct tracer *t, struct tracing *g)
{
	g->next = t->idle;
	t->idle = g;
}

void tracer_trace_deinit(struct tracer *t)
{
	for (struct tracing *g = t->idle; g; g = g->next)
		core_deinit(&g->core); /* the memory goes with the process */
	t->idle = NULL;
}

/* ---- writing ------------------------------------------------------------------------------- */

/* A trace longer than a record's stack is cut; the parts share the time and repeat one entry, so
 * that the range between them is kept (design.md, "Stacks in perf.data"). */
static int write_trace(struct tracer *t, const struct traced *thread, const struct trace *trace)
{
	uint64_t record[(sizeof(struct perfdata_sample_head) +
			 PERFDATA_SAMPLE_BRANCHES_MAX * sizeof(struct perf_branch_entry) +
			 sizeof(uint64_t)) /
			8];
	struct recording_sample sample = {.pid = thread->guest->pid,
					  .tid = (uint32_t)thread->tid,
					  .time = clock_now_ns(),
					  .period = t->period};
	unsigned most = t->options->session.stack, begin = 0, end;

	if (!trace->count)
		return 0;
	do {
		end = trace->count - begin > most ? begin + most : trace->count;
		trace_record_put(record, &sample, trace, begin, end);
		if (perfdata_writer_append(&t->writer, record, perfdata_sample_bytes(end - begin),
					   t->error))
			return -SOFTLBR_E_SYSTEM;
		begin = end - 1;
	} while (end < trace->count);
	tracer_count(t, COUNTER_TRACES, 1);
	tracer_count(t, COUNTER_BRANCHES, trace->count);
	return 0;
}

/* ---- one trace ----------------------------------------------------------------------------- */

static int finish(struct tracer *t, struct traced *thread, struct tracing *g, bool right)
{
	bool replaced = false;
	int rc = 0;

	t->checks++;
	if (right)
		rc = tracee_process_refresh(t, thread->guest, g->core.trace.start, &replaced);
	for (unsigned i = 0; !rc && right && i < g->core.trace.count; i++)
		rc = tracee_process_refresh(t, thread->guest, g->core.trace.entries[i].to,
					    &replaced);
	if (replaced)
		tracer_count(t, COUNTER_EARLY + CORE_MISPREDICTED, 1);
	else if (!rc && right)
		rc = write_trace(t, thread, &g->core.trace);
	session_count_core(t->result->counters, &g->core.counters, &g->seen);
	tracer_count(t, COUNTER_PAGES, t->reader->asked);
	t->reader->asked = 0;
	give_tracing_back(t, g);
	return rc;
}

/* Behind these the thread may block or ignore SIGTRAP, or be elsewhere. */
static bool changes_signals(const struct core *c)
{
	int64_t number;

	if (c->pending != PENDING_BEHIND)
		return false;
	number = isa_state_system_call(c->now);
	return number == -2 || number == SYS_rt_sigaction || number == SYS_rt_sigprocmask ||
	       number == SYS_rt_sigreturn || number == SYS_rt_sigsuspend;
}

/* Set the breakpoint, or count why not. */
static bool set_breakpoint(struct tracer *t, struct traced *thread, struct core *c,
			   struct core_action a)
{
	if (changes_signals(c))
		tracer_count(t, COUNTER_EARLY + CORE_SYSTEM_CALL, 1);
	else if (tracee_blocks_trap(thread->tid) || tracee_ignores_trap(thread->tid))
		tracer_count(t, COUNTER_TRAP_BLOCKED, 1);
	else if (tracee_break_at(thread->tid, a.address))
		tracer_count(t, COUNTER_NO_BREAKPOINT, 1);
	else
		return true;
	return false;
}

/* Do what the core says. The breakpoint may stand from before. */
static int act(struct tracer *t, struct traced *thread, struct tracing *g, struct core_action a)
{
	bool was_set = thread->breakpoint != 0;

	thread->tracing = NULL;
	if (a.verdict == CORE_BREAK) {
		if (!t->stopping && set_breakpoint(t, thread, &g->core, a)) {
			tracer_count(t, COUNTER_BREAKPOINTS, 1);
			thread->tracing = g;
			thread->breakpoint = a.address;
			thread->skip = a.skip;
			thread->patience = PATIENCE_TICKS;
			return 0;
		}
		was_set = true; /* perhaps half */
	} else if (a.verdict != CORE_COMPLETE) {
		tracer_count(t, COUNTER_EARLY + a.reason, 1);
	}
	if (was_set)
		tracee_unbreak(thread->tid);
	thread->breakpoint = 0;
	return finish(t, thread, g, a.verdict != CORE_DROP);
}

static void begin_reading(struct tracer *t, const struct traced *thread)
{
	t->reader->pid = thread->guest->pid;
	memory_reader_begin(t->reader, MEMORY_READV);
}

int tracer_trace_begin(struct tracer *t, struct traced *thread, const struct user_regs_struct *g)
{
	struct tracing *tracing;
	int rc;

	t->checks++;
	rc = tracee_process_refresh(t, thread->guest, g->rip, NULL);
	if (rc)
		return rc;
	tracing = take_tracing(t, thread->guest);
	if (!tracing)
		return error_set_nomem(t->error);
	if (tracee_load(thread->tid, g, core_state(&tracing->core))) {
		give_tracing_back(t, tracing);
		return 0; /* killed in this moment */
	}
	if (thread->guest->maps.writes_code)
		decode_cache_forget(&thread->guest->cache);
	begin_reading(t, thread);
	return act(t, thread, tracing, core_begin(&tracing->core, &t->reader->memory));
}

int tracer_trace_resume(struct tracer *t, struct traced *thread)
{
	struct tracing *g = thread->tracing;
	struct user_regs_struct registers;

	tracer_count(t, COUNTER_HITS, 1);
	if (!g) /* cut while the hit was under way */
		return 0;
	if (tracee_registers(thread->tid, &registers) ||
	    tracee_load(thread->tid, &registers, core_state(&g->core)))
		return 0;
	if (registers.rip != thread->breakpoint) {
		tracer_count(t, COUNTER_STRAY, 1);
		return tracer_trace_cut(t, thread, true);
	}
	if (thread->skip) {
		tracer_count(t, COUNTER_PASSED, 1);
		thread->skip--;
		return 0;
	}
	begin_reading(t, thread);
	return act(t, thread, g, core_resume(&g->core, &t->reader->memory));
}

int tracer_trace_cut(struct tracer *t, struct traced *thread, bool alive)
{
	struct tracing *g = thread->tracing;

	if (!g)
		return 0;
	if (alive)
		tracee_unbreak(thread->tid);
	thread->tracing = NULL;
	thread->breakpoint = 0;
	return finish(t, thread, g, true);
}
