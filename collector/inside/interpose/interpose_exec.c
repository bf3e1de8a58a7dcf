/* SPDX-License-Identifier: MIT */
/*
 * The calls by which a process becomes another program, or starts one. Where the collector can't be
 * in that (exec_guard.c), it gets an environment without ours; all else is libc's. What libc starts
 * itself (system, popen: the shell) does not come here, and finds out at its own start.
 *
 * In the child of a vfork these run on the parent's memory: nothing is allocated or changed but the
 * count of programs that were not entered.
 */
#include <errno.h>
#include <fcntl.h>
#include <limits.h>
#include <spawn.h>
#include <stdarg.h>
#include <stdbool.h>
#include <stdio.h>
#include <stdlib.h>
#include <sys/mman.h>
#include <unistd.h>

#include "collector/inside/handler/handler_state.h"
#include "collector/inside/interpose/interposed.h"
#include "collector/inside/life/exclusion_checks.h"
#include "collector/inside/life/trap_action.h"
#include "collector/kernel/syscall.h"

/* Larger environments are made outside of the stack, but for those under a filter, which may forbid
 * that. Of those a vfork's child leaves one behind in its parent. */
#define STACK_BYTES	     4096u
#define STACK_FILTERED_BYTES (1u << 20)

enum form { PATH, SEARCH, DESCRIPTOR, AT, SPAWN, SPAWN_SEARCH };

struct call {
	enum form form;
	int directory, flags;
	const char *path;
	char *const *arguments, *const *environment;
	pid_t *pid; /* from here on: posix_spawn's */
	const posix_spawn_file_actions_t *actions;
	const posix_spawnattr_t *attributes;
};

/* libc's own, by a name that takes the environment. */
static int pass_on(const struct call *c, char *const *environment)
{
	switch (c->form) {
	case PATH:
		return NEXT(execve)(c->path, c->arguments, environment);
	case SEARCH:
		return NEXT(execvpe)(c->path, c->arguments, environment);
	case DESCRIPTOR:
		return NEXT(fexecve)(c->directory, c->arguments, environment);
	case AT:
		return NEXT(execveat)(c->directory, c->path, c->arguments, environment, c->flags);
	default:
		return (c->form == SPAWN ? NEXT(posix_spawn) : NEXT(posix_spawnp))(
			c->pid, c->path, c->actions, c->attributes, c->arguments, environment);
	}
}

/* With its environment in @room. */
static int run_in(const struct call *c, void *room)
{
	return pass_on(c, exec_environment_make(c->environment, exec_guard_here.library, room));
}

static int run_without_us(const struct call *c, enum exclusion reason)
{
	size_t bytes = exec_environment_bytes(c->environment, exec_guard_here.library);
	void *room;
	int rc;

	if (!bytes)
		return pass_on(c, c->environment);
	if (bytes <= (reason == EXCLUSION_SECCOMP ? STACK_FILTERED_BYTES : STACK_BYTES))
		return run_in(c, __builtin_alloca(bytes));
	room = syscall_map(bytes, PROT_READ | PROT_WRITE, MAP_PRIVATE | MAP_ANONYMOUS, -1, 0);
	if (!room)
		return pass_on(c, c->environment);
	rc = run_in(c, room);
	syscall_unmap(room, bytes);
	return rc;
}

static enum exclusion ask_guard(const struct call *c, struct exec_answer *a)
{
	struct exec_target t = {.directory = c->directory,
				.flags = c->flags,
				.search = c->form == SEARCH || c->form == SPAWN_SEARCH,
				.known = process_exclusion(&handler_state.process),
				.path = c->path,
				.environment = c->environment};

	exec_guard_ask(&exec_guard_here, &t, a);
	return a->reason;
}

/* It is noted first, as there is no coming back but for a failure. */
static int run_unentered(const struct call *c, const struct exec_answer *a)
{
	struct process_header *h = handler_state.process.file.header;
	int rc;

	if (h)
		exclusion_note(&h->exclusions, a->reason, a->program);
	rc = run_without_us(c, a->reason);
	if (h && rc)
		exclusion_take_back(&h->exclusions, a->reason, a->program);
	return rc;
}

/* Its stack is large, and the program's may be small: it is given back before the exec where
 * nothing is to be changed. */
static __attribute__((noinline)) int ask_and_run(const struct call *c, bool *asked)
{
	struct exec_answer a;

	*asked = ask_guard(c, &a) != EXCLUSION_NONE;
	return *asked ? run_unentered(c, &a) : 0;
}

static int run_call(const struct call *c)
{
	struct trap_exec trap;
	bool ran = false;
	int rc = 0;

	trap_exec_begin(&trap);
	if (exec_guard_here.library)
		rc = ask_and_run(c, &ran);
	if (!ran)
		rc = pass_on(c, c->environment);
	trap_exec_end(&trap);
	return rc;
}

