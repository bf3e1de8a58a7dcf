/* SPDX-License-Identifier: MIT */
/* How a command can be recorded, if it can. */
#include "collector/recorder/command.h"

#include <errno.h>
#include <fcntl.h>
#include <limits.h>
#include <signal.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <sys/xattr.h>
#include <unistd.h>

#include "base/error.h"
#include "base/file.h"
#include "collector/kernel/task_status.h"

#define PATH_BYTES 4096

int command_find(const char *command, char *path, size_t bytes)
{
	const char *search = getenv("PATH"), *end;
	int why = ENOENT;

	if (strchr(command, '/')) {
		snprintf(path, bytes, "%s", command);
		return access(path, F_OK);
	}
	for (search = search ? search : "/usr/bin:/bin"; *search; search = *end ? end + 1 : end) {
		end = strchrnul(search, ':');
		snprintf(path, bytes, "%.*s/%s", (int)(end - search), search, command);
		if (!access(path, X_OK))
			return 0;
		if (errno != ENOENT && errno != ENOTDIR)
			why = errno;
	}
	errno = why;
	return -1;
}

/* The interpreter of a script ("#!"), into @path; false if it is none. It is not looked for in
 * PATH. */
static bool script_interpreter(const struct program_file *f, char *path)
{
	snprintf(path, PATH_BYTES, "%s%s", strchr(f->script, '/') ? "" : "./", f->script);
	return f->script[0] != 0;
}

/* 0, or the errno that exec(2) would fail with for @command itself. */
static int find_executable(const char *command, char *path, struct stat *st)
{
	if (command_find(command, path, PATH_BYTES) || stat(path, st) || access(path, X_OK))
		return errno ?: ENOENT;
	return S_ISDIR(st->st_mode) ? EACCES : 0;
}

/* The dynamic linker ignores LD_PRELOAD for it. */
static bool is_privileged(const char *path, const struct stat *st)
{
	char value[64];

	return (st->st_mode & S_ISUID && st->st_uid != geteuid()) ||
	       (st->st_mode & S_ISGID && st->st_gid != getegid()) ||
	       (geteuid() != 0 && getxattr(path, "security.capability", value, sizeof(value)) > 0);
}

/* @scripts were met before it. */
static int look(const char *command, unsigned scripts, struct command_way *out)
{
	char interpreter[PATH_BYTES];
	struct softlbr_error ignored = {0};
	struct executable found;
	struct file_view v;
	struct stat st;
	int why;

	*out = (struct command_way){0};
	why = find_executable(command, out->program, &st);
	if (why)
		return why;
	if (is_privileged(out->program, &st)) {
		out->reason = EXCLUSION_PRIVILEGED;
		return 0;
	}
	if (file_view_open(&v, out->program, &ignored))
		return 0;
	executable_look(&v, out->program, &found);
	file_view_close(&v);
	out->sanitizer = found.sanitizer;
	out->traces = found.traces;
	out->reason = executable_exclusion(&found);
	memcpy(out->linker, found.file.linker, sizeof(out->linker));
	if (found.file.is_elf || !script_interpreter(&found.file, interpreter))
		return 0;
	return scripts == PROGRAM_FILE_SCRIPTS_MOST ? ELOOP : look(interpreter, scripts + 1, out);
}

int command_look(const char *command, struct command_way *out)
{
	return look(command, 0, out);
}

void command_ask_libc(struct command_way *way, const char *library)
{
	char path[PATH_MAX];
	unsigned has;

	if (!way->linker[0] || (way->reason && way->reason != EXCLUSION_LIBC) ||
	    !realpath(way->linker, path))
		return;
	way->reason = executable_glibc(path) ? EXCLUSION_NONE : EXCLUSION_LIBC;
	if (way->reason || !program_file_libc_beside(path, sizeof(path)))
		return;
	has = executable_glibc(path);
	if (has && has < executable_glibc(library))
		way->reason = EXCLUSION_OLD_LIBC;
}

/* What can't be recorded at all, from inside or from outside. */
int command_check(const struct command_way *way, struct softlbr_error *e)
{
	switch (way->reason) {
	case EXCLUSION_32_BIT:
		return error_set(
			e, SOFTLBR_E_SYSTEM, way->program,
			"%s is a 32-bit program: softlbr records 64-bit code only; build it for "
			"x86-64 (-m64), or record it on a CPU with branch records by perf record "
			"-b, which softlbr convert reads",
			way->program);
	case EXCLUSION_MACHINE:
		return error_set(
			e, SOFTLBR_E_SYSTEM, way->program,
			"%s is for another processor, so that an emulator runs it: record it on a "
			"machine of its own",
			way->program);
	case EXCLUSION_PRIVILEGED: /* traced by root, exec(2) gives it its privilege */
		if (geteuid() == 0)
			return 0;
		return error_set(
			e, SOFTLBR_E_SYSTEM, way->program,
			"%s is setuid, setgid or has file capabilities: the dynamic linker ignores "
			"LD_PRELOAD for it, and traced by you it would run without its privilege; "
			"record it as root, as the user it runs as, or a copy of it without the "
			"privilege",
			way->program);
	default:
		return 0;
	}
}

const char *command_reason(const struct command_way *way, char text[COMMAND_REASON_BYTES])
{
	const char *reason = exclusion_text(way->reason);

	/* "is statically linked", "has a Go runtime"; but "its libc is not glibc" */
	snprintf(text, COMMAND_REASON_BYTES, "%s%s", strncmp(reason, "it ", 3) ? ": " : " ",
		 strncmp(reason, "it ", 3) ? reason : reason + 3);
	return text;
}

int command_refuse_leaks(const char *name, struct softlbr_error *e)
{
	return error_set(
		e, SOFTLBR_E_SYSTEM, name,
		"%s looks for leaks at its end (LeakSanitizer, a part of AddressSanitizer), which "
		"fails under ptrace and would take its output and status: record it from inside, by "
		"record without --ptrace or -p, or set ASAN_OPTIONS=detect_leaks=0 "
		"(LSAN_OPTIONS with -fsanitize=leak)",
		name);
}

int command_check_process(int pid, struct softlbr_error *e)
{
	struct executable found;
	struct command_way way = {0};
	char file[32];

	executable_look_at_process(pid, &found);
	snprintf(way.program, sizeof(way.program), "process %d", pid);
	way.reason = program_file_exclusion(&found.file);
	snprintf(file, sizeof(file), "/proc/%d/exe", pid);
	if (executable_finds_leaks(file, pid))
		return command_refuse_leaks(way.program, e);
	return command_check(&way, e);
}

int command_signal(int pid, int number)
{
	struct task_status status = {0};

	if (number == SIGINT)
		task_status_of((uint32_t)pid, &status);
	return status.ignored >> (SIGINT - 1) & 1 ? SIGTERM : number;
}
