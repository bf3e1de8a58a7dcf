/* SPDX-License-Identifier: MIT */
/* move_pages(2) tells where a page is without bringing it. mincore(2) can't tell: a page that a
 * file has in memory may still be for the program to serve (UFFDIO_REGISTER_MODE_MINOR). */
#include "collector/inside/own_pages.h"

#include <linux/userfaultfd.h>
#include <sys/ioctl.h>

#include "base/atomics.h"
#include "collector/engine/memory_reader.h"
#include "collector/kernel/syscall.h"

/* of /dev/userfaultfd; not in Debian 12's headers */
#define CALL_NEW ((uint64_t)_IO(UFFDIO, 0))

/* Its descriptors have two sources, and are of use only after UFFDIO_API. What is missed: one from
 * an instruction of the program's own, that is sent to another process, which makes UFFDIO_API. */
static bool begins(long number, uint64_t second)
{
	return number == SYS_userfaultfd ||
	       (number == SYS_ioctl && (second == (uint64_t)UFFDIO_API || second == CALL_NEW));
}

void own_pages_before(struct own_pages *o, long number, uint64_t second)
{
	/* read by handlers of all threads: the first fault that is served comes later */
	if (begins(number, second))
		atomic_write_release(&o->served, 1);
}

void own_pages_before_mapping(struct own_pages *o, int fd)
{
	if (!atomic_read_relaxed(&o->served) && served_file_is(&o->mounts, fd))
		atomic_write_release(&o->served, 1);
}

bool own_pages_are_there(void *own_pages, uint64_t number)
{
	struct own_pages *o = own_pages;
	uint64_t page = number * MEMORY_PAGE;
	int node = -1;

	if (!atomic_read_acquire(&o->served))
		return true;
	return !syscall_6(SYS_move_pages, 0, 1, (uintptr_t)&page, 0, (uintptr_t)&node, 0) &&
	       node >= 0;
}
