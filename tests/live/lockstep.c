/* SPDX-License-Identifier: MIT */
/*
 * Look-ahead against the machine: a program runs under ptrace, is stopped at random moments, and
 * from there look-ahead predicts a trace. Then the program is single-stepped beside a second
 * evaluation of the same trace, and after each instruction the pc and every register, flag and
 * vector that look-ahead claims to know are compared with the real ones.
 *
 * Look-ahead reads memory as it was at the stop: pages are cached while the trace is predicted, and
 * the second evaluation reads the cached ones.
 */
#include <Zydis/Zydis.h>
#include <elf.h>
#include <errno.h>
#include <fcntl.h>
#include <getopt.h>
#include <inttypes.h>
#include <signal.h>
#include <stddef.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/personality.h>
#include <sys/ptrace.h>
#include <sys/syscall.h>
#include <sys/uio.h>
#include <sys/user.h>
#include <sys/wait.h>
#include <time.h>
#include <unistd.h>
#include "tests/snapshot.h"

#define PAGE_BYTES   4096u
#define PAGES	     1024u
#define RECORDS	     65536u
#define INSNS_MAX    200000u /* of one look-ahead */
#define CAUSES	     512u
#define TIMED_REPEAT 3u
#define SHOWN_MAX    10u /* differences told in full */

struct page {
	uint64_t number, generation;
	bool readable;
	uint8_t bytes[PAGE_BYTES];
};

struct cached_record {
	uint64_t address; /* 0: empty */
	struct isa_record record;
};

struct cause {
	char text[128];
	uint64_t count;
};

struct options {
	uint64_t traces, depth, seed;
	double seconds, zero_stop_min;
	const char *name, *save;
	bool quiet;
};

struct totals {
	uint64_t traces, given_up, zero_stop, stops, taken, insns, timed_insns, timed_ns;
	uint64_t wrong_paths, wrong_registers, pages;
};

static pid_t tracee;
static struct page pages[PAGES];
static uint64_t page_generation = 1;
static struct cached_record records[RECORDS];
static struct isa_state claimed, real;
static struct isa_registers stopped;
static uint8_t xsave[16384];
static size_t xsave_bytes;
static struct cause causes[CAUSES];
static struct totals totals;

static uint64_t now_ns(void)
{
	struct timespec t;

	clock_gettime(CLOCK_MONOTONIC, &t);
	return (uint64_t)t.tv_sec * 1000000000u + (uint64_t)t.tv_nsec;
}

static const struct page *page_of(uint64_t number)
{
	struct page *p = &pages[(number ^ number >> 10) % PAGES];
	struct iovec local = {p->bytes, PAGE_BYTES};
	struct iovec remote = {(void *)(number * PAGE_BYTES), PAGE_BYTES};

	if (p->generation == page_generation && p->number == number)
		return p;
	p->number = number;
	p->generation = page_generation;
	p->readable = process_vm_readv(tracee, &local, 1, &remote, 1, 0) == PAGE_BYTES;
	totals.pages++;
	return p;
}

static bool read_memory(void *context, uint64_t address, void *out, size_t bytes)
{
	size_t offset = address % PAGE_BYTES, first = PAGE_BYTES - offset;
	const struct page *p = page_of(address / PAGE_BYTES);

	(void)context;
	if (!p->readable)
		return false;
	if (bytes <= first) {
		memcpy(out, p->bytes + offset, bytes);
		return true;
	}
	memcpy(out, p->bytes + offset, first);
	p = page_of(address / PAGE_BYTES + 1);
	if (!p->readable)
		return false;
	memcpy((uint8_t *)out + first, p->bytes, bytes - first);
	return true;
}

static const struct isa_memory memory = {.read = read_memory};

#define LINE_BYTES 32u

/* The fixture that is being written: a line of memory is told when it is first read. */
static FILE *fixture;
static uint64_t told[8192];
static unsigned told_count;

static void tell_bytes(const uint8_t *bytes, size_t count)
{
	for (size_t i = 0; i < count; i++)
		fprintf(fixture, "%02x", bytes[i]);
	fputc('\n', fixture);
}

