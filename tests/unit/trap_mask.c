/* SPDX-License-Identifier: MIT */
/* SIGTRAP blocked by the program: what the kernel's mask has, and what the program sees. */
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <setjmp.h>
#include <cmocka.h>
#include <errno.h>
#include <string.h>

#include "collector/inside/handler/handler_state.h"
#include "collector/inside/handler/pending_trap.h"
#include "collector/inside/life/trap_mask.h"
#include "collector/kernel/syscall.h"
#include "tests/unit/fake_kernel.h"

#define TRAP  FAKE_KERNEL_TRAP
#define MANY  (UINT64_C(0x7fffffff) & ~(1ull << 8 | 1ull << 18)) /* all that can be blocked */
#define OTHER 101u

static const uint64_t none;

/* libc's sigprocmask. */
static int pass(int how, const sigset_t *set, sigset_t *old)
{
	return (int)syscall_6(SYS_rt_sigprocmask, (uint64_t)how, (uintptr_t)set, (uintptr_t)old, 8,
			      0, 0);
}

static int pass_failing(int how, const sigset_t *set, sigset_t *old)
{
	(void)how, (void)set, (void)old;
	return -1;
}

static int begin(void **state)
{
	fake_kernel_reset(state);
	static struct process_header header;

	header = (struct process_header){0};
	handler_state.process.pid = fake_kernel.pid;
	handler_state.process.file.header = &header;
	altstack_init();
	altstack_enter();
	return 0;
}

/* On a kernel that keeps samples while SIGTRAP is blocked, behind the thread's first call. */
static int begin_known(void **state)
{
	static const sigset_t set;

	begin(state);
	handler_state.trap.keeps = true;
	handler_state.trap.masked = true;
	return trap_mask_change(pass, SIG_BLOCK, &set, NULL);
}

static struct trap_mask *own(void)
{
	return &altstack_current()->trap;
}

/* sigprocmask as the program calls it: the mask that it is told of. */
static uint64_t change(int how, uint64_t set)
{
	sigset_t wanted = {0}, old = {0};
	uint64_t before = 0;

	memcpy(&wanted, &set, sizeof(set));
	assert_int_equal(trap_mask_change(pass, how, &wanted, &old), 0);
	memcpy(&before, &old, sizeof(before));
	return before;
}

static uint64_t seen(void)
{
	return change(SIG_BLOCK, none);
}

static void among_many_it_stays_open(void **state)
{
	(void)state;
	assert_int_equal(change(SIG_SETMASK, MANY), 0);
	assert_int_equal(own()->state, TRAP_MASK_VIRTUAL);
	assert_false(fake_thread.mask & TRAP);
	assert_int_equal(fake_thread.mask | TRAP, MANY);
	assert_int_equal(seen(), MANY);
	assert_int_equal(change(SIG_UNBLOCK, TRAP), MANY);
	assert_int_equal(own()->state, TRAP_MASK_OPEN);
	assert_int_equal(seen(), MANY & ~TRAP);
}

static void alone_it_is_blocked(void **state)
{
	(void)state;
	assert_int_equal(change(SIG_BLOCK, TRAP), 0);
	assert_int_equal(own()->state, TRAP_MASK_REAL);
	assert_true(fake_thread.mask & TRAP);
	assert_int_equal(seen(), TRAP);
	assert_int_equal(change(SIG_SETMASK, none), TRAP);
	assert_int_equal(own()->state, TRAP_MASK_OPEN);
	assert_false(fake_thread.mask & TRAP);
}

static void with_a_handler_it_is_blocked(void **state)
{
	(void)state;
	handler_state.trap.program.sa_handler = (void (*)(int))(uintptr_t)0x1000;
	change(SIG_SETMASK, MANY);
	assert_int_equal(own()->state, TRAP_MASK_REAL);
	assert_int_equal(fake_thread.mask, MANY);
	assert_int_equal(handler_state.process.file.header->counters[COUNTER_TRAP_MASKED], 1);
}

