/* SPDX-License-Identifier: MIT */
/*
 * stack_machine COUNT: a table filled and read by a program for a small stack machine, and two
 * sorts, for bolt.sh: a switch, an indirect call, checks that never fail, and code that never runs.
 */
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>

enum operation {
	STOP,
	PUSH,
	LOAD,
	STORE,
	ADD,
	SUBTRACT,
	MODULO,
	LESS,
	JUMP,
	JUMP_UNLESS,
	PUT,
	GET
};

#define PLACES 1024
#define FAULTS 3

struct machine {
	uint64_t stack[32], cells[8], faults[FAULTS];
};

static uint64_t keys[PLACES], values[PLACES];

__attribute__((noinline)) static void fault(struct machine *m, unsigned which)
{
	m->faults[which]++;
	if (m->faults[which] > 1000000) {
		fprintf(stderr, "too many faults of kind %u\n", which);
		exit(1);
	}
}

__attribute__((noinline)) static unsigned place_of(uint64_t key)
{
	unsigned at = (unsigned)(key * 0x9e3779b97f4a7c15u >> 54);

	for (unsigned tried = 0; keys[at] != key; tried++) {
		if (tried == PLACES)
			return PLACES;
		if (!keys[at])
			break;
		at = (at + 1) % PLACES;
	}
	return at;
}

__attribute__((noinline)) static void put(struct machine *m, uint64_t key, uint64_t value)
{
	unsigned at = place_of(key);

	if (at == PLACES) {
		fault(m, 0);
		return;
	}
	keys[at] = key;
	values[at] = value;
}

__attribute__((noinline)) static uint64_t get(struct machine *m, uint64_t key)
{
	unsigned at = place_of(key);

	if (at == PLACES || keys[at] != key) {
		fault(m, 1);
		return 0;
	}
	return values[at];
}

/* Each operation is followed by its argument, if it has one. */
__attribute__((noinline)) static uint64_t run(struct machine *m, const int *code)
{
	uint64_t *top = m->stack, steps = 0;
	const int *at = code;

	for (;; steps++) {
		if (top < m->stack || top >= m->stack + 30) {
			fault(m, 2);
			return 0;
		}
		switch (*at++) {
		case STOP:
			return steps;
		case PUSH:
			*++top = (uint64_t)*at++;
			break;
		case LOAD:
			*++top = m->cells[*at++];
			break;
		case STORE:
			m->cells[*at++] = *top--;
			break;
		case ADD:
			top--;
			top[0] += top[1];
			break;
		case SUBTRACT:
			top--;
			top[0] -= top[1];
			break;
		case MODULO:
			top--;
			if (!top[1]) {
				fault(m, 2);
				top[1] = 1;
			}
			top[0] %= top[1];
			break;
		case LESS:
			top--;
			top[0] = top[0] < top[1];
			break;
		case JUMP:
			at = code + *at;
			break;
		case JUMP_UNLESS:
			at = *top-- ? at + 1 : code + *at;
			break;
		case PUT:
			put(m, top[-1] + 1, top[0]);
			top -= 2;
			break;
		case GET:
			*top = get(m, *top + 1);
			break;
		default:
			abort();
		}
	}
}

typedef int (*order)(uint64_t, uint64_t);

static int rising(uint64_t a, uint64_t b)
{
	return a < b;
}

static int falling(uint64_t a, uint64_t b)
{
	return a > b;
}

/* Shell's sort. */
__attribute__((noinline)) static void sort(uint64_t *v, long count, order before)
{
	for (long gap = count / 2; gap; gap = gap == 2 ? 1 : gap * 5 / 11) {
		for (long i = gap; i < count; i++) {
			uint64_t value = v[i];
			long to = i;

			for (; to >= gap && before(value, v[to - gap]); to -= gap)
				v[to] = v[to - gap];
			v[to] = value;
		}
	}
}

int main(int argc, char **argv)
{
	int count = argc > 1 ? atoi(argv[1]) : 20000;
	/* clang-format off */
	/* For i in cell 0: what the table has for i % 350, summed up in cell 1. */
	const int code[] = {
		PUSH, 0, STORE, 0, PUSH, 0, STORE, 1,
		LOAD, 0, PUSH, count, LESS, JUMP_UNLESS, 50, /* 8: while */
		LOAD, 0, PUSH, 700, MODULO, LOAD, 0, PUT,
		LOAD, 1, LOAD, 0, PUSH, 350, MODULO, GET, ADD, PUSH, 1000003, MODULO, STORE, 1,
		LOAD, 0, PUSH, 1, ADD, STORE, 0,
		LOAD, 1, STORE, 2, JUMP, 8,
		STOP, /* 50 */
	};
	/* clang-format on */
	struct machine m = {.stack = {0}};
	uint64_t *v = malloc((size_t)count * sizeof(*v)), steps, sum = 0;

	if (!v)
		return 1;
	steps = run(&m, code);
	for (int i = 0; i < count; i++)
		v[i] = (uint64_t)i * 2654435761u % 1000003 ^ m.cells[1];
	sort(v, count, rising);
	for (int i = 0; i < count; i += 100)
		sum = sum * 31 + v[i];
	sort(v, count, falling);
	printf("%llu %llu %llu %llu\n", (unsigned long long)steps, (unsigned long long)m.cells[1],
	       (unsigned long long)sum, (unsigned long long)v[count / 2]);
	free(v);
	return 0;
}
