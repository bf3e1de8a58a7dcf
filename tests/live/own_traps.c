/* SPDX-License-Identifier: MIT */
/*
 * What a program does with SIGTRAP of its own: each part prints what it saw, the same with and
 * without softlbr. own_traps PART runs one of them, own_traps all of them, each in a process of its
 * own.
 */
#include <errno.h>
#include <poll.h>
#include <pthread.h>
#include <setjmp.h>
#include <signal.h>
#include <spawn.h>
#include <stdbool.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/epoll.h>
#include <sys/select.h>
#include <sys/syscall.h>
#include <sys/time.h>
#include <sys/wait.h>
#include <time.h>
#include <ucontext.h>
#include <unistd.h>

#include "own_traps.h"

extern char **environ;

volatile uint64_t sink;
volatile sig_atomic_t traps;

void busy(void)
{
	for (uint64_t i = 0; i < 20; i++)
		sink += work(i, 5000);
}

static const char *program;

/* ---- sets and actions ---------------------------------------------------------------------- */

sigset_t only(int number)
{
	sigset_t set;

	sigemptyset(&set);
	sigaddset(&set, number);
	return set;
}

sigset_t everything(void)
{
	sigset_t set;

	sigfillset(&set);
	return set;
}

static void show_mask(const char *what)
{
	sigset_t now, pending;
	unsigned count = 0;

	sigprocmask(SIG_BLOCK, NULL, &now);
	sigpending(&pending);
	for (int i = 1; i < 32; i++)
		count += sigismember(&now, i) == 1;
	printf("%s: %u blocked, SIGTRAP %d, pending %d\n", what, count, sigismember(&now, SIGTRAP),
	       sigismember(&pending, SIGTRAP));
}

static void on_trap(int number)
{
	(void)number;
	traps = traps + 1;
}

void handle_traps(int flags)
{
	struct sigaction action = {.sa_handler = on_trap, .sa_flags = flags};

	sigaction(SIGTRAP, &action, NULL);
}

int wait_for(pid_t child)
{
	int status = 0;

	waitpid(child, &status, 0);
	return WIFSIGNALED(status) ? 128 + WTERMSIG(status) : WEXITSTATUS(status);
}

/* ---- blocked ------------------------------------------------------------------------------- */

static void waited(const sigset_t *blocked, const char *what)
{
	sigset_t trap = only(SIGTRAP);
	struct timespec second = {.tv_sec = 5};
	siginfo_t info;
	int number = 0, got = 0;

	sigprocmask(SIG_BLOCK, blocked, NULL);
	for (int i = 0; i < 30; i++) {
		union sigval value = {.sival_int = i};

		busy();
		memset(&info, 0, sizeof(info));
		if (i % 3 == 0)
			kill(getpid(), SIGTRAP);
		else if (i % 3 == 1)
			sigqueue(getpid(), SIGTRAP, value);
		else
			raise(SIGTRAP);
		if (i % 2) {
			got += sigwaitinfo(&trap, &info) == SIGTRAP;
			got += info.si_pid == getpid();
			got += info.si_code == (i % 3 == 0   ? SI_USER
						: i % 3 == 1 ? SI_QUEUE
							     : SI_TKILL);
			got += i % 3 != 1 || info.si_value.sival_int == i;
		} else if (i % 4) {
			got += sigtimedwait(&trap, &info, &second) == SIGTRAP;
		} else {
			got += !sigwait(&trap, &number) && number == SIGTRAP;
		}
	}
	show_mask(what);
	printf("%s: %d\n", what, got);
	raise(SIGTRAP);
	busy();
	show_mask("raised");
	handle_traps(0);
	sigprocmask(SIG_UNBLOCK, blocked, NULL);
	show_mask("unblocked");
	printf("%d\n", (int)traps);
}

static void part_wait(void)
{
	sigset_t trap = only(SIGTRAP);

	waited(&trap, "SIGTRAP");
}

static void part_wait_all(void)
{
	sigset_t all = everything();

	waited(&all, "all");
}

