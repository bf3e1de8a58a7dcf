/* SPDX-License-Identifier: MIT */
/*
 * Asked before an exec: can the collector be in the program that comes? Where it can't, the program
 * is not to notice that there is one: its environment is made without ours. By system calls alone:
 * also in the child of a vfork, and in a signal handler.
 */
#include "collector/inside/life/exclusion_checks.h"

#include <dlfcn.h>
#include <errno.h>
#include <fcntl.h>
#include <paths.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

#include "base/atomics.h"
#include "collector/inside/handler/handler_state.h"
#include "collector/kernel/syscall.h"
#include "collector/kernel/task_status.h"
#include "collector/shared/program_file.h"
#include "collector/shared/session.h"

struct exec_guard exec_guard_here;

void exec_guard_begin(struct exec_guard *g, const char *directory, uint32_t filters)
{
	static const char control[] = "/control";
	const char *preload = getenv("LD_PRELOAD");
	size_t length = strlen(directory);
	Dl_info self;

	if (length + sizeof(control) > sizeof(g->control) ||
	    !dladdr(&handler_state, &self)) /* the name is the loaded library's, and stays */
		return;
	memcpy(g->control, directory, length);
	memcpy(g->control + length, control, sizeof(control));
	g->filters = filters;
	g->has_first = preload && program_file_is_first_library(preload);
	g->library = self.dli_fname;
}

void exec_guard_filter_comes(struct exec_guard *g)
{
	atomic_write_release(&g->filtered, 1);
}

/* May this thread, as who it is now, use a file? 0 or a negative errno. faccessat2(2) is in Linux
 * since 5.8; before, access(2) asks for the real user. */
static long try_access(const char *path, int mode)
{
	long rc = syscall_6(439 /* faccessat2 */, (uint64_t)AT_FDCWD, (uintptr_t)path,
			    (uint64_t)mode, AT_EACCESS, 0, 0);

	return rc == -ENOSYS ? syscall_3(SYS_faccessat, (uint64_t)AT_FDCWD, (uintptr_t)path,
					 (uint64_t)mode)
			     : rc;
}

/* ---- the file that execvp(3) would run ------------------------------------------------------- */

/* Where there is no PATH: confstr(_CS_PATH). */
#define DEFAULT_PATH "/bin:/usr/bin"

static const char *search_path(void)
{
	for (char *const *at = environ; at && *at; at++)
		if (!strncmp(*at, "PATH=", 5))
			return *at + 5;
	return DEFAULT_PATH;
}

/* An empty directory is the current one. */
static bool join_path(const char *directory, size_t length, const char *file, char *path)
{
	size_t bytes = strlen(file) + 1;

	if (length + 1 + bytes > EXEC_GUARD_PATH_BYTES)
		return false;
	memcpy(path, directory, length);
	if (length)
		path[length++] = '/';
	memcpy(path + length, file, bytes);
	return true;
}

static bool is_program(const char *path)
{
	struct stat st;

	return !syscall_6(SYS_newfstatat, (uint64_t)AT_FDCWD, (uintptr_t)path, (uintptr_t)&st, 0, 0,
			  0) &&
	       S_ISREG(st.st_mode) && !try_access(path, X_OK);
}

/* By system calls alone. Into @path; @file itself where it has a slash. NULL if none is found. */
static const char *find_in_path(const char *file, char path[EXEC_GUARD_PATH_BYTES])
{
	const char *directory = search_path(), *end;

	if (strchr(file, '/') || !*file)
		return *file ? file : NULL;
	for (;; directory = end + 1) {
		end = strchr(directory, ':');
		if (join_path(directory, end ? (size_t)(end - directory) : strlen(directory), file,
			      path) &&
		    is_program(path))
			return path;
		if (!end)
			return NULL;
	}
}

/* ---- the file ------------------------------------------------------------------------------ */

static size_t read_target(void *descriptor, uint64_t at, void *out, size_t bytes)
{
	return syscall_read_at(*(long *)descriptor, out, bytes, at);
}

static void descriptor_path(int fd, char path[TASK_PATH_BYTES])
{
	strcpy(path, "/proc/self/fd/");
	task_path_number(path + strlen(path), (unsigned)fd);
}

/* One that was opened by O_PATH can't be read itself. */
static long open_descriptor(int fd)
{
	char path[TASK_PATH_BYTES];

	descriptor_path(fd, path);
	return syscall_open(path, O_RDONLY);
}

/* To be printed: the path of an open file, or as it is named. */
static const char *name_of(const struct exec_target *t, struct exec_answer *a)
{
	char path[TASK_PATH_BYTES];

	if (*t->path)
		return t->path;
	descriptor_path(t->directory, path);
	syscall_read_link(path, a->found, sizeof(a->found));
	return a->found;
}

