/* SPDX-License-Identifier: MIT */
#include "converter/pipeline/accumulate.h"

#include <errno.h>
#include <stdio.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

#include "base/error.h"
#include "base/file.h"
#include "base/file_output.h"
#include "base/memory.h"
#include "converter/pipeline/conversion.h"
#include "converter/pipeline/profile_outputs.h"

#define PATH_BYTES 4096

int accumulate_open(struct accumulate *a, struct softlbr_error *e)
{
	size_t bytes = strlen(a->directory) + sizeof("/traces");

	if (file_directory_make(a->directory, 0700, NULL, e))
		return -SOFTLBR_E_SYSTEM;
	a->traces = memory_alloc(bytes);
	if (!a->traces)
		return error_set_nomem(e);
	snprintf(a->traces, bytes, "%s/traces", a->directory);
	return 0;
}

static bool is_output(const struct accumulate *a, const char *path)
{
	const struct accumulate_module *m;

	vector_each (&a->modules, m)
		if (m->output && !strcmp(m->output, path))
			return true;
	return false;
}

/* DIR/app.preagg, or DIR/app-0123456789abcdef.preagg if another module is called app too; those
 * that have no build-id to tell them apart are numbered. NULL without memory. */
static char *output_of(const struct accumulate *a, const char *module, const struct binary *binary)
{
	const char *base = file_base_name(module);
	char path[PATH_BYTES], id[41], number[16] = "";

	snprintf(path, sizeof(path), "%s/%s.preagg", a->directory, base);
	for (unsigned n = 1; is_output(a, path); n++) {
		branch_profile_build_id_text(binary_build_id(binary), id);
		if (n > 1)
			snprintf(number, sizeof(number), "-%u", n);
		snprintf(path, sizeof(path), "%s/%s-%.16s%s.preagg", a->directory, base, id,
			 number);
	}
	return memory_copy_string(path);
}

/* The module, opened when it is first met; NULL without memory. */
static struct accumulate_module *module_of(struct accumulate *a, const char *path)
{
	struct binary *binary;
	struct accumulate_module *m;
	char *output = NULL;

	vector_each (&a->modules, m)
		if (!strcmp(m->path, path))
			return m;
	binary = *path == '/' ? binary_open(path, NULL) : NULL;
	if (binary)
		output = output_of(a, path, binary);
	m = !binary || output ? vector_push(&a->modules) : NULL;
	if (!m) {
		binary_close(binary);
		memory_free(output);
		return NULL;
	}
	*m = (struct accumulate_module){
		.path = memory_copy_string(path), .binary = binary, .output = output};
	return m->path ? m : NULL;
}

/* A build that runs under several paths is counted once, for all of them, as the first. */
static struct accumulate_module *counted_as(struct accumulate *a, struct accumulate_module *m,
					    const struct build_id *recorded)
{
	struct accumulate_module *other;

	vector_each (&a->modules, other)
		if (other->binary &&
		    branch_profile_same_build(recorded, binary_build_id(other->binary)))
			return other;
	return m;
}

/* New branches and ranges are kept while there is room. */
static int add_counts(struct accumulate *a, struct map *sum, const struct map *part)
{
	for (struct map_entry *from = NULL; (from = map_next(part, from));) {
		struct map_entry *to = map_find(sum, from->a, from->b);

		if (!to && a->entries >= a->entries_most) {
			a->dropped += from->n;
			continue;
		}
		a->entries += !to;
		to = to ? to : map_at(sum, from->a, from->b);
		if (!to)
			return -1;
		to->n += from->n;
		to->m += from->m;
	}
	return 0;
}

static int count_module(struct accumulate *a, struct accumulate_module *m,
			struct conversion *counted, struct softlbr_error *e)
{
	const struct branch_profile *add;
	struct conversion part;
	int rc = conversion_init_resolved(&part, counted, m->binary, e);

	add = &part.aggregate.result.profile;
	if (!rc && (add_counts(a, &m->sum.branches, &add->branches) ||
		    add_counts(a, &m->sum.ranges, &add->ranges)))
		rc = error_set_nomem(e);
	conversion_deinit(&part);
	return rc;
}

