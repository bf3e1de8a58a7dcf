/* SPDX-License-Identifier: MIT */
#include "report/recorded_modules.h"

#include <stdio.h>

#include "base/error.h"
#include "converter/pipeline/verdict.h"

struct binary *recorded_module_open(const struct recorded_input *input, const char *name,
				    const struct debug_search *search, struct softlbr_error *e)
{
	const struct recorded_program_options how = {.name = name, .search.places = search};
	struct recorded_program found = {0};
	struct binary *b = NULL;

	if (recorded_program_is_in(input->kind) && recorded_program_is_sought(name))
		name = recorded_program_find(&found, input, 1, &how, e) ? NULL : found.path;
	if (name)
		b = binary_open_with(name, search, e);
	recorded_program_deinit(&found);
	return b;
}

static void open_binary(struct recorded_module *module, const struct module_search *search,
			const struct build_id *id)
{
	struct softlbr_error e = {0};

	module_search_find(search, module->path, id, &module->file);
	if (!module->file.path)
		return;
	module->binary = binary_open_with(module->file.path, search->places, &e);
	if (!module->binary)
		snprintf(module->file.why, sizeof(module->file.why), "%.390s", e.text);
}

/* Is there a file of the same build among the modules before? */
static bool is_shared(const struct recorded_modules *m, const struct build_id *id)
{
	const struct modules *modules = &m->shares.aggregate.result.modules;
	const struct recorded_module *other;

	vector_each (&m->items, other)
		if (other->binary &&
		    branch_profile_same_build(id, &modules->items.items[other->number].build_id))
			return true;
	return false;
}

/* Where no build-id tells, the code does: could it have done what was recorded? */
static bool is_of_another_build(const struct recorded_modules *m,
				const struct recorded_module *module)
{
	const struct modules *modules = &m->shares.aggregate.result.modules;
	struct verdict v;

	if (branch_profile_same_build(&modules->items.items[module->number].build_id,
				      binary_build_id(module->binary)))
		return false;
	verdict_init(&v);
	verdict_take_branches(&v, &module->conversion.valid);
	return verdict_judge(&v) == SOFTLBR_E_BINARY;
}

/* The file is no longer taken for the module. */
static void give_up_binary(struct recorded_module *module)
{
	const double share = validate_branch_share(&module->conversion.valid);

	snprintf(module->file.why, sizeof(module->file.why),
		 "%.250s is another build: %.0f %% of the recorded branches are in its code (no "
		 "build-id was recorded)",
		 module->file.path, 100 * share);
	module->file.other = module->file.path;
	module->file.path = NULL;
	conversion_deinit(&module->conversion);
	binary_close(module->binary);
	module->binary = NULL;
}

static int resolve_by_binary(struct recorded_modules *m, struct conversion *counted,
			     struct recorded_module *module, struct softlbr_error *e)
{
	int rc = conversion_init_resolved(&module->conversion, counted, module->binary, e)
			 ?: conversion_validate(&module->conversion, e);

	if (rc)
		return rc;
	if (is_of_another_build(m, module)) {
		give_up_binary(module);
		return 0;
	}
	module->profile = &module->conversion.recorded.branches;
	m->resolved++;
	return 0;
}

static int resolve(struct recorded_modules *m, struct conversion *counted,
		   struct recorded_module *module, struct softlbr_error *e)
{
	static const struct branch_profile nothing;
	int rc = 0;

	if (module->shared) {
		module->profile = &nothing;
		m->resolved++;
		return 0;
	}
	if (module->binary)
		rc = resolve_by_binary(m, counted, module, e);
	if (rc || module->binary)
		return rc;
	module->profile = &module->offsets.result.profile;
	return aggregate_resolve_module(&module->offsets, &counted->aggregate, module->number, e);
}

static int add_module(struct recorded_modules *m, size_t number, const struct module_search *search,
		      struct softlbr_error *e)
{
	const struct modules *modules = &m->shares.aggregate.result.modules;
	const struct build_id *id = &modules->items.items[number].build_id;
	struct recorded_module *module = vector_push(&m->items);

	if (!module)
		return error_set_nomem(e);
	module->number = number;
	module->path = modules_path(modules, number);
	module->shared = is_shared(m, id);
	if (!module->shared)
		open_binary(module, search, id);
	return 0;
}

static uint64_t module_share(const struct recorded_modules *m, const struct recorded_module *module)
{
	return aggregate_module_share(&m->shares.aggregate.result, module->number);
}

