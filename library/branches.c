/* SPDX-License-Identifier: MIT */
/* softlbr/profile.h: branch profiles. */
#include <math.h>
#include <string.h>

#include "base/error.h"
#include "base/memory.h"
#include "base/sized_struct.h"
#include "compare/edges.h"
#include "converter/pipeline/profile_outputs.h"
#include "formats/fdata.h"
#include "library/private.h"

/* The number of a setting's @text among @names, NULL's is 0; -1 with an error if it is none. */
static int branches_choose(const char *what, const char *const *names, const char *text,
			   struct softlbr_error *e)
{
	char known[80] = "";

	for (int i = 0; text && names[i]; i++) {
		if (!strcmp(text, names[i]))
			return i;
		error_add_name(known, sizeof(known), names[i]);
	}
	return text ? error_set(e, SOFTLBR_E_USAGE, NULL, "%s: %s is none of %s", what, text, known)
		    : 0;
}

static int choose_ways(struct conversion_options *how, const struct softlbr_branches_options *o,
		       struct softlbr_error *e)
{
	static const char *const frequencies[] = {
		[FREQUENCIES_AUTO] = "auto",
		[FREQUENCIES_RAW] = "raw",
		[FREQUENCIES_REWEIGHT] = "reweight",
		[FREQUENCIES_CHAIN] = "chain",
		NULL,
	};
	static const char *const smooth[] = {
		[CONVERSION_SMOOTH_AUTO] = "auto", [CONVERSION_SMOOTH_NONE] = "none",
		[CONVERSION_SMOOTH_MCF] = "mcf",   [CONVERSION_SMOOTH_STATIC] = "static",
		[CONVERSION_SMOOTH_FLAT] = "flat", NULL,
	};
	int n = branches_choose("frequencies", frequencies, o->frequencies, e);

	if (n < 0)
		return n;
	how->read.frequencies = (enum frequencies)n;
	n = branches_choose("smooth", smooth, o->smooth, e);
	if (n < 0)
		return n;
	how->smooth = (enum conversion_smooth)n;
	return 0;
}

static int choose_format(struct conversion_options *how, const char *format,
			 struct softlbr_error *e)
{
	char known[PROFILE_KIND_NAMES_BYTES];

	if (!format)
		return 0;
	how->read.kind = profile_kind_named(format);
	if (!profile_kind_is_recording(how->read.kind))
		return error_set(e, SOFTLBR_E_USAGE, NULL,
				 "%s is no format of recordings: expected one of %s", format,
				 profile_kind_names(profile_kind_is_recording, known));
	return 0;
}

static int set_up(struct softlbr_branches *b, const struct softlbr_branches_options *o,
		  const char *binary, struct softlbr_error *e)
{
	struct conversion_options how = {
		.read = {.any_build = o->any_build, .first_runs = true, .by_period = o->ip_samples},
		.ip_samples = o->ip_samples,
		.each = true};
	int rc = choose_format(&how, o->format, e) ?: choose_ways(&how, o, e);

	if (rc)
		return rc;
	b->symfs = o->symfs ? memory_copy_string(o->symfs) : NULL;
	b->event = o->event ? memory_copy_string(o->event) : NULL;
	if ((o->symfs && !b->symfs) || (o->event && !b->event))
		return error_set_nomem(e);
	b->search.symfs = b->symfs;
	how.read.event = b->event;
	b->binary = binary_open_with(binary, &b->search, e);
	return b->binary ? conversion_init(&b->conversion, b->binary, &how, e) : -1;
}

struct softlbr_branches *softlbr_branches_new(const char *binary,
					      const struct softlbr_branches_options *options,
					      struct softlbr_error *e)
{
	struct softlbr_branches_options o = {0};
	struct softlbr_branches *b;

	e = library_error(e);
	if (sized_struct_take(&o, sizeof(o), options, e))
		return NULL;
	b = memory_alloc(sizeof(*b));
	if (!b) {
		error_set_nomem(e);
		return NULL;
	}
	if (set_up(b, &o, binary, e)) {
		softlbr_branches_free(b);
		return NULL;
	}
	return b;
}

void softlbr_branches_free(struct softlbr_branches *b)
{
	if (!b)
		return;
	if (b->binary)
		conversion_deinit(&b->conversion);
	binary_close(b->binary);
	memory_free(b->symfs);
	memory_free(b->event);
	memory_free(b);
}

static int may_add(const struct softlbr_branches *b, struct softlbr_error *e)
{
	return b->broken ? error_set(e, SOFTLBR_E_USAGE, binary_path(b->binary),
				     "a profile whose reading failed can only be freed")
			 : 0;
}

/* What is known of the sum is known no longer. */
static int added(struct softlbr_branches *b, int rc)
{
	b->checked = false;
	b->broken |= rc != 0;
	return rc;
}

int softlbr_branches_read(struct softlbr_branches *b, const char *path, uint64_t weight,
			  struct softlbr_error *e)
{
	int rc = may_add(b, e);

	e = library_error(e);
	return rc ?: added(b, conversion_add(&b->conversion, path, weight, e));
}

int softlbr_branches_read_memory(struct softlbr_branches *b, const void *data, size_t size,
				 const char *name, uint64_t weight, struct softlbr_error *e)
{
	int rc = may_add(b, e);

	e = library_error(e);
	return rc ? rc
		  : added(b, conversion_add_bytes(&b->conversion, data, size, name, weight, e));
}

