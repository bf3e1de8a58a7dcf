/* SPDX-License-Identifier: MIT */
/* Signals and stacks: timers that fire all the time, stacks of a page, a stack that is used up. */
#define _GNU_SOURCE
#include <setjmp.h>
#include <signal.h>
#include <string.h>
#include <sys/mman.h>
#include <sys/time.h>
#include <time.h>
#include <ucontext.h>
#include <unistd.h>

#include "hazards.h"

static volatile sig_atomic_t fired[65];
static volatile uint64_t from_handlers;

static void on_timer(int number)
{
	fired[number] = fired[number] + 1;
	from_handlers = work(from_handlers, 300);
}

/* Four timers of a few hundred microseconds, real and of CPU time. */
static int run_timers(char **argv)
{
	struct itimerval often = {.it_interval.tv_usec = 300, .it_value.tv_usec = 300}, none = {0};
	struct itimerspec each = {.it_interval.tv_nsec = 250000, .it_value.tv_nsec = 250000};
	struct sigevent event = {.sigev_notify = SIGEV_SIGNAL, .sigev_signo = SIGRTMIN};
	static const int numbers[] = {SIGALRM, SIGPROF, SIGVTALRM};
	uint64_t sum = 1;
	timer_t timer;

	(void)argv;
	for (unsigned i = 0; i < 3; i++)
		sigaction(numbers[i], &(struct sigaction){.sa_handler = on_timer}, NULL);
	sigaction(SIGRTMIN, &(struct sigaction){.sa_handler = on_timer}, NULL);
	timer_create(CLOCK_MONOTONIC, &event, &timer);
	setitimer(ITIMER_REAL, &often, NULL);
	setitimer(ITIMER_PROF, &often, NULL);
	setitimer(ITIMER_VIRTUAL, &often, NULL);
	timer_settime(timer, 0, &each, NULL);
	for (unsigned i = 0; i < 100; i++)
		sum = work(sum, 500000);
	setitimer(ITIMER_REAL, &none, NULL);
	setitimer(ITIMER_PROF, &none, NULL);
	setitimer(ITIMER_VIRTUAL, &none, NULL);
	timer_delete(timer);
	for (unsigned i = 0; i < 3; i++)
		hazard_expect("fired", fired[numbers[i]] > 5, 1);
	hazard_expect("fired", fired[SIGRTMIN] > 5, 1);
	printf("%llx\n", (unsigned long long)sum);
	return 0;
}

#define ROUTINES    16
#define SMALL_STACK 4096

static ucontext_t back, routines[ROUTINES];
static uint64_t sums[ROUTINES];
static unsigned current;

static void routine(void)
{
	for (;;) {
		sums[current] = work(sums[current] + current, 20000);
		swapcontext(&routines[current], &back);
	}
}

/* Coroutines on stacks of a page: no signal's frame fits on one. */
static int run_contexts(char **argv)
{
	uint8_t *stacks = mmap(NULL, ROUTINES * SMALL_STACK, PROT_READ | PROT_WRITE,
			       MAP_PRIVATE | MAP_ANONYMOUS, -1, 0);
	uint64_t sum = 0;

	(void)argv;
	for (unsigned i = 0; i < ROUTINES; i++) {
		getcontext(&routines[i]);
		routines[i].uc_stack.ss_sp = stacks + i * SMALL_STACK;
		routines[i].uc_stack.ss_size = SMALL_STACK;
		makecontext(&routines[i], routine, 0);
	}
	for (unsigned round = 0; round < 200; round++)
		for (current = 0; current < ROUTINES; current++)
			swapcontext(&back, &routines[current]);
	for (unsigned i = 0; i < ROUTINES; i++)
		sum = sum * 31 + sums[i];
	printf("%llx\n", (unsigned long long)sum);
	return 0;
}

static sigjmp_buf jump;

static void on_overflow(int number, siginfo_t *info, void *context)
{
	(void)context;
	siglongjmp(jump, number == SIGSEGV && info->si_addr ? 1 : 2);
}

static __attribute__((noinline)) uint64_t deep(uint64_t n)
{
	volatile uint8_t room[1000];

	room[n % 1000] = (uint8_t)n;
	return deep(n + 1) + work(n, 20) + room[n % 1000];
}

/* Recursion without an end, caught on an alternate stack, again and again. */
static int run_overflow(char **argv)
{
	static uint8_t memory[65536];
	stack_t alternate = {.ss_sp = memory, .ss_size = sizeof(memory)}, now;
	struct sigaction action = {.sa_sigaction = on_overflow,
				   .sa_flags = SA_SIGINFO | SA_ONSTACK};
	volatile unsigned caught = 0;

	(void)argv;
	sigaltstack(&alternate, NULL);
	sigaction(SIGSEGV, &action, NULL);
	for (volatile unsigned i = 0; i < 60; i++) {
		if (!sigsetjmp(jump, 1))
			printf("%llx\n", (unsigned long long)deep(i));
		else
			caught++;
		if (i % 10 == 0)
			work(i, 3000000);
	}
	sigaltstack(NULL, &now);
	hazard_expect("alternate stack", now.ss_sp == memory && !now.ss_flags, 1);
	printf("%u caught\n", caught);
	return 0;
}

const struct hazard hazards_signals[] = {
	{"timers", run_timers},
	{"contexts", run_contexts},
	{"overflow", run_overflow},
	{NULL, NULL},
};
