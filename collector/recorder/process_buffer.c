/* SPDX-License-Identifier: MIT */
#include "collector/recorder/process_buffer.h"

#include <fcntl.h>
#include <signal.h>
#include <stdbool.h>
#include <string.h>
#include <sys/mman.h>
#include <sys/stat.h>
#include <unistd.h>

#include "base/error.h"
#include "base/memory.h"
#include "base/order.h"
#include "collector/kernel/clock.h"
#include "collector/shared/trusted.h"
#include "collector/shared/session.h"

/* ---- a walk over its chunks ---------------------------------------------------------------- */

/* Read the headers of @count chunks, at most TRUSTED_BYTES_PARTS, whose indices @index_of gives;
 * how many are there. The kernel copies one after the other, each by words. */
static size_t look_at(const struct process_buffer_walk *w, struct chunk_header *headers,
		      size_t count,
		      uint32_t (*index_of)(const struct process_buffer_walk *w, size_t i),
		      size_t from)
{
	struct iovec places[TRUSTED_BYTES_PARTS];

	for (size_t i = 0; i < count; i++)
		places[i] = (struct iovec){
			(void *)(w->chunks + (size_t)index_of(w, from + i) * w->chunk_bytes),
			sizeof(headers[0])};
	return trusted_bytes_gather(headers, count * sizeof(headers[0]), places, count) /
	       sizeof(headers[0]);
}

static uint32_t by_place(const struct process_buffer_walk *w, size_t i)
{
	return w->indices ? w->indices[i] : (uint32_t)i;
}

/* The newest first. */
static uint32_t by_age(const struct process_buffer_walk *w, size_t i)
{
	return w->stops.items[w->stops.count - 1 - i].index;
}

static size_t part_of(size_t count, size_t from)
{
	return count - from < TRUSTED_BYTES_PARTS ? count - from : TRUSTED_BYTES_PARTS;
}

/* If the process keeps to the rules, numbers are different and less than `taken`. */
ORDER_BY(process_buffer_compare, struct process_buffer_walk_stop, ORDER_UP(age) ?: ORDER_UP(index));

static int take_chunk(struct process_buffer_walk *w, uint32_t index, const struct chunk_header *c,
		      struct softlbr_error *e)
{
	int32_t age = (int32_t)(c->number - w->taken); /* wraps as the numbers do */
	uint32_t *used;

	if (c->state == CHUNK_FREE)
		return 0;
	used = vector_push(&w->in_use);
	if (!used)
		return error_set_nomem(e);
	*used = index;
	if ((c->state == CHUNK_OWNED && !c->used) || age >= 0)
		return 0;
	return vector_add(&w->stops, (struct process_buffer_walk_stop){.index = index, .age = age})
		       ? error_set_nomem(e)
		       : 0;
}

/*
 * The chunks in use, in the order in which they were taken, so that records of a thread stand in
 * the file in the order in which it wrote them. Those that are taken from now on are for the next
 * time: one may be found by this walk while the thread's older one was passed before it had a
 * record. The newest is looked at first: what a thread wrote before is then seen in its older chunk
 * too.
 */
static int walk_chunks(struct process_buffer_walk *w, struct softlbr_error *e)
{
	struct chunk_header headers[TRUSTED_BYTES_PARTS];

	w->stops.count = w->in_use.count = 0;
	for (size_t from = 0, n; from < w->count; from += n) {
		n = look_at(w, headers, part_of(w->count, from), by_place, from);
		for (size_t i = 0; i < n; i++)
			if (take_chunk(w, by_place(w, from + i), &headers[i], e))
				return -SOFTLBR_E_SYSTEM;
		if (!n)
			break; /* the file was made shorter */
	}
	vector_sort(&w->stops, process_buffer_compare);
	for (size_t from = 0, n; from < w->stops.count; from += n) {
		n = look_at(w, headers, part_of(w->stops.count, from), by_age, from);
		for (size_t i = 0; i < n; i++) {
			struct process_buffer_walk_stop *stop =
				&w->stops.items[w->stops.count - 1 - from - i];

			/* The words of a header are copied in no order: a number that was not seen
			 * together with what it numbers is seen now, behind the barriers of another
			 * system call. Then the next walk takes the chunk. */
			bool same = (int32_t)(headers[i].number - w->taken) == stop->age;

			stop->state = same ? headers[i].state : CHUNK_FREE;
			stop->used = headers[i].used;
		}
		if (!n)
			break;
	}
	return 0;
}

