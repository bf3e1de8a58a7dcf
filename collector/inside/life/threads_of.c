/* SPDX-License-Identifier: MIT */
#include "collector/inside/life/threads_of.h"

#include <fcntl.h>
#include <string.h>

#include "collector/kernel/syscall.h"

struct directory_entry { /* struct linux_dirent64 */
	uint64_t inode;
	int64_t offset;
	uint16_t bytes;
	uint8_t type;
	char name[];
};

static uint32_t parse_number(const char *text)
{
	uint32_t n = 0;

	while (*text >= '0' && *text <= '9')
		n = n * 10 + (uint32_t)(*text++ - '0');
	return n;
}

static char *put(char *at, const char *text)
{
	strcpy(at, text);
	return at + strlen(at);
}

static char *put_number(char *at, uint32_t n)
{
	char digits[12];
	unsigned i = sizeof(digits) - 1;

	digits[i] = 0;
	do
		digits[--i] = (char)('0' + n % 10);
	while (n /= 10);
	return put(at, digits + i);
}

void threads_of_path(char path[THREADS_OF_PATH], uint32_t pid, uint32_t tid, const char *name)
{
	char *at = put(path, "/proc/");

	at = pid ? put_number(at, pid) : put(at, "self");
	at = put(at, "/task");
	if (!tid)
		return;
	at = put_number(put(at, "/"), tid);
	put(put(at, "/"), name);
}

void threads_of_process(uint32_t pid, void (*each)(uint32_t tid, void *context), void *context)
{
	char path[THREADS_OF_PATH];
	uint8_t bytes[4096] __attribute__((aligned(8))) = {0};
	long fd, got;

	threads_of_path(path, pid, 0, "");
	fd = syscall_3(SYS_openat, (uint64_t)AT_FDCWD, (uintptr_t)path,
		       O_RDONLY | O_DIRECTORY | O_CLOEXEC);
	if (fd < 0)
		return;
	while ((got = syscall_3(SYS_getdents64, (uint64_t)fd, (uintptr_t)bytes, sizeof(bytes))) > 0)
		for (long at = 0; at < got;) {
			const struct directory_entry *d = (const void *)(bytes + at);
			uint32_t tid = parse_number(d->name);

			if (tid)
				each(tid, context);
			at += d->bytes;
		}
	syscall_3(SYS_close, (uint64_t)fd, 0, 0);
}