/* What is blocked is what was set, through all ways of setting it. */
static void part_masks(void)
{
	sigset_t all = everything(), trap = only(SIGTRAP), user = only(SIGUSR1), none, old;

	sigemptyset(&none);
	for (int i = 0; i < 40; i++) {
		const sigset_t *set = i % 3 ? i % 3 == 1 ? &all : &trap : &user;

		sigprocmask(i % 2 ? SIG_BLOCK : SIG_SETMASK, set, &old);
		sink += sigismember(&old, SIGTRAP);
		if (i > 36)
			show_mask("set");
		busy();
		if (i % 5 == 4)
			pthread_sigmask(SIG_UNBLOCK, i % 4 ? &trap : &user, &old);
		if (i % 10 == 9)
			printf("%d %d\n", i, sigismember(&old, SIGTRAP));
	}
	sigprocmask(SIG_SETMASK, &none, &old);
	printf("%d %d\n", sigismember(&old, SIGTRAP), sigismember(&old, SIGHUP));
	show_mask("none");
}

static void part_suspend(void)
{
	sigset_t all = everything(), none;
	struct timespec second = {.tv_sec = 2};
	struct epoll_event event;
	int rc, epoll = epoll_create1(0);

	sigemptyset(&none);
	handle_traps(0);
	for (int i = 0; i < 2; i++) {
		sigset_t trap = only(SIGTRAP);

		sigprocmask(SIG_SETMASK, i ? &all : &trap, NULL);
		busy();
		raise(SIGTRAP);
		rc = sigsuspend(&none);
		printf("sigsuspend %d %d %d\n", rc, errno, (int)traps);
		raise(SIGTRAP);
		rc = ppoll(NULL, 0, &second, &none);
		printf("ppoll %d %d %d\n", rc, errno, (int)traps);
		raise(SIGTRAP);
		rc = pselect(0, NULL, NULL, NULL, &second, &none);
		printf("pselect %d %d %d\n", rc, errno, (int)traps);
		raise(SIGTRAP);
		rc = epoll_pwait(epoll, &event, 1, 2000, &none);
		printf("epoll_pwait %d %d %d\n", rc, errno, (int)traps);
		busy();
		show_mask("behind");
	}
}

/* ---- threads ------------------------------------------------------------------------------- */

static pthread_t taker;
static volatile sig_atomic_t taken;

static void on_trap_of(int number)
{
	(void)number;
	traps += pthread_equal(pthread_self(), taker) ? 1 : 1000;
}

static void *take(void *unused)
{
	sigset_t trap = only(SIGTRAP);
	struct timespec t = {.tv_nsec = 100000};

	show_mask("inherited");
	pthread_sigmask(SIG_UNBLOCK, &trap, NULL);
	taken = 1;
	for (int i = 0; i < 20000 && traps < 20; i++) {
		busy();
		nanosleep(&t, NULL);
	}
	return unused;
}

/* Sent to the process, taken by the thread that does not block it. */
static void part_threads(void)
{
	struct sigaction action = {.sa_handler = on_trap_of};
	sigset_t all = everything(), trap = only(SIGTRAP);
	struct timespec t = {.tv_nsec = 100000};
	pthread_attr_t attributes;

	sigaction(SIGTRAP, &action, NULL);
	for (int round = 0; round < 2; round++) {
		int before;

		traps = taken = 0;
		pthread_sigmask(SIG_SETMASK, round ? &trap : &all, NULL);
		pthread_create(&taker, NULL, take, NULL);
		while (!taken)
			nanosleep(&t, NULL);
		for (int i = 0; i < 20; i++) {
			before = traps;
			kill(getpid(), SIGTRAP);
			for (int j = 0; j < 50000 && traps == before; j++)
				nanosleep(&t, NULL);
		}
		pthread_join(taker, NULL);
		printf("%d\n", (int)traps);
	}
	pthread_attr_init(&attributes);
	sigemptyset(&trap);
	pthread_attr_setsigmask_np(&attributes, &trap);
	traps = 100;
	pthread_create(&taker, &attributes, take, NULL);
	pthread_join(taker, NULL);
}

