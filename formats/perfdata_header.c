/* SPDX-License-Identifier: MIT */
/*
 * The parts of a perf.data around its records: file header, event attributes with their ids, and
 * the features behind the records that are of use (build-ids, event names, version, command line).
 * Layout: tools/perf/Documentation/perf.data-file-format.txt.
 */
#include <inttypes.h>
#include <stdio.h>
#include <string.h>

#include "base/error.h"
#include "base/memory.h"
#include "formats/perfdata_reader.h"
#include "formats/perfdata_write.h"

#define PIPE_HEADER_BYTES 16
#define FILE_HEADER_BYTES 104
#define ATTR_MIN_BYTES	  64 /* PERF_ATTR_SIZE_VER0 */
#define STRING_MAX_BYTES  65536
#define EVENTS_MAX	  65536 /* far more than any machine has; bounds hostile files */

struct section {
	uint64_t offset, size;
};

struct file_header {
	uint64_t size, attr_size;
	struct section attrs, data;
	uint64_t features[4];
};

static struct section read_section(struct cursor *c)
{
	struct section s;

	s.offset = cursor_u64(c);
	s.size = cursor_u64(c);
	return s;
}

/* A cursor over a section; failed if it does not lie in the file. */
static struct cursor open_section(const struct perfdata_reader *r, struct section s)
{
	struct cursor c = perfdata_cursor(r, r->data, r->size);

	if (s.offset > r->size || s.size > r->size - s.offset) {
		c.failed = true;
	} else {
		c.data += s.offset;
		c.size = (size_t)s.size;
	}
	return c;
}

/* The kernel's bit fields start at the most significant bit on a big-endian machine. */
static uint64_t reverse_bits(uint64_t v)
{
	uint64_t out = 0;

	for (unsigned i = 0; i < 64; i++)
		out |= (v >> i & 1) << (63 - i);
	return out;
}

bool perfdata_parse_attr(struct cursor *c, size_t size, struct perf_event_attr *attr)
{
	uint8_t bytes[sizeof(*attr)] = {0};
	const void *raw = cursor_bytes(c, size);
	struct cursor a;
	uint64_t bits;

	*attr = (struct perf_event_attr){0};
	if (!raw || size < ATTR_MIN_BYTES)
		return false;
	memcpy(bytes, raw, size < sizeof(bytes) ? size : sizeof(bytes));
	cursor_init(&a, bytes, sizeof(bytes), c->big_endian);
	attr->type = cursor_u32(&a);
	attr->size = cursor_u32(&a);
	attr->config = cursor_u64(&a);
	attr->sample_period = cursor_u64(&a);
	attr->sample_type = cursor_u64(&a);
	attr->read_format = cursor_u64(&a);
	bits = cursor_u64(&a);
	if (c->big_endian)
		bits = reverse_bits(bits);
	memcpy((uint8_t *)attr + 40, &bits, sizeof(bits)); /* behind read_format */
	attr->wakeup_events = cursor_u32(&a);
	attr->bp_type = cursor_u32(&a);
	attr->config1 = cursor_u64(&a);
	attr->config2 = cursor_u64(&a);
	attr->branch_sample_type = cursor_u64(&a);
	attr->sample_regs_user = cursor_u64(&a);
	attr->sample_stack_user = cursor_u32(&a);
	attr->clockid = (int32_t)cursor_u32(&a);
	attr->sample_regs_intr = cursor_u64(&a);
	return true;
}

/* Names of generic events, for recordings that carry none. */
static void name_event(struct perfdata_event *event)
{
	static const char *const hardware[] = {
		"cycles",
		"instructions",
		"cache-references",
		"cache-misses",
		"branches",
		"branch-misses",
		"bus-cycles",
		"stalled-cycles-frontend",
		"stalled-cycles-backend",
		"ref-cycles",
	};
	static const char *const software[] = {"cpu-clock", "task-clock"};
	const struct perf_event_attr *a = &event->attr;

	if (a->type == PERF_TYPE_HARDWARE && a->config < sizeof(hardware) / sizeof(*hardware))
		snprintf(event->name, sizeof(event->name), "%s", hardware[a->config]);
	else if (a->type == PERF_TYPE_SOFTWARE && a->config < 2)
		snprintf(event->name, sizeof(event->name), "%s", software[a->config]);
	else
		snprintf(event->name, sizeof(event->name), "type%" PRIu32 "/config=0x%" PRIx64 "/",
			 a->type, (uint64_t)a->config);
}

