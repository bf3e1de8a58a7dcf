/* SPDX-License-Identifier: MIT */
#include "collector/session/journal.h"

#include <dirent.h>
#include <errno.h>
#include <fcntl.h>
#include <limits.h>
#include <linux/futex.h>
#include <stdio.h>
#include <string.h>
#include <sys/mman.h>
#include <sys/stat.h>
#include <sys/syscall.h>
#include <unistd.h>

#include "base/atomics.h"
#include "base/error.h"
#include "base/memory.h"
#include "collector/session/trace_record.h"
#include "collector/session/procfs.h"
#include "collector/session/session_directory.h"

/* ---- the session --------------------------------------------------------------------------- */

#define PATH_ROOM (SESSION_DIRECTORY_BYTES + NAME_MAX + 2)

/* Of a file in the session's directory. */
static void file_path(const struct journal *j, const char *name, char path[PATH_ROOM])
{
	snprintf(path, PATH_ROOM, "%s/%s", j->directory, name);
}

static int open_file(const struct journal *j, const char *name, int access)
{
	char path[PATH_ROOM];

	file_path(j, name, path);
	return open(path, access | O_CLOEXEC);
}

/* MAP_FAILED, with errno, if that did not work. */
static void *map_file(int fd, void *place, size_t bytes, int how)
{
	return mmap(place, bytes, PROT_READ | PROT_WRITE, how, fd, 0);
}

/* A file of the session, a page, mapped; MAP_FAILED, with an error. */
static void *make_page(const struct journal *j, const char *name, struct softlbr_error *e)
{
	char path[PATH_ROOM];
	void *p = MAP_FAILED;
	int fd;

	file_path(j, name, path);
	fd = open(path, O_RDWR | O_CREAT | O_EXCL | O_CLOEXEC, 0600);
	if (fd >= 0 && !ftruncate(fd, SESSION_PAGE))
		p = map_file(fd, NULL, SESSION_PAGE, MAP_SHARED);
	if (p == MAP_FAILED)
		error_set_errno(e, path, "cannot make %s", path);
	if (fd >= 0)
		close(fd);
	return p;
}

static int make_control(struct journal *j, const struct session_options *options,
			enum session_state state, struct softlbr_error *e)
{
	void *refused = make_page(j, SESSION_REFUSED, e);
	void *control = refused == MAP_FAILED ? refused : make_page(j, "control", e);

	j->unjoined = refused == MAP_FAILED ? NULL : refused;
	if (control == MAP_FAILED)
		return -SOFTLBR_E_SYSTEM;
	j->control = control;
	j->control->options = *options;
	j->control->state = state;
	j->control->magic = SESSION_MAGIC;
	return 0;
}

/* ---- processes that joined ----------------------------------------------------------------- */

static bool known(struct journal *j, const char *name)
{
	struct journal_process *p;

	vector_each (&j->processes, p)
		if (!strcmp(p->name, name))
			return true;
	return false;
}

/* A process that is still making its file is met again at the next look. */
static int adopt_file(struct journal *j, const char *name, struct softlbr_error *e)
{
	struct process_header *h = MAP_FAILED;
	struct journal_process *p;
	size_t name_bytes = strlen(name) + 1;
	struct stat st;
	int fd;

	if (name_bytes > sizeof(p->name)) /* not of a process */
		return 0;
	fd = open_file(j, name, O_RDWR);
	if (fd < 0)
		return 0;
	if (!fstat(fd, &st) && (size_t)st.st_size >= SESSION_PAGE)
		h = map_file(fd, NULL, (size_t)st.st_size, MAP_SHARED);
	close(fd);
	if (h == MAP_FAILED)
		return 0;
	/* acquires the release in process_file.c: process_file_make */
	if (atomic_read_acquire(&h->magic) != SESSION_MAGIC ||
	    h->chunk_bytes <= sizeof(struct chunk_header) ||
	    session_file_bytes(h->chunk_bytes, h->chunk_count) > (size_t)st.st_size) {
		munmap(h, (size_t)st.st_size);
		return 0;
	}
	p = vector_push(&j->processes);
	if (!p) {
		munmap(h, (size_t)st.st_size);
		return error_set_nomem(e);
	}
	memcpy(p->name, name, name_bytes);
	p->file = (struct session_file){h, (size_t)st.st_size};
	p->quiet = 0;
	j->process_count++;
	return 0;
}

