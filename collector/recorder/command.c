/* SPDX-License-Identifier: MIT */
/* How a command can be recorded, if it can. */
#include "collector/recorder/command.h"

#include <errno.h>
#include <fcntl.h>
#include <signal.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <sys/xattr.h>
#include <unistd.h>

#include "base/error.h"
#include "base/file.h"
#include "collector/recorder/executable.h"

#define PATH_BYTES 4096
/* Scripts whose interpreter is a script: the kernel goes no further. */
#define SCRIPTS_MOST 5

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

/* The interpreter of a script ("#!"), into @path; false if it is none. */
static bool script_interpreter(const struct file_view *v, char *path)
{
	const char *here;
	size_t begin = 2, end;

	if (v->size < 3 || memcmp(v->data, "#!", 2))
		return false;
	while (begin < v->size && (v->data[begin] == ' ' || v->data[begin] == '\t'))
		begin++;
	for (end = begin; end < v->size && end - begin < PATH_BYTES - 3; end++)
		if (strchr(" \t\n", v->data[end]))
			break;
	/* it is not looked for in PATH */
	here = memchr(v->data + begin, '/', end - begin) ? "" : "./";
	snprintf(path, PATH_BYTES, "%s%.*s", here, (int)(end - begin), v->data + begin);
	return end > begin;
}

/* 0, or the errno that exec(2) would fail with for @command itself. */
static int find_executable(const char *command, char *path)
{
	struct stat st;

	if (command_find(command, path, PATH_BYTES) || stat(path, &st) || access(path, X_OK))
		return errno;
	return S_ISDIR(st.st_mode) ? EACCES : 0;
}

int command_errno(const char *command)
{
	char path[PATH_BYTES], interpreter[PATH_BYTES];
	struct softlbr_error ignored = {0};
	int why = find_executable(command, path);
	bool script = true;

	for (unsigned scripts = 0; !why && script; scripts++) {
		struct file_view v;

		if (file_view_open(&v, path, &ignored))
			return 0;
		script = script_interpreter(&v, interpreter);
		file_view_close(&v);
		if (script)
			why = scripts == SCRIPTS_MOST ? ELOOP : find_executable(interpreter, path);
	}
	return why;
}

/* The dynamic linker ignores LD_PRELOAD for it. */
static bool is_privileged(const char *path)
{
	struct stat st;
	char value[64];

	return !stat(path, &st) && ((st.st_mode & S_ISUID && st.st_uid != geteuid()) ||
				    (st.st_mode & S_ISGID && st.st_gid != getegid()) ||
				    (geteuid() != 0 && getxattr(path, "security.capability", value,
								sizeof(value)) > 0));
}

/* Traced by anyone else but root, exec(2) does not give it its privilege. */
static int check_privileged(const char *path, struct command_way *out, struct softlbr_error *e)
{
	*out = (struct command_way){.outside = true,
				    .why = "is setuid, setgid or has file capabilities"};
	return geteuid() == 0 ? 0
			      : error_set(e, SOFTLBR_E_SYSTEM, path,
					  "%s is setuid, setgid or has file capabilities: the "
					  "dynamic linker ignores LD_PRELOAD for it, and traced by "
					  "you it would run without its privilege; record it as "
					  "root, as the user it runs as, or a copy of it without "
					  "the privilege",
					  path);
}

static int refuse_32_bit(const char *what, struct softlbr_error *e)
{
	return error_set(e, SOFTLBR_E_SYSTEM, what,
			 "%s is a 32-bit program: softlbr records 64-bit code only; build it for "
			 "x86-64 (-m64), or record it on a CPU with branch records by perf record "
			 "-b, which softlbr convert reads",
			 what);
}

static int check_executable(const char *path, const struct executable *x, struct command_way *out,
			    struct softlbr_error *e)
{
	if (x->is_32_bit)
		return refuse_32_bit(path, e);
	out->sanitizer = x->sanitizer;
	out->why = x->is_go		       ? "is a Go program"
		   : !x->has_interpreter       ? "is statically linked"
		   : x->sanitizer.from_outside ? "is built with clang's ThreadSanitizer"
					       : NULL;
	out->outside = out->why != NULL;
	return 0;
}

/* @scripts were met before it. */
static int check(const char *command, unsigned scripts, struct command_way *out,
		 struct softlbr_error *e)
{
	char path[PATH_BYTES], interpreter[PATH_BYTES];
	struct softlbr_error ignored = {0};
	struct executable found;
	struct file_view v;
	int rc = 0;

	*out = (struct command_way){0};
	if (command_find(command, path, sizeof(path)))
		return 0; /* exec(2) will say so */
	if (is_privileged(path))
		return check_privileged(path, out, e);
	if (file_view_open(&v, path, &ignored))
		return 0;
	executable_look(&v, &found);
	if (found.is_elf)
		rc = check_executable(path, &found, out, e);
	else if (scripts < SCRIPTS_MOST && script_interpreter(&v, interpreter))
		rc = check(interpreter, scripts + 1, out, e);
	file_view_close(&v);
	return rc;
}

int command_check(const char *command, struct command_way *out, struct softlbr_error *e)
{
	return check(command, 0, out, e);
}

int command_check_process(int pid, struct softlbr_error *e)
{
	struct executable found;
	char what[32];

	executable_look_at_process(pid, &found);
	snprintf(what, sizeof(what), "process %d", pid);
	return found.is_32_bit ? refuse_32_bit(what, e) : 0;
}

int command_signal(int pid, int number)
{
	unsigned long long ignored = 0;
	char path[32], line[256];
	FILE *f;

	snprintf(path, sizeof(path), "/proc/%d/status", pid);
	f = number == SIGINT ? fopen(path, "re") : NULL;
	while (f && fgets(line, sizeof(line), f))
		sscanf(line, "SigIgn: %llx", &ignored);
	if (f)
		fclose(f);
	return ignored >> (SIGINT - 1) & 1 ? SIGTERM : number;
}
