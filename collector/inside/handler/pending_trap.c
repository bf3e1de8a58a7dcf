/* SPDX-License-Identifier: MIT */
#include "collector/inside/handler/pending_trap.h"

#include <stddef.h>
#include <time.h>

#include "collector/inside/handler/handler_state.h"
#include "collector/kernel/event.h"
#include "collector/kernel/syscall.h"

bool pending_trap_is_for_process(const siginfo_t *info)
{
	return info->si_code == SI_USER || info->si_code == SI_QUEUE || info->si_code == SI_TIMER;
}

void pending_trap_send_to(uint32_t tid, const siginfo_t *info)
{
	if (syscall_6(SYS_rt_tgsigqueueinfo, syscall_pid(), tid, SIGTRAP, (uintptr_t)info, 0, 0))
		syscall_3(SYS_tgkill, syscall_pid(), tid, SIGTRAP);
}

static void send_to_thread(const siginfo_t *info)
{
	pending_trap_send_to(syscall_tid(), info);
}

static void send_to_process(const siginfo_t *info)
{
	long rc = syscall_3(SYS_rt_sigqueueinfo, syscall_pid(), SIGTRAP, (uintptr_t)info);

	/* only the first thread may send it as kill does (kernel/signal.c, do_rt_sigqueueinfo) */
	if (rc && info->si_code == SI_USER)
		rc = syscall_3(SYS_kill, syscall_pid(), SIGTRAP, 0);
	if (rc)
		send_to_thread(info);
}

void pending_trap_send_again(const siginfo_t *info)
{
	syscall_signal_mask(SIG_BLOCK, PENDING_TRAP_BIT);
	if (pending_trap_is_for_process(info))
		send_to_process(info);
	else
		send_to_thread(info);
}

/* What no program sends: the value is an address of ours, and nobody is said to send it. */
void pending_trap_message(siginfo_t *out)
{
	*out = (siginfo_t){.si_signo = SIGTRAP, .si_code = SI_QUEUE};
	out->si_value.sival_ptr = &handler_state.trap;
}

bool pending_trap_is_message(const siginfo_t *info)
{
	return info->si_code == SI_QUEUE && !info->si_pid &&
	       info->si_value.sival_ptr == &handler_state.trap;
}

static bool is_slot(const void *data)
{
	return thread_is_slot(&handler_state.process,
			      (const void *)((uintptr_t)data & ~(uintptr_t)1));
}

bool pending_trap_is_timer(const siginfo_t *info)
{
	return info->si_code == SI_TIMER && is_slot(info->si_value.sival_ptr);
}

static bool is_ours(const siginfo_t *info)
{
	const struct pending_trap_perf *perf = (const void *)info;

	if (pending_trap_is_message(info) || pending_trap_is_timer(info))
		return true;
	if (handler_state.process.options.event.asynchronous)
		return event_is_signal(perf->code, (uint32_t)perf->address);
	return perf->code == PENDING_TRAP_PERF && is_slot((const void *)(uintptr_t)perf->data);
}

static bool take_pending(siginfo_t *info)
{
	uint64_t trap = PENDING_TRAP_BIT;
	struct timespec now = {0};

	return syscall_6(SYS_rt_sigtimedwait, (uintptr_t)&trap, (uintptr_t)info, (uintptr_t)&now,
			 sizeof(trap), 0, 0) == SIGTRAP;
}

bool pending_trap_is_there(void)
{
	uint64_t pending = 0;

	syscall_3(SYS_rt_sigpending, (uintptr_t)&pending, sizeof(pending), 0);
	return pending & PENDING_TRAP_BIT;
}

/* The first one that the kernel gives is the thread's, if it has one: it has when a mark that we
 * send is dropped. False if that one is ours, too. */
static bool take_of_thread(siginfo_t *info)
{
	siginfo_t mark = {.si_signo = SIGTRAP, .si_code = SI_QUEUE};

	if (!pending_trap_is_there())
		return false;
	mark.si_value.sival_ptr = &handler_state;
	syscall_6(SYS_rt_tgsigqueueinfo, syscall_pid(), syscall_tid(), SIGTRAP, (uintptr_t)&mark, 0,
		  0);
	if (!take_pending(info) || is_ours(info) ||
	    (info->si_code == SI_QUEUE && !info->si_pid &&
	     info->si_value.sival_ptr == mark.si_value.sival_ptr))
		return false;
	/* the mark without what it says: the user's queue is full (RLIMIT_SIGPENDING) */
	return info->si_code != SI_USER || info->si_pid || !pending_trap_is_there();
}

void pending_trap_drop_ours(void)
{
	siginfo_t info;

	if (take_of_thread(&info))
		send_to_thread(&info);
}

void pending_trap_take(struct pending_trap *out)
{
	out->of_thread = take_of_thread(&out->thread);
	/* not what comes now and is not blocked */
	out->of_process = pending_trap_is_there() && take_pending(&out->process);
}

void pending_trap_put_back(const struct pending_trap *p)
{
	if (p->of_thread)
		send_to_thread(&p->thread);
	if (p->of_process)
		send_to_process(&p->process);
}
