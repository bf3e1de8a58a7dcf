/* SPDX-License-Identifier: MIT */
/*
 * kernel_facts [costs]: what the collector takes for granted of Linux on AArch64, each shown by
 * itself: one line per fact, status 1 if one does not hold. With `costs`, what breakpoints cost, in
 * guest instructions, which a guest with -icount measures by its clock (4 ns each), and the limits
 * that the collector's design hangs on.
 *
 * Nothing of softlbr is used. Static, as it sees the kernel alone.
 */
#include <elf.h>
#include <errno.h>
#include <linux/hw_breakpoint.h>
#include <linux/perf_event.h>
#include <signal.h>
#include <stdbool.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/epoll.h>
#include <sys/ioctl.h>
#include <sys/ptrace.h>
#include <sys/syscall.h>
#include <sys/uio.h>
#include <sys/user.h>
#include <sys/wait.h>
#include <time.h>
#include <ucontext.h>
#include <unistd.h>

/* ---- the code that breakpoints are set in -------------------------------------------------- */

volatile uint64_t counter, loaded;

/* counter++, whose last step is the store at @one_store */
void one(void);
/* @count times around a loop of the two instructions @loop_top and @loop_branch */
void loop(uint64_t count);
/* reads @loaded by the instruction @read_load */
void read_loaded(void);
/* an increment of *@at by load-exclusive and store-exclusive; how often it was tried */
uint64_t exclusive(volatile uint64_t *at);

extern const char one_store[], loop_top[], loop_branch[], read_load[], exclusive_inside[],
	exclusive_behind[];

__asm__(".text\n"
	".globl one, one_store, loop, loop_top, loop_branch, read_loaded, read_load\n"
	".globl exclusive, exclusive_inside, exclusive_behind\n"
	"one:\n"
	"	adrp	x9, counter\n"
	"	add	x9, x9, :lo12:counter\n"
	"	ldr	x10, [x9]\n"
	"	add	x10, x10, #1\n"
	"one_store:\n"
	"	str	x10, [x9]\n"
	"	nop\n"
	"	ret\n"
	"loop:\n"
	"	nop\n"
	"loop_top:\n"
	"	subs	x0, x0, #1\n"
	"loop_branch:\n"
	"	b.ne	loop_top\n"
	"	ret\n"
	"read_loaded:\n"
	"	adrp	x9, loaded\n"
	"	add	x9, x9, :lo12:loaded\n"
	"read_load:\n"
	"	ldr	x10, [x9]\n"
	"	ret\n"
	"exclusive:\n"
	"	mov	x9, #0\n"
	"1:	add	x9, x9, #1\n"
	"	ldaxr	x10, [x0]\n"
	"exclusive_inside:\n"
	"	add	x10, x10, #1\n"
	"	stlxr	w11, x10, [x0]\n"
	"exclusive_behind:\n"
	"	cbnz	w11, 1b\n"
	"	mov	x0, x9\n"
	"	ret\n");

/* ---- breakpoints by perf events ------------------------------------------------------------ */

#define TRAP_BY_PERF	  6
#define BREAKPOINT_DATA	  1
#define SAMPLE_DATA	  2
#define HITS_NOTED	  16
#define RAN_AWAY	  100000
#define SIGINFO_PERF_DATA 24 /* glibc 2.36 has no name for it */
#define REFIRES		  20
#define UNDER_STRESS	  2000
#define STRESS_PERIOD_NS  100000

static struct perf_event_attr breakpoint;
static int breakpoint_event;
static struct {
	uint64_t pc, x0, counter;
	int code;
	uint64_t address, data;
} hits[HITS_NOTED];
static volatile uint64_t hit_count, samples;
/* what a fact does at a hit */
static void (*at_hit)(const ucontext_t *c);

static int perf_event(struct perf_event_attr *attr, pid_t thread)
{
	int event = (int)syscall(SYS_perf_event_open, attr, thread, -1, -1, PERF_FLAG_FD_CLOEXEC);

	if (event < 0) {
		perror("perf_event_open");
		exit(77);
	}
	return event;
}

