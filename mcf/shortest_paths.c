/* SPDX-License-Identifier: MIT */
/*
 * Minimum-cost flow by successive shortest paths, for large networks in which few nodes have
 * anything to send: each search ends at the first node that wants some, and looks at no more of the
 * network than is that near. (The simplex brings each node into its tree, one by one.) Searches are
 * Dijkstra's, by costs that potentials keep from being negative (Edmonds, Karp: Theoretical
 * improvements in algorithmic efficiency for network flow problems, 1972).
 */

#include "base/memory.h"
#include "base/vector.h"
#include "mcf/mincost.h"

#define NONE	 UINT32_MAX
#define FAR_AWAY INT64_MAX

/* A step along an arc, or, with STEP_BACK, one that takes its flow back. */
#define STEP_BACK (UINT32_C(1) << 31)

struct reached {
	int64_t distance;
	uint32_t node;
};

struct search {
	struct mincost_arc *arcs;
	size_t count, nodes;
	__int128 *left; /* what each node has still to send, or to get, negative */
	uint32_t *
		steps_end; /* per node: where its steps end, which begin where the last one's end */
	uint32_t *steps;
	int64_t *potential, *distance;
	uint32_t *by; /* the step by which a node was reached; NONE: it sends */
	bool *settled;
	VECTOR(uint32_t) senders;
	VECTOR(uint32_t) touched;    /* nodes with a distance */
	VECTOR(struct reached) heap; /* with what has been reached from nearer since */
	uint64_t work;
};

static bool search_allocate(struct search *s, const __int128 *supply)
{
	s->left = memory_alloc_array(s->nodes, sizeof(*s->left));
	s->steps_end = memory_alloc_array(s->nodes + 1, sizeof(*s->steps_end));
	s->steps = memory_alloc_array(2 * s->count + 1, sizeof(*s->steps));
	s->potential = memory_alloc_array(s->nodes, sizeof(*s->potential));
	s->distance = memory_alloc_array(s->nodes, sizeof(*s->distance));
	s->by = memory_alloc_array(s->nodes, sizeof(*s->by));
	s->settled = memory_alloc_array(s->nodes, sizeof(*s->settled));
	if (!s->left || !s->steps_end || !s->steps || !s->potential || !s->distance || !s->by ||
	    !s->settled)
		return false;
	for (uint32_t v = 0; v < s->nodes; v++) {
		if (supply[v] > 0 && vector_add(&s->senders, v))
			return false;
		s->left[v] = supply[v];
		s->distance[v] = FAR_AWAY;
	}
	return true;
}

static void search_release(struct search *s)
{
	memory_free(s->left);
	memory_free(s->steps_end);
	memory_free(s->steps);
	memory_free(s->potential);
	memory_free(s->distance);
	memory_free(s->by);
	memory_free(s->settled);
	vector_deinit(&s->senders);
	vector_deinit(&s->touched);
	vector_deinit(&s->heap);
}

/* Each node's steps, one behind the other. */
static void list_steps(struct search *s)
{
	for (size_t i = 0; i < s->count; i++) {
		s->arcs[i].flow = 0;
		s->steps_end[s->arcs[i].from + 1]++;
		s->steps_end[s->arcs[i].to + 1]++;
	}
	for (size_t v = 1; v <= s->nodes; v++)
		s->steps_end[v] += s->steps_end[v - 1];
	/* now each is where the node's begin, and moves to where they end */
	for (uint32_t i = 0; i < s->count; i++) {
		s->steps[s->steps_end[s->arcs[i].from]++] = i;
		s->steps[s->steps_end[s->arcs[i].to]++] = i | STEP_BACK;
	}
}

static bool is_nearer(const struct reached *a, const struct reached *b)
{
	return a->distance != b->distance ? a->distance < b->distance : a->node < b->node;
}

/* @node is reached by @step. -1 without memory. */
static int reach(struct search *s, uint32_t node, int64_t distance, uint32_t step)
{
	struct reached new = {distance, node};
	size_t at = s->heap.count;

	if (s->distance[node] <= distance)
		return 0;
	if (s->distance[node] == FAR_AWAY && vector_add(&s->touched, node))
		return -1;
	if (!vector_push(&s->heap))
		return -1;
	s->distance[node] = distance;
	s->by[node] = step;
	for (; at && is_nearer(&new, &s->heap.items[(at - 1) / 2]); at = (at - 1) / 2)
		s->heap.items[at] = s->heap.items[(at - 1) / 2];
	s->heap.items[at] = new;
	return 0;
}

/* The nearest of what was reached, which there is. */
static struct reached take_nearest(struct search *s)
{
	struct reached *heap = s->heap.items, first = heap[0], last = heap[--s->heap.count];
	size_t at = 0;

