/* SPDX-License-Identifier: MIT */
#include "converter/pipeline/recorded_program.h"

#include <string.h>
#include <sys/stat.h>

#include "base/error.h"
#include "base/memory.h"

struct choice {
	const struct aggregate_result *result;
	const struct recorded_program_options *how;
	const char *recording; /* for messages */
	size_t *numbers;       /* modules by falling share */
	size_t count;
	size_t taken;
	struct module_file file; /* of that */
};

bool recorded_program_is_sought(const char *binary)
{
	struct stat s;

	if (!binary)
		return true;
	return strcmp(binary, "-") != 0 && (stat(binary, &s) || S_ISDIR(s.st_mode));
}

static const char *path_of(const struct choice *c, size_t module)
{
	return modules_path(&c->result->modules, module);
}

static double share_of(const struct choice *c, size_t module)
{
	uint64_t whole = aggregate_whole(c->result);

	return whole ? (double)aggregate_module_share(c->result, module) / (double)whole : 0;
}

static const char *unit(const struct choice *c)
{
	return c->result->funnel.entries ? "branches" : "samples";
}

static void program_look(struct choice *c, size_t module)
{
	module_file_deinit(&c->file);
	module_search_find(&c->how->search, path_of(c, module),
			   &c->result->modules.items.items[module].build_id, &c->file);
	c->taken = module;
}

/* "libfoo.so" is libfoo.so.1.2 too, if nothing has exactly that name. */
static bool is_named(const char *path, const char *name, bool exactly)
{
	const char *base = file_base_name(path);
	size_t length = strlen(name);

	if (exactly)
		return !strcmp(path, name) || !strcmp(base, name);
	return !strncmp(base, name, length) && base[length] == '.';
}

static int choose_named(struct choice *c, struct softlbr_error *e)
{
	const char *name = c->how->name;
	char known[300] = "";

	for (int exactly = 1; exactly >= 0; exactly--)
		for (size_t i = 0; i < c->count; i++)
			if (is_named(path_of(c, c->numbers[i]), name, exactly)) {
				program_look(c, c->numbers[i]);
				return 0;
			}
	for (size_t i = 0; i < c->count; i++)
		if (aggregate_module_share(c->result, c->numbers[i]))
			error_add_name(known, sizeof(known),
				       file_base_name(path_of(c, c->numbers[i])));
	return error_set(e, SOFTLBR_E_SYSTEM, name,
			 "%s is neither a file nor a module of %s; its modules are %s", name,
			 c->recording, known);
}

/* Hardly anything ran in it: which module the user means is for the user to say. */
static int idle_program(const struct choice *c, struct softlbr_error *e)
{
	const char *path = path_of(c, c->taken), *top = path_of(c, c->numbers[0]);

	return error_set(e, SOFTLBR_E_EMPTY, path,
			 "only %.2g %% of the %s of %s are in the program, %s; %.0f %% are in %s: "
			 "give --binary %s to take that, or --binary %s",
			 100 * share_of(c, c->taken), unit(c), c->recording, path,
			 100 * share_of(c, c->numbers[0]), top, top, path);
}

static int choose_program(struct choice *c, struct softlbr_error *e)
{
	for (size_t i = 0; i < c->count; i++) {
		program_look(c, c->numbers[i]);
		if (!c->file.program)
			continue;
		return i && share_of(c, c->numbers[i]) < RECORDED_PROGRAM_LEAST ? idle_program(c, e)
										: 0;
	}
	if (!c->count)
		return error_set(e, SOFTLBR_E_INPUT, c->recording,
				 "%s does not say which files its code is of: give the binary with "
				 "--binary",
				 c->recording);
	return error_set(e, SOFTLBR_E_EMPTY, c->recording,
			 "no module of %s is a program; %.0f %% of the %s are in %s: give the "
			 "binary with --binary",
			 c->recording, 100 * share_of(c, c->numbers[0]), unit(c),
			 path_of(c, c->numbers[0]));
}

int recorded_program_not_found(const struct aggregate_result *r, size_t module,
			       const struct module_file *file, const char *recording,
			       struct softlbr_error *e)
{
	const char *path = modules_path(&r->modules, module);
	const uint64_t whole = aggregate_whole(r), own = aggregate_module_share(r, module);

	return error_set(
		e, file->other ? SOFTLBR_E_BINARY : SOFTLBR_E_SYSTEM, path,
		"%s, which has %.0f %% of the %s of %s, was not found: %s; give the file "
		"that was recorded with --binary, or with --symfs the directory that it "
		"is below%s",
		path, whole ? 100 * (double)own / (double)whole : 0.0,
		r->funnel.entries ? "branches" : "samples", recording, file->why,
		r->modules.items.items[module].build_id.size > 1
			? " (no file of that build-id is in .build-id beside the recording, "
			  "in /usr/lib/debug, or in the caches of perf and debuginfod)"
			: "");
}

