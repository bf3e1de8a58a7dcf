/* SPDX-License-Identifier: MIT */
/*
 * The signal handler of the in-process backend. Everything that is reached from on_trap calls only
 * this library's own code: a breakpoint may stand anywhere else.
 */
#include "collector/inside/handler/trap.h"

#include <signal.h>
#include <string.h>
#include <time.h>

#include "base/atomics.h"
#include "collector/inside/handler/follow.h"
#include "collector/inside/handler/handler_entry.h"
#include "collector/inside/handler/handler_state.h"
#include "collector/inside/handler/pending_trap.h"
#include "collector/inside/handler/signal_delivery.h"
#include "collector/inside/handler/signal_frame.h"
#include "collector/inside/handler/altstack.h"
#include "collector/inside/handler/virtual_mask.h"
#include "collector/kernel/clock.h"
#include "collector/kernel/syscall.h"
#include "isa/host.h"

#define FLAG_ASYNC 1u

/* Reading the clock costs a microsecond. Where no weights need it, not every stop is timed: the
 * first TIMED_STOPS of a thread, which are the slowest, and of the later ones one in TIMED_STOPS.
 */
#define TIMED_STOPS 16u

/* What a stop costs outside of the handler. */
#define STOP_NS 16000u

static bool is_perf(int code)
{
	return code == PENDING_TRAP_PERF;
}

/* An exception of the program's own (int3, int1, TF, its debug registers), which the kernel forces
 * on it: blocked or ignored, it ends the program (kernel/signal.c, force_sig_info_to_task). */
static bool is_forced(const siginfo_t *info)
{
	return info->si_code > 0 && !is_perf(info->si_code);
}

static uint64_t mask_of(const ucontext_t *context)
{
	uint64_t mask;

	memcpy(&mask, &context->uc_sigmask, sizeof(mask));
	return mask;
}

static void set_mask(ucontext_t *context, uint64_t mask)
{
	memcpy(&context->uc_sigmask, &mask, sizeof(mask));
}

/* The same signal comes once more when this handler returns, to find the default action, and where
 * it was: a core dump shows the program's own registers. */
static void die(siginfo_t *info, ucontext_t *context)
{
	/* the kernel's struct: handler, flags, restorer, mask; all zero = default */
	uint64_t kernel_action[4] = {0}, pid = syscall_pid(), tid = syscall_tid();

	syscall_6(SYS_rt_sigaction, SIGTRAP, (uintptr_t)kernel_action, 0, 8, 0, 0);
	syscall_signal_mask(SIG_BLOCK, PENDING_TRAP_BIT);
	if (syscall_6(SYS_rt_tgsigqueueinfo, pid, tid, SIGTRAP, (uintptr_t)info, 0, 0))
		syscall_3(SYS_tgkill, pid, tid, SIGTRAP);
	set_mask(context, mask_of(context) & ~PENDING_TRAP_BIT);
}

/* ---- a handler of the program's ------------------------------------------------------------ */

static __attribute__((used)) void on_handler_return(void)
{
	struct altstack_owner *o = altstack_current();
	struct thread *t = thread_current();

	if (t && (!o || o->trap.state != TRAP_MASK_REAL))
		follow_resume_at_return(t);
}

/* What the handler returns to. */
HANDLER_RETURN_BY(trap_handler_return, on_handler_return)

/* The program's handler runs as it would without us. */
static void call_handler(int number, siginfo_t *info, ucontext_t *context, uintptr_t back,
			 const struct trap_mask *own)
{
	struct sigaction action = handler_state.trap.program;
	uint64_t mask, blocked = mask_of(context);
	const struct thread *t = own ? NULL : thread_current();

	if (t)
		own = &t->apart;
	if (!(action.sa_flags & SA_NODEFER)) {
		/* SIGTRAP is blocked there, and one of ours that is pending would make the kernel
		 * drop the program's next one */
		follow_suspend_current();
		back = (uintptr_t)trap_handler_return;
	}
	if (action.sa_flags & SA_RESETHAND)
		handler_state.trap.program.sa_handler = SIG_DFL;
	memcpy(&mask, &action.sa_mask, sizeof(mask));
	mask |= own ? virtual_mask_at_handler(own, blocked) : blocked;
	if (!(action.sa_flags & SA_NODEFER))
		mask |= PENDING_TRAP_BIT;
	signal_delivery_pass_on(action.sa_sigaction, action.sa_flags & SA_ONSTACK, &mask, number,
				info, context, back);
}

/* Does the handler of SIGTRAP run? By its mask, which is nobody else's: libc keeps two signals out
 * of all masks for itself. */
static bool is_in_handler(const ucontext_t *context)
{
	const struct process *p = &handler_state.process;
	uint64_t pc = isa_state_context_pc(context);

	return pc >= p->text_begin && pc < p->text_end && mask_of(context) == TRAP_HANDLER_MASK;
}

/* Did it come in code of ours? Then it is blocked until that returns. Not where it came together
 * with another signal, whose handler is about to begin: it goes first, as without us. A thread may
 * have no stack of ours. */
static bool is_in_ours(const ucontext_t *context)
{
	const struct thread *t;

	if (is_in_handler(context))
		return true;
	t = thread_current();
	return (t && t->busy) || (altstack_at(signal_frame_interrupted(context)) &&
				  !signal_delivery_is_beginning(context));
}

