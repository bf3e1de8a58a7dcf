/* SPDX-License-Identifier: MIT */
#include "converter/pipeline/conversion.h"

#include <inttypes.h>
#include <stdio.h>

#include "base/error.h"
#include "base/memory.h"
#include "converter/samples/value_samples.h"

int conversion_init(struct conversion *c, struct binary *binary,
		    const struct conversion_options *options, struct softlbr_error *e)
{
	*c = (struct conversion){.binary = binary};
	if (options)
		c->options = *options;
	if (c->options.values)
		c->options.read.resolve_values = value_resolve_recording;
	return aggregate_init(&c->aggregate, binary, &c->options.read, e);
}

int conversion_init_resolved(struct conversion *c, struct conversion *counted,
			     struct binary *binary, struct softlbr_error *e)
{
	*c = (struct conversion){.options = counted->options, .binary = binary};
	c->first = counted->first ? memory_copy_string(counted->first) : NULL;
	if (counted->first && !c->first)
		return error_set_nomem(e);
	return aggregate_resolve(&c->aggregate, &counted->aggregate, binary, e);
}

static void free_counts(struct conversion_counts *counts)
{
	source_profile_deinit(&counts->source);
	branch_profile_deinit(&counts->branches);
	*counts = (struct conversion_counts){0};
}

void conversion_deinit(struct conversion *c)
{
	free_counts(&c->recorded);
	free_counts(&c->smoothed);
	if (c->has_bolt)
		bolt_profile_deinit(&c->bolt);
	block_layout_deinit(&c->layout);
	aggregate_deinit(&c->aggregate);
	memory_free(c->first);
	*c = (struct conversion){0};
}

/* ---- are the recordings of the binary? ----------------------------------------------------- */

/* A recording that was added to others: what there was before. */
struct before {
	struct funnel funnel;
	uint64_t whole;
	size_t modules;
};

static const struct before nothing;

static struct before before_adding(const struct conversion *c)
{
	const struct aggregate_result *r = &c->aggregate.result;

	return (struct before){r->funnel, aggregate_whole(r), r->modules.items.count};
}

/* "; 97 % of the branches are in X: give --binary that" */
static void suggest_module(const struct aggregate_result *r, const struct before *before,
			   char *text, size_t size)
{
	uint64_t whole = aggregate_whole(r) - before->whole, most = 0;
	size_t top = 0;

	for (size_t i = before->modules; i < r->shares.count; i++) {
		if (aggregate_module_share(r, i) <= most)
			continue;
		most = aggregate_module_share(r, i);
		top = i;
	}
	text[0] = '\0';
	if (most)
		snprintf(text, size, "; %.0f %% of the %s are in %s: give --binary that",
			 100.0 * (double)most / (double)whole,
			 r->funnel.entries ? "branches" : "samples",
			 modules_path(&r->modules, top));
}

/* @recording, in front of the text, may be NULL; @other is a module of another build, or -1. */
static int wrong_binary(const struct conversion *c, const char *recording,
			const struct before *before, int64_t other, struct softlbr_error *e)
{
	const struct aggregate_result *r = &c->aggregate.result;
	const char *path = binary_path(c->binary), *colon = recording ? ": " : "";
	char ours[41], theirs[41], hint[400];

	recording = recording ? recording : "";
	branch_profile_build_id_text(binary_build_id(c->binary), ours);
	if (other < 0) {
		suggest_module(r, before, hint, sizeof(hint));
		return error_set(e, SOFTLBR_E_BINARY, path,
				 "%s%s%s (build-id %s) was not recorded: no module of this "
				 "build-id or name is in the recording%s",
				 recording, colon, path, ours, hint);
	}
	branch_profile_build_id_text(&r->modules.items.items[other].build_id, theirs);
	return error_set(e, SOFTLBR_E_BINARY, path,
			 "%s%s%s is another build than was recorded: its build-id is %s, that of "
			 "%s in the recording is %s; give --binary the file that was recorded, or "
			 "record this one",
			 recording, colon, path, ours, modules_path(&r->modules, (size_t)other),
			 theirs);
}

static int not_in_binary(const struct conversion *c, const char *recording,
			 const struct before *before, int code, struct softlbr_error *e)
{
	const char *path = binary_path(c->binary), *colon = recording ? ": " : "";
	char hint[400];

	suggest_module(&c->aggregate.result, before, hint, sizeof(hint));
	return error_set(e, code, path,
			 "%s%sno branch of the recording is in %s, though it was mapped%s, or "
			 "record a workload that spends its time there",
			 recording ? recording : "", colon, path, hint);
}