static void *answer(void *unused)
{
	while (traps < 300)
		sink += work(7, 100);
	return unused;
}

/* To one thread, each when the last has come; as the kernel does not queue SIGTRAP, once more if it
 * did not come for long. */
static void part_ping(void)
{
	sigset_t trap = only(SIGTRAP);

	handle_traps(SA_RESTART);
	pthread_create(&taker, NULL, answer, NULL);
	pthread_sigmask(SIG_BLOCK, &trap, NULL);
	for (int i = 0; i < 300; i++) {
		int before = traps;

		if (i < 150)
			kill(getpid(), SIGTRAP);
		else
			pthread_kill(taker, SIGTRAP);
		for (unsigned j = 1; traps == before && before < 300; j++) {
			sink += work(3, 50);
			if (i >= 150 && j % 100000 == 0)
				pthread_kill(taker, SIGTRAP);
		}
	}
	pthread_join(taker, NULL);
	printf("%d\n", traps >= 300);
}

/* ---- exec ---------------------------------------------------------------------------------- */

static void part_shown(void)
{
	struct sigaction action;

	sigaction(SIGTRAP, NULL, &action);
	busy();
	show_mask("executed");
	printf("%s\n", action.sa_handler == SIG_IGN ? "ignored" : "default");
}

static void part_inherited(void)
{
	sigset_t all = everything(), trap = only(SIGTRAP), none;
	char *arguments[] = {(char *)program, (char *)"shown", NULL};
	char command[4096];
	posix_spawnattr_t attributes;
	pid_t child;

	sigemptyset(&none);
	snprintf(command, sizeof(command), "'%s' shown", program);
	for (int i = 0; i < 6; i++) {
		signal(SIGTRAP, SIG_IGN); /* forgets a pending one */
		if (i >= 3)
			signal(SIGTRAP, SIG_DFL);
		sigprocmask(SIG_SETMASK, i % 3 ? i % 3 == 1 ? &all : &trap : &none, NULL);
		if (i % 3)
			raise(SIGTRAP);
		busy();
		fflush(stdout);
		child = fork();
		if (!child) {
			busy();
			execve(program, arguments, environ);
			_exit(99);
		}
		printf("fork %d\n", wait_for(child));
		fflush(stdout);
		child = vfork();
		if (!child) {
			if (i == 1)
				sigprocmask(SIG_SETMASK, &none, NULL);
			execve(program, arguments, environ);
			_exit(99);
		}
		printf("vfork %d\n", wait_for(child));
		fflush(stdout);
		posix_spawn(&child, program, NULL, NULL, arguments, environ);
		printf("posix_spawn %d\n", wait_for(child));
		fflush(stdout);
		printf("system %d\n", system(command));
		show_mask("behind");
		execve("/nonexistent", arguments, environ);
		busy();
		show_mask("behind");
	}
	sigprocmask(SIG_SETMASK, &all, NULL);
	posix_spawnattr_init(&attributes);
	posix_spawnattr_setsigmask(&attributes, &none);
	posix_spawnattr_setflags(&attributes, POSIX_SPAWN_SETSIGMASK);
	signal(SIGTRAP, SIG_IGN);
	fflush(stdout);
	posix_spawn(&child, program, NULL, &attributes, arguments, environ);
	printf("posix_spawn %d\n", wait_for(child));
	fflush(stdout);
	sigprocmask(SIG_SETMASK, &trap, NULL);
	busy();
	execve(program, arguments, environ);
}

/* From a handler in which all is blocked. */
static void on_restart(int number)
{
	char *arguments[] = {(char *)program, (char *)"shown", NULL};

	(void)number;
	for (int i = 0; i < 10; i++)
		busy();
	execve(program, arguments, environ);
}

static void part_restart(void)
{
	struct sigaction action = {.sa_handler = on_restart, .sa_mask = everything()};

	sigaction(SIGUSR1, &action, NULL);
	fflush(stdout);
	raise(SIGUSR1);
}

