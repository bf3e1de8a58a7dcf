/* SPDX-License-Identifier: MIT */
/* Steps about signals that are sent, blocked and waited for. */
#include <errno.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>
#include <sys/signalfd.h>
#include <sys/syscall.h>
#include <sys/wait.h>
#include <time.h>
#include <ucontext.h>
#include <unistd.h>

#include "model.h"

#ifndef SS_AUTODISARM
#define SS_AUTODISARM (1u << 31) /* include/uapi/linux/signal.h */
#endif

static long send_by(unsigned how, int number, int value)
{
	union sigval with = {.sival_int = value};
	int rc;

	switch (how) {
	case 0:
		return raise(number);
	case 1:
		return kill(getpid(), number);
	case 2:
		return syscall(SYS_tgkill, getpid(), gettid(), number);
	case 3:
		return sigqueue(getpid(), number, with);
	case 4:
		rc = pthread_kill(pthread_self(), number);
		break;
	default:
		rc = pthread_sigqueue(pthread_self(), number, with);
		break;
	}
	errno = rc;
	return rc ? -1 : 0;
}

static void send_here(int number, unsigned how, int value)
{
	static const char *const names[] = {"raise",	"kill",		"tgkill",
					    "sigqueue", "pthread_kill", "pthread_sigqueue"};
	volatile int landed = sigsetjmp(lane->back, value % 2);

	if (!landed) {
		lane->armed = 1;
		journey_result(send_by(how, number, value), "%s %s", names[how],
			       dispositions_name(number));
	} else {
		journey_say("jumped out of %s", dispositions_name(landed));
	}
	lane->armed = 0;
}

/* What ends a process is for a child. */
static void send_in_child(int number, unsigned how, int value)
{
	int status = -1;
	pid_t child = fork();

	if (!child) {
		lanes_after_fork();
		journey_depth++;
		send_here(number, how, value);
		state_say(NULL);
		_exit(3);
	}
	journey_result(model_wait(child, &status), "a child sends itself %s",
		       dispositions_name(number));
	journey_say("status %x", (unsigned)status & 0xff7f);
}

/* The second one of its kind would find no handler. */
static bool would_end_us(int number)
{
	sigset_t pending;

	sigpending(&pending);
	return dispositions_is_reset(number) && sigismember(&pending, number);
}

static void send(struct dice *d)
{
	int number = dispositions_any(d), value = (int)dice_below(d, 1000);
	unsigned how = dice_below(d, 6);

	if (would_end_us(number))
		journey_say("%s is pending", dispositions_name(number));
	else if (dispositions_is_fatal(number))
		send_in_child(number, how, value);
	else
		send_here(number, how, value);
}

static void change_mask(struct dice *d)
{
	static const int hows[] = {SIG_BLOCK, SIG_BLOCK, SIG_UNBLOCK, SIG_UNBLOCK, SIG_SETMASK, 77};
	int how = hows[dice_below(d, 6)], rc;
	sigset_t set, old;

	dispositions_random_set(d, &set);
	sigemptyset(&old);
	if (dice_one_in(d, 2)) {
		rc = sigprocmask(how, &set, &old);
	} else {
		rc = pthread_sigmask(how, &set, &old);
		errno = rc;
		rc = rc ? -1 : 0;
	}
	journey_result(rc, "mask %d by %lx, was %lx", how, dispositions_bits(&set),
		       dispositions_bits(&old));
}

/* Blocks @number, with what was before in @before. */
static void block(int number, sigset_t *before)
{
	sigset_t set;

	sigemptyset(&set);
	sigaddset(&set, number);
	pthread_sigmask(SIG_BLOCK, &set, before);
}

static void wait_for(struct dice *d)
{
	static const struct timespec no_time, little = {.tv_nsec = 700000};
	int number = dispositions_any(d), value = (int)dice_below(d, 1000), got = 0;
	unsigned how = dice_below(d, 6), kind = dice_below(d, 4);
	siginfo_t info = {.si_code = 0};
	sigset_t set, before;

	if (would_end_us(number))
		return;
	block(number, &before);
	sigemptyset(&set);
	sigaddset(&set, number);
	if (kind < 3) {
		journey_result(send_by(how, number, value), "sends %s by %u",
			       dispositions_name(number), how);
		model_work((uint64_t)value, 20000);
	}
	switch (kind) {
	case 0:
		errno = sigwait(&set, &got);
		journey_result(errno ? -1 : got, "sigwait %s", dispositions_name(number));
		break;
	case 1:
		got = sigwaitinfo(&set, &info);
		journey_result(got, "sigwaitinfo code %d", info.si_code);
		break;
	default:
		got = sigtimedwait(&set, &info, value % 2 ? &no_time : &little);
		journey_result(got, "sigtimedwait code %d", info.si_code);
	}
	if (dispositions_is_fatal(number)) /* more of them in the queue */
		while (sigtimedwait(&set, &info, &no_time) > 0)
			journey_say("and one more");
	pthread_sigmask(SIG_SETMASK, &before, NULL);
}

