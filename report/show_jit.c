/* SPDX-License-Identifier: MIT */
/* Code of just-in-time compilers in a recording, by the names that they left in /tmp/perf-PID.map.
 */
#include <glob.h>
#include <inttypes.h>
#include <stdio.h>
#include <unistd.h>

#include "base/error.h"
#include "base/memory.h"
#include "formats/perf_map.h"
#include "formats/perfdata.h"
#include "formats/perfscript.h"
#include "report/show_private.h"

struct jit_process {
	struct perf_map map;
	struct map counts; /* (name, 0) -> n = branches */
	uint32_t pid;
	bool has_map;
};

struct jit {
	struct show *s;
	struct map numbers; /* (pid, 0) -> n = index + 1 */
	VECTOR(struct jit_process) processes;
	uint64_t branches; /* all */
};

/* Reading a recording once more is worth it only if there is some map. */
static bool any_map(const struct show *s)
{
	const struct debug_search *search = s->options->search;
	char pattern[4096];
	glob_t found;
	bool any;

	snprintf(pattern, sizeof(pattern), "%s/tmp/perf-*.map",
		 search && search->symfs ? search->symfs : "");
	any = !glob(pattern, GLOB_NOSORT, NULL, &found);
	globfree(&found);
	return any;
}

/* A process without such a file has an entry too, so that it is looked for once. */
static struct jit_process *find_process(struct jit *j, uint32_t pid, struct softlbr_error *e)
{
	const struct debug_search *search = j->s->options->search;
	struct map_entry *number = map_at(&j->numbers, pid, 0);
	struct jit_process *p;
	struct file_view v = {0};
	char path[4096];
	int rc;

	if (!number)
		return NULL;
	if (number->n)
		return &j->processes.items[number->n - 1];
	p = vector_push(&j->processes);
	if (!p)
		return NULL;
	number->n = j->processes.count;
	p->pid = pid;
	snprintf(path, sizeof(path), "%s/tmp/perf-%" PRIu32 ".map",
		 search && search->symfs ? search->symfs : "", pid);
	if (access(path, R_OK))
		return p;
	rc = file_view_open(&v, path, e);
	if (!rc)
		rc = perf_map_read_bytes(&p->map, v.data, v.size, e);
	file_view_close(&v);
	p->has_map = !rc;
	return rc ? NULL : p;
}

static int count_sample(void *context, const struct perfdata_info *info,
			const struct perfdata_record *record, struct softlbr_error *e)
{
	const struct perfdata_sample *sample = &record->sample;
	const uint64_t times = 1 + sample->repeats;
	struct jit *j = context;
	struct jit_process *p;

	(void)info;
	if (record->type != PERF_RECORD_SAMPLE || !sample->has_branches)
		return 0;
	j->branches += times * sample->branch_count;
	p = find_process(j, sample->pid, e);
	if (!p)
		return error_set_nomem(e);
	for (size_t i = 0; p->has_map && i < sample->branch_count; i++) {
		const char *name = perf_map_find(&p->map, sample->branches[i].from);
		uint32_t number = name ? strings_add_text(p->map.strings, name) : STRINGS_NONE;
		struct map_entry *at = name ? map_at(&p->counts, number, 0) : NULL;

		if (name && !at)
			return error_set_nomem(e);
		if (at)
			at->n += times;
	}
	return 0;
}

static int count_samples(struct jit *j, struct softlbr_error *e)
{
	const struct file_view *v = &j->s->view;
	const char *name = j->s->options->path;
	int rc;

	if (j->s->kind == PROFILE_PERFSCRIPT) {
		struct perfscript *script = perfscript_open(v->data, v->size, name, e);

		rc = script ? perfscript_each(script, count_sample, j, e) : -e->code;
		perfscript_close(script);
	} else {
		struct perfdata_reader *r = perfdata_open_bytes(v->data, v->size, name, e);

		rc = r ? perfdata_each(r, PERFDATA_ONLY_SAMPLES, count_sample, j, e) : -e->code;
		perfdata_close(r);
	}
	return rc;
}

static void put_code(struct jit *j)
{
	static const struct document_column columns[] = {{"branches", "branches"},
							 {"share", "share"},
							 {"pid", "pid"},
							 {"function", "function"}};
	const struct jit_process *p;
	struct document *t = j->s->out;

	document_table(t, "jit", "JIT-compiled code by branches taken from it", COLUMNS(columns));
	vector_each (&j->processes, p) {
		const struct map_entry *i = NULL;

		while ((i = map_next(&p->counts, (struct map_entry *)i))) {
			document_put_number(t, i->n);
			document_put_share(t, i->n, j->branches);
			document_put_number(t, p->pid);
			document_put_text(t, strings_text(p->map.strings, (uint32_t)i->a));
		}
	}
	document_rank(t, 0, j->s->options->top);
}

int show_jit(struct show *s, struct softlbr_error *e)
{
	struct jit j = {.s = s};
	struct jit_process *p;
	bool found = false;
	int rc = any_map(s) ? count_samples(&j, e) : 0;

	vector_each (&j.processes, p)
		found |= p->counts.count > 0;
	if (!rc && found)
		put_code(&j);
	vector_each (&j.processes, p) {
		map_deinit(&p->counts);
		perf_map_deinit(&p->map);
	}
	vector_deinit(&j.processes);
	map_deinit(&j.numbers);
	return rc;
}
