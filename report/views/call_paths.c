/* SPDX-License-Identifier: MIT */
/*
 * Which calls led to the code of a recording, by replaying its traces: a call pushes its caller, a
 * return pops it. At the beginning of a trace no caller is known; a return that nothing was pushed
 * for reveals one, which was a caller from the beginning on. Where the stack was copied, all are
 * known from the beginning on; the trace's returns have to agree. Recorded call stacks are taken as
 * they are, below the callers of their copied stack.
 */
#include "report/views/followed_traces.h"

#define NO_PATH UINT32_MAX

void call_paths_deinit(struct call_paths *p)
{
	followed_traces_deinit(&p->traces);
	vector_deinit(&p->paths);
	vector_deinit(&p->runs);
	map_deinit(&p->path_numbers);
	map_deinit(&p->ranges);
	map_deinit(&p->run_numbers);
}

double call_paths_times(const struct call_paths *p, const struct call_run *run)
{
	return run->plain + (p->rates > 0 ? run->weighed * p->rated / p->rates : 0);
}

static uint32_t path_below(struct call_paths *p, uint32_t parent, struct followed_place call)
{
	/* parts are few: their number fits above the addresses of code */
	const struct call_path *path = map_item(&p->path_numbers,
						(uint64_t)parent << 16 | (call.part + 1), call.va,
						&p->paths, (struct call_path){parent, call});

	return path ? (uint32_t)(path - p->paths.items) : NO_PATH;
}

static int add_run(struct call_paths *p, uint32_t path, uint32_t branch, uint32_t next,
		   const struct followed_trace *t)
{
	struct followed_range code;
	struct map_entry *range;
	struct call_run *run;

	if (!followed_traces_range(&p->traces, branch, next, &code))
		return 0;
	/* branches to one place run into the same code */
	range = map_at(&p->ranges, p->traces.branches.items[branch].to,
		       p->traces.branches.items[next].from);
	if (!range)
		return -1;
	if (!range->n)
		range->n = p->ranges.count;
	run = map_item(&p->run_numbers, path, range->n, &p->runs,
		       (struct call_run){path, code, 0, 0});
	if (!run)
		return -1;
	*(t->weight ? &run->weighed : &run->plain) += (double)t->times *
						      (t->weight ? (double)t->weight : 1);
	return 0;
}

/* Where calls that have not returned come back to, the innermost last. */
struct pushed {
	VECTOR(struct followed_place) behind;
};

/* Calls that a trace's returns reveal, the innermost first. */
struct revealed {
	VECTOR(struct followed_place) calls;
};

struct replay {
	struct call_paths *paths;
	struct pushed pushed;
	struct revealed revealed;
};

/* Where the call that is before @p ends. */
static struct followed_place before(struct followed_place p)
{
	p.va--;
	return p;
}

static bool is_call(const struct call_paths *p, uint32_t branch)
{
	return isa_is_call(p->traces.branches.items[branch].kind);
}

/* The instruction behind a call. */
static struct followed_place behind_call(const struct call_paths *p, uint32_t branch)
{
	struct followed_place at = *followed_traces_from(&p->traces, branch);
	struct isa_insn insn;
	struct binary *b = at.part == VIEW_NO_PART ? NULL
						   : p->traces.view->parts.items[at.part].binary;

	if (b && binary_decode(b, at.va, &insn))
		at.va += insn.length;
	return at;
}

#define NOWHERE SIZE_MAX

/* How many calls end when the branch is taken: 1 of a return to the last one, more where frames are
 * left at once (longjmp); 0 of what is no return; NOWHERE of one to no such place. */
static size_t calls_ended(const struct replay *r, uint32_t branch)
{
	const struct followed_place *to = followed_traces_to(&r->paths->traces, branch);
	const uint8_t kind = r->paths->traces.branches.items[branch].kind;
	size_t n = r->pushed.behind.count;

	if (kind != ISA_RETURN && kind != ISA_UNKNOWN)
		return 0;
	for (size_t i = n; i-- > 0;)
		if (r->pushed.behind.items[i].va == to->va &&
		    r->pushed.behind.items[i].part == to->part)
			return n - i;
	return kind == ISA_UNKNOWN ? 0 : NOWHERE;
}

static int push_call(struct replay *r, uint32_t branch)
{
	return vector_add(&r->pushed.behind, behind_call(r->paths, branch));
}

static int reveal_call(struct replay *r, uint32_t branch)
{
	return vector_add(&r->revealed.calls,
			  before(*followed_traces_to(&r->paths->traces, branch)));
}

/* From entry @first on to where the stack is another one, which is what is returned, the callers
 * that were there when it began are revealed. NOWHERE without memory. */
static size_t reveal_calls(struct replay *r, const struct followed_trace *t, size_t first)
{
	r->pushed.behind.count = r->revealed.calls.count = 0;
	for (size_t i = first; i < t->count; i++) {
		size_t ended = calls_ended(r, t->branches[i]);

		if (ended == NOWHERE) {
			if (r->pushed.behind.count)
				return i;
			if (reveal_call(r, t->branches[i]))
				return NOWHERE;
			continue;
		}
		r->pushed.behind.count -= ended;
		if (is_call(r->paths, t->branches[i]) && push_call(r, t->branches[i]))
			return NOWHERE;
	}
	return t->count;
}

