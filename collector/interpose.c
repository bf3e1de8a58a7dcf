/* SPDX-License-Identifier: MIT */
/*
 * What the collector puts before libc's own: thread creation, so that new threads are profiled; the
 * calls that change what is mapped, which look-ahead remembers; and the signal calls through which
 * a program could take SIGTRAP from us. Each passes straight on while nothing is profiled.
 */
#include <dlfcn.h>
#include <errno.h>
#include <pthread.h>
#include <signal.h>
#include <sys/mman.h>

#include "base/atomics.h"
#include "collector/process.h"
#include "collector/syscall.h"
#include "collector/trap.h"

#define EXPORT __attribute__((visibility("default")))

/* libc's own function of that name, looked up once. */
static void *next_of(const char *name, void **known)
{
	if (!*known)
		*known = dlsym(RTLD_NEXT, name);
	return *known;
}

static pthread_key_t thread_key;
static pthread_once_t thread_key_once = PTHREAD_ONCE_INIT;

static void end_of_thread(void *unused)
{
	(void)unused;
	thread_end_current(&process_self);
}

static void make_thread_key(void)
{
	pthread_key_create(&thread_key, end_of_thread);
}

static void *run_thread(void *slot)
{
	struct thread *t = slot;
	void *(*start)(void *) = t->start;
	void *argument = t->argument;

	pthread_once(&thread_key_once, make_thread_key);
	pthread_setspecific(thread_key, &thread_key); /* anything: its destructor is to be called */
	if (atomic_read_relaxed(&process_self.paused))
		thread_give_back(t);
	else
		thread_begin(t, (uint32_t)syscall_3(SYS_gettid, 0, 0, 0));
	return start(argument);
}

EXPORT int pthread_create(pthread_t *thread, const pthread_attr_t *attributes,
			  void *(*start)(void *), void *argument)
{
	static void *known;
	int (*next)(pthread_t *, const pthread_attr_t *, void *(*)(void *),
		    void *) = next_of("pthread_create", &known);
	struct thread *t = NULL;
	int rc;

	if (process_self.pid)
		t = thread_take(&process_self);
	if (!t)
		return next(thread, attributes, start, argument);
	t->start = start;
	t->argument = argument;
	rc = next(thread, attributes, run_thread, t);
	if (rc)
		thread_give_back(t);
	return rc;
}

/* What look-ahead knows of memory it must learn anew when files are mapped: one may be a device. */
EXPORT void *mmap(void *address, size_t bytes, int protection, int flags, int fd, off_t offset)
{
	static void *known;
	void *(*next)(void *, size_t, int, int, int, off_t) = next_of("mmap", &known);
	void *mapped = next(address, bytes, protection, flags, fd, offset);

	if (!process_self.pid)
		return mapped;
	if (fd >= 0)
		memory_forget_known(&process_self.known);
	if (protection & PROT_EXEC)
		cache_forget(&process_self.cache);
	return mapped;
}

EXPORT void *mmap64(void *address, size_t bytes, int protection, int flags, int fd, off_t offset)
	__attribute__((alias("mmap")));

/* Code that was written becomes code that runs: what was decoded there before is something else. */
EXPORT int mprotect(void *address, size_t bytes, int protection)
{
	static void *known;
	int (*next)(void *, size_t, int) = next_of("mprotect", &known);
	int rc = next(address, bytes, protection);

	if (process_self.pid && protection & PROT_EXEC)
		cache_forget(&process_self.cache);
	return rc;
}

/* Another library may come to the same addresses. */
EXPORT int dlclose(void *handle)
{
	static void *known;
	int (*next)(void *) = next_of("dlclose", &known);
	int rc = next(handle);

	if (process_self.pid)
		cache_forget(&process_self.cache);
	return rc;
}

EXPORT int sigaction(int number, const struct sigaction *restrict new_action,
		     struct sigaction *restrict old_action)
{
	static void *known;
	int (*next)(int, const struct sigaction *, struct sigaction *) = next_of("sigaction",
										 &known);
	if (number != SIGTRAP || !trap_is_ours())
		return next(number, new_action, old_action);
	trap_program_action(new_action, old_action);
	return 0;
}

EXPORT __sighandler_t signal(int number, __sighandler_t handler)
{
	static void *known;
	__sighandler_t (*next)(int, __sighandler_t) = next_of("signal", &known);
	struct sigaction new_action = {.sa_handler = handler, .sa_flags = SA_RESTART}, old_action;

	if (number != SIGTRAP || !trap_is_ours())
		return next(number, handler);
	trap_program_action(&new_action, &old_action);
	return old_action.sa_handler;
}

/* A blocked SIGTRAP would come late, with a pc that says nothing. */
static const sigset_t *without_trap(const sigset_t *set, sigset_t *copy)
{
	if (!set || !process_self.pid)
		return set;
	*copy = *set;
	sigdelset(copy, SIGTRAP);
	return copy;
}

EXPORT int sigprocmask(int how, const sigset_t *restrict set, sigset_t *restrict old)
{
	static void *known;
	int (*next)(int, const sigset_t *, sigset_t *) = next_of("sigprocmask", &known);
	sigset_t copy;

	return next(how, how == SIG_UNBLOCK ? set : without_trap(set, &copy), old);
}

EXPORT int pthread_sigmask(int how, const sigset_t *restrict set, sigset_t *restrict old)
{
	static void *known;
	int (*next)(int, const sigset_t *, sigset_t *) = next_of("pthread_sigmask", &known);
	sigset_t copy;

	return next(how, how == SIG_UNBLOCK ? set : without_trap(set, &copy), old);
}
