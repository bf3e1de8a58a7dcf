/* SPDX-License-Identifier: MIT */
/*
 *	+--------+-----------+------+-------------------+----------------------+-----------+
 *	| header | attr+ids, | data | feature sections' | features, ascending  |
 *	| 104 B  | ids       |      | offsets and sizes | bit order            |
 *	+--------+-----------+------+-------------------+----------------------+-----------+
 */
#include "formats/perfdata_write.h"

#include <errno.h>
#include <fcntl.h>
#include <string.h>
#include <sys/utsname.h>
#include <unistd.h>

#include "base/error.h"
#include "base/file_guard.h"
#include "base/file_output.h"
#include "base/memory.h"

/* Samples of copied stacks: as perf record --call-graph dwarf writes them. */
#define PERFDATA_STACK_TYPE                                                                      \
	(PERF_SAMPLE_IDENTIFIER | PERF_SAMPLE_IP | PERF_SAMPLE_TID | PERF_SAMPLE_TIME |          \
	 PERF_SAMPLE_ADDR | PERF_SAMPLE_PERIOD | PERF_SAMPLE_CALLCHAIN | PERF_SAMPLE_REGS_USER | \
	 PERF_SAMPLE_STACK_USER)
#define PERFDATA_WRITTEN_EVENTS 5u

bool perfdata_is(const uint8_t *data, size_t size)
{
	return size >= 8 && (!memcmp(data, "PERFILE2", 8) || !memcmp(data, "2ELIFREP", 8) ||
			     !memcmp(data, "PERFFILE", 8) || !memcmp(data, "ELIFREPF", 8));
}

static bool is_recording(const struct file_guard_kind *kind, const uint8_t *data, size_t size)
{
	(void)kind;
	return perfdata_is(data, size);
}

const struct file_guard_kind perfdata_kind = {.name = "perf.data", .is = is_recording};

#define MAGIC UINT64_C(0x32454c4946524550) /* "PERFILE2" */

enum feature { /* tools/perf/util/header.h */
	       FEATURE_BUILD_ID = 2,
	       FEATURE_HOSTNAME = 3,
	       FEATURE_OSRELEASE = 4,
	       FEATURE_VERSION = 5,
	       FEATURE_ARCH = 6,
	       FEATURE_NRCPUS = 7,
	       FEATURE_CMDLINE = 11,
	       FEATURE_EVENT_DESC = 12,
	       FEATURE_BRANCH_STACK = 15,
};

enum pipe_record { /* PERF_RECORD_HEADER_*, tools/perf/util/event.h */
		   PIPE_ATTR = 64,
		   PIPE_FEATURE = 80,
};

static const uint8_t features_written[] = {
	FEATURE_BUILD_ID, FEATURE_HOSTNAME, FEATURE_OSRELEASE,	FEATURE_VERSION,      FEATURE_ARCH,
	FEATURE_NRCPUS,	  FEATURE_CMDLINE,  FEATURE_EVENT_DESC, FEATURE_BRANCH_STACK,
};

struct section {
	uint64_t offset, size;
};

struct file_header {
	uint64_t magic, size, attr_size;
	struct section attrs, data, event_types;
	uint64_t features[4];
};

struct file_attr {
	struct perf_event_attr attr;
	struct section ids;
};

/* The ids of a recording's events, of which each has one where there is more than one, else none;
 * returns how many. */
static uint32_t list_events(const struct perfdata_writer *w, uint64_t ids[PERFDATA_WRITTEN_EVENTS])
{
	uint32_t count = 0;

	ids[count++] = PERFDATA_OF_TRACES;
	if (w->beside.values)
		ids[count++] = PERFDATA_OF_VALUES;
	if (w->beside.stack_bytes)
		ids[count++] = PERFDATA_OF_STACKS;
	if (w->beside.times) {
		ids[count++] = PERFDATA_OF_LOADS;
		ids[count++] = PERFDATA_OF_PATHS;
	}
	return count;
}

static uint32_t count_events(const struct perfdata_writer *w)
{
	uint64_t ids[PERFDATA_WRITTEN_EVENTS];

	return list_events(w, ids);
}

