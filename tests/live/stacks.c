/* SPDX-License-Identifier: MIT */
/*
 * Alternate signal stacks of a program's own, handlers on them and off them, and code on stacks
 * that have no room for a signal's frame: each part checks itself, and all is as it is without
 * softlbr.
 */
#define _GNU_SOURCE
#include <errno.h>
#include <pthread.h>
#include <setjmp.h>
#include <signal.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/auxv.h>
#include <sys/mman.h>
#include <sys/time.h>
#include <sys/wait.h>
#include <ucontext.h>
#include <unistd.h>

#include "busy.h"

static volatile uint64_t sink;

/* ---- a stack of the program's own ---------------------------------------------------------- */

static size_t own_bytes; /* of each thread's stack for signals */
static __thread char *mine;
static __thread volatile int bad, calls;
static __thread sigjmp_buf back;

static int on_own(const void *at)
{
	return (const char *)at > mine && (const char *)at < mine + own_bytes;
}

static char *set_own(void)
{
	char *stack = malloc(own_bytes);

	sigaltstack(&(stack_t){.ss_sp = stack, .ss_size = own_bytes}, NULL);
	return stack;
}

static void install(int number, void (*handler)(int, siginfo_t *, void *), int flags)
{
	struct sigaction action = {.sa_sigaction = handler, .sa_flags = SA_SIGINFO | flags};

	sigaction(number, &action, NULL);
}

/* Here, while it runs: on our stack, which can't be taken away. */
static void on_alternate(int number, siginfo_t *info, void *context)
{
	stack_t seen, none = {.ss_flags = SS_DISABLE};
	char local;

	(void)context;
	calls++;
	bad += !on_own(&local) || info->si_signo != number;
	sigaltstack(NULL, &seen);
	bad += seen.ss_sp != mine || seen.ss_size != own_bytes || seen.ss_flags != SS_ONSTACK;
	bad += sigaltstack(&none, NULL) != -1 || errno != EPERM;
	sink = sink + work((uint64_t)calls, 30000);
	if (number == SIGUSR1)
		raise(SIGUSR2); /* on the same stack, below */
}

static void off_alternate(int number, siginfo_t *info, void *context)
{
	char local;

	(void)number;
	(void)info;
	(void)context;
	calls++;
	bad += on_own(&local);
	sink = sink + work((uint64_t)calls, 30000);
}

static int alternate(void)
{
	stack_t seen, before;
	struct sigaction action;

	bad = calls = 0;
	sigaltstack(NULL, &before);
	bad += !(before.ss_flags & SS_DISABLE);
	mine = set_own();
	sigaltstack(NULL, &seen);
	bad += seen.ss_sp != mine || seen.ss_size != own_bytes || seen.ss_flags;
	install(SIGUSR1, on_alternate, SA_ONSTACK);
	install(SIGUSR2, on_alternate, SA_ONSTACK);
	install(SIGURG, off_alternate, 0);
	sigaction(SIGUSR1, NULL, &action);
	bad += action.sa_sigaction != on_alternate || !(action.sa_flags & SA_ONSTACK);
	for (int i = 0; i < 60; i++) {
		raise(SIGUSR1);
		raise(SIGURG);
		sink = work(i, 100000);
	}
	bad += calls != 180;
	bad += sigaltstack(&(stack_t){.ss_sp = mine, .ss_size = 100}, NULL) != -1 ||
	       errno != ENOMEM;
	bad += sigaltstack(&(stack_t){.ss_flags = SS_DISABLE}, NULL);
	sigaltstack(NULL, &seen);
	bad += !(seen.ss_flags & SS_DISABLE);
	install(SIGWINCH, off_alternate, SA_ONSTACK); /* there is none: where it is */
	for (int i = 0; i < 20; i++)
		raise(SIGWINCH);
	bad += calls != 200;
	free(mine);
	return bad;
}

static void *alternate_in_thread(void *unused)
{
	(void)unused;
	return (void *)(intptr_t)alternate();
}

static int threads(void)
{
	pthread_t thread[4];
	int sum = 0;

	for (int round = 0; round < 3; round++) {
		for (int i = 0; i < 4; i++)
			pthread_create(&thread[i], NULL, alternate_in_thread, NULL);
		for (int i = 0; i < 4; i++) {
			void *result;

			pthread_join(thread[i], &result);
			sum += (int)(intptr_t)result;
		}
	}
	return sum;
}