static uint32_t path_of_revealed(struct replay *r)
{
	uint32_t path = CALL_PATH_UNKNOWN;

	for (size_t i = r->revealed.calls.count; i-- > 0 && path != NO_PATH;)
		path = path_below(r->paths, path, r->revealed.calls.items[i]);
	return path;
}

/* The path after a branch was taken below @path; NO_PATH without memory. */
static uint32_t path_after(struct replay *r, uint32_t path, uint32_t branch)
{
	const struct call_path *paths = r->paths->paths.items;
	size_t ended = calls_ended(r, branch);

	if (ended == NOWHERE) /* to a caller that was revealed */
		return paths[path].parent;
	r->pushed.behind.count -= ended;
	while (ended--)
		path = paths[path].parent;
	if (!is_call(r->paths, branch))
		return path;
	if (push_call(r, branch))
		return NO_PATH;
	return path_below(r->paths, path, before(behind_call(r->paths, branch)));
}

/* The callers by the copied stack, if the trace returned to them as far as it returned, and tells
 * no more. */
static uint32_t path_of_copy(struct replay *r, const struct followed_trace *t)
{
	const struct followed_place *revealed = r->revealed.calls.items;
	const size_t known = r->revealed.calls.count;
	uint32_t path = t->callers_whole ? CALL_PATH_BOTTOM : CALL_PATH_UNKNOWN;

	for (size_t i = 0; i < known && i < t->caller_count; i++)
		if (revealed[i].part != t->callers[i].part || revealed[i].va != t->callers[i].va) {
			r->paths->copies_wrong += t->times;
			return path_of_revealed(r);
		}
	if (known > t->caller_count)
		return path_of_revealed(r);
	r->paths->copies_whole += t->callers_whole ? t->times : 0;
	for (size_t i = t->caller_count; i-- > 0 && path != NO_PATH;)
		path = path_below(r->paths, path, t->callers[i]);
	return path;
}

/* Entries [first, end), which begin below @path. */
static int replay_part(struct replay *r, const struct followed_trace *t, size_t first, size_t end,
		       uint32_t path)
{
	r->pushed.behind.count = 0;
	for (size_t i = first; i < end; i++) {
		path = path_after(r, path, t->branches[i]);
		if (path == NO_PATH)
			return -1;
		if (i + 1 < t->count &&
		    add_run(r->paths, path, t->branches[i], t->branches[i + 1], t))
			return -1;
	}
	return 0;
}

/* Calls that have not returned, and where the sample was. */
static int take_call_stack(struct replay *r, const struct followed_trace *t)
{
	const uint32_t last = t->branches[t->count - 1];
	uint32_t path = t->callers_whole ? CALL_PATH_BOTTOM : CALL_PATH_UNKNOWN;

	r->paths->call_stacks = true;
	r->paths->copies_whole += t->callers_whole ? t->times : 0;
	for (size_t i = t->caller_count; i-- > t->callers_left && path != NO_PATH;)
		path = path_below(r->paths, path, t->callers[i]);
	for (size_t i = 0; i + 1 < t->count && path != NO_PATH; i++)
		path = path_below(r->paths, path, before(behind_call(r->paths, t->branches[i])));
	return path == NO_PATH ? -1 : add_run(r->paths, path, last, last, t);
}

static int replay_trace(void *context, const struct followed_traces *all,
			const struct followed_trace *t)
{
	struct replay *r = context;
	uint32_t path;

	(void)all;
	r->paths->samples += t->times;
	r->paths->copies += t->has_copy ? t->times : 0;
	if (t->is_call_stack)
		return take_call_stack(r, t);
	r->paths->rated += t->weight ? (double)t->times : 0;
	r->paths->rates += (double)t->times * (double)t->weight;
	for (size_t first = 0, end; first < t->count; first = end) {
		end = reveal_calls(r, t, first);
		path = end == NOWHERE	       ? NO_PATH
		       : t->has_copy && !first ? path_of_copy(r, t)
					       : path_of_revealed(r);
		if (path == NO_PATH || replay_part(r, t, first, end, path))
			return -1;
		r->paths->switches += end < t->count ? t->times : 0;
	}
	return 0;
}

int call_paths_make(struct call_paths *p, struct view *v)
{
	struct replay r = {.paths = p};
	struct call_path *unknown = vector_push(&p->paths), *bottom = vector_push(&p->paths);
	int rc = unknown && bottom ? 0 : -1;

	if (bottom)
		bottom->parent = CALL_PATH_BOTTOM;
	p->traces.call_stacks = p->traces.callers = true;
	if (!rc)
		rc = followed_traces_each(&p->traces, v, replay_trace, &r);
	vector_deinit(&r.pushed.behind);
	vector_deinit(&r.revealed.calls);
	return rc;
}