int softlbr_branches_add(struct softlbr_branches *b, uint64_t from, uint64_t to, uint64_t count,
			 uint64_t mispredicted, struct softlbr_error *e)
{
	int rc = may_add(b, e);

	e = library_error(e);
	if (!rc && from == BRANCH_OUTSIDE && to == BRANCH_OUTSIDE)
		return error_set(e, SOFTLBR_E_USAGE, binary_path(b->binary),
				 "a branch has an end in the binary");
	if (!rc && branch_profile_add_branch(&b->conversion.aggregate.result.profile, from, to,
					     count, mispredicted))
		rc = error_set_nomem(e);
	return added(b, rc);
}

int softlbr_branches_add_range(struct softlbr_branches *b, uint64_t begin, uint64_t end,
			       uint64_t count, struct softlbr_error *e)
{
	int rc = may_add(b, e);

	e = library_error(e);
	if (!rc &&
	    branch_profile_add_range(&b->conversion.aggregate.result.profile, begin, end, count))
		rc = error_set_nomem(e);
	return added(b, rc);
}

int branches_check(struct softlbr_branches *b, struct softlbr_error *e)
{
	int rc = may_add(b, e);

	if (rc || b->checked)
		return rc;
	rc = conversion_check(&b->conversion, NULL, e) ?: conversion_validate(&b->conversion, e);
	b->checked = !rc;
	return rc;
}

int softlbr_branches_check(struct softlbr_branches *b, struct softlbr_branches_figures *out,
			   struct softlbr_error *e)
{
	struct softlbr_branches_figures f = {0};
	int rc;

	e = library_error(e);
	rc = branches_check(b, e);
	if (rc)
		return rc;
	f.branches = b->conversion.valid.branches.in;
	f.ranges = b->conversion.valid.ranges.in;
	f.valid_branches = validate_branch_share(&b->conversion.valid);
	f.whole_ranges = validate_range_share(&b->conversion.valid);
	return sized_struct_give(out, &f, sizeof(f), e);
}

static int each_of(const struct map *m, int is_range, softlbr_branches_handler *handler,
		   void *context, struct softlbr_error *e)
{
	struct map_entry **sorted = map_sorted(m);
	int rc = 0;

	if (!sorted)
		return error_set_nomem(e);
	for (size_t i = 0; !rc && i < m->count; i++)
		rc = handler(context, is_range, sorted[i]->a, sorted[i]->b, sorted[i]->n,
			     sorted[i]->m);
	memory_free(sorted);
	return rc;
}

int softlbr_branches_each(struct softlbr_branches *b, softlbr_branches_handler *handler,
			  void *context, struct softlbr_error *e)
{
	int rc;

	e = library_error(e);
	rc = branches_check(b, e)
		     ?: each_of(&b->conversion.recorded.branches.branches, 0, handler, context, e);
	return rc ?: each_of(&b->conversion.recorded.branches.ranges, 1, handler, context, e);
}

int softlbr_branches_write(struct softlbr_branches *b, const char *format, const char *path,
			   struct softlbr_error *e)
{
	enum profile_kind kind = profile_kind_named(format);
	enum conversion_use use = kind == PROFILE_FDATA ? CONVERSION_BOLT : CONVERSION_BRANCHES;
	struct conversion *c = &b->conversion;
	int rc;

	e = library_error(e);
	if (kind != PROFILE_FDATA && kind != PROFILE_PREAGG)
		return error_set(e, SOFTLBR_E_USAGE, path,
				 "%s is no format of branches: expected preagg or fdata", format);
	rc = branches_check(b, e) ?: conversion_make(c, use, e);
	if (rc)
		return rc;
	return kind == PROFILE_FDATA
		       ? conversion_make_bolt(&b->conversion, e)
				 ?: fdata_write(&b->conversion.bolt, path, e)
		       : profile_outputs_preagg(b->binary, &conversion_counts_of(c, use)->branches,
						path, e);
}

int softlbr_branches_compare(struct softlbr_branches *reference, struct softlbr_branches *other,
			     struct softlbr_overlap *out, struct softlbr_error *e)
{
	const struct build_id *id = binary_build_id(reference->binary);
	struct softlbr_overlap overlap = {.line = NAN};
	struct edge_score score;
	struct edges edges = {0};
	int rc;

	e = library_error(e);
	if (id->size && !branch_profile_same_build(id, binary_build_id(other->binary)))
		return error_set(e, SOFTLBR_E_BINARY, binary_path(other->binary),
				 "%s is another build than %s: their branches cannot be compared",
				 binary_path(other->binary), binary_path(reference->binary));
	rc = branches_check(reference, e)
	       ?: branches_check(other, e)
	       ?: edges_make(&edges, reference->binary,
			     &reference->conversion.recorded.branches,
			     &other->conversion.recorded.branches, e);
	if (!rc && edge_score_compare(&edges, 0, &score))
		rc = error_set_nomem(e);
	edges_deinit(&edges);
	if (rc)
		return rc;
	overlap.function = score.function;
	overlap.branch = score.branch;
	overlap.edge = score.edge;
	return sized_struct_give(out, &overlap, sizeof(overlap), e);
}