static int look_for_files(struct journal *j, struct softlbr_error *e)
{
	DIR *d = opendir(j->directory);
	struct dirent *entry;
	int rc = 0;

	while (!rc && d && (entry = readdir(d)))
		if (entry->d_name[0] >= '0' && entry->d_name[0] <= '9' && !known(j, entry->d_name))
			rc = adopt_file(j, entry->d_name, e);
	if (d)
		closedir(d);
	return rc;
}

/* Whole records only: the bytes are another process's. */
static size_t whole_records(const uint8_t *bytes, size_t size)
{
	size_t at = 0;

	while (at + sizeof(struct perf_event_header) <= size) {
		const struct perf_event_header *h = (const void *)(bytes + at);

		if (h->size < sizeof(*h) || h->size > size - at)
			break;
		at += h->size;
	}
	return at;
}

static void look_at_chunk(struct journal_chunk *at)
{
	/* acquires the releases in buffer.c: buffer_release, buffer_publish */
	at->state = atomic_read_acquire(&at->chunk->state);
	at->used = atomic_read_acquire(&at->chunk->used);
	at->number = atomic_read_relaxed(&at->chunk->number); /* once anything was published */
}

static int drain_chunk(struct journal *j, const struct journal_chunk *at, size_t room,
		       struct softlbr_error *e)
{
	struct chunk_header *c = at->chunk;
	size_t bytes;

	if (at->state == CHUNK_FREE || at->used > room || c->drained > at->used)
		return 0;
	bytes = whole_records(c->records + c->drained, at->used - c->drained);
	if (bytes && perfdata_writer_append(&j->writer, c->records + c->drained, bytes, e))
		return -SOFTLBR_E_SYSTEM;
	if (j->listener.take)
		j->listener.take(j->listener.context, c->records + c->drained, bytes);
	c->drained = at->used;
	if (at->state == CHUNK_FULL) {
		c->used = c->drained = 0;
		atomic_write_release(&c->state, CHUNK_FREE);
	}
	return 0;
}

/* The process made its file longer, for more threads. */
static uint32_t fit_mapping(const struct journal *j, struct journal_process *p)
{
	/* acquires the release in session_raise_chunks */
	uint32_t count = atomic_read_acquire(&p->file.header->chunk_count);
	uint32_t mapped = (uint32_t)((p->file.bytes - SESSION_PAGE) / p->file.header->chunk_bytes);
	size_t bytes = session_file_bytes(p->file.header->chunk_bytes, count);
	char path[PATH_ROOM];
	struct stat st;
	void *longer;

	if (count <= mapped)
		return count;
	file_path(j, p->name, path);
	if (stat(path, &st) || (size_t)st.st_size < bytes)
		return mapped;
	longer = mremap(p->file.header, p->file.bytes, bytes, MREMAP_MAYMOVE);
	if (longer == MAP_FAILED)
		return mapped;
	p->file = (struct session_file){longer, bytes};
	return count;
}

/* Its buffers became scarce: all that its file has addresses for get memory. */
static void allocate_chunks(const struct journal *j, struct journal_process *p)
{
	uint32_t most = (uint32_t)((p->file.bytes - SESSION_PAGE) / p->file.header->chunk_bytes);
	int fd = open_file(j, p->name, O_RDWR);

	if (fd < 0)
		return;
	if (!fallocate(fd, 0, 0, (off_t)session_file_bytes(p->file.header->chunk_bytes, most)))
		session_raise_chunks(p->file.header, most);
	close(fd);
}

/* The difference wraps as the numbers do. */
static int by_number(const void *a, const void *b)
{
	const struct journal_chunk *x = a, *y = b;

	return (int32_t)(x->number - y->number) < 0 ? -1 : x->number != y->number;
}

/*
 * The chunks in use, in the order in which they were taken, so that records of a thread stand in
 * the file in the order in which it wrote them. Those that are taken from now on are for the next
 * time: one may be found by this walk while the thread's older one was passed before it had a
 * record. The newest is looked at first: what a thread wrote before is then seen in its older chunk
 * too.
 */