static enum perfdata_samples samples_of(const struct perf_event_attr *attr)
{
	if (attr->type != PERF_TYPE_SOFTWARE || attr->config != PERF_COUNT_SW_DUMMY)
		return PERFDATA_MOMENTS;
	return attr->config1 == PERFDATA_VALUES_MARK   ? PERFDATA_VALUES
	       : attr->config1 == PERFDATA_STACKS_MARK ? PERFDATA_STACKS
	       : attr->config1 == PERFDATA_LOADS_MARK  ? PERFDATA_LOADS
	       : attr->config1 == PERFDATA_PATHS_MARK  ? PERFDATA_PATHS
						       : PERFDATA_MOMENTS;
}

int perfdata_add_event(struct perfdata_reader *r, const struct perf_event_attr *attr,
		       struct cursor *ids, struct softlbr_error *e)
{
	struct perfdata_event *event;
	unsigned number = (unsigned)r->events.count;

	if (r->events.count >= EVENTS_MAX)
		return error_set(e, SOFTLBR_E_INPUT, r->name, "%s has more than %d events: damaged",
				 r->name, EVENTS_MAX);
	event = vector_push(&r->events);
	if (!event)
		return error_set_nomem(e);
	event->attr = *attr;
	event->samples = samples_of(attr);
	name_event(event);
	while (cursor_left(ids) >= 8) {
		struct map_entry *id = map_at(&r->event_of_id, cursor_u64(ids), 0);

		if (!id)
			return error_set_nomem(e);
		id->n = number;
	}
	return 0;
}

static int bad_header(const struct perfdata_reader *r, const char *what, struct softlbr_error *e)
{
	return error_set_at(e, SOFTLBR_E_INPUT, r->name, 0,
			    "%s is damaged: its %s lies outside the file or is too small; "
			    "record again, or copy the file again if it was copied",
			    r->name, what);
}

static int read_attrs(struct perfdata_reader *r, const struct file_header *h,
		      struct softlbr_error *e)
{
	struct cursor c = open_section(r, h->attrs);
	uint64_t attr_bytes = h->attr_size - 16;

	if (c.failed || h->attr_size < ATTR_MIN_BYTES + 16 || h->attr_size > 4096)
		return bad_header(r, "event table", e);
	while (cursor_left(&c) >= h->attr_size) {
		struct perf_event_attr attr;
		struct cursor ids;
		int rc;

		if (!perfdata_parse_attr(&c, (size_t)attr_bytes, &attr))
			return bad_header(r, "event table", e);
		ids = open_section(r, read_section(&c));
		if (ids.failed)
			return bad_header(r, "table of event ids", e);
		rc = perfdata_add_event(r, &attr, &ids, e);
		if (rc)
			return rc;
	}
	return 0;
}

int perfdata_add_build_id(struct perfdata_reader *r, uint16_t misc, struct cursor *body,
			  struct softlbr_error *e)
{
	const uint8_t *bytes;
	const char *path;
	struct build_id id = {.size = 20};
	uint32_t number;

	cursor_skip(body, 4); /* pid: -1, or a virtual machine */
	bytes = cursor_bytes(body, 24);
	path = cursor_string(body);
	if (!bytes || !path)
		return bad_header(r, "build-id table", e);
	if (misc & 1u << 15) /* PERF_RECORD_MISC_BUILD_ID_SIZE */
		id.size = bytes[20] <= 20 ? bytes[20] : 20;
	memcpy(id.bytes, bytes, id.size);
	number = strings_add_text(r->build_id_paths, path);
	if (number == STRINGS_NONE)
		return error_set_nomem(e);
	while (r->build_ids.count <= number)
		if (!vector_push(&r->build_ids))
			return error_set_nomem(e);
	r->build_ids.items[number] = id;
	return 0;
}