/* ---- with an array of arguments ------------------------------------------------------------ */

#define RUN(...) \
	run_call(&(struct call){.arguments = arguments, .environment = environment, __VA_ARGS__})

static int run_path(const char *path, char *const *arguments, char *const *environment)
{
	return RUN(.form = PATH, .directory = AT_FDCWD, .path = path);
}

static int run_search(const char *file, char *const *arguments, char *const *environment)
{
	return RUN(.form = SEARCH, .directory = AT_FDCWD, .path = file);
}

EXPORT int execve(const char *path, char *const arguments[], char *const environment[])
{
	return run_path(path, arguments, environment);
}

EXPORT int execv(const char *path, char *const arguments[])
{
	return run_path(path, arguments, environ);
}

EXPORT int execvp(const char *file, char *const arguments[])
{
	return run_search(file, arguments, environ);
}

EXPORT int execvpe(const char *file, char *const arguments[], char *const environment[])
{
	return run_search(file, arguments, environment);
}

EXPORT int fexecve(int fd, char *const arguments[], char *const environment[])
{
	return RUN(.form = DESCRIPTOR, .directory = fd, .flags = AT_EMPTY_PATH, .path = "");
}

EXPORT int execveat(int directory, const char *path, char *const arguments[],
		    char *const environment[], int flags)
{
	return RUN(.form = AT, .directory = directory, .flags = flags, .path = path);
}

EXPORT int posix_spawn(pid_t *restrict pid, const char *restrict path,
		       const posix_spawn_file_actions_t *restrict actions,
		       const posix_spawnattr_t *restrict attributes,
		       char *const arguments[restrict], char *const environment[restrict])
{
	return RUN(.form = SPAWN, .directory = AT_FDCWD, .path = path, .pid = pid,
		   .actions = actions, .attributes = attributes);
}

EXPORT int posix_spawnp(pid_t *restrict pid, const char *restrict file,
			const posix_spawn_file_actions_t *restrict actions,
			const posix_spawnattr_t *restrict attributes,
			char *const arguments[restrict], char *const environment[restrict])
{
	return RUN(.form = SPAWN_SEARCH, .directory = AT_FDCWD, .path = file, .pid = pid,
		   .actions = actions, .attributes = attributes);
}

/* ---- with a list of arguments -------------------------------------------------------------- */

/* The words up to NULL, @first and what follows; NULL's place included. */
static size_t count_arguments(const char *first, va_list words)
{
	size_t n = 1;

	for (; first && n < INT_MAX; n++)
		first = va_arg(words, const char *);
	return n;
}

/* What follows the list is execle's environment. */
static char **take_arguments(const char *first, va_list words, char **out, bool environment_follows)
{
	while ((*out++ = (char *)first))
		first = va_arg(words, const char *);
	return environment_follows ? va_arg(words, char **) : NULL;
}

/* As libc has it: the list becomes an array on the caller's stack. */
#define TAKE_LIST(first, arguments, environment_follows)                                        \
	__extension__({                                                                         \
		char **environment_;                                                            \
		va_list words;                                                                  \
                                                                                                \
		va_start(words, first);                                                         \
		(arguments) = __builtin_alloca(count_arguments(first, words) * sizeof(char *)); \
		va_end(words);                                                                  \
		va_start(words, first);                                                         \
		environment_ = take_arguments(first, words, arguments, environment_follows);    \
		va_end(words);                                                                  \
		environment_;                                                                   \
	})

EXPORT int execl(const char *path, const char *argument, ...)
{
	char **arguments;

	TAKE_LIST(argument, arguments, false);
	return run_path(path, arguments, environ);
}

EXPORT int execlp(const char *file, const char *argument, ...)
{
	char **arguments;

	TAKE_LIST(argument, arguments, false);
	return run_search(file, arguments, environ);
}

/* The environment follows the list. */
EXPORT int execle(const char *path, const char *argument, ...)
{
	char **arguments, **environment = TAKE_LIST(argument, arguments, true);

	return run_path(path, arguments, environment);
}

/* ---- a shell, started by libc ---------------------------------------------------------------- */

/* The shell, which libc starts by none of the calls that we stand before, is to find SIGTRAP as the
 * program has it. */
EXPORT int system(const char *command)
{
	struct trap_exec e;
	int rc;

	trap_exec_begin(&e);
	rc = NEXT(system)(command);
	trap_exec_end(&e);
	return rc;
}

EXPORT FILE *popen(const char *command, const char *mode)
{
	struct trap_exec e;
	FILE *f;

	trap_exec_begin(&e);
	f = NEXT(popen)(command, mode);
	trap_exec_end(&e);
	return f;
}
