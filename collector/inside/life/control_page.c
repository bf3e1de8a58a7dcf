/* SPDX-License-Identifier: MIT */
/* The session's control page: what to record, and whether. */
#include "collector/inside/life/process_life.h"

#include <errno.h>
#include <fcntl.h>
#include <stdio.h>
#include <sys/mman.h>
#include <sys/stat.h>

#include "collector/kernel/syscall.h"
#include "collector/shared/trusted.h"

/* A session of this user, in a file that nobody waits at. */
static long check_file(long fd)
{
	struct stat st;
	long rc = syscall_3(SYS_fstat, (uint64_t)fd, (uintptr_t)&st, 0);

	if (rc)
		return rc;
	if (st.st_uid != (uid_t)syscall_3(SYS_geteuid, 0, 0, 0))
		return -EPERM;
	return S_ISREG(st.st_mode) && st.st_size >= (off_t)SESSION_PAGE ? 0 : -EPROTO;
}

static long map_page(long fd)
{
	long rc = check_file(fd);

	if (!rc)
		rc = syscall_6(SYS_mmap, 0, SESSION_PAGE, PROT_READ, MAP_SHARED, (uint64_t)fd, 0);
	syscall_close(fd);
	return rc;
}

int control_page_map(const char *directory, struct session_control **control,
		     struct session_options *options)
{
	struct session_control *page;
	char path[256];
	long rc;

	snprintf(path, sizeof(path), "%s/control", directory);
	rc = syscall_open(path, O_RDONLY | O_NOFOLLOW | O_NONBLOCK);
	if (rc >= 0)
		rc = map_page(rc);
	if (rc < 0 && rc > -4096)
		return (int)rc;
	page = (void *)rc;
	*options = page->options;
	if (page->magic == SESSION_MAGIC && trusted_options(options)) {
		*control = page;
		return 0;
	}
	syscall_unmap(page, SESSION_PAGE);
	return -EPROTO;
}
