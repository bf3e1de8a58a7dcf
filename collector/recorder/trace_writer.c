/* SPDX-License-Identifier: MIT */
#include "collector/recorder/trace_writer.h"

#include <dirent.h>
#include <errno.h>
#include <fcntl.h>
#include <limits.h>
#include <linux/futex.h>
#include <stdio.h>
#include <string.h>
#include <sys/mman.h>
#include <sys/syscall.h>
#include <unistd.h>

#include "base/error.h"
#include "base/memory.h"
#include "collector/kernel/clock.h"
#include "collector/recorder/synthesize.h"
#include "collector/recorder/recording_file.h"
#include "collector/shared/trusted.h"

/* ---- liveness ------------------------------------------------------------------------------ */

/* For the calling thread, which has no robust mutex and will not have one. */
static int hold_liveness(struct trace_writer_liveness *l, uint32_t *word, struct softlbr_error *e)
{
	uint32_t tid = (uint32_t)syscall(SYS_gettid);

	if (syscall(SYS_get_robust_list, 0, &l->before, &l->before_bytes)) {
		l->before = NULL; /* a filter: then there will be none */
		l->before_bytes = sizeof(l->list);
	}
	if (!trusted_bytes_write(word, &tid, sizeof(tid)))
		return error_set_errno(e, NULL, "cannot hold the session");
	/* the kernel adds the offset to the entry's address, and has the word */
	l->list = (struct robust_list_head){
		.list = {&l->entry},
		.futex_offset = (long)((uintptr_t)word - (uintptr_t)&l->entry),
	};
	l->entry.next = &l->list.list;
	if (syscall(SYS_set_robust_list, &l->list, sizeof(l->list)))
		return error_set_errno(e, NULL, "cannot hold the session");
	l->tid = tid;
	return 0;
}

/* Fine where nothing is held. */
static void end_liveness(struct trace_writer_liveness *l)
{
	/* of a thread that has ended, the kernel has let go */
	if (l->tid && l->tid == (uint32_t)syscall(SYS_gettid))
		syscall(SYS_set_robust_list, l->before, l->before_bytes);
	l->tid = 0;
}

/* More processes than these at a time are not recorded, and no more names are looked at: who fills
 * the directory must not keep the recorder busy for ever. */
#define PROCESSES_MOST 4096u
#define NAMES_MOST     8192u
/* The mean cost of first traces is that of so many processes, about. */
#define FIRSTS 32u

/* ---- the session --------------------------------------------------------------------------- */

static void *map_page(int fd, const void *begin, size_t bytes)
{
	void *p;

	if (fd < 0 || ftruncate(fd, SESSION_PAGE) || pwrite(fd, begin, bytes, 0) != (ssize_t)bytes)
		return NULL;
	p = mmap(NULL, SESSION_PAGE, PROT_READ | PROT_WRITE, MAP_SHARED, fd, 0);
	return p == MAP_FAILED ? NULL : p;
}

/* A file of the session, a page, which begins with @begin: mapped, or NULL. */
static void *make_page(const struct trace_writer *j, const char *name, const void *begin,
		       size_t bytes, struct softlbr_error *e)
{
	int directory = session_directory_open(&j->directory);
	int fd = directory < 0 ? -1
			       : openat(directory, name,
					O_RDWR | O_CREAT | O_EXCL | O_NOFOLLOW | O_CLOEXEC, 0600);
	void *p = map_page(fd, begin, bytes);

	if (!p)
		error_set_errno(e, j->directory.path, "cannot make %s/%s", j->directory.path, name);
	if (fd >= 0)
		close(fd);
	if (directory >= 0)
		close(directory);
	return p;
}

static int make_pages(struct trace_writer *j, struct softlbr_error *e)
{
	struct session_control begin = {
		.magic = SESSION_MAGIC, .state = (uint32_t)j->state, .options = j->options};

	/* before the control, without which nobody joins */
	j->unjoined = make_page(j, SESSION_EXCLUDED, "", 1, e);
	if (j->unjoined)
		j->control = make_page(j, "control", &begin, sizeof(begin), e);
	return j->control ? 0 : -SOFTLBR_E_SYSTEM;
}

static void tell(void *place, const void *what, size_t bytes)
{
	if (!trusted_bytes_write(place, what, bytes)) {
		/* somebody has cut the file off: then nobody reads it either */
	}
}

void trace_writer_set_state(struct trace_writer *j, enum session_state state)
{
	uint32_t now = (uint32_t)state;

	if (j->state == state)
		return;
	j->state = state;
	j->changes++;
	tell(&j->control->state, &now, sizeof(now));
	/* acquired in process_life.c: run_switch_thread */
	tell(&j->control->changes, &j->changes, sizeof(j->changes));
	syscall(SYS_futex, &j->control->changes, FUTEX_WAKE, INT_MAX, NULL, NULL, 0);
}