static void read_signal(struct dice *d)
{
	int number = dispositions_any(d), value = (int)dice_below(d, 1000), fd;
	struct signalfd_siginfo info = {.ssi_signo = 0};
	unsigned how = dice_below(d, 6);
	sigset_t set, before;
	ssize_t got;

	if (would_end_us(number))
		return;
	block(number, &before);
	sigemptyset(&set);
	sigaddset(&set, number);
	fd = signalfd(-1, &set, SFD_NONBLOCK | SFD_CLOEXEC);
	journey_result(fd, "signalfd %s", dispositions_name(number));
	journey_result(send_by(how, number, value), "sends by %u", how);
	model_work((uint64_t)value, 20000);
	while ((got = read(fd, &info, sizeof(info))) > 0)
		journey_say("read %s code %d", dispositions_name((int)info.ssi_signo),
			    info.ssi_code);
	journey_result(got, "read");
	close(fd);
	pthread_sigmask(SIG_SETMASK, &before, NULL);
}

static void suspend(struct dice *d)
{
	int number = dispositions_any(d), rc;
	sigset_t before, during;

	if (!dispositions_is_caught(number)) {
		journey_say("%s is not caught", dispositions_name(number));
		return;
	}
	block(number, &before);
	journey_result(send_by(2, number, 0), "sends %s", dispositions_name(number));
	sigfillset(&during);
	sigdelset(&during, number);
	if (dispositions_is_caught(number)) {
		rc = sigsuspend(&during);
		journey_result(rc, "sigsuspend %s", dispositions_name(number));
	}
	pthread_sigmask(SIG_SETMASK, &before, NULL);
}

static void queue(struct dice *d)
{
	int number = SIGRTMIN + (int)dice_below(d, 3) * 2;
	sigset_t before;

	if (dispositions_is_fatal(number)) {
		journey_say("%s is fatal", dispositions_name(number));
		return;
	}
	block(number, &before);
	for (unsigned n = 1 + dice_below(d, 6); n--;)
		journey_result(send_by(dice_one_in(d, 2) ? 3 : 5, number, (int)n), "queue %u", n);
	pthread_sigmask(SIG_SETMASK, &before, NULL);
}

static void change_alternate(struct dice *d)
{
	static const size_t sizes[] = {0, 1000, ALT_BYTES / 2, ALT_BYTES};
	stack_t new_stack = {.ss_sp = lane->alternate, .ss_size = sizes[dice_below(d, 4)]}, old;
	int rc;

	if (dice_one_in(d, 4))
		new_stack.ss_flags = SS_DISABLE;
	else if (dice_one_in(d, 6))
		new_stack.ss_flags |= (int)SS_AUTODISARM;
	if (dice_one_in(d, 12))
		new_stack.ss_flags = 77;
	memset(&old, 0, sizeof(old));
	rc = sigaltstack(&new_stack, &old);
	journey_result(rc, "sigaltstack %x %zu, was %x %zu %s", (unsigned)new_stack.ss_flags,
		       new_stack.ss_size, (unsigned)state_flags(&old), old.ss_size,
		       old.ss_sp == lane->alternate ? "own"
		       : old.ss_sp		    ? "other"
						    : "none");
}

static ucontext_t here, there;
static uint64_t routine_sum;
static int routine_signal;

static void routine(void)
{
	for (int i = 0; i < 4; i++) {
		routine_sum = model_work(routine_sum, 5000);
		if (routine_signal)
			journey_result(raise(routine_signal), "raise in a coroutine");
		swapcontext(&there, &here);
	}
}

static void switch_contexts(struct dice *d)
{
	void *stack = mmap(NULL, ALT_BYTES, PROT_READ | PROT_WRITE, MAP_PRIVATE | MAP_ANONYMOUS, -1,
			   0);
	int number = dispositions_any(d);

	routine_signal = dispositions_is_caught(number) && !dispositions_is_reset(number) &&
					 number < SIGRTMIN
				 ? number
				 : 0;
	routine_sum = dice_below(d, 1000);
	getcontext(&there);
	there.uc_stack.ss_sp = stack;
	/* the least that handlers have room on */
	there.uc_stack.ss_size = ALT_BYTES;
	there.uc_link = &here;
	makecontext(&there, routine, 0);
	lane->routine = stack;
	for (int i = 0; i < 4; i++)
		journey_result(swapcontext(&here, &there), "swapcontext %lx", routine_sum);
	lane->routine = NULL;
	munmap(stack, ALT_BYTES);
}

const struct step signals_steps[] = {
	{"send", 14, send},
	{"mask", 10, change_mask},
	{"wait", 8, wait_for},
	{"suspend", 4, suspend},
	{"queue", 4, queue},
	{"alternate", 6, change_alternate},
	{"context", 4, switch_contexts},
	{"sigaction", 14, dispositions_change},
	{"state", 10, state_say},
	{"signalfd", 3, read_signal},
	{NULL, 0, NULL},
};