static uint64_t data_offset(const struct perfdata_writer *w)
{
	return sizeof(struct file_header) + count_events(w) * sizeof(struct file_attr) +
	       (w->tagged ? count_events(w) * sizeof(uint64_t) : 0);
}

struct bytes {
	VECTOR(uint8_t) v;
};

/* *done: how much of it is written, where it fails as well. */
static int write_part(struct perfdata_writer *w, const void *data, size_t bytes, uint64_t offset,
		      size_t *done, struct softlbr_error *e)
{
	const char *p = data;

	for (*done = 0; *done < bytes;) {
		size_t left = bytes - *done;
		ssize_t n = w->pipe ? write(w->fd, p + *done, left)
				    : pwrite(w->fd, p + *done, left, (off_t)(offset + *done));

		if (n < 0 && errno == EINTR)
			continue;
		if (n <= 0)
			return error_set_errno(e, w->path, "cannot write %s",
					       w->pipe ? "standard output" : w->path);
		*done += (size_t)n;
	}
	return 0;
}

static int write_all(struct perfdata_writer *w, const void *data, size_t bytes, uint64_t offset,
		     struct softlbr_error *e)
{
	size_t done;

	return write_part(w, data, bytes, offset, &done, e);
}

/* Small writes cost the kernel three times as much a page as large ones. */
#define WAITING_MOST (256u << 10)

/* How many of the @bytes are whole records. */
static size_t whole_records(const uint8_t *records, size_t bytes)
{
	struct perf_event_header h;
	size_t at = 0;

	while (bytes - at >= sizeof(h)) {
		memcpy(&h, records + at, sizeof(h));
		if (h.size < sizeof(h) || h.size > bytes - at)
			break;
		at += h.size;
	}
	return at;
}

/* Where not all can be written, what could is part of the file. */
static int write_waiting(struct perfdata_writer *w, struct softlbr_error *e)
{
	uint64_t before = w->data_bytes - w->waiting.count;
	size_t done = 0;
	int rc = write_part(w, w->waiting.items, w->waiting.count, data_offset(w) + before, &done,
			    e);

	if (rc)
		w->data_bytes = before + whole_records(w->waiting.items, done);
	w->waiting.count = 0;
	return rc;
}

static int put_data(struct perfdata_writer *w, const void *data, size_t bytes,
		    struct softlbr_error *e)
{
	if (w->waiting.count + bytes > WAITING_MOST && write_waiting(w, e))
		return -SOFTLBR_E_SYSTEM;
	if (vector_reserve(&w->waiting, bytes))
		return error_set_nomem(e);
	memcpy(w->waiting.items + w->waiting.count, data, bytes);
	w->waiting.count += bytes;
	w->data_bytes += bytes;
	return 0;
}

static int write_header(struct perfdata_writer *w, bool complete, struct softlbr_error *e)
{
	struct file_header h = {
		.magic = MAGIC,
		.size = sizeof(h),
		.attr_size = sizeof(struct file_attr),
		.attrs = {sizeof(h), count_events(w) * sizeof(struct file_attr)},
		.data = {data_offset(w), w->data_bytes},
	};

	if (w->pipe)
		return 0;
	for (size_t i = 0; complete && i < sizeof(features_written); i++)
		h.features[0] |= 1ull << features_written[i];
	return write_all(w, &h, sizeof(h), 0, e);
}

static struct perf_event_attr event_attr_of(const struct perfdata_writer *w, uint64_t id)
{
	static const uint64_t marks[] = {[PERFDATA_OF_VALUES] = PERFDATA_VALUES_MARK,
					 [PERFDATA_OF_STACKS] = PERFDATA_STACKS_MARK,
					 [PERFDATA_OF_LOADS] = PERFDATA_LOADS_MARK,
					 [PERFDATA_OF_PATHS] = PERFDATA_PATHS_MARK};
	struct perf_event_attr attr = w->attr;