static int program_take(struct choice *c, struct recorded_program *out, struct softlbr_error *e)
{
	char **path = c->file.path ? &c->file.path : &c->file.other;

	if (!c->file.path && !(c->file.other && c->how->any_build))
		return recorded_program_not_found(c->result, c->taken, &c->file, c->recording, e);
	out->path = *path;
	*path = NULL;
	out->unit = unit(c);
	out->share = share_of(c, c->taken);
	for (size_t i = 0; i < c->count && !out->largest; i++) {
		size_t module = c->numbers[i];

		if (module == c->taken || *path_of(c, module) != '/')
			continue;
		out->largest_share = share_of(c, module);
		if (out->largest_share < RECORDED_PROGRAM_LARGE)
			break;
		out->largest = memory_copy_string(path_of(c, module));
		if (!out->largest)
			return error_set_nomem(e);
	}
	return 0;
}

/* All modules, those without a share last. */
static int list_modules(struct choice *c, struct softlbr_error *e)
{
	size_t all = c->result->shares.count;

	c->numbers = memory_alloc_array(all + 1, sizeof(*c->numbers));
	if (!c->numbers)
		return error_set_nomem(e);
	c->count = aggregate_top_modules(c->result, c->numbers, all);
	for (size_t i = 0; i < all; i++)
		if (!aggregate_module_share(c->result, i))
			c->numbers[c->count++] = i;
	return 0;
}

int recorded_program_choose(struct recorded_program *out, const struct conversion *modules,
			    const struct recorded_program_options *how, struct softlbr_error *e)
{
	struct choice c = {.result = &modules->aggregate.result, .how = how};
	int rc;

	*out = (struct recorded_program){0};
	c.recording = modules->first;
	rc = conversion_check_samples(modules, e) ?: list_modules(&c, e);
	if (!rc)
		rc = how->name ? choose_named(&c, e) : choose_program(&c, e);
	if (!rc)
		rc = program_take(&c, out, e);
	module_file_deinit(&c.file);
	memory_free(c.numbers);
	return rc;
}

void recorded_program_deinit(struct recorded_program *p)
{
	memory_free(p->path);
	memory_free(p->largest);
	*p = (struct recorded_program){0};
}

bool recorded_program_is_in(enum profile_kind kind)
{
	return kind == PROFILE_PERFDATA || kind == PROFILE_PERFSCRIPT || kind == PROFILE_CALLGRIND;
}

static int choose_of(struct recorded_program *out, struct conversion *counted,
		     const struct recorded_program_options *how, struct softlbr_error *e)
{
	struct conversion modules;
	int rc = conversion_init_resolved(&modules, counted, NULL, e)
			 ?: recorded_program_choose(out, &modules, how, e);

	conversion_deinit(&modules);
	return rc;
}

static int find_in(struct recorded_program *out, const struct recorded_input *input,
		   const struct recorded_program_options *how, struct softlbr_error *e)
{
	const struct conversion_options keep = {.read = {.keep = true, .kind = input->kind},
						.ip_samples = true};
	struct recorded_program_options here = *how;
	struct conversion counted;
	int rc = conversion_init(&counted, NULL, &keep, e);

	if (rc)
		return rc;
	here.search.recording = input->path;
	rc = conversion_add_view(&counted, input->view, input->path, 1, e)
		     ?: choose_of(out, &counted, &here, e);
	conversion_deinit(&counted);
	return rc;
}

int recorded_program_find(struct recorded_program *out, const struct recorded_input *inputs,
			  size_t count, const struct recorded_program_options *how,
			  struct softlbr_error *e)
{
	struct softlbr_error first = {0};

	*out = (struct recorded_program){0};
	for (size_t i = 0; i < count; i++) {
		struct softlbr_error own = {0};

		if (!recorded_program_is_in(inputs[i].kind))
			continue;
		if (!find_in(out, &inputs[i], how, &own))
			return 0;
		recorded_program_deinit(out);
		first = first.code ? first : own;
	}
	if (!first.code)
		return error_set(
			e, SOFTLBR_E_INPUT, count ? inputs[0].path : NULL,
			"%s is %s, whose addresses mean nothing without the binary: give it "
			"with --binary",
			count ? inputs[0].path : "", profile_kind_name(inputs[0].kind));
	if (e && !e->code)
		*e = first;
	return -first.code;
}
