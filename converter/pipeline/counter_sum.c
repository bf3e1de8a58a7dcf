/* SPDX-License-Identifier: MIT */
/* Counters for gcc of several recordings, or runs, of one program: their sum. */
#include <inttypes.h>
#include <string.h>

#include "base/error.h"
#include "base/memory.h"
#include "converter/gcc/files/counter_keys.h"
#include "converter/pipeline/counter_files.h"

/* By what the keys call it, else by number. */
static int refuse_clash(const struct counter_directory *from, const struct counter_object *o,
			const struct counter_function *f, const char *keys, struct softlbr_error *e)
{
	const char *slash = from->is_file ? "" : "/", *below = from->is_file ? "" : o->name;
	struct softlbr_error none = {0};
	struct counter_keys known;
	const char *name = counter_keys_open(&known, from, keys, false, &none)
				   ? NULL
				   : counter_keys_name(&known, f);
	char number[32];
	int rc;

	snprintf(number, sizeof(number), "%" PRIu32, f->ident);
	rc = error_set(e, SOFTLBR_E_INPUT, from->path,
		       "%s%s%s has another control-flow graph of the function %s than the files "
		       "before it: they are of another build, and counts of different builds can't "
		       "be added",
		       from->path, slash, below, name ? name : number);
	counter_keys_deinit(&known);
	return rc;
}

/* The object of that name, which is made where it belongs; NULL without memory. */
static struct counter_object *object_of(struct counter_directory *d, const char *name, bool *made)
{
	struct counter_object *o;
	size_t at = d->is_file && d->objects.count
			    ? 0
			    : vector_count_while(&d->objects, o, strcmp(o->name, name) < 0);
	char *copy;

	*made = at == d->objects.count ||
		(!d->is_file && strcmp(d->objects.items[at].name, name) != 0);
	if (!*made)
		return &d->objects.items[at];
	copy = memory_copy_string(name);
	if (!copy || !vector_push(&d->objects)) {
		memory_free(copy);
		return NULL;
	}
	o = &d->objects.items[at];
	memmove(o + 1, o, (d->objects.count - 1 - at) * sizeof(*o));
	*o = (struct counter_object){.name = copy};
	return o;
}

static int add_object(struct counter_sum *sum, const struct counter_directory *from,
		      const struct counter_object *o, uint64_t weight, const char *keys,
		      struct softlbr_error *e)
{
	const struct counter_function *clash;
	char *path = memory_format("%s%s%s", from->path, from->is_file ? "" : "/",
				   from->is_file ? "" : o->name);
	bool made;
	struct counter_object *to = path ? object_of(&sum->directory, o->name, &made) : NULL;
	int rc = to ? counter_merge_add(&to->counters, &o->counters, weight, path, &clash, e)
		    : error_set_nomem(e);

	memory_free(path);
	if (rc > 0)
		return refuse_clash(from, o, clash, keys, e);
	if (!rc && made)
		counter_merge_summary(&to->counters, sum->runs, sum->sum_max, 1);
	return rc;
}

/* Objects that only the sum has: the runs were of the same program. */
static void add_summaries(struct counter_sum *sum, const struct counter_directory *from,
			  uint64_t weight)
{
	const struct counter_object *there = from->objects.items;
	const struct counter_object *end = there + from->objects.count;
	struct counter_object *o;

	vector_each (&sum->directory.objects, o) {
		int order = -1;

		while (there < end && (order = strcmp(there->name, o->name)) < 0)
			there++;
		if (there == end || order)
			counter_merge_summary(&o->counters, counter_directory_runs(from),
					      counter_directory_sum_max(from), weight);
	}
}

int counter_sum_add(struct counter_sum *sum, const struct counter_directory *from, uint64_t weight,
		    const char *keys, struct softlbr_error *e)
{
	const struct counter_object *o;
	int rc = 0;

	if (sum->added++ && sum->directory.is_file != from->is_file)
		return error_set(e, SOFTLBR_E_INPUT, from->path,
				 "%s is %s, and what is before it is %s: counters of one object "
				 "can't be added to those of a whole program",
				 from->path, from->is_file ? "one file" : "a directory",
				 from->is_file ? "a directory" : "one file");
	sum->directory.is_file = from->is_file;
	vector_each (&from->objects, o)
		rc = rc ?: add_object(sum, from, o, weight, keys, e);
	if (rc)
		return rc;
	if (!from->is_file)
		add_summaries(sum, from, weight);
	sum->runs += counter_directory_runs(from);
	sum->sum_max += counter_directory_sum_max(from) * weight;
	return 0;
}

void counter_sum_deinit(struct counter_sum *sum)
{
	counter_directory_deinit(&sum->directory);
}
