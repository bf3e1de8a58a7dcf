/* SPDX-License-Identifier: MIT */
/*
 * lockstep [--traces=N] [--depth=N] [--free=PERCENT] [--seed=N] NAME QEMU -g SOCKET ...: look-ahead
 * of AArch64 against QEMU's user mode. A program is stopped at random moments, and from there a
 * trace is predicted. Then it is single-stepped beside a second evaluation of the same trace, and
 * after each instruction the pc and every register, flag and vector that look-ahead claims to know
 * are compared with QEMU's. The same on x86-64, by ptrace: tests/live/lockstep.c.
 *
 * Status 1: something was wrong, fewer traces than PERCENT needed no stop, or one in ten was given
 * up, since the program ended or did not come to where it was awaited; 77: no trace.
 */
#include <getopt.h>
#include <inttypes.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <time.h>
#include <unistd.h>

#include "tests/guest/gdb_remote.h"
#include "tests/snapshot.h"

#define PAGE_BYTES 1024u
#define PAGES	   4096u
#define INSNS_MAX  200000u /* of one look-ahead */
#define SHOWN_MAX  10u	   /* differences told in full */
#define CAUSES	   64u
#define MORE	   5
#define START_NS   500000000u /* of QEMU's time, until programs do what they are for */

struct page {
	uint64_t number, generation;
	bool readable;
	uint8_t bytes[PAGE_BYTES];
};

struct options {
	uint64_t traces, depth;
	double free_least;
	const char *name;
};

struct totals {
	uint64_t traces, given_up, free, stops, insns, taken, wrong_paths, wrong_registers;
};

struct cause {
	char text[64];
	uint64_t count;
};

static struct gdb_remote program;
static uint64_t zero_block; /* DCZID_EL0, of which QEMU tells its debuggers nothing */
static struct page pages[PAGES];
static uint64_t generation = 1;
static struct isa_state claimed, real;
static struct snapshot stopped;
static struct totals totals;
static struct cause causes[CAUSES];

/* Memory as it was at the stop: pages are kept until the program has run on. */
static const struct page *page_of(uint64_t number)
{
	struct page *p = &pages[(number ^ number >> 12) % PAGES];

	if (p->generation == generation && p->number == number)
		return p;
	p->number = number;
	p->generation = generation;
	p->readable = gdb_remote_memory(&program, number * PAGE_BYTES, p->bytes, PAGE_BYTES);
	return p;
}

static bool read_memory(void *context, uint64_t address, void *out, size_t bytes)
{
	(void)context;
	while (bytes) {
		size_t at = address % PAGE_BYTES, part = PAGE_BYTES - at;
		const struct page *p = page_of(address / PAGE_BYTES);

		if (part > bytes)
			part = bytes;
		if (!p->readable)
			return false;
		memcpy(out, p->bytes + at, part);
		out = (uint8_t *)out + part;
		address += part;
		bytes -= part;
	}
	return true;
}

static const struct isa_memory memory = {.read = read_memory};

static bool record_at(uint64_t address, struct isa_record *r)
{
	uint8_t bytes[4];

	return read_memory(NULL, address, bytes, sizeof(bytes)) &&
	       isa_record_decode(bytes, sizeof(bytes), address, r);
}

static void load(struct isa_state *s)
{
	snapshot_load(s, &stopped);
	s->machine_known = program.cache_type;
	s->zero_block = zero_block;
}

static bool step(void)
{
	return gdb_remote_step(&program) && gdb_remote_registers(&program, &stopped);
}

struct prediction {
	uint64_t insns, taken;
	enum isa_outcome end;
};

/* Predict until @most taken branches, without looking at the program. */
static struct prediction predict(uint64_t most)
{
	struct prediction p = {.end = ISA_NEXT};
	struct isa_record r;

	while (p.taken < most && p.insns < INSNS_MAX) {
		p.end = record_at(isa_state_pc(&claimed), &r) ? isa_evaluate(&r, &claimed, &memory)
							      : ISA_UNMODELLED;
		if (p.end == ISA_UNRESOLVED || p.end == ISA_UNMODELLED)
			break;
		p.insns++;
		p.taken += p.end == ISA_TAKEN;
	}
	return p;
}