	if (id == PERFDATA_OF_TRACES)
		return attr;
	attr.type = PERF_TYPE_SOFTWARE;
	attr.config = PERF_COUNT_SW_DUMMY; /* it counts nothing */
	attr.config1 = marks[id];
	attr.config2 = 0;
	attr.sample_period = 1;
	if (id == PERFDATA_OF_STACKS) {
		/* perf looks for what it unwinds by in the attributes of the sample's own event */
		attr.sample_type = PERFDATA_STACK_TYPE;
		attr.branch_sample_type = 0;
		attr.sample_regs_intr = 0;
		attr.sample_regs_user = w->beside.stack_registers;
		attr.sample_stack_user = w->beside.stack_bytes;
		attr.exclude_callchain_user = 1;
	}
	return attr;
}

/* The pipe's header. */
static int begin_pipe(struct perfdata_writer *w, struct softlbr_error *e)
{
	struct {
		uint64_t magic, size;
	} begin = {.magic = MAGIC, .size = sizeof(begin)};

	return write_all(w, &begin, sizeof(begin), 0, e);
}

/* An event as a record. */
static int put_pipe_event(struct perfdata_writer *w, uint64_t id, struct softlbr_error *e)
{
	struct {
		struct perf_event_header header;
		struct perf_event_attr attr;
		uint64_t id;
	} event = {.header = {PIPE_ATTR, 0, sizeof(event) - (w->tagged ? 0 : sizeof(event.id))},
		   .attr = event_attr_of(w, id),
		   .id = id};

	return write_all(w, &event, event.header.size, 0, e);
}

/* Behind the file's header: the events, and their ids. */
static int put_event_table(struct perfdata_writer *w, struct softlbr_error *e)
{
	uint64_t ids[PERFDATA_WRITTEN_EVENTS];
	uint32_t count = list_events(w, ids);
	uint64_t at = sizeof(struct file_header), ids_at = at + count * sizeof(struct file_attr);

	for (uint32_t i = 0; i < count; i++, at += sizeof(struct file_attr)) {
		struct file_attr a = {.attr = event_attr_of(w, ids[i]), .ids = {ids_at, 0}};

		if (w->tagged)
			a.ids = (struct section){ids_at + i * sizeof(ids[0]), sizeof(ids[0])};
		if (write_all(w, &a, sizeof(a), at, e))
			return -SOFTLBR_E_SYSTEM;
	}
	return w->tagged ? write_all(w, ids, count * sizeof(ids[0]), ids_at, e) : 0;
}

static int open_output(struct perfdata_writer *w, const char *path, struct softlbr_error *e)
{
	w->pipe = !strcmp(path, "-");
	if (w->pipe && isatty(STDOUT_FILENO))
		return error_set(e, SOFTLBR_E_USAGE, path,
				 "a recording is not written to a terminal: redirect standard "
				 "output, or name a file");
	w->fd = w->pipe ? fcntl(STDOUT_FILENO, F_DUPFD_CLOEXEC, 0)
			: file_growing_open(path, &w->temporary, e);
	return w->fd < 0 ? error_set_errno(e, path, "cannot create %s", path) : 0;
}

bool perfdata_writer_appeared(const struct perfdata_writer *w)
{
	return !w->temporary;
}

int perfdata_writer_appear(struct perfdata_writer *w, struct softlbr_error *e)
{
	char *temporary = w->temporary;

	w->temporary = NULL;
	return file_growing_appear(w->path, temporary, e);
}

static int begin_file(struct perfdata_writer *w, struct softlbr_error *e)
{
	return write_header(w, false, e) || put_event_table(w, e) ||
	       (!file_growing_has_old(w->path) && perfdata_writer_appear(w, e));
}

static int begin_stream(struct perfdata_writer *w, struct softlbr_error *e)
{
	uint64_t ids[PERFDATA_WRITTEN_EVENTS];
	uint32_t count = list_events(w, ids);
	int rc = begin_pipe(w, e);

	for (uint32_t i = 0; !rc && i < count; i++)
		rc = put_pipe_event(w, ids[i], e);
	return rc;
}

int perfdata_writer_open(struct perfdata_writer *w, const char *path,
			 const struct perf_event_attr *attr, const struct perfdata_beside *beside,
			 struct softlbr_error *e)
{
	struct perf_event_attr *a = &w->attr;
	bool tagged;

