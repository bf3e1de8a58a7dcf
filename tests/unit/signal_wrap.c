/* SPDX-License-Identifier: MIT */
/* Standing before the program's handlers, unseen by it; and what it wants done with SIGTRAP. */
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <setjmp.h>
#include <cmocka.h>
#include <string.h>

#include "collector/inside/handler/handler_state.h"
#include "collector/inside/life/trap_action.h"
#include "collector/kernel/syscall.h"
#include "tests/unit/fake_kernel.h"

#define AS_HANDLER(f) ((signal_delivery_handler *)(uintptr_t)(f))

static void on_signal(int number)
{
	(void)number;
}

static void on_other(int number)
{
	(void)number;
}

static void restore(void)
{
}

/* libc's sigaction. */
static int pass(int number, const struct sigaction *new_action, struct sigaction *old_action)
{
	struct kernel_sigaction wanted = {0}, was;
	long rc;

	if (new_action) {
		wanted.handler = new_action->sa_sigaction;
		wanted.flags = (unsigned)new_action->sa_flags;
		wanted.restorer = restore;
	}
	rc = syscall_6(SYS_rt_sigaction, (uint64_t)number, new_action ? (uintptr_t)&wanted : 0,
		       (uintptr_t)&was, 8, 0, 0);
	if (!rc && old_action)
		*old_action = (struct sigaction){.sa_sigaction = was.handler,
						 .sa_flags = (int)was.flags};
	return rc ? -1 : 0;
}

static __sighandler_t pass_signal(int number, __sighandler_t handler)
{
	struct sigaction wanted = {.sa_handler = handler}, was;

	return pass(number, &wanted, &was) ? SIG_ERR : was.sa_handler;
}

static int begin(void **state)
{
	fake_kernel_reset(state);
	handler_state.process.pid = fake_kernel.pid;
	return 0;
}

static void what_was_there_is_wrapped(void **state)
{
	struct sigaction seen;

	(void)state;
	fake_kernel.actions[SIGUSR1].handler = AS_HANDLER(on_signal);
	fake_kernel.actions[SIGUSR1].flags = SA_ONSTACK;
	fake_kernel.actions[SIGUSR1].restorer = restore;
	fake_kernel.actions[SIGUSR2].handler = AS_HANDLER(SIG_IGN);
	signal_wrap_install();
	assert_true(signal_wrap_is_installed());
	assert_ptr_equal(fake_kernel.actions[SIGUSR1].handler, signal_delivery_entry);
	assert_ptr_equal(fake_kernel.actions[SIGUSR2].handler, SIG_IGN);
	assert_int_equal(handler_state.delivery.on_alternate, UINT64_C(1) << (SIGUSR1 - 1));
	assert_int_equal(signal_wrap_sigaction(pass, SIGUSR1, NULL, &seen), 0);
	assert_ptr_equal(seen.sa_handler, on_signal);
	assert_int_equal(signal_delivery_restorer(), (uintptr_t)restore);
	assert_int_equal(signal_delivery_restorer(), (uintptr_t)restore);
	signal_wrap_remove();
	assert_ptr_equal(fake_kernel.actions[SIGUSR1].handler, on_signal);
	assert_false(signal_wrap_is_installed());
}