/* ---- left by siglongjmp -------------------------------------------------------------------- */

static void jump_back(int number, siginfo_t *info, void *context)
{
	char local;

	(void)number;
	(void)info;
	(void)context;
	calls++;
	bad += !on_own(&local);
	sink = sink + work((uint64_t)calls, 3000);
	siglongjmp(back, 1);
}

static volatile int bottomless = 1;

static int __attribute__((noinline)) overflow(int depth)
{
	volatile char room[512];

	room[0] = (char)depth;
	return bottomless ? overflow(depth + 1) + room[0] : 0;
}

/* A stack that overflows is noticed on the other one. */
static void *overflows(void *unused)
{
	(void)unused;
	bad = calls = 0;
	mine = set_own();
	install(SIGSEGV, jump_back, SA_ONSTACK);
	for (volatile int i = 0; i < 20; i++)
		if (!sigsetjmp(back, 1))
			sink = sink + (uint64_t)overflow(0);
	bad += calls != 20;
	sigaltstack(&(stack_t){.ss_flags = SS_DISABLE}, NULL);
	signal(SIGSEGV, SIG_DFL);
	free(mine);
	return (void *)(intptr_t)bad;
}

static int overflown(void)
{
	pthread_attr_t attributes;
	pthread_t thread;
	void *result;

	pthread_attr_init(&attributes);
	pthread_attr_setstacksize(&attributes, 256 << 10);
	pthread_create(&thread, &attributes, overflows, NULL);
	pthread_join(thread, &result);
	return (int)(intptr_t)result;
}

/* ---- a handler that changes where the program goes on -------------------------------------- */

static void skip(int number, siginfo_t *info, void *context)
{
	ucontext_t *c = context;

	(void)info;
	calls++;
	sink = sink + work((uint64_t)calls, 3000);
	if (number == SIGILL)
		c->uc_mcontext.gregs[REG_RIP] += 2; /* ud2 */
	c->uc_mcontext.gregs[REG_RBX]++;
}

/* What is in registers, vectors too, is there again after the handler but for what it changed. */
static __attribute__((noinline)) int around(int trap)
{
	double vector = 1.25 * calls;
	uint64_t rbx = 41;

	if (trap)
		__asm__ volatile("int3" : "+b"(rbx), "+x"(vector) : : "memory");
	else
		__asm__ volatile("ud2" : "+b"(rbx), "+x"(vector) : : "memory");
	return rbx != 42 || vector != 1.25 * (calls - 1);
}

static int changed_context(void)
{
	int sum = 0;

	calls = 0;
	for (int i = 0; i < 200; i++) {
		int flags = i & 1 ? SA_ONSTACK : 0;

		if (i % 50 == 0) {
			free(mine);
			mine = set_own();
		}
		install(SIGILL, skip, flags);
		install(SIGTRAP, skip, flags);
		sum += around(0) + around(1);
		sink = work(i, 30000);
	}
	signal(SIGILL, SIG_DFL);
	signal(SIGTRAP, SIG_DFL);
	return sum || calls != 400;
}

/* ---- what a SIGTRAP handler of the program's own has blocked ------------------------------- */

static void own_trap(int number, siginfo_t *info, void *context)
{
	sigset_t now;
	char local;

	(void)number;
	(void)info;
	(void)context;
	calls++;
	sigprocmask(SIG_SETMASK, NULL, &now);
	bad += !sigismember(&now, SIGTRAP) || !sigismember(&now, SIGUSR1) ||
	       sigismember(&now, SIGUSR2) || sigismember(&now, SIGALRM);
	bad += on_own(&local) != calls % 2;
	sink = sink + work((uint64_t)calls, 3000);
	if (calls % 3 == 0)
		siglongjmp(back, 1);
}

static int traps(void)
{
	struct sigaction action = {.sa_sigaction = own_trap, .sa_flags = SA_SIGINFO};
	sigset_t after;

	bad = calls = 0;
	mine = set_own();
	sigaddset(&action.sa_mask, SIGUSR1);
	for (volatile int i = 0; i < 300; i++) {
		action.sa_flags = SA_SIGINFO | (i % 2 ? 0 : SA_ONSTACK);
		sigaction(SIGTRAP, &action, NULL);
		if (!sigsetjmp(back, 1))
			raise(SIGTRAP);
		sink = work(i, 10000);
		sigprocmask(SIG_SETMASK, NULL, &after);
		bad += sigismember(&after, SIGUSR1) || sigismember(&after, SIGALRM);
	}
	signal(SIGTRAP, SIG_DFL);
	return bad || calls != 300;
}