	*w = (struct perfdata_writer){.fd = -1, .path = memory_copy_string(path), .attr = *attr};
	if (beside)
		w->beside = *beside;
	tagged = w->tagged = w->beside.values || w->beside.times || w->beside.stack_bytes;
	if (!w->path)
		return error_set_nomem(e);
	if (open_output(w, path, e)) {
		perfdata_writer_abandon(w);
		return -SOFTLBR_E_SYSTEM;
	}
	a->size = sizeof(*a);
	a->sample_type = tagged ? PERFDATA_TAGGED_TYPE : PERFDATA_SAMPLE_TYPE;
	a->sample_regs_intr = tagged ? PERFDATA_VALUE_MASK : 0;
	if (!a->branch_sample_type)
		a->branch_sample_type = PERF_SAMPLE_BRANCH_USER | PERF_SAMPLE_BRANCH_ANY;
	a->read_format = 0;
	a->sample_id_all = 1;
	a->mmap = a->mmap2 = a->comm = a->comm_exec = a->task = 1;
	/* How the collector had its signals is of no use to a reader, and old readers refuse it. */
	a->sigtrap = a->remove_on_exec = a->disabled = 0;
	a->sig_data = 0;
	if (w->pipe ? begin_stream(w, e) : begin_file(w, e)) {
		perfdata_writer_abandon(w);
		return -SOFTLBR_E_SYSTEM;
	}
	return 0;
}

/* The part of PERF_RECORD_MMAP2 that the build-id table needs. */
struct mmap2 {
	struct perf_event_header header;
	uint32_t pid, tid;
	uint64_t start, length, page_offset;
	uint8_t build_id_size;
	uint8_t reserved[3];
	uint8_t build_id[20];
	uint32_t protection, flags;
	char path[];
};

static int note_module(struct perfdata_writer *w, const struct mmap2 *m, struct softlbr_error *e)
{
	struct perfdata_module *module;

	vector_each (&w->modules, module) {
		if (!strcmp(module->path, m->path) && module->build_id.size == m->build_id_size &&
		    !memcmp(module->build_id.bytes, m->build_id, m->build_id_size))
			return 0;
	}
	module = vector_push(&w->modules);
	if (!module)
		return error_set_nomem(e);
	module->path = memory_copy_string(m->path);
	module->pid = m->pid;
	module->build_id.size = m->build_id_size;
	memcpy(module->build_id.bytes, m->build_id, sizeof(m->build_id));
	return module->path ? 0 : error_set_nomem(e);
}

static bool has_build_id(const struct perf_event_header *h)
{
	const struct mmap2 *m = (const void *)h;

	return h->type == PERF_RECORD_MMAP2 && h->misc & PERF_RECORD_MISC_MMAP_BUILD_ID &&
	       h->size > sizeof(*m) && m->build_id_size && m->build_id_size <= 20 &&
	       memchr(m->path, 0, h->size - sizeof(*m));
}

int perfdata_writer_append(struct perfdata_writer *w, const void *records, size_t bytes,
			   struct softlbr_error *e)
{
	const char *p = records;

	for (size_t at = 0; at + sizeof(struct perf_event_header) <= bytes;) {
		const struct perf_event_header *h = (const void *)(p + at);

		if (has_build_id(h) && note_module(w, (const void *)h, e))
			return -SOFTLBR_E_SYSTEM;
		w->has_samples |= h->type == PERF_RECORD_SAMPLE;
		at += h->size >= sizeof(*h) ? h->size : bytes;
	}
	return put_data(w, records, bytes, e);
}

int perfdata_writer_append_other(struct perfdata_writer *w, const struct perf_event_header *record,
				 struct softlbr_error *e)
{
	const uint64_t id = PERFDATA_OF_TRACES;
	struct perf_event_header h = *record;