/* ---- jumps --------------------------------------------------------------------------------- */

static sigjmp_buf back;

static void on_user(int number)
{
	(void)number;
	siglongjmp(back, 1);
}

/* The mask that a jump brings back. */
static void part_jumps(void)
{
	sigset_t trap = only(SIGTRAP), all = everything(), none, user = only(SIGUSR1);
	struct sigaction action = {.sa_handler = on_user, .sa_mask = everything()};

	sigemptyset(&none);
	sigaction(SIGUSR1, &action, NULL);
	handle_traps(0);
	for (volatile int i = 0; i < 4; i++) {
		sigprocmask(SIG_SETMASK, i % 2 ? &trap : &none, NULL);
		if (!sigsetjmp(back, 1)) {
			busy();
			sigprocmask(SIG_SETMASK, i < 2 ? i % 2 ? &none : &trap : &all, NULL);
			sigprocmask(SIG_UNBLOCK, &user, NULL);
			raise(SIGUSR1);
		}
		busy();
		show_mask("jumped");
		raise(SIGTRAP);
		printf("%d\n", (int)traps);
		sigprocmask(SIG_SETMASK, &none, NULL);
		printf("%d\n", (int)traps);
	}
}

static ucontext_t contexts[3];
static char stacks[2][65536];

static void coroutine(int which)
{
	sigset_t trap = only(SIGTRAP);

	for (int i = 0; i < 3; i++) {
		if (which)
			sigprocmask(i % 2 ? SIG_UNBLOCK : SIG_BLOCK, &trap, NULL);
		busy();
		show_mask(which ? "second" : "first");
		raise(SIGTRAP);
		printf("%d\n", (int)traps);
		swapcontext(&contexts[which], &contexts[!which]);
	}
}

/* Each coroutine has its own. */
static void part_contexts(void)
{
	handle_traps(0);
	for (int i = 0; i < 2; i++) {
		getcontext(&contexts[i]);
		contexts[i].uc_stack = (stack_t){.ss_sp = stacks[i], .ss_size = sizeof(stacks[i])};
		contexts[i].uc_link = &contexts[2];
		makecontext(&contexts[i], (void (*)(void))coroutine, 1, i);
	}
	swapcontext(&contexts[2], &contexts[0]);
	show_mask("end");
	printf("%d\n", (int)traps);
}

/* ---- old calls ----------------------------------------------------------------------------- */

__sighandler_t sigset(int number, __sighandler_t handler);
int sighold(int number);
int sigrelse(int number);
int sigignore(int number);
extern __sighandler_t __sysv_signal(int number, __sighandler_t handler);

static void part_old(void)
{
	printf("%d\n", sigset(SIGTRAP, on_trap) == SIG_DFL);
	busy();
	raise(SIGTRAP);
	sighold(SIGTRAP);
	busy();
	raise(SIGTRAP);
	show_mask("held");
	printf("%d\n", (int)traps);
	sigrelse(SIGTRAP);
	busy();
	printf("%d\n", (int)traps);
	sigignore(SIGTRAP);
	busy();
	raise(SIGTRAP);
	printf("%d\n", __sysv_signal(SIGTRAP, on_trap) == SIG_IGN);
	busy();
	raise(SIGTRAP);
	printf("%d %d\n", (int)traps, signal(SIGTRAP, on_trap) == SIG_DFL);
}

/* ---- by syscall(2) ------------------------------------------------------------------------- */

/* As the kernel has it. */
struct kernel_action {
	void (*handler)(int);
	unsigned long flags;
	void (*restorer)(void);
	uint64_t mask;
};

static long set_by_number(int number, const struct kernel_action *action, struct kernel_action *old)
{
	return syscall(SYS_rt_sigaction, number, action, old, sizeof(action->mask));
}

static void show_result(long rc)
{
	printf("%ld %s\n", rc, rc ? strerror(errno) : "");
}