/* Devices and pipes are not opened: that may wait, or have effects. */
static long open_target(const struct exec_target *t, struct stat *st)
{
	int flags = t->flags & (AT_EMPTY_PATH | AT_SYMLINK_NOFOLLOW);
	long rc = syscall_6(SYS_newfstatat, (uint64_t)t->directory, (uintptr_t)t->path,
			    (uintptr_t)st, (uint64_t)flags, 0, 0);

	if (rc || !S_ISREG(st->st_mode))
		return rc ?: -EACCES;
	if (flags & AT_EMPTY_PATH && !*t->path)
		return open_descriptor(t->directory);
	return syscall_3(SYS_openat, (uint64_t)t->directory, (uintptr_t)t->path,
			 O_RDONLY | O_CLOEXEC | O_NOCTTY | O_NONBLOCK);
}

static bool has_capabilities(long fd)
{
	static const char name[] = "security.capability";

	return syscall_6(SYS_fgetxattr, (uint64_t)fd, (uintptr_t)name, 0, 0, 0, 0) > 0;
}

/* By exec(2) it becomes someone else than who starts it: the dynamic linker preloads nothing. */
static bool is_privileged(const struct stat *st, long fd)
{
	uint32_t user = (uint32_t)syscall_3(SYS_geteuid, 0, 0, 0);
	uint32_t group = (uint32_t)syscall_3(SYS_getegid, 0, 0, 0);

	return (st->st_mode & S_ISUID && st->st_uid != user) ||
	       ((st->st_mode & (S_ISGID | S_IXGRP)) == (S_ISGID | S_IXGRP) &&
		st->st_gid != group) ||
	       (user && fd >= 0 && has_capabilities(fd));
}

static unsigned glibc_of(const char *path)
{
	long fd = syscall_3(SYS_openat, (uint64_t)AT_FDCWD, (uintptr_t)path,
			    O_RDONLY | O_CLOEXEC | O_NOCTTY | O_NONBLOCK);
	struct program_file_source from = {read_target, &fd};
	unsigned version = fd < 0 ? 0 : program_file_glibc(&from);

	if (fd >= 0)
		syscall_close(fd);
	return version;
}

/* Its dynamic linker is another than ours: is it glibc's, and of a version that the collector can
 * be loaded with? One that can't be read is exec's to judge. */
static enum exclusion ask_libc(const struct exec_guard *g, struct exec_answer *a)
{
	char path[TASK_PATH_BYTES];
	long fd = syscall_open(a->file.linker, O_RDONLY);
	unsigned has;

	if (fd < 0)
		return a->reason;
	descriptor_path((int)fd, path);
	syscall_read_link(path, a->libc, sizeof(a->libc));
	syscall_close(fd);
	if (!glibc_of(a->libc))
		return EXCLUSION_LIBC;
	has = program_file_libc_beside(a->libc, sizeof(a->libc)) ? glibc_of(a->libc) : 0;
	return has && has < glibc_of(g->library) ? EXCLUSION_OLD_LIBC : EXCLUSION_NONE;
}

/* False if there is no such file. One that can't be read tells nothing but its mode. */
static bool look_at_target(const struct exec_guard *g, const struct exec_target *t,
			   struct exec_answer *a)
{
	struct stat st;
	long fd;
	struct program_file_source from = {read_target, &fd};

	st.st_mode = 0;
	fd = open_target(t, &st);
	if (fd < 0 && !S_ISREG(st.st_mode))
		return false;
	a->file = (struct program_file){.has_interpreter = true};
	if (fd >= 0)
		program_file_look(&from, &a->file);
	if (!a->file.script[0])
		a->reason = is_privileged(&st, fd) ? EXCLUSION_PRIVILEGED
						   : program_file_exclusion(&a->file);
	if (fd >= 0)
		syscall_close(fd);
	if (a->file.linker[0] && (!a->reason || a->reason == EXCLUSION_LIBC))
		a->reason = ask_libc(g, a);
	return true;
}

/* The program itself, or what interprets it: the shell, where execvp finds no program. */
static void look_through_scripts(const struct exec_guard *g, const struct exec_target *t,
				 struct exec_answer *a)
{
	struct exec_target at = *t;

	for (unsigned scripts = 0; look_at_target(g, &at, a) && scripts < PROGRAM_FILE_SCRIPTS_MOST;
	     scripts++) {
		if (a->file.script[0])
			memcpy(a->script, a->file.script, sizeof(a->script));
		else if (t->search && !scripts && !a->reason && !a->file.is_elf)
			memcpy(a->script, _PATH_BSHELL, sizeof(_PATH_BSHELL));
		else
			return;
		a->program = a->script;
		at = (struct exec_target){.directory = AT_FDCWD, .path = a->script};
	}
}

/* ---- the circumstances --------------------------------------------------------------------- */

/* Is it of another user than root, and not of this one? Capabilities that let it be read all the
 * same are lost with the exec. */
static bool is_of_another(const struct stat *session)
{
	uint32_t user = (uint32_t)syscall_3(SYS_geteuid, 0, 0, 0);

	return user && session->st_uid != user;
}

