/* SPDX-License-Identifier: MIT */
/*
 * family FORM [N]: a master, which prints "ready" and its number, and sleeps
 *	workers N	with N children that compute
 *	nested		with a child that sleeps, whose child computes
 *	late		alone; at SIGUSR1 it forks a child that computes
 *	idle N		with N children that sleep
 *	short N		at SIGUSR1 it makes N children, one after the other, that compute for 20 ms;
 *			then it prints their time in ms, and ends
 *	headless	whose main thread has ended, and another one computes
 *	latched N	with N children that compute, and take SIGURG by a signalfd, as those of
 *			PostgreSQL; they end where one comes
 *	named NAME	it computes itself, by this name of its thread
 *
 * Each ends by itself after two minutes, and at SIGTERM with status 0, the workers with their
 * master. With -DCALLS_PTRACE the program has that call, as debuggers have, and php-fpm for slow
 * workers.
 */
#include <pthread.h>
#include <signal.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/prctl.h>
#include <sys/ptrace.h>
#include <sys/resource.h>
#include <sys/signalfd.h>
#include <sys/wait.h>
#include <unistd.h>

#include "busy.h"

static volatile sig_atomic_t asked;
static volatile uint64_t sum;

static void note(int number)
{
	asked = number;
}

static void *compute(void *unused)
{
	for (uint64_t i = 0;; i++)
		sum += work(i, 1000);
	return unused;
}

static void sleep_on(void)
{
	for (;;)
		pause();
}

/* A child that sleeps, or computes. */
static pid_t make(void (*life)(void))
{
	pid_t child = fork();

	if (child)
		return child;
	prctl(PR_SET_PDEATHSIG, SIGKILL);
	signal(SIGTERM, SIG_DFL);
	signal(SIGUSR1, SIG_DFL);
	alarm(120);
	life();
	_exit(1);
}

static void compute_on(void)
{
	compute(NULL);
}

static void compute_latched(void)
{
	struct signalfd_siginfo got;
	sigset_t urgent;
	int latch;

	sigemptyset(&urgent);
	sigaddset(&urgent, SIGURG);
	sigprocmask(SIG_BLOCK, &urgent, NULL);
	latch = signalfd(-1, &urgent, SFD_NONBLOCK);
	for (uint64_t i = 0; read(latch, &got, sizeof(got)) < 0; i++)
		sum += work(i, 1000);
}

static void have_child(void)
{
	make(compute_on);
	sleep_on();
}

static uint64_t ms_of(const struct timeval *v)
{
	return (uint64_t)v->tv_sec * 1000 + (uint64_t)v->tv_usec / 1000;
}

static void compute_shortly(void)
{
	struct rusage own;

	do {
		sum += work(1, 1000);
		getrusage(RUSAGE_SELF, &own);
	} while (ms_of(&own.ru_utime) + ms_of(&own.ru_stime) < 20);
	_exit(0);
}

static void have_short_children(int count)
{
	struct rusage theirs;

	for (int i = 0; i < count; i++) {
		make(compute_shortly);
		wait(NULL);
	}
	getrusage(RUSAGE_CHILDREN, &theirs);
	printf("%d\n", (int)(ms_of(&theirs.ru_utime) + ms_of(&theirs.ru_stime)));
	exit(0);
}

int main(int argc, char **argv)
{
	static const struct {
		const char *form;
		void (*life)(void);
	} many[] = {{"workers", compute_on}, {"idle", sleep_on}, {"latched", compute_latched}};
	const char *form = argc > 1 ? argv[1] : "idle";
	int count = argc > 2 ? atoi(argv[2]) : 1;
	pthread_t thread;

#ifdef CALLS_PTRACE
	if (argc > 3)
		ptrace(PTRACE_TRACEME, 0, NULL, NULL);
#endif
	alarm(120);
	signal(SIGTERM, note);
	signal(SIGUSR1, note);
	if (!strcmp(form, "nested"))
		make(have_child);
	for (size_t i = 0; i < sizeof(many) / sizeof(many[0]); i++)
		for (int k = 0; k < count && !strcmp(form, many[i].form); k++)
			make(many[i].life);
	if (!strcmp(form, "named"))
		prctl(PR_SET_NAME, argv[2]);
	printf("ready %d\n", (int)getpid());
	fflush(stdout);
	if (!strcmp(form, "named"))
		compute_on();
	if (!strcmp(form, "headless")) {
		pthread_create(&thread, NULL, compute, NULL);
		pthread_exit(NULL);
	}
	for (;;) {
		pause();
		if (asked == SIGTERM)
			return 0;
		if (!strcmp(form, "short"))
			have_short_children(count);
		make(compute_on);
	}
}
