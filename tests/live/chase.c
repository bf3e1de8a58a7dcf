/* SPDX-License-Identifier: MIT */
/* Two functions that load: one follows pointers at random through memory that no cache holds, the
 * other reads a small table. Prints the time of a step of the former, in ps of processor time. */
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <time.h>

#define LINE  64u
#define STEPS 20000u

struct line {
	struct line *next;
	char rest[LINE - sizeof(void *)];
};

static uint64_t state = 88172645463325252u;

static uint64_t draw(void)
{
	state ^= state << 13;
	state ^= state >> 7;
	return state ^= state << 17;
}

/* One cycle through all of them (Sattolo's shuffle). */
static struct line *make_cycle(size_t count)
{
	struct line *lines = malloc(count * sizeof(*lines));
	uint32_t *order = malloc(count * sizeof(*order));

	if (!lines || !order)
		exit(1);
	for (size_t i = 0; i < count; i++)
		order[i] = (uint32_t)i;
	for (size_t i = count - 1; i; i--) {
		size_t j = draw() % i;
		uint32_t swapped = order[i];

		order[i] = order[j];
		order[j] = swapped;
	}
	for (size_t i = 0; i < count; i++)
		lines[order[i]].next = &lines[order[(i + 1) % count]];
	free(order);
	return lines;
}

__attribute__((noipa)) static struct line *far(struct line *at, unsigned steps)
{
	while (steps--)
		at = at->next; /* far */
	return at;
}

__attribute__((noipa)) static unsigned near(const unsigned *table, unsigned steps)
{
	unsigned sum = 0;

	for (unsigned i = 0; i < steps; i++)
		sum = table[(sum + i) % 512] + 1; /* near */
	return sum;
}

static uint64_t now_ns(void)
{
	struct timespec t;

	clock_gettime(CLOCK_THREAD_CPUTIME_ID, &t);
	return (uint64_t)t.tv_sec * 1000000000u + (uint64_t)t.tv_nsec;
}

/* Lines: 1024 times the second argument. */
int main(int argc, char **argv)
{
	uint64_t begin_ns, far_ns = 0;
	unsigned rounds = argc > 1 ? (unsigned)atoi(argv[1]) : 100, sum = 0;
	static unsigned table[512];
	struct line *at = make_cycle((size_t)(argc > 2 ? atoi(argv[2]) : 1) << 10);

	for (unsigned i = 0; i < rounds; i++) {
		begin_ns = now_ns();
		at = far(at, STEPS);
		far_ns += now_ns() - begin_ns;
		sum += near(table, 400000);
	}
	printf("%lu\n", (unsigned long)(far_ns * 1000 / STEPS / rounds));
	return !at || sum == 1;
}
