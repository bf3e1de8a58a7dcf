/* SPDX-License-Identifier: MIT */
#include "compare/comparand.h"

#include "base/error.h"
#include "compare/source_score.h"
#include "converter/bolt/from_fdata.h"
#include "formats/fdata.h"
#include "formats/perfdata_directory.h"

int comparand_open(struct comparand *c, const char *path, struct softlbr_error *e)
{
	int rc = perfdata_view_open(&c->view, path, e);

	c->path = path;
	if (rc)
		return rc;
	c->kind = profile_kind_of(c->view.data, c->view.size);
	c->exact = c->kind == PROFILE_CALLGRIND;
	if (c->kind == PROFILE_UNKNOWN)
		return error_set(e, SOFTLBR_E_INPUT, path,
				 "%s is %s: not a profile or recording that can be read", path,
				 c->view.size ? "of an unknown format" : "empty");
	return 0;
}

void comparand_deinit(struct comparand *c)
{
	file_view_close(&c->view);
	branch_profile_deinit(&c->branches);
	source_profile_deinit(&c->source);
}

static int check(const struct comparand *c, const struct aggregate *a, struct softlbr_error *e)
{
	const char *binary = binary_path(a->result.binary);

	if (!a->result.funnel.entries)
		return error_set(e, SOFTLBR_E_EMPTY, c->path,
				 "%s holds no taken branches; record them with softlbr record, or "
				 "with perf record -b",
				 c->path);
	if (a->result.match.kind == MATCH_NONE || a->result.match.kind == MATCH_OTHER_BUILD)
		return error_set(
			e, SOFTLBR_E_BINARY, c->path,
			"%s was not recorded of %s%s; give the file that ran with "
			"--binary",
			c->path, binary,
			a->result.match.kind == MATCH_OTHER_BUILD ? ", but of another build" : "");
	if (!c->branches.branches.count)
		return error_set(e, SOFTLBR_E_EMPTY, c->path,
				 "no branch of %s is one that the code of %s has", c->path, binary);
	return 0;
}

/* llvm-bolt's fdata, whose records are at symbols. */
static int read_fdata(struct comparand *c, struct binary *b, struct softlbr_error *e)
{
	struct branch_profile raw = {0};
	struct bolt_profile records;
	int rc;

	if (bolt_profile_init(&records))
		return error_set_nomem(e);
	rc = fdata_read_bytes((const char *)c->view.data, c->view.size, c->path, &records, e);
	if (!rc && from_fdata_add(b, &records, &raw, &c->unknown))
		rc = error_set_nomem(e);
	if (!rc)
		rc = validate_profile(b, &raw, &c->branches, &c->valid, e);
	if (!rc && !c->branches.branches.count)
		rc = error_set(e, SOFTLBR_E_BINARY, c->path,
			       "no branch of %s is one that %s has: is it of that binary?", c->path,
			       binary_path(b));
	branch_profile_deinit(&raw);
	bolt_profile_deinit(&records);
	return rc;
}

int comparand_read_branches(struct comparand *c, struct binary *b, struct softlbr_error *e)
{
	struct aggregate_options how = {.frequencies = FREQUENCIES_RAW};
	struct aggregate a;
	int rc;

	if (c->kind == PROFILE_FDATA)
		return read_fdata(c, b, e);
	rc = aggregate_init(&a, b, &how, e);
	if (!rc)
		rc = aggregate_add_bytes(&a, c->view.data, c->view.size, c->path, 1, e);
	if (!rc)
		rc = validate_profile(b, &a.result.profile, &c->branches, &c->valid, e);
	if (!rc)
		rc = check(c, &a, e);
	c->samples = a.result.funnel.samples;
	aggregate_deinit(&a);
	return rc;
}

int comparand_attribute(struct comparand *c, struct binary *b, struct attribute_stats *stats,
			struct softlbr_error *e)
{
	struct softlbr_error own = {0};
	int rc = attribute(b, &c->branches, &c->source, stats, &own);

	/* that there is no debug information */
	if (own.code == SOFTLBR_E_INPUT)
		return 0;
	if (rc && e && !e->code)
		*e = own;
	c->has_source = !rc && stats->functions > stats->functions_no_debug;
	return rc;
}

int comparand_read_source(struct comparand *c, struct binary *b, struct softlbr_error *e)
{
	struct attribute_stats stats = {0};
	int rc;

	if (profile_kind_is_source(c->kind)) {
		rc = profile_kind_read_source(c->kind, c->view.data, c->view.size, c->path,
					      &c->source, NULL, e);
		c->has_source = !rc;
		if (!rc && source_profile_sort(&c->source))
			rc = error_set_nomem(e);
		return rc;
	}
	return comparand_attribute(c, b, &stats, e);
}

int comparand_flatten(struct comparand *c, struct softlbr_error *e)
{
	struct source_profile flat;

	if (source_flatten_profile(&c->source, &flat)) {
		source_profile_deinit(&flat);
		return error_set_nomem(e);
	}
	source_profile_deinit(&c->source);
	c->source = flat;
	return 0;
}

bool comparand_is_sampled(const struct comparand *c)
{
	return c->kind == PROFILE_PERFDATA || c->kind == PROFILE_PERFSCRIPT;
}

int comparand_read_part(const struct comparand *c, struct binary *b, unsigned parts, unsigned part,
			struct branch_profile *out, struct softlbr_error *e)
{
	struct aggregate_options options = {
		.parts = parts, .part = part, .frequencies = FREQUENCIES_RAW};
	struct range_stats stats;
	struct aggregate a;
	int rc = aggregate_init(&a, b, &options, e);

	if (!rc)
		rc = aggregate_add_bytes(&a, c->view.data, c->view.size, c->path, 1, e);
	if (!rc)
		rc = validate_profile(b, &a.result.profile, out, &stats, e);
	aggregate_deinit(&a);
	return rc;
}