static void breakpoint_open(void)
{
	breakpoint = (struct perf_event_attr){
		.size = sizeof(breakpoint),
		.type = PERF_TYPE_BREAKPOINT,
		.bp_type = HW_BREAKPOINT_X,
		.bp_addr = (uintptr_t)one_store,
		.bp_len = 4,
		.sample_period = 1,
		.sig_data = BREAKPOINT_DATA,
		.exclude_kernel = 1,
		.exclude_hv = 1,
		.sigtrap = 1,
		.remove_on_exec = 1,
		.disabled = 1,
	};
	breakpoint_event = perf_event(&breakpoint, 0);
}

static int breakpoint_modify(const void *address, unsigned type, uint64_t period)
{
	breakpoint.bp_addr = (uintptr_t)address;
	breakpoint.bp_type = type;
	breakpoint.sample_period = period;
	breakpoint.disabled = 0;
	return ioctl(breakpoint_event, PERF_EVENT_IOC_MODIFY_ATTRIBUTES, &breakpoint);
}

/* From now on the breakpoint is at @address, and leaves out @period - 1 visits. */
static void arm(const void *address, uint64_t period)
{
	if (ioctl(breakpoint_event, PERF_EVENT_IOC_PERIOD, &period) ||
	    breakpoint_modify(address, HW_BREAKPOINT_X, period)) {
		perror("a breakpoint is refused");
		exit(1);
	}
}

static void disarm(void)
{
	ioctl(breakpoint_event, PERF_EVENT_IOC_DISABLE, 0);
}

static struct perf_event_attr clock_sampling(uint64_t period_ns)
{
	return (struct perf_event_attr){
		.size = sizeof(struct perf_event_attr),
		.type = PERF_TYPE_SOFTWARE,
		.config = PERF_COUNT_SW_TASK_CLOCK,
		.sample_period = period_ns,
		.sig_data = SAMPLE_DATA,
		.exclude_kernel = 1,
		.exclude_hv = 1,
		.sigtrap = 1,
		.remove_on_exec = 1,
	};
}

static void on_trap(int number, siginfo_t *info, void *context)
{
	const ucontext_t *c = context;
	uint64_t data;

	(void)number;
	memcpy(&data, (const char *)info + SIGINFO_PERF_DATA, sizeof(data));
	if (data == SAMPLE_DATA) {
		samples++;
		return;
	}
	if (hit_count < HITS_NOTED) {
		hits[hit_count].pc = c->uc_mcontext.pc;
		hits[hit_count].x0 = c->uc_mcontext.regs[0];
		hits[hit_count].counter = counter;
		hits[hit_count].code = info->si_code;
		hits[hit_count].address = (uintptr_t)info->si_addr;
		hits[hit_count].data = data;
	}
	if (++hit_count > RAN_AWAY)
		disarm();
	else
		at_hit(c);
}

static void begin(void (*respond)(const ucontext_t *c))
{
	at_hit = respond;
	hit_count = samples = counter = 0;
}

static void disarm_at_hit(const ucontext_t *c)
{
	(void)c;
	disarm();
}

/* ---- facts about them ---------------------------------------------------------------------- */

static bool fires_before(void)
{
	begin(disarm_at_hit);
	arm(one_store, 1);
	one();
	return hit_count == 1 && hits[0].pc == (uintptr_t)one_store && hits[0].counter == 0 &&
	       hits[0].code == TRAP_BY_PERF && hits[0].address == (uintptr_t)one_store &&
	       hits[0].data == BREAKPOINT_DATA && counter == 1;
}

static void disarm_after_some(const ucontext_t *c)
{
	(void)c;
	if (hit_count == REFIRES)
		disarm();
}

static bool fires_again(void)
{
	begin(disarm_after_some);
	arm(one_store, 1);
	one();
	for (unsigned i = 0; i < HITS_NOTED; i++)
		if (hits[i].pc != (uintptr_t)one_store || hits[i].counter)
			return false;
	return hit_count == REFIRES && counter == 1;
}

static bool period_skips(void)
{
	for (uint64_t period = 1; period <= 5; period += 2) {
		begin(disarm_at_hit);
		arm(one_store, period);
		for (unsigned i = 0; i < 8; i++)
			one();
		if (hit_count != 1 || hits[0].counter != period - 1)
			return false;
	}
	return true;
}

static void arm_here_with_two(const ucontext_t *c)
{
	arm((const void *)(uintptr_t)c->uc_mcontext.pc, 2);
}

