/* SPDX-License-Identifier: MIT */
/* Paths through a network that no cache holds are walked, each step a miss; what was met is then
 * sorted and summed up where all is at hand. */
#include "start.h"

#define NODES (1 << 19)
#define STEPS 48
#define MET   40

struct node {
	uint32_t next, other;
	int32_t cost, seen;
};

static struct node nodes[NODES];
static int32_t met[MET];

static NOINLINE void make(void)
{
	for (uint32_t i = 0; i < NODES; i++) {
		struct node *n = &nodes[i];

		/* far away, and each node is the next one of one other */
		n->next = (i * 5 + 0x3779b) % NODES;
		n->other = n->next ^ 0x5a5a5;
		n->cost = (int32_t)(i * 2654435761u >> 20);
	}
}

static NOINLINE uint32_t walk(uint32_t at)
{
	for (int step = 0; step < STEPS; step++) {
		struct node *n = &nodes[at];

		met[step % MET] = n->cost;
		if (n->seen++ % 3 == 2 || n->cost > 4000)
			at = n->other;
		else
			at = n->next;
	}
	return at;
}

static NOINLINE void sort(void)
{
	for (int i = 1; i < MET; i++) {
		int32_t value = met[i];
		int to = i;

		for (; to && met[to - 1] > value; to--)
			met[to] = met[to - 1];
		met[to] = value;
	}
}

static NOINLINE uint32_t add_up(void)
{
	uint32_t sum = 0;

	for (int round = 0; round < 5; round++)
		for (int i = 0; i < MET; i++)
			sum = met[i] & 1 ? sum + (uint32_t)met[i] : sum ^ (uint32_t)met[i];
	return sum;
}

static NOINLINE unsigned run(void)
{
	uint32_t at, sum = 0;

	make();
	for (int round = 0; round < 3000; round++) {
		at = walk(draw() % NODES);
		sort();
		sum ^= add_up() + at;
	}
	return sum;
}