static void show_action(const char *what)
{
	struct kernel_action now;
	long rc = set_by_number(SIGTRAP, NULL, &now);

	printf("%s: %ld handler %d flags %lx mask %llx\n", what, rc,
	       now.handler == on_trap ? 2 : now.handler == SIG_IGN, now.flags,
	       (unsigned long long)now.mask);
}

/* As Chromium does with its children, before they run something else. */
static void reset_all(void)
{
	static const struct kernel_action none;

	for (int number = 1; number < 65; number++)
		set_by_number(number, &none, NULL);
}

static void run_shown(void)
{
	char *arguments[] = {(char *)program, (char *)"shown", NULL};

	fflush(stdout);
	execve(program, arguments, environ);
	_exit(99);
}

static void part_numbered(void)
{
	struct kernel_action action = {.handler = SIG_IGN, .mask = ~UINT64_C(0)}, old;
	sigset_t trap = only(SIGTRAP);
	pid_t child;

	show_action("first");
	printf("%ld\n", set_by_number(SIGTRAP, &action, &old));
	busy();
	raise(SIGTRAP);
	show_action("ignored");
	show_result(set_by_number(SIGTRAP, (void *)16, &old));
	show_result(syscall(SYS_rt_sigaction, SIGTRAP, NULL, &old, 4));
	show_action("not changed");
	printf("%d\n", signal(SIGTRAP, on_trap) == SIG_IGN);
	show_result(set_by_number(SIGTRAP, NULL, (void *)16));
	busy();
	raise(SIGTRAP);
	show_action("handled");
	fflush(stdout);
	child = fork();
	if (!child) {
		busy();
		reset_all();
		busy();
		show_action("fork");
		run_shown();
	}
	printf("fork %d\n", wait_for(child));
	fflush(stdout);
	child = vfork();
	if (!child) {
		reset_all();
		run_shown();
	}
	printf("vfork %d\n", wait_for(child));
	fflush(stdout);
	child = vfork();
	if (!child) {
		signal(SIGTRAP, SIG_IGN);
		run_shown();
	}
	printf("vfork %d\n", wait_for(child));
	busy();
	raise(SIGTRAP);
	printf("%d\n", (int)traps);
	signal(SIGTRAP, SIG_IGN);
	fflush(stdout);
	child = vfork();
	if (!child) {
		signal(SIGTRAP, SIG_DFL);
		run_shown();
	}
	printf("vfork %d\n", wait_for(child));
	busy();
	raise(SIGTRAP);
	sigprocmask(SIG_BLOCK, &trap, NULL);
	show_mask("end");
}

/* -------------------------------------------------------------------------------------------- */

static const struct {
	const char *name;
	void (*run)(void);
} parts[] = {
	{"wait", part_wait},	       {"wait-all", part_wait_all}, {"masks", part_masks},
	{"suspend", part_suspend},     {"threads", part_threads},   {"ping", part_ping},
	{"inherited", part_inherited}, {"restart", part_restart},   {"ends", part_ends},
	{"info", part_info},	       {"steps", part_steps},	    {"alignment", part_alignment},
	{"jumps", part_jumps},	       {"contexts", part_contexts}, {"old", part_old},
	{"numbered", part_numbered},   {"bare", part_bare},	    {"shown", part_shown},
};

#define PARTS (sizeof(parts) / sizeof(parts[0]))

int main(int argc, char **argv)
{
	program = argv[0];
	for (size_t i = 0; argc == 2 && i < PARTS; i++)
		if (!strcmp(argv[1], parts[i].name)) {
			parts[i].run();
			return 0;
		}
	for (size_t i = 0; i + 1 < PARTS; i++) {
		char *arguments[] = {argv[0], (char *)parts[i].name, NULL};
		pid_t child;

		printf("-- %s\n", parts[i].name);
		fflush(stdout);
		child = fork();
		if (!child) {
			execv(argv[0], arguments);
			_exit(99);
		}
		printf("status %d\n", wait_for(child));
	}
	return 0;
}
