/* SPDX-License-Identifier: MIT */
/* The successors and predecessors of the blocks of a function's graph; fake arcs are left out. */
#include "converter/gcc/counters/notes_index.h"

#include <string.h>

void successors_deinit(struct successors *w)
{
	vector_deinit(&w->first);
	vector_deinit(&w->arcs);
	vector_deinit(&w->arrivals);
	vector_deinit(&w->before);
	vector_deinit(&w->stated);
	w->f = NULL;
}

static int reserve(struct successors *w, size_t blocks, size_t arcs)
{
	if (vector_reserve(&w->first, blocks + 2) || vector_reserve(&w->arcs, arcs + 1) ||
	    vector_reserve(&w->arrivals, blocks + 1) || vector_reserve(&w->before, blocks + 1) ||
	    vector_reserve(&w->stated, blocks + 1))
		return -1;
	memset(w->first.items, 0, (blocks + 2) * sizeof(*w->first.items));
	memset(w->arrivals.items, 0, blocks * sizeof(*w->arrivals.items));
	memset(w->stated.items, 0, blocks * sizeof(*w->stated.items));
	return 0;
}

int successors_init(struct successors *w, const struct notes_function *f)
{
	size_t blocks = f->graph->block_count;
	const struct gcc_arc *a;
	const struct notes_at *at;

	w->f = f;
	if (reserve(w, blocks, f->graph->arcs.count))
		return -1;
	/* those of block b are counted in first[b + 2], and put to where first[b + 1] then is */
	vector_each (&f->graph->arcs, a) {
		if (a->flags & GCC_ARC_FAKE)
			continue;
		w->first.items[a->from + 2]++;
		w->arrivals.items[a->to]++;
		w->before.items[a->to] = a->from;
	}
	for (size_t b = 0; b < blocks; b++)
		w->first.items[b + 2] += w->first.items[b + 1];
	for (uint32_t i = 0; i < f->graph->arcs.count; i++)
		if (!(f->graph->arcs.items[i].flags & GCC_ARC_FAKE))
			w->arcs.items[w->first.items[f->graph->arcs.items[i].from + 1]++] = i;
	vector_each (&f->at, at)
		w->stated.items[at->block] = true;
	return 0;
}

bool successors_out(const struct successors *w, uint32_t block, uint32_t *arcs, size_t most,
		    size_t *count)
{
	uint32_t first = w->first.items[block];

	*count = successors_count(w, block);
	if (*count > most)
		return false;
	for (size_t i = 0; i < *count; i++)
		arcs[i] = w->arcs.items[first + i];
	return true;
}

bool successors_both(const struct successors *w, uint32_t block, uint32_t arcs[2])
{
	size_t count;

	return successors_out(w, block, arcs, 2, &count) && count == 2;
}

uint32_t successors_to(const struct successors *w, uint32_t arc)
{
	return w->f->graph->arcs.items[arc].to;
}

bool successors_lead(const struct successors *w, uint32_t from, uint32_t to)
{
	for (uint32_t i = w->first.items[from]; i < w->first.items[from + 1]; i++)
		if (successors_to(w, w->arcs.items[i]) == to)
			return true;
	return false;
}
