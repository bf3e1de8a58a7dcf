/* SPDX-License-Identifier: MIT */
#include "benchmarks/lookahead_kernels.h"

#include <stddef.h>
#include <string.h>

static uint64_t random_state = 88172645463325252u;

static uint64_t next_random(void)
{
	random_state ^= random_state << 13;
	random_state ^= random_state >> 7;
	random_state ^= random_state << 17;
	return random_state;
}

/* ---- a loop over byte codes ---------------------------------------------------------------- */

enum code { LOAD, ADD, SUBTRACT, LESS, JUMP_IF, STORE, MULTIPLY, CALL };

/* The @i-th of a long program that repeats nothing soon. */
static enum code code_of(uint64_t i)
{
	static uint8_t codes[4096];

	if (!codes[0])
		for (size_t n = 0; n < sizeof(codes); n++)
			codes[n] = (uint8_t)(1 + next_random() % 8);
	return (enum code)(codes[i % sizeof(codes)] - 1);
}

static int64_t helper(int64_t a, int64_t b)
{
	return a > b ? a - b : a + 3;
}

static void interpret(uint64_t rounds)
{
	static int64_t stack[64], variables[256];
	int64_t *top = stack + 8;

	for (uint64_t i = 0; i < rounds; i++) {
		switch (code_of(i)) {
		case LOAD:
			*++top = variables[i * 7 % 256];
			break;
		case ADD:
			top[0] += top[-1];
			break;
		case SUBTRACT:
			top[0] -= top[-1];
			break;
		case LESS:
			top[0] = top[-1] < top[0];
			break;
		case JUMP_IF:
			i += top[0] & 1;
			break;
		case STORE:
			variables[i * 3 % 256] = *top--;
			break;
		case MULTIPLY:
			top[0] *= 5;
			break;
		case CALL:
			top[0] = helper(top[0], top[-1]);
			break;
		}
		if (top > stack + 48 || top < stack + 4)
			top = stack + 8;
	}
}

/* ---- a hash table and a tree --------------------------------------------------------------- */

#define SLOTS (1u << 17)

static void hash(uint64_t rounds)
{
	static struct {
		uint64_t key, count;
	} slots[SLOTS];

	for (uint64_t i = 0; i < rounds; i++) {
		uint64_t key = next_random() % 65536 + 1, at = key * 0x9e3779b97f4a7c15u >> 47;

		while (slots[at].key && slots[at].key != key)
			at = (at + 1) % SLOTS;
		slots[at].key = key;
		slots[at].count++;
	}
}

struct node {
	struct node *side[2];
	uint64_t key;
};

static void tree(uint64_t rounds)
{
	static struct node nodes[30000];
	static struct node *root;
	static size_t used;

	for (uint64_t i = 0; i < rounds; i++) {
		uint64_t key = next_random() % 1000000;
		struct node **at = &root;

		while (*at && (*at)->key != key)
			at = &(*at)->side[key > (*at)->key];
		if (!*at && used < sizeof(nodes) / sizeof(*nodes)) {
			nodes[used].key = key;
			*at = &nodes[used++];
		}
	}
}

/* ---- sorting ------------------------------------------------------------------------------- */

static int compare(const uint32_t *a, const uint32_t *b)
{
	return *a < *b ? -1 : *a > *b;
}

static int (*volatile comparison)(const uint32_t *a, const uint32_t *b) = compare;

static void sort(uint32_t *v, size_t n)
{
	int (*before)(const uint32_t *, const uint32_t *) = comparison;
	size_t middle = 0;

	if (n < 2)
		return;
	for (size_t i = 1; i < n; i++) {
		if (before(&v[i], &v[0]) < 0) {
			uint32_t kept = v[++middle];

			v[middle] = v[i];
			v[i] = kept;
		}
	}
	v[0] ^= v[middle];
	v[middle] ^= middle ? v[0] : 0;
	v[0] ^= middle ? v[middle] : 0;
	sort(v, middle);
	sort(v + middle + 1, n - middle - 1);
}

static void sorts(uint64_t rounds)
{
	static uint32_t v[512];

	for (uint64_t i = 0; i < rounds; i++) {
		for (size_t n = 0; n < sizeof(v) / sizeof(*v); n++)
			v[n] = (uint32_t)next_random();
		sort(v, sizeof(v) / sizeof(*v));
	}
}

/* ---- strings ------------------------------------------------------------------------------- */

static void strings(uint64_t rounds)
{
	static char text[8192], word[64];

	for (uint64_t i = 0; i < rounds; i++) {
		size_t at = 0, length;

		if (!text[0])
			for (size_t n = 0; n + 1 < sizeof(text); n++)
				text[n] = (char)(next_random() % 6 ? 'a' + next_random() % 3 : ' ');
		for (; text[at]; at += length + (text[at + length] == ' ')) {
			const char *end = strchr(text + at, ' ');

			length = end ? (size_t)(end - (text + at)) : strlen(text + at);
			if (length < sizeof(word)) {
				memcpy(word, text + at, length);
				word[length] = '\0';
				random_state += strcmp(word, "abba") == 0;
			}
		}
	}
}

/* ---- floating point ------------------------------------------------------------------------ */

#define BODIES 32

static void bodies(uint64_t rounds)
{
	static double x[BODIES], y[BODIES], vx[BODIES], vy[BODIES];

	if (x[0] == 0)
		for (size_t i = 0; i < BODIES; i++) {
			x[i] = 1.0 + (double)(next_random() % 1000) / 100;
			y[i] = 1.0 + (double)(next_random() % 1000) / 100;
		}
	for (uint64_t round = 0; round < rounds; round++) {
		for (size_t i = 0; i < BODIES; i++) {
			for (size_t j = 0; j < BODIES; j++) {
				double dx = x[j] - x[i], dy = y[j] - y[i];
				double square = dx * dx + dy * dy;

				if (square > 40 || square == 0)
					continue;
				vx[i] += dx / (square * 1e4);
				vy[i] += dy / (square * 1e4);
			}
		}
		for (size_t i = 0; i < BODIES; i++) {
			x[i] += vx[i] * 1e-3;
			y[i] += vy[i] * 1e-3;
		}
	}
}

const struct lookahead_kernel lookahead_kernels[] = {
	{"interpreter", interpret, 10000},
	{"hash", hash, 30000},
	{"tree", tree, 30000},
	{"sort", sorts, 4},
	{"strings", strings, 4},
	{"bodies", bodies, 20},
};
const unsigned lookahead_kernel_count = sizeof(lookahead_kernels) / sizeof(*lookahead_kernels);

const struct lookahead_kernel *lookahead_kernel_find(const char *name)
{
	for (unsigned i = 0; i < lookahead_kernel_count; i++)
		if (!strcmp(lookahead_kernels[i].name, name))
			return &lookahead_kernels[i];
	return NULL;
}
