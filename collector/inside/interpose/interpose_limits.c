/* SPDX-License-Identifier: MIT */
/* The calls by which a program limits what it may get: as in libc, which makes one system call of
 * them all. */
#include <errno.h>
#include <stddef.h>
#include <stdint.h>
#include <sys/mman.h>
#include <sys/resource.h>
#include <sys/types.h>

#include "collector/inside/life/confinement.h"
#include "collector/inside/interpose/interposed.h"
#include "collector/kernel/syscall.h"

static int result(long rc)
{
	if (rc >= 0)
		return (int)rc;
	errno = (int)-rc;
	return -1;
}

static int exchange(pid_t pid, unsigned resource, const void *limit, void *before)
{
	const uint64_t arguments[6] = {(uint64_t)pid, resource, (uintptr_t)limit,
				       (uintptr_t)before};

	confinement_before(SYS_prlimit64, arguments);
	return result(syscall_6(SYS_prlimit64, arguments[0], arguments[1], arguments[2],
				arguments[3], 0, 0));
}

EXPORT int setrlimit(__rlimit_resource_t resource, const struct rlimit *limit)
{
	return exchange(0, resource, limit, NULL);
}

EXPORT int setrlimit64(__rlimit_resource_t resource, const struct rlimit64 *limit)
{
	return exchange(0, resource, limit, NULL);
}

EXPORT int prlimit(pid_t pid, enum __rlimit_resource resource, const struct rlimit *limit,
		   struct rlimit *before)
{
	return exchange(pid, resource, limit, before);
}

EXPORT int prlimit64(pid_t pid, enum __rlimit_resource resource, const struct rlimit64 *limit,
		     struct rlimit64 *before)
{
	return exchange(pid, resource, limit, before);
}

/* Its limit counts all that is mapped, ours too. */
EXPORT int mlockall(int flags)
{
	const uint64_t arguments[6] = {(uint64_t)flags};
	long rc;

	confinement_before(SYS_mlockall, arguments);
	rc = syscall_3(SYS_mlockall, arguments[0], 0, 0);
	if (rc >= 0)
		confinement_after(SYS_mlockall, arguments);
	return result(rc);
}