void process_buffer_walk_deinit(struct process_buffer_walk *w)
{
	vector_deinit(&w->in_use);
	vector_deinit(&w->stops);
}

/* include/linux/threads.h: PID_MAX_LIMIT; the numbers are process_file.c's. */
#define PID_MOST    4194304u
#define NUMBER_MOST 999u

/* ---- its file ------------------------------------------------------------------------------ */

/* A number as printf writes it, behind *@text; above @most: none. */
static bool take_number(const char **text, uint32_t most, uint32_t *number)
{
	const char *p = *text;

	if (*p < '0' || *p > '9' || (*p == '0' && p[1] >= '0' && p[1] <= '9'))
		return false;
	for (*number = 0; *p >= '0' && *p <= '9' && *number <= most; p++)
		*number = *number * 10 + (uint32_t)(*p - '0');
	*text = p;
	return *number <= most;
}

uint32_t process_buffer_pid(const char *name)
{
	uint32_t pid, number;

	return take_number(&name, PID_MOST, &pid) && *name++ == '.' &&
			       take_number(&name, NUMBER_MOST, &number) && !*name
		       ? pid
		       : 0;
}

/* A file of ours, and no pipe that waits for somebody. */
static int open_file(const struct process_buffer_session *s, const char *name, int access,
		     struct stat *st)
{
	int fd = s->directory < 0 ? -1
				  : openat(s->directory, name,
					   access | O_NOFOLLOW | O_NONBLOCK | O_NOCTTY | O_CLOEXEC);

	if (fd < 0)
		return -1;
	if (!fstat(fd, st) && S_ISREG(st->st_mode) && st->st_uid == geteuid())
		return fd;
	close(fd);
	return -1;
}

/* The one that was met. */
static int open_again(const struct process_buffer *m, const struct process_buffer_session *s,
		      int access, struct stat *st)
{
	int fd = open_file(s, m->name, access, st);

	if (fd < 0 || (st->st_dev == m->device && st->st_ino == m->inode))
		return fd;
	close(fd);
	return -1;
}

static uint32_t chunks_in(const struct process_buffer *m, size_t bytes)
{
	size_t count = bytes < SESSION_PAGE ? 0 : (bytes - SESSION_PAGE) / m->chunk_bytes;

	return count < m->chunks_most ? (uint32_t)count : m->chunks_most;
}

/* Make room to count what was read of each chunk in the first @bytes. */
static int count_drained(struct process_buffer *m, size_t bytes)
{
	uint32_t count = chunks_in(m, bytes), more = count - (uint32_t)m->drained.count;

	if (!more)
		return 0;
	if (vector_reserve(&m->drained, more))
		return -1;
	memset(m->drained.items + m->drained.count, 0, more * sizeof(uint32_t));
	m->drained.count = count;
	return 0;
}

static bool is_whole(const struct process_buffer *m)
{
	struct process_header h;

	if (!process_buffer_header(m, &h))
		return false;
	/* acquires the release in process_file.c: process_file_make */
	return trusted_header(&h, m->pid, m->chunk_bytes, chunks_in(m, m->bytes));
}

/* The file in @fd, as long as it is, but no longer than one can be. */
static bool map_file(struct process_buffer *m, int fd, const struct stat *st)
{
	size_t most = session_file_bytes(m->chunk_bytes, m->chunks_most);
	void *p;

	m->device = st->st_dev;
	m->inode = st->st_ino;
	m->bytes = (uint64_t)st->st_size < most ? (size_t)st->st_size : most;
	if (m->bytes < SESSION_PAGE)
		return false;
	p = mmap(NULL, m->bytes, PROT_READ, MAP_SHARED, fd, 0);
	m->mapping = p == MAP_FAILED ? NULL : p;
	return m->mapping;
}

int process_buffer_open(struct process_buffer *m, const struct process_buffer_session *s,
			const char *name, struct softlbr_error *e)
{
	bool whole = false;
	struct stat st;
	int fd;

	*m = (struct process_buffer){
		.pid = process_buffer_pid(name),
		.chunk_bytes = s->options->chunk_bytes,
		.chunks_most = SESSION_CHUNKS_MOST,
	};
	if (m->chunks_most < s->options->chunk_count)
		m->chunks_most = s->options->chunk_count;
	if (!m->pid || strlen(name) >= sizeof(m->name))
		return 0;
	strcpy(m->name, name);
	fd = open_file(s, name, O_RDONLY, &st);
	if (fd < 0)
		return 0;
	if (map_file(m, fd, &st))
		whole = is_whole(m);
	close(fd);
	if (whole && !count_drained(m, m->bytes))
		return 1;
	process_buffer_close(m);
	return whole ? error_set_nomem(e) : 0;
}