static void a_failed_call_blocks_nothing(void **state)
{
	sigset_t trap;

	(void)state;
	sigemptyset(&trap);
	sigaddset(&trap, SIGTRAP);
	assert_int_equal(trap_mask_change(pass_failing, SIG_BLOCK, &trap, NULL), -1);
	assert_int_equal(own()->state, TRAP_MASK_OPEN);
	assert_false(fake_thread.mask & TRAP);
}

/* siglongjmp brings a mask from before back: without the others it was blocked with. */
static void an_older_mask_voids_it(void **state)
{
	(void)state;
	change(SIG_SETMASK, MANY);
	fake_thread.mask = 0;
	assert_int_equal(seen(), 0);
	change(SIG_BLOCK, TRAP);
	fake_thread.mask = 0;
	assert_int_equal(seen(), 0);
	assert_int_equal(own()->state, TRAP_MASK_OPEN);
}

/* One that was blocked really is found open with the mask that came with the virtual one. */
static void a_mask_comes_back_after_it_was_blocked(void **state)
{
	uint64_t blocked;
	siginfo_t info = {.si_signo = SIGTRAP, .si_code = SI_TKILL};

	(void)state;
	change(SIG_SETMASK, MANY);
	blocked = fake_thread.mask;
	virtual_mask_keep(own(), &info, &blocked);
	assert_true(blocked & TRAP);
	assert_int_equal(own()->state, TRAP_MASK_REAL);
	assert_true(fake_thread.pending.there);
	fake_thread.mask = MANY & ~TRAP;
	assert_true(virtual_mask_holds(own(), fake_thread.mask));
	assert_int_equal(seen(), MANY);
	assert_true(fake_thread.mask & TRAP);
}

/* A signal to the process could go to any thread: from there on none is only said to block it. */
static void a_signal_to_the_process_ends_all(void **state)
{
	uint64_t blocked;
	siginfo_t info = {.si_signo = SIGTRAP, .si_code = SI_USER};

	(void)state;
	change(SIG_SETMASK, MANY);
	blocked = fake_thread.mask;
	virtual_mask_keep(own(), &info, &blocked);
	assert_true(virtual_mask_is_over());
	assert_true(fake_kernel.pending.there);
	change(SIG_SETMASK, none);
	change(SIG_SETMASK, MANY);
	assert_int_equal(own()->state, TRAP_MASK_REAL);
	assert_int_equal(fake_thread.mask, MANY);
}

static struct altstack_owner *other_owner(void)
{
	struct altstack_owner *o = &handler_state.altstacks.owners[1];

	handler_state.altstacks.used = 2;
	o->tid = OTHER;
	o->trap = (struct trap_mask){.state = TRAP_MASK_VIRTUAL, .with = MANY & ~TRAP};
	return o;
}

static unsigned messages;

/* The other thread's handler. */
static void answer(uint32_t tid, const siginfo_t *info)
{
	uint64_t mask = fake_thread.mask;

	assert_int_equal(tid, OTHER);
	assert_true(virtual_mask_is_message(info));
	messages++;
	handler_state.altstacks.owners[1].trap.state = TRAP_MASK_REAL;
	assert_int_equal(fake_thread.mask, mask);
}

static void other_threads_are_told(void **state)
{
	(void)state;
	messages = 0;
	other_owner();
	handler_state.trap.masked = true;
	fake_kernel.status = "Tgid:\t100\nSigPnd:\t0000000000000000\nSigBlk:\t0000000000000000\n";
	fake_kernel.sent = answer;
	assert_true(trap_mask_others_are_virtual());
	assert_int_equal(change(SIG_BLOCK, TRAP), 0);
	assert_int_equal(messages, 1);
	assert_false(trap_mask_others_are_virtual());
	assert_true(virtual_mask_is_over());
	virtual_mask_end_others(); /* nothing is left to do */
	assert_int_equal(messages, 1);
}

/* In a handler of the program's, where SIGTRAP is blocked, it would see a message. */
static void who_blocks_it_is_not_told(void **state)
{
	(void)state;
	messages = 0;
	other_owner();
	fake_kernel.status = "Tgid:\t100\nSigBlk:\t0000000000000010\n";
	fake_kernel.sent = answer;
	virtual_mask_end_others();
	assert_int_equal(messages, 0);
	assert_true(virtual_mask_is_over());
}

