/* SPDX-License-Identifier: MIT */
#include "compare/check.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "base/error.h"
#include "base/md5.h"

static double share(double part, double whole)
{
	return whole > 0 ? part / whole : NAN;
}

static void set(struct check *c, enum verdict_figure figure, double value)
{
	verdict_set(&c->verdict, figure, value, 0);
}

static void take_gaps(struct check *c)
{
	const struct imbalances *g = &c->gaps;
	const struct imbalance *f;
	double blocks = 0, run = 0;
	size_t count;

	binary_functions(c->binary, &count);
	vector_each (&g->functions, f) {
		blocks += (double)f->blocks;
		run += (double)f->blocks_run;
	}
	set(c, VERDICT_GAP, g->mean[FLOW_GAP]);
	set(c, VERDICT_GAP_TOP, g->top5[FLOW_GAP]);
	set(c, VERDICT_WORST_GAP_TOP, g->top5[FLOW_WORST_GAP]);
	set(c, VERDICT_DISCONTINUITY, g->mean[FLOW_DISCONTINUITY]);
	set(c, VERDICT_DISCONTINUITY_TOP, g->top5[FLOW_DISCONTINUITY]);
	set(c, VERDICT_CALL_GAP, g->mean[FLOW_CALL_GAP]);
	set(c, VERDICT_FUNCTIONS_RUN, share((double)g->functions.count, (double)count));
	set(c, VERDICT_BLOCKS_RUN, share(run, blocks));
}

/* The source profile that a compiler would get; a binary without debug information has none. */
static int take_source(struct check *c, struct softlbr_error *e)
{
	int rc = side_attribute(&c->side, c->binary, e);

	if (rc || !c->side.counts.has_source)
		return rc;
	verdict_take_source(&c->verdict, &c->side.counts.attributed, &c->side.valid);
	return 0;
}

static int take_staleness(struct check *c, struct softlbr_error *e)
{
	const struct staleness *s = &c->stale;
	int rc = staleness_find(&c->stale, c->binary, c->against, &c->side.counts.branches, e);

	if (rc)
		return rc;
	set(c, VERDICT_SAME_CODE, share(s->weight[STALE_SAME], s->total));
	set(c, VERDICT_SAME_FLOW, share(s->weight[STALE_SAME] + s->weight[STALE_SHAPE], s->total));
	return 0;
}

static int check_branches(struct check *c, struct softlbr_error *e)
{
	int rc = side_read_branches(&c->side, c->binary, e);

	if (rc)
		return rc;
	verdict_take_traces(&c->verdict, &c->side.funnel);
	verdict_take_branches(&c->verdict, &c->side.valid);
	verdict_take_evidence(&c->verdict, &c->side.evidence, &c->side.counts.branches,
			      &c->side.funnel, c->binary);
	rc = imbalances_find(&c->gaps, c->binary, &c->side.counts.branches, e);
	if (rc)
		return rc;
	take_gaps(c);
	rc = take_source(c, e);
	return rc || !c->against ? rc : take_staleness(c, e);
}

struct names {
	struct map by_hash; /* (MD5 of a name, 0) */
	struct map called;  /* (name in the profile's strings, 0) */
	double known, unknown, targets_known, targets_unknown;
	double zero_head; /* of functions without a head count, though the profile calls them */
};

static int add_name(struct names *n, const char *name)
{
	/* as compilers look names up: without what their clones append */
	size_t whole = strlen(name), base = whole ? 1 + strcspn(name + 1, ".@") : 0;

	return map_at(&n->by_hash, md5_low64(name, whole), 0) &&
			       map_at(&n->by_hash, md5_low64(name, base), 0)
		       ? 0
		       : -1;
}

static int list_names(struct names *n, const struct binary *b)
{
	size_t count, aliases;
	const struct binary_function *f = binary_functions(b, &count);
	const struct binary_alias *a = binary_aliases(b, &aliases);

	for (size_t i = 0; i < count; i++)
		if (add_name(n, f[i].name))
			return -1;
	for (size_t i = 0; i < aliases; i++)
		if (add_name(n, a[i].name))
			return -1;
	return 0;
}