	if (!w->tagged)
		return perfdata_writer_append(w, record, record->size, e);
	if (has_build_id(record) && note_module(w, (const void *)record, e))
		return -SOFTLBR_E_SYSTEM;
	h.size = (uint16_t)(h.size + sizeof(id));
	if (put_data(w, &h, sizeof(h), e) || put_data(w, record + 1, record->size - sizeof(h), e) ||
	    put_data(w, &id, sizeof(id), e))
		return -SOFTLBR_E_SYSTEM;
	return 0;
}

int perfdata_writer_sync(struct perfdata_writer *w, struct softlbr_error *e)
{
	int rc = write_waiting(w, e) ?: write_header(w, false, e);

	return rc || !w->has_samples ? rc : perfdata_writer_appear(w, e);
}

static void perfdata_put(struct bytes *b, const void *data, size_t size, bool *failed)
{
	if (!size)
		return;
	if (vector_reserve(&b->v, size)) {
		*failed = true;
		return;
	}
	memcpy(b->v.items + b->v.count, data, size);
	b->v.count += size;
}

static void put_u32(struct bytes *b, uint32_t value, bool *failed)
{
	perfdata_put(b, &value, sizeof(value), failed);
}

/* A string is its padded length, then its bytes and NULs up to a multiple of 64. */
static void put_string(struct bytes *b, const char *text, bool *failed)
{
	static const char zeros[64];
	size_t length = strlen(text) + 1, padded = (length + 63) & ~(size_t)63;

	put_u32(b, (uint32_t)padded, failed);
	perfdata_put(b, text, length, failed);
	perfdata_put(b, zeros, padded - length, failed);
}

static void put_build_ids(struct bytes *b, const struct perfdata_writer *w, bool *failed)
{
	static const char zeros[8];
	const struct perfdata_module *module;

	vector_each (&w->modules, module) {
		size_t length = strlen(module->path) + 1, padded = (length + 7) & ~(size_t)7;
		struct {
			struct perf_event_header header;
			int32_t pid;
			uint8_t build_id[20];
			uint8_t build_id_size, reserved[3];
		} head = {
			/* misc bit 15: the size byte is there (tools/perf/util/build-id.c) */
			.header = {0, PERF_RECORD_MISC_USER | 1 << 15,
				   (uint16_t)(sizeof(head) + padded)},
			.pid = -1,
			.build_id_size = module->build_id.size,
		};

		memcpy(head.build_id, module->build_id.bytes, sizeof(head.build_id));
		perfdata_put(b, &head, sizeof(head), failed);
		perfdata_put(b, module->path, length, failed);
		perfdata_put(b, zeros, padded - length, failed);
	}
}

static void put_command(struct bytes *b, char *const *command, bool *failed)
{
	uint32_t n = 0;

	while (command && command[n])
		n++;
	put_u32(b, n, failed);
	for (uint32_t i = 0; i < n; i++)
		put_string(b, command[i], failed);
}

static void put_events(struct bytes *b, const struct perfdata_writer *w, const char *name,
		       bool *failed)
{
	const char *const names[] = {[PERFDATA_OF_TRACES] = name,
				     [PERFDATA_OF_VALUES] = "softlbr:values",
				     [PERFDATA_OF_STACKS] = "softlbr:stacks",
				     [PERFDATA_OF_LOADS] = "softlbr:loads",
				     [PERFDATA_OF_PATHS] = "softlbr:paths"};
	uint64_t ids[PERFDATA_WRITTEN_EVENTS];
	uint32_t count = list_events(w, ids);

	put_u32(b, count, failed);
	put_u32(b, sizeof(w->attr), failed);
	for (uint32_t i = 0; i < count; i++) {
		struct perf_event_attr attr = event_attr_of(w, ids[i]);

		perfdata_put(b, &attr, sizeof(attr), failed);
		put_u32(b, w->tagged, failed); /* ids */
		put_string(b, names[ids[i]], failed);
		if (w->tagged)
			perfdata_put(b, &ids[i], sizeof(ids[i]), failed);
	}
}

