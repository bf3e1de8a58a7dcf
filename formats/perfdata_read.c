/* SPDX-License-Identifier: MIT */
/*
 * Reading perf.data: the walk over its records. Layouts are the kernel's, linux/perf_event.h, and
 * tools/perf/Documentation/perf.data-file-format.txt. Files of either byte order, and recordings
 * of a pipe, and compressed records (perf record -z), which are one zstd stream of records.
 */
#include <string.h>
#include <sys/mman.h>
#include <unistd.h>

#include "base/error.h"
#include "base/memory.h"
#include "formats/perfdata_reader.h"

#define RECORD_HEADER_BYTES 8
/* How much of a mapped file stays in memory behind the reader. */
#define WINDOW_BYTES (8u << 20)
/* Expanded bytes of compressed records: more than the largest record. */
#define EXPANDED_BYTES (256u << 10)

/* One record as it lies in the file. */
struct raw_record {
	uint32_t type;
	uint16_t misc;
	uint64_t offset;
	uint64_t order; /* the same as if no record were compressed */
	struct cursor body;
};

static int cut_off(struct perfdata_reader *r, uint64_t offset, struct softlbr_error *e)
{
	r->info.truncated_at = offset;
	return error_set_at(e, SOFTLBR_E_INPUT, r->name, offset,
			    "%s is cut off (at byte %llu): the recorder was killed, the disk was "
			    "full, or the copy is incomplete; record or copy it again",
			    r->name, (unsigned long long)offset);
}

static int bad_record(const struct perfdata_reader *r, const struct raw_record *raw,
		      const char *what, struct softlbr_error *e)
{
	return error_set_at(e, SOFTLBR_E_INPUT, r->name, raw->offset,
			    "%s is damaged at byte %llu: %s (record type %u)", r->name,
			    (unsigned long long)raw->offset, what, raw->type);
}

/* Some records are followed by data that their size does not include. */
static uint64_t bytes_behind(const struct raw_record *raw)
{
	struct cursor c = raw->body;

	if (raw->type == PERFDATA_AUXTRACE)
		return cursor_u64(&c);
	if (raw->type == PERFDATA_HEADER_TRACING_DATA)
		return ((uint64_t)cursor_u32(&c) + 7) & ~7ull;
	return 0;
}

/* The record at *@at, which moves behind it. 1 = there is one, 0 = end, negative = error. */
static int next_record(struct perfdata_reader *r, size_t *at, struct raw_record *raw,
		       struct softlbr_error *e)
{
	size_t left = r->data_end - *at;
	struct cursor c = perfdata_cursor(r, r->data + *at, left);
	uint64_t behind;
	uint16_t size;

	if (!left)
		return 0;
	raw->offset = *at;
	raw->type = cursor_u32(&c);
	raw->misc = cursor_u16(&c);
	size = cursor_u16(&c);
	if (left < RECORD_HEADER_BYTES)
		return cut_off(r, *at, e);
	if (size < RECORD_HEADER_BYTES)
		return bad_record(r, raw, "a record of less than 8 bytes", e);
	if (size > left)
		return cut_off(r, *at, e);
	raw->body = perfdata_cursor(r, r->data + *at + RECORD_HEADER_BYTES,
				    size - (size_t)RECORD_HEADER_BYTES);
	*at += size;
	behind = bytes_behind(raw);
	if (behind > r->data_end - *at)
		return cut_off(r, raw->offset, e);
	*at += (size_t)behind;
	return 1;
}

/* ---- records other than samples ------------------------------------------------------------ */

static bool parse_mmap(const struct perfdata_reader *r, struct raw_record *raw,
		       struct perfdata_mmap *m)
{
	struct cursor *c = &raw->body;

