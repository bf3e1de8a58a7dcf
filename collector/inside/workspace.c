/* SPDX-License-Identifier: MIT */
#include "collector/inside/workspace.h"

#include <errno.h>
#include <sys/mman.h>

#include "base/atomics.h"
#include "collector/inside/process.h"
#include "collector/session/syscall.h"

#define LINE 64u

/* Before the states, which follow it, and the trace's entries. */
static size_t head_bytes(void)
{
	return (sizeof(struct workspace) + LINE - 1) & ~(size_t)(LINE - 1);
}

static size_t whole_bytes(void)
{
	size_t bytes = head_bytes() + 2 * sizeof(struct isa_state) +
		       TRACE_DEPTH_MAX * sizeof(struct trace_entry);

	/* pages of their own: what one does not touch is not there */
	return (bytes + SESSION_PAGE - 1) & ~(size_t)(SESSION_PAGE - 1);
}

static struct workspace *at(const struct process *p, uint32_t number)
{
	return (void *)(p->workspaces + number * whole_bytes());
}

int workspace_map(struct process *p, uint32_t count)
{
	long fresh;

	if (p->workspaces)
		return 0;
	fresh = syscall_6(SYS_mmap, 0, count * whole_bytes(), PROT_READ | PROT_WRITE,
			  MAP_PRIVATE | MAP_ANONYMOUS | MAP_NORESERVE, (uint64_t)-1, 0);
	if (fresh < 0 && fresh > -4096)
		return (int)fresh;
	/* acquired in thread_take */
	atomic_write_release(&p->workspaces, (uint8_t *)fresh);
	return 0;
}

static struct core_options options_of(struct process *p)
{
	return (struct core_options){
		.depth = p->options.depth,
		.lookahead = p->options.lookahead,
		.audit = p->options.audit,
		.exclude_begin = p->text_begin,
		.exclude_end = p->text_end,
		.restartable = &p->restartable,
	};
}

int workspace_make(struct process *p, uint32_t number)
{
	struct workspace *w = at(p, number);
	struct core_options options = options_of(p);
	struct core_memory lent = {.cache = &p->cache};

	/* only the owner of the slot of this number makes it */
	if (atomic_read_relaxed(&w->state) != WORKSPACE_NONE)
		return 0;
	lent.states = (void *)((uint8_t *)w + head_bytes());
	lent.entries = (void *)(lent.states + 2);
	if (core_init(&w->core, &options, &lent))
		return -1;
	w->number = number;
	/* acquired in workspace_take */
	atomic_write_release(&w->state, WORKSPACE_FREE);
	return 0;
}

/* The first trace in a session. What was counted before is another's: of the session before, or of
 * a fork's parent, which was in the middle of a trace. */
static void enter_session(struct workspace *w, struct process *p)
{
	w->session = p->session;
	w->seen = w->core.counters;
	w->reader.asked = 0;
	w->core.options = options_of(p);
	w->core.until_audit = p->options.audit;
	memory_reader_init(&w->reader, &p->known);
	w->lines.slow_ticks = p->options.machine.slow_ticks;
	w->reader.lines = p->options.rates ? &w->lines : NULL;
	w->landmarks.lines = &w->lines;
	w->core.landmarks = p->options.rates == RATES_PROBE ? &w->landmarks : NULL;
}

static bool try_to_take(struct workspace *w)
{
	return atomic_read_relaxed(&w->state) == WORKSPACE_FREE &&
	       atomic_swap_if(&w->state, WORKSPACE_FREE, WORKSPACE_TAKEN);
}

struct workspace *workspace_take(struct process *p, uint32_t wanted)
{
	struct workspace *w = at(p, wanted);

	if (!try_to_take(w)) {
		uint32_t count = atomic_read_acquire(&p->slots_used), i = 0;

		while (i < count && !try_to_take(at(p, i)))
			i++;
		if (i == count)
			return NULL;
		w = at(p, i);
	}
	if (w->session != p->session)
		enter_session(w, p);
	return w;
}

void workspace_count(struct workspace *w, struct process *p)
{
	counters_add_core(p->file.header->counters, &w->core.counters, &w->seen);
	process_count(p, COUNTER_PAGES, w->reader.asked);
	process_count(p, COUNTER_SLOW_LINES, w->lines.slow);
	w->reader.asked = 0;
}

void workspace_give_back(struct workspace *w)
{
	/* acquired in workspace_take */
	atomic_write_release(&w->state, WORKSPACE_FREE);
}

void workspace_forget(struct process *p)
{
	for (uint32_t i = 0; i < p->slots_used; i++)
		if (at(p, i)->state == WORKSPACE_TAKEN)
			at(p, i)->state = WORKSPACE_FREE;
}