bool process_buffer_header(const struct process_buffer *m, struct process_header *header)
{
	return trusted_bytes_read(header, m->mapping, sizeof(*header));
}

void process_buffer_remove(const struct process_buffer *m, const struct process_buffer_session *s)
{
	struct stat st;

	if (s->directory >= 0 && !fstatat(s->directory, m->name, &st, AT_SYMLINK_NOFOLLOW) &&
	    st.st_dev == m->device && st.st_ino == m->inode)
		unlinkat(s->directory, m->name, 0);
}

void process_buffer_close(struct process_buffer *m)
{
	if (m->mapping)
		munmap((void *)m->mapping, m->bytes);
	vector_deinit(&m->drained);
	vector_deinit(&m->in_use);
	*m = (struct process_buffer){0};
}

/*
 * However it ended and in whatever namespace: a read lease is granted only where nobody has the
 * file open for writing, and a mapping counts as that (fcntl(2)); ours is for reading. Who opens it
 * for writing meanwhile has a signal sent to us, which is to be one that does nothing. Where leases
 * are not to be had, files stay to the end of the session.
 */
bool process_buffer_has_ended(const struct process_buffer *m,
			      const struct process_buffer_session *s)
{
	struct stat st;
	int fd = open_again(m, s, O_RDONLY, &st);
	bool ended;

	if (fd < 0)
		return false;
	ended = !fcntl(fd, F_SETSIG, SIGURG) && !fcntl(fd, F_SETLEASE, F_RDLCK);
	close(fd);
	return ended;
}

/* ---- its chunks ---------------------------------------------------------------------------- */

/* The process made its file longer, for more threads. */
static uint32_t fit_mapping(struct process_buffer *m, const struct process_buffer_session *s,
			    uint32_t count)
{
	uint32_t mapped = chunks_in(m, m->bytes), there;
	size_t bytes;
	struct stat st;
	void *longer;
	int fd;

	if (count <= mapped || mapped == m->chunks_most)
		return count < mapped ? count : mapped;
	fd = open_again(m, s, O_RDONLY, &st);
	if (fd < 0)
		return mapped;
	close(fd);
	there = chunks_in(m, (size_t)st.st_size);
	bytes = session_file_bytes(m->chunk_bytes, there);
	if (there <= mapped || count_drained(m, bytes))
		return mapped;
	longer = mremap((void *)m->mapping, m->bytes, bytes, MREMAP_MAYMOVE);
	if (longer == MAP_FAILED)
		return mapped;
	m->mapping = longer;
	m->bytes = bytes;
	return count < there ? count : there;
}

/* The process's buffers became scarce: all that there are to be get memory. */
static void give_chunks(const struct process_buffer *m, const struct process_buffer_session *s)
{
	uint32_t count = chunks_in(m, m->bytes);
	struct stat st;
	int fd = open_again(m, s, O_RDWR, &st);

	if (fd < 0)
		return;
	if (count > s->options->chunk_count)
		count = s->options->chunk_count;
	if (!fallocate(fd, 0, 0, (off_t)session_file_bytes(m->chunk_bytes, count)) &&
	    pwrite(fd, &count, sizeof(count), offsetof(struct process_header, chunks_given)) < 0) {
		/* then it has as many as it had */
	}
	close(fd);
}

static void tell_traced(struct process_buffer *m, const struct process_buffer_session *s)
{
	uint32_t traced = 1;
	struct stat st;
	int fd = open_again(m, s, O_RDWR, &st);

	m->told = true;
	if (fd < 0)
		return;
	if (pwrite(fd, &traced, sizeof(traced), offsetof(struct process_header, traced)) < 0) {
		/* then the debugger's user sees what he sees */
	}
	close(fd);
}

/* The chunk is the process's again, as soon as its state says so. */
static void free_chunk(const struct process_buffer *m, int fd, uint32_t index)
{
	off_t at = (off_t)(SESSION_PAGE + (size_t)index * m->chunk_bytes);
	uint32_t used = 0, state = CHUNK_FREE;

	if (pwrite(fd, &used, sizeof(used), at + (off_t)offsetof(struct chunk_header, used)) ==
		    sizeof(used) &&
	    pwrite(fd, &state, sizeof(state), at + (off_t)offsetof(struct chunk_header, state)) ==
		    sizeof(state))
		m->drained.items[index] = 0;
}