	*m = (struct perfdata_mmap){.protection = PROT_EXEC};
	m->pid = cursor_u32(c);
	m->tid = cursor_u32(c);
	m->start = cursor_u64(c);
	m->length = cursor_u64(c);
	m->page_offset = cursor_u64(c);
	if (raw->type == PERF_RECORD_MMAP2) {
		const uint8_t *identity = cursor_bytes(c, 24);

		if (identity && raw->misc & PERF_RECORD_MISC_MMAP_BUILD_ID) {
			m->build_id.size = identity[0] <= 20 ? identity[0] : 20;
			memcpy(m->build_id.bytes, identity + 4, m->build_id.size);
		}
		m->protection = cursor_u32(c);
		cursor_u32(c); /* MAP_* flags */
	} else if (raw->misc & PERF_RECORD_MISC_MMAP_DATA) {
		m->protection = PROT_READ;
	}
	m->path = cursor_string(c);
	if (!m->path)
		return false;
	if (!m->build_id.size)
		m->build_id = perfdata_build_id_of(r, m->path);
	return true;
}

static bool parse_task(struct raw_record *raw, struct perfdata_record *record)
{
	struct perfdata_task *t = &record->task;
	struct cursor *c = &raw->body;

	*t = (struct perfdata_task){0};
	t->pid = cursor_u32(c);
	if (raw->type == PERF_RECORD_COMM) {
		t->tid = cursor_u32(c);
		t->comm = cursor_string(c);
		t->exec = raw->misc & PERF_RECORD_MISC_COMM_EXEC;
		return t->comm != NULL;
	}
	t->parent_pid = cursor_u32(c);
	t->tid = cursor_u32(c);
	t->parent_tid = cursor_u32(c);
	record->time = cursor_u64(c);
	return !c->failed;
}

/* 1 = @record is filled, 0 = of no interest, negative = error. */
static int parse_record(struct perfdata_reader *r, struct raw_record *raw,
			struct perfdata_record *record, struct softlbr_error *e)
{
	size_t trailer;
	bool good = true;

	record->type = raw->type;
	record->misc = raw->misc;
	record->offset = raw->order;
	if (raw->type == PERF_RECORD_SAMPLE) {
		record->time = 0;
		good = perfdata_parse_sample(r, &raw->body, record);
		return good ? 1 : bad_record(r, raw, "a sample's fields do not fit into it", e);
	}
	record->time = perfdata_trailer_time(r, &raw->body, &trailer);
	raw->body.size -= trailer;
	switch (raw->type) {
	case PERF_RECORD_MMAP:
	case PERF_RECORD_MMAP2:
		good = parse_mmap(r, raw, &record->mmap);
		break;
	case PERF_RECORD_COMM:
	case PERF_RECORD_FORK:
	case PERF_RECORD_EXIT:
		good = parse_task(raw, record);
		break;
	case PERF_RECORD_LOST:
		cursor_skip(&raw->body, 8);
		record->lost = cursor_u64(&raw->body);
		good = !raw->body.failed;
		break;
	case PERF_RECORD_LOST_SAMPLES:
		record->lost = cursor_u64(&raw->body);
		good = !raw->body.failed;
		break;
	case PERFDATA_AUXTRACE_INFO:
		r->info.auxtrace = cursor_u32(&raw->body);
		return 0;
	default:
		return 0;
	}
	return good ? 1 : bad_record(r, raw, "its fields do not fit into it", e);
}

/* ---- a pipe's header records --------------------------------------------------------------- */

static int add_attr_record(struct perfdata_reader *r, struct raw_record *raw,
			   struct softlbr_error *e)
{
	struct perf_event_attr attr;
	struct cursor peek = raw->body;
	uint32_t size;

	cursor_u32(&peek);
	size = cursor_u32(&peek); /* attr.size */
	if (!perfdata_parse_attr(&raw->body, size, &attr))
		return bad_record(r, raw, "an event's attributes do not fit into it", e);
	return perfdata_add_event(r, &attr, &raw->body, e);
}

static int read_pipe_header(struct perfdata_reader *r, struct softlbr_error *e)
{
	size_t at = r->data_begin;
	struct raw_record raw = {0};

	/* a cut is reported by the reading of the records */
	while (next_record(r, &at, &raw, NULL) > 0) {
		int rc = 0;

		if (raw.type == PERFDATA_HEADER_ATTR) {
			rc = add_attr_record(r, &raw, e);
		} else if (raw.type == PERFDATA_HEADER_BUILD_ID) {
			rc = perfdata_add_build_id(r, raw.misc, &raw.body, e);
		} else if (raw.type == PERFDATA_HEADER_FEATURE) {
			uint64_t feature = cursor_u64(&raw.body);

			if (feature <= PERFDATA_FEATURE_LAST)
				rc = perfdata_add_feature(r, (unsigned)feature, &raw.body, e);
		}
		if (rc)
			return rc;
	}
	return 0;
}

