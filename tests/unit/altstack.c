/* SPDX-License-Identifier: MIT */
/* Alternate signal stacks: whose they are, and what the kernel is given. */
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <setjmp.h>
#include <cmocka.h>
#include <errno.h>

#include "collector/inside/handler/handler_state.h"
#include "collector/kernel/syscall.h"
#include "tests/unit/fake_kernel.h"

static int begin(void **state)
{
	fake_kernel_reset(state);
	handler_state.process.pid = fake_kernel.pid;
	altstack_init();
	return 0;
}

static void a_thread_gets_one(void **state)
{
	struct altstack_owner *o;
	uintptr_t low;

	(void)state;
	assert_null(altstack_current());
	altstack_enter();
	o = altstack_current();
	assert_non_null(o);
	assert_int_equal(o->tid, fake_kernel.pid);
	assert_ptr_equal(altstack_of(fake_kernel.pid), o);
	assert_null(altstack_of(7));
	low = (uintptr_t)fake_thread.stack.ss_sp;
	assert_ptr_equal(altstack_at(low + 1), o);
	assert_null(altstack_at((uintptr_t)&low));
	assert_true(altstack_is_low(low));
	assert_false(altstack_is_low(low + fake_thread.stack.ss_size - 1));
	assert_false(altstack_is_low((uintptr_t)&low));
	assert_true(fake_thread.stack.ss_size >= ALTSTACK_BYTES / 2);
	altstack_enter(); /* it has one */
	assert_ptr_equal(altstack_current(), o);
	altstack_leave();
	assert_null(altstack_current());
	assert_int_equal(o->tid, 0);
}

static void one_of_the_programs_stays(void **state)
{
	static char room[16384];

	(void)state;
	fake_thread.stack = (stack_t){.ss_sp = room, .ss_size = sizeof(room)};
	altstack_enter();
	assert_ptr_equal(fake_thread.stack.ss_sp, room);
	altstack_leave();
	assert_ptr_equal(fake_thread.stack.ss_sp, room);
}

static void at_return_from_a_handler(void **state)
{
	ucontext_t context = {.uc_stack.ss_flags = SS_DISABLE};

	(void)state;
	altstack_enter_at_return(&context);
	assert_non_null(altstack_at((uintptr_t)context.uc_stack.ss_sp));
	assert_null(altstack_current()); /* the kernel has it when the handler returns */
}

static void without_memory_there_is_none(void **state)
{
	(void)state;
	fake_kernel_answer(SYS_mmap, -ENOMEM);
	altstack_enter();
	assert_null(altstack_current());
	assert_null(altstack_of(fake_kernel.pid));
}

static void what_the_program_set(void **state)
{
	static char room[8192];
	struct altstack_owner *o;

	(void)state;
	altstack_enter();
	o = altstack_current();
	assert_false(altstack_on_program(o, (uintptr_t)room + 1));
	o->program = (stack_t){.ss_sp = room, .ss_size = sizeof(room)};
	assert_true(altstack_on_program(o, (uintptr_t)room + 1));
	assert_true(altstack_on_program(o, (uintptr_t)room + sizeof(room)));
	assert_false(altstack_on_program(o, (uintptr_t)room));
	altstack_leave();
	assert_ptr_equal(fake_thread.stack.ss_sp, room);
}

/* All are taken, but one of a thread that has ended without a word. */
static void the_stack_of_a_thread_that_is_gone(void **state)
{
	(void)state;
	for (uint32_t i = 0; i < ALTSTACK_MAX; i++)
		handler_state.altstacks.owners[i].tid = 1000 + i;
	fake_thread.tid = 7;
	altstack_enter();
	assert_null(altstack_current());
	fake_kernel.gone = 1002;
	altstack_enter();
	assert_ptr_equal(altstack_current(), &handler_state.altstacks.owners[2]);
}

static void others(void **state)
{
	struct altstack_owner *other = &handler_state.altstacks.owners[5];
	uint32_t i = 0;

	(void)state;
	altstack_enter();
	assert_false(altstack_others_matter());
	assert_null(altstack_other_in(TRAP_MASK_VIRTUAL, &i));
	handler_state.altstacks.used = 6;
	other->tid = 7;
	other->trap.state = TRAP_MASK_VIRTUAL;
	i = 0;
	assert_ptr_equal(altstack_other_in(TRAP_MASK_VIRTUAL, &i), other);
	assert_int_equal(i, 5);
	assert_true(altstack_others_matter());
	other->program.ss_flags = SS_DISABLE;
	assert_false(altstack_others_matter());
	fake_kernel.gone = 7;
	i = 0;
	assert_null(altstack_other_in(TRAP_MASK_VIRTUAL, &i));
	fake_thread.tid = 9; /* the one thread of a fork's child, by another number */
	altstack_after_fork();
	assert_int_equal(other->tid, 0);
	assert_int_equal(altstack_current()->tid, 9);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test_setup(a_thread_gets_one, begin),
		cmocka_unit_test_setup(one_of_the_programs_stays, begin),
		cmocka_unit_test_setup(at_return_from_a_handler, begin),
		cmocka_unit_test_setup(without_memory_there_is_none, begin),
		cmocka_unit_test_setup(what_the_program_set, begin),
		cmocka_unit_test_setup(the_stack_of_a_thread_that_is_gone, begin),
		cmocka_unit_test_setup(others, begin),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