static void count_cause(void)
{
	uint32_t word = 0, origin = 0;
	char text[64];
	unsigned i;

	read_memory(NULL, isa_state_pc(&claimed), &word, sizeof(word));
	if (claimed.unmodelled_pc)
		read_memory(NULL, claimed.unmodelled_pc, &origin, sizeof(origin));
	snprintf(text, sizeof(text), "%s: %08x after %08x", isa_state_cause(&claimed), word,
		 origin);
	for (i = 0; i < CAUSES - 1 && causes[i].count && strcmp(causes[i].text, text); i++)
		;
	memcpy(causes[i].text, text, sizeof(text));
	causes[i].count++;
}

static void tell(uint64_t pc, const struct isa_difference *d, uint64_t at)
{
	uint32_t word = 0;

	read_memory(NULL, pc, &word, sizeof(word));
	if (totals.wrong_paths + totals.wrong_registers <= SHOWN_MAX)
		printf("  WRONG %s %u after %08x at %" PRIx64 " (instruction %" PRIu64
		       "): claimed %" PRIx64 " real %" PRIx64 " known %" PRIx64 "\n",
		       d->kind, d->number, word, pc, at, d->claimed, d->real, d->known);
}

/* Evaluate an instruction and step over it; from a load-exclusive on, as a step would clear the
 * monitor, as many as it takes to be behind its store, and run there. *count is how many. */
static bool go_on(uint64_t *count)
{
	bool exclusive = isa_atomic_opens(&memory, isa_state_pc(&claimed));
	struct isa_record r;

	do {
		if (!record_at(isa_state_pc(&claimed), &r))
			return false;
		isa_evaluate(&r, &claimed, &memory);
		++*count;
	} while (exclusive && isa_atomic_contains(&memory, isa_state_pc(&claimed)));
	if (!exclusive)
		return step();
	return gdb_remote_run_to(&program, isa_state_pc(&claimed)) &&
	       gdb_remote_registers(&program, &stopped);
}

/* Single-step beside a second evaluation of @insns instructions. False if it can't go on. */
static bool verify(uint64_t insns)
{
	bool wrong = false;

	load(&claimed);
	for (uint64_t i = 0; i < insns;) {
		uint64_t pc = isa_state_pc(&claimed);
		struct isa_difference d;

		if (!go_on(&i))
			return false;
		load(&real);
		if (isa_state_compare(&claimed, &real, &d))
			continue;
		if (!strcmp(d.kind, "pc")) {
			totals.wrong_paths++;
			tell(pc, &d, i);
			return false;
		}
		if (!wrong) {
			totals.wrong_registers++;
			tell(pc, &d, i);
		}
		wrong = true;
	}
	return true;
}

/* Over what look-ahead could not pass; *taken: a branch that was taken. */
static bool step_over(bool *taken)
{
	uint64_t pc = stopped.pc;
	struct isa_record r;
	bool is_branch = record_at(pc, &r) && isa_is_branch(r.kind);

	if (!step())
		return false;
	*taken = is_branch && stopped.pc != pc + sizeof(uint32_t);
	generation++;
	return true;
}

static bool trace(uint64_t depth)
{
	uint64_t taken = 0, stops = 0;

	generation++;
	if (!gdb_remote_registers(&program, &stopped))
		return false;
	for (;;) {
		struct prediction p;
		bool left;

		load(&claimed);
		p = predict(depth - taken);
		if (p.end == ISA_UNRESOLVED || p.end == ISA_UNMODELLED)
			count_cause();
		if (!verify(p.insns) || p.insns == INSNS_MAX)
			return false;
		totals.insns += p.insns;
		taken += p.taken;
		if (taken >= depth)
			break;
		stops++;
		if (!step_over(&left))
			return false;
		taken += left;
	}
	totals.traces++;
	totals.taken += taken;
	totals.stops += stops;
	totals.free += !stops;
	return true;
}

