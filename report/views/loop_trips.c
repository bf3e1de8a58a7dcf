/* SPDX-License-Identifier: MIT */
#include "report/views/loop_trips.h"

#include "base/memory.h"
#include "converter/binary/code.h"

/* ---- blocks of traces ---------------------------------------------------------------------- */

static void traced_code_deinit(struct traced_code *c)
{
	struct block_finder **finder;
	struct traced_function *f;

	vector_each (&c->functions, f)
		loops_deinit(&f->loops);
	vector_each (&c->finders, finder)
		block_finder_free(*finder);
	vector_deinit(&c->functions);
	vector_deinit(&c->finders);
	vector_deinit(&c->blocks);
	vector_deinit(&c->branches);
	map_deinit(&c->numbers);
}

static struct block_finder *finder_of(struct traced_code *c, size_t part)
{
	const struct view_part *p = &c->view->parts.items[part];

	while (c->finders.count <= part)
		if (!vector_push(&c->finders))
			return NULL;
	if (!c->finders.items[part])
		c->finders.items[part] = block_finder_new(p->binary, p->profile);
	return c->finders.items[part];
}

static int add_function(struct traced_code *c, size_t part, const struct binary_function *f)
{
	struct block_finder *finder = finder_of(c, part);
	struct traced_function *slot = finder ? vector_push(&c->functions) : NULL;

	if (!slot)
		return -1;
	*slot = (struct traced_function){.part = part, .function = f, .first_loop = c->loop_count};
	slot->blocks = block_finder_get(finder, f);
	if (!slot->blocks || loops_find(&slot->loops, slot->blocks))
		return -1;
	c->loop_count += (uint32_t)slot->loops.items.count;
	return 0;
}

static int find_block(struct traced_code *c, const struct followed_place *p,
		      struct traced_block *out)
{
	struct binary *b = p->part == VIEW_NO_PART ? NULL : c->view->parts.items[p->part].binary;
	const struct binary_function *f = b ? binary_function_at(b, p->va) : NULL;
	const struct blocks *blocks;
	struct map_entry *e;
	size_t block;

	*out = (struct traced_block){TRACED_NONE, TRACED_NONE, false};
	if (!f)
		return 0;
	e = map_at(&c->numbers, f->begin, p->part);
	if (!e)
		return -1;
	if (!e->n) {
		if (add_function(c, p->part, f))
			return -1;
		e->n = c->functions.count;
	}
	blocks = c->functions.items[e->n - 1].blocks;
	block = block_list_find(blocks, p->va);
	if (block == CODE_NONE)
		return 0;
	*out = (struct traced_block){(uint32_t)(e->n - 1), (uint32_t)block,
				     blocks->items.items[block].begin == p->va};
	return 0;
}

/* Look up all places and branches that are new since. 0, or -1 without memory. */
static int traced_code_extend(struct traced_code *c, const struct followed_traces *all)
{
	while (c->blocks.count < all->places.count) {
		const struct followed_place *p = &all->places.items[c->blocks.count];
		struct traced_block *slot = vector_push(&c->blocks);

		if (!slot || find_block(c, p, slot))
			return -1;
	}
	while (c->branches.count < all->branches.count) {
		const struct followed_branch *b = &all->branches.items[c->branches.count];

		if (vector_add(&c->branches,
			       (struct traced_branch){c->blocks.items[b->from],
						      c->blocks.items[b->to], b->kind}))
			return -1;
	}
	return 0;
}

/* The innermost loop of a block, as it is numbered in its function; LOOPS_NONE. */
static uint32_t traced_code_loop(const struct traced_code *c, uint32_t function, uint32_t block)
{
	return c->functions.items[function].loops.of_block[block];
}

/* ---- loops --------------------------------------------------------------------------------- */

void loop_trips_deinit(struct loop_trips *t)
{
	struct map *m;

	vector_each (&t->turns, m)
		map_deinit(m);
	vector_deinit(&t->turns);
	vector_deinit(&t->runs);
	vector_deinit(&t->frames);
	traced_code_deinit(&t->code);
}

/* ---- runs of loops ------------------------------------------------------------------------- */

struct follower {
	struct loop_trips *trips;
	uint64_t times; /* of the trace */
	bool failed;
};

static struct loop_frame *top_frame(struct loop_trips *t)
{
	return &t->frames.items[t->frames.count - 1];
}

static const struct loops *loops_of(const struct loop_trips *t, uint32_t function)
{
	return &t->code.functions.items[function].loops;
}

static void note_turns(struct follower *f, uint32_t function, const struct loop_run *run, bool cut)
{
	struct loop_trips *t = f->trips;
	uint32_t loop = t->code.functions.items[function].first_loop + run->loop;
	struct map_entry *e;

	if (!run->entered)
		return;
	while (t->turns.count < t->code.loop_count)
		if (!vector_push(&t->turns)) {
			f->failed = true;
			return;
		}
	e = map_at(&t->turns.items[loop], run->turns, 0);
	if (!e)
		f->failed = true;
	else if (cut)
		e->m += f->times;
	else
		e->n += f->times;
}

