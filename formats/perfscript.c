/* SPDX-License-Identifier: MIT */
#include "formats/perfscript.h"

#include <inttypes.h>
#include <stdio.h>
#include <string.h>
#include <sys/mman.h>

#include "base/error.h"
#include "base/memory.h"
#include "base/vector.h"
#include "formats/perfscript_line.h"

#define LINES_TRIED 64
/* Of so many lines of branches one may be damaged. */
#define DAMAGED_ONE_IN 100u

struct perfscript {
	struct text text;
	const char *name;
	struct perfdata_info info;
	VECTOR(struct perfdata_event) events;
	struct perfscript_stats stats;
	struct perfscript_processes processes;
	bool files_differ;	     /* of processes, at one place */
	struct perfscript_line line; /* the one at hand */
};

static bool next_line(struct perfscript *s, struct text *rest)
{
	struct text line;

	if (!text_take_line(rest, &line))
		return false;
	perfscript_line_read(&s->line, line);
	return true;
}

/* That of the sample at hand. */
static struct perfdata_event *event_named(struct perfscript *s)
{
	const struct perfscript_line *l = &s->line;
	size_t length = l->event_length;
	struct perfdata_event *event;

	if (length >= sizeof(event->name))
		length = sizeof(event->name) - 1;
	length = strnlen(l->event, length); /* a name ends at a NUL, in the table too */
	vector_each (&s->events, event)
		if (strlen(event->name) == length && !memcmp(event->name, l->event, length))
			return event;
	event = vector_push(&s->events);
	if (!event)
		return NULL;
	memcpy(event->name, l->event, length);
	event->attr.sample_type = PERF_SAMPLE_TID | PERF_SAMPLE_BRANCH_STACK;
	event->attr.branch_sample_type = PERF_SAMPLE_BRANCH_ANY;
	return event;
}

#define PRINT_SO "`perf script -F " PERFSCRIPT_FIELDS "`"

/* What it holds instead of branch stacks. */
static int no_stacks(const struct perfscript *s, enum perfscript_line_kind instead,
		     struct softlbr_error *e)
{
	if (instead == PERFSCRIPT_TRACED)
		return error_set(
			e, SOFTLBR_E_INPUT, s->name,
			"%s holds the single branches of a hardware trace (Intel PT), not "
			"stacks; print these with `perf script --itrace=i100usle -F " PERFSCRIPT_FIELDS
			"`, or give the perf.data that `perf "
			"inject -i perf.data -o branches.data --itrace=i100usle --strip` "
			"makes",
			s->name);
	if (instead == PERFSCRIPT_SYMBOLS)
		return error_set(
			e, SOFTLBR_E_INPUT, s->name,
			"%s has symbols in place of the branches' addresses (-F brstacksym); "
			"print it with " PRINT_SO,
			s->name);
	return error_set(e, SOFTLBR_E_INPUT, s->name,
			 "%s holds no line of branches; make it with " PRINT_SO, s->name);
}

/* A last line without a line feed is cut off, though it may look whole: it is left out, unless it
 * is blank. */
static void find_end(struct perfscript *s)
{
	while (s->text.end > s->text.at && s->text.end[-1] != '\n') {
		char last = *--s->text.end;

		s->stats.cut |= last != ' ' && last != '\t' && last != '\r';
	}
}

/* What readers are told after all that is whole. */
static int check_damage(const struct perfscript *s, struct softlbr_error *e)
{
	const struct perfscript_stats *t = &s->stats;

	if (t->cut)
		return error_set_at(
			e, SOFTLBR_E_INPUT, s->name, text_length(s->text),
			"%s is cut off: there is no line feed at its end, after line "
			"%" PRIu64
			"; print or copy it again, or take the rest with convert --force",
			s->name, t->lines);
	if (t->lines_damaged * DAMAGED_ONE_IN <= t->lines_damaged + t->samples)
		return 0;
	return error_set_at(
		e, SOFTLBR_E_INPUT, s->name, t->first_damaged,
		"%s: %" PRIu64 " lines of %" PRIu64 " are damaged, first line %" PRIu64
		", more than 1 %%; print or copy it again, or take the rest with convert --force",
		s->name, t->lines_damaged, t->lines_damaged + t->samples, t->first_damaged);
}

