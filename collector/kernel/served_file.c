/* SPDX-License-Identifier: MIT */
/* Format: proc_pid_mountinfo(5). */
#include "collector/kernel/served_file.h"

#include <fcntl.h>
#include <string.h>
#include <sys/stat.h>

#include "base/atomics.h"
#include "collector/kernel/syscall.h"
#include "collector/kernel/task_status.h"

/* newer than Debian 12's headers: Linux 6.8 */
#ifndef STATX_MNT_ID_UNIQUE
#define STATX_MNT_ID_UNIQUE 0x4000u
#endif

#define BLOCK_BYTES 512u /* of the stack of whoever maps a file */
#define FIELD_BYTES 24u	 /* as much of a field as is of interest */

enum kind {
	KIND_UNKNOWN, /* on no list */
	KIND_OTHER,
	KIND_SERVED,
};

/* MOUNT PARENT MAJOR:MINOR ROOT PLACE OPTIONS [TAG...] - TYPE SOURCE OPTIONS. Blanks in paths are
 * escaped, and these begin with a slash. */
struct search {
	char mount[FIELD_BYTES];  /* the first field that is looked for, or "" */
	char device[FIELD_BYTES]; /* the third, or "" */
	enum kind kind;
	char field[FIELD_BYTES];
	unsigned length, number;
	bool matches, type_follows;
};

static void end_of_field(struct search *s)
{
	s->field[s->length < FIELD_BYTES ? s->length : FIELD_BYTES - 1] = 0;
	if (s->number == 0)
		s->matches = !strcmp(s->field, s->mount);
	else if (s->number == 2)
		s->matches |= !strcmp(s->field, s->device);
	else if (s->type_follows && s->matches)
		s->kind = strncmp(s->field, "fuse", 4) ? KIND_OTHER : KIND_SERVED;
	s->type_follows = !s->type_follows && s->number > 5 && !strcmp(s->field, "-");
	s->number++;
	s->length = 0;
}

static void take_block(struct search *s, const char *block, size_t bytes)
{
	for (size_t i = 0; i < bytes && !s->kind; i++) {
		if (block[i] == ' ' || block[i] == '\n')
			end_of_field(s);
		else if (s->length++ < FIELD_BYTES - 1)
			s->field[s->length - 1] = block[i];
		if (block[i] == '\n') {
			s->number = 0;
			s->matches = s->type_follows = false;
		}
	}
}

static enum kind find_mount(struct search *s, const char *path)
{
	long fd = syscall_open(path, O_RDONLY);
	char block[BLOCK_BYTES];
	long got;

	if (fd < 0)
		return KIND_UNKNOWN;
	while (!s->kind && (got = syscall_read(fd, block, sizeof(block))) > 0)
		take_block(s, block, (size_t)got);
	syscall_close(fd);
	return s->kind;
}

static void print_device(char *out, uint32_t major, uint32_t minor)
{
	out = task_path_number(out, major);
	*out = ':';
	task_path_number(out + 1, minor);
}

/* AT_STATX_DONT_SYNC: what the kernel knows, without asking the file system. */
static bool ask(int fd, unsigned mask, struct statx *out)
{
	return !syscall_6(SYS_statx, (uint64_t)fd, (uintptr_t) "",
			  AT_EMPTY_PATH | AT_STATX_DONT_SYNC, mask, (uintptr_t)out, 0);
}

/* Memory without a file is on no list of mounts. */
static bool is_memory(int fd)
{
	static const char memory[] = "/memfd:";
	char link[32] = "/proc/self/fd/", path[sizeof(memory)];

	task_path_number(link + strlen(link), (uint64_t)fd);
	syscall_read_link(link, path, sizeof(path));
	return !strcmp(path, memory);
}

/* Looked for by its mount where the kernel tells it (Linux 5.8): btrfs has devices of its own.
 * Apart: the stack that this takes is needed once per mount. */
static __attribute__((noinline)) enum kind kind_of(int fd, const struct statx *st)
{
	struct search s = {.kind = KIND_UNKNOWN};
	struct statx by_mount;

	if (ask(fd, STATX_MNT_ID, &by_mount) && by_mount.stx_mask & STATX_MNT_ID)
		task_path_number(s.mount, by_mount.stx_mnt_id);
	else
		print_device(s.device, st->stx_dev_major, st->stx_dev_minor);
	return find_mount(&s, "/proc/thread-self/mountinfo");
}

static bool is_known(const struct served_file_mounts *m, uint64_t mount)
{
	for (unsigned i = 0; i < SERVED_FILE_MOUNTS; i++)
		if (atomic_read_relaxed(&m->known[i]) == mount)
			return true;
	return false;
}

bool served_file_is(struct served_file_mounts *mounts, int fd)
{
	struct statx st;
	uint64_t mount;
	enum kind kind;

	if (!ask(fd, STATX_MNT_ID_UNIQUE, &st) || !S_ISREG(st.stx_mode))
		return false;
	/* what is not unique may be another one's later */
	mount = st.stx_mask & STATX_MNT_ID_UNIQUE ? st.stx_mnt_id : 0;
	if (mount && is_known(mounts, mount))
		return false;
	kind = kind_of(fd, &st);
	if (kind == KIND_SERVED || (kind == KIND_UNKNOWN && !is_memory(fd)))
		return true;
	if (mount)
		atomic_write_relaxed(
			&mounts->known[atomic_add_relaxed(&mounts->next, 1) % SERVED_FILE_MOUNTS],
			mount);
	return false;
}

bool served_file_device(uint32_t pid, uint32_t major, uint32_t minor)
{
	struct search s = {.kind = KIND_UNKNOWN};
	char path[TASK_PATH_BYTES];

	task_path(path, pid, "mountinfo");
	print_device(s.device, major, minor);
	return find_mount(&s, path) == KIND_SERVED;
}

bool served_file_program(uint32_t pid)
{
	char path[TASK_PATH_BYTES];
	struct statx st;
	bool known;
	long fd;

	task_path(path, pid, "exe");
	fd = syscall_open(path, O_PATH);
	known = fd >= 0 && ask((int)fd, STATX_TYPE, &st);
	if (fd >= 0)
		syscall_close(fd);
	return known && served_file_device(pid, st.stx_dev_major, st.stx_dev_minor);
}
