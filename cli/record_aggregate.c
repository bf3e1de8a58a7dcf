/* SPDX-License-Identifier: MIT */
#include "cli/record_aggregate.h"

#include <errno.h>
#include <inttypes.h>
#include <stdio.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

#include "base/error.h"
#include "base/file.h"
#include "base/memory.h"
#include "converter/samples/aggregate.h"
#include "converter/samples/validate.h"
#include "formats/preagg.h"

#define PATH_BYTES 4096

int record_aggregate_open(struct record_aggregate *a, struct softlbr_error *e)
{
	size_t bytes = strlen(a->directory) + sizeof("/traces");

	if (mkdir(a->directory, 0777) && access(a->directory, W_OK))
		return error_set_errno(e, a->directory, "cannot write to the directory %s",
				       a->directory);
	a->traces = memory_alloc(bytes);
	if (!a->traces)
		return error_set_nomem(e);
	snprintf(a->traces, bytes, "%s/traces", a->directory);
	return 0;
}

/* ---- counting ------------------------------------------------------------------------------ */

/* The module, opened when it is first met; NULL without memory. */
static struct record_module *module_of(struct record_aggregate *a, const char *path)
{
	struct record_module *m;

	vector_each (&a->modules, m)
		if (!strcmp(m->path, path))
			return m;
	m = vector_push(&a->modules);
	if (!m)
		return NULL;
	*m = (struct record_module){.path = memory_copy_string(path)};
	if (*path == '/')
		m->binary = binary_open(path, NULL);
	return m->path ? m : NULL;
}

/* What is new is kept while there is room. */
static int add_counts(struct record_aggregate *a, struct map *sum, const struct map *part)
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

static int count_module(struct record_aggregate *a, struct record_module *m,
			struct aggregate *counted, struct softlbr_error *e)
{
	struct branch_profile *sum = &m->sum;
	struct aggregate part = {0};
	int rc = aggregate_resolve(&part, counted, m->binary, e);

	if (!rc && (add_counts(a, &sum->branches, &part.result.profile.branches) ||
		    add_counts(a, &sum->ranges, &part.result.profile.ranges)))
		rc = error_set_nomem(e);
	aggregate_deinit(&part);
	return rc;
}

static int count_modules(struct record_aggregate *a, struct aggregate *counted,
			 struct softlbr_error *e)
{
	struct aggregate all = {0};
	int rc = aggregate_resolve(&all, counted, NULL, e);

	for (size_t i = 0; !rc && i < all.result.modules.items.count; i++) {
		uint64_t branches = all.result.shares.items[i].branches;
		struct record_module *m;

		if (!branches)
			continue;
		m = module_of(a, modules_path(&all.result.modules, i));
		if (!m)
			rc = error_set_nomem(e);
		else if (m->binary)
			rc = count_module(a, m, counted, e);
		else
			a->branches_elsewhere += branches;
		a->branches += branches;
	}
	aggregate_deinit(&all);
	return rc;
}

/* ---- writing ------------------------------------------------------------------------------- */

static bool same_function(void *context, uint64_t from, uint64_t to)
{
	const struct binary_function *f = binary_function_at(context, from);

	return f && to >= f->begin && to < f->end;
}

/* DIR/app.preagg, or DIR/app-0123456789abcdef.preagg if another module is called app too. */
static void output_path(const struct record_aggregate *a, const struct record_module *m,
			char path[PATH_BYTES])
{
	const char *base = file_base_name(m->path);
	const struct record_module *other;
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

static int write_module(const struct record_aggregate *a, const struct record_module *m,
			struct softlbr_error *e)
{
	struct branch_profile clean = {0};
	struct range_stats stats = {0};
	char path[PATH_BYTES], fresh[PATH_BYTES + 8];
	int rc = validate_profile(m->binary, &m->sum, &clean, &stats, e);

	output_path(a, m, path);
	snprintf(fresh, sizeof(fresh), "%s.new", path);
	if (!rc)
		rc = preagg_write(&clean, same_function, m->binary, fresh, e);
	if (!rc && rename(fresh, path))
		rc = error_set_errno(e, path, "cannot name %s", path);
	branch_profile_deinit(&clean);
	return rc;
}

static int write_modules(struct record_aggregate *a, struct softlbr_error *e)
{
	struct record_module *m;
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

/* The finished files go to DIR.N, and counting begins anew. */
static int set_aside(struct record_aggregate *a, struct softlbr_error *e)
{
	char directory[PATH_BYTES], from[PATH_BYTES], to[2 * PATH_BYTES];
	struct record_module *m;

	snprintf(directory, sizeof(directory), "%s.%u", a->directory, ++a->rotations);
	if (mkdir(directory, 0777) && errno != EEXIST)
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

int record_aggregate_take(void *aggregate, const char *path, bool rotate, struct softlbr_error *e)
{
	struct record_aggregate *a = aggregate;
	struct aggregate_options options = {.keep = true, .frequencies = FREQUENCIES_AUTO};
	struct aggregate counted = {0};
	int rc = aggregate_init(&counted, NULL, &options, e);

	if (!rc)
		rc = aggregate_add(&counted, path, 1, e);
	if (!rc)
		rc = count_modules(a, &counted, e);
	a->traces_counted += counted.result.funnel.samples;
	aggregate_deinit(&counted);
	if (!rc)
		rc = write_modules(a, e);
	if (rc)
		return rc; /* the part stays where it is */
	unlink(path);
	a->parts++;
	return rotate ? set_aside(a, e) : 0;
}

void record_aggregate_print(const struct record_aggregate *a)
{
	fprintf(stderr,
		"softlbr: %" PRIu64 " branches counted in %u parts, %" PRIu64
		" distinct branches and ranges -> %u files in %s\n",
		a->branches, a->parts, a->entries, a->files, a->directory);
	if (a->branches_elsewhere)
		fprintf(stderr,
			"softlbr:   %" PRIu64 " branches in modules that have no file here\n",
			a->branches_elsewhere);
	if (a->dropped)
		fprintf(stderr,
			"softlbr:   %" PRIu64
			" counts dropped: more distinct branches and ranges than %" PRIu64
			" (--aggregate-most)\n",
			a->dropped, a->entries_most);
}

void record_aggregate_close(struct record_aggregate *a)
{
	struct record_module *m;

	vector_each (&a->modules, m) {
		memory_free(m->path);
		binary_close(m->binary);
		branch_profile_deinit(&m->sum);
	}
	vector_deinit(&a->modules);
	memory_free(a->traces);
	*a = (struct record_aggregate){0};
}
