/* SPDX-License-Identifier: MIT */
/* Thread creation, so that new threads are profiled. */
#include <pthread.h>
#include <signal.h>
#include <threads.h>

#include "collector/inside/handler/handler_state.h"
#include "collector/inside/interpose/interposed.h"
#include "collector/inside/handler/altstack.h"
#include "collector/inside/life/thread_life.h"
#include "collector/inside/life/process_life.h"
#include "collector/inside/life/trap_action.h"
#include "collector/inside/life/trap_mask.h"

/* Its destructor ends a thread's sampling. */
static pthread_key_t thread_key;
static pthread_once_t thread_key_once = PTHREAD_ONCE_INIT;

static void end_of_thread(void *unused)
{
	(void)unused;
	if (process_is_refused(&handler_state.process))
		return;
	thread_end_current(&handler_state.process);
	altstack_leave();
}

static void make_thread_key(void)
{
	pthread_key_create(&thread_key, end_of_thread);
}

/* In the new thread. */
static void begin_thread(struct thread *t)
{
	if (process_is_refused(&handler_state.process)) {
		thread_give_back(t);
		return;
	}
	pthread_once(&thread_key_once, make_thread_key);
	/* any value: its destructor is to be called */
	pthread_setspecific(thread_key, &handler_state);
	altstack_enter();
	if (trap_mask_is_inherited()) {
		trap_install_if_gone();
		trap_mask_begin();
	}
	process_begin_thread(t);
}

static void *run_thread(void *slot)
{
	struct thread *t = slot;
	void *(*start)(void *) = t->start;
	void *argument = t->argument;

	begin_thread(t);
	return start(argument);
}

static int run_c11_thread(void *slot)
{
	struct thread *t = slot;
	thrd_start_t start = t->c11_start;
	void *argument = t->argument;

	begin_thread(t);
	return start(argument);
}

/* pthread_attr_setsigmask_np, since glibc 2.32: the new thread has that and not its creator's. */
static bool has_own_mask(const pthread_attr_t *attributes)
{
	int (*get)(const pthread_attr_t *, sigset_t *) = interposed_next(
		"pthread_attr_getsigmask_np", &interposed_libc.getsigmask);
	sigset_t mask;

	return attributes && get && !get(attributes, &mask);
}

EXPORT int pthread_create(pthread_t *thread, const pthread_attr_t *attributes,
			  void *(*start)(void *), void *argument)
{
	int (*next)(pthread_t *, const pthread_attr_t *, void *(*)(void *),
		    void *) = interposed_next("pthread_create", &interposed_libc.pthread_create);
	struct thread *t = NULL;
	struct trap_mask_exec e;
	int rc;

	if (handler_state.process.pid)
		t = thread_take(&handler_state.process);
	if (!t)
		return next(thread, attributes, start, argument);
	restartable_scan_before_thread(&handler_state.process.restartable);
	t->start = start;
	t->argument = argument;
	trap_mask_create_begin(&e, has_own_mask(attributes));
	rc = next(thread, attributes, run_thread, t);
	trap_mask_exec_end(&e);
	if (rc)
		thread_give_back(t);
	return rc;
}

/* libc's own calls its pthread_create by a name that we do not stand before. */
EXPORT int thrd_create(thrd_t *thread, thrd_start_t start, void *argument)
{
	int (*next)(thrd_t *, thrd_start_t, void *) = interposed_next("thrd_create",
								      &interposed_libc.thrd_create);
	struct thread *t = NULL;
	struct trap_mask_exec e;
	int rc;

	if (handler_state.process.pid)
		t = thread_take(&handler_state.process);
	if (!t)
		return next(thread, start, argument);
	restartable_scan_before_thread(&handler_state.process.restartable);
	t->c11_start = start;
	t->argument = argument;
	trap_mask_create_begin(&e, false);
	rc = next(thread, run_c11_thread, t);
	trap_mask_exec_end(&e);
	if (rc != thrd_success)
		thread_give_back(t);
	return rc;
}
