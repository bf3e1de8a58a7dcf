/* SPDX-License-Identifier: MIT */
/* SIGTRAPs that the kernel keeps: which are ours, and how the program's own are put back. */
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <setjmp.h>
#include <cmocka.h>

#include "collector/inside/handler/handler_state.h"
#include "collector/inside/handler/pending_trap.h"
#include "collector/inside/life/process_life.h"
#include "collector/inside/life/trap_action.h"
#include "collector/kernel/syscall.h"
#include "tests/unit/fake_kernel.h"

static struct thread *slot;

static int begin(void **state)
{
	fake_kernel_reset(state);
	handler_state.process.pid = fake_kernel.pid;
	thread_init(&handler_state.process.slots);
	slot = arena_make(&handler_state.process.slots, 0);
	handler_state.process.slots_used = 1;
	slot->tid = fake_kernel.pid;
	return 0;
}

static int end(void **state)
{
	(void)state;
	arena_unmap(&handler_state.process.slots);
	return 0;
}

static void keep_event(void)
{
	struct pending_trap_perf *perf = (void *)&fake_thread.pending.info;

	fake_kernel_keep(&fake_thread.pending, PENDING_TRAP_PERF);
	perf->data = (uintptr_t)slot | TRAP_BREAKPOINT;
}

static void ours_are_dropped(void **state)
{
	siginfo_t message;

	(void)state;
	keep_event();
	pending_trap_drop_ours();
	assert_false(pending_trap_is_there());

	fake_kernel_keep(&fake_thread.pending, SI_TIMER);
	fake_thread.pending.info.si_value.sival_ptr = slot;
	assert_true(pending_trap_is_timer(&fake_thread.pending.info));
	pending_trap_drop_ours();
	assert_false(pending_trap_is_there());

	pending_trap_message(&message);
	pending_trap_send_to(fake_kernel.pid, &message);
	assert_true(pending_trap_is_there());
	pending_trap_drop_ours();
	assert_false(pending_trap_is_there());
}

static void the_programs_stay(void **state)
{
	(void)state;
	fake_kernel_keep(&fake_thread.pending, SI_TKILL);
	pending_trap_drop_ours();
	assert_true(fake_thread.pending.there);
	assert_int_equal(fake_thread.pending.info.si_code, SI_TKILL);
	assert_false(pending_trap_is_timer(&fake_thread.pending.info));
}

static void around_an_exec(void **state)
{
	struct pending_trap p;

	(void)state;
	fake_kernel_keep(&fake_thread.pending, SI_TKILL);
	fake_kernel_keep(&fake_kernel.pending, SI_USER);
	pending_trap_take(&p);
	assert_true(p.of_thread && p.of_process);
	assert_false(pending_trap_is_there());
	pending_trap_put_back(&p);
	assert_true(fake_thread.pending.there && fake_kernel.pending.there);

	/* what is the process's is not the thread's */
	fake_thread.pending.there = false;
	pending_trap_take(&p);
	assert_false(p.of_thread);
	assert_true(p.of_process);
	pending_trap_take(&p);
	assert_false(p.of_thread || p.of_process);
}

static void to_whom_it_was_sent(void **state)
{
	siginfo_t info = {.si_signo = SIGTRAP, .si_code = SI_QUEUE};

	(void)state;
	pending_trap_send_again(&info);
	assert_true(fake_thread.mask & FAKE_KERNEL_TRAP);
	assert_true(fake_kernel.pending.there);
	assert_false(fake_thread.pending.there);
	info.si_code = SI_TKILL;
	pending_trap_send_again(&info);
	assert_true(fake_thread.pending.there);
}

/* Only the first thread may send as kill does: another has the process killed, or itself. */
static void the_kernel_refuses(void **state)
{
	siginfo_t info = {.si_signo = SIGTRAP, .si_code = SI_USER};

	(void)state;
	fake_kernel_answer(SYS_rt_sigqueueinfo, -1);
	pending_trap_send_again(&info);
	assert_true(fake_kernel.pending.there);
	fake_kernel.pending.there = false;
	info.si_code = SI_QUEUE;
	fake_kernel_answer(SYS_rt_tgsigqueueinfo, -1);
	pending_trap_send_again(&info);
	assert_true(fake_thread.pending.there);
}

/* What is ignored is forgotten by the kernel, so another program's SIGTRAPs are kept by us. */
static void an_ignored_signal_at_exec(void **state)
{
	struct trap_exec e;

	(void)state;
	assert_int_equal(trap_install(), 0);
	assert_ptr_equal(fake_kernel.actions[SIGTRAP].handler, trap_entry);
	handler_state.trap.program.sa_handler = SIG_IGN;
	fake_kernel_keep(&fake_kernel.pending, SI_USER);
	trap_sent_note(SI_TKILL, (union sigval){0});
	assert_int_equal(slot->sent.si_signo, SIGTRAP);
	trap_exec_begin(&e);
	assert_true(e.ignored);
	assert_true((uintptr_t)fake_kernel.actions[SIGTRAP].handler == 1);
	assert_true(fake_kernel.pending.there);
	trap_exec_end(&e);
	assert_ptr_equal(fake_kernel.actions[SIGTRAP].handler, trap_entry);
	trap_remove();
	assert_true((uintptr_t)fake_kernel.actions[SIGTRAP].handler == 1);
	trap_exec_begin(&e);
	assert_false(e.ignored);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test_setup_teardown(ours_are_dropped, begin, end),
		cmocka_unit_test_setup_teardown(the_programs_stay, begin, end),
		cmocka_unit_test_setup_teardown(around_an_exec, begin, end),
		cmocka_unit_test_setup_teardown(to_whom_it_was_sent, begin, end),
		cmocka_unit_test_setup_teardown(the_kernel_refuses, begin, end),
		cmocka_unit_test_setup_teardown(an_ignored_signal_at_exec, begin, end),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