	for (size_t child; (child = 2 * at + 1) < s->heap.count; at = child) {
		child += child + 1 < s->heap.count && is_nearer(&heap[child + 1], &heap[child]);
		if (!is_nearer(&heap[child], &last))
			break;
		heap[at] = heap[child];
	}
	heap[at] = last;
	return first;
}

static int reach_neighbours(struct search *s, uint32_t node)
{
	for (uint32_t i = node ? s->steps_end[node - 1] : 0; i < s->steps_end[node]; i++) {
		const struct mincost_arc *a = &s->arcs[s->steps[i] & ~STEP_BACK];
		bool back = s->steps[i] & STEP_BACK;
		uint32_t to = back ? a->from : a->to;
		int64_t cost = back ? -(int64_t)a->cost : (int64_t)a->cost;

		s->work++;
		if (s->settled[to] || (back ? !a->flow : a->flow >= a->capacity))
			continue;
		cost += s->potential[node] - s->potential[to];
		if (reach(s, to, s->distance[node] + cost, s->steps[i]))
			return -1;
	}
	return 0;
}

/* The nearest node that wants some, into *@end; NONE: there is none. -1 without memory. */
static int find_end(struct search *s, uint32_t *end)
{
	*end = NONE;
	for (size_t i = 0; i < s->senders.count; i++) {
		s->work++;
		if (s->left[s->senders.items[i]] > 0 && reach(s, s->senders.items[i], 0, NONE))
			return -1;
	}
	while (s->heap.count) {
		uint32_t node = take_nearest(s).node;

		if (s->settled[node])
			continue;
		if (s->left[node] < 0) {
			*end = node;
			return 0;
		}
		s->settled[node] = true;
		if (reach_neighbours(s, node))
			return -1;
	}
	return 0;
}

static uint32_t start_of(const struct search *s, uint32_t step)
{
	const struct mincost_arc *a = &s->arcs[step & ~STEP_BACK];

	return step & STEP_BACK ? a->to : a->from;
}

/* As much as goes from the sender at the path's beginning to @end. */
static void send(struct search *s, uint32_t end)
{
	__int128 amount = -s->left[end];
	uint32_t at;

	for (at = end; s->by[at] != NONE; at = start_of(s, s->by[at])) {
		const struct mincost_arc *a = &s->arcs[s->by[at] & ~STEP_BACK];
		uint64_t room = s->by[at] & STEP_BACK ? a->flow : a->capacity - a->flow;

		amount = room < amount ? room : amount;
	}
	amount = s->left[at] < amount ? s->left[at] : amount;
	s->left[at] -= amount;
	s->left[end] += amount;
	for (at = end; s->by[at] != NONE; at = start_of(s, s->by[at])) {
		uint64_t by = (uint64_t)amount;

		s->arcs[s->by[at] & ~STEP_BACK].flow += s->by[at] & STEP_BACK ? -by : by;
	}
}

/* No step is of a negative cost then, those of the path included. */
static void forget_search(struct search *s, uint32_t end)
{
	int64_t nearest = end == NONE ? 0 : s->distance[end];
	uint32_t *node;

	vector_each (&s->touched, node) {
		if (s->settled[*node])
			s->potential[*node] += s->distance[*node] - nearest;
		s->settled[*node] = false;
		s->distance[*node] = FAR_AWAY;
	}
	s->touched.count = 0;
	s->heap.count = 0;
}

static bool has_senders(struct search *s)
{
	while (s->senders.count && !s->left[s->senders.items[s->senders.count - 1]])
		s->senders.count--;
	return s->senders.count;
}

static enum mincost_outcome send_all(struct search *s, uint64_t work)
{
	while (has_senders(s)) {
		uint32_t end;

		if (work && s->work > work)
			return MINCOST_FAILED;
		if (find_end(s, &end))
			return MINCOST_NO_MEMORY;
		if (end == NONE)
			return MINCOST_INFEASIBLE;
		send(s, end);
		forget_search(s, end);
	}
	return MINCOST_OPTIMAL;
}

enum mincost_outcome shortest_paths_solve(const __int128 *supply, size_t nodes,
					  struct mincost_arc *arcs, size_t count, uint64_t work)
{
	struct search s = {.arcs = arcs, .count = count, .nodes = nodes};
	enum mincost_outcome outcome = MINCOST_NO_MEMORY;

	if (count >= STEP_BACK / 2 || nodes >= NONE)
		return MINCOST_TOO_LARGE;
	if (search_allocate(&s, supply)) {
		list_steps(&s);
		outcome = send_all(&s, work);
	}
	search_release(&s);
	return outcome;
}