static void tell_line(uint64_t line)
{
	uint8_t bytes[LINE_BYTES];

	for (unsigned i = 0; i < told_count; i++) {
		if (told[i] == line)
			return;
	}
	if (told_count == sizeof(told) / sizeof(told[0]) ||
	    !read_memory(NULL, line * LINE_BYTES, bytes, LINE_BYTES))
		return;
	told[told_count++] = line;
	fprintf(fixture, "memory %" PRIx64 " ", line * LINE_BYTES);
	tell_bytes(bytes, LINE_BYTES);
}

static bool read_and_tell(void *context, uint64_t address, void *out, size_t bytes)
{
	for (uint64_t line = address / LINE_BYTES; line <= (address + bytes - 1) / LINE_BYTES;
	     line++)
		tell_line(line);
	return read_memory(context, address, out, bytes);
}

static const struct isa_memory telling_memory = {.read = read_and_tell};

static size_t read_code(uint64_t address, uint8_t *bytes)
{
	size_t left = PAGE_BYTES - address % PAGE_BYTES;

	if (read_memory(NULL, address, bytes, 15))
		return 15;
	return left < 15 && read_memory(NULL, address, bytes, left) ? left : 0;
}

static const struct isa_record *record_at(uint64_t address)
{
	struct cached_record *c = &records[(address ^ address >> 16) % RECORDS];
	uint8_t bytes[15];

	if (c->address == address)
		return &c->record;
	c->address = 0;
	if (!isa_record_decode(bytes, read_code(address, bytes), address, &c->record))
		return NULL;
	c->address = address;
	return &c->record;
}

static void disassemble(uint64_t address, char *text, size_t size, bool mnemonic_only)
{
	ZydisDisassembledInstruction insn;
	uint8_t bytes[15];
	size_t n = read_code(address, bytes);

	snprintf(text, size, "?");
	if (!n || !ZYAN_SUCCESS(ZydisDisassembleIntel(ZYDIS_MACHINE_MODE_LONG_64, address, bytes, n,
						      &insn)))
		return;
	snprintf(text, size, "%s",
		 mnemonic_only ? ZydisMnemonicGetString(insn.info.mnemonic) : insn.text);
}

static void count_cause(const char *text)
{
	for (unsigned i = 0; i < CAUSES; i++) {
		if (!causes[i].count)
			snprintf(causes[i].text, sizeof(causes[i].text), "%s", text);
		if (!strcmp(causes[i].text, text)) {
			causes[i].count++;
			return;
		}
	}
}

static bool get_registers(bool vectors)
{
	struct iovec v = {&stopped.general, sizeof(stopped.general)};

	if (ptrace(PTRACE_GETREGSET, tracee, NT_PRSTATUS, &v))
		return false;
	if (!vectors)
		return true;
	v = (struct iovec){xsave, sizeof(xsave)};
	if (ptrace(PTRACE_GETREGSET, tracee, NT_X86_XSTATE, &v))
		return false;
	xsave_bytes = v.iov_len;
	return true;
}

/* Resume as @how, and wait for the trap that it ends with; false if something else happened. */
static bool resume(int how)
{
	int status;

	if (ptrace(how, tracee, 0, 0) || waitpid(tracee, &status, __WALL) < 0)
		return false;
	if (WIFEXITED(status) || WIFSIGNALED(status)) {
		tracee = 0;
		return false;
	}
	return WSTOPSIG(status) == SIGTRAP && !(status >> 16) && get_registers(true);
}

static bool set_breakpoint(uint64_t address, bool on)
{
	return !ptrace(PTRACE_POKEUSER, tracee, offsetof(struct user, u_debugreg[0]), address) &&
	       !ptrace(PTRACE_POKEUSER, tracee, offsetof(struct user, u_debugreg[7]), on);
}

/* One instruction. What repeats itself is stepped once, then runs to the instruction behind it. */
static bool step(void)
{
	uint64_t pc = isa_registers_pc(&stopped);
	const struct isa_record *r = record_at(pc);

	if (!resume(PTRACE_SINGLESTEP))
		return false;
	if (isa_registers_pc(&stopped) != pc || !r || isa_is_branch(r->kind))
		return true;
	return set_breakpoint(pc + r->length, true) && resume(PTRACE_CONT) &&
	       set_breakpoint(0, false);
}

struct prediction {
	uint64_t insns, taken;
	enum isa_outcome end; /* ISA_TAKEN: the trace is complete */
};