/* Profiles may hold numbers, MD5 sums, for names. */
static bool is_known(const struct names *n, const char *name)
{
	char *end;
	uint64_t number = strtoull(name, &end, 10);

	if (*name && !*end && map_find(&n->by_hash, number, 0))
		return true;
	return map_find(&n->by_hash, md5_low64(name, strlen(name)), 0);
}

/* -1 without memory. */
static int look_up_targets(struct names *n, const struct strings *strings,
			   const struct source_function *f)
{
	const struct source_callsite *site;
	const struct source_target *t;
	const struct source_line *line;

	vector_each (&f->lines, line)
		vector_each (&line->targets, t) {
			if (t->count && !map_at(&n->called, t->name, 0))
				return -1;
			*(is_known(n, strings_text(strings, t->name))
				  ? &n->targets_known
				  : &n->targets_unknown) += (double)t->count;
		}
	vector_each (&f->callsites, site)
		if (look_up_targets(n, strings, &site->callee))
			return -1;
	return 0;
}

static int count_names(struct names *n, const struct source_profile *p)
{
	const struct source_function *f;

	vector_each (&p->functions, f) {
		double total = (double)source_function_total(f);

		*(is_known(n, strings_text(p->strings, f->name)) ? &n->known
								 : &n->unknown) += total;
		if (look_up_targets(n, p->strings, f))
			return -1;
	}
	vector_each (&p->functions, f)
		if (!f->head && map_find(&n->called, f->name, 0))
			n->zero_head += (double)source_function_total(f);
	return 0;
}

static int check_source(struct check *c, struct softlbr_error *e)
{
	struct names n = {0};
	int rc = side_read_source(&c->side, c->binary, e);

	if (rc)
		return rc;
	/* the names have to be those of what it will be used for */
	rc = list_names(&n, c->against ? c->against : c->binary) ||
	     count_names(&n, &c->side.counts.source);
	map_deinit(&n.by_hash);
	map_deinit(&n.called);
	if (rc)
		return error_set_nomem(e);
	if (n.known + n.unknown <= 0)
		return error_set(e, SOFTLBR_E_EMPTY, c->side.path, "%s has no counts",
				 c->side.path);
	if (n.known <= 0)
		return error_set(e, SOFTLBR_E_BINARY, c->side.path,
				 "no function of %s is in %s: they do not belong together",
				 c->side.path, binary_path(c->binary));
	set(c, VERDICT_NAMES_UNKNOWN, share(n.unknown, n.known + n.unknown));
	set(c, VERDICT_TARGETS_UNKNOWN,
	    share(n.targets_unknown, n.targets_known + n.targets_unknown));
	verdict_set(&c->verdict, VERDICT_ZERO_HEAD, n.zero_head / (n.known + n.unknown),
		    (uint64_t)(n.known + n.unknown));
	return 0;
}

static int check_fdata(struct check *c, struct softlbr_error *e)
{
	int rc = side_read_branches(&c->side, c->binary, e);
	double unknown = (double)c->side.unknown, known = (double)c->side.valid.branches.in;

	if (rc)
		return rc;
	verdict_take_branches(&c->verdict, &c->side.valid);
	set(c, VERDICT_INVALID_RANGES, NAN); /* it has no ranges */
	set(c, VERDICT_NAMES_UNKNOWN, share(unknown, known + unknown));
	return c->against ? take_staleness(c, e) : 0;
}

