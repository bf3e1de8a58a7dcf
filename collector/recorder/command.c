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
#include "collector/recorder/recorder.h"

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

int command_errno(const char *command)
{
	char path[PATH_BYTES];
	struct stat st;

	if (command_find(command, path, sizeof(path)) || stat(path, &st) || access(path, X_OK))
		return errno;
	return S_ISDIR(st.st_mode) ? EACCES : 0;
}

struct traits {
	bool interpreter; /* it loads libraries */
	bool go;	  /* it is of Go: signals on the stacks of goroutines, a few KB, do harm */
};

/* Notes: name's size, description's size, type; name and description padded to 4 bytes. */
static bool is_go_note(const uint8_t *bytes, size_t size)
{
	uint32_t head[3];

	while (size >= sizeof(head) + 4) {
		size_t whole;

		memcpy(head, bytes, sizeof(head));
		if (head[0] == 4 && !memcmp(bytes + sizeof(head), "Go\0", 4))
			return true;
		whole = sizeof(head) + (((size_t)head[0] + 3) & ~(size_t)3) +
			(((size_t)head[1] + 3) & ~(size_t)3);
		if (whole > size)
			break;
		bytes += whole;
		size -= whole;
	}
	return false;
}

static struct traits traits_of(const struct file_view *v)
{
	const Elf64_Ehdr *elf = (const void *)v->data;
	struct traits found = {0};

	for (unsigned i = 0; i < elf->e_phnum; i++) {
		uint64_t at = elf->e_phoff + (uint64_t)i * sizeof(Elf64_Phdr);
		Elf64_Phdr segment;

		if (at > v->size || v->size - at < sizeof(segment))
			return (struct traits){
				.interpreter = true}; /* damaged: let exec(2) judge */
		memcpy(&segment, v->data + at, sizeof(segment));
		found.interpreter |= segment.p_type == PT_INTERP;
		if (segment.p_type == PT_NOTE && segment.p_offset <= v->size &&
		    segment.p_filesz <= v->size - segment.p_offset)
			found.go |= is_go_note(v->data + segment.p_offset, segment.p_filesz);
	}
	return found;
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

int command_check(const char *command, enum recorder_way *way, struct sanitizer *sanitizer,
		  struct softlbr_error *e)
{
	char path[PATH_BYTES], interpreter[PATH_BYTES];
	struct softlbr_error ignored = {0};
	struct file_view v;
	int rc = 0;

	*way = RECORDER_PRELOAD;
	*sanitizer = (struct sanitizer){0};
	if (command_find(command, path, sizeof(path)))
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
		rc = strcmp(interpreter, path) ? command_check(interpreter, way, sanitizer, e) : 0;
	else if (v.size >= sizeof(Elf64_Ehdr) && !memcmp(v.data, ELFMAG, SELFMAG)) {
		struct traits found = traits_of(&v);

		sanitizer_find(&v, sanitizer);
		if (!found.interpreter || found.go || sanitizer->from_outside)
			*way = RECORDER_ATTACH;
	}
	file_view_close(&v);
	return rc;
}
