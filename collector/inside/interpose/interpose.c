/* SPDX-License-Identifier: MIT */
/*
 * What the collector puts before libc's own: thread creation, so that new threads are profiled, and
 * the calls that change what is mapped, which look-ahead remembers. Each passes straight on while
 * nothing is profiled. interpose_signals.c and interpose_descriptors.c have more.
 */
#include <dlfcn.h>
#include <pthread.h>
#include <signal.h>
#include <stdarg.h>
#include <sys/ioctl.h>
#include <sys/mman.h>
#include <threads.h>

#include "base/atomics.h"
#include "collector/inside/handler/handler_state.h"
#include "collector/inside/interpose/interposed.h"
#include "collector/inside/handler/altstack.h"
#include "collector/inside/life/thread_life.h"
#include "collector/inside/life/process_life.h"
#include "collector/inside/life/trap_action.h"
#include "collector/inside/life/trap_mask.h"
#include "collector/kernel/syscall.h"

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
	trap_mask_exec_failed(&e);
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
	trap_mask_exec_failed(&e);
	if (rc != thrd_success)
		thread_give_back(t);
	return rc;
}

/* What look-ahead knows of memory it must learn anew when files are mapped: one may be a device, or
 * a file whose pages a program brings. */
EXPORT void *mmap(void *address, size_t bytes, int protection, int flags, int fd, off_t offset)
{
	void *(*next)(void *, size_t, int, int, int,
		      off_t) = interposed_next("mmap", &interposed_libc.mmap);
	void *mapped;

	if (handler_state.process.pid && fd >= 0)
		own_pages_before_mapping(&handler_state.process.pages, fd);
	mapped = next(address, bytes, protection, flags, fd, offset);
	if (!handler_state.process.pid)
		return mapped;
	if (fd >= 0)
		memory_reader_forget_known(&handler_state.process.known);
	if (protection & PROT_EXEC)
		decode_cache_forget(&handler_state.process.cache);
	return mapped;
}

/* Descriptors of /dev/userfaultfd, too, and those of a bare system call, are first made ready. */
EXPORT int ioctl(int fd, unsigned long request, ...)
{
	int (*next)(int, unsigned long, ...) = interposed_next("ioctl", &interposed_libc.ioctl);
	va_list rest;
	void *argument;

	va_start(rest, request);
	argument = va_arg(rest, void *);
	va_end(rest);
	own_pages_before(&handler_state.process.pages, SYS_ioctl, request);
	return next(fd, request, argument);
}

EXPORT void *mmap64(void *address, size_t bytes, int protection, int flags, int fd, off_t offset)
	__attribute__((alias("mmap")));

/* Code that was written becomes code that runs: what was decoded there before is something else. */
EXPORT int mprotect(void *address, size_t bytes, int protection)
{
	int (*next)(void *, size_t, int) = interposed_next("mprotect", &interposed_libc.mprotect);
	int rc = next(address, bytes, protection);

	if (handler_state.process.pid && protection & PROT_EXEC)
		decode_cache_forget(&handler_state.process.cache);
	return rc;
}

/* Another library may come to the same addresses. */
EXPORT int dlclose(void *handle)
{
	int (*next)(void *) = interposed_next("dlclose", &interposed_libc.dlclose);
	int rc = next(handle);

	atomic_write_release(&handler_state.process.restartable.unloaded, 1);
	if (handler_state.process.pid)
		decode_cache_forget(&handler_state.process.cache);
	return rc;
}
