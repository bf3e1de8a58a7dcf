/* SPDX-License-Identifier: MIT */
/*
 * SIGTRAP between threads, of which some block all signals and have nothing to do with it: where it
 * is found, by whom, and what is told of it. Each part prints what it saw, the same with and
 * without softlbr. trap_threads runs all parts, each in a process of its own.
 */
#include <errno.h>
#include <poll.h>
#include <pthread.h>
#include <signal.h>
#include <spawn.h>
#include <stdbool.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/signalfd.h>
#include <sys/wait.h>
#include <unistd.h>

#include "busy.h"

#ifndef SS_AUTODISARM
#define SS_AUTODISARM (1u << 31) /* include/uapi/linux/signal.h */
#endif

#define ROUNDS 20

extern char **environ;

static const char *program;
static volatile uint64_t sink;
static volatile int over;

static void busy(void)
{
	for (uint64_t i = 0; i < 10; i++)
		sink += work(i, 5000);
}

static sigset_t only(int number)
{
	sigset_t set;

	sigemptyset(&set);
	sigaddset(&set, number);
	return set;
}

static sigset_t everything(void)
{
	sigset_t set;

	sigfillset(&set);
	return set;
}

static bool is_pending(void)
{
	sigset_t pending;

	sigpending(&pending);
	return sigismember(&pending, SIGTRAP);
}

static void *idle(void *unused)
{
	while (!over)
		busy();
	return unused;
}

/* Threads that block all signals, and have for a while. */
static void start(pthread_t threads[3])
{
	sigset_t all = everything(), before;

	pthread_sigmask(SIG_SETMASK, &all, &before);
	for (int i = 0; i < 3; i++)
		pthread_create(&threads[i], NULL, idle, NULL);
	busy();
	pthread_sigmask(SIG_SETMASK, &before, NULL);
}

static void end(pthread_t threads[3])
{
	over = 1;
	for (int i = 0; i < 3; i++)
		pthread_join(threads[i], NULL);
}

static void take(const char *what)
{
	static const struct timespec now;
	sigset_t trap = only(SIGTRAP);
	siginfo_t info = {.si_code = 0};
	int got = sigtimedwait(&trap, &info, &now);

	printf("%s: %d code %d value %d\n", what, got, got < 0 ? 0 : info.si_code,
	       got < 0 ? 0 : info.si_value.sival_int);
}

/* ---- parts --------------------------------------------------------------------------------- */

/* Sent to the process: there at once, for whoever looks. */
static void part_found(void)
{
	sigset_t trap = only(SIGTRAP);
	int fd = signalfd(-1, &trap, SFD_NONBLOCK);
	struct pollfd polled = {.fd = fd, .events = POLLIN};
	struct signalfd_siginfo read_info;
	pthread_t threads[3];

	start(threads);
	pthread_sigmask(SIG_BLOCK, &trap, NULL);
	for (int i = 0; i < ROUNDS; i++) {
		union sigval value = {.sival_int = i};

		busy();
		if (i % 2)
			sigqueue(getpid(), SIGTRAP, value);
		else
			kill(getpid(), SIGTRAP);
		printf("pending %d, poll %d\n", is_pending(), poll(&polled, 1, 0));
		if (i % 3) {
			take("waited");
			continue;
		}
		memset(&read_info, 0, sizeof(read_info));
		printf("read %zd", read(fd, &read_info, sizeof(read_info)));
		printf(" code %d value %d\n", read_info.ssi_code, read_info.ssi_int);
	}
	end(threads);
}

/* By a child, which is waited for: as if one sent it from elsewhere. */
static void part_from_child(void)
{
	sigset_t trap = only(SIGTRAP);
	pthread_t threads[3];

	start(threads);
	pthread_sigmask(SIG_BLOCK, &trap, NULL);
	for (int i = 0; i < ROUNDS; i++) {
		pid_t child = fork();

		if (!child) {
			kill(getppid(), SIGTRAP);
			_exit(0);
		}
		waitpid(child, NULL, 0);
		take("from a child");
	}
	end(threads);
}

static volatile sig_atomic_t traps;

static void on_trap(int number)
{
	sigset_t mask;

	pthread_sigmask(SIG_SETMASK, NULL, &mask);
	printf("handler: %d, blocked %d %d\n", number, sigismember(&mask, SIGTRAP),
	       sigismember(&mask, SIGUSR1));
	traps = traps + 1;
}

/* Before kill returns, where only one thread is open to it. */
static void part_handled(void)
{
	struct sigaction action = {.sa_handler = on_trap};
	pthread_t threads[3];

	sigaction(SIGTRAP, &action, NULL);
	start(threads);
	for (int i = 0; i < ROUNDS; i++) {
		busy();
		kill(getpid(), SIGTRAP);
		printf("%d\n", (int)traps);
	}
	end(threads);
}

static pthread_barrier_t barrier;

static void *queue_and_look(void *unused)
{
	pthread_barrier_wait(&barrier); /* it is sent */
	pthread_barrier_wait(&barrier);
	take("in the thread");
	return unused;
}

/* To one thread: nobody else finds it. */
static void part_to_thread(void)
{
	union sigval value = {.sival_int = 77};
	sigset_t all = everything();
	pthread_t thread;

	pthread_barrier_init(&barrier, NULL, 2);
	pthread_sigmask(SIG_SETMASK, &all, NULL);
	pthread_create(&thread, NULL, queue_and_look, NULL);
	busy();
	pthread_sigqueue(thread, SIGTRAP, value);
	pthread_barrier_wait(&barrier);
	busy();
	printf("pending here %d\n", is_pending());
	pthread_barrier_wait(&barrier);
	pthread_join(thread, NULL);
}