static bool period_passes(void)
{
	begin(arm_here_with_two);
	arm(loop_branch, 1);
	loop(8);
	disarm();
	for (unsigned i = 0; i < 8; i++)
		if (hits[i].pc != (uintptr_t)loop_branch || hits[i].x0 != 7 - i)
			return false;
	return hit_count == 8;
}

static bool period_must_agree(void)
{
	uint64_t period = 3;
	bool refused;

	begin(disarm_at_hit);
	arm(one_store, 1);
	refused = breakpoint_modify(one_store, HW_BREAKPOINT_X, period) && errno == EINVAL;
	disarm();
	return refused;
}

/* Under sampling: each time around the loop is seen once. */
static uint64_t last_x0, around, lost, twice;

static void note_around(uint64_t x0)
{
	around++;
	if (last_x0 != UINT64_MAX && x0 == last_x0)
		twice++;
	else if (last_x0 != UINT64_MAX && x0 != last_x0 - 1)
		lost += last_x0 - 1 - x0;
	last_x0 = x0;
}

static void step_by_stone(const ucontext_t *c)
{
	if (c->uc_mcontext.pc != breakpoint.bp_addr)
		return; /* a moment too late: it fires again where it is armed */
	if (c->uc_mcontext.pc == (uintptr_t)loop_branch) {
		note_around(c->uc_mcontext.regs[0]);
		arm(loop_top, 1);
	} else {
		arm(loop_branch, 1);
	}
}

static void step_by_period(const ucontext_t *c)
{
	note_around(c->uc_mcontext.regs[0]);
	arm(loop_branch, 2);
}

static void run_under_sampling(void (*step)(const ucontext_t *c))
{
	struct perf_event_attr clock = clock_sampling(STRESS_PERIOD_NS);
	int sampling = perf_event(&clock, 0);

	begin(step);
	last_x0 = UINT64_MAX;
	around = lost = twice = 0;
	arm(loop_branch, 1);
	loop(UNDER_STRESS);
	disarm();
	close(sampling);
}

static bool stone_is_exact(void)
{
	run_under_sampling(step_by_stone);
	printf("     by a stone: %lu of %u, %lu lost, %lu twice, %lu samples meanwhile\n", around,
	       UNDER_STRESS, lost, twice, samples);
	return around == UNDER_STRESS && !lost && !twice && samples > 10;
}

/* Not exact: a sample that finds the thread at its breakpoint has the visit counted twice. */
static bool period_loses_none(void)
{
	run_under_sampling(step_by_period);
	printf("     by a period: %lu of %u, %lu lost, %lu twice, %lu samples meanwhile\n", around,
	       UNDER_STRESS, lost, twice, samples);
	return !lost && around - twice == UNDER_STRESS && samples > 10;
}

static bool blocked_comes_late(void)
{
	sigset_t trap;

	sigemptyset(&trap);
	sigaddset(&trap, SIGTRAP);
	begin(disarm_at_hit);
	sigprocmask(SIG_BLOCK, &trap, NULL);
	arm(one_store, 1);
	one();
	if (hit_count || counter != 1)
		return false;
	sigprocmask(SIG_UNBLOCK, &trap, NULL);
	disarm();
	return hit_count == 1 && hits[0].pc != (uintptr_t)one_store;
}

static bool exclusive_is_broken(void)
{
	volatile uint64_t number = 0;

	begin(disarm_at_hit);
	arm(exclusive_inside, 1);
	return exclusive(&number) == 2 && number == 1 && hit_count == 1;
}

static bool exclusive_is_kept(void)
{
	volatile uint64_t number = 0;

	begin(disarm_at_hit);
	arm(exclusive_behind, 1);
	return exclusive(&number) == 1 && number == 1 && hit_count == 1;
}

static bool data_fires_before(void)
{
	struct perf_event_attr attr = breakpoint;
	int kept = breakpoint_event;
	bool good;

	attr.bp_type = HW_BREAKPOINT_RW;
	attr.bp_addr = (uintptr_t)&loaded;
	attr.bp_len = 4;
	attr.sample_period = 1;
	attr.disabled = 0;
	begin(disarm_after_some);
	breakpoint_event = perf_event(&attr, 0);
	read_loaded();
	good = hit_count == REFIRES && hits[0].pc == (uintptr_t)read_load &&
	       hits[HITS_NOTED - 1].pc == (uintptr_t)read_load;
	close(breakpoint_event);
	breakpoint_event = kept;
	return good;
}

/* ---- facts about ptrace -------------------------------------------------------------------- */

