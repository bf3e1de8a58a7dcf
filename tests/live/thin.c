/* SPDX-License-Identifier: MIT */
/* thin HOW: a second of work of which the collector sees little. blocked: SIGTRAP is blocked; fork:
 * by a child of a bare fork; clone, vfork: by one that has our memory; fill: hardly a branch; open:
 * nothing of the kind.
 */
#include <sched.h>
#include <signal.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/syscall.h>
#include <sys/wait.h>
#include <time.h>
#include <unistd.h>

static volatile unsigned long sum;

static double now_s(void)
{
	struct timespec t;

	clock_gettime(CLOCK_PROCESS_CPUTIME_ID, &t);
	return (double)t.tv_sec + (double)t.tv_nsec / 1e9;
}

static void work(double seconds)
{
	for (double end = now_s() + seconds; now_s() < end;)
		for (unsigned i = 0; i < 1000000; i++)
			sum += i;
}

/* A trace of a thousand branches takes longer than all of it. */
static void fill(double seconds)
{
	static char bytes[1 << 25];

	for (double end = now_s() + seconds; now_s() < end;) {
#ifdef __x86_64__
		__asm__ volatile(".rept 16; mov %0, %%rdi; mov %1, %%rcx; rep stosb; .endr"
				 :
				 : "r"(bytes), "r"(sizeof(bytes)), "a"(0)
				 : "rdi", "rcx", "memory");
#else
		sum += (unsigned long)bytes[0];
#endif
	}
}

static void block_trap(void)
{
	sigset_t trap;

	sigemptyset(&trap);
	sigaddset(&trap, SIGTRAP);
	sigprocmask(SIG_BLOCK, &trap, NULL);
}

static int work_as_child(void *unused)
{
	(void)unused;
	work(1);
	_exit(0);
}

/* Not waited for by the kernel where @flags have no CLONE_VFORK. */
static void clone_child(int flags)
{
	static char stack[65536] __attribute__((aligned(16)));

	clone(work_as_child, stack + sizeof(stack), flags | CLONE_VM | SIGCHLD, NULL);
	wait(NULL);
}

int main(int argc, char **argv)
{
	const char *how = argc > 1 ? argv[1] : "open";

	if (!strcmp(how, "blocked"))
		block_trap();
	if (!strcmp(how, "fork") && syscall(SYS_clone, SIGCHLD, 0, 0, 0, 0)) {
		wait(NULL);
		return 0;
	}
	if (!strcmp(how, "fill"))
		fill(1);
	else if (!strcmp(how, "clone"))
		clone_child(0);
	else if (!strcmp(how, "vfork"))
		clone_child(CLONE_VFORK);
	else
		work(1);
	return 0;
}