bool conversion_is_ip_only(const struct conversion *c)
{
	const struct aggregate_result *r = &c->aggregate.result;

	return c->options.ip_samples && r->funnel.samples && !r->funnel.entries &&
	       !r->profile.branches.count;
}

int conversion_check_samples(const struct conversion *c, struct softlbr_error *e)
{
	const struct aggregate_result *r = &c->aggregate.result;
	const char *first = c->first ? c->first : r->profile.path;

	if (r->funnel.entries || (c->options.ip_samples && r->funnel.samples))
		return 0;
	if (!r->recordings)
		return r->profile.branches.count || r->profile.ranges.count
			       ? 0
			       : error_set(e, SOFTLBR_E_EMPTY, first,
					   "nothing was added to the profile of %s", first);
	return no_branches_explain(r, first, e);
}

int conversion_check(struct conversion *c, const char *recording, struct softlbr_error *e)
{
	const struct aggregate_result *r = &c->aggregate.result;
	int rc = aggregate_estimate(&c->aggregate, e) ?: conversion_check_samples(c, e);

	if (rc || !r->recordings)
		return rc;
	if (r->match.kind == MATCH_NONE ||
	    (r->match.kind == MATCH_OTHER_BUILD && !c->options.read.any_build))
		return wrong_binary(c, recording, &nothing, r->match.other_build, e);
	if (conversion_is_ip_only(c) && r->profile.samples.count)
		return 0;
	rc = no_branches_check_script(r, c->first, e);
	if (rc || r->profile.branches.count)
		return rc;
	return not_in_binary(c, recording, &nothing, SOFTLBR_E_EMPTY, e);
}

/* ---- reading ------------------------------------------------------------------------------- */

static uint64_t found(const struct funnel *f)
{
	return f->branches_inside + f->branches_entering + f->branches_leaving +
	       f->samples_in_binary;
}

/* Was the recording that was added just now of the binary, as far as it holds anything? */
static int check_added(const struct conversion *c, const struct before *before, const char *name,
		       struct softlbr_error *e)
{
	const struct aggregate_result *r = &c->aggregate.result;
	bool held = r->funnel.entries > before->funnel.entries ||
		    r->funnel.samples > before->funnel.samples;
	bool mapped = before->modules == r->modules.items.count;
	int64_t other = -1;

	if (!c->options.each || !held || found(&r->funnel) > found(&before->funnel))
		return 0;
	for (size_t i = before->modules; i < r->modules.items.count; i++) {
		mapped |= r->shares.items[i].is_binary;
		if (module_fits(MATCH_OTHER_BUILD, c->binary, &r->modules, i))
			other = (int64_t)i;
	}
	return mapped ? not_in_binary(c, name, before, SOFTLBR_E_BINARY, e)
		      : wrong_binary(c, name, before, other, e);
}

static int keep_name(struct conversion *c, const char *name, struct softlbr_error *e)
{
	if (!c->first)
		c->first = memory_copy_string(name);
	return c->first ? 0 : error_set_nomem(e);
}

int conversion_add(struct conversion *c, const char *path, uint64_t weight, struct softlbr_error *e)
{
	const struct before before = before_adding(c);
	int rc = keep_name(c, path, e) ?: aggregate_add(&c->aggregate, path, weight, e);

	return rc ? rc : check_added(c, &before, path, e);
}

int conversion_add_bytes(struct conversion *c, const void *data, size_t size, const char *name,
			 uint64_t weight, struct softlbr_error *e)
{
	const struct before before = before_adding(c);
	int rc = keep_name(c, name, e)
			 ?: aggregate_add_bytes(&c->aggregate, data, size, name, weight, e);

	return rc ? rc : check_added(c, &before, name, e);
}

int conversion_add_view(struct conversion *c, const struct file_view *view, const char *name,
			uint64_t weight, struct softlbr_error *e)
{
	const struct before before = before_adding(c);
	int rc = keep_name(c, name, e) ?: aggregate_add_view(&c->aggregate, view, name, weight, e);

	return rc ? rc : check_added(c, &before, name, e);
}

/* @one has the recording, if @rc is 0; it is ended. */
static int take_away(struct conversion *c, struct conversion *one, const char *name, int rc,
		     struct softlbr_error *e)
{
	if (!rc)
		rc = conversion_check(one, name, e);
	if (!rc)
		rc = aggregate_estimate(&c->aggregate, e);
	if (!rc && branch_profile_subtract(&c->aggregate.result.profile,
					   &one->aggregate.result.profile, &c->clamped))
		rc = error_set_nomem(e);
	conversion_deinit(one);
	return rc;
}