void trace_writer_set_converged(struct trace_writer *j, bool converged)
{
	uint32_t now = converged;

	if (j->converged != converged)
		tell(&j->control->converged, &now, sizeof(now));
	j->converged = converged;
}

/* ---- processes that joined ----------------------------------------------------------------- */

static bool known(struct trace_writer *j, const char *name)
{
	struct process_buffer *m;
	uint32_t pid = process_buffer_pid(name);

	vector_each (&j->processes, m)
		if (m->pid == pid && !strcmp(m->name, name))
			return true;
	return false;
}

/* A process that is still making its file is met again at the next look. */
static int adopt(struct trace_writer *j, const char *name, struct softlbr_error *e)
{
	struct process_buffer met, *slot;
	int rc = process_buffer_open(&met, &j->common, name, e);

	if (rc <= 0)
		return rc;
	slot = vector_push(&j->processes);
	if (!slot) {
		process_buffer_close(&met);
		return error_set_nomem(e);
	}
	*slot = met;
	j->process_count++;
	return 0;
}

static int look_for_files(struct trace_writer *j, struct softlbr_error *e)
{
	int copy = openat(j->common.directory, ".", O_RDONLY | O_DIRECTORY | O_CLOEXEC);
	DIR *d = copy < 0 ? NULL : fdopendir(copy);
	struct dirent *entry;
	int rc = 0;

	for (unsigned i = 0; !rc && d && i < NAMES_MOST && (entry = readdir(d)); i++)
		if (j->processes.count < PROCESSES_MOST && process_buffer_pid(entry->d_name) &&
		    !known(j, entry->d_name))
			rc = adopt(j, entry->d_name, e);
	if (d)
		closedir(d);
	else if (copy >= 0)
		close(copy);
	return rc;
}

/* Each program has one first trace, and it costs two to three times what later ones do. */
static void take_first(struct trace_writer *j, struct process_buffer *m,
		       const struct process_header *header)
{
	uint64_t ns = header->costs.first_ns, mean = j->costs.first_ns;

	if (m->first || !trusted_trace_ns(ns))
		return;
	m->first = true;
	if (j->firsts < FIRSTS)
		j->firsts++;
	j->costs.first_ns = (mean * (j->firsts - 1) + ns) / j->firsts;
	tell(&j->control->costs.first_ns, &j->costs.first_ns, sizeof(j->costs.first_ns));
}

static int drain_process(struct trace_writer *j, struct process_buffer *m, bool *wrote,
			 struct softlbr_error *e)
{
	struct process_header header;

	if (process_buffer_drain(m, &j->common, wrote, &header, e))
		return -SOFTLBR_E_SYSTEM;
	take_first(j, m, &header);
	if (!*wrote)
		return 0; /* what an idle process measured may be long ago */
	trusted_costs_copy(&j->costs, &header.costs);
	tell(&j->control->costs, &j->costs, sizeof(j->costs));
	return 0;
}

static void add_counters(const struct process_header *header, uint64_t counters[COUNTER_COUNT],
			 int *refused)
{
	for (unsigned i = 0; i < COUNTER_COUNT; i++)
		trusted_add(&counters[i], header->counters[i]);
	if (!*refused)
		*refused = trusted_errno(header);
}

/* Give back a process's memory; what it counted stays. */
static void forget_process(struct trace_writer *j, struct process_buffer *m)
{
	struct process_header header;

	if (process_buffer_header(m, &header)) {
		add_counters(&header, j->counters, &j->refused);
		exclusion_list_add(&j->exclusions, &header.exclusions);
	}
	process_buffer_remove(m, &j->common);
	process_buffer_close(m);
	*m = j->processes.items[--j->processes.count];
}

/* Has it ended? At once, as most of a build's have; then ever more seldom, so that a process that
 * sleeps is not looked at all the time. */
static bool is_worth_a_look(const struct process_buffer *m)
{
	return m->quiet && (m->quiet % 64 == 0 || (m->quiet & (m->quiet - 1)) == 0);
}

static int drain_processes(struct trace_writer *j, struct softlbr_error *e)
{
	for (size_t i = j->processes.count; i-- > 0;) {
		struct process_buffer *m = &j->processes.items[i];
		bool wrote, ended;

		if (drain_process(j, m, &wrote, e))
			return -SOFTLBR_E_SYSTEM;
		m->quiet = wrote ? 0 : m->quiet + 1;
		ended = is_worth_a_look(m) && process_buffer_has_ended(m, &j->common);
		if (ended && drain_process(j, m, &wrote, e))
			return -SOFTLBR_E_SYSTEM;
		if (ended)
			forget_process(j, m);
	}
	return 0;
}