static int gather_chunks(struct journal *j, const struct session_file *f, uint32_t count,
			 uint32_t *used, struct softlbr_error *e)
{
	/* acquires the release in buffer.c: take_free */
	uint32_t taken = atomic_read_acquire(&f->header->chunks_taken);
	struct journal_chunk *added;

	j->chunks.count = *used = 0;
	for (uint32_t i = 0; i < count; i++) {
		struct journal_chunk at = {.chunk = session_chunk(f, i)};

		look_at_chunk(&at);
		*used += at.state != CHUNK_FREE;
		if (at.state == CHUNK_FREE || (at.state == CHUNK_OWNED && !at.used) ||
		    (int32_t)(at.number - taken) >= 0)
			continue;
		added = vector_push(&j->chunks);
		if (!added)
			return error_set_nomem(e);
		*added = at;
	}
	vector_sort(&j->chunks, by_number);
	for (size_t i = j->chunks.count; i-- > 0;)
		look_at_chunk(&j->chunks.items[i]);
	return 0;
}

/* @wrote: whether there was anything. */
static int drain_process(struct journal *j, struct journal_process *p, bool *wrote,
			 struct softlbr_error *e)
{
	size_t room = p->file.header->chunk_bytes - sizeof(struct chunk_header);
	uint32_t count = fit_mapping(j, p), used;
	uint64_t before = j->writer.data_bytes;
	const struct journal_chunk *at;

	if (gather_chunks(j, &p->file, count, &used, e))
		return -SOFTLBR_E_SYSTEM;
	vector_each (&j->chunks, at)
		if (drain_chunk(j, at, room, e))
			return -SOFTLBR_E_SYSTEM;
	if (used > count / 2 &&
	    session_file_bytes(p->file.header->chunk_bytes, count) < p->file.bytes)
		allocate_chunks(j, p);
	*wrote = j->writer.data_bytes != before;
	if (*wrote) /* what an idle process measured may be long ago */
		session_costs_copy(&j->control->costs, &p->file.header->costs);
	return 0;
}

static void add_counters(const struct journal_process *p, uint64_t counters[COUNTER_COUNT],
			 int *refused)
{
	for (unsigned i = 0; i < COUNTER_COUNT; i++)
		counters[i] += p->file.header->counters[i];
	if (!*refused)
		*refused = p->file.header->refused;
}

/*
 * Whether no process has the file mapped any more, however it ended and in whatever namespace: a
 * read lease is granted only where nobody has the file open for writing, and a mapping counts as
 * that (fcntl(2)). Ours too: a private one stands in for it, which is all that the last look at an
 * ended process needs. Where leases are not to be had, files stay to the end of the session.
 */
static bool has_ended(const struct journal *j, const struct journal_process *p)
{
	void *place = p->file.header;
	int fd = open_file(j, p->name, O_RDONLY);
	bool ended;

	if (fd < 0)
		return false;
	map_file(fd, place, p->file.bytes, MAP_PRIVATE | MAP_FIXED);
	ended = !fcntl(fd, F_SETLEASE, F_RDLCK);
	close(fd);
	fd = ended ? -1 : open_file(j, p->name, O_RDWR);
	if (fd < 0)
		return ended;
	map_file(fd, place, p->file.bytes, MAP_SHARED | MAP_FIXED);
	close(fd);
	return false;
}

/* Its memory is given back; what it counted stays. */
static void forget_process(struct journal *j, struct journal_process *p)
{
	char path[PATH_ROOM];

	add_counters(p, j->counters, &j->refused);
	refusal_list_add(&j->refusals, &p->file.header->refusals);
	munmap(p->file.header, p->file.bytes);
	file_path(j, p->name, path);
	unlink(path);
	*p = j->processes.items[--j->processes.count];
}

/* Ever more seldom, so that a process that sleeps is not looked at all the time. */
static bool is_worth_a_look(const struct journal_process *p)
{
	return p->quiet >= 4 && (p->quiet % 64 == 0 || (p->quiet & (p->quiet - 1)) == 0);
}

