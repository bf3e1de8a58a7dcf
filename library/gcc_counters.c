/* SPDX-License-Identifier: MIT */
/* softlbr/profile.h: counters for gcc -fprofile-use. */
#include <math.h>

#include "base/error.h"
#include "base/memory.h"
#include "base/sized_struct.h"
#include "compare/counter_score.h"
#include "converter/gcc/files/arc_flow.h"
#include "converter/gcc/files/counter_keys.h"
#include "converter/pipeline/counter_files.h"
#include "formats/profile_kind.h"
#include "library/private.h"

struct softlbr_counters {
	char *path;
	struct counter_sum sum;
	struct counter_keys keys;
};

static int gcc_counters_read(struct softlbr_counters *c, const char *keys, struct softlbr_error *e)
{
	enum profile_kind kind = PROFILE_UNKNOWN;
	struct counter_directory *d = &c->sum.directory;
	struct file_view view = {0};
	int rc = profile_kind_open(c->path, &kind, &view, e);

	if (!rc && kind != PROFILE_GCDA)
		rc = error_set(e, SOFTLBR_E_INPUT, c->path, "%s is %s, no counters for gcc",
			       c->path, profile_kind_name(kind));
	rc = rc ?: counter_directory_read(d, c->path, view.data, view.size, e)
		       ?: counter_keys_open(&c->keys, d, keys, false, e);
	file_view_close(&view);
	c->sum.runs = counter_directory_runs(d);
	c->sum.sum_max = counter_directory_sum_max(d);
	c->sum.added = 1;
	return rc;
}

struct softlbr_counters *softlbr_counters_read(const char *path, const char *keys,
					       struct softlbr_error *e)
{
	struct softlbr_counters *c = memory_alloc(sizeof(*c));

	e = library_error(e);
	if (c)
		c->path = memory_copy_string(path);
	if (!c || !c->path)
		error_set_nomem(e);
	else if (!gcc_counters_read(c, keys, e))
		return c;
	softlbr_counters_free(c);
	return NULL;
}

void softlbr_counters_free(struct softlbr_counters *c)
{
	if (!c)
		return;
	counter_keys_deinit(&c->keys);
	counter_sum_deinit(&c->sum);
	memory_free(c->path);
	memory_free(c);
}

int softlbr_counters_add(struct softlbr_counters *to, const struct softlbr_counters *from,
			 uint64_t weight, struct softlbr_error *e)
{
	e = library_error(e);
	if (to == from)
		return error_set(e, SOFTLBR_E_USAGE, NULL,
				 "counters cannot be added to themselves");
	return counter_sum_add(&to->sum, &from->sum.directory, weight, to->keys.keys.path, e);
}

int softlbr_counters_write(const struct softlbr_counters *c, const char *path,
			   struct softlbr_error *e)
{
	return counter_files_write(&c->sum.directory, path, false, library_error(e));
}

int softlbr_counters_compare(const struct softlbr_counters *reference,
			     const struct softlbr_counters *other, struct softlbr_overlap *out,
			     struct softlbr_error *e)
{
	struct softlbr_overlap overlap = {.branch = NAN, .line = NAN};
	struct counter_comparison c = {0};
	struct counter_list lists[2];
	int rc;

	e = library_error(e);
	rc = counter_list_make(&lists[0], &reference->sum.directory) |
	     counter_list_make(&lists[1], &other->sum.directory);
	if (rc || counter_score_compare(lists, 0, &c))
		rc = error_set_nomem(e);
	overlap.function = c.function;
	overlap.edge = c.arcs;
	counter_score_deinit(&c);
	counter_list_deinit(&lists[0]);
	counter_list_deinit(&lists[1]);
	return rc ?: sized_struct_give(out, &overlap, sizeof(overlap), e);
}

/* -1 without memory; else what the handler returns. */
static int gcc_counters_give(const struct softlbr_counters *c, const struct counter_entry *entry,
			     softlbr_counters_handler *handler, void *context)
{
	const struct counter_function *f = entry->function;
	const struct counter_set *arcs = counter_function_set(f, COUNTER_KIND_ARCS);
	struct counter_key key = counter_keys_find(&c->keys, f);
	struct softlbr_counted counted = {.size = sizeof(counted),
					  .name = counter_keys_name(&c->keys, f),
					  .file = "",
					  .ident = f->ident,
					  .total = entry->total,
					  .arcs = arcs ? arcs->counts.items : NULL,
					  .arc_count = arcs ? arcs->counts.count : 0};
	struct arc_flow flow = {0};
	int unknown = key.match <= COUNTER_MOVED ? arc_flow_solve(key.function, arcs, &flow) : 1;

	if (key.function)
		counted.file = strings_text(key.graph->strings, key.function->file);
	counted.has_entries = !unknown;
	counted.entries = arc_flow_entries(&flow);
	arc_flow_deinit(&flow);
	return unknown < 0 ? -1 : handler(context, &counted);
}

int softlbr_counters_each(const struct softlbr_counters *c, softlbr_counters_handler *handler,
			  void *context, struct softlbr_error *e)
{
	const struct counter_entry *entry;
	struct counter_list list;
	int rc;

	e = library_error(e);
	rc = counter_list_make(&list, &c->sum.directory) ? error_set_nomem(e) : 0;
	vector_each (&list.items, entry)
		rc = rc ?: gcc_counters_give(c, entry, handler, context);
	counter_list_deinit(&list);
	return rc;
}