struct hardware_breakpoints {
	uint32_t slots, pad;
	struct {
		uint64_t address;
		uint32_t control, pad;
	} slot[16];
};

#define CONTROL_EXECUTE_USER 0x1e5u /* four bytes, EL0, enabled */

static int get_set(pid_t thread, int set, void *to, size_t size)
{
	struct iovec v = {to, size};

	return (int)ptrace(PTRACE_GETREGSET, thread, set, &v);
}

static unsigned slots_of(pid_t thread)
{
	struct hardware_breakpoints b = {0};

	return get_set(thread, NT_ARM_HW_BREAK, &b, sizeof(b)) ? 0 : b.slots & 0xff;
}

static int break_at(pid_t thread, const void *address)
{
	struct hardware_breakpoints b = {0};
	struct iovec v = {&b, 8 + 16};

	b.slot[0].address = (uintptr_t)address;
	b.slot[0].control = address ? CONTROL_EXECUTE_USER : 0;
	return (int)ptrace(PTRACE_SETREGSET, thread, NT_ARM_HW_BREAK, &v);
}

static uint64_t pc_of(pid_t thread)
{
	struct user_regs_struct registers = {0};

	get_set(thread, NT_PRSTATUS, &registers, sizeof(registers));
	return registers.pc;
}

/* Has @thread run on by @request, and come to @pc by a SIGTRAP? */
static bool stops_at(pid_t thread, int request, const void *pc)
{
	int status;

	return !ptrace(request, thread, 0, 0) && waitpid(thread, &status, 0) == thread &&
	       WIFSTOPPED(status) && WSTOPSIG(status) == SIGTRAP && pc_of(thread) == (uintptr_t)pc;
}

static void end(pid_t child)
{
	kill(child, SIGKILL);
	waitpid(child, NULL, 0);
}

static bool traced_stays(void)
{
	pid_t child = fork();
	bool good;
	int status;

	if (!child) {
		ptrace(PTRACE_TRACEME, 0, 0, 0);
		raise(SIGSTOP);
		for (;;)
			one();
	}
	waitpid(child, &status, 0);
	good = slots_of(child) >= 2 && !break_at(child, one_store) &&
	       stops_at(child, PTRACE_CONT, one_store);
	for (unsigned i = 0; i < 5; i++)
		good = good && stops_at(child, PTRACE_CONT, one_store);
	good = good && stops_at(child, PTRACE_SINGLESTEP, one_store);
	good = good && !break_at(child, NULL) && stops_at(child, PTRACE_SINGLESTEP, one_store + 4);
	end(child);
	return good;
}

/* A child that lives in epoll_wait; its status is how often that ended with EINTR. */
static pid_t start_waiting(unsigned times, int wait_ms, uint64_t work)
{
	pid_t child = fork();
	unsigned interrupted = 0;
	struct epoll_event event;
	int polled;

	if (child)
		return child;
	polled = epoll_create1(0);
	for (unsigned i = 0; i < times; i++) {
		loop(work);
		interrupted += epoll_wait(polled, &event, 1, wait_ms) < 0 && errno == EINTR;
	}
	_exit(interrupted > 100 ? 100 : (int)interrupted);
}

static bool interrupt_is_seen(void)
{
	pid_t child = start_waiting(1, 1500, 1);
	struct timespec moment = {0, 300000000};
	int number = 0, status;

	nanosleep(&moment, NULL);
	ptrace(PTRACE_SEIZE, child, 0, 0);
	ptrace(PTRACE_INTERRUPT, child, 0, 0);
	waitpid(child, &status, 0);
	get_set(child, NT_ARM_SYSTEM_CALL, &number, sizeof(number));
	ptrace(PTRACE_DETACH, child, 0, 0);
	waitpid(child, &status, 0);
	return number == -1 && WIFEXITED(status) && WEXITSTATUS(status) == 1;
}

