/* SPDX-License-Identifier: MIT */
#include "collector/inside/handler/process_file.h"

#include <errno.h>
#include <fcntl.h>
#include <string.h>
#include <sys/mman.h>
#include <sys/resource.h>

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
	p->lent = false;
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

/* One that is being made: nobody sees it before it is whole. */
struct new_file {
	struct session_file file;
	struct buffer_pieces pieces;
};

/* The header, and no chunk until the first trace; or some, by an older kernel. */
static int fill_file(struct new_file *n, long fd, uint32_t *first)
{
	/* Where the kernel can populate, as a fork's parent knows, the file gets its page faster.
	 */
	long rc = n->pieces.populates ? allocate(fd, SESSION_PAGE)
				      : buffer_populate(n->file.header, SESSION_PAGE);

	n->pieces.populates = !rc;
	if (!rc)
		*first = 0;
	else if (rc == -EINVAL)
		rc = allocate(fd, session_file_bytes(n->file.chunk_bytes, *first));
	return (int)rc;
}

/* As long as it may become for a few threads. */
static int make_file(struct new_file *n, long fd, uint32_t most, uint32_t *first)
{
	long rc;

	n->file.bytes = session_file_bytes(n->file.chunk_bytes, most);
	rc = syscall_3(SYS_ftruncate, (uint64_t)fd, n->file.bytes, 0);
	if (rc)
		return (int)rc;
	n->file.header = map_file(fd, 0, n->file.bytes);
	n->pieces.first = most;
	rc = n->file.header ? fill_file(n, fd, first) : -ENOMEM;
	if (rc && n->file.header)
		syscall_unmap(n->file.header, n->file.bytes);
	return (int)rc;
}

/* The first one whose name is free. */
static long open_file(struct process *p, char path[256])
{
	long fd = -EEXIST;

	for (p->file_number = 0; p->file_number < 1000 && fd == -EEXIST; p->file_number++) {
		file_path(p, path);
		fd = syscall_6(SYS_openat, (uint64_t)AT_FDCWD, (uintptr_t)path,
			       O_RDWR | O_CREAT | O_EXCL | O_CLOEXEC, 0600, 0, 0);
	}
	p->file_number--;
	return fd;
}

static void fill_header(struct process *p, struct process_header *h, uint32_t chunks)
{
	h->pid = p->pid;
	h->chunk_bytes = p->options.chunk_bytes;
	h->chunk_count = chunks;
	h->handler_state = (uintptr_t)&handler_state;
	h->populates = p->pieces.populates;
	trusted_costs_copy(&h->costs, &p->control->costs);
	p->lag = trusted_lag(&p->control->costs);
	p->share = 0;
	/* acquired by the recorder when it meets the file (trace_writer.c: adopt) */
	atomic_write_release(&h->magic, SESSION_MAGIC);
}

int process_file_make(struct process *p)
{
	struct new_file n = {.file.chunk_bytes = p->options.chunk_bytes,
			     .pieces.populates = p->pieces.populates};
	uint32_t most = fitting_chunks(&p->options),
		 first = most < CHUNKS_FIRST ? most : CHUNKS_FIRST;
	char path[256];
	long fd;
	int rc;

	if (!most)
		return -EFBIG;
	fd = open_file(p, path);
	if (fd < 0)
		return (int)fd;
	rc = make_file(&n, fd, most, &first);
	syscall_close(fd);
	if (rc) {
		syscall_3(SYS_unlinkat, (uint64_t)AT_FDCWD, (uintptr_t)path, 0);
		return rc;
	}
	p->pieces = n.pieces;
	p->file.chunk_bytes = n.file.chunk_bytes;
	p->file.bytes = n.file.bytes;
	/* acquired by nobody: other threads count in the one or the other */
	atomic_write_release(&p->file.header, n.file.header);
	fill_header(p, n.file.header, first);
	return 0;
}

/* ---- a fork's child ------------------------------------------------------------------------- */

void process_file_lend(struct process *p)
{
	if (p->lender)
		syscall_unmap(p->lender, SESSION_PAGE);
	p->lender = NULL;
	p->growing = 0; /* by a thread that the child does not have */
	p->lent = p->file.header;
}

bool process_file_own(struct process *p)
{
	struct process_header *lender = p->file.header;
	int rc;

	/* acquires the release below */
	if (!atomic_read_acquire(&p->lent))
		return true;
	if (!atomic_swap_if(&p->growing, 0, 1))
		return false;
	process_file_return_chunks(p);
	rc = process_file_make(p);
	if (!rc) {
		p->lender = lender;
		process_count(p, COUNTER_FORKS_SAMPLED, 1);
		atomic_write_release(&p->lent, false);
	}
	atomic_write_release(&p->growing, 0);
	if (!rc)
		process_file_fit(p);
	return !rc;
}

/* ---- more chunks ----------------------------------------------------------------------------- */

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
	if (atomic_read_relaxed(&p->lent) ||
	    wanted <= (p->pieces.populates ? p->pieces.first : count) || wanted <= count ||
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