/*
 * The last turn of a loop that is left from its head, whose condition is there, was none: `for`
 * runs its condition once more than its body.
 */
static void leave(struct follower *f, struct loop_run run)
{
	const struct loop_frame *frame = top_frame(f->trips);
	const struct loop *l = &loops_of(f->trips, frame->function)->items.items[run.loop];

	if (run.turns && frame->block == l->head && l->blocks > 1)
		run.turns--;
	note_turns(f, frame->function, &run, false);
}

/* All loops of the frame were left, or (@cut) the trace ended in them. */
static void leave_all(struct follower *f, bool cut)
{
	struct loop_trips *t = f->trips;
	struct loop_frame *frame = top_frame(t);

	while (t->runs.count > frame->first) {
		struct loop_run run = t->runs.items[--t->runs.count];

		if (cut)
			note_turns(f, frame->function, &run, true);
		else
			leave(f, run);
	}
}

static void push_run(struct follower *f, uint32_t loop, bool entered)
{
	if (vector_add(&f->trips->runs, (struct loop_run){loop, 1, entered}))
		f->failed = true;
}

static void push_frame(struct follower *f)
{
	struct loop_trips *t = f->trips;

	if (t->frames.count == t->frames.capacity && vector_reserve(&t->frames, 1))
		f->failed = true;
	else
		t->frames.items[t->frames.count++] = (struct loop_frame){TRACED_NONE, TRACED_NONE,
									 t->runs.count};
}

/* ---- from block to block ------------------------------------------------------------------- */

/* Outer loops first. */
static void resume_loops(struct follower *f, const struct loops *loops, uint32_t loop)
{
	if (loop == LOOPS_NONE)
		return;
	resume_loops(f, loops, loops->items.items[loop].parent);
	push_run(f, loop, false);
}

/* In the middle of a function, of which nothing was seen before. */
static void resume(struct follower *f, uint32_t function, uint32_t block)
{
	struct loop_frame *frame = top_frame(f->trips);

	frame->function = function;
	frame->block = block;
	resume_loops(f, loops_of(f->trips, function),
		     traced_code_loop(&f->trips->code, function, block));
}

/* A jump to another function, or another part of this one. False: the frame stays where it is. */
static bool change_function(struct follower *f, uint32_t function)
{
	struct loop_trips *t = f->trips;
	struct loop_frame *frame = top_frame(t);

	if (jump_tables_same_function(t->code.functions.items[frame->function].function,
				      t->code.functions.items[function].function)) {
		if (t->runs.count > frame->first)
			return false; /* it comes back from the cold part */
	} else {
		leave_all(f, false);
	}
	frame->function = function;
	frame->block = TRACED_NONE;
	return true;
}

static void turn(struct follower *f, const struct loops *loops, uint32_t block, uint32_t loop)
{
	struct loop_trips *t = f->trips;
	const struct loop_frame *frame = top_frame(t);
	struct loop_run *last = t->runs.count > frame->first ? &t->runs.items[t->runs.count - 1]
							     : NULL;

	if (loop == LOOPS_NONE || loops->items.items[loop].head != block)
		return;
	if (last && last->loop == loop)
		last->turns++;
	else
		push_run(f, loop,
			 frame->block == TRACED_NONE || !loops_contain(loops, loop, frame->block));
}

/* Most blocks are in the loop that runs already: it goes on. False: loops are left or entered. */
static bool goes_on(struct loop_trips *t, uint32_t function, uint32_t block, bool begins)
{
	struct loop_frame *frame = top_frame(t);
	struct loop_run *last = t->runs.count > frame->first ? &t->runs.items[t->runs.count - 1]
							     : NULL;
	const struct loops *loops;

	if (frame->function != function)
		return false;
	loops = loops_of(t, function);
	if (loops->of_block[block] != (last ? last->loop : LOOPS_NONE))
		return false;
	if (begins && last && loops->items.items[last->loop].head == block)
		last->turns++;
	frame->block = block;
	return true;
}

/* Apart, so that what most blocks do is short. */
static __attribute__((noinline)) void change_block(struct follower *f, uint32_t function,
						   uint32_t block, bool begins)
{
	struct loop_trips *t = f->trips;
	struct loop_frame *frame = top_frame(t);
	const struct loops *loops;

	if (frame->function == TRACED_NONE) {
		resume(f, function, block);
		return;
	}
	if (frame->function != function && !change_function(f, function))
		return;
	loops = loops_of(t, function);
	while (t->runs.count > frame->first &&
	       !loops_contain(loops, t->runs.items[t->runs.count - 1].loop, block))
		leave(f, t->runs.items[--t->runs.count]);
	if (begins)
		turn(f, loops, block, traced_code_loop(&t->code, function, block));
	frame->block = block;
}

