/* SPDX-License-Identifier: MIT */
/*
 * softlbr convert: recordings and their binary to profiles for compilers and optimizers.
 *
 * Without --binary, or with the name of a module for it, the recordings are read first, and then
 * converted for the binary that is chosen among their modules. With --all a profile of every module
 * is made: what was counted is resolved without any binary, to find the modules and the branches
 * between them, and then for each module whose file is here, which is converted as with --binary.
 */
#include "cli/convert.h"

#include <inttypes.h>
#include <stdio.h>
#include <string.h>
#include <unistd.h>

#include "base/error.h"
#include "base/file.h"
#include "base/memory.h"
#include "base/order.h"
#include "base/printable.h"
#include "base/strings.h"
#include "cli/cli.h"
#include "converter/pipeline/recorded_program.h"
#include "mcf/mincost.h"

#define CROSSINGS_SHOWN 10

/* Choose one of the modules of @counted. */
static int choose_program(const struct convert *c, struct conversion *counted,
			  struct recorded_program *p, struct softlbr_error *e)
{
	const struct convert_input *first = c->profiles.items;
	const struct recorded_program_options how = {
		.name = c->binary_path, .search = {&c->search, first->path}, .any_build = c->force};
	struct conversion modules;
	int rc = conversion_init_resolved(&modules, counted, NULL, e)
			 ?: recorded_program_choose(p, &modules, &how, e);

	conversion_deinit(&modules);
	return rc;
}

/* What can't be read has no modules that --binary could name (and a path is no module's name): is
 * there no such file? */
static int convert_unread(struct convert *c, const struct softlbr_error *e)
{
	conversion_deinit(&c->conversion);
	if (c->binary_path) {
		if (!strchr(c->binary_path, '/'))
			convert_report_warning("no module %s was looked for: %s", c->binary_path,
					       e->text);
		return convert_one(c, NULL);
	}
	convert_report_error(e);
	return e->code;
}

/* Convert for the program that was recorded, or the module that c->binary_path names; the exit
 * status. */
static int convert_program(struct convert *c)
{
	struct recorded_program program = {0};
	struct softlbr_error e = {0};
	struct conversion counted;
	int status;

	c->how.read.keep = true;
	if (convert_read(c, &e))
		return convert_unread(c, &e);
	counted = c->conversion;
	c->conversion = (struct conversion){0};
	/* the program is an input, which no output may replace */
	if (choose_program(c, &counted, &program, &e) ||
	    file_guard_input(c->guard, program.path, &e)) {
		convert_report_error(&e);
		status = e.code;
	} else {
		/* where most of the recording is, if it is not in the program */
		if (program.largest)
			fprintf(stderr,
				"%.0f %% of the %s are in %s: convert that with --binary %s, or all modules "
				"with --all\n",
				100 * program.largest_share, program.unit, program.largest,
				file_base_name(program.largest));
		c->binary_path = program.path;
		status = convert_one(c, &counted);
	}
	conversion_deinit(&counted);
	recorded_program_deinit(&program);
	return status;
}

