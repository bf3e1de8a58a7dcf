/* SPDX-License-Identifier: MIT */
#include "compare/side.h"

#include "base/error.h"
#include "compare/source_score.h"
#include "converter/bolt/bolt_convert.h"
#include "converter/pipeline/recorded_program.h"
#include "formats/fdata.h"
#include "formats/gcov.h"

int side_open(struct side *c, const char *path, enum frequencies frequencies,
	      struct softlbr_error *e)
{
	int rc;

	c->path = path;
	c->frequencies = frequencies;
	c->kind = PROFILE_UNKNOWN;
	rc = profile_kind_open(path, &c->kind, &c->view, e);
	c->exact = c->kind == PROFILE_CALLGRIND;
	return rc;
}

void side_deinit(struct side *c)
{
	file_view_close(&c->view);
	branch_profile_deinit(&c->counts.branches);
	source_profile_deinit(&c->counts.source);
	evidence_deinit(&c->evidence);
}

struct binary *side_open_binary(const struct side *sides, size_t count, const char *binary,
				const struct debug_search *search, struct softlbr_error *e)
{
	const struct recorded_program_options how = {.name = binary, .search.places = search};
	struct recorded_input inputs[2];
	struct recorded_program program;
	bool tells = false;
	struct binary *b = NULL;

	for (size_t i = 0; i < count; i++) {
		inputs[i] = (struct recorded_input){sides[i].path, sides[i].kind, &sides[i].view};
		tells |= recorded_program_is_in(sides[i].kind);
	}
	if (binary && (!tells || !recorded_program_is_sought(binary)))
		return binary_open_with(binary, search, e);
	if (!recorded_program_find(&program, inputs, count, &how, e))
		b = binary_open_with(program.path, search, e);
	recorded_program_deinit(&program);
	return b;
}

/* Take over what was read into @from, and end it. */
static void take_conversion(struct side *c, struct conversion *from)
{
	c->counts.branches = from->recorded.branches;
	from->recorded.branches = (struct branch_profile){0};
	c->valid = from->valid;
	c->funnel = from->aggregate.result.funnel;
	c->samples = c->funnel.samples;
	c->evidence = from->aggregate.result.evidence;
	from->aggregate.result.evidence = (struct evidence){0};
	c->damage = from->aggregate.result.damage;
	if (!modules_copied(&from->aggregate.result.modules, c->copied))
		c->copied[0] = '\0';
	conversion_deinit(from);
}

/* llvm-bolt's fdata, whose records are at symbols. */
static int read_fdata(struct side *c, struct conversion *to, struct softlbr_error *e)
{
	struct branch_profile *raw = &to->aggregate.result.profile;
	struct bolt_profile records;
	int rc;

	if (bolt_profile_init(&records))
		return error_set_nomem(e);
	rc = fdata_read_bytes((const char *)c->view.data, c->view.size, c->path, &records, e);
	if (!rc && bolt_convert_to_branches(to->binary, &records, raw, &c->unknown))
		rc = error_set_nomem(e);
	if (!rc)
		rc = conversion_validate(to, e);
	if (!rc && !to->recorded.branches.branches.count)
		rc = error_set(e, SOFTLBR_E_BINARY, c->path,
			       "no branch of %s is one that %s has: is it of that binary?", c->path,
			       binary_path(to->binary));
	bolt_profile_deinit(&records);
	return rc;
}

static int read_recording(const struct side *c, struct conversion *to, struct softlbr_error *e)
{
	int rc = conversion_add_view(to, &c->view, c->path, 1, e)
	       ?: conversion_check(to, c->path, e)
	       ?: conversion_validate(to, e);

	if (!rc && !to->recorded.branches.branches.count)
		rc = error_set(e, SOFTLBR_E_EMPTY, c->path,
			       "no branch of %s is one that the code of %s has", c->path,
			       binary_path(to->binary));
	return rc;
}