static void what_is_set_is_wrapped(void **state)
{
	struct sigaction action = {.sa_handler = on_signal}, seen;

	(void)state;
	assert_int_equal(signal_delivery_restorer(), 0);
	assert_int_equal(signal_wrap_sigaction(pass, SIGUSR1, &action, NULL), 0);
	assert_ptr_equal(fake_kernel.actions[SIGUSR1].handler, on_signal);
	signal_wrap_install();
	action.sa_handler = on_other;
	assert_int_equal(signal_wrap_sigaction(pass, SIGUSR1, &action, &seen), 0);
	assert_ptr_equal(seen.sa_handler, on_signal);
	assert_ptr_equal(fake_kernel.actions[SIGUSR1].handler, signal_delivery_entry);
	assert_ptr_equal(signal_wrap_signal(pass_signal, SIGUSR1, SIG_DFL), on_other);
	assert_ptr_equal(signal_wrap_signal(pass_signal, SIGUSR1, on_signal), SIG_DFL);
	assert_ptr_equal(fake_kernel.actions[SIGUSR1].handler, signal_delivery_entry);
	assert_int_equal(signal_wrap_sigaction(pass, SIGKILL, &action, NULL), -1);
	assert_int_equal(signal_wrap_sigaction(pass, 1000, &action, NULL), -1);
	assert_ptr_equal(signal_wrap_signal(pass_signal, 1000, on_signal), SIG_ERR);
}

static void a_handler_about_to_begin(void **state)
{
	ucontext_t context = {0};

	(void)state;
#if defined(__x86_64__)
	context.uc_mcontext.gregs[REG_RIP] = (long long)(uintptr_t)signal_delivery_entry;
#else
	context.uc_mcontext.pc = (uintptr_t)signal_delivery_entry;
#endif
	assert_true(signal_delivery_is_beginning(&context));
	memset(&context, 0, sizeof(context));
	assert_false(signal_delivery_is_beginning(&context));
}

/* SIGTRAP's action is ours, and the program sees its own. */
static void the_action_of_sigtrap(void **state)
{
	struct sigaction action = {.sa_handler = on_signal}, seen;

	(void)state;
	fake_kernel.actions[SIGTRAP].handler = AS_HANDLER(on_other);
	trap_install_if_gone();
	assert_ptr_equal(fake_kernel.actions[SIGTRAP].handler, trap_entry);
	assert_true(trap_program_handles());
	assert_int_equal(trap_program_action(pass, &action, &seen), 0);
	assert_ptr_equal(seen.sa_handler, on_other);
	assert_int_equal(trap_program_action(pass, NULL, &seen), 0);
	assert_ptr_equal(seen.sa_handler, on_signal);
	action.sa_handler = SIG_IGN;
	assert_int_equal(trap_program_action(pass, &action, NULL), 0);
	assert_int_equal(handler_state.trap.gaps, 1);
	assert_ptr_equal(fake_kernel.actions[SIGTRAP].handler, trap_entry);
	assert_false(trap_program_handles());
	trap_install(); /* it is */
	assert_true(handler_state.trap.program.sa_handler == SIG_IGN);
	trap_remove();
	assert_ptr_equal(fake_kernel.actions[SIGTRAP].handler, SIG_IGN);
	action.sa_handler = on_signal;
	assert_int_equal(trap_program_action(pass, &action, NULL), 0);
	assert_ptr_equal(fake_kernel.actions[SIGTRAP].handler, on_signal);
	trap_remove();
	assert_ptr_equal(fake_kernel.actions[SIGTRAP].handler, on_signal);
}

/* A child of vfork has signals of its own, but its parent's memory. */
static void the_child_of_a_vfork(void **state)
{
	struct sigaction action = {.sa_handler = SIG_DFL}, seen;

	(void)state;
	trap_install();
	handler_state.trap.program.sa_handler = on_signal;
	fake_kernel.pid = 300;
	assert_int_equal(trap_program_action(pass, &action, &seen), 0);
	assert_ptr_equal(seen.sa_handler, on_signal);
	assert_ptr_equal(fake_kernel.actions[SIGTRAP].handler, SIG_DFL);
	assert_ptr_equal(handler_state.trap.program.sa_handler, on_signal);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test_setup(what_was_there_is_wrapped, begin),
		cmocka_unit_test_setup(what_is_set_is_wrapped, begin),
		cmocka_unit_test_setup(a_handler_about_to_begin, begin),
		cmocka_unit_test_setup(the_action_of_sigtrap, begin),
		cmocka_unit_test_setup(the_child_of_a_vfork, begin),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