/* The first walk: events, damage, and whether there is anything at all. */
static int survey(struct perfscript *s, struct softlbr_error *e)
{
	enum perfscript_line_kind instead = PERFSCRIPT_OTHER;
	struct text rest = s->text;
	int rc = 0;

	while (!rc && next_line(s, &rest)) {
		s->stats.lines++;
		switch (s->line.kind) {
		case PERFSCRIPT_SYMBOLS:
		case PERFSCRIPT_TRACED:
			if (instead == PERFSCRIPT_OTHER)
				instead = s->line.kind;
			break;
		case PERFSCRIPT_MMAP:
		case PERFSCRIPT_TASK:
			s->stats.has_maps |= s->line.kind == PERFSCRIPT_MMAP;
			if (perfscript_processes_note(&s->processes, &s->line))
				rc = error_set_nomem(e);
			break;
		case PERFSCRIPT_STACK:
			s->stats.samples++;
			rc = event_named(s) ? 0 : error_set_nomem(e);
			break;
		case PERFSCRIPT_DAMAGED:
			if (!s->stats.lines_damaged++)
				s->stats.first_damaged = s->stats.lines;
			break;
		default:
			break;
		}
	}
	if (!rc && !s->stats.samples)
		rc = s->stats.cut ? check_damage(s, e) : no_stacks(s, instead, e);
	return rc;
}

bool perfscript_is(const uint8_t *data, size_t size)
{
	struct perfscript *s = memory_alloc(sizeof(*s));
	struct text rest = {(const char *)data, (const char *)data + size};
	bool found = false;

	if (!s)
		return false;
	for (unsigned i = 0; !found && i < LINES_TRIED && next_line(s, &rest); i++)
		switch (s->line.kind) {
		case PERFSCRIPT_MMAP:
		case PERFSCRIPT_KERNEL_MMAP:
		case PERFSCRIPT_STACK:
		case PERFSCRIPT_SYMBOLS:
		case PERFSCRIPT_TRACED:
			found = true;
			break;
		default:
			break;
		}
	perfscript_line_deinit(&s->line);
	memory_free(s);
	return found;
}

struct perfscript *perfscript_open(const uint8_t *data, size_t size, const char *name,
				   struct softlbr_error *e)
{
	struct perfscript *s = memory_alloc(sizeof(*s));

	if (!s) {
		error_set_nomem(e);
		return NULL;
	}
	s->text = (struct text){(const char *)data, (const char *)data + size};
	s->name = name;
	find_end(s);
	if (survey(s, e)) {
		perfscript_close(s);
		return NULL;
	}
	s->stats.has_maps |= s->line.tags.files.count;
	s->files_differ = perfscript_processes_sort(&s->processes);
	s->info = (struct perfdata_info){
		.events = s->events.items,
		.event_count = s->events.count,
		.truncated_at = check_damage(s, NULL) ? text_length(s->text) : UINT64_MAX};
	return s;
}

void perfscript_close(struct perfscript *s)
{
	if (!s)
		return;
	vector_deinit(&s->events);
	perfscript_processes_deinit(&s->processes);
	perfscript_line_deinit(&s->line);
	memory_free(s);
}

const struct perfdata_info *perfscript_info(const struct perfscript *s)
{
	return &s->info;
}

const struct perfscript_stats *perfscript_stats(const struct perfscript *s)
{
	return &s->stats;
}