static void a_message_is_answered(void **state)
{
	uint64_t blocked;
	siginfo_t info;

	(void)state;
	pending_trap_message(&info);
	assert_true(virtual_mask_is_message(&info));
	change(SIG_SETMASK, MANY);
	blocked = fake_thread.mask;
	virtual_mask_answer(own(), &blocked);
	assert_int_equal(own()->state, TRAP_MASK_REAL);
	assert_int_equal(blocked, MANY);

	/* the mask was changed behind our back: there is nothing to make real */
	own()->state = TRAP_MASK_VIRTUAL;
	blocked = 0;
	virtual_mask_answer(own(), &blocked);
	assert_int_equal(own()->state, TRAP_MASK_OPEN);
	assert_int_equal(blocked, 0);

	virtual_mask_answer_later(&blocked);
	assert_int_equal(blocked, TRAP);
	assert_true(fake_thread.pending.there);
	assert_true(pending_trap_is_message(&fake_thread.pending.info));

	info = (siginfo_t){.si_signo = SIGTRAP, .si_code = SI_USER};
	assert_false(virtual_mask_is_message(&info));
	handler_state.trap.virtual_masks = VIRTUAL_MASKS_ENDING; /* the queue of signals is full */
	assert_true(virtual_mask_is_message(&info));
	virtual_mask_after_fork();
	assert_int_equal(handler_state.trap.virtual_masks, VIRTUAL_MASKS_OVER);
}

/* ppoll and its like: the mask while they wait, and the one before. */
static void calls_that_wait(void **state)
{
	struct trap_mask_wait w;
	sigset_t open;
	uint64_t before;

	(void)state;
	sigemptyset(&open);
	change(SIG_SETMASK, MANY);
	before = fake_thread.mask;
	trap_mask_wait_begin(&w, &open);
	assert_int_equal(own()->state, TRAP_MASK_OPEN);
	assert_int_equal(virtual_mask_at_handler(own(), before), 0);
	assert_int_equal(virtual_mask_at_handler(own(), 1), 1);
	trap_mask_wait_end(&w);
	assert_int_equal(own()->state, TRAP_MASK_VIRTUAL);
	assert_int_equal(seen(), MANY);

	/* without a mask, and with one that blocks SIGTRAP too, nothing is lifted */
	trap_mask_wait_begin(&w, NULL);
	trap_mask_wait_end(&w);
	sigaddset(&open, SIGTRAP);
	trap_mask_wait_begin(&w, &open);
	assert_int_equal(own()->state, TRAP_MASK_VIRTUAL);
	trap_mask_wait_end(&w);
	assert_int_equal(own()->state, TRAP_MASK_VIRTUAL);
}

static void what_is_started_inherits_it(void **state)
{
	struct trap_mask_exec e;

	(void)state;
	change(SIG_SETMASK, MANY);
	trap_mask_exec_begin(&e);
	assert_int_equal(fake_thread.mask, MANY);
	assert_int_equal(own()->state, TRAP_MASK_REAL);
	change(SIG_SETMASK, none);
	change(SIG_SETMASK, MANY);
	trap_mask_create_begin(&e, true); /* the thread has a mask of its own */
	assert_false(fake_thread.mask & TRAP);
	trap_mask_create_begin(&e, false);
	assert_int_equal(fake_thread.mask, MANY);
}

/* The child of a vfork runs on its parent's stack, with a mask of its own. */
static void the_child_of_a_vfork(void **state)
{
	(void)state;
	change(SIG_SETMASK, MANY);
	trap_mask_before_child(true);
	fake_thread.tid = OTHER;
	assert_int_equal(seen(), MANY);
	assert_int_equal(fake_thread.mask, MANY);
	assert_int_equal(own()->state, TRAP_MASK_VIRTUAL);
	assert_int_equal(own()->child, OTHER);
}

