/* SPDX-License-Identifier: MIT */
/*
 * habits WHAT: a program's habits that a collector must not disturb; prints what came of them.
 *
 * signals	timers' handlers on an alternate stack of its own, from which the interrupted code
 *		is found by unwinding, while vectors hold what is checked
 * vectors	the same while SVE's registers hold it, in vectors as long as can be had (up to 256
 *		bytes: the kernel's frame has no room for them, and says where they are)
 * trap		a handler of its own for SIGTRAP, raised and found by unwinding
 * tasks	threads, forks, exec and dlopen
 * waits	300 times epoll_wait with a time-out of a millisecond, and work between: how many
 *		said EINTR
 * stress	threads that work at once, and count together: under a lock, by atomics, and in
 *		variables of their own
 * abort, abort_trap	ends with a core file in a timer's handler, or in SIGTRAP's
 */
#include <dlfcn.h>
#include <errno.h>
#include <execinfo.h>
#include <pthread.h>
#include <signal.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/auxv.h>
#include <sys/epoll.h>
#include <sys/prctl.h>
#include <sys/time.h>
#include <sys/wait.h>
#include <unistd.h>

static int signals, unwound, on_stack;
static char stack[1 << 16];

static __attribute__((noinline)) uint64_t work(uint64_t n)
{
	uint64_t random = 88172645463325252u, sum = 0;

	while (n--) {
		random ^= random << 13;
		random ^= random >> 7;
		random ^= random << 17;
		sum += random & 1 ? random & 7 : n;
	}
	return sum;
}

/*
 * Frames behind the handler's own and the signal's: is libc's start of main among them? One handler
 * may come in the other, at any place of it and of its libraries: some have nothing for unwinders.
 */
static void note(int number)
{
	static int depth;
	void *frames[32];
	char here;

	(void)number;
	if (__atomic_fetch_add(&depth, 1, __ATOMIC_RELAXED) || backtrace(frames, 32) >= 5)
		__atomic_fetch_add(&unwound, 1, __ATOMIC_RELAXED);
	__atomic_fetch_add(&signals, 1, __ATOMIC_RELAXED);
	__atomic_fetch_add(&on_stack, &here >= stack && &here < stack + sizeof(stack),
			   __ATOMIC_RELAXED);
	__atomic_fetch_sub(&depth, 1, __ATOMIC_RELAXED);
}

static void handle(int number, int flags)
{
	struct sigaction action = {.sa_handler = note, .sa_flags = flags | SA_RESTART};

	sigaction(number, &action, NULL);
}

static void start_timers(void)
{
	struct itimerval timer = {{0, 1700}, {0, 1700}};
	stack_t alternate = {.ss_sp = stack, .ss_size = sizeof(stack)};
	void *frames[1];

	backtrace(frames, 1); /* loads libgcc_s */
	sigaltstack(&alternate, NULL);
	handle(SIGALRM, SA_ONSTACK);
	handle(SIGPROF, SA_ONSTACK);
	setitimer(ITIMER_REAL, &timer, NULL);
	setitimer(ITIMER_PROF, &timer, NULL);
}

static void stop_timers(void)
{
	struct itimerval stop = {{0, 0}, {0, 0}};

	setitimer(ITIMER_REAL, &stop, NULL);
	setitimer(ITIMER_PROF, &stop, NULL);
	printf("signals %s, all unwound %d, all on the stack %d\n", signals > 10 ? "many" : "few",
	       unwound == signals, on_stack == signals);
}

static int do_signals(void)
{
	uint64_t sum = 0, wrong = 0;

	start_timers();
	for (unsigned i = 0; i < 400; i++) {
		uint64_t low, high, expected = i * UINT64_C(0x9e3779b97f4a7c15);

		__asm__ volatile("dup v20.2d, %[x]\n\tmov x10, #20000\n"
				 "1:	subs x10, x10, #1\n\tb.ne 1b\n\t"
				 "umov %[low], v20.d[0]\n\tumov %[high], v20.d[1]"
				 : [low] "=r"(low), [high] "=r"(high)
				 : [x] "r"(expected)
				 : "x10", "v20", "cc");
		wrong += low != expected || high != expected;
		sum += work(2000) & 15;
	}
	stop_timers();
	printf("sum %llu, vectors wrong %llu\n", (unsigned long long)sum,
	       (unsigned long long)wrong);
	return 0;
}

#define LONGEST 256 /* bytes of a vector */

/* z3, z29 and p5 hold @vector and @predicate for the time of a loop, and are stored there again. */
static void hold(uint8_t *vector, uint8_t *other, uint8_t *predicate)
{
	__asm__ volatile(".arch_extension sve\n\t"
			 "ldr z3, [%[vector]]\n\tldr z29, [%[other]]\n\tldr p5, [%[predicate]]\n\t"
			 "mov x10, #20000\n"
			 "1:	subs x10, x10, #1\n\tb.ne 1b\n\t"
			 "str z3, [%[vector]]\n\tstr z29, [%[other]]\n\tstr p5, [%[predicate]]"
			 :
			 : [vector] "r"(vector), [other] "r"(other), [predicate] "r"(predicate)
			 : "x10", "v3", "v29", "cc", "memory");
}