static int deliver_sample(struct perfscript *s, uint64_t offset, uint64_t times,
			  perfdata_handler *handler, void *context, struct softlbr_error *e)
{
	const struct perfscript_line *l = &s->line;
	struct perfdata_record r = {
		.type = PERF_RECORD_SAMPLE, .misc = PERF_RECORD_MISC_USER, .offset = offset};
	uint32_t pid = perfscript_processes_of(&s->processes, l);

	r.sample = (struct perfdata_sample){.pid = pid,
					    .tid = pid,
					    .ip = l->number,
					    .period = 1,
					    .repeats = times - 1,
					    .has_branches = true,
					    .branches = l->stack,
					    .branch_count = l->branches};
	r.sample.event = (unsigned)(event_named(s) - s->events.items);
	if (pid == PERFSCRIPT_ANY_PROCESS && s->files_differ)
		s->stats.samples_unnamed += times;
	return times ? handler(context, &s->info, &r, e) : 0;
}

/* Each mapping is that of its process, and of those that are not known. */
static int deliver_mapping(struct perfscript *s, struct perfdata_record *r,
			   perfdata_handler *handler, void *context, struct softlbr_error *e)
{
	int rc;

	r->type = PERF_RECORD_MMAP2;
	r->mmap = s->line.mmap;
	rc = handler(context, &s->info, r, e);
	r->mmap.pid = r->mmap.tid = PERFSCRIPT_ANY_PROCESS;
	return rc ? rc : handler(context, &s->info, r, e);
}

/* Files whose addresses are given by build-id are mapped for all, at places of their own. */
static int deliver_files(struct perfscript *s, perfdata_handler *handler, void *context,
			 struct softlbr_error *e)
{
	const struct build_tag *file;
	char id[41], path[64];
	int rc = 0;

	vector_each (&s->line.tags.files, file) {
		struct perfdata_record r = {.type = PERF_RECORD_MMAP2};

		branch_profile_build_id_text(&file->id, id);
		snprintf(path, sizeof(path), "build-id %s", id);
		r.mmap = (struct perfdata_mmap){
			.pid = UINT32_MAX, /* as the kernel's, which is everywhere too */
			.tid = UINT32_MAX,
			.start = build_tags_begin((size_t)(file - s->line.tags.files.items)),
			.length = BUILD_TAG_BYTES,
			.protection = PROT_READ | PROT_EXEC,
			.build_id = file->id,
			.path = path,
			.at_va = true};
		if (!rc)
			rc = handler(context, &s->info, &r, e);
	}
	return rc;
}

static int deliver_task(struct perfscript *s, struct perfdata_record *r, perfdata_handler *handler,
			void *context, struct softlbr_error *e)
{
	r->type = s->line.task_type;
	r->task = s->line.task;
	return handler(context, &s->info, r, e);
}

int perfscript_each(struct perfscript *s, perfdata_handler *handler, void *context,
		    struct softlbr_error *e)
{
	struct text rest = s->text;
	const char *begin;
	uint64_t times = 1;
	int rc = deliver_files(s, handler, context, e);

	s->stats.samples_unnamed = 0;
	while (begin = rest.at, !rc && next_line(s, &rest)) {
		struct perfdata_record r = {.misc = PERF_RECORD_MISC_USER,
					    .offset = (uint64_t)(begin - s->text.at)};

		switch (s->line.kind) {
		case PERFSCRIPT_MMAP:
			rc = deliver_mapping(s, &r, handler, context, e);
			break;
		case PERFSCRIPT_TASK:
			rc = deliver_task(s, &r, handler, context, e);
			break;
		case PERFSCRIPT_COUNT:
			times = s->line.number;
			break;
		case PERFSCRIPT_STACK:
			rc = deliver_sample(s, r.offset, times, handler, context, e);
			times = 1;
			break;
		case PERFSCRIPT_DAMAGED:
			times = 1; /* which were the damaged one's */
			break;
		default:
			break;
		}
	}
	return rc ? rc : check_damage(s, e);
}
