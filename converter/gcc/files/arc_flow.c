/* SPDX-License-Identifier: MIT */
#include "converter/gcc/files/arc_flow.h"

#include "base/memory.h"

enum end { OUT, IN, ENDS };

#define NO_ARC UINT32_MAX

/* What is known of a block's arcs, by the end at which they are at it. */
struct flow_block {
	uint32_t first[ENDS], degree[ENDS], unknown[ENDS];
	int64_t sum[ENDS];
	int64_t count;
	bool known, waits;
};

struct flow_arc {
	uint32_t next[ENDS];
	int64_t count;
	bool known;
};

struct flow_solver {
	const struct gcc_function *f;
	struct flow_block *blocks;
	struct flow_arc *arcs;
	uint32_t *waiting; /* blocks of which something became known */
	size_t waiting_count;
};

/* Signed as gcc's counters are; a sum beyond stays at the end. */
static int64_t flow_add(int64_t a, int64_t b)
{
	int64_t sum;

	if (__builtin_add_overflow(a, b, &sum))
		return a < 0 ? -INT64_MAX : INT64_MAX;
	return sum < -INT64_MAX ? -INT64_MAX : sum;
}

static void flow_wait(struct flow_solver *s, uint32_t block)
{
	if (s->blocks[block].waits)
		return;
	s->blocks[block].waits = true;
	s->waiting[s->waiting_count++] = block;
}

static void flow_know(struct flow_solver *s, uint32_t number, int64_t count)
{
	const struct gcc_arc *a = &s->f->arcs.items[number];
	const uint32_t blocks[ENDS] = {[OUT] = a->from, [IN] = a->to};

	s->arcs[number].count = count;
	s->arcs[number].known = true;
	for (unsigned end = 0; end < ENDS; end++) {
		struct flow_block *b = &s->blocks[blocks[end]];

		b->unknown[end]--;
		b->sum[end] = flow_add(b->sum[end], count);
		flow_wait(s, blocks[end]);
	}
}

/* The arc at @b's @end that is not known, which is the only one. */
static uint32_t unknown_arc(const struct flow_solver *s, const struct flow_block *b, enum end end)
{
	uint32_t number = b->first[end];

	while (s->arcs[number].known)
		number = s->arcs[number].next[end];
	return number;
}

static void flow_visit(struct flow_solver *s, struct flow_block *b)
{
	for (unsigned end = 0; end < ENDS && !b->known; end++) {
		b->known = b->degree[end] && !b->unknown[end];
		b->count = b->sum[end];
	}
	for (unsigned end = 0; end < ENDS && b->known; end++)
		if (b->unknown[end] == 1)
			flow_know(s, unknown_arc(s, b, (enum end)end),
				  flow_add(b->count, -b->sum[end]));
}

static void flow_link(struct flow_solver *s)
{
	for (uint32_t b = 0; b < s->f->block_count; b++)
		s->blocks[b].first[OUT] = s->blocks[b].first[IN] = NO_ARC;
	for (uint32_t i = 0; i < s->f->arcs.count; i++) {
		const struct gcc_arc *a = &s->f->arcs.items[i];
		const uint32_t blocks[ENDS] = {[OUT] = a->from, [IN] = a->to};

		for (unsigned end = 0; end < ENDS; end++) {
			struct flow_block *b = &s->blocks[blocks[end]];

			s->arcs[i].next[end] = b->first[end];
			b->first[end] = i;
			b->degree[end]++;
			b->unknown[end]++;
		}
	}
}

/* false: there are more or fewer counters. */
static bool take_counters(struct flow_solver *s, const struct counter_set *counters)
{
	size_t used = 0;

	for (uint32_t i = 0; i < s->f->arcs.count; i++) {
		uint64_t count;

		if (s->f->arcs.items[i].flags & GCC_ARC_TREE)
			continue;
		if (counters && used == counters->counts.count)
			return false;
		count = counters ? counters->counts.items[used++] : 0;
		flow_know(s, i, count > INT64_MAX ? INT64_MAX : (int64_t)count);
	}
	return !counters || used == counters->counts.count;
}

static uint64_t flow_give(struct arc_flow *out, int64_t count)
{
	out->untrue |= count < 0;
	return count < 0 ? 0 : (uint64_t)count;
}

/* 1 if something is not known, -1 without memory. */
static int flow_finish(const struct flow_solver *s, struct arc_flow *out)
{
	bool missing = false;

	if (vector_reserve(&out->arcs, s->f->arcs.count) ||
	    vector_reserve(&out->blocks, s->f->block_count))
		return -1;
	for (uint32_t i = 0; i < s->f->arcs.count; i++) {
		missing |= !s->arcs[i].known;
		*(uint64_t *)vector_push(&out->arcs) = flow_give(out, s->arcs[i].count);
	}
	for (uint32_t b = 0; b < s->f->block_count; b++) {
		const struct flow_block *block = &s->blocks[b];

		missing |= !block->known && (block->degree[OUT] || block->degree[IN]);
		*(uint64_t *)vector_push(&out->blocks) = flow_give(out, block->count);
	}
	return missing;
}

int arc_flow_solve(const struct gcc_function *f, const struct counter_set *counters,
		   struct arc_flow *out)
{
	struct flow_solver s = {
		.f = f,
		.blocks = memory_alloc_array((size_t)f->block_count + 1, sizeof(*s.blocks)),
		.arcs = memory_alloc_array(f->arcs.count + 1, sizeof(*s.arcs)),
		.waiting = memory_alloc_array((size_t)f->block_count + 1, sizeof(*s.waiting))};
	int rc = s.blocks && s.arcs && s.waiting ? 0 : -1;

	*out = (struct arc_flow){0};
	if (!rc) {
		flow_link(&s);
		rc = take_counters(&s, counters) ? 0 : 1;
	}
	while (!rc && s.waiting_count) {
		struct flow_block *b = &s.blocks[s.waiting[--s.waiting_count]];

		b->waits = false;
		flow_visit(&s, b);
	}
	rc = rc ?: flow_finish(&s, out);
	memory_free(s.blocks);
	memory_free(s.arcs);
	memory_free(s.waiting);
	return rc;
}

void arc_flow_deinit(struct arc_flow *flow)
{
	vector_deinit(&flow->arcs);
	vector_deinit(&flow->blocks);
}

uint64_t arc_flow_entries(const struct arc_flow *flow)
{
	return flow->blocks.count ? flow->blocks.items[0] : 0;
}