static int read_build_ids(struct perfdata_reader *r, struct cursor *c, struct softlbr_error *e)
{
	while (cursor_left(c) >= 8) {
		uint16_t misc, size;
		const void *body;
		struct cursor b;
		int rc;

		cursor_u32(c);
		misc = cursor_u16(c);
		size = cursor_u16(c);
		body = size < 8 ? NULL : cursor_bytes(c, size - 8u);
		if (!body)
			return bad_header(r, "build-id table", e);
		b = perfdata_cursor(r, body, size - 8u);
		rc = perfdata_add_build_id(r, misc, &b, e);
		if (rc)
			return rc;
	}
	return 0;
}

/* perf's string: length, then so many bytes with at least one NUL among them. */
static const char *read_string(struct cursor *c)
{
	uint32_t length = cursor_u32(c);

	if (length > STRING_MAX_BYTES)
		c->failed = true;
	return c->failed ? NULL : cursor_string_field(c, length);
}

static int read_event_names(struct perfdata_reader *r, struct cursor *c, struct softlbr_error *e)
{
	uint32_t count = cursor_u32(c), attr_bytes = cursor_u32(c);

	for (uint32_t i = 0; i < count && !c->failed; i++) {
		struct perf_event_attr attr;
		uint32_t ids;
		const char *name;

		if (attr_bytes > 4096 || !perfdata_parse_attr(c, attr_bytes, &attr))
			return bad_header(r, "event description", e);
		ids = cursor_u32(c);
		name = read_string(c);
		if (!name || ids > cursor_left(c) / 8)
			return bad_header(r, "event description", e);
		cursor_skip(c, 8 * (size_t)ids);
		if (i < r->events.count && r->events.items[i].attr.config == attr.config)
			snprintf(r->events.items[i].name, sizeof(r->events.items[i].name), "%s",
				 name);
	}
	return 0;
}

static int set_text(char **to, const char *text, struct softlbr_error *e)
{
	memory_free(*to);
	*to = memory_copy_string(text);
	return *to ? 0 : error_set_nomem(e);
}

static int read_command(struct perfdata_reader *r, struct cursor *c, struct softlbr_error *e)
{
	VECTOR(char) all = {0};
	uint32_t count = cursor_u32(c);
	int rc = 0;

	for (uint32_t i = 0; !rc && i < count; i++) {
		const char *word = read_string(c);
		size_t bytes = word ? strlen(word) + 1 : 0;

		if (!word)
			break; /* of no importance: keep what there is */
		if (vector_reserve(&all, bytes)) {
			rc = error_set_nomem(e);
			break;
		}
		memcpy(all.items + all.count, word, bytes);
		all.count += bytes;
		all.items[all.count - 1] = ' ';
	}
	if (!rc && all.count) {
		all.items[all.count - 1] = '\0';
		rc = set_text(&r->command, all.items, e);
	}
	vector_deinit(&all);
	return rc;
}

int perfdata_add_feature(struct perfdata_reader *r, unsigned feature, struct cursor *c,
			 struct softlbr_error *e)
{
	const char *text;

	switch (feature) {
	case PERFDATA_FEATURE_BUILD_ID:
		return read_build_ids(r, c, e);
	case PERFDATA_FEATURE_EVENT_DESC:
		return read_event_names(r, c, e);
	case PERFDATA_FEATURE_HOSTNAME:
		text = read_string(c);
		return text ? set_text(&r->host, text, e) : 0;
	case PERFDATA_FEATURE_CPUID:
		text = read_string(c);
		return text ? set_text(&r->cpu, text, e) : 0;
	case PERFDATA_FEATURE_CMDLINE:
		return read_command(r, c, e);
	case PERFDATA_FEATURE_VERSION:
		text = read_string(c);
		return text && !strncmp(text, "softlbr ", 8) ? set_text(&r->comment, text, e) : 0;
	}
	return 0;
}

/* The features' places follow the records, in the order of their bits. */
static int read_features(struct perfdata_reader *r, const struct file_header *h,
			 struct softlbr_error *e)
{
	struct cursor table = perfdata_cursor(r, r->data, r->size);

