/* SPDX-License-Identifier: MIT */
/*
 * Which pages of this process are in memory, where not the kernel but a program brings those that
 * are not (userfaultfd(2), FUSE).
 *
 * Look-ahead is ahead of the program: in its copy a lock is released that the program still holds.
 * If it then read a page that a thread brings which waits for this lock, both would wait for ever.
 * What is there is read without a fault. Nothing is asked of the kernel before the process has
 * begun to serve faults, or has mapped a file that is served by whomever; the children of its forks
 * have its answer.
 */
#pragma once

#include <linux/userfaultfd.h>
#include <sys/ioctl.h>

#include "base/atomics.h"
#include "collector/kernel/served_file.h"
#include "collector/kernel/syscall.h"

/* of /dev/userfaultfd; not in Debian 12's headers */
#define OWN_PAGES_CALL_NEW ((uint64_t)_IO(UFFDIO, 0))

struct own_pages {
	uint32_t served; /* atomic; stays once it is 1 */
	struct served_file_mounts mounts;
};

/* The program is about to make the system call @number: is it one that begins to serve? Descriptors
 * for that have two sources, and are of use only after UFFDIO_API. What is missed: one from an
 * instruction of the program's own, that is sent to another process, which makes UFFDIO_API. */
static inline void own_pages_before(struct own_pages *o, long number, uint64_t second)
{
	/* read by handlers of all threads: the first fault that is served comes later */
	if (number == SYS_userfaultfd || (number == SYS_ioctl && (second == (uint64_t)UFFDIO_API ||
								  second == OWN_PAGES_CALL_NEW)))
		atomic_write_release(&o->served, 1);
}

/* It is about to map the file @fd. */
static inline void own_pages_before_mapping(struct own_pages *o, int fd)
{
	if (!atomic_read_relaxed(&o->served) && served_file_is(&o->mounts, fd))
		atomic_write_release(&o->served, 1);
}
