/* SPDX-License-Identifier: MIT */
#include "collector/inside/threads_of.h"

#include <fcntl.h>

#include "collector/session/syscall.h"

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

void threads_of_self(void (*each)(uint32_t tid, void *context), void *context)
{
	uint8_t bytes[4096] __attribute__((aligned(8))) = {0};
	long fd, got;

	fd = syscall_3(SYS_openat, (uint64_t)AT_FDCWD, (uintptr_t) "/proc/self/task",
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