static void *spawn(void *unused)
{
	char *arguments[] = {(char *)program, (char *)"shown", NULL};
	int status = -1;
	pid_t child;

	fflush(stdout);
	if (!posix_spawn(&child, program, NULL, NULL, arguments, environ))
		waitpid(child, &status, 0);
	printf("spawned: %d\n", status);
	return unused;
}

/* Ignored, but blocked, it stays pending while another thread starts a program. */
static void part_ignored(void)
{
	union sigval value = {.sival_int = 5};
	sigset_t trap = only(SIGTRAP);
	pthread_t thread;

	signal(SIGTRAP, SIG_IGN);
	pthread_sigmask(SIG_BLOCK, &trap, NULL);
	for (int i = 0; i < 3; i++) {
		if (i == 0)
			raise(SIGTRAP);
		else if (i == 1)
			pthread_sigqueue(pthread_self(), SIGTRAP, value);
		else
			kill(getpid(), SIGTRAP);
		pthread_create(&thread, NULL, spawn, NULL);
		pthread_join(thread, NULL);
		take("behind it");
	}
}

/* Pending across an exec, with all blocked, beside another one: the thread's comes first. */
static void part_restart(void)
{
	char *arguments[] = {(char *)program, (char *)"pending", NULL};
	union sigval value = {.sival_int = 5};
	sigset_t all = everything();

	pthread_sigmask(SIG_SETMASK, &all, NULL);
	pthread_sigqueue(pthread_self(), SIGTRAP, value);
	raise(SIGUSR1);
	busy();
	fflush(stdout);
	execve(program, arguments, environ);
}

static void part_pending(void)
{
	static const struct timespec now;
	sigset_t all = everything();
	siginfo_t info;
	int number;

	busy();
	while ((number = sigtimedwait(&all, &info, &now)) > 0)
		printf("was pending: %d code %d\n", number, info.si_code);
}

static char alternate[65536];

/* An alternate stack that is let go of at each signal, and one that is refused. */
static void part_stack(void)
{
	stack_t refused = {.ss_sp = alternate, .ss_size = 1000, .ss_flags = (int)SS_AUTODISARM},
		given = {.ss_sp = alternate,
			 .ss_size = sizeof(alternate),
			 .ss_flags = (int)SS_AUTODISARM};
	struct sigaction action = {.sa_handler = on_trap, .sa_flags = SA_ONSTACK};
	sigset_t trap = only(SIGTRAP), none;
	pid_t child;

	sigemptyset(&none);
	sigaction(SIGTRAP, &action, NULL);
	for (int i = 0; i < ROUNDS; i++) {
		pthread_sigmask(SIG_BLOCK, &trap, NULL);
		if (i == 5)
			printf("sigaltstack %d\n", sigaltstack(&refused, NULL));
		if (i == 10)
			printf("sigaltstack %d\n", sigaltstack(&given, NULL));
		busy();
		pthread_kill(pthread_self(), SIGTRAP);
		busy();
		printf("sigsuspend %d", sigsuspend(&none));
		printf(" %d, %d\n", errno, (int)traps);
		pthread_kill(pthread_self(), SIGTRAP);
		kill(getpid(), SIGTRAP);
		pthread_sigmask(SIG_UNBLOCK, &trap, NULL);
		printf("%d\n", (int)traps);
	}
	pthread_sigmask(SIG_BLOCK, &trap, NULL);
	fflush(stdout);
	child = fork();
	for (int i = 0; !child && i < ROUNDS; i++) {
		busy();
		raise(SIGTRAP);
		take("in a child");
	}
	if (child)
		waitpid(child, NULL, 0);
}

/* What a handler finds blocked when it comes in sigsuspend, and what is behind it. */
static void part_suspend(void)
{
	struct sigaction action = {.sa_handler = on_trap, .sa_flags = SA_NODEFER};
	sigset_t all = everything(), but = everything();

	sigaction(SIGTRAP, &action, NULL);
	sigdelset(&but, SIGTRAP);
	pthread_sigmask(SIG_SETMASK, &all, NULL);
	for (int i = 0; i < ROUNDS; i++) {
		busy();
		raise(SIGTRAP);
		printf("sigsuspend %d", sigsuspend(&but));
		printf(" %d\n", errno);
		busy();
		kill(getpid(), SIGTRAP);
		busy();
		take("behind it");
	}
}

static void part_shown(void)
{
	struct sigaction action;

	sigaction(SIGTRAP, NULL, &action);
	printf("%s, pending %d\n", action.sa_handler == SIG_IGN ? "ignored" : "default",
	       is_pending());
}

static const struct {
	const char *name;
	void (*run)(void);
} parts[] = {
	{"found", part_found},	       {"from-child", part_from_child}, {"handled", part_handled},
	{"to-thread", part_to_thread}, {"ignored", part_ignored},	{"restart", part_restart},
	{"stack", part_stack},	       {"suspend", part_suspend},	{"pending", part_pending},
	{"shown", part_shown},
};

#define PARTS (sizeof(parts) / sizeof(parts[0]))
#define ALONE 2 /* the last ones run in the others */

int main(int argc, char **argv)
{
	setvbuf(stdout, NULL, _IOLBF, 0);
	program = argv[0];
	for (size_t i = 0; argc == 2 && i < PARTS; i++)
		if (!strcmp(argv[1], parts[i].name)) {
			parts[i].run();
			return 0;
		}
	for (size_t i = 0; i + ALONE < PARTS; i++) {
		char *arguments[] = {argv[0], (char *)parts[i].name, NULL};
		int status = 0;
		pid_t child;

		printf("-- %s\n", parts[i].name);
		child = fork();
		if (!child) {
			execv(argv[0], arguments);
			_exit(99);
		}
		waitpid(child, &status, 0);
		printf("status %x\n", (unsigned)status);
	}
	return 0;
}