/* For a time only (seteuid(2)): for the dynamic linker that is as for a setuid program. */
static bool is_someone_else(void)
{
	return syscall_3(SYS_geteuid, 0, 0, 0) != syscall_3(SYS_getuid, 0, 0, 0) ||
	       syscall_3(SYS_getegid, 0, 0, 0) != syscall_3(SYS_getgid, 0, 0, 0);
}

/* Another user, or another root directory. A session that is over needs no reason. */
static enum exclusion ask_access(const struct exec_guard *g)
{
	struct stat st;
	long session = syscall_6(SYS_newfstatat, (uint64_t)AT_FDCWD, (uintptr_t)g->control,
				 (uintptr_t)&st, 0, 0, 0);

	if (session == -EACCES || (!session && is_of_another(&st)) || is_someone_else())
		return EXCLUSION_USER;
	return try_access(g->library, R_OK) ? EXCLUSION_UNREACHABLE : EXCLUSION_NONE;
}

static enum exclusion ask_status(const struct exec_guard *g)
{
	struct task_status status;

	task_status_own(&status);
	return status.tracer		     ? EXCLUSION_TRACED
	       : status.filters > g->filters ? EXCLUSION_SECCOMP
					     : EXCLUSION_NONE;
}

#define PRELOAD "LD_PRELOAD="

static bool begins_with(const char *text, const char *with)
{
	return !strncmp(text, with, strlen(with));
}

static bool preloads(char *const *environment, const char *library)
{
	for (; environment && *environment; environment++)
		if (begins_with(*environment, PRELOAD))
			return strstr(*environment, library);
	return false;
}

void exec_guard_ask(const struct exec_guard *g, const struct exec_target *t, struct exec_answer *a)
{
	struct exec_target found = *t;

	a->reason = EXCLUSION_NONE;
	a->program = t->path;
	a->file.needs_first = a->file.is_elf = false; /* no file may be found */
	if (!t->path)
		return; /* EFAULT */
	a->reason = atomic_read_acquire(&g->filtered) ? EXCLUSION_SECCOMP : t->known;
	if (a->reason)
		return;
	if (t->search)
		found.path = find_in_path(t->path, a->found);
	if (!found.path)
		return;
	a->program = name_of(&found, a);
	look_through_scripts(g, &found, a);
	if (!a->reason)
		a->reason = ask_access(g);
	if (!a->reason && a->file.needs_first && !g->has_first)
		a->reason = EXCLUSION_SANITIZER;
	if (!a->reason)
		a->reason = ask_status(g);
	if (!a->reason && a->file.is_elf && !preloads(t->environment, g->library))
		a->reason = EXCLUSION_ENVIRONMENT;
}

/* ---- the environment of a program that is not entered ---------------------------------------- */

static bool is_session_entry(const char *entry)
{
	return begins_with(entry, SESSION_ENVIRONMENT "=");
}

/* The names in LD_PRELOAD end at these (ld.so(8)). */
static size_t name_length(const char *list)
{
	size_t n = 0;

	while (list[n] && list[n] != ':' && list[n] != ' ')
		n++;
	return n;
}

static bool is_library(const char *name, size_t length, const char *library)
{
	return length == strlen(library) && !memcmp(name, library, length);
}

/* @list without the names that are ours, into @out; how many are left. The recorder puts
 * AddressSanitizer's library before the collector, for a command that needs it (executable.c). */
static unsigned strip(const char *list, const char *library, char *out)
{
	const char *last = NULL; /* the name before, if it was kept, */
	char *before = out;	 /* and what was written before it */
	unsigned kept = 0;

	for (const char *at = list;; at++) {
		size_t length = name_length(at);

		if (!is_library(at, length, library)) {
			before = out;
			if (kept++)
				*out++ = at[-1];
			memcpy(out, at, length);
			out += length;
			last = at;
		} else if (last && program_file_is_first_library(last)) {
			out = before;
			kept--;
			last = NULL;
		}
		at += length;
		if (!*at)
			break;
	}
	*out = 0;
	return kept;
}

size_t exec_environment_bytes(char *const *from, const char *library)
{
	size_t bytes = sizeof(char *);
	bool changes = false;

	for (; from && *from; from++) {
		bytes += sizeof(char *);
		if (begins_with(*from, PRELOAD)) {
			bytes += strlen(*from) + 1;
			changes |= strstr(*from, library) != NULL;
		}
		changes |= is_session_entry(*from);
	}
	return changes ? bytes : 0;
}

char **exec_environment_make(char *const *from, const char *library, void *room)
{
	char **made = room, **to = made, *text;
	size_t count = 1;

	while (from[count - 1])
		count++;
	text = (char *)(made + count);
	for (; *from; from++) {
		if (is_session_entry(*from))
			continue;
		*to++ = *from;
		if (!begins_with(*from, PRELOAD))
			continue;
		strcpy(text, PRELOAD);
		if (!strip(*from + strlen(PRELOAD), library, text + strlen(PRELOAD))) {
			to--;
			continue;
		}
		to[-1] = text;
		text += strlen(text) + 1;
	}
	*to = NULL;
	return made;
}
