/* SPDX-License-Identifier: MIT */
#include "collector/inside/handler/workspace.h"

#include "base/atomics.h"
#include "collector/inside/handler/process.h"
#include "collector/kernel/process_memory.h"

#define LINE		   64u
#define SEGMENT_WORKSPACES 2u /* mapped at once: 1.6 MB */

/* Before the states, which follow it, the trace's entries, the values, loads, the entries' kinds,
 * and the copied stack. */
static size_t head_bytes(void)
{
	return (sizeof(struct workspace) + LINE - 1) & ~(size_t)(LINE - 1);
}

static size_t whole_bytes(void)
{
	size_t bytes = head_bytes() + 2 * sizeof(struct isa_state) +
		       TRACE_DEPTH_MAX * sizeof(struct isa_taken) +
		       SITE_VALUES_MOST * sizeof(struct site_value) +
		       LOAD_TIMES_MOST * sizeof(struct load_time) + TRACE_DEPTH_MAX +
		       PERFDATA_STACK_BYTES_MAX;

	/* pages of their own: what one does not touch is not there */
	return (bytes + SESSION_PAGE - 1) & ~(size_t)(SESSION_PAGE - 1);
}

static struct workspace *workspace_at(const struct process *p, uint32_t number)
{
	return arena_at(&p->workspaces, number);
}

void workspace_init(struct arena *workspaces)
{
	arena_init(workspaces, whole_bytes(), SEGMENT_WORKSPACES);
	/* a trace writes to a hundred pages, which would all be copied behind a fork */
	workspaces->wiped = true;
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
		.machine = &p->options.machine,
		.ends_early = p->options.depth_most != 0,
	};
}

/* At the first trace, as many processes end before it. */
static void make_workspace(struct workspace *w, struct process *p)
{
	struct core_options options = options_of(p);
	struct core_memory lent = {.cache = &p->cache};

	lent.states = (void *)((uint8_t *)w + head_bytes());
	lent.entries = (void *)(lent.states + 2);
	w->values.items = (void *)(lent.entries + TRACE_DEPTH_MAX);
	w->times.items = (void *)(w->values.items + SITE_VALUES_MOST);
	w->times.state = &w->core.now;
	lent.kinds = (void *)(w->times.items + LOAD_TIMES_MOST);
	w->copy.stack = (void *)(lent.kinds + TRACE_DEPTH_MAX);
	core_init(&w->core, &options, &lent);
	w->seen = w->core.counters;
}

int workspace_make(struct process *p, uint32_t number)
{
	return arena_make(&p->workspaces, number) ? 0 : -1;
}

/* Is the page there, by its address / 4096? struct memory_reader's question, of a process that may
 * serve faults. move_pages(2) tells where a page is without bringing it. mincore(2) can't tell: a
 * page that a file has in memory may still be for the program to serve
 * (UFFDIO_REGISTER_MODE_MINOR). */
static bool is_page_there(void *own_pages, uint64_t number)
{
	struct own_pages *o = own_pages;
	uint64_t page = number * MEMORY_PAGE;
	int node = -1;

	/* acquires the release in own_pages_before */
	if (!atomic_read_acquire(&o->served))
		return true;
	return !syscall_6(SYS_move_pages, 0, 1, (uintptr_t)&page, 0, (uintptr_t)&node, 0) &&
	       node >= 0;
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
	process_memory_init(&w->reader, &p->known);
	w->reader.is_there = is_page_there;
	w->reader.there = &p->pages;
	w->lines.near_ticks = p->options.machine.near_ticks;
	w->lines.farther_ticks = p->options.machine.farther_ticks;
	w->lines.slow_ticks = p->options.machine.slow_ticks;
	w->reader.lines = p->options.correction || p->options.times ? &w->lines : NULL;
	w->times.kept.most = p->options.times;
	w->lines.times = p->options.times ? &w->times : NULL;
	w->first_touches.lines = &w->lines;
	w->core.first_touches = p->options.correction == CORRECTION_PROBE ? &w->first_touches
									  : NULL;
	w->core.waypoints = w->core.first_touches ? &w->waypoints : NULL;
	w->copy.most = p->options.stack_copy;
	w->values.kept.most = p->options.values;
	w->core.values = p->options.values ? &w->values : NULL;
}

static bool try_to_take(struct workspace *w, struct process *p)
{
	uint32_t state = w ? atomic_read_relaxed(&w->state) : WORKSPACE_TAKEN;

	if (state == WORKSPACE_TAKEN || !atomic_swap_if(&w->state, state, WORKSPACE_TAKEN))
		return false;
	if (state == WORKSPACE_NONE)
		make_workspace(w, p);
	return true;
}

struct workspace *workspace_take(struct process *p, uint32_t wanted)
{
	uint32_t count = atomic_read_acquire(&p->slots_used), i = wanted;
	struct workspace *w;

	if (!try_to_take(workspace_at(p, wanted), p))
		for (i = 0; i < count && !try_to_take(workspace_at(p, i), p);)
			i++;
	if (i == count)
		return NULL;
	w = workspace_at(p, i);
	w->number = i;
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

/* Of a thread that the child does not have, and that was perhaps making it. */
static void forget_workspace(struct workspace *w)
{
	if (w && w->state == WORKSPACE_TAKEN)
		w->state = WORKSPACE_NONE;
}

void workspace_forget(struct process *p)
{
	for (uint32_t i = 0; i < p->slots_used && !p->workspaces.wiped; i++)
		forget_workspace(workspace_at(p, i));
}
