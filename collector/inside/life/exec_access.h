/* SPDX-License-Identifier: MIT */
/* May this thread, as who it is now, use a file? */
#ifndef COLLECTOR_INSIDE_EXEC_ACCESS_H
#define COLLECTOR_INSIDE_EXEC_ACCESS_H

#include <errno.h>
#include <fcntl.h>

#include "collector/kernel/syscall.h"

/* 0 or a negative errno. faccessat2(2) is in Linux since 5.8; before, access(2) asks for the real
 * user. */
static inline long exec_access_try(const char *path, int mode)
{
	long rc = syscall_6(439 /* faccessat2 */, (uint64_t)AT_FDCWD, (uintptr_t)path,
			    (uint64_t)mode, AT_EACCESS, 0, 0);

	return rc == -ENOSYS ? syscall_3(SYS_faccessat, (uint64_t)AT_FDCWD, (uintptr_t)path,
					 (uint64_t)mode)
			     : rc;
}

#endif
