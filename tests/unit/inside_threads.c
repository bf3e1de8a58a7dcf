/* SPDX-License-Identifier: MIT */
/* Threads that begin at once: no two have the same slot, stack, descriptor or workspace. */
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <setjmp.h>
#include <cmocka.h>
#include <pthread.h>

#include "collector/inside/handler/handler_state.h"
#include "collector/inside/life/process_life.h"
#include "tests/unit/fake_kernel.h"

#define THREADS 8u
#define ROUNDS	50u

static uint32_t taken[FAKE_KERNEL_FDS];
static struct process_header header;

static int begin(void **state)
{
	fake_kernel_reset(state);
	handler_state.process.pid = fake_kernel.pid;
	handler_state.process.file.header = &header;
	altstack_init();
	thread_init(&handler_state.process.slots);
	workspace_init(&handler_state.process.workspaces);
	handler_state.process.made = true;
	return 0;
}

/* One at a time has it. */
static void hold(uint32_t *who)
{
	assert_int_equal(__atomic_exchange_n(who, 1, __ATOMIC_RELAXED), 0);
}

static void release(uint32_t *who)
{
	__atomic_store_n(who, 0, __ATOMIC_RELAXED);
}

static void *live(void *number)
{
	static uint32_t slots[PROCESS_THREADS_MAX], stacks[ALTSTACK_MAX];
	struct process *p = &handler_state.process;

	fake_thread = (struct fake_thread){.tid = 1000 + (uint32_t)(uintptr_t)number,
					   .stack.ss_flags = SS_DISABLE};
	for (unsigned i = 0; i < ROUNDS; i++) {
		struct thread *t = thread_take(p);
		struct altstack_owner *o;
		int fd = descriptors_take(2);

		altstack_enter();
		o = altstack_current();
		assert_non_null(t);
		assert_non_null(o);
		assert_true(fd >= 0);
		hold(&slots[arena_find(&p->slots, (uintptr_t)t)]);
		hold(&stacks[o - handler_state.altstacks.owners]);
		hold(&taken[fd]);
		assert_true(descriptors_contain(fd));
		release(&taken[fd]);
		release(&stacks[o - handler_state.altstacks.owners]);
		release(&slots[arena_find(&p->slots, (uintptr_t)t)]);
		altstack_leave();
		descriptors_forget(fd);
		syscall_3(SYS_close, (uint64_t)fd, 0, 0);
		thread_give_back(t);
	}
	return NULL;
}

static void they_begin_at_once(void **state)
{
	pthread_t threads[THREADS];

	(void)state;
	fake_kernel_answer(SYS_close, 0); /* numbers are not given twice */
	for (unsigned i = 0; i < THREADS; i++)
		assert_int_equal(pthread_create(&threads[i], NULL, live, (void *)(uintptr_t)i), 0);
	for (unsigned i = 0; i < THREADS; i++)
		pthread_join(threads[i], NULL);
	assert_in_range(handler_state.process.slots_used, 1, THREADS);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test_setup(they_begin_at_once, begin),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