/* Predict until @taken_max taken branches, without looking at the machine. */
static struct prediction predict(uint64_t taken_max)
{
	struct prediction p = {.end = ISA_NEXT};

	while (p.taken < taken_max && p.insns < INSNS_MAX) {
		const struct isa_record *r = record_at(isa_state_pc(&claimed));

		p.end = r ? isa_evaluate(r, &claimed, &memory) : ISA_UNMODELLED;
		if (p.end == ISA_UNRESOLVED || p.end == ISA_UNMODELLED)
			break;
		p.insns++;
		p.taken += p.end == ISA_TAKEN;
	}
	return p;
}

static void load_claimed(void)
{
	isa_state_load_ptrace(&claimed, &stopped, xsave, xsave_bytes);
}

static void time_evaluation(uint64_t taken_max)
{
	struct prediction p = {0};
	uint64_t start = now_ns();

	for (unsigned i = 0; i < TIMED_REPEAT; i++) {
		load_claimed();
		p = predict(taken_max);
	}
	totals.timed_ns += now_ns() - start;
	totals.timed_insns += TIMED_REPEAT * p.insns;
}

static void tell_difference(uint64_t address, const struct isa_difference *d, uint64_t at)
{
	char text[96];

	if (totals.wrong_paths + totals.wrong_registers > SHOWN_MAX)
		return;
	disassemble(address, text, sizeof(text), false);
	printf("  WRONG %s %u after %" PRIx64 " %s (instruction %" PRIu64 "): claimed %" PRIx64
	       " real %" PRIx64 " known %" PRIx64 "\n",
	       d->kind, d->number, address, text, at, d->claimed, d->real, d->known);
}

enum verdict { AGREED, WRONG, GIVEN_UP };

/* Single-step beside a second evaluation of the @insns instructions that were predicted. */
static enum verdict verify(uint64_t insns)
{
	bool wrong = false;

	load_claimed();
	for (uint64_t i = 0; i < insns; i++) {
		uint64_t pc = isa_state_pc(&claimed);
		const struct isa_record *r = record_at(pc);
		struct isa_difference d;

		isa_evaluate(r, &claimed, &memory);
		if (!step())
			return GIVEN_UP;
		isa_state_load_ptrace(&real, &stopped, xsave, xsave_bytes);
		if (isa_state_compare(&claimed, &real, &d))
			continue;
		if (!strcmp(d.kind, "pc")) {
			totals.wrong_paths++;
			tell_difference(pc, &d, i);
			return WRONG;
		}
		if (!wrong) {
			totals.wrong_registers++;
			tell_difference(pc, &d, i);
		}
		wrong = true;
	}
	return AGREED;
}

/* Called right after the prediction that ended at the stop. */
static void count_stop(void)
{
	char mnemonic[32], origin[32] = "", text[128];

	disassemble(isa_state_pc(&claimed), mnemonic, sizeof(mnemonic), true);
	if (claimed.unmodelled_pc)
		disassemble(claimed.unmodelled_pc, origin, sizeof(origin), true);
	snprintf(text, sizeof(text), "%s: %s%s%s", isa_state_cause(&claimed), mnemonic,
		 *origin ? " after " : "", origin);
	count_cause(text);
}

/* The registers and memory that a verified prediction of @insns instructions needed, and its path.
 */
static void save_fixture(const char *path, const struct snapshot *from, uint64_t insns)
{
	fixture = fopen(path, "w");
	if (!fixture) {
		perror(path);
		return;
	}
	told_count = 0;
	fprintf(fixture, "registers ");
	tell_bytes((const uint8_t *)from, sizeof(*from));
	snapshot_load(&claimed, from);
	for (uint64_t i = 0; i < insns; i++) {
		uint64_t pc = isa_state_pc(&claimed);
		const struct isa_record *r = record_at(pc);

		tell_line(pc / LINE_BYTES);
		tell_line((pc + r->length - 1) / LINE_BYTES);
		if (isa_evaluate(r, &claimed, &telling_memory) == ISA_TAKEN)
			fprintf(fixture, "branch %" PRIx64 " %" PRIx64 "\n", pc,
				isa_state_pc(&claimed));
	}
	fclose(fixture);
	fixture = NULL;
}