static int drain_processes(struct journal *j, struct softlbr_error *e)
{
	for (size_t i = j->processes.count; i-- > 0;) {
		struct journal_process *p = &j->processes.items[i];
		bool wrote, ended;

		if (drain_process(j, p, &wrote, e))
			return -SOFTLBR_E_SYSTEM;
		p->quiet = wrote ? 0 : p->quiet + 1;
		ended = is_worth_a_look(p) && has_ended(j, p);
		if (ended && drain_process(j, p, &wrote, e))
			return -SOFTLBR_E_SYSTEM;
		if (ended)
			forget_process(j, p);
	}
	return 0;
}

int journal_drain(struct journal *j, struct softlbr_error *e)
{
	return look_for_files(j, e) || drain_processes(j, e) ? -SOFTLBR_E_SYSTEM : 0;
}

int journal_sync(struct journal *j, struct softlbr_error *e)
{
	return trace_record_sync(&j->writer, e);
}

void journal_set_state(struct journal *j, enum session_state state)
{
	if (j->control->state == (uint32_t)state)
		return;
	atomic_write_release(&j->control->state, (uint32_t)state);
	/* acquired in switch_thread.c: run */
	atomic_write_release(&j->control->changes, j->control->changes + 1);
	syscall(SYS_futex, &j->control->changes, FUTEX_WAKE, INT_MAX, NULL, NULL, 0);
}

void journal_count(const struct journal *j, uint64_t counters[COUNTER_COUNT], int *refused)
{
	const struct journal_process *p;

	memcpy(counters, j->counters, sizeof(j->counters));
	*refused = j->refused;
	vector_each (&j->processes, p)
		add_counters(p, counters, refused);
}

void journal_refusals(const struct journal *j, struct refusal_list *out)
{
	const struct journal_process *p;

	*out = j->refusals;
	refusal_list_add(out, j->unjoined);
	vector_each (&j->processes, p)
		refusal_list_add(out, &p->file.header->refusals);
}

/* ---- the recording ------------------------------------------------------------------------- */

int journal_open(struct journal *j, const struct session_options *options, enum session_state state,
		 const char *output, struct softlbr_error *e)
{
	*j = (struct journal){.writer = {.fd = -1}};
	if (!session_directory_make(j->directory, e) && !make_control(j, options, state, e) &&
	    !trace_record_open(&j->writer, options, output, e))
		return 0;
	journal_close(j);
	return -SOFTLBR_E_SYSTEM;
}

int journal_hold(struct journal *j, struct softlbr_error *e)
{
	pthread_mutexattr_t attr;
	int rc = pthread_mutexattr_init(&attr);

	if (!rc)
		rc = pthread_mutexattr_setpshared(&attr, PTHREAD_PROCESS_SHARED);
	if (!rc)
		rc = pthread_mutexattr_setrobust(&attr, PTHREAD_MUTEX_ROBUST);
	if (!rc)
		rc = pthread_mutex_init(&j->control->alive, &attr);
	if (!rc)
		rc = pthread_mutex_lock(&j->control->alive);
	errno = rc;
	return rc ? error_set_errno(e, NULL, "cannot hold the session") : 0;
}

int journal_tell_again(struct journal *j, struct softlbr_error *e)
{
	struct journal_process *p;
	int rc = 0;

	vector_each (&j->processes, p) {
		uint32_t pid = p->file.header->pid;
		struct procfs_maps maps = {0};
		bool changed;

		rc = procfs_append_comm(&j->writer, (struct procfs_task){pid, pid}, false, e);
		if (!rc)
			rc = procfs_append_maps(&j->writer, pid, &maps, &changed, e);
		procfs_maps_deinit(&maps);
		if (rc)
			break;
	}
	return rc;
}

int journal_finish(struct journal *j, char *const *command, struct softlbr_error *e)
{
	uint64_t counters[COUNTER_COUNT];
	int refused;

	journal_count(j, counters, &refused);
	return trace_record_finish(&j->writer, &j->control->options, counters, command, e);
}

void journal_close(struct journal *j)
{
	struct journal_process *p;

	session_directory_remove(j->directory);
	perfdata_writer_abandon(&j->writer);
	vector_each (&j->processes, p)
		munmap(p->file.header, p->file.bytes);
	vector_deinit(&j->processes);
	vector_deinit(&j->chunks);
	if (j->control)
		munmap(j->control, SESSION_PAGE);
	if (j->unjoined)
		munmap(j->unjoined, SESSION_PAGE);
	*j = (struct journal){.writer = {.fd = -1}};
}