struct all_modules {
	struct convert *c;	   /* its conversion counts the recordings, for all modules */
	struct conversion modules; /* without a binary: the modules, and branches between them */
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
static char *output_path(struct all_modules *a, const struct module *m, const char *path,
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

/* Each module has a conversion of its own, with the options of all. */
static int start_one(struct all_modules *a, struct convert *one, const struct module *m,
		     const char *path, struct softlbr_error *e)
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

/* Fails if outputs can't be written, which ends the whole conversion. A module that can't be
 * converted has a status of its own, and the others go on. */
static int convert_module(struct all_modules *a, const struct module *m, const char *path,
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
static const char *path_of(const struct all_modules *a, size_t i)
{
	const struct module_file *found = &a->found[i];

	return found->path ? found->path : a->c->force ? found->other : NULL;
}

/* Find the modules' files. They are inputs, which no output may replace. */
static int find_files(struct all_modules *a, struct softlbr_error *e)
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
static const char *same_before(const struct all_modules *a, size_t i)
{
	const struct modules *modules = &a->modules.aggregate.result.modules;
	const struct build_id *id = &modules->items.items[a->numbers[i]].build_id;

	for (size_t j = 0; a->found[i].path && j < i; j++)
		if (a->found[j].path &&
		    branch_profile_same_build(id, &modules->items.items[a->numbers[j]].build_id))
			return a->found[j].path;
	return NULL;
}

static int convert_modules(struct all_modules *a, struct softlbr_error *e)
{
	const struct modules *modules = &a->modules.aggregate.result.modules;
	int rc = 0;

	for (size_t i = 0; !rc && i < a->count; i++) {
		const char *name = modules_path(modules, a->numbers[i]), *path = path_of(a, i);
		const char *same = same_before(a, i);

		if (same)
			fprintf(stderr, "%s: the same build as %s, whose profile is of both\n",
				PRINTABLE(name), PRINTABLE(same));
		else if (path)
			rc = convert_module(a, &modules->items.items[a->numbers[i]], path, e);
		else
			convert_report_warning("no profile of %s: %s%s", name, a->found[i].why,
					       *name == '['	   ? "; give its file with --binary"
					       : a->found[i].other ? "; --force takes it"
								   : "");
	}
	if (rc && a->written)
		fprintf(stderr, "nothing was written to %s: all its files appear together\n",
			a->c->output_directory);
	return rc ?: file_outputs_commit(&a->files, e);
}

ORDER_BY(compare_crossings, struct map_entry *const,
	 order_numbers((*b)->n, (*a)->n) ?: order_numbers((*a)->a, (*b)->a)
	 ?: order_numbers((*a)->b, (*b)->b));

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
			PRINTABLE(modules_path(&r->modules, (size_t)sorted[i]->a)),
			PRINTABLE(modules_path(&r->modules, (size_t)sorted[i]->b)));
	memory_free(sorted);
}

/* Read the recordings and list their modules. */
static int find_modules(struct all_modules *a, struct softlbr_error *e)
{
	const struct aggregate_result *r = &a->modules.aggregate.result;
	struct convert *c = a->c;
	int rc;

	c->how.read.keep = true;
	rc = convert_read(c, e)
	       ?: conversion_init_resolved(&a->modules, &c->conversion, NULL, e)
	       ?: conversion_check_samples(&a->modules, e);
	if (rc)
		return rc;
	a->names = strings_new();
	a->numbers = memory_alloc_array(r->modules.items.count + 1, sizeof(size_t));
	if (!a->names || !a->numbers)
		return error_set_nomem(e);
	a->count = aggregate_top_modules(r, a->numbers, r->modules.items.count);
	return file_directory_make(c->output_directory, 0777, &a->made_directory, e);
}

static void all_deinit(struct all_modules *a)
{
	file_outputs_abandon(&a->files);
	conversion_deinit(&a->modules); /* before the other, from which it borrows */
	conversion_deinit(&a->c->conversion);
	for (size_t i = 0; a->found && i < a->count; i++)
		module_file_deinit(&a->found[i]);
	memory_free(a->found);
	memory_free(a->numbers);
	strings_free(a->names);
}

/* Convert for every module; the exit status. */
static int convert_all(struct convert *c)
{
	struct softlbr_error e = {0};
	struct all_modules a = {.c = c};
	int rc = find_modules(&a, &e) ?: find_files(&a, &e) ?: convert_modules(&a, &e);

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

/* Before anything is read: no output is an input. Those of --all are not known yet. */
static int convert_guard_files(const struct convert *c)
{
	const struct convert_input *input;
	struct softlbr_error e = {0};
	int rc = file_guard_input(c->guard, c->binary_path, &e)
			 ?: file_guard_input(c->guard, c->how.classify_by, &e);

	vector_each (&c->profiles, input)
		if (!rc)
			rc = file_guard_input(c->guard, input->path, &e);
	if (!rc && !c->all)
		rc = convert_outputs_check(c, &e);
	if (rc)
		convert_report_error(&e);
	return -rc;
}

int cli_convert(int argc, char **argv)
{
	struct convert c = {.how = {.flow_solver = &glpk_solver_last, .once = true}};
	struct file_guard guard = {0};
	int status;

	c.guard = &guard;
	verdict_init(&c.verdict);
	if (options_parse(&cli_convert_options, argc, argv, &c))
		return SOFTLBR_E_SYSTEM;
	file_temporaries_remove_on_signals();
	status = convert_guard_files(&c);
	if (!status)
		status = c.all					     ? convert_all(&c)
			 : recorded_program_is_sought(c.binary_path) ? convert_program(&c)
								     : convert_one(&c, NULL);
	file_guard_deinit(&guard);
	vector_deinit(&c.search.prefixes);
	vector_deinit(&c.profiles);
	vector_deinit(&c.outputs);
	return status;
}