int conversion_subtract(struct conversion *c, const char *path, uint64_t weight,
			struct softlbr_error *e)
{
	struct conversion one;
	int rc = conversion_init(&one, c->binary, &c->options, e);

	return rc ? rc : take_away(c, &one, path, conversion_add(&one, path, weight, e), e);
}

int conversion_subtract_view(struct conversion *c, const struct file_view *view, const char *name,
			     uint64_t weight, struct softlbr_error *e)
{
	struct conversion one;
	int rc = conversion_init(&one, c->binary, &c->options, e);

	return rc ? rc
		  : take_away(c, &one, name, conversion_add_view(&one, view, name, weight, e), e);
}

/* ---- branches ------------------------------------------------------------------------------ */

/* Exact counts, to classify sampled code by. */
static int read_exact(const struct conversion *c, struct aggregate *a, struct softlbr_error *e)
{
	const char *path = c->options.classify_by;
	struct aggregate_options how = {.threads = 1};
	int rc = aggregate_init(a, c->binary, &how, e) ?: aggregate_add(a, path, 1, e);

	if (!rc && !a->result.profile.ranges.count)
		rc = error_set(e, SOFTLBR_E_EMPTY, path,
			       "%s has no counts of code of %s: --classify-by takes the exact ones "
			       "of callgrind, or pre-aggregated ones",
			       path, binary_path(c->binary));
	return rc;
}

/* Recorded addresses become the branches that they tell of. */
static int estimate_branches(struct conversion *c, struct softlbr_error *e)
{
	struct branch_profile made = {0};
	struct aggregate exact = {0};
	struct ip_options how = {.method = c->options.smooth == CONVERSION_SMOOTH_STATIC ? IP_STATIC
					   : c->options.smooth == CONVERSION_SMOOTH_FLAT ? IP_FLAT
											 : IP_FLOW,
				 .cpu = c->aggregate.result.cpu,
				 .exact = c->options.classify_by ? &exact.result.profile : NULL,
				 .solver = c->options.flow_solver};
	int rc = c->options.classify_by ? read_exact(c, &exact, e) : 0;

	if (!rc)
		rc = ip_profile_make(c->binary, &c->recorded.branches, &how, &made, &c->ip, e);
	aggregate_deinit(&exact);
	if (rc) {
		branch_profile_deinit(&made);
		return rc;
	}
	branch_profile_deinit(&c->recorded.branches);
	c->recorded.branches = made;
	c->has_ip = true;
	return 0;
}

int conversion_validate(struct conversion *c, struct softlbr_error *e)
{
	struct branch_profile *raw = &c->aggregate.result.profile;
	int rc = aggregate_estimate(&c->aggregate, e);
	bool ip_only = conversion_is_ip_only(c);

	free_counts(&c->recorded);
	free_counts(&c->smoothed);
	c->has_smoothed = c->has_ip = false;
	if (rc)
		return rc;
	rc = validate_profile(c->binary, raw, &c->recorded.branches, &c->valid, e);
	if (c->options.once) /* of no use beside the clean one */
		branch_profile_deinit(raw);
	return !rc && ip_only && c->options.smooth != CONVERSION_SMOOTH_NONE
		       ? estimate_branches(c, e)
		       : rc;
}

/* ---- what they are used for ---------------------------------------------------------------- */

/*
 * What it gains was measured on recordings of softlbr, also as text (docs/gains.md). Others, and
 * what is aggregated already, are given on as they are: so are exact counts, whose gaps are true.
 */
static bool smooths(const struct conversion *c, enum conversion_use use)
{
	const struct aggregate_result *r = &c->aggregate.result;

	if (c->has_ip) /* smooth already, or not to be */
		return false;
	if (c->options.smooth != CONVERSION_SMOOTH_AUTO)
		return c->options.smooth == CONVERSION_SMOOTH_MCF;
	return use != CONVERSION_BRANCHES && use != CONVERSION_GCC && r->recordings &&
	       (r->all_softlbr || r->frequencies.estimated);
}

struct conversion_counts *conversion_counts_of(struct conversion *c, enum conversion_use use)
{
	return smooths(c, use) ? &c->smoothed : &c->recorded;
}

int conversion_attribute(struct binary *b, struct conversion_counts *counts,
			 struct softlbr_error *e)
{
	int rc = attribute_branches(b, &counts->branches, &counts->source, &counts->attributed, e);

	counts->has_source = !rc;
	return rc;
}