/* ---- the calls ----------------------------------------------------------------------------- */

static struct perfdata_reader *perfdata_start(struct perfdata_reader *r, const char *name,
					      struct softlbr_error *e)
{
	int rc;

	r->name = memory_copy_string(name);
	r->build_id_paths = strings_new();
	if (!r->name || !r->build_id_paths)
		rc = error_set_nomem(e);
	else
		rc = perfdata_read_header(r, e);
	if (!rc && r->pipe)
		rc = read_pipe_header(r, e);
	if (!rc)
		rc = perfdata_finish_header(r, e);
	if (!rc)
		return r;
	perfdata_close(r);
	return NULL;
}

struct perfdata_reader *perfdata_open_take(struct file_view *view, const char *name,
					   struct softlbr_error *e)
{
	struct perfdata_reader *r = memory_alloc(sizeof(*r));

	if (!r) {
		error_set_nomem(e);
		file_view_close(view);
		return NULL;
	}
	r->view = *view;
	*view = (struct file_view){0};
	r->data = r->view.data;
	r->size = r->view.size;
	return perfdata_start(r, name, e);
}

struct perfdata_reader *perfdata_open_view(const struct file_view *view, const char *name,
					   struct softlbr_error *e)
{
	struct file_view borrowed = *view;

	borrowed.borrowed = true;
	return perfdata_open_take(&borrowed, name, e);
}

void perfdata_close(struct perfdata_reader *r)
{
	if (!r)
		return;
	if (r->view.data)
		file_view_close(&r->view);
	vector_deinit(&r->events);
	map_deinit(&r->event_of_id);
	strings_free(r->build_id_paths);
	vector_deinit(&r->build_ids);
	memory_free(r->comment);
	memory_free(r->command);
	memory_free(r->cpu);
	memory_free(r->host);
	memory_free(r->name);
	memory_free(r);
}

const struct perfdata_info *perfdata_info(const struct perfdata_reader *r)
{
	return &r->info;
}

static bool is_wanted(uint32_t type, enum perfdata_wanted wanted)
{
	if (wanted == PERFDATA_NO_SAMPLES)
		return type != PERF_RECORD_SAMPLE;
	if (wanted == PERFDATA_ONLY_SAMPLES)
		return type == PERF_RECORD_SAMPLE || type == PERF_RECORD_LOST ||
		       type == PERF_RECORD_LOST_SAMPLES;
	return true;
}

/* Let go of what lies far behind @at, so that memory does not grow with the file. */
static size_t release(const struct perfdata_reader *r, size_t released, size_t at)
{
	size_t page = (size_t)sysconf(_SC_PAGESIZE), end = at & ~(page - 1);

	if (r->view.mapped)
		madvise((void *)(r->view.data + released), end - released, MADV_DONTNEED);
	return end;
}

/* ---- the walk ------------------------------------------------------------------------------ */

struct walk {
	struct perfdata_reader *r;
	enum perfdata_wanted wanted;
	perfdata_handler *handler;
	void *context;
	struct softlbr_error *e;
	uint64_t order;
	/* of compressed records */
	struct compress_stream *stream;
	uint8_t *expanded;
	size_t expanded_bytes; /* the beginning of a record whose rest is in the next one */
};

static int deliver(struct walk *w, struct raw_record *raw)
{
	struct perfdata_record record;
	int rc;

	raw->order = w->order;
	if (!is_wanted(raw->type, w->wanted))
		return 0;
	rc = parse_record(w->r, raw, &record, w->e);
	return rc > 0 ? w->handler(w->context, &w->r->info, &record, w->e) : rc;
}

