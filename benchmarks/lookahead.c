/* SPDX-License-Identifier: MIT */
/*
 * lookahead KERNEL [ROUNDS]: what look-ahead by itself costs, without signals and breakpoints.
 *
 * A kernel runs on a stack of its own, warms up, and stands still in the middle; the core then
 * follows its code from there for TRACE taken branches, by the collector's own memory reader.
 * Prints the traces' branches and instructions, and the medians of ROUNDS traces in nanoseconds,
 * with warm caches and after everything was evicted from them. With ROUNDS 0 one warm trace is
 * followed in measured(), for callgrind (lookahead.py).
 */
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>
#include <time.h>
#include <ucontext.h>

#include "benchmarks/lookahead_kernels.h"
#include "collector/engine/core.h"
#include "collector/kernel/process_memory.h"
#include "collector/engine/memory_reader.h"

#define TRACE	    2048u
#define CACHE_BYTES (4u << 20)
#define EVICTED	    (64u << 20)
#define STACK_BYTES (1u << 20)
#define ROUNDS_MOST 1000

static ucontext_t follower, followed;
static const struct lookahead_kernel *kernel;
static struct core core;
static struct memory_reader reader;
static struct memory_known known;
static struct cache_lines lines;
static struct first_touches first_touches;
static struct waypoints waypoints;
static struct decode_cache cache;

static void run_kernel(void)
{
	kernel->run(kernel->warm);
	swapcontext(&followed, &follower);
	kernel->run(UINT64_MAX);
}

static void *memory(size_t bytes)
{
	void *at = mmap(NULL, bytes, PROT_READ | PROT_WRITE, MAP_PRIVATE | MAP_ANONYMOUS, -1, 0);

	if (at == MAP_FAILED) {
		perror("lookahead: mmap");
		exit(1);
	}
	memset(at, 0, bytes);
	return at;
}

static void start_kernel(void)
{
	getcontext(&followed);
	followed.uc_stack.ss_sp = memory(STACK_BYTES);
	followed.uc_stack.ss_size = STACK_BYTES;
	makecontext(&followed, run_kernel, 0);
	swapcontext(&follower, &followed);
	/* what swapcontext does not save */
	followed.uc_mcontext.gregs[REG_RAX] = 0;
	followed.uc_mcontext.gregs[REG_EFL] = 0x202;
}

static void start_core(void)
{
	static const struct rate_machine machine; /* nothing takes time */
	struct core_options options = {
		.depth = TRACE, .lookahead = CORE_FULL, .machine = &machine, .ends_early = true};
	struct core_memory lent = {.entries = memory(TRACE * sizeof(*lent.entries)),
				   .kinds = memory(TRACE),
				   .states = memory(2 * sizeof(struct isa_state)),
				   .cache = &cache};

	decode_cache_init(&cache, memory(CACHE_BYTES), CACHE_BYTES);
	process_memory_init(&reader, &known);
	reader.lines = first_touches.lines = &lines;
	lines.slow_ticks = UINT64_MAX; /* nothing is slow: the same path each time */
	core_init(&core, &options, &lent);
	core.first_touches = &first_touches;
	core.waypoints = &waypoints;
}

static void follow(void)
{
	struct core_action action;

	cache_lines_begin(&lines);
	memory_reader_begin(&reader, false);
	isa_state_load_context(core_state(&core), &followed);
	action = core_begin(&core, &reader.memory);
	if (action.verdict != CORE_COMPLETE) {
		fprintf(stderr, "lookahead: %s: the trace ended after %u branches (%s, %s)\n",
			kernel->name, core.trace.count, core_reason_text(action.reason),
			isa_state_cause(core.now));
		exit(1);
	}
}

__attribute__((noinline)) static void measured(void)
{
	follow();
	__asm__ volatile("" ::: "memory");
}

static void evict(void)
{
	static uint8_t *other;

	if (!other)
		other = memory(EVICTED);
	for (size_t i = 0; i < EVICTED; i += 64)
		other[i]++;
}

static uint64_t time_ns(void)
{
	struct timespec begin, end;

	clock_gettime(CLOCK_MONOTONIC, &begin);
	measured();
	clock_gettime(CLOCK_MONOTONIC, &end);
	return (uint64_t)(end.tv_sec - begin.tv_sec) * 1000000000u + (uint64_t)end.tv_nsec -
	       (uint64_t)begin.tv_nsec;
}

static int ascending(const void *a, const void *b)
{
	const uint64_t *x = a, *y = b;

	return (*x > *y) - (*x < *y);
}

static uint64_t median_ns(unsigned rounds, bool cold)
{
	static uint64_t ns[ROUNDS_MOST];

	for (unsigned i = 0; i < rounds; i++) {
		if (cold)
			evict();
		ns[i] = time_ns();
	}
	qsort(ns, rounds, sizeof(*ns), ascending);
	return ns[rounds / 2];
}

int main(int argc, char **argv)
{
	unsigned long rounds = argc > 2 ? strtoul(argv[2], NULL, 10) : 51;
	uint64_t before;

	kernel = argc > 1 ? lookahead_kernel_find(argv[1]) : NULL;
	if (!kernel || rounds > ROUNDS_MOST) {
		fputs("usage: lookahead KERNEL [ROUNDS], at most 1000 rounds. Kernels:", stderr);
		for (unsigned i = 0; i < lookahead_kernel_count; i++)
			fprintf(stderr, " %s", lookahead_kernels[i].name);
		fputs("\n", stderr);
		return 2;
	}
	start_kernel();
	start_core();
	follow(); /* decodes */
	before = core.counters.evaluated;
	measured();
	printf("%u %llu", core.trace.count, (unsigned long long)(core.counters.evaluated - before));
	if (rounds)
		printf(" %llu %llu", (unsigned long long)median_ns((unsigned)rounds, false),
		       (unsigned long long)median_ns((unsigned)rounds, true));
	puts("");
	return 0;
}
