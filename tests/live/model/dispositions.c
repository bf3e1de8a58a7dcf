/* SPDX-License-Identifier: MIT */
/* Handlers: each says what it was given, where it runs and with what mask, and then does something
 * of its own. What is installed is remembered, so that no step ends the process. */
#include <errno.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/time.h>
#include <sys/wait.h>
#include <ucontext.h>
#include <unistd.h>

#include "model.h"

enum kind { DEFAULT, IGNORED, PLAIN, INFO, NEST, JUMP, MASK, ALTERNATE, BUSY, KINDS };

static const char *const kind_names[KINDS] = {"default", "ignored", "plain",	 "info", "nest",
					      "jump",	 "mask",    "alternate", "busy"};
#define COUNT 18

static int signals_of(unsigned i)
{
	static const int numbers[] = {SIGHUP,  SIGINT,	SIGUSR1,   SIGUSR2, SIGTERM,
				      SIGALRM, SIGCHLD, SIGWINCH,  SIGURG,  SIGCONT,
				      SIGTRAP, SIGPROF, SIGVTALRM, SIGIO,   SIGTRAP};
	const unsigned named = sizeof(numbers) / sizeof(numbers[0]);

	return i < named ? numbers[i] : SIGRTMIN + (int)((i - named) * 2);
}

static struct disposition {
	enum kind kind;
	bool reset;
} known[65];

volatile sig_atomic_t dispositions_count, dispositions_storm;
static __thread volatile sig_atomic_t nested;

const char *dispositions_name(int number)
{
	static const char *const real_time[] = {"RT0", "RT1", "RT2", "RT3", "RT4", "RT5"};
	const char *name = sigabbrev_np(number);

	if (name)
		return name;
	return number >= SIGRTMIN && number < SIGRTMIN + 6 ? real_time[number - SIGRTMIN] : "?";
}

/* A program that has to do with SIGTRAP is followed less: each fourth one blocks it among all
 * signals only. */
static bool spares_trap(void)
{
	return model.seed % 4 == 0 || model_is_without("TRAP");
}

int dispositions_any(struct dice *d)
{
	int number = signals_of(dice_below(d, COUNT));

	if ((number == SIGURG || number == SIGWINCH) && model_is_without("KICK"))
		return SIGUSR1;
	return number == SIGTRAP && spares_trap() ? SIGHUP : number;
}

uint64_t dispositions_bits(const sigset_t *set)
{
	uint64_t bits = 0;

	for (int i = 1; i < 64; i++)
		if (sigismember(set, i) == 1)
			bits |= 1ull << i;
	if (model_is_without("KICK"))
		bits &= ~(1ull << SIGURG | 1ull << SIGWINCH);
	return bits;
}

void dispositions_fill(sigset_t *set)
{
	sigfillset(set);
	if (model_is_without("TRAP"))
		sigdelset(set, SIGTRAP);
	if (model_is_without("KICK")) {
		sigdelset(set, SIGURG);
		sigdelset(set, SIGWINCH);
	}
}

void dispositions_random_set(struct dice *d, sigset_t *set)
{
	sigemptyset(set);
	if (dice_one_in(d, 12)) {
		dispositions_fill(set);
		return;
	}
	for (uint32_t n = dice_below(d, 5); n--;)
		sigaddset(set, dispositions_any(d));
}

static bool ignored_by_default(int number)
{
	return number == SIGCHLD || number == SIGWINCH || number == SIGURG || number == SIGCONT;
}

bool dispositions_is_fatal(int number)
{
	return known[number].kind == DEFAULT && !ignored_by_default(number);
}

bool dispositions_is_caught(int number)
{
	return known[number].kind > IGNORED;
}

bool dispositions_is_reset(int number)
{
	return known[number].reset;
}

static const char *stack_of(const char *at)
{
	if (lane->alternate && at >= lane->alternate && at < lane->alternate + ALT_BYTES)
		return "alternate";
	if (lane->routine && at >= lane->routine && at < lane->routine + ALT_BYTES)
		return "routine";
	return at < lane->frame + 4096 && at > lane->frame - (1 << 20) ? "normal" : "unknown";
}

static void say_caught(int number, enum kind kind)
{
	sigset_t mask;

	pthread_sigmask(SIG_SETMASK, NULL, &mask);
	journey_say("caught %s %s, %s stack, nested %d, mask %lx", dispositions_name(number),
		    kind_names[kind], stack_of((const char *)&mask), (int)nested,
		    dispositions_bits(&mask));
}

static void say_info(int number, const siginfo_t *info)
{
	const char *who = !info->si_pid ? "kernel" : info->si_pid == getpid() ? "self" : "other";

	if (number == SIGCHLD && info->si_code > 0)
		/* a wait that comes between a stop and its signal takes the number away: the
		 * kernel says 0 then, once in 30,001 stops without softlbr too */
		journey_say("info CHLD code %d status %d", info->si_code,
			    info->si_code == CLD_STOPPED && !info->si_status ? SIGSTOP
									     : info->si_status);
	else if (info->si_code == SI_TIMER)
		journey_say("info %s timer, value %d", dispositions_name(number),
			    info->si_value.sival_int);
	else if (info->si_code == SI_QUEUE)
		journey_say("info %s queued by %s, value %d", dispositions_name(number), who,
			    info->si_value.sival_int);
	else
		journey_say("info %s code %d by %s, errno %d", dispositions_name(number),
			    info->si_code, who, info->si_errno);
}

static void end_of_storm(void)
{
	static const struct itimerval none;

	if (dispositions_storm && dispositions_count >= dispositions_storm)
		setitimer(ITIMER_REAL, &none, NULL);
}