/* A SIGTRAP that is the program's own. */
static void forward(int number, siginfo_t *info, ucontext_t *context, uintptr_t back)
{
	struct altstack_owner *o = altstack_at((uintptr_t)context);
	__sighandler_t handler = handler_state.trap.program.sa_handler;
	uint64_t blocked = mask_of(context);
	bool kept = o && virtual_mask_holds(&o->trap, blocked);

	if (is_in_ours(context)) {
		pending_trap_send_again(info);
		set_mask(context, blocked | PENDING_TRAP_BIT);
		return;
	}
	if (is_forced(info) && (kept || handler == SIG_IGN)) {
		die(info, context);
	} else if (kept) {
		virtual_mask_keep(&o->trap, info, &blocked);
		set_mask(context, blocked);
	} else if (handler == SIG_DFL) {
		die(info, context);
	} else if (handler != SIG_IGN) {
		call_handler(number, info, context, back, o ? &o->trap : NULL);
	}
}

/* A message of ours: virtual_mask.h. */
static void answer(ucontext_t *context)
{
	struct altstack_owner *o = altstack_at((uintptr_t)context);
	uint64_t blocked = mask_of(context);

	if (!o)
		return;
	if (is_in_ours(context))
		virtual_mask_answer_later(&blocked);
	else
		virtual_mask_answer(&o->trap, &blocked);
	set_mask(context, blocked);
}

static void handle(struct thread *t, const struct pending_trap_perf *perf, const void *context,
		   uint64_t ticks)
{
	bool late = perf->flags & FLAG_ASYNC;

	if (perf->data & TRAP_BREAKPOINT)
		follow_breakpoint(t, context, late, ticks);
	else
		follow_sample(t, context, late, ticks);
	if (t->work)
		cache_lines_restore(&t->work->lines);
}

/* This stop stands for @weight of them. */
static void handle_timed(struct thread *t, const struct pending_trap_perf *perf,
			 const void *context, uint64_t ticks, uint64_t weight)
{
	uint64_t begin = clock_handler_ns(CLOCK_THREAD_CPUTIME_ID), ns;

	handle(t, perf, context, ticks);
	ns = clock_handler_ns(CLOCK_THREAD_CPUTIME_ID) - begin;
	t->spent_ns += ns + STOP_NS;
	if (t->first)
		follow_note_first(t);
	process_count(t->process, COUNTER_HANDLER_NS, ns * weight);
}

static void stop(struct thread *t, const struct pending_trap_perf *perf, const void *context,
		 uint64_t ticks)
{
	uint64_t number = t->stops++;

	if (number < TIMED_STOPS || t->process->options.budget)
		handle_timed(t, perf, context, ticks, 1);
	else if (number % TIMED_STOPS == 0)
		handle_timed(t, perf, context, ticks, TIMED_STOPS);
	else
		handle(t, perf, context, ticks);
	t->stopwatch.ticks = isa_ticks();
}

/* An asynchronous signal (event.h) names a descriptor at most: @perf is made to say what sigtrap's
 * would. Its thread may be given up by now. */
static void translate(struct pending_trap_perf *perf)
{
	uint32_t tid = syscall_tid();
	struct thread *t = thread_of(&handler_state.process, tid);
	bool hit = t && t->drive.armed;

	if (t && perf->code != SI_USER)
		hit = (int32_t)perf->data == t->break_name; /* si_fd */
	perf->code = PENDING_TRAP_PERF;
	perf->data = (uintptr_t)t | (hit ? TRAP_BREAKPOINT : TRAP_SAMPLE);
	perf->flags = 0;
}

/* The same of a timer's. */
static void translate_timer(struct pending_trap_perf *perf, const siginfo_t *info)
{
	uint64_t data = (uintptr_t)info->si_value.sival_ptr;

	perf->code = PENDING_TRAP_PERF;
	perf->data = data;
	perf->flags = 0;
}

static __attribute__((used)) void on_trap(int number, siginfo_t *info, void *context,
					  uintptr_t back)
{
	uint64_t ticks = isa_ticks();
	struct pending_trap_perf *perf = (void *)info;
	bool asynchronous = handler_state.process.options.event.asynchronous &&
			    event_is_signal(perf->code, (uint32_t)perf->address);
	struct thread *t;

	if (virtual_mask_is_message(info)) {
		answer(context);
		return;
	}
	if (asynchronous)
		translate(perf);
	else if (pending_trap_is_timer(info))
		translate_timer(perf, info);
	t = (struct thread *)(uintptr_t)(perf->data & ~(uint64_t)1);
	if (asynchronous && !t)
		return;
	if (!altstack_at((uintptr_t)context) && !process_is_excluded(&handler_state.process))
		altstack_enter_at_return(context); /* a thread that was there before us */
	if (!is_perf(perf->code) || !thread_is_slot(&handler_state.process, t)) {
		forward(number, info, context, back);
		return;
	}
	if (altstack_is_low((uintptr_t)context))
		follow_hold(t);
	if (t->busy) { /* in our own code */
		t->nested |= perf->data & TRAP_BREAKPOINT ? THREAD_NESTED_HIT
							  : THREAD_NESTED_SAMPLE;
		return;
	}
	/* Not live: a signal that was pending when its thread was given up (thread_end).
	 */
	if (follow_begin(t) && t->sampling != THREAD_SUSPENDED)
		stop(t, perf, context, ticks);
	follow_end(t);
}
HANDLER_ENTRY(trap_entry, on_trap)

HANDLER_RETURN(trap_return)