	cursor_skip(&table, r->data_end);
	for (unsigned bit = 0; bit <= PERFDATA_FEATURE_LAST; bit++) {
		struct cursor c;
		int rc;

		if (!(h->features[bit / 64] >> bit % 64 & 1))
			continue;
		c = open_section(r, read_section(&table));
		if (c.failed || table.failed)
			return bad_header(r, "feature table", e);
		rc = perfdata_add_feature(r, bit, &c, e);
		if (rc)
			return rc;
	}
	return 0;
}

static int read_file_header(struct perfdata_reader *r, struct cursor *c, struct softlbr_error *e)
{
	struct file_header h = {.size = FILE_HEADER_BYTES};
	int rc;

	h.attr_size = cursor_u64(c);
	h.attrs = read_section(c);
	h.data = read_section(c);
	read_section(c); /* event types, before Linux 3.11 */
	for (unsigned i = 0; i < 4; i++)
		h.features[i] = cursor_u64(c);
	if (c->failed || h.data.offset > r->size)
		return bad_header(r, "header", e);
	r->data_begin = (size_t)h.data.offset;
	r->data_end = r->size;
	/* size 0: the recorder was killed before it could write the header again */
	if (!h.data.size || h.data.size > r->size - h.data.offset)
		r->info.truncated_at = r->size;
	else
		r->data_end = (size_t)(h.data.offset + h.data.size);
	rc = read_attrs(r, &h, e);
	if (!rc && r->info.truncated_at == UINT64_MAX)
		rc = read_features(r, &h, e);
	return rc;
}

int perfdata_finish_header(struct perfdata_reader *r, struct softlbr_error *e)
{
	r->info.events = r->events.items;
	r->info.event_count = r->events.count;
	r->info.comment = r->comment;
	r->info.command = r->command;
	r->info.cpu = r->cpu;
	r->info.host = r->host;
	r->info.softlbr = r->comment != NULL;
	r->info.has_time = true;
	for (size_t i = 0; i < r->events.count; i++) {
		const struct perf_event_attr *a = &r->events.items[i].attr;

		if (!a->sample_id_all || !(a->sample_type & PERF_SAMPLE_TIME))
			r->info.has_time = false;
	}
	if (r->events.count)
		return 0;
	return error_set_at(e, SOFTLBR_E_INPUT, r->name, 0,
			    "%s describes no event: it is damaged or its recording failed",
			    r->name);
}

int perfdata_read_header(struct perfdata_reader *r, struct softlbr_error *e)
{
	struct cursor c;
	uint64_t header_bytes;

	r->info.truncated_at = UINT64_MAX;
	if (r->size >= 8 && !memcmp(r->data, "2ELIFREP", 8))
		r->big_endian = true;
	else if (r->size >= 8 && !memcmp(r->data, "ELIFREPF", 8)) /* "PERFFILE", before 2011 */
		r->big_endian = true;
	else if (r->size < 8 || (memcmp(r->data, "PERFILE2", 8) && memcmp(r->data, "PERFFILE", 8)))
		return error_set_at(e, SOFTLBR_E_INPUT, r->name, 0,
				    "%s is not a perf.data file (it does not begin with PERFILE2); "
				    "make one with `softlbr record` or `perf record -b`",
				    r->name);
	c = perfdata_cursor(r, r->data, r->size);
	cursor_skip(&c, 8);
	header_bytes = cursor_u64(&c);
	if (header_bytes == PIPE_HEADER_BYTES) {
		r->pipe = true;
		r->data_begin = PIPE_HEADER_BYTES;
		r->data_end = r->size;
		return 0;
	}
	if (c.failed || header_bytes != FILE_HEADER_BYTES)
		return bad_header(r, "header", e);
	return read_file_header(r, &c, e);
}

struct build_id perfdata_build_id_of(const struct perfdata_reader *r, const char *path)
{
	static const char kernel[] = "[kernel.kallsyms]";
	struct build_id none = {0};
	size_t length = strlen(path);
	uint32_t number;

	if (!strncmp(path, kernel, sizeof(kernel) - 1))
		length = sizeof(kernel) - 1; /* maps carry a suffix: _text, _stext */
	number = strings_find(r->build_id_paths, path, length);
	return number < r->build_ids.count ? r->build_ids.items[number] : none;
}
