/* SPDX-License-Identifier: MIT */
#include "collector/shared/control_page.h"

#include <errno.h>
#include <fcntl.h>
#include <stdio.h>
#include <sys/mman.h>
#include <sys/stat.h>

#include "collector/engine/load_times.h"
#include "collector/engine/site_values.h"
#include "collector/engine/trace.h"
#include "collector/engine/memory_reader.h"
#include "collector/kernel/syscall.h"

/* Buffers that no option asks for. */
#define CHUNK_BYTES_MOST (64u << 20)
#define CHUNKS_MOST	 (1u << 20)

/* What this collector can do. */
static bool are_possible(const struct session_options *o)
{
	return o->depth && o->depth <= TRACE_DEPTH_MAX && o->depth_most <= TRACE_DEPTH_MAX &&
	       o->stack && o->stack <= PERFDATA_SAMPLE_BRANCHES_MAX && o->lookahead <= CORE_OFF &&
	       o->memory <= MEMORY_READV && o->rates < RATES_COUNT &&
	       o->values <= SITE_VALUES_MOST && o->times <= LOAD_TIMES_MOST &&
	       o->stack_copy <= PERFDATA_STACK_BYTES_MAX && !(o->stack_copy % 8) &&
	       o->chunk_bytes >= sizeof(struct chunk_header) +
					 perfdata_trace_bytes(o->stack, session_is_tagged(o)) &&
	       o->chunk_bytes >= sizeof(struct chunk_header) + session_stack_record_bytes(o) &&
	       o->chunk_bytes <= CHUNK_BYTES_MOST && !(o->chunk_bytes % SESSION_PAGE) &&
	       o->chunk_count && o->chunk_count <= CHUNKS_MOST;
}

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
	syscall_3(SYS_close, (uint64_t)fd, 0, 0);
	return rc;
}

int control_page_map(const char *directory, struct session_control **control,
		     struct session_options *options)
{
	struct session_control *page;
	char path[256];
	long rc;

	snprintf(path, sizeof(path), "%s/control", directory);
	rc = syscall_3(SYS_openat, (uint64_t)AT_FDCWD, (uintptr_t)path,
		       O_RDONLY | O_CLOEXEC | O_NOFOLLOW | O_NONBLOCK);
	if (rc >= 0)
		rc = map_page(rc);
	if (rc < 0 && rc > -4096)
		return (int)rc;
	page = (void *)rc;
	*options = page->options;
	if (page->magic == SESSION_MAGIC && are_possible(options)) {
		*control = page;
		return 0;
	}
	syscall_3(SYS_munmap, (uintptr_t)page, SESSION_PAGE, 0);
	return -EPROTO;
}
