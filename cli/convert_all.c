/* SPDX-License-Identifier: MIT */
/*
 * convert --all: a profile of every module of the recordings, which are read once. What was counted
 * is resolved without any binary, to find the modules and the branches between them, and then for
 * each module whose file is here, which is converted as with --binary.
 */
#include <inttypes.h>
#include <stdio.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

#include "base/error.h"
#include "base/file.h"
#include "base/memory.h"
#include "base/strings.h"
#include "cli/convert.h"

#define CROSSINGS_SHOWN 10

struct all {
	struct convert *c;
	struct aggregate counted;
	size_t *numbers; /* modules by falling share */
	size_t count;
	struct strings *names; /* of the files written, to keep them apart */
	size_t written;
	int first_status;
};

static bool accept_readable(void *context, const char *path)
{
	char **found = context;

	if (access(path, R_OK))
		return false;
	*found = memory_copy_string(path);
	return *found;
}

/* DIR/app.gcov, or DIR/app-0123456789abcdef.gcov if another module is called app too. */
static char *output_path(struct all *a, const struct module *m, const char *path,
			 const struct convert_format *f)
{
	const char *base = file_base_name(path);
	char text[4096], id[41];

	branch_profile_build_id_text(&m->build_id, id);
	snprintf(text, sizeof(text), "%s/%s.%s", a->c->output_directory, base, f->name);
	if (strings_find(a->names, text, strlen(text)) != STRINGS_NONE)
		snprintf(text, sizeof(text), "%s/%s-%.16s.%s", a->c->output_directory, base, id,
			 f->name);
	if (strings_add_text(a->names, text) == STRINGS_NONE)
		return NULL;
	return memory_copy_string(text);
}

/* A conversion of its own, with the options of all. */
static int start_one(struct all *a, struct convert *one, const struct module *m, const char *path)
{
	const struct convert_output *o;

	*one = (struct convert){
		.binary_path = path,
		.counted = &a->counted,
		.smooth = a->c->smooth,
		.flow_solver = a->c->flow_solver,
		.gcc = a->c->gcc,
		.force = a->c->force,
		.verbose = a->c->verbose,
		.stride = a->c->stride,
		.event = a->c->event,
		.input = a->c->input,
		.ip_samples = a->c->ip_samples,
		.frequencies = a->c->frequencies,
		.llvm_md5 = a->c->llvm_md5,
		.llvm_compress = a->c->llvm_compress,
		.llvm_symbols = a->c->llvm_symbols,
		.branches_least = a->c->branches_least,
		.unentered_most = a->c->unentered_most,
		.valid_branches_least = a->c->valid_branches_least,
		.invalid_ranges_most = a->c->invalid_ranges_most,
	};
	memcpy(&one->profiles, &a->c->profiles, sizeof(one->profiles));
	memcpy(&one->search, &a->c->search, sizeof(one->search));
	vector_each (&a->c->outputs, o) {
		struct convert_output *slot = vector_push(&one->outputs);

		if (!slot)
			return -1;
		*slot = (struct convert_output){o->format, output_path(a, m, path, o->format)};
		if (!slot->path)
			return -1;
	}
	return 0;
}

static void convert_module(struct all *a, const struct module *m, const char *path)
{
	struct convert one;
	struct convert_output *o;
	int status = SOFTLBR_E_SYSTEM;

	fprintf(stderr, "%s:\n", path);
	if (!start_one(a, &one, m, path))
		status = convert_one(&one);
	convert_release(&one);
	vector_each (&one.outputs, o)
		memory_free((char *)o->path);
	vector_deinit(&one.outputs);
	if (!status || status == SOFTLBR_E_POOR)
		a->written++;
	if (status && !a->first_status)
		a->first_status = status;
}

static void convert_modules(struct all *a)
{
	const struct modules *modules = &a->c->aggregate.result.modules;

	for (size_t i = 0; i < a->count; i++) {
		const struct module *m = &modules->items.items[a->numbers[i]];
		const char *name = modules_path(modules, a->numbers[i]);
		char *path = NULL;

		if (!aggregate_module_share(&a->c->aggregate.result, a->numbers[i]))
			continue;
		if (*name == '/')
			debug_search_path(&a->c->search, name, accept_readable, &path);
		if (path)
			convert_module(a, m, path);
		else
			convert_report_warning("%s: no such file here, and no profile of it%s",
					       name,
					       *name == '[' ? "; give its file with --binary" : "");
		memory_free(path);
	}
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

static void report_crossings(const struct aggregate *a)
{
	struct map_entry **sorted = map_sorted(&a->result.crossings);

	if (!sorted)
		return;
	qsort(sorted, a->result.crossings.count, sizeof(struct map_entry *), compare_crossings);
	if (a->result.crossings.count)
		fputs("Branches between modules, which are in no profile's targets:\n", stderr);
	for (size_t i = 0; i < a->result.crossings.count && i < CROSSINGS_SHOWN; i++)
		fprintf(stderr, "%14" PRIu64 "  %s -> %s\n", sorted[i]->n,
			modules_path(&a->result.modules, (size_t)sorted[i]->a),
			modules_path(&a->result.modules, (size_t)sorted[i]->b));
	memory_free(sorted);
}

/* The modules of the recordings, into c->aggregate. */
static int find_modules(struct all *a, struct softlbr_error *e)
{
	struct convert *c = a->c;
	int rc = convert_read(c, &a->counted, true, e);

	if (!rc)
		rc = aggregate_resolve(&c->aggregate, &a->counted, NULL, e);
	if (rc)
		return rc;
	if (!c->aggregate.result.funnel.entries &&
	    !(c->ip_samples && c->aggregate.result.funnel.samples))
		return error_set(e, SOFTLBR_E_EMPTY, c->profiles.items[0].path,
				 "%s holds no branch stacks; record with `softlbr record`, or with "
				 "`perf record -b`",
				 c->profiles.items[0].path);
	a->names = strings_new();
	a->numbers = memory_alloc_array(c->aggregate.result.modules.items.count + 1,
					sizeof(size_t));
	if (!a->names || !a->numbers)
		return error_set_nomem(e);
	a->count = aggregate_top_modules(&a->c->aggregate.result, a->numbers,
					 c->aggregate.result.modules.items.count);
	if (mkdir(c->output_directory, 0777) && access(c->output_directory, W_OK))
		return error_set_errno(e, c->output_directory, "cannot write to %s",
				       c->output_directory);
	return 0;
}

int convert_all(struct convert *c)
{
	struct softlbr_error e = {0};
	struct all a = {.c = c};

	if (find_modules(&a, &e)) {
		convert_report_error(&e);
	} else {
		convert_modules(&a);
		report_crossings(&c->aggregate);
		fprintf(stderr, "%zu modules converted, to %s\n", a.written, c->output_directory);
		if (!a.written)
			e.code = a.first_status ? a.first_status : SOFTLBR_E_EMPTY;
	}
	aggregate_deinit(&c->aggregate); /* it borrows of what was counted */
	c->aggregate = (struct aggregate){0};
	aggregate_deinit(&a.counted);
	memory_free(a.numbers);
	strings_free(a.names);
	return e.code;
}
