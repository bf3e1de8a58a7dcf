/* SPDX-License-Identifier: MIT */
#include "collector/inside/process_file.h"

#include <errno.h>
#include <fcntl.h>
#include <stdio.h>
#include <sys/mman.h>
#include <sys/resource.h>

#include "base/atomics.h"
#include "collector/inside/handler_state.h"
#include "collector/session/syscall.h"

/* What a thread fills and what waits to be read; how many are made at once. */
#define CHUNKS_PER_THREAD 2u
#define CHUNKS_STEP	  64u
/* The first ones, as clearing memory is most of what joining costs; the recorder sees when they
 * become scarce (journal.c: allocate_chunks). */
#define CHUNKS_FIRST 32u

static void file_path(const struct process *p, char path[256])
{
	snprintf(path, 256, "%s/%u.%u", p->directory, p->pid, p->file_number);
}

/* The program's limit of file sizes (ulimit -f): what goes beyond it ends the program by SIGXFSZ.
 */
static uint64_t most_file_bytes(void)
{
	struct rlimit limit;

	return syscall_3(SYS_getrlimit, RLIMIT_FSIZE, (uintptr_t)&limit, 0) ? UINT64_MAX
									    : limit.rlim_cur;
}

/* As many buffers as there is room for. */
static uint32_t fitting_chunks(const struct session_options *o)
{
	uint64_t most = most_file_bytes();

	if (most >= session_file_bytes(o->chunk_bytes, o->chunk_count))
		return o->chunk_count;
	return most < SESSION_PAGE ? 0 : (uint32_t)((most - SESSION_PAGE) / o->chunk_bytes);
}

/* Make the file @bytes long, and map it from @from on; up to @memory_bytes no page can be missing
 * later. */
static int extend(struct process *p, long fd, size_t from, size_t bytes, size_t memory_bytes)
{
	long rc = bytes > most_file_bytes()
			  ? -EFBIG
			  : syscall_6(SYS_fallocate, (uint64_t)fd, 0, 0, memory_bytes, 0, 0);

	if (!rc && memory_bytes < bytes)
		rc = syscall_3(SYS_ftruncate, (uint64_t)fd, bytes, 0);
	if (!rc)
		rc = syscall_6(SYS_mmap, (uintptr_t)p->file.header + from, bytes - from,
			       PROT_READ | PROT_WRITE, MAP_SHARED | MAP_FIXED, (uint64_t)fd, from);
	return rc < 0 && rc > -4096 ? (int)rc : 0;
}

/* Addresses for the file as long as it may become. */
static int reserve(struct process *p)
{
	uint32_t most = PROCESS_THREADS_MAX * CHUNKS_PER_THREAD;
	long place;

	if (most < p->options.chunk_count)
		most = p->options.chunk_count;
	p->file.bytes = session_file_bytes(p->options.chunk_bytes, most);
	place = syscall_6(SYS_mmap, 0, p->file.bytes, PROT_NONE,
			  MAP_PRIVATE | MAP_ANONYMOUS | MAP_NORESERVE, (uint64_t)-1, 0);
	if (place < 0 && place > -4096)
		return -ENOMEM;
	p->file.header = (void *)place;
	return 0;
}

void process_file_forget(struct process *p)
{
	if (p->file.header)
		syscall_3(SYS_munmap, (uintptr_t)p->file.header, p->file.bytes, 0);
	p->file.header = NULL;
}

int process_file_make(struct process *p)
{
	uint32_t most = fitting_chunks(&p->options),
		 first = most < CHUNKS_FIRST ? most : CHUNKS_FIRST;
	char path[256];
	long fd = -EEXIST;
	int rc;

	if (!most)
		return -EFBIG;
	for (p->file_number = 0; p->file_number < 1000; p->file_number++) {
		file_path(p, path);
		fd = syscall_6(SYS_openat, (uint64_t)AT_FDCWD, (uintptr_t)path,
			       O_RDWR | O_CREAT | O_EXCL | O_CLOEXEC, 0600, 0, 0);
		if (fd != -EEXIST)
			break;
	}
	if (fd < 0)
		return (int)fd;
	rc = reserve(p);
	if (!rc)
		rc = extend(p, fd, 0, session_file_bytes(p->options.chunk_bytes, most),
			    session_file_bytes(p->options.chunk_bytes, first));
	syscall_3(SYS_close, (uint64_t)fd, 0, 0);
	if (rc) {
		syscall_3(SYS_unlink, (uintptr_t)path, 0, 0);
		process_file_forget(p);
		return rc;
	}
	p->file.header->pid = p->pid;
	p->file.header->chunk_bytes = p->options.chunk_bytes;
	p->file.header->chunk_count = first;
	p->file.header->handler_state = (uintptr_t)&handler_state;
	session_costs_copy(&p->file.header->costs, &p->control->costs);
	/* acquired by the recorder when it meets the file (journal.c: adopt_file) */
	atomic_write_release(&p->file.header->magic, SESSION_MAGIC);
	return 0;
}

void process_file_fit(struct process *p)
{
	uint32_t count = atomic_read_relaxed(&p->file.header->chunk_count);
	uint32_t wanted = atomic_read_relaxed(&p->slots_used) * CHUNKS_PER_THREAD;
	char path[256];
	size_t bytes;
	long fd;

	if (wanted <= count || !atomic_swap_if(&p->growing, 0, 1))
		return;
	count = p->file.header->chunk_count;
	wanted = (wanted + CHUNKS_STEP - 1) / CHUNKS_STEP * CHUNKS_STEP;
	file_path(p, path);
	fd = syscall_3(SYS_openat, (uint64_t)AT_FDCWD, (uintptr_t)path, O_RDWR | O_CLOEXEC);
	bytes = session_file_bytes(p->options.chunk_bytes, wanted);
	if (fd >= 0 && wanted > count && bytes <= p->file.bytes &&
	    !extend(p, fd, session_file_bytes(p->options.chunk_bytes, count), bytes, bytes))
		session_raise_chunks(p->file.header, wanted);
	if (fd >= 0)
		syscall_3(SYS_close, (uint64_t)fd, 0, 0);
	atomic_write_release(&p->growing, 0);
}