static int do_vectors(void)
{
	static uint8_t held[2 * LONGEST + LONGEST / 8], expected[sizeof(held)];
	uint64_t sum = 0, wrong = 0;

	if (!(getauxval(AT_HWCAP) & HWCAP_SVE)) {
		printf("no SVE\n");
		return 0;
	}
	printf("vectors of %d bytes\n", prctl(PR_SVE_SET_VL, LONGEST) & PR_SVE_VL_LEN_MASK);
	start_timers();
	for (unsigned i = 0; i < 400; i++) {
		for (size_t k = 0; k < sizeof(held); k++)
			held[k] = expected[k] = (uint8_t)(i * 7 + k * 31 + k / 256);
		hold(held, held + LONGEST, held + 2 * LONGEST);
		wrong += memcmp(held, expected, sizeof(held)) != 0;
		sum += work(2000) & 15;
	}
	stop_timers();
	printf("sum %llu, wrong %llu\n", (unsigned long long)sum, (unsigned long long)wrong);
	return 0;
}

static int do_trap(void)
{
	uint64_t sum = 0;
	void *frames[1];

	backtrace(frames, 1);
	handle(SIGTRAP, 0);
	for (unsigned i = 0; i < 100; i++) {
		sum += work(20000) & 15;
		raise(SIGTRAP);
	}
	printf("sum %llu, signals %d, unwound %d\n", (unsigned long long)sum, (int)signals,
	       (int)unwound);
	return 0;
}

static void *thread(void *argument)
{
	return (void *)(uintptr_t)work((uintptr_t)argument);
}

static int do_tasks(char *self)
{
	pthread_t threads[4];
	uint64_t sum = 0;
	int status = 0;
	double (*cosine)(double);
	void *library;

	for (unsigned i = 0; i < 4; i++)
		pthread_create(&threads[i], NULL, thread, (void *)(uintptr_t)(200000 + i));
	for (unsigned i = 0; i < 4; i++) {
		void *result;

		pthread_join(threads[i], &result);
		sum += (uintptr_t)result;
	}
	for (unsigned i = 0; i < 3; i++) {
		pid_t child = fork();

		if (!child) {
			work(100000);
			execl(self, self, "nothing", NULL);
			_exit(1);
		}
		waitpid(child, &status, 0);
		sum += (uint64_t)WEXITSTATUS(status);
	}
	library = dlopen("libm.so.6", RTLD_NOW);
	cosine = library ? (double (*)(double))dlsym(library, "cos") : NULL;
	printf("sum %llu, cos %.3f\n", (unsigned long long)sum, cosine ? cosine(1) : 9);
	return 0;
}

static void end(int number)
{
	(void)number;
	abort();
}

/* The caller is behind the handler's frame. */
static int do_abort(int number)
{
	struct itimerval timer = {{0, 0}, {0, 20000}};
	stack_t alternate = {.ss_sp = stack, .ss_size = sizeof(stack)};
	struct sigaction action = {.sa_handler = end, .sa_flags = SA_ONSTACK};

	sigaltstack(&alternate, NULL);
	sigaction(number, &action, NULL);
	if (number == SIGTRAP)
		raise(SIGTRAP);
	setitimer(ITIMER_REAL, &timer, NULL);
	return (int)work(UINT64_C(1) << 40);
}

#define STRESS_THREADS 4u
#define STRESS_ROUNDS  50000u

static pthread_mutex_t lock = PTHREAD_MUTEX_INITIALIZER;
static uint64_t under_lock, by_atomics;

static void *stressed(void *argument)
{
	uint64_t sum = 0, n;

	(void)argument;
	for (unsigned i = 0; i < STRESS_ROUNDS; i++) {
		sum += n = work(700 + i % 7);
		__atomic_fetch_add(&by_atomics, n, __ATOMIC_ACQ_REL);
		pthread_mutex_lock(&lock);
		under_lock += n;
		pthread_mutex_unlock(&lock);
	}
	return (void *)(uintptr_t)sum;
}

static int do_stress(void)
{
	pthread_t threads[STRESS_THREADS];
	uint64_t sum = 0;

	for (unsigned i = 0; i < STRESS_THREADS; i++)
		pthread_create(&threads[i], NULL, stressed, NULL);
	for (unsigned i = 0; i < STRESS_THREADS; i++) {
		void *own;

		pthread_join(threads[i], &own);
		sum += (uintptr_t)own;
	}
	printf("sum %llu, under the lock %llu, by atomics %llu\n", (unsigned long long)sum,
	       (unsigned long long)under_lock, (unsigned long long)by_atomics);
	return sum != under_lock || sum != by_atomics;
}

static int do_waits(void)
{
	int e = epoll_create1(0), interrupted = 0;
	struct epoll_event event;
	uint64_t sum = 0;

	for (unsigned i = 0; i < 300; i++) {
		if (epoll_wait(e, &event, 1, 1) < 0)
			interrupted += errno == EINTR;
		sum += work(3000) & 15;
	}
	printf("sum %llu, EINTR %d\n", (unsigned long long)sum, interrupted);
	return 0;
}

int main(int argc, char **argv)
{
	const char *what = argc > 1 ? argv[1] : "";

	if (!strcmp(what, "signals"))
		return do_signals();
	if (!strcmp(what, "vectors"))
		return do_vectors();
	if (!strcmp(what, "trap"))
		return do_trap();
	if (!strcmp(what, "tasks"))
		return do_tasks(argv[0]);
	if (!strcmp(what, "abort"))
		return do_abort(SIGALRM);
	if (!strcmp(what, "abort_trap"))
		return do_abort(SIGTRAP);
	if (!strcmp(what, "stress"))
		return do_stress();
	if (!strcmp(what, "waits"))
		return do_waits();
	return !strcmp(what, "nothing") ? 7 : 2;
}
