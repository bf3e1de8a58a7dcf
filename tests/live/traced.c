/* SPDX-License-Identifier: MIT */
/*
 * traced traceme | attach | seize: a program that traces its child by ptrace, steps through it, and
 * counts the signals that it sees there. The child asks for it itself, or is attached to in the
 * middle of its life, a thread that works and one that sleeps.
 */
#define _GNU_SOURCE
#include <dirent.h>
#include <pthread.h>
#include <signal.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/prctl.h>
#include <sys/ptrace.h>
#include <sys/syscall.h>
#include <sys/wait.h>
#include <time.h>
#include <unistd.h>

#define STEPS  300
#define ROUNDS 10

static uint64_t work(unsigned n)
{
	uint64_t hash = 1469598103934665603u;

	for (unsigned i = 0; i < n * 1000; i++) {
		hash ^= i * 7 & 255;
		hash *= 1099511628211u;
		if (hash & 1)
			hash ^= i;
		__asm__ volatile("" : "+r"(hash));
	}
	return hash;
}

static void sleep_ms(long ms)
{
	struct timespec t = {.tv_sec = ms / 1000, .tv_nsec = ms % 1000 * 1000000};

	nanosleep(&t, NULL);
}

static void *doze(void *unused)
{
	(void)unused;
	for (;;) {
		sleep_ms(100);
		work(100);
	}
	return NULL;
}

static void *spin(void *unused)
{
	(void)unused;
	for (;;)
		work(100);
	return NULL;
}

static struct {
	long steps, stops, traps, others;
} seen;

/* What waitpid says of a thread that is traced; false: it has ended. */
static int count(int status, int *signal)
{
	*signal = 0;
	if (!WIFSTOPPED(status))
		return 0;
	if (status >> 16 || WSTOPSIG(status) == SIGSTOP) {
		seen.stops++;
	} else if (WSTOPSIG(status) == SIGTRAP) {
		seen.traps++;
	} else {
		seen.others++;
		*signal = WSTOPSIG(status);
	}
	return 1;
}

static int traceme(void)
{
	int status, signal = 0;
	pid_t child = fork();

	if (!child) {
		prctl(PR_SET_PDEATHSIG, SIGKILL);
		work(20000);
		ptrace(PTRACE_TRACEME, 0, NULL, NULL);
		raise(SIGSTOP);
		work(20000);
		raise(SIGUSR1);
		work(20000);
		_exit(7);
	}
	waitpid(child, &status, 0);
	for (; seen.steps < STEPS; seen.steps++) {
		ptrace(PTRACE_SINGLESTEP, child, NULL, NULL);
		waitpid(child, &status, 0);
		if (!WIFSTOPPED(status) || WSTOPSIG(status) != SIGTRAP)
			break;
	}
	do {
		/* SIGUSR1 would end it */
		ptrace(PTRACE_CONT, child, NULL, (void *)(long)(signal == SIGUSR1 ? 0 : signal));
		waitpid(child, &status, 0);
	} while (count(status, &signal));
	return WEXITSTATUS(status);
}

static int tids_of(pid_t pid, pid_t tids[8])
{
	struct dirent *entry;
	char path[64];
	int n = 0;
	DIR *d;

	snprintf(path, sizeof(path), "/proc/%d/task", pid);
	d = opendir(path);
	while (d && n < 8 && (entry = readdir(d)))
		if (atoi(entry->d_name))
			tids[n++] = atoi(entry->d_name);
	if (d)
		closedir(d);
	return n;
}

/* Each thread stops and goes on a few times; in between only our stops may come. */
static int attach(int request)
{
	int status, n, signal;
	pid_t child = fork(), tids[8], tid;
	pthread_t thread;

	if (!child) {
		prctl(PR_SET_PDEATHSIG, SIGKILL);
		pthread_create(&thread, NULL, doze, NULL);
		spin(NULL);
	}
	sleep_ms(150);
	/* as debuggers do: the first thread, then those that are seen beside it */
	if (ptrace(request, child, NULL, NULL))
		return 3;
	n = tids_of(child, tids);
	for (int i = 0; i < n; i++) {
		if (tids[i] != child && ptrace(request, tids[i], NULL, NULL))
			return 3;
		if (request == PTRACE_SEIZE)
			ptrace(PTRACE_INTERRUPT, tids[i], NULL, NULL);
	}
	for (int left = n * ROUNDS; left;) {
		tid = waitpid(-1, &status, __WALL);
		if (tid < 0 || !count(status, &signal))
			return 4;
		if (!signal && (status >> 16 || WSTOPSIG(status) == SIGSTOP)) {
			left--;
			if (request == PTRACE_SEIZE) {
				ptrace(PTRACE_CONT, tid, NULL, NULL);
				sleep_ms(5);
				ptrace(PTRACE_INTERRUPT, tid, NULL, NULL);
				continue;
			}
			ptrace(PTRACE_CONT, tid, NULL, NULL);
			sleep_ms(5);
			syscall(SYS_tgkill, child, tid, SIGSTOP);
			continue;
		}
		ptrace(PTRACE_CONT, tid, NULL, (void *)(long)signal);
	}
	seen.stops = n;
	kill(child, SIGKILL);
	while (waitpid(-1, &status, __WALL) > 0)
		;
	return 0;
}

int main(int argc, char **argv)
{
	const char *how = argc > 1 ? argv[1] : "";
	int status;

	work(10000);
	status = !strcmp(how, "traceme")
			 ? traceme()
			 : attach(!strcmp(how, "seize") ? PTRACE_SEIZE : PTRACE_ATTACH);
	printf("%ld steps, %ld stops, %ld SIGTRAPs, %ld other signals\n", seen.steps, seen.stops,
	       seen.traps, seen.others);
	return status;
}