static void a_mask_is_inherited(void **state)
{
	(void)state;
	fake_thread.mask = MANY;
	assert_true(trap_mask_is_inherited());
	trap_mask_begin();
	assert_int_equal(own()->state, TRAP_MASK_VIRTUAL);
	assert_false(trap_mask_is_inherited());
	trap_mask_leave();
	assert_true(fake_thread.mask & TRAP);

	own()->state = TRAP_MASK_OPEN;
	fake_thread.mask = TRAP;
	trap_mask_begin();
	assert_int_equal(own()->state, TRAP_MASK_REAL);
}

/* A thread that has an alternate stack of the program's making: the kernel keeps its mask. */
static void a_thread_without_our_stack(void **state)
{
	(void)state;
	altstack_leave();
	assert_null(altstack_current());
	assert_int_equal(change(SIG_SETMASK, MANY), 0);
	assert_int_equal(fake_thread.mask, MANY);
	assert_int_equal(change(SIG_SETMASK, none), MANY);
}

/* ---- no system call but the program's ------------------------------------------------------- */

#define PAIRS 1000u

static unsigned all_calls(void)
{
	unsigned n = 0;

	for (unsigned i = 0; i < FAKE_KERNEL_CALLS; i++)
		n += fake_kernel.calls[i];
	return n;
}

/* Blocked and set as before, again and again: call/cc does that. */
static void pairs_cost(uint64_t set, bool blocks)
{
	unsigned before = all_calls();

	for (unsigned i = 0; i < PAIRS; i++) {
		assert_int_equal(change(SIG_BLOCK, set), 0);
		assert_int_equal(fake_thread.mask & TRAP, blocks ? TRAP : 0);
		assert_int_equal(change(SIG_SETMASK, none), set);
	}
	assert_int_equal(all_calls() - before, 2 * PAIRS);
}

static void changes_cost_nothing(void **state)
{
	(void)state;
	pairs_cost(MANY, false);
	handler_state.trap.virtual_masks = VIRTUAL_MASKS_OVER;
	pairs_cost(TRAP, true);
	handler_state.trap.program.sa_handler = (void (*)(int))(uintptr_t)0x1000;
	pairs_cost(MANY, true);
}

static void questions_cost_nothing(void **state)
{
	unsigned before;

	(void)state;
	change(SIG_SETMASK, MANY);
	before = all_calls();
	for (unsigned i = 0; i < PAIRS; i++) {
		sigset_t old;

		assert_int_equal(trap_mask_change(pass, SIG_BLOCK, NULL, &old), 0);
		assert_true(sigismember(&old, SIGTRAP));
	}
	assert_int_equal(all_calls() - before, PAIRS);
}

/* In a handler with a mask of its own, SIGTRAP is found blocked, which nobody noted. */
static void found_blocked(void **state)
{
	(void)state;
	fake_thread.mask = TRAP;
	assert_int_equal(change(SIG_SETMASK, MANY), TRAP);
	assert_int_equal(fake_thread.mask, MANY);
	assert_int_equal(own()->state, TRAP_MASK_REAL);
	fake_thread.mask = 0; /* the handler is over */
	assert_int_equal(change(SIG_BLOCK, MANY), 0);
	assert_int_equal(own()->state, TRAP_MASK_VIRTUAL);
	fake_thread.mask = MANY;
	assert_int_equal(change(SIG_UNBLOCK, none), MANY);
	assert_int_equal(own()->state, TRAP_MASK_VIRTUAL);
}

/* Set and old may be the same place; and what was blocked one by one becomes many. */
static void as_libc_has_it(void **state)
{
	sigset_t set;
	uint64_t mask = MANY;

	(void)state;
	sigemptyset(&set);
	memcpy(&set, &mask, sizeof(mask));
	assert_int_equal(trap_mask_change(pass, SIG_SETMASK, &set, &set), 0);
	assert_int_equal(sigismember(&set, SIGUSR1), 0);
	assert_int_equal(seen(), MANY);
	change(SIG_SETMASK, MANY & ~TRAP);
	assert_int_equal(own()->state, TRAP_MASK_OPEN);
	assert_int_equal(change(SIG_BLOCK, TRAP), MANY & ~TRAP);
	assert_int_equal(own()->state, TRAP_MASK_VIRTUAL);
	assert_false(fake_thread.mask & TRAP);
	/* the signals that libc keeps for itself */
	change(SIG_SETMASK, UINT64_MAX);
	assert_int_equal(fake_thread.mask, ~(TRAP | TRAP_MASK_LIBC));
}