static int write_records(struct process_buffer_session *s, size_t bytes, struct softlbr_error *e)
{
	if (perfdata_writer_append(s->writer, s->records, bytes, e))
		return -SOFTLBR_E_SYSTEM;
	if (s->listener.take)
		s->listener.take(s->listener.context, s->records, bytes);
	return 0;
}

/* Records are read from the process's file, @fd: that costs a third of reading its mapping as
 * trusted_bytes_read does. */
static int drain_chunk(struct process_buffer *m, int fd, struct process_buffer_session *s,
		       const struct process_buffer_walk_stop *at, bool *wrote,
		       struct softlbr_error *e)
{
	off_t records = (off_t)(SESSION_PAGE + (size_t)at->index * m->chunk_bytes +
				sizeof(struct chunk_header));
	uint32_t *drained = &m->drained.items[at->index], size = at->used - *drained;
	struct sample_check_rule rule = {.pid = m->pid,
					 .stack = s->options->stack,
					 .tagged = session_is_tagged(s->options),
					 .stack_copy = s->options->stack_copy,
					 .since = s->since_ns};
	struct sample_check_result r;

	if (!trusted_chunk(at->used, *drained, m->chunk_bytes))
		return 0;
	if (!s->records)
		s->records = memory_alloc(m->chunk_bytes);
	if (!s->records)
		return error_set_nomem(e);
	if (pread(fd, s->records, size, records + *drained) != (ssize_t)size)
		return 0;
	rule.until = clock_now_ns();
	r = sample_check_keep(s->records, size, &rule);
	*drained += (uint32_t)r.looked_at;
	s->refused += r.refused + (at->state == CHUNK_FULL && r.looked_at < size);
	*wrote |= r.kept > 0;
	return r.kept ? write_records(s, r.kept, e) : 0;
}

static int drain_chunks(struct process_buffer *m, struct process_buffer_session *s, bool *wrote,
			struct softlbr_error *e)
{
	const struct process_buffer_walk_stop *at;
	struct stat st;
	int fd = s->walk.stops.count ? open_again(m, s, O_RDWR, &st) : -1, rc = 0;

	if (fd < 0)
		return 0;
	vector_each (&s->walk.stops, at) {
		if (at->state != CHUNK_FREE)
			rc = drain_chunk(m, fd, s, at, wrote, e);
		if (rc)
			break;
		if (at->state == CHUNK_FULL)
			free_chunk(m, fd, at->index);
	}
	close(fd);
	return rc;
}

/* Look at all chunks, or where nothing was taken since, at those that were in use. */
static int walk(struct process_buffer *m, struct process_buffer_walk *w, uint32_t count,
		uint32_t taken, struct softlbr_error *e)
{
	bool same = count == m->count && taken == m->taken;

	w->chunks = m->mapping + SESSION_PAGE;
	w->chunk_bytes = m->chunk_bytes;
	w->indices = same ? m->in_use.items : NULL;
	w->count = same ? (uint32_t)m->in_use.count : count;
	w->taken = taken;
	if (walk_chunks(w, e))
		return -SOFTLBR_E_SYSTEM;
	m->count = count;
	m->taken = taken;
	m->in_use.count = 0;
	if (vector_reserve(&m->in_use, w->in_use.count))
		return error_set_nomem(e);
	if (w->in_use.count)
		memcpy(m->in_use.items, w->in_use.items, w->in_use.count * sizeof(uint32_t));
	m->in_use.count = w->in_use.count;
	return 0;
}

int process_buffer_drain(struct process_buffer *m, struct process_buffer_session *s, bool *wrote,
			 struct process_header *header, struct softlbr_error *e)
{
	uint32_t count;

	*wrote = false;
	if (!process_buffer_header(m, header))
		return 0;
	if (m->traced && !m->told)
		tell_traced(m, s);
	count = fit_mapping(m, s, session_count_chunks(header));
	if (walk(m, &s->walk, count, header->chunks_taken, e) || drain_chunks(m, s, wrote, e))
		return -SOFTLBR_E_SYSTEM;
	if (m->in_use.count > count / 2 && count < s->options->chunk_count &&
	    count < chunks_in(m, m->bytes) && !header->populates)
		give_chunks(m, s);
	return 0;
}