static void put_feature(struct bytes *b, const struct perfdata_writer *w, uint8_t feature,
			const struct perfdata_features *f, bool *failed)
{
	struct utsname host = {0};

	uname(&host);
	switch (feature) {
	case FEATURE_BUILD_ID:
		put_build_ids(b, w, failed);
		break;
	case FEATURE_HOSTNAME:
		put_string(b, host.nodename, failed);
		break;
	case FEATURE_OSRELEASE:
		put_string(b, host.release, failed);
		break;
	case FEATURE_VERSION:
		put_string(b, f->version, failed);
		break;
	case FEATURE_ARCH:
		put_string(b, host.machine, failed);
		break;
	case FEATURE_NRCPUS:
		put_u32(b, (uint32_t)sysconf(_SC_NPROCESSORS_CONF), failed);
		put_u32(b, (uint32_t)sysconf(_SC_NPROCESSORS_ONLN), failed);
		break;
	case FEATURE_CMDLINE:
		put_command(b, f->command, failed);
		break;
	case FEATURE_EVENT_DESC:
		put_events(b, w, f->event_name, failed);
		break;
	}
}

static int write_features(struct perfdata_writer *w, const struct perfdata_features *f,
			  struct softlbr_error *e)
{
	struct section sections[sizeof(features_written)];
	uint64_t at = data_offset(w) + w->data_bytes;
	struct bytes b = {0};
	bool failed = false;
	int rc;

	for (size_t i = 0; i < sizeof(features_written); i++) {
		size_t before = b.v.count;

		put_feature(&b, w, features_written[i], f, &failed);
		sections[i] = (struct section){at + sizeof(sections) + before, b.v.count - before};
	}
	rc = failed ? error_set_nomem(e) : write_all(w, sections, sizeof(sections), at, e);
	if (!rc)
		rc = write_all(w, b.v.items, b.v.count, at + sizeof(sections), e);
	vector_deinit(&b.v);
	return rc;
}

/* A pipe's modules have their build-ids where they are mapped. */
static int put_pipe_features(struct perfdata_writer *w, const struct perfdata_features *f,
			     struct softlbr_error *e)
{
	struct bytes b = {0};
	bool failed = false;
	int rc;

	for (size_t i = 0; i < sizeof(features_written); i++) {
		uint64_t feature = features_written[i];
		struct perf_event_header header = {PIPE_FEATURE, 0, 0};
		size_t begin = b.v.count;

		if (feature == FEATURE_BUILD_ID)
			continue;
		perfdata_put(&b, &header, sizeof(header), &failed);
		perfdata_put(&b, &feature, sizeof(feature), &failed);
		put_feature(&b, w, features_written[i], f, &failed);
		if (failed || b.v.count - begin > UINT16_MAX) {
			b.v.count = begin; /* a command line of 64 KB */
			continue;
		}
		header.size = (uint16_t)(b.v.count - begin);
		memcpy(b.v.items + begin, &header, sizeof(header));
	}
	rc = failed ? error_set_nomem(e) : write_all(w, b.v.items, b.v.count, 0, e);
	vector_deinit(&b.v);
	return rc;
}

int perfdata_writer_close(struct perfdata_writer *w, const struct perfdata_features *features,
			  struct softlbr_error *e)
{
	int rc = write_waiting(w, e);

	if (!rc)
		rc = w->pipe ? put_pipe_features(w, features, e) : write_features(w, features, e);
	if (!rc)
		rc = write_header(w, true, e);
	else
		write_header(w, false, e); /* a full disk: the records are there all the same */
	if (w->has_samples && perfdata_writer_appear(w, e))
		rc = -SOFTLBR_E_SYSTEM;
	if (!rc && close(w->fd))
		rc = error_set_errno(e, w->path, "cannot write %s", w->path);
	else if (rc)
		close(w->fd);
	w->fd = -1;
	perfdata_writer_abandon(w);
	return rc;
}

void perfdata_writer_abandon(struct perfdata_writer *w)
{
	struct perfdata_module *module;

	if (w->fd >= 0)
		close(w->fd);
	file_growing_abandon(w->temporary);
	vector_each (&w->modules, module)
		memory_free(module->path);
	vector_deinit(&w->modules);
	vector_deinit(&w->waiting);
	memory_free(w->path);
	*w = (struct perfdata_writer){.fd = -1};
}