static void act(int number, enum kind kind, ucontext_t *context)
{
	stack_t asked, other = {.ss_flags = SS_DISABLE};
	int rc;

	switch (kind) {
	case NEST:
		if (number != SIGUSR2 && nested < 3 && dispositions_is_caught(SIGUSR2))
			journey_result(raise(SIGUSR2), "nested raise");
		break;
	case JUMP:
		if (lane->armed) {
			lane->armed = 0;
			nested = 0;
			siglongjmp(lane->back, number);
		}
		break;
	case MASK:
		if (context)
			sigaddset(&context->uc_sigmask, SIGWINCH);
		break;
	case ALTERNATE:
		sigaltstack(NULL, &asked);
		journey_say("in handler: alternate stack %d %zu", state_flags(&asked),
			    asked.ss_size);
		if (asked.ss_flags & SS_ONSTACK) {
			rc = sigaltstack(&other, NULL);
			journey_result(rc, "in handler: sigaltstack");
		}
		break;
	case BUSY:
		journey_say("in handler: %lx", model_work((uint64_t)number, 30000));
		break;
	default:
		break;
	}
}

static void handle(int number, const siginfo_t *info, void *context)
{
	int saved = errno;
	enum kind kind = known[number].kind;

	dispositions_count = dispositions_count + 1;
	end_of_storm();
	say_caught(number, kind);
	if (info)
		say_info(number, info);
	if (known[number].reset)
		known[number] = (struct disposition){.kind = DEFAULT};
	nested = nested + 1;
	act(number, kind, context);
	nested = nested - 1;
	errno = saved;
}

static void on_signal(int number)
{
	handle(number, NULL, NULL);
}

static void on_info(int number, siginfo_t *info, void *context)
{
	handle(number, info, context);
}

static void say_action(const char *what, int number, const struct sigaction *a)
{
	const char *handler = a->sa_handler == SIG_DFL	   ? "default"
			      : a->sa_handler == SIG_IGN   ? "ignored"
			      : a->sa_handler == on_signal ? "on_signal"
			      : a->sa_sigaction == on_info ? "on_info"
							   : "unknown";

	journey_say("%s %s: %s flags %x mask %lx", what, dispositions_name(number), handler,
		    (unsigned)a->sa_flags & ~0x04000000u /* SA_RESTORER */,
		    dispositions_bits(&a->sa_mask));
}

static int flags_of(struct dice *d, int number)
{
	static const int all[] = {SA_NODEFER, SA_ONSTACK, SA_ONSTACK, SA_RESTART, SA_NOCLDSTOP};
	int flags = 0;

	for (unsigned n = dice_below(d, 4); n--;)
		flags |= all[dice_below(d, 5)];
	if (model_is_without("ONSTACK"))
		flags &= ~SA_ONSTACK;
	if (number == SIGCHLD && dice_one_in(d, 6))
		flags |= SA_NOCLDWAIT;
	/* all that are queued come at once, and our stack has room for some only (docs/survival.md)
	 */
	if (number >= SIGRTMIN && flags & SA_ONSTACK)
		flags &= ~SA_NODEFER;
	/* a second one in the queue would end us */
	if (number < SIGRTMIN && dice_one_in(d, 8))
		flags |= SA_RESETHAND;
	return flags;
}

static void set(int number, const struct sigaction *action, bool by_signal)
{
	struct sigaction old = {.sa_flags = 0};
	sighandler_t before;
	int rc;

	if (by_signal) {
		before = signal(number, action->sa_handler);
		journey_say("signal %s = %s", dispositions_name(number),
			    before == SIG_ERR	? "error"
			    : before == SIG_DFL ? "default"
			    : before == SIG_IGN ? "ignored"
						: "handler");
		return;
	}
	rc = sigaction(number, action, &old);
	journey_result(rc, "sigaction %s", dispositions_name(number));
	if (!rc)
		say_action("was", number, &old);
}

void dispositions_change(struct dice *d)
{
	int number = dispositions_any(d);
	enum kind kind = dice_below(d, KINDS);
	struct sigaction action = {.sa_flags = flags_of(d, number)};
	bool by_signal = dice_one_in(d, 5);

	if (kind == PLAIN || (kind > INFO && dice_one_in(d, 3)) || by_signal)
		action.sa_handler = on_signal;
	else
		action.sa_flags |= SA_SIGINFO, action.sa_sigaction = on_info;
	if (kind <= IGNORED) {
		action.sa_flags &= ~SA_SIGINFO;
		/* what is pending is lost by that */
		action.sa_handler = SIG_IGN;
		set(number, &action, by_signal);
		action.sa_handler = SIG_DFL;
	}
	dispositions_random_set(d, &action.sa_mask);
	known[number].kind = kind;
	known[number].reset = !by_signal && action.sa_flags & SA_RESETHAND && kind > IGNORED;
	if (kind != IGNORED)
		set(number, &action, by_signal);
}

void dispositions_say(void)
{
	struct sigaction action;

	for (int i = 1; i <= SIGRTMIN + 5; i++)
		if (i != 32 && i != 33 && !sigaction(i, NULL, &action) &&
		    (action.sa_handler != SIG_DFL || known[i].kind != DEFAULT))
			say_action("has", i, &action);
}

uint64_t dispositions_ignored(void)
{
	uint64_t bits = 0;

	for (int i = 1; i < 65; i++)
		if (known[i].kind == IGNORED)
			bits |= 1ull << (i - 1);
	return bits;
}

void dispositions_init(uint64_t ignored)
{
	struct sigaction action = {.sa_handler = on_signal};

	for (int i = 1; i < 65; i++)
		known[i].kind = ignored >> (i - 1) & 1 ? IGNORED : DEFAULT;
	known[SIGPIPE].kind = PLAIN;
	sigaction(SIGPIPE, &action, NULL);
}