static void find_missing(struct recorded_modules *m)
{
	const uint64_t whole = aggregate_whole(&m->shares.aggregate.result);
	const struct recorded_module *i;
	uint64_t sum = 0;

	vector_each (&m->items, i) {
		if (i->binary || i->shared || !module_search_names_file(i->path))
			continue;
		sum += module_share(m, i);
		if (!m->largest || module_share(m, i) > module_share(m, m->largest))
			m->largest = i;
	}
	m->missing = whole ? (double)sum / (double)whole : 0;
}

static int explain_missing(const struct recorded_modules *m, struct softlbr_error *e)
{
	return recorded_program_not_found(&m->shares.aggregate.result, m->largest->number,
					  &m->largest->file, m->shares.first, e);
}

int recorded_modules_check(const struct recorded_modules *m, struct softlbr_error *e)
{
	return m->missing > RECORDED_MODULES_MISSING_MOST ? explain_missing(m, e) : 0;
}

void recorded_modules_warn(const struct recorded_modules *m, struct document *out)
{
	struct softlbr_error e = {0};

	if (m->missing < RECORDED_PROGRAM_LEAST)
		return;
	explain_missing(m, &e);
	document_fact_text(out, "warning", "warning", e.text);
}

void recorded_modules_put_unresolved(const struct recorded_modules *m, struct document *out,
				     size_t top)
{
	const uint64_t whole = aggregate_whole(&m->shares.aggregate.result);
	const struct recorded_module *i;

	if (m->resolved == m->items.count)
		return;
	document_table(out, "unresolved", "Modules that are not resolved to symbols",
		       "share, path: module, reason");
	vector_each (&m->items, i) {
		if (i->binary || i->shared)
			continue;
		document_put_share(out, module_share(m, i), whole);
		document_put_text(out, i->path);
		document_put_text(out, i->file.why);
	}
	document_rank(out, 0, top);
}

static struct recorded_module *with_most(const struct recorded_modules *m, bool programs)
{
	struct recorded_module *i, *most = NULL;

	vector_each (&m->items, i)
		if (!i->shared && (i->file.program || !programs) &&
		    (!most || module_share(m, i) > module_share(m, most)))
			most = i;
	return most;
}

struct recorded_module *recorded_modules_main(const struct recorded_modules *m)
{
	const uint64_t whole = aggregate_whole(&m->shares.aggregate.result);
	struct recorded_module *program = with_most(m, true), *most = with_most(m, false);

	if (program && (double)module_share(m, program) >= RECORDED_PROGRAM_LEAST * (double)whole)
		most = program;
	return most && most->binary ? most : NULL;
}

/* Shares are of what runs in the memory over a file's code: the file's or not, by the file. */
static int judge_copies(struct conversion *counted, const struct module_search *search,
			struct softlbr_error *e)
{
	const struct modules *modules = &counted->aggregate.result.modules;
	int rc = 0;

	for (size_t i = 0; !rc && i < modules->items.count; i++) {
		struct recorded_module module = {.path = modules_path(modules, i)};

		if (!modules->items.items[i].may_be_copied)
			continue;
		open_binary(&module, search, &modules->items.items[i].build_id);
		if (module.binary && aggregate_judge_copies(&counted->aggregate, i, module.binary))
			rc = error_set_nomem(e);
		binary_close(module.binary);
		module_file_deinit(&module.file);
	}
	return rc;
}

int recorded_modules_read(struct recorded_modules *m, struct conversion *counted,
			  const struct module_search *search, struct softlbr_error *e)
{
	const struct aggregate_result *r = &m->shares.aggregate.result;
	int rc;

	*m = (struct recorded_modules){0};
	rc = judge_copies(counted, search, e)
		     ?: conversion_init_resolved(&m->shares, counted, NULL, e);
	for (size_t i = 0; !rc && i < r->shares.count; i++)
		if (aggregate_module_share(r, i))
			rc = add_module(m, i, search, e);
	/* what is pushed no longer moves */
	for (size_t i = 0; !rc && i < m->items.count; i++)
		rc = resolve(m, counted, &m->items.items[i], e);
	find_missing(m);
	return rc;
}

void recorded_modules_deinit(struct recorded_modules *m)
{
	struct recorded_module *module;

	vector_each (&m->items, module) {
		conversion_deinit(&module->conversion);
		aggregate_deinit(&module->offsets);
		binary_close(module->binary);
		module_file_deinit(&module->file);
	}
	vector_deinit(&m->items);
	conversion_deinit(&m->shares);
}
