/* SPDX-License-Identifier: MIT */
/*
 * convert --all: a profile of every module of the recordings, which are read once. What was counted
 * is resolved without any binary, to find the modules and the branches between them, and then for
 * each module whose file is here, which is converted as with --binary.
 */
#include <inttypes.h>
#include <stdio.h>
#include <string.h>
#include <unistd.h>

#include "base/error.h"
#include "base/file.h"
#include "base/file_output.h"
#include "base/memory.h"
#include "base/strings.h"
#include "cli/convert.h"
#include "converter/elf/module_search.h"

#define CROSSINGS_SHOWN 10

struct all {
	struct convert *c;	   /* its conversion is of the recordings, for all modules */
	struct conversion modules; /* of no binary: the modules, and branches between them */
	size_t *numbers;	   /* modules by falling share */
	struct module_file *found; /* their files */
	size_t count;
	struct strings *names;	   /* of the files written, to keep them apart */
	struct file_outputs files; /* of all modules */
	bool made_directory;
	size_t written; /* modules */
	size_t usable;	/* of those, what the status is 0 for: not what --force alone let pass */
	int first_status;
};

/* DIR/app.gcov, or DIR/app-0123456789abcdef.gcov if another module is called app too; those that
 * have no build-id to tell them apart are numbered. */
static char *output_path(struct all *a, const struct module *m, const char *path,
			 const struct convert_format *f)
{
	const char *base = file_base_name(path);
	char text[4096], id[41], number[16] = "";

	branch_profile_build_id_text(&m->build_id, id);
	snprintf(text, sizeof(text), "%s/%s.%s", a->c->output_directory, base, f->name);
	for (unsigned n = 1; strings_find(a->names, text, strlen(text)) != STRINGS_NONE; n++) {
		if (n > 1)
			snprintf(number, sizeof(number), "-%u", n);
		snprintf(text, sizeof(text), "%s/%s-%.16s%s.%s", a->c->output_directory, base, id,
			 number, f->name);
	}
	if (strings_add_text(a->names, text) == STRINGS_NONE)
		return NULL;
	return memory_copy_string(text);
}

/* A conversion of its own, with the options of all. */
static int start_one(struct all *a, struct convert *one, const struct module *m, const char *path,
		     struct softlbr_error *e)
{
	const struct convert_output *o;

	*one = *a->c;
	one->binary_path = path;
	memset(&one->conversion, 0, sizeof(one->conversion));
	memset(&one->outputs, 0, sizeof(one->outputs));
	one->together = &a->files;
	vector_each (&a->c->outputs, o) {
		struct convert_output *slot = vector_push(&one->outputs);

		if (!slot)
			return error_set_nomem(e);
		*slot = (struct convert_output){o->format, output_path(a, m, path, o->format)};
		if (!slot->path)
			return error_set_nomem(e);
	}
	return convert_outputs_check(one, e);
}

/* Fails for what concerns all, its outputs; what the module lacks is its own. */
static int convert_module(struct all *a, const struct module *m, const char *path,
			  struct softlbr_error *e)
{
	struct convert one;
	struct convert_output *o;
	int status = 0, rc = start_one(a, &one, m, path, e);

	if (!rc) {
		status = convert_one(&one, &a->c->conversion);
		rc = one.unwritable ? -status : 0;
	}
	vector_each (&one.outputs, o)
		memory_free((char *)o->path);
	vector_deinit(&one.outputs);
	a->written += one.written;
	a->usable += one.written && (!status || status == SOFTLBR_E_POOR);
	if (status && !a->first_status)
		a->first_status = status;
	return rc;
}

/* The file of the i-th module; NULL if it is not found. */
static const char *path_of(const struct all *a, size_t i)
{
	const struct module_file *found = &a->found[i];

	return found->path ? found->path : a->c->force ? found->other : NULL;
}

/* Where the modules are here, which are inputs, too. */
static int find_files(struct all *a, struct softlbr_error *e)
{
	const struct modules *modules = &a->modules.aggregate.result.modules;
	const struct convert_input *first = a->c->profiles.items;
	const struct module_search search = {&a->c->search, first->path};
	int rc = 0;

	a->found = memory_alloc_array(a->count + 1, sizeof(*a->found));
	if (!a->found)
		return error_set_nomem(e);
	for (size_t i = 0; !rc && i < a->count; i++) {
		struct module_file *found = &a->found[i];

		module_search_find(&search, modules_path(modules, a->numbers[i]),
				   &modules->items.items[a->numbers[i]].build_id, found);
		rc = file_guard_input(a->c->guard, path_of(a, i), e);
	}
	return rc;
}