/* Over the instruction that look-ahead could not pass; *taken: it left the straight line. */
static bool step_over(bool *taken)
{
	const struct isa_record *r = record_at(isa_registers_pc(&stopped));
	uint64_t pc = isa_registers_pc(&stopped);

	if (!step())
		return false;
	*taken = r && isa_is_branch(r->kind) && isa_registers_pc(&stopped) != pc + r->length;
	return true;
}

static void trace(const struct options *o)
{
	uint64_t depth = o->depth;
	uint64_t taken = 0, stops = 0;

	if (!get_registers(true))
		return;
	while (taken < depth) {
		struct snapshot before;
		struct prediction p;
		bool left;

		page_generation++;
		load_claimed();
		p = predict(depth - taken);
		if (p.end == ISA_UNRESOLVED || p.end == ISA_UNMODELLED)
			count_stop();
		time_evaluation(depth - taken);
		isa_state_load_ptrace(&real, &stopped, xsave, xsave_bytes);
		snapshot_save(&real, &before);
		if (verify(p.insns) != AGREED || p.insns == INSNS_MAX) {
			totals.given_up++;
			return;
		}
		totals.insns += p.insns;
		taken += p.taken;
		if (taken >= depth && !stops && o->save)
			save_fixture(o->save, &before, p.insns);
		if (taken >= depth)
			break;
		stops++;
		if (!step_over(&left)) {
			totals.given_up++;
			return;
		}
		taken += left;
	}
	totals.traces++;
	totals.taken += taken;
	totals.stops += stops;
	totals.zero_stop += !stops;
}

static void start_program(char **argv)
{
	int null;

	memset(records, 0, sizeof(records));
	tracee = fork();
	if (tracee)
		return;
	null = open("/dev/null", O_RDWR);
	dup2(null, 0);
	dup2(null, 1);
	dup2(null, 2);
	personality(ADDR_NO_RANDOMIZE);
	ptrace(PTRACE_TRACEME, 0, 0, 0);
	execvp(argv[0], argv);
	_exit(127);
}

/* Start, and wait until the program's own first instruction. */
static bool launch(char **argv)
{
	int status;

	start_program(argv);
	if (tracee < 0 || waitpid(tracee, &status, 0) < 0 || !WIFSTOPPED(status)) {
		tracee = 0;
		return false;
	}
	ptrace(PTRACE_SETOPTIONS, tracee, 0, PTRACE_O_EXITKILL | PTRACE_O_TRACEEXEC);
	return !ptrace(PTRACE_CONT, tracee, 0, 0);
}

static void kill_program(void)
{
	int status;

	if (tracee <= 0)
		return;
	kill(tracee, SIGKILL);
	waitpid(tracee, &status, __WALL);
	tracee = 0;
}

/* Stop the running program; false if it ended. What happens before our signal comes is passed on.
 */
static bool interrupt(void)
{
	int status, signal;

	syscall(SYS_tgkill, tracee, tracee, SIGSTOP); /* this thread, no other */
	for (;;) {
		if (waitpid(tracee, &status, __WALL) < 0 || !WIFSTOPPED(status)) {
			tracee = 0;
			return false;
		}
		signal = WSTOPSIG(status);
		if (signal == SIGSTOP)
			return true;
		if (status >> 16 == PTRACE_EVENT_EXEC)
			memset(records, 0, sizeof(records));
		ptrace(PTRACE_CONT, tracee, 0, signal == SIGTRAP ? 0 : signal);
	}
}

static uint64_t program_ns(clockid_t clock)
{
	struct timespec t = {0};

	clock_gettime(clock, &t);
	return (uint64_t)t.tv_sec * 1000000000u + (uint64_t)t.tv_nsec;
}

/* Let the program run for some of its own time: on a busy machine it may wait for a CPU. */
static void random_pause(void)
{
	static const struct timespec nap = {0, 300000};
	uint64_t end, give_up = now_ns() + 2000000000u;
	clockid_t clock;

	if (clock_getcpuclockid(tracee, &clock))
		return;
	end = program_ns(clock) + 100000 + (uint64_t)random() % 3000000;
	while (program_ns(clock) < end && now_ns() < give_up)
		nanosleep(&nap, NULL);
}

