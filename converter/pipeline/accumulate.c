/* SPDX-License-Identifier: MIT */
#include "converter/pipeline/accumulate.h"

#include <errno.h>
#include <stdio.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

#include "base/error.h"
#include "base/file.h"
#include "base/memory.h"
#include "converter/pipeline/branch_output.h"
#include "converter/pipeline/conversion.h"

#define PATH_BYTES 4096

int accumulate_open(struct accumulate *a, struct softlbr_error *e)
{
	size_t bytes = strlen(a->directory) + sizeof("/traces");

	if (file_directory_make(a->directory, NULL, e))
		return -SOFTLBR_E_SYSTEM;
	a->traces = memory_alloc(bytes);
	if (!a->traces)
		return error_set_nomem(e);
	snprintf(a->traces, bytes, "%s/traces", a->directory);
	return 0;
}

/* ---- counting ------------------------------------------------------------------------------ */

/* The module, opened when it is first met; NULL without memory. */
static struct accumulate_module *module_of(struct accumulate *a, const char *path)
{
	struct accumulate_module *m;

	vector_each (&a->modules, m)
		if (!strcmp(m->path, path))
			return m;
	m = vector_push(&a->modules);
	if (!m)
		return NULL;
	*m = (struct accumulate_module){.path = memory_copy_string(path)};
	if (*path == '/')
		m->binary = binary_open(path, NULL);
	return m->path ? m : NULL;
}

/* What is new is kept while there is room. */
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
	struct conversion all;
	int rc = conversion_init_resolved(&all, counted, NULL, e);

	r = &all.aggregate.result;
	for (size_t i = 0; !rc && i < r->modules.items.count; i++) {
		uint64_t branches = r->shares.items[i].branches;
		struct accumulate_module *m;

		if (!branches)
			continue;
		m = module_of(a, modules_path(&r->modules, i));
		if (!m)
			rc = error_set_nomem(e);
		else if (m->binary)
			rc = count_module(a, m, counted, e);
		else
			a->branches_elsewhere += branches;
		a->branches += branches;
	}
	conversion_deinit(&all);
	return rc;
}

/* ---- writing ------------------------------------------------------------------------------- */

/* DIR/app.preagg, or DIR/app-0123456789abcdef.preagg if another module is called app too. */
static void output_path(const struct accumulate *a, const struct accumulate_module *m,
			char path[PATH_BYTES])
{
	const char *base = file_base_name(m->path);
	const struct accumulate_module *other;
	char id[41];

	snprintf(path, PATH_BYTES, "%s/%s.preagg", a->directory, base);
	vector_each (&a->modules, other) {
		if (other == m)
			break;
		if (!strcmp(file_base_name(other->path), base)) {
			branch_profile_build_id_text(binary_build_id(m->binary), id);
			snprintf(path, PATH_BYTES, "%s/%s-%.16s.preagg", a->directory, base, id);
		}
	}
}

static int write_module(const struct accumulate *a, const struct accumulate_module *m,
			struct softlbr_error *e)
{
	const struct file_guard_kind counts = profile_kind_guarded(PROFILE_PREAGG);
	struct branch_profile clean = {0};
	struct validate_stats stats = {0};
	char path[PATH_BYTES];
	int rc = validate_profile(m->binary, &m->sum, &clean, &stats, e);

	output_path(a, m, path);
	if (!rc && !a->force)
		rc = file_guard_replace(path, &counts, e);
	if (!rc)
		rc = branch_output_preagg(m->binary, &clean, path, e);
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
	char directory[PATH_BYTES], from[PATH_BYTES], to[2 * PATH_BYTES];
	struct accumulate_module *m;
	int rc;

	do
		snprintf(directory, sizeof(directory), "%s.%u", a->directory, ++a->rotations);
	while ((rc = mkdir(directory, 0777)) && errno == EEXIST);
	if (rc)
		return error_set_errno(e, directory, "cannot make the directory %s", directory);
	vector_each (&a->modules, m) {
		if (!m->binary || !m->sum.branches.count)
			continue;
		output_path(a, m, from);
		snprintf(to, sizeof(to), "%s/%s", directory, file_base_name(from));
		if (rename(from, to))
			return error_set_errno(e, to, "cannot keep %s as %s", from, to);
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
	rc = conversion_add(&counted, path, 1, e);
	if (!rc)
		rc = count_modules(a, &counted, e);
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
		binary_close(m->binary);
		branch_profile_deinit(&m->sum);
	}
	vector_deinit(&a->modules);
	memory_free(a->traces);
	*a = (struct accumulate){0};
}
