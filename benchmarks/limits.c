/* SPDX-License-Identifier: MIT */
/*
 * limits KIND: a second of what look-ahead cannot foresee (docs/tracing.md, "Limits"), for
 * limits.sh. Four threads that share one lock: spin (test-and-set), pause (with the hint), mutex;
 * alone is the same without sharing. Code that is written anew between calls: protect (by way of
 * mprotect), rewrite (in a page that stays writable and executable). syscall: a system call in
 * every loop. blocked: a program that blocks SIGTRAP most of the time.
 */
#include <pthread.h>
#include <signal.h>
#include <stdatomic.h>
#include <stdio.h>
#include <string.h>
#include <sys/mman.h>
#include <sys/syscall.h>
#include <time.h>
#include <unistd.h>

#define THREADS 4
#define PAGE	4096

static atomic_flag lock = ATOMIC_FLAG_INIT;
static pthread_mutex_t mutex = PTHREAD_MUTEX_INITIALIZER;
static volatile unsigned long shared;
static const char *kind;

static double thread_seconds(void)
{
	struct timespec t;

	clock_gettime(CLOCK_THREAD_CPUTIME_ID, &t);
	return (double)t.tv_sec + (double)t.tv_nsec / 1e9;
}

static unsigned long step(unsigned long x, unsigned long i)
{
	return x * 3 + (x % 7 ? i : 1);
}

static void work_shared(void)
{
	for (unsigned long i = 0; i < 20; i++)
		shared = step(shared, i);
}

static void turn(char how, unsigned long *own)
{
	switch (how) {
	case 'm':
		pthread_mutex_lock(&mutex);
		work_shared();
		pthread_mutex_unlock(&mutex);
		break;
	case 'a':
		for (unsigned long i = 0; i < 20; i++)
			*own = step(*own, i);
		break;
	default:
		while (atomic_flag_test_and_set_explicit(&lock, memory_order_acquire))
			if (how == 'p')
				__builtin_ia32_pause();
		work_shared();
		atomic_flag_clear_explicit(&lock, memory_order_release);
	}
}

static void *work(void *argument)
{
	unsigned long own = (unsigned long)argument;
	double end = thread_seconds() + 1;

	while (thread_seconds() < end)
		for (int i = 0; i < 1000; i++)
			turn(kind[0], &own);
	return (void *)own;
}

static int share(void)
{
	pthread_t threads[THREADS];

	for (unsigned long i = 0; i < THREADS; i++)
		if (pthread_create(&threads[i], NULL, work, (void *)i))
			return 1;
	for (int i = 0; i < THREADS; i++)
		pthread_join(threads[i], NULL);
	return 0;
}

/* Two loops that count down from a number, of one length and with branches at different places. */
static int rewrite(int between)
{
	unsigned char *page = mmap(NULL, PAGE, between, MAP_PRIVATE | MAP_ANONYMOUS, -1, 0);
	double end = thread_seconds() + 1;

	if (page == MAP_FAILED)
		return 1;
	for (unsigned n = 0; thread_seconds() < end; n++) {
		unsigned char count = (unsigned char)(5 + n % 40);
		const unsigned char by_one[] = {0xb8, count, 0,	   0,	 0,    0x83, 0xe8,
						1,    0x75,  0xfb, 0x90, 0x90, 0xc3};
		const unsigned char by_three[] = {0xb8, count, 0,    0,	   0,	 0x90, 0x83,
						  0xe8, 3,     0x7f, 0xfa, 0xc3, 0x90};
		const unsigned char *code = n & 1 ? by_one : by_three;

		if (!(between & PROT_EXEC))
			mprotect(page, PAGE, between);
		memcpy(page, code, sizeof(by_one));
		if (!(between & PROT_EXEC))
			mprotect(page, PAGE, PROT_READ | PROT_EXEC);
		for (int i = 0; i < 1000; i++)
			shared += ((unsigned (*)(void))(void *)page)();
	}
	return 0;
}

static int call_system(void)
{
	double end = thread_seconds() + 1;

	while (thread_seconds() < end)
		for (int i = 0; i < 100; i++) {
			syscall(SYS_getppid);
			for (int j = 0; j < 30; j++)
				shared += shared % 3 ? 1 : 2;
		}
	return 0;
}

static int block(void)
{
	double end = thread_seconds() + 1;
	sigset_t set;

	sigemptyset(&set);
	sigaddset(&set, SIGTRAP);
	while (thread_seconds() < end) {
		sigprocmask(SIG_BLOCK, &set, NULL);
		for (unsigned long i = 0; i < 3000000; i++)
			shared = step(shared, i);
		sigprocmask(SIG_UNBLOCK, &set, NULL);
		for (unsigned long i = 0; i < 1000000; i++)
			shared = step(shared, i);
	}
	return 0;
}

int main(int argc, char **argv)
{
	kind = argc == 2 ? argv[1] : "";
	if (!strcmp(kind, "spin") || !strcmp(kind, "pause") || !strcmp(kind, "mutex") ||
	    !strcmp(kind, "alone"))
		return share();
	if (!strcmp(kind, "protect"))
		return rewrite(PROT_READ | PROT_WRITE);
	if (!strcmp(kind, "rewrite"))
		return rewrite(PROT_READ | PROT_WRITE | PROT_EXEC);
	if (!strcmp(kind, "syscall"))
		return call_system();
	if (!strcmp(kind, "blocked"))
		return block();
	fputs("usage: limits spin|pause|mutex|alone|protect|rewrite|syscall|blocked\n", stderr);
	return 2;
}