static bool event_is_not_seen(void)
{
	struct perf_event_attr clock = clock_sampling(1000000);
	pid_t child = start_waiting(40, 2, 300000);
	unsigned stops = 0, others = 0;
	siginfo_t info;
	int event, status;

	ptrace(PTRACE_SEIZE, child, 0, 0);
	event = perf_event(&clock, child);
	while (waitpid(child, &status, 0) == child && WIFSTOPPED(status)) {
		bool ours = WSTOPSIG(status) == SIGTRAP &&
			    !ptrace(PTRACE_GETSIGINFO, child, 0, &info) &&
			    info.si_code == TRAP_BY_PERF;

		stops += ours;
		others += !ours;
		ptrace(PTRACE_CONT, child, 0, ours ? 0 : WSTOPSIG(status));
	}
	close(event);
	printf("     %u stops, %u calls interrupted\n", stops, WEXITSTATUS(status));
	return stops > 10 && !others && WIFEXITED(status) && !WEXITSTATUS(status);
}

/* ---- costs --------------------------------------------------------------------------------- */

#define TIMES	       1000
#define NS_INSTRUCTION 4
#define ROUNDS	       5

static uint64_t instructions(void)
{
	struct timespec t;

	clock_gettime(CLOCK_MONOTONIC, &t);
	return ((uint64_t)t.tv_sec * 1000000000 + (uint64_t)t.tv_nsec) / NS_INSTRUCTION;
}

/* What a turn of the loop costs with these hits. */
static uint64_t turn_cost(void (*respond)(const ucontext_t *c), uint64_t period)
{
	uint64_t before, each;

	begin(respond);
	last_x0 = UINT64_MAX;
	arm(loop_branch, period);
	before = instructions();
	loop(TIMES);
	each = (instructions() - before) / TIMES;
	disarm();
	return each;
}

/* Is the least of some rounds, in which the kernel did little else, within @limit? */
static bool cost(const char *what, void (*respond)(const ucontext_t *c), uint64_t period,
		 uint64_t limit)
{
	uint64_t each = UINT64_MAX;

	for (int i = 0; i < ROUNDS; i++) {
		uint64_t round = turn_cost(respond, period);

		each = round < each ? round : each;
	}
	printf("%s %-40s %6lu guest instructions, at most %lu\n", each <= limit ? "ok  " : "FAIL",
	       what, each, limit);
	return each <= limit;
}

static bool costs_are_within(void)
{
	bool good = cost("a visit that the period leaves out", disarm_at_hit, TIMES + 1, 2000);

	good = cost("a hit, armed again by a period", arm_here_with_two, 1, 17000) && good;
	return cost("a hit, armed again by a stone", step_by_stone, 1, 34000) && good;
}

/* -------------------------------------------------------------------------------------------- */

static const struct {
	const char *what;
	bool (*holds)(void);
} facts[] = {
	{"a breakpoint fires before its instruction: TRAP_PERF, exact pc, our data", fires_before},
	{"on return it fires again, and executes nothing, until it is taken away", fires_again},
	{"a period of n leaves out n - 1 visits", period_skips},
	{"a period of 2 passes the breakpoint at the pc that is left", period_passes},
	{"the period must be set before attributes that have it", period_must_agree},
	{"under sampling, a stepping stone loses nothing and sees nothing twice", stone_is_exact},
	{"under sampling, a period loses nothing", period_loses_none},
	{"where SIGTRAP is blocked, it comes later, once, elsewhere", blocked_comes_late},
	{"a breakpoint between load- and store-exclusive has the store fail", exclusive_is_broken},
	{"one behind the store-exclusive does not", exclusive_is_kept},
	{"a data breakpoint fires before the access, and again on return", data_fires_before},
	{"a tracer's breakpoint at the pc stops again; only without it is there a step",
	 traced_stays},
	{"a tracer's interrupt ends epoll_wait with EINTR, and its number is gone",
	 interrupt_is_seen},
	{"a tracer's clock event on its tracee interrupts no epoll_wait", event_is_not_seen},
};

int main(int argc, char **argv)
{
	struct sigaction trap = {.sa_sigaction = on_trap, .sa_flags = SA_SIGINFO};
	unsigned failed = 0;

	setvbuf(stdout, NULL, _IOLBF, 0);
	sigaction(SIGTRAP, &trap, NULL);
	breakpoint_open();
	if (argc > 1 && !strcmp(argv[1], "costs"))
		return !costs_are_within();
	for (size_t i = 0; i < sizeof(facts) / sizeof(facts[0]); i++) {
		bool good = facts[i].holds();

		printf("%s %s\n", good ? "ok  " : "FAIL", facts[i].what);
		failed += !good;
	}
	printf("%u of %zu facts do not hold\n", failed, sizeof(facts) / sizeof(facts[0]));
	return failed != 0;
}
