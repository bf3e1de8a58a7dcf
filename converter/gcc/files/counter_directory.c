/* SPDX-License-Identifier: MIT */
#include "converter/gcc/files/counter_directory.h"

#include <limits.h>
#include <stdio.h>
#include <sys/stat.h>
#include <unistd.h>

#include "base/error.h"
#include "base/file.h"
#include "base/file_tree.h"
#include "base/memory.h"
#include "base/order.h"
#include "formats/model/source_profile.h"

static bool is_directory(const char *path)
{
	struct stat st;

	return !stat(path, &st) && S_ISDIR(st.st_mode);
}

bool counter_directory_is(const char *path)
{
	char data[PATH_MAX];

	return is_directory(path) &&
	       (snprintf(data, sizeof(data), "%s/data", path) >= (int)sizeof(data) ||
		access(data, F_OK));
}

static int read_object(struct counter_directory *d, const char *name, const uint8_t *data,
		       size_t size, const char *path, struct softlbr_error *e)
{
	struct counter_object *o = vector_push(&d->objects);

	if (!o)
		return error_set_nomem(e);
	o->name = memory_copy_string(name);
	return o->name ? gcda_read_bytes(data, size, path, &o->counters, e) : error_set_nomem(e);
}

static int read_file(struct counter_directory *d, const char *name, struct softlbr_error *e)
{
	char *path = memory_format("%s/%s", d->path, name);
	struct file_view v;
	int rc = path ? file_view_open(&v, path, e) : error_set_nomem(e);

	if (!rc) {
		rc = read_object(d, name, v.data, v.size, path, e);
		file_view_close(&v);
	}
	memory_free(path);
	return rc;
}

static bool is_gcda(const char *name)
{
	return file_name_ends(name, ".gcda");
}

int counter_directory_read(struct counter_directory *d, const char *path, const uint8_t *data,
			   size_t size, struct softlbr_error *e)
{
	struct file_tree files;
	int rc;

	*d = (struct counter_directory){.path = path, .is_file = !is_directory(path)};
	if (d->is_file)
		return read_object(d, file_base_name(path), data, size, path, e);
	rc = file_tree_list(&files, path, is_gcda, e);
	if (!rc && !files.paths.count)
		rc = error_set(e, SOFTLBR_E_INPUT, path,
			       "%s is a directory without recordings or counters: there is no "
			       ".gcda file below it",
			       path);
	for (size_t i = 0; !rc && i < files.paths.count; i++)
		rc = read_file(d, files.paths.items[i], e);
	file_tree_deinit(&files);
	return rc;
}

void counter_directory_deinit(struct counter_directory *d)
{
	struct counter_object *o;

	vector_each (&d->objects, o) {
		memory_free(o->name);
		counter_profile_deinit(&o->counters);
	}
	vector_deinit(&d->objects);
}

#define GREATEST(d, member)                                  \
	__extension__({                                      \
		const struct counter_object *o_;             \
		uint32_t most_ = 0;                          \
                                                             \
		vector_each (&(d)->objects, o_)              \
			if (o_->counters.member > most_)     \
				most_ = o_->counters.member; \
		most_;                                       \
	})

uint32_t counter_directory_version(const struct counter_directory *d)
{
	return GREATEST(d, version);
}

uint32_t counter_directory_runs(const struct counter_directory *d)
{
	return GREATEST(d, runs);
}

uint32_t counter_directory_sum_max(const struct counter_directory *d)
{
	return GREATEST(d, sum_max);
}

uint64_t counter_function_total(const struct counter_function *f)
{
	const struct counter_set *s = counter_function_set(f, COUNTER_KIND_ARCS);
	const uint64_t *count;
	uint64_t total = 0;

	if (s)
		vector_each (&s->counts, count)
			total = source_count_add(total, *count);
	return total;
}

static int order_functions(const struct counter_function *a, const struct counter_function *b)
{
	return ORDER_UP(ident) ?: ORDER_UP(lineno_checksum) ?: ORDER_UP(cfg_checksum);
}

/* Of the same ones that with the greatest total comes first. */
ORDER_BY(by_function, struct counter_entry,
	 order_functions(a->function, b->function) ?: ORDER_DOWN(total) ?: ORDER_UP(object));

int counter_list_make(struct counter_list *out, const struct counter_directory *d)
{
	const struct counter_function *f;
	const struct counter_object *o;
	size_t kept = 0;

	*out = (struct counter_list){0};
	vector_each (&d->objects, o)
		vector_each (&o->counters.functions, f)
			if (!f->absent &&
			    vector_add(&out->items,
				       (struct counter_entry){f, (uint32_t)(o - d->objects.items),
							      counter_function_total(f)}))
				return -1;
	vector_sort(&out->items, by_function);
	for (size_t i = 0; i < out->items.count; i++) {
		struct counter_entry *e = &out->items.items[i];

		if (kept && !order_functions(out->items.items[kept - 1].function, e->function))
			continue;
		out->total = source_count_add(out->total, e->total);
		out->items.items[kept++] = *e;
	}
	out->items.count = kept;
	return 0;
}

void counter_list_deinit(struct counter_list *l)
{
	vector_deinit(&l->items);
}