/* The same build under another path, whose profile has the branches of both; NULL: none before. */
static const char *same_before(const struct all *a, size_t i)
{
	const struct modules *modules = &a->modules.aggregate.result.modules;
	const struct build_id *id = &modules->items.items[a->numbers[i]].build_id;

	for (size_t j = 0; a->found[i].path && j < i; j++)
		if (a->found[j].path &&
		    branch_profile_same_build(id, &modules->items.items[a->numbers[j]].build_id))
			return a->found[j].path;
	return NULL;
}

static int convert_modules(struct all *a, struct softlbr_error *e)
{
	const struct modules *modules = &a->modules.aggregate.result.modules;
	int rc = 0;

	for (size_t i = 0; !rc && i < a->count; i++) {
		const char *name = modules_path(modules, a->numbers[i]), *path = path_of(a, i);
		const char *same = same_before(a, i);

		if (same)
			fprintf(stderr, "%s: the same build as %s, whose profile is of both\n",
				name, same);
		else if (path)
			rc = convert_module(a, &modules->items.items[a->numbers[i]], path, e);
		else
			convert_report_warning("no profile of %s: %s%s", name, a->found[i].why,
					       *name == '[' ? "; give its file with --binary" : "");
	}
	if (rc && a->written)
		fprintf(stderr, "nothing was written to %s: all its files appear together\n",
			a->c->output_directory);
	return rc ? rc : file_outputs_commit(&a->files, e);
}

static int compare_crossings(const void *x, const void *y)
{
	const struct map_entry *const *a = x, *const *b = y;

	if ((*a)->n != (*b)->n)
		return (*a)->n > (*b)->n ? -1 : 1;
	if ((*a)->a != (*b)->a)
		return (*a)->a < (*b)->a ? -1 : 1;
	return (*a)->b < (*b)->b ? -1 : (*a)->b > (*b)->b;
}

static void report_crossings(const struct aggregate_result *r)
{
	struct map_entry **sorted = map_sorted(&r->crossings);

	if (!sorted)
		return;
	qsort(sorted, r->crossings.count, sizeof(struct map_entry *), compare_crossings);
	if (r->crossings.count)
		fputs("Cross-module branches, which are in no profile:\n", stderr);
	for (size_t i = 0; i < r->crossings.count && i < CROSSINGS_SHOWN; i++)
		fprintf(stderr, "%14" PRIu64 "  %s -> %s\n", sorted[i]->n,
			modules_path(&r->modules, (size_t)sorted[i]->a),
			modules_path(&r->modules, (size_t)sorted[i]->b));
	memory_free(sorted);
}

/* The modules of the recordings. */
static int find_modules(struct all *a, struct softlbr_error *e)
{
	const struct aggregate_result *r = &a->modules.aggregate.result;
	struct convert *c = a->c;
	int rc;

	c->how.read.keep = true;
	rc = convert_read(c, e);
	if (!rc)
		rc = conversion_init_resolved(&a->modules, &c->conversion, NULL, e);
	if (!rc)
		rc = conversion_check_samples(&a->modules, e);
	if (rc)
		return rc;
	a->names = strings_new();
	a->numbers = memory_alloc_array(r->modules.items.count + 1, sizeof(size_t));
	if (!a->names || !a->numbers)
		return error_set_nomem(e);
	a->count = aggregate_top_modules(r, a->numbers, r->modules.items.count);
	return file_directory_make(c->output_directory, 0777, &a->made_directory, e);
}

static void all_deinit(struct all *a)
{
	file_outputs_abandon(&a->files);
	conversion_deinit(&a->modules); /* it borrows of the other */
	conversion_deinit(&a->c->conversion);
	for (size_t i = 0; a->found && i < a->count; i++)
		module_file_deinit(&a->found[i]);
	memory_free(a->found);
	memory_free(a->numbers);
	strings_free(a->names);
}

int convert_all(struct convert *c)
{
	struct softlbr_error e = {0};
	struct all a = {.c = c};
	int rc = find_modules(&a, &e);

	if (!rc)
		rc = find_files(&a, &e);
	if (!rc)
		rc = convert_modules(&a, &e);
	if (e.code)
		convert_report_error(&e);
	if (!rc) {
		report_crossings(&a.modules.aggregate.result);
		fprintf(stderr, "%zu module%s converted, to %s\n", a.written,
			a.written == 1 ? "" : "s", c->output_directory);
		if (!a.usable)
			rc = -(a.first_status ? a.first_status : SOFTLBR_E_EMPTY);
	}
	all_deinit(&a);
	if (rc && a.made_directory)
		rmdir(c->output_directory);
	return -rc;
}
