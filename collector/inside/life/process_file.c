/* SPDX-License-Identifier: MIT */
/* A profiled process's file: its header, and the chunks that its threads fill; and the session's
 * control page. */
#include "collector/inside/life/process_life.h"

#include <errno.h>
#include <fcntl.h>
#include <stdio.h>
#include <string.h>
#include <sys/mman.h>
#include <sys/resource.h>
#include <sys/stat.h>

#include "base/atomics.h"
#include "collector/inside/handler/handler_state.h"
#include "collector/kernel/syscall.h"
#include "collector/kernel/task_status.h"
#include "collector/shared/trusted.h"

/* What a thread fills and what waits to be read. */
#define CHUNKS_PER_THREAD 2u
/* The first ones where chunks can't get memory as they are needed (buffer.h). The recorder sees
 * when they become scarce (process_buffer.c: give_chunks). */
#define CHUNKS_FIRST 32u

/* Without snprintf: what it takes of libc, each fork's child would have to map first. */
static void file_path(const struct process *p, char path[256])
{
	char *at = path + strlen(strcpy(path, p->directory));

	*at++ = '/';
	at = task_path_number(at, p->pid);
	*at++ = '.';
	task_path_number(at, p->file_number);
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

/* So much has memory: no page of it can be missing later. */
static int allocate(long fd, size_t bytes)
{
	return bytes > most_file_bytes()
		       ? -EFBIG
		       : (int)syscall_6(SYS_fallocate, (uint64_t)fd, 0, 0, bytes, 0, 0);
}

static void *map_file(long fd, size_t from, size_t bytes)
{
	return syscall_map(bytes, PROT_READ | PROT_WRITE, MAP_SHARED, fd, from);
}

static void unmap_pieces(struct process *p)
{
	for (unsigned i = 0; i < BUFFER_PIECES && p->pieces.more[i]; i++) {
		syscall_unmap(p->pieces.more[i],
			      (size_t)BUFFER_PIECE_CHUNKS * p->options.chunk_bytes);
		p->pieces.more[i] = NULL;
	}
}

void process_file_forget(struct process *p)
{
	if (p->file.header)
		syscall_unmap(p->file.header, p->file.bytes);
	p->file.header = NULL;
	unmap_pieces(p);
}

void process_file_return_chunks(struct process *p)
{
	if (p->file.header && p->file.bytes > SESSION_PAGE) {
		syscall_3(SYS_munmap, (uintptr_t)p->file.header + SESSION_PAGE,
			  p->file.bytes - SESSION_PAGE, 0);
		p->file.bytes = SESSION_PAGE;
	}
	unmap_pieces(p);
}

/* The header, and no chunk until the first trace; or some, by an older kernel. */
static int fill_file(struct process *p, long fd, uint32_t *first)
{
	/* Where the kernel can populate, as a fork's parent knows, the file gets its page faster.
	 */
	long rc = p->pieces.populates ? allocate(fd, SESSION_PAGE)
				      : buffer_populate(p->file.header, SESSION_PAGE);

	p->pieces.populates = !rc;
	if (!rc)
		*first = 0;
	else if (rc == -EINVAL)
		rc = allocate(fd, session_file_bytes(p->options.chunk_bytes, *first));
	return (int)rc;
}

/* As long as it may become for a few threads. */
static int make_file(struct process *p, long fd, uint32_t most, uint32_t *first)
{
	long rc;

	p->file.chunk_bytes = p->options.chunk_bytes;
	p->file.bytes = session_file_bytes(p->options.chunk_bytes, most);
	rc = syscall_3(SYS_ftruncate, (uint64_t)fd, p->file.bytes, 0);
	if (rc)
		return (int)rc;
	p->file.header = map_file(fd, 0, p->file.bytes);
	p->pieces.first = most;
	return p->file.header ? fill_file(p, fd, first) : -ENOMEM;
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
	rc = make_file(p, fd, most, &first);
	syscall_close(fd);
	if (rc) {
		syscall_3(SYS_unlinkat, (uint64_t)AT_FDCWD, (uintptr_t)path, 0);
		process_file_forget(p);
		return rc;
	}
	p->file.header->pid = p->pid;
	p->file.header->chunk_bytes = p->options.chunk_bytes;
	p->file.header->chunk_count = first;
	p->file.header->handler_state = (uintptr_t)&handler_state;
	p->file.header->populates = p->pieces.populates;
	trusted_costs_copy(&p->file.header->costs, &p->control->costs);
	p->lag = trusted_lag(&p->control->costs);
	p->share = 0;
	/* acquired by the recorder when it meets the file (trace_writer.c: adopt) */
	atomic_write_release(&p->file.header->magic, SESSION_MAGIC);
	return 0;
}

/* The file has memory for so many chunks: map those that are new. How many there are. */
static uint32_t add_pieces(struct process *p, long fd, uint32_t count)
{
	uint32_t mapped = p->pieces.first;
	size_t bytes = (size_t)BUFFER_PIECE_CHUNKS * p->options.chunk_bytes;

	for (unsigned i = 0; i < BUFFER_PIECES && mapped < count; i++) {
		if (!p->pieces.more[i])
			/* acquired in buffer.c: chunk_at */
			atomic_write_release(
				&p->pieces.more[i],
				map_file(fd, session_file_bytes(p->options.chunk_bytes, mapped),
					 bytes));
		if (!p->pieces.more[i])
			break;
		mapped += BUFFER_PIECE_CHUNKS;
	}
	return mapped < count ? mapped : count;
}

static void grow_file(struct process *p, long fd, uint32_t wanted)
{
	uint32_t count = p->pieces.first, added;

	while (count < wanted)
		count += BUFFER_PIECE_CHUNKS;
	if (allocate(fd, session_file_bytes(p->options.chunk_bytes, count)))
		return;
	added = add_pieces(p, fd, count);
	if (added >= p->pieces.first)
		session_raise_chunks(p->file.header, added);
}

void process_file_fit(struct process *p)
{
	uint32_t count = atomic_read_relaxed(&p->file.header->chunk_count);
	uint32_t wanted = atomic_read_relaxed(&p->slots_used) * CHUNKS_PER_THREAD;
	char path[256];
	long fd;

	/* the first ones get memory as they are needed */
	if (wanted <= (p->pieces.populates ? p->pieces.first : count) || wanted <= count ||
	    !atomic_swap_if(&p->growing, 0, 1))
		return;
	file_path(p, path);
	fd = syscall_open(path, O_RDWR);
	if (fd >= 0) {
		grow_file(p, fd, wanted);
		syscall_close(fd);
	}
	atomic_write_release(&p->growing, 0);
}

/* ---- the control page ---------------------------------------------------------------------- */

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

int process_file_map_control(const char *directory, struct session_control **control,
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