/* Deliver the whole records among the expanded bytes and keep the rest. */
static int deliver_expanded(struct walk *w, const struct raw_record *outer)
{
	size_t at = 0;
	int rc = 0;

	while (!rc && w->expanded_bytes - at >= RECORD_HEADER_BYTES) {
		struct cursor c = perfdata_cursor(w->r, w->expanded + at, w->expanded_bytes - at);
		struct raw_record raw = {.offset = outer->offset};
		uint16_t size;

		raw.type = cursor_u32(&c);
		raw.misc = cursor_u16(&c);
		size = cursor_u16(&c);
		if (size < RECORD_HEADER_BYTES)
			return bad_record(w->r, outer, "it holds a record of less than 8 bytes",
					  w->e);
		if (size > w->expanded_bytes - at)
			break;
		raw.body = perfdata_cursor(w->r, w->expanded + at + RECORD_HEADER_BYTES,
					   size - (size_t)RECORD_HEADER_BYTES);
		rc = deliver(w, &raw);
		at += size;
		w->order += size;
	}
	w->expanded_bytes -= at;
	memmove(w->expanded, w->expanded + at, w->expanded_bytes);
	return rc;
}

/*
 * Each thread of perf record --threads has a stream of its own, which is never ended: its first
 * bytes are a frame's magic number. Within a stream pieces begin with a block's header, and as one
 * of these that would be of a size that no block may have.
 */
static bool begins_stream(const struct raw_record *outer)
{
	static const uint8_t magic[] = {0x28, 0xb5, 0x2f, 0xfd};
	struct cursor c = outer->body;
	const uint8_t *first;

	if (outer->type == PERFDATA_COMPRESSED2)
		cursor_skip(&c, 8);
	first = cursor_bytes(&c, sizeof(magic));
	return first && !memcmp(first, magic, sizeof(magic));
}

static int start_expanding(struct walk *w, const struct raw_record *outer)
{
	if (w->stream && !w->expanded_bytes && begins_stream(outer)) {
		compress_stream_free(w->stream);
		w->stream = NULL;
	}
	if (!w->stream)
		w->stream = compress_stream_new();
	if (!w->expanded)
		w->expanded = memory_alloc(EXPANDED_BYTES);
	return w->stream && w->expanded ? 0 : error_set_nomem(w->e);
}

/* A compressed record: a piece of a zstd stream of records, which may span pieces. */
static int expand(struct walk *w, struct raw_record *outer)
{
	uint64_t size = outer->body.size;
	const uint8_t *in;
	size_t left, got = 1;
	int rc = start_expanding(w, outer);

	if (!rc && outer->type == PERFDATA_COMPRESSED2)
		size = cursor_u64(&outer->body); /* padding follows */
	left = (size_t)size;
	in = size > cursor_left(&outer->body) ? NULL : cursor_bytes(&outer->body, left);
	if (!rc && !in)
		rc = bad_record(w->r, outer, "its fields do not fit into it", w->e);
	while (!rc && (left || got)) {
		if (compress_stream_expand(w->stream, &in, &left, w->expanded + w->expanded_bytes,
					   EXPANDED_BYTES - w->expanded_bytes, &got))
			return bad_record(w->r, outer, "it is no zstd stream", w->e);
		w->expanded_bytes += got;
		rc = deliver_expanded(w, outer);
	}
	return rc;
}

static int perfdata_walk(struct walk *w)
{
	struct perfdata_reader *r = w->r;
	size_t at = r->data_begin, released = 0;
	struct raw_record raw = {0};
	int rc;

	w->order = at;
	while ((rc = next_record(r, &at, &raw, w->e)) > 0) {
		if (at - released > WINDOW_BYTES)
			released = release(r, released, (size_t)raw.offset);
		if (raw.type == PERFDATA_COMPRESSED || raw.type == PERFDATA_COMPRESSED2) {
			rc = expand(w, &raw);
		} else {
			rc = deliver(w, &raw);
			w->order += at - raw.offset;
		}
		if (rc)
			return rc;
	}
	if (!rc && w->expanded_bytes)
		return cut_off(r, r->data_end, w->e);
	if (!rc && r->info.truncated_at != UINT64_MAX)
		rc = cut_off(r, r->data_end, w->e);
	return rc;
}

int perfdata_each(struct perfdata_reader *r, enum perfdata_wanted wanted, perfdata_handler *handler,
		  void *context, struct softlbr_error *e)
{
	struct walk w = {.r = r, .wanted = wanted, .handler = handler, .context = context, .e = e};
	int rc = perfdata_walk(&w);

	compress_stream_free(w.stream);
	memory_free(w.expanded);
	return rc;
}