static int count_modules(struct accumulate *a, struct conversion *counted, struct softlbr_error *e)
{
	const struct aggregate_result *r;
	const unsigned part = a->parts + 1;
	struct conversion all;
	int rc = conversion_init_resolved(&all, counted, NULL, e);

	r = &all.aggregate.result;
	for (size_t i = 0; !rc && i < r->modules.items.count; i++) {
		uint64_t branches = r->shares.items[i].branches;
		struct accumulate_module *m;

		if (!branches)
			continue;
		m = module_of(a, modules_path(&r->modules, i));
		if (!m) {
			rc = error_set_nomem(e);
			break;
		}
		m = counted_as(a, m, &r->modules.items.items[i].build_id);
		if (!m->binary)
			a->branches_elsewhere += branches;
		else if (m->part != part)
			rc = count_module(a, m, counted, e);
		m->part = part;
		a->branches += branches;
	}
	conversion_deinit(&all);
	return rc;
}

static int write_module(const struct accumulate *a, const struct accumulate_module *m,
			struct softlbr_error *e)
{
	const struct file_guard_kind counts = profile_kind_guarded(PROFILE_PREAGG);
	struct branch_profile clean = {0};
	struct validate_stats stats = {0};
	struct file_output out;
	int rc = validate_profile(m->binary, &m->sum, &clean, &stats, e);

	if (!rc && !a->force)
		rc = file_guard_replace(m->output, &counts, e);
	if (!rc)
		rc = file_output_open_private(&out, m->output, e);
	if (!rc)
		rc = file_output_end(
			&out, profile_outputs_preagg_to(m->binary, &clean, 0, out.stream, e), e);
	branch_profile_deinit(&clean);
	return rc;
}

static int write_modules(struct accumulate *a, struct softlbr_error *e)
{
	struct accumulate_module *m;
	int rc = 0;

	a->files = 0;
	vector_each (&a->modules, m) {
		if (rc || !m->binary || !m->sum.branches.count)
			continue;
		rc = write_module(a, m, e);
		a->files++;
	}
	return rc;
}

/* The finished files go to a new DIR.N, and counting begins anew. */
static int set_aside(struct accumulate *a, struct softlbr_error *e)
{
	char directory[PATH_BYTES], to[2 * PATH_BYTES];
	struct accumulate_module *m;
	int rc;

	do
		snprintf(directory, sizeof(directory), "%s.%u", a->directory, ++a->rotations);
	while ((rc = mkdir(directory, 0700)) && errno == EEXIST);
	if (rc)
		return error_set_errno(e, directory, "cannot make the directory %s", directory);
	vector_each (&a->modules, m) {
		if (!m->binary || !m->sum.branches.count)
			continue;
		snprintf(to, sizeof(to), "%s/%s", directory, file_base_name(m->output));
		if (rename(m->output, to))
			return error_set_errno(e, to, "cannot keep %s as %s", m->output, to);
		map_deinit(&m->sum.branches);
		map_deinit(&m->sum.ranges);
		m->sum.branches = m->sum.ranges = (struct map){0};
	}
	a->entries = 0;
	return 0;
}

int accumulate_take(void *accumulate, const char *path, bool rotate, struct softlbr_error *e)
{
	const struct conversion_options options = {.read = {.keep = true}};
	struct accumulate *a = accumulate;
	struct conversion counted;
	int rc = conversion_init(&counted, NULL, &options, e);

	if (rc)
		return rc;
	rc = conversion_add(&counted, path, 1, e) ?: count_modules(a, &counted, e);
	a->traces_counted += counted.aggregate.result.funnel.samples;
	conversion_deinit(&counted);
	if (!rc)
		rc = write_modules(a, e);
	if (rc)
		return rc; /* the part stays where it is */
	unlink(path);
	a->parts++;
	return rotate ? set_aside(a, e) : 0;
}

void accumulate_close(struct accumulate *a)
{
	struct accumulate_module *m;

	vector_each (&a->modules, m) {
		memory_free(m->path);
		memory_free(m->output);
		binary_close(m->binary);
		branch_profile_deinit(&m->sum);
	}
	vector_deinit(&a->modules);
	memory_free(a->traces);
	*a = (struct accumulate){0};
}