static int attribute_to_source(struct conversion *c, struct conversion_counts *counts,
			       struct softlbr_error *e)
{
	const struct attribute_stats *s = &counts->attributed;
	const char *path = binary_path(c->binary);
	int rc = conversion_attribute(c->binary, counts, e);

	if (!rc)
		attribute_first_runs(c->binary, &c->aggregate.result.first_runs, &counts->source);
	if (rc || !s->functions || s->functions_no_debug < s->functions)
		return rc;
	if (binary_debug_sources(c->binary).file)
		return error_set(e, SOFTLBR_E_EMPTY, path,
				 "%s has debug information, but for none of the %" PRIu64
				 " functions that ran: they are of its start, or of objects "
				 "that were compiled without -g",
				 path, s->functions);
	return error_set(e, SOFTLBR_E_INPUT, path,
			 "%s has no debug information for any of the %" PRIu64
			 " functions that ran; compile it with -g (gcc) or with -gline-tables-only "
			 "-fdebug-info-for-profiling (clang), and record it again; --to fdata and "
			 "--to preagg need none",
			 path, s->functions);
}

int conversion_make(struct conversion *c, enum conversion_use use, struct softlbr_error *e)
{
	struct conversion_counts *counts = conversion_counts_of(c, use);
	bool of_branches = use == CONVERSION_BRANCHES || use == CONVERSION_BOLT;
	int rc = 0;

	if (of_branches && conversion_is_ip_only(c) && !c->has_ip)
		return error_set(e, SOFTLBR_E_EMPTY, c->first,
				 "the recordings hold no branch stacks, and fdata and preagg are "
				 "made of branches; --smooth=mcf makes branches of --ip-samples");
	if (counts == &c->smoothed && !c->has_smoothed) {
		rc = smooth_branches(c->binary, &c->recorded.branches, c->options.flow_solver,
				     &c->smoothed.branches, &c->smooth_stats, e);
		c->has_smoothed = !rc;
	}
	return rc || of_branches || counts->has_source ? rc : attribute_to_source(c, counts, e);
}

/* llvm-bolt does not take what it made, and the program before has other addresses. */
static int refuse_bolted(const struct binary *b, struct softlbr_error *e)
{
	const char *path = binary_path(b);

	if (!binary_is_bolted(b))
		return 0;
	return error_set(e, SOFTLBR_E_BINARY, path,
			 binary_has_bolt_table(b)
				 ? "%s was made by llvm-bolt, and fdata has to be of the program "
				   "before: write --to preagg=FILE, have perf2bolt translate it "
				   "(perf2bolt %s --pa -p FILE -o FDATA), and give FDATA to "
				   "llvm-bolt with that program"
				 : "%s was made by llvm-bolt, and fdata has to be of the program "
				   "before: record that one, or have llvm-bolt make this one with "
				   "-enable-bat, and perf2bolt translate what is recorded",
			 path, path);
}

int conversion_make_bolt(struct conversion *c, struct softlbr_error *e)
{
	const struct conversion_counts *counts = conversion_counts_of(c, CONVERSION_BOLT);
	int rc = refuse_bolted(c->binary, e);

	if (rc)
		return rc;
	if (bolt_profile_init(&c->bolt))
		return error_set_nomem(e);
	c->has_bolt = true;
	rc = bolt_convert_from_branches(c->binary, &counts->branches, &c->bolt, &c->bolt_stats, e);
	if (rc) {
		bolt_profile_deinit(&c->bolt);
		c->has_bolt = false;
	}
	return rc;
}

/* ---- judging ------------------------------------------------------------------------------- */

const struct attribute_stats *conversion_attributed(const struct conversion *c)
{
	if (c->recorded.has_source)
		return &c->recorded.attributed;
	return c->smoothed.has_source ? &c->smoothed.attributed : NULL;
}

int conversion_judge(struct conversion *c, struct verdict *v)
{
	const struct attribute_stats *attributed = conversion_attributed(c);

	/* without branches, addresses are all there is to judge by */
	if (conversion_is_ip_only(c))
		return v->status = c->valid.samples.kept ? 0 : SOFTLBR_E_BINARY;
	verdict_take_traces(v, &c->aggregate.result.funnel);
	verdict_take_branches(v, &c->valid);
	verdict_take_evidence(v, &c->aggregate.result.evidence, &c->recorded.branches,
			      &c->aggregate.result.funnel, c->binary);
	if (attributed)
		verdict_take_source(v, attributed, &c->valid);
	return verdict_judge(v);
}