static uint64_t program_ns(void)
{
	struct timespec t = {0};
	clockid_t clock;

	if (!clock_getcpuclockid(program.pid, &clock))
		clock_gettime(clock, &t);
	return (uint64_t)t.tv_sec * 1000000000u + (uint64_t)t.tv_nsec;
}

/* Let it run for some of QEMU's own time, which translates it, too. */
static void pause_for(uint64_t ns)
{
	uint64_t end = program_ns() + ns;

	for (unsigned i = 0; i < 20000 && program_ns() < end; i++)
		usleep(500);
}

static double percent(uint64_t part, uint64_t whole)
{
	return whole ? 100 * (double)part / (double)whole : 0;
}

/* Where too few seem to need no stop it may be chance: then there are more traces to tell. */
static bool wants_more(const struct options *o)
{
	uint64_t tried = totals.traces + totals.given_up;

	return tried < o->traces ||
	       (tried < MORE * o->traces && percent(totals.free, totals.traces) < o->free_least);
}

static void run(const struct options *o, char **argv)
{
	unsigned starts = 0;

	while (wants_more(o)) {
		bool starts_now = !program.pid;

		if (starts_now && (starts++ > o->traces || !gdb_remote_start(&program, argv)))
			break;
		gdb_remote_continue(&program);
		pause_for((starts_now ? START_NS : 1000000) + (uint64_t)random() % 30000000);
		if (gdb_remote_interrupt(&program))
			totals.given_up += !trace(o->depth);
	}
	gdb_remote_kill(&program);
}

static void report(const struct options *o)
{
	const struct totals *t = &totals;

	printf("%s: %" PRIu64 " traces of %" PRIu64 " branches, %" PRIu64
	       " without a stop, %" PRIu64 " instructions; %" PRIu64 " wrong paths, %" PRIu64
	       " wrong registers; %" PRIu64 " given up\n",
	       o->name, t->traces, o->depth, t->free, t->insns, t->wrong_paths, t->wrong_registers,
	       t->given_up);
	for (unsigned i = 0; i < CAUSES && causes[i].count; i++)
		printf("  %6" PRIu64 " %s\n", causes[i].count, causes[i].text);
}

static bool parse(int argc, char **argv, struct options *o)
{
	static const struct option known[] = {
		{"traces", required_argument, NULL, 't'},
		{"depth", required_argument, NULL, 'd'},
		{"free", required_argument, NULL, 'f'},
		{"seed", required_argument, NULL, 's'},
		{"zero-block", required_argument, NULL, 'z'},
		{NULL, 0, NULL, 0},
	};
	int c;

	while ((c = getopt_long(argc, argv, "+", known, NULL)) != -1) {
		if (c == 't')
			o->traces = strtoull(optarg, NULL, 0);
		else if (c == 'd')
			o->depth = strtoull(optarg, NULL, 0);
		else if (c == 'f')
			o->free_least = atof(optarg);
		else if (c == 's')
			srandom((unsigned)atoi(optarg));
		else if (c == 'z')
			zero_block = strtoull(optarg, NULL, 0);
		else
			return false;
	}
	return argc - optind > 4;
}

int main(int argc, char **argv)
{
	struct options o = {.traces = 40, .depth = 16};

	if (!parse(argc, argv, &o)) {
		fprintf(stderr, "usage: lockstep [--traces=N] [--depth=N] [--free=PERCENT] "
				"[--seed=N] [--zero-block=DCZID_EL0] NAME QEMU -g SOCKET "
				"OPTION... PROGRAM...\n");
		return 2;
	}
	o.name = argv[optind];
	run(&o, argv + optind + 1);
	if (!totals.traces && !totals.given_up) {
		printf("%s: no trace: it did not start, or is too short\n", o.name);
		return 77;
	}
	report(&o);
	return totals.wrong_paths || totals.wrong_registers ||
	       totals.given_up * 10 > totals.traces ||
	       percent(totals.free, totals.traces) < o.free_least;
}