int side_read_branches(struct side *c, struct binary *b, struct softlbr_error *e)
{
	const struct conversion_options how = {
		.read = {.frequencies = c->frequencies, .progress = c->progress}, .once = true};
	struct conversion from;
	int rc = conversion_init(&from, b, &how, e);

	if (rc)
		return rc;
	rc = c->kind == PROFILE_FDATA ? read_fdata(c, &from, e) : read_recording(c, &from, e);
	take_conversion(c, &from);
	return rc;
}

int side_attribute(struct side *c, struct binary *b, struct softlbr_error *e)
{
	const struct attribute_stats *stats = &c->counts.attributed;
	struct softlbr_error own = {0};
	int rc = conversion_attribute(b, &c->counts, &own);

	c->counts.has_source = !rc && stats->functions > stats->functions_no_debug;
	/* that there is no debug information */
	if (own.code == SOFTLBR_E_INPUT)
		return 0;
	if (rc && e && !e->code)
		*e = own;
	return rc;
}

int side_read_source(struct side *c, struct binary *b, struct softlbr_error *e)
{
	int rc;

	if (profile_kind_is_source(c->kind)) {
		rc = profile_kind_read_source(c->kind, c->view.data, c->view.size, c->path,
					      &c->counts.source, NULL, e);
		c->counts.has_source = !rc;
		if (!rc && source_profile_sort(&c->counts.source))
			rc = error_set_nomem(e);
		return rc;
	}
	return side_attribute(c, b, e);
}

int side_name_alike(struct side sides[2], struct softlbr_error *e)
{
	struct source_profile *first = &sides[0].counts.source, *second = &sides[1].counts.source;
	struct source_profile *numbers = first->md5_names ? first : second, named;

	if (source_profiles_agree(first, second))
		return 0;
	if (source_names_unhash(numbers, numbers == first ? second : first, &named))
		return error_set_nomem(e);
	source_profile_deinit(numbers);
	*numbers = named;
	return 0;
}

static bool has_discriminators(const struct source_function *f)
{
	const struct source_callsite *site;
	const struct source_line *line;

	vector_each (&f->lines, line)
		if (line->at.discriminator)
			return true;
	vector_each (&f->callsites, site)
		if (site->at.discriminator || has_discriminators(&site->callee))
			return true;
	return false;
}

static bool is_of_lines(const struct side *c)
{
	const struct source_function *f;

	vector_each (&c->counts.source.functions, f)
		if (has_discriminators(f))
			return false;
	return true;
}

int side_lines_alike(struct side sides[2], struct softlbr_error *e)
{
	for (unsigned side = 0; side < 2; side++)
		if (sides[side].kind == PROFILE_GCOV && is_of_lines(&sides[side]) &&
		    gcov_collapse_profile(&sides[!side].counts.source))
			return error_set_nomem(e);
	return 0;
}

int side_flatten(struct side *c, struct softlbr_error *e)
{
	struct source_profile flat;

	if (source_flatten_profile(&c->counts.source, &flat)) {
		source_profile_deinit(&flat);
		return error_set_nomem(e);
	}
	source_profile_deinit(&c->counts.source);
	c->counts.source = flat;
	return 0;
}

bool side_is_sampled(const struct side *c)
{
	return c->kind == PROFILE_PERFDATA || c->kind == PROFILE_PERFSCRIPT;
}

int side_read_part(const struct side *c, struct binary *b, unsigned parts, unsigned part,
		   struct branch_profile *out, struct softlbr_error *e)
{
	const struct conversion_options how = {.read = {.parts = parts,
							.part = part,
							.frequencies = c->frequencies,
							.progress = c->progress},
					       .once = true};
	struct conversion from;
	int rc = conversion_init(&from, b, &how, e);

	if (rc)
		return rc;
	rc = conversion_add_view(&from, &c->view, c->path, 1, e) ?: conversion_validate(&from, e);
	*out = from.recorded.branches;
	from.recorded.branches = (struct branch_profile){0};
	conversion_deinit(&from);
	return rc;
}
