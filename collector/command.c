/* SPDX-License-Identifier: MIT */
/* Whether a command can be profiled by preloading. */
#include <elf.h>
#include <errno.h>
#include <fcntl.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <sys/xattr.h>
#include <unistd.h>

#include "base/error.h"
#include "base/file.h"
#include "collector/recorder.h"

#define PATH_BYTES 4096

/* The file that execvp would run; 0 or -1 with errno. */
static int find_program(const char *command, char *path)
{
	const char *search = getenv("PATH"), *end;
	int why = ENOENT;

	if (strchr(command, '/')) {
		snprintf(path, PATH_BYTES, "%s", command);
		return access(path, F_OK);
	}
	for (search = search ? search : "/usr/bin:/bin"; *search; search = *end ? end + 1 : end) {
		end = strchrnul(search, ':');
		snprintf(path, PATH_BYTES, "%.*s/%s", (int)(end - search), search, command);
		if (!access(path, X_OK))
			return 0;
		if (errno != ENOENT && errno != ENOTDIR)
			why = errno;
	}
	errno = why;
	return -1;
}

static bool has_interpreter(const struct file_view *v)
{
	const Elf64_Ehdr *elf = (const void *)v->data;

	for (unsigned i = 0; i < elf->e_phnum; i++) {
		uint64_t at = elf->e_phoff + (uint64_t)i * sizeof(Elf64_Phdr);
		Elf64_Phdr segment;

		if (at > v->size || v->size - at < sizeof(segment))
			return true; /* a damaged file: let exec(2) judge */
		memcpy(&segment, v->data + at, sizeof(segment));
		if (segment.p_type == PT_INTERP)
			return true;
	}
	return false;
}

/* The interpreter of a script ("#!"), into @path; false if it is none. */
static bool script_interpreter(const struct file_view *v, char *path)
{
	size_t begin = 2, end;

	if (v->size < 3 || memcmp(v->data, "#!", 2))
		return false;
	while (begin < v->size && (v->data[begin] == ' ' || v->data[begin] == '\t'))
		begin++;
	for (end = begin; end < v->size && end - begin < PATH_BYTES - 1; end++)
		if (strchr(" \t\n", v->data[end]))
			break;
	memcpy(path, v->data + begin, end - begin);
	path[end - begin] = 0;
	return true;
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

int recorder_check_command(const char *command, enum recorder_way *way, struct softlbr_error *e)
{
	char path[PATH_BYTES], interpreter[PATH_BYTES];
	struct softlbr_error ignored = {0};
	struct file_view v;
	int rc = 0;

	*way = RECORDER_PRELOAD;
	if (find_program(command, path))
		return 0; /* exec(2) will say so */
	if (is_privileged(path)) {
		*way = RECORDER_ATTACH;
		/* traced by anyone else, exec(2) does not give it its privilege */
		return geteuid() == 0
			       ? 0
			       : error_set(
					 e, SOFTLBR_E_SYSTEM, path,
					 "%s is setuid, setgid or has file capabilities: the "
					 "dynamic linker ignores LD_PRELOAD for it, and traced by "
					 "you it would run without its privilege; record it as "
					 "root, as the user it runs as, or a copy of it without "
					 "the privilege",
					 path);
	}
	if (file_view_open(&v, path, &ignored))
		return 0;
	if (script_interpreter(&v, interpreter))
		rc = strcmp(interpreter, path) ? recorder_check_command(interpreter, way, e) : 0;
	else if (v.size >= sizeof(Elf64_Ehdr) && !memcmp(v.data, ELFMAG, SELFMAG) &&
		 !has_interpreter(&v))
		*way = RECORDER_ATTACH;
	file_view_close(&v);
	return rc;
}