/* Control comes to a block, to its first instruction if it @begins there. */
static void arrive(struct follower *f, uint32_t function, uint32_t block, bool begins)
{
	if (!goes_on(f->trips, function, block, begins))
		change_block(f, function, block, begins);
}

static void enter(struct follower *f, const struct traced_block *at)
{
	struct loop_frame *frame = top_frame(f->trips);

	/* a function that is called begins at its first block */
	if (frame->function == TRACED_NONE && !at->block && at->begins &&
	    f->trips->frames.count > 1) {
		frame->function = at->function;
		arrive(f, at->function, at->block, true);
		return;
	}
	arrive(f, at->function, at->block, at->begins);
}

static void pop_frame(struct follower *f)
{
	struct loop_trips *t = f->trips;

	if (top_frame(t)->function != TRACED_NONE)
		leave_all(f, false);
	t->frames.count--;
	if (!t->frames.count)
		push_frame(f);
}

/* Forget the loops of the frame: where it is now is not known. */
static void forget_frame(struct follower *f)
{
	struct loop_frame *frame = top_frame(f->trips);

	f->trips->runs.count = frame->first;
	frame->function = frame->block = TRACED_NONE;
}

static void follow_branch(struct follower *f, uint8_t kind, const struct traced_block *to)
{
	if (isa_is_call(kind))
		push_frame(f);
	else if (kind == ISA_RETURN)
		pop_frame(f);
	if (f->failed)
		return;
	if (to->function == TRACED_NONE)
		forget_frame(f);
	else
		enter(f, to);
}

/* The blocks behind the one that a branch went to, up to the next branch. */
static void run_on(struct follower *f, const struct traced_block *from,
		   const struct traced_block *to)
{
	if (from->function == TRACED_NONE || from->function != to->function)
		return;
	for (uint32_t b = from->block + 1; b <= to->block && !f->failed; b++)
		arrive(f, from->function, b, true);
}

/* ---- the calls ----------------------------------------------------------------------------- */

static void end_trace(struct follower *f)
{
	struct loop_trips *t = f->trips;

	while (t->frames.count && !f->failed) {
		if (top_frame(t)->function != TRACED_NONE)
			leave_all(f, true);
		t->frames.count--;
	}
}

int loop_trips_add(struct loop_trips *t, const struct followed_traces *all,
		   const struct followed_trace *trace)
{
	struct follower f = {.trips = t, .times = trace->times};
	const struct traced_branch *b, *next;

	if (traced_code_extend(&t->code, all))
		return -1;
	t->runs.count = t->frames.count = 0;
	push_frame(&f);
	next = &t->code.branches.items[trace->branches[0]];
	if (!f.failed && next->from.function != TRACED_NONE)
		resume(&f, next->from.function, next->from.block);
	for (size_t i = 0; i < trace->count && !f.failed; i++) {
		b = next;
		follow_branch(&f, b->kind, &b->to);
		if (i + 1 == trace->count)
			break;
		next = &t->code.branches.items[trace->branches[i + 1]];
		run_on(&f, &b->to, &next->from);
	}
	end_trace(&f);
	return f.failed ? -1 : 0;
}

/* ---- what is known of one loop ------------------------------------------------------------- */

/* The distribution behind the values up to one of them. */
static void pass_value(struct loop_summary *s, uint64_t value, double share_above)
{
	if (!s->has_median && share_above <= 0.5) {
		s->median = value;
		s->has_median = true;
	}
	if (!s->has_p90 && share_above <= 0.1 + 1e-12) {
		s->p90 = value;
		s->has_p90 = true;
	}
}

int loop_trips_summarize(const struct map *turns, struct loop_summary *out)
{
	struct map_entry **sorted = map_sorted(turns);
	double above = 1, at_risk = 0, mean = 0;
	uint64_t before = 0;

	*out = (struct loop_summary){0};
	if (!sorted)
		return -1;
	for (size_t i = 0; i < turns->count; i++) {
		out->entries += sorted[i]->n + sorted[i]->m;
		out->cut += sorted[i]->m;
		out->most = sorted[i]->a;
	}
	at_risk = (double)out->entries;
	for (size_t i = 0; i < turns->count; i++) {
		const struct map_entry *e = sorted[i];

		mean += above * (double)(e->a - before);
		above *= 1 - (double)e->n / at_risk;
		at_risk -= (double)(e->n + e->m);
		before = e->a;
		pass_value(out, e->a, above);
	}
	memory_free(sorted);
	out->has_mean = out->entries && above <= 0;
	out->mean = mean;
	return 0;
}