static void run(const struct options *o, char **argv)
{
	uint64_t end = now_ns() + (uint64_t)(o->seconds * 1e9);

	while (totals.traces + totals.given_up < o->traces && now_ns() < end) {
		if (tracee <= 0 && !launch(argv))
			break;
		random_pause();
		if (!interrupt())
			continue;
		/* inside a system call the registers are not yet the program's */
		if (get_registers(false) && (int64_t)stopped.general.orig_rax < 0)
			trace(o);
		if (tracee > 0)
			ptrace(PTRACE_CONT, tracee, 0, 0);
	}
	kill_program();
}

static int by_count(const void *a, const void *b)
{
	uint64_t x = ((const struct cause *)a)->count, y = ((const struct cause *)b)->count;

	return x < y ? 1 : x > y ? -1 : 0;
}

static double share(uint64_t part, uint64_t whole)
{
	return whole ? (double)part / (double)whole : 0;
}

static void report(const struct options *o)
{
	const struct totals *t = &totals;

	printf("%-10s depth %4" PRIu64 ": %4" PRIu64 " traces, %6.2f %% with no stop, %.3f stops, "
	       "%.0f insns and %.1f pages each; %" PRIu64 " wrong paths, %" PRIu64
	       " wrong registers; %.1f ns/insn; %" PRIu64 " given up\n",
	       o->name, o->depth, t->traces, 100 * share(t->zero_stop, t->traces),
	       share(t->stops, t->traces), share(t->insns, t->traces), share(t->pages, t->traces),
	       t->wrong_paths, t->wrong_registers, share(t->timed_ns, t->timed_insns), t->given_up);
	if (o->quiet)
		return;
	qsort(causes, CAUSES, sizeof(causes[0]), by_count);
	for (unsigned i = 0; i < 12 && causes[i].count; i++)
		printf("  %6" PRIu64 " %s\n", causes[i].count, causes[i].text);
}

static int usage(void)
{
	fprintf(stderr,
		"usage: lockstep [--traces=N] [--depth=N] [--seconds=S] [--seed=N]\n"
		"                [--zero-stop=PERCENT] [--name=NAME] [--quiet]\n"
		"                [--save=FILE] -- command...\n"
		"--save keeps the last trace without a stop for tests/unit/replay.c\n"
		"status 1: something that look-ahead claimed was wrong, or fewer traces than\n"
		"PERCENT needed no stop; 77: the program could not be traced\n");
	return 2;
}

static bool parse(int argc, char **argv, struct options *o)
{
	static const struct option known[] = {
		{"traces", required_argument, NULL, 't'},
		{"depth", required_argument, NULL, 'd'},
		{"seconds", required_argument, NULL, 's'},
		{"seed", required_argument, NULL, 'r'},
		{"zero-stop", required_argument, NULL, 'z'},
		{"name", required_argument, NULL, 'n'},
		{"save", required_argument, NULL, 'w'},
		{"quiet", no_argument, NULL, 'q'},
		{NULL, 0, NULL, 0},
	};
	int c;

	while ((c = getopt_long(argc, argv, "+", known, NULL)) != -1) {
		switch (c) {
		case 't':
			o->traces = strtoull(optarg, NULL, 0);
			break;
		case 'd':
			o->depth = strtoull(optarg, NULL, 0);
			break;
		case 's':
			o->seconds = atof(optarg);
			break;
		case 'r':
			o->seed = strtoull(optarg, NULL, 0);
			break;
		case 'z':
			o->zero_stop_min = atof(optarg);
			break;
		case 'n':
			o->name = optarg;
			break;
		case 'w':
			o->save = optarg;
			break;
		case 'q':
			o->quiet = true;
			break;
		default:
			return false;
		}
	}
	return optind < argc;
}

int main(int argc, char **argv)
{
	struct options o = {.traces = 100, .depth = 16, .seconds = 300, .seed = 1};

	if (!parse(argc, argv, &o))
		return usage();
	if (!o.name)
		o.name = argv[optind];
	srandom((unsigned)o.seed);
	run(&o, argv + optind);
	if (!totals.traces && !totals.given_up) {
		printf("%s: no trace: not installed, too short, or ptrace is not allowed\n",
		       o.name);
		return 77;
	}
	report(&o);
	return totals.wrong_paths || totals.wrong_registers ||
	       100 * share(totals.zero_stop, totals.traces) < o.zero_stop_min;
}