static void a_failed_call_changes_nothing(void **state)
{
	sigset_t trap;

	(void)state;
	sigemptyset(&trap);
	sigaddset(&trap, SIGTRAP);
	fake_kernel_answer(SYS_rt_sigprocmask, -EFAULT);
	assert_int_equal(trap_mask_change(pass_failing, SIG_BLOCK, &trap, NULL), -1);
	assert_int_equal(own()->state, TRAP_MASK_OPEN);
}

/* A sample may be pending while it is blocked, until SIGTRAP matters, or the program waits. */
static void samples_are_kept_until_it_matters(void **state)
{
	sigset_t trap;

	(void)state;
	sigemptyset(&trap);
	sigaddset(&trap, SIGTRAP);
	assert_false(trap_mask_matters(&trap));
	assert_false(handler_state.trap.keeps);
	handler_state.trap.keeps = true;
	other_owner()->trap.state = TRAP_MASK_REAL;
	assert_true(trap_mask_matters(&trap));
	assert_false(trap_mask_matters(&trap));
}

static void it_matters(void **state)
{
	sigset_t trap, many;
	uint64_t set = MANY;

	(void)state;
	sigemptyset(&trap);
	sigaddset(&trap, SIGUSR1);
	memcpy(&many, &set, sizeof(set));
	change(SIG_SETMASK, MANY);
	trap_mask_matters(&trap);
	trap_mask_matters(&many);
	assert_false(virtual_mask_is_over());
	sigaddset(&trap, SIGTRAP);
	trap_mask_matters(&trap);
	assert_true(virtual_mask_is_over());
	assert_int_equal(own()->state, TRAP_MASK_REAL);
	assert_int_equal(fake_thread.mask, MANY);
}

#define KNOWN(test)                                             \
	{                                                       \
#test " (known)", test, begin_known, NULL, NULL \
	}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test_setup(among_many_it_stays_open, begin),
		cmocka_unit_test_setup(alone_it_is_blocked, begin),
		cmocka_unit_test_setup(with_a_handler_it_is_blocked, begin),
		cmocka_unit_test_setup(a_failed_call_blocks_nothing, begin),
		cmocka_unit_test_setup(an_older_mask_voids_it, begin),
		cmocka_unit_test_setup(a_mask_comes_back_after_it_was_blocked, begin),
		cmocka_unit_test_setup(a_signal_to_the_process_ends_all, begin),
		cmocka_unit_test_setup(other_threads_are_told, begin),
		cmocka_unit_test_setup(who_blocks_it_is_not_told, begin),
		cmocka_unit_test_setup(a_message_is_answered, begin),
		cmocka_unit_test_setup(calls_that_wait, begin),
		cmocka_unit_test_setup(what_is_started_inherits_it, begin),
		cmocka_unit_test_setup(the_child_of_a_vfork, begin),
		cmocka_unit_test_setup(a_mask_is_inherited, begin),
		cmocka_unit_test_setup(a_thread_without_our_stack, begin),
		cmocka_unit_test_setup(it_matters, begin),
		KNOWN(among_many_it_stays_open),
		KNOWN(alone_it_is_blocked),
		KNOWN(with_a_handler_it_is_blocked),
		KNOWN(an_older_mask_voids_it),
		KNOWN(a_mask_comes_back_after_it_was_blocked),
		KNOWN(a_signal_to_the_process_ends_all),
		KNOWN(other_threads_are_told),
		KNOWN(a_message_is_answered),
		KNOWN(calls_that_wait),
		KNOWN(what_is_started_inherits_it),
		KNOWN(the_child_of_a_vfork),
		KNOWN(a_mask_is_inherited),
		KNOWN(a_thread_without_our_stack),
		KNOWN(it_matters),
		KNOWN(changes_cost_nothing),
		KNOWN(questions_cost_nothing),
		KNOWN(found_blocked),
		KNOWN(as_libc_has_it),
		KNOWN(a_failed_call_changes_nothing),
		KNOWN(samples_are_kept_until_it_matters),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