int trace_writer_drain(struct trace_writer *j, struct softlbr_error *e)
{
	int rc;

	j->common.directory = session_directory_open(&j->directory);
	rc = j->common.directory < 0 ? 0 : look_for_files(j, e);
	if (!rc)
		rc = drain_processes(j, e);
	if (j->common.directory >= 0)
		close(j->common.directory);
	j->common.directory = -1;
	return rc ? -SOFTLBR_E_SYSTEM : 0;
}

int trace_writer_sync(struct trace_writer *j, struct softlbr_error *e)
{
	return recording_file_sync(&j->writer, e);
}

void trace_writer_count(const struct trace_writer *j, uint64_t counters[COUNTER_COUNT],
			int *refused)
{
	struct process_header header;
	const struct process_buffer *m;

	memcpy(counters, j->counters, sizeof(j->counters));
	*refused = j->refused;
	vector_each (&j->processes, m)
		if (process_buffer_header(m, &header))
			add_counters(&header, counters, refused);
}

void trace_writer_exclusions(const struct trace_writer *j, struct exclusion_list *out)
{
	struct process_header header;
	struct exclusions unjoined;
	const struct process_buffer *m;

	*out = j->exclusions;
	if (trusted_bytes_read(&unjoined, j->unjoined, sizeof(unjoined)))
		exclusion_list_add(out, &unjoined);
	vector_each (&j->processes, m)
		if (process_buffer_header(m, &header))
			exclusion_list_add(out, &header.exclusions);
	exclusion_list_sort(out);
}

/* ---- the recording ------------------------------------------------------------------------- */

int trace_writer_open(struct trace_writer *j, const struct session_options *options,
		      enum session_state state, const char *output, struct softlbr_error *e)
{
	*j = (struct trace_writer){.options = *options, .state = state, .writer = {.fd = -1}};
	j->common = (struct process_buffer_session){
		.directory = -1,
		.options = &j->options,
		.since_ns = clock_now_ns(),
		.writer = &j->writer,
	};
	if (!session_directory_make(&j->directory, e) && !make_pages(j, e) &&
	    !recording_file_open(&j->writer, options, output, e))
		return 0;
	trace_writer_close(j);
	return -SOFTLBR_E_SYSTEM;
}

int trace_writer_hold(struct trace_writer *j, struct softlbr_error *e)
{
	return hold_liveness(&j->liveness, &j->control->alive, e);
}

static int tell_process(struct trace_writer *j, const struct process_buffer *m,
			struct softlbr_error *e)
{
	char path[SESSION_DIRECTORY_BYTES + PROCESS_BUFFER_NAME_BYTES];
	struct synthesize_task task = {m->pid, m->pid};
	struct synthesize_maps maps = {0};
	bool changed;
	int rc;

	/* who has given another's number has not mapped this file there */
	snprintf(path, sizeof(path), "%s/%s", strrchr(j->directory.path, '/'), m->name);
	if (!synthesize_has_mapped(m->pid, path))
		return 0;
	rc = synthesize_comm(&j->writer, task, false, e);
	if (!rc)
		rc = synthesize_maps(&j->writer, task, &maps, &changed, e);
	synthesize_maps_deinit(&maps);
	return rc;
}

int trace_writer_tell_again(struct trace_writer *j, struct softlbr_error *e)
{
	const struct process_buffer *m;
	int rc = 0;

	vector_each (&j->processes, m) {
		rc = tell_process(j, m, e);
		if (rc)
			break;
	}
	return rc;
}

int trace_writer_finish(struct trace_writer *j, char *const *command, struct softlbr_error *e)
{
	uint64_t counters[COUNTER_COUNT];
	int refused;

	trace_writer_count(j, counters, &refused);
	return recording_file_finish(&j->writer, &j->options, counters, command, e);
}

void trace_writer_close(struct trace_writer *j)
{
	struct process_buffer *m;

	end_liveness(&j->liveness);
	session_directory_remove(&j->directory);
	perfdata_writer_abandon(&j->writer);
	vector_each (&j->processes, m)
		process_buffer_close(m);
	vector_deinit(&j->processes);
	process_buffer_walk_deinit(&j->common.walk);
	memory_free(j->common.records);
	if (j->control)
		munmap(j->control, SESSION_PAGE);
	if (j->unjoined)
		munmap((void *)j->unjoined, SESSION_PAGE);
	*j = (struct trace_writer){.writer = {.fd = -1}};
}