/* ---- coroutines that share a thread, with 2 KB each, and a program's timer ------------------ */

#define SMALL_BYTES 2048
#define GUARD_BYTES 16384
#define COROUTINES  4

static ucontext_t scheduler, coroutines[COROUTINES];
static _Alignas(64) unsigned char stacks[COROUTINES][GUARD_BYTES + SMALL_BYTES];
static volatile uint64_t sums[COROUTINES];

static void coroutine(int number)
{
	for (int i = 0; i < 200; i++) {
		sums[number] = sums[number] + work((uint64_t)(number * 1000 + i), 20000);
		swapcontext(&coroutines[number], &scheduler);
	}
}

static void tick(int number, siginfo_t *info, void *context)
{
	char local;

	(void)number;
	(void)info;
	(void)context;
	calls++;
	bad += !on_own(&local);
	sink = sink + work((uint64_t)calls, 2000);
}

static int small_stacks(void)
{
	struct itimerval on = {{0, 1100}, {0, 1100}}, off = {{0, 0}, {0, 0}};
	uint64_t expected[COROUTINES] = {0};

	bad = calls = 0;
	mine = set_own();
	install(SIGALRM, tick, SA_ONSTACK | SA_RESTART);
	memset(stacks, 0x5a, sizeof(stacks));
	for (int c = 0; c < COROUTINES; c++) {
		getcontext(&coroutines[c]);
		coroutines[c].uc_stack.ss_sp = stacks[c] + GUARD_BYTES;
		coroutines[c].uc_stack.ss_size = SMALL_BYTES;
		coroutines[c].uc_link = &scheduler;
		makecontext(&coroutines[c], (void (*)(void))coroutine, 1, c);
	}
	setitimer(ITIMER_REAL, &on, NULL);
	for (int i = 0; i < 200; i++)
		for (int c = 0; c < COROUTINES; c++) {
			expected[c] += work((uint64_t)(c * 1000 + i), 20000);
			swapcontext(&scheduler, &coroutines[c]);
		}
	setitimer(ITIMER_REAL, &off, NULL);
	signal(SIGALRM, SIG_DFL);
	for (int c = 0; c < COROUTINES; c++) {
		bad += sums[c] != expected[c];
		for (size_t i = 0; i < GUARD_BYTES; i++)
			bad += stacks[c][i] != 0x5a;
	}
	return bad || !calls;
}

/* ---- a child that has its parent's ---------------------------------------------------------- */

static int forked(void)
{
	int status = -1;
	pid_t child;

	bad = calls = 0;
	mine = set_own();
	install(SIGUSR1, on_alternate, SA_ONSTACK);
	install(SIGUSR2, on_alternate, SA_ONSTACK);
	child = fork();
	if (!child) {
		for (int i = 0; i < 30; i++)
			raise(SIGUSR1);
		bad += calls != 60;
		sigaltstack(&(stack_t){.ss_flags = SS_DISABLE}, NULL);
		_exit(bad ? 1 : alternate() ? 2 : 3);
	}
	for (int i = 0; i < 30; i++)
		raise(SIGUSR1);
	waitpid(child, &status, 0);
	return bad || calls != 60 || !WIFEXITED(status) || WEXITSTATUS(status) != 3;
}

static const struct {
	const char *name;
	int (*run)(void);
} parts[] = {
	{"alternate", alternate},
	{"threads", threads},
	{"overflown", overflown},
	{"traps", traps},
	{"changed-context", changed_context},
	{"small-stacks", small_stacks},
	{"forked", forked},
};

int main(int argc, char **argv)
{
	int status = 0;

	own_bytes = getauxval(AT_MINSIGSTKSZ) * 3 + 4096;
	for (size_t i = 0; i < sizeof(parts) / sizeof(parts[0]); i++) {
		int wrong;

		if (argc > 1 && strcmp(argv[1], parts[i].name))
			continue;
		wrong = parts[i].run();
		printf("%s %s\n", parts[i].name, wrong ? "changed" : "unchanged");
		fflush(stdout);
		status |= wrong != 0;
	}
	return status;
}
