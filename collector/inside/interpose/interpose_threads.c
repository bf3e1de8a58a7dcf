/* SPDX-License-Identifier: MIT */
/* Thread creation, so that new threads are profiled, and other children that have their parent's
 * memory. */
#include <pthread.h>
#include <sched.h>
#include <signal.h>
#include <stdarg.h>
#include <threads.h>
#include <unistd.h>

#include "collector/inside/handler/handler_entry.h"
#include "collector/inside/handler/handler_state.h"
#include "collector/inside/interpose/interposed.h"
#include "collector/inside/handler/altstack.h"
#include "collector/inside/life/call_cost.h"
#include "collector/inside/life/process_life.h"
#include "collector/inside/life/trap_action.h"
#include "collector/inside/life/trap_mask.h"

/* Its destructor ends a thread's sampling. */
static pthread_key_t thread_key;
static pthread_once_t thread_key_once = PTHREAD_ONCE_INIT;

static void end_of_thread(void *unused)
{
	struct call_cost cost;

	(void)unused;
	if (process_is_excluded(&handler_state.process))
		return;
	cost = call_cost_begin(CALL_COST_END);
	thread_end_current(&handler_state.process);
	altstack_leave();
	call_cost_end(&cost);
}

static void make_thread_key(void)
{
	pthread_key_create(&thread_key, end_of_thread);
}

/* In the new thread. */
static void begin_thread(struct thread *t)
{
	struct call_cost cost = call_cost_begin(CALL_COST_BEGIN);

	if (process_is_excluded(&handler_state.process)) {
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
	call_cost_end(&cost);
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
	int (*get)(const pthread_attr_t *,
		   sigset_t *) = interposed_next(INTERPOSED_pthread_attr_getsigmask_np);
	sigset_t mask;

	return attributes && get && !get(attributes, &mask);
}

/* What the new thread gets, but for its function; NULL if it is not profiled. */
static struct thread *create_begin(struct trap_mask_exec *e, void *argument, bool own_mask)
{
	struct call_cost cost = call_cost_begin(CALL_COST_CREATE);
	struct thread *t = NULL;

	if (handler_state.process.pid)
		t = thread_take(&handler_state.process);
	if (!t)
		return NULL;
	restartable_scan_before_thread(&handler_state.process.restartable);
	t->start = NULL;
	t->c11_start = NULL;
	t->argument = argument;
	trap_mask_create_begin(e, own_mask);
	call_cost_end(&cost);
	return t;
}

static void create_end(const struct trap_mask_exec *e, struct thread *t, bool created)
{
	trap_mask_exec_end(e);
	if (!created)
		thread_give_back(t);
}

EXPORT int pthread_create(pthread_t *thread, const pthread_attr_t *attributes,
			  void *(*start)(void *), void *argument)
{
	struct trap_mask_exec e;
	struct thread *t = create_begin(&e, argument, has_own_mask(attributes));
	int rc;

	if (!t)
		return NEXT(pthread_create)(thread, attributes, start, argument);
	t->start = start;
	rc = NEXT(pthread_create)(thread, attributes, run_thread, t);
	create_end(&e, t, !rc);
	return rc;
}

/* libc's own calls its pthread_create by a name that we do not stand before. */
EXPORT int thrd_create(thrd_t *thread, thrd_start_t start, void *argument)
{
	struct trap_mask_exec e;
	struct thread *t = create_begin(&e, argument, false);
	int rc;

	if (!t)
		return NEXT(thrd_create)(thread, start, argument);
	t->c11_start = start;
	rc = NEXT(thrd_create)(thread, run_c11_thread, t);
	create_end(&e, t, rc == thrd_success);
	return rc;
}

/* ---- children with their parent's memory ----------------------------------------------------- */

/* It returns in the child and in the parent. */
static __attribute__((used)) void *vfork_begin(void)
{
	trap_mask_before_child(true);
	return interposed_next(INTERPOSED_vfork);
}
HANDLER_TAIL(vfork, vfork_begin);
HANDLER_TAIL(__vfork, vfork_begin);

EXPORT int clone(int (*function)(void *), void *stack, int flags, void *argument, ...)
{
	void *parent_tid, *data, *child_tid;
	va_list rest;

	va_start(rest, argument);
	parent_tid = va_arg(rest, void *);
	data = va_arg(rest, void *);
	child_tid = va_arg(rest, void *);
	va_end(rest);
	if (flags & CLONE_VM && !(flags & CLONE_SETTLS))
		trap_mask_before_child(flags & CLONE_VFORK);
	return NEXT(clone)(function, stack, flags, argument, parent_tid, data, child_tid);
}