/* What convert noted of the recording. */
static void take_note(struct check *c)
{
	const struct counter_note *n = &c->counters.note;
	struct expected_overlap *o = &c->verdict.overlap;

	if (!n->has_overlap)
		return;
	*o = (struct expected_overlap){.known = true,
				       .estimate = {.value = n->value,
						    .low = n->low,
						    .high = n->high,
						    .by_noise = n->by_noise,
						    .cause = (enum overlap_cause)n->cause},
				       .seconds = n->seconds,
				       .untimed = n->untimed};
	verdict_set(&c->verdict, VERDICT_OVERLAP, n->value, n->traces);
	verdict_set(&c->verdict, VERDICT_TRACES, (double)n->traces, n->traces);
}

static void take_counters(struct check *c)
{
	const struct counter_check *k = &c->counters;
	double total = (double)k->total, same = (double)k->matched[COUNTER_SAME];

	take_note(c);
	set(c, VERDICT_COUNTERS_RUN, share((double)k->executed, (double)k->functions.count));
	verdict_set(&c->verdict, VERDICT_COUNTERS_UNTRUE, share((double)k->untrue, total),
		    k->functions.count);
	if (!k->has_keys)
		return;
	set(c, VERDICT_BLOCKS_RUN, share((double)k->blocks_run, (double)k->blocks));
	set(c, VERDICT_KEYS_COVERED, share((double)k->covered, (double)k->keyed));
	set(c, VERDICT_SAME_CODE, share(same, total));
	set(c, VERDICT_SAME_FLOW, share(same + (double)k->matched[COUNTER_MOVED], total));
}

static int check_counters(struct check *c, const struct check_options *o, struct softlbr_error *e)
{
	struct counter_directory d;
	int rc = counter_directory_read(&d, c->side.path, c->side.view.data, c->side.view.size, e);

	c->has_counters = true;
	if (!rc && o->binary_path) {
		c->binary = binary_open_with(o->binary_path, o->search, e);
		rc = c->binary ? 0 : -SOFTLBR_E_SYSTEM;
	}
	rc = rc
		     ?: counter_check_make(&c->counters, &d, o->keys_path, o->against_path,
					   c->binary, e);
	counter_directory_deinit(&d);
	if (rc)
		return rc;
	if (!c->counters.total)
		return error_set(e, SOFTLBR_E_EMPTY, c->side.path,
				 "%s has no counts: nothing of it was executed", c->side.path);
	if (c->counters.has_keys && !c->counters.covered)
		return error_set(e, SOFTLBR_E_BINARY, c->side.path,
				 "no function of %s is in the keys: they do not belong together",
				 c->side.path);
	take_counters(c);
	verdict_judge(&c->verdict);
	/* what nothing is known of is not good */
	if (c->verdict.grade == VERDICT_GOOD && !c->counters.instrumented &&
	    !c->counters.note.is_known)
		c->verdict.grade = VERDICT_FAIR;
	return 0;
}

static int check_side(struct check *c, struct softlbr_error *e)
{
	if (profile_kind_is_source(c->side.kind))
		return check_source(c, e);
	return c->side.kind == PROFILE_FDATA ? check_fdata(c, e) : check_branches(c, e);
}

int check_make(struct check *out, const struct check_options *options, struct softlbr_error *e)
{
	int rc;

	*out = (struct check){.verdict = options->limits, .side.progress = options->progress};
	rc = side_open(&out->side, options->profile_path, options->frequencies, e);
	if (rc)
		return rc;
	if (out->side.kind == PROFILE_GCDA)
		return check_counters(out, options, e);
	out->binary = side_open_binary(&out->side, 1, options->binary_path, options->search, e);
	if (out->binary && options->against_path)
		out->against = binary_open_with(options->against_path, options->search, e);
	if (!out->binary || (options->against_path && !out->against))
		return -e->code;
	rc = check_side(out, e);
	if (!rc)
		verdict_judge(&out->verdict);
	return rc;
}

void check_deinit(struct check *c)
{
	side_deinit(&c->side);
	imbalances_deinit(&c->gaps);
	staleness_deinit(&c->stale);
	counter_check_deinit(&c->counters);
	binary_close(c->binary);
	binary_close(c->against);
}
