/* SPDX-License-Identifier: MIT */
/*
 * The funnel of a conversion, from samples to what was written, each loss by its cause: one list of
 * numbers in groups, and its two views, for --verbose and for --stats. The keys are documented in
 * softlbr-convert(1), STATISTICS.
 */
#include <inttypes.h>
#include <math.h>
#include <stdio.h>

#include "base/error.h"
#include "base/file_output.h"
#include "base/json.h"
#include "cli/convert.h"

struct stat_row {
	const char *key; /* NULL begins a group: text is its title then, group its key */
	const char *group;
	char text[80];
	unsigned depth;
	uint64_t n, whole; /* whole = 0: no share */
	double share;	   /* instead of n and whole; NaN = none */
	bool loss;	   /* shown to people where there is one */
};

struct stat_list {
	VECTOR(struct stat_row) rows;
	bool failed;
};

static struct stat_row *add_row(struct stat_list *l, const char *key, const char *text)
{
	static struct stat_row lost; /* taken where there is no memory for a row */
	struct stat_row *row = vector_push(&l->rows);

	if (!row) {
		l->failed = true;
		row = &lost;
	}
	*row = (struct stat_row){.key = key, .share = NAN};
	snprintf(row->text, sizeof(row->text), "%s", text);
	return row;
}

static void group(struct stat_list *l, const char *key, const char *title)
{
	add_row(l, NULL, title)->group = key;
}

static void line(struct stat_list *l, const char *key, unsigned depth, uint64_t n, uint64_t whole,
		 const char *text)
{
	struct stat_row *row = add_row(l, key, text);

	row->depth = depth;
	row->n = n;
	row->whole = whole;
}

static void loss(struct stat_list *l, const char *key, uint64_t n, uint64_t whole, const char *text)
{
	line(l, key, 2, n, whole, text);
	if (l->rows.count)
		l->rows.items[l->rows.count - 1].loss = true;
}

static void share(struct stat_list *l, const char *key, double value, const char *text)
{
	add_row(l, key, text)->share = value;
}

static void put_samples(struct stat_list *l, const struct aggregate *a)
{
	const struct funnel *f = &a->result.funnel;
	uint64_t all = f->samples + f->samples_of_other_events;
	const struct aggregate_event *event;

	group(l, "samples", "samples");
	line(l, "read", 0, all, 0, "samples read");
	if (a->result.events.count > 1)
		vector_each (&a->result.events, event) {
			char text[80];

			snprintf(text, sizeof(text), "of event %s%s", event->name,
				 event->counted ? "" : ", not counted");
			line(l, event->name, 2, event->samples, all, text);
		}
	loss(l, "without_stack", f->samples_without_stack, f->samples, "without a branch stack");
	if (!f->entries && f->samples_in_binary)
		line(l, "in_binary", 1, f->samples_in_binary, f->samples, "in the binary");
	loss(l, "lost", f->samples_lost, 0, "more were lost by the recorder");
}

static void put_branches(struct stat_list *l, const struct conversion *c)
{
	const struct funnel *f = &c->aggregate.result.funnel;
	const struct validate_stats *r = &c->valid;
	uint64_t all = f->entries, other = f->branches_entering + f->branches_leaving;

	group(l, "branches", "branches");
	line(l, "read", 0, all, 0, "branches read");
	loss(l, "empty", f->entries_empty, all, "empty entries");
	loss(l, "guest", f->entries_guest, all, "of a virtual machine's guest");
	loss(l, "wrong_path", f->entries_wrong_path, all, "wrong-path");
	loss(l, "not_taken", f->entries_not_taken, all, "not taken");
	loss(l, "one_end", f->entries_one_end, all, "with one end: a range's beginning or end");
	loss(l, "doubled", f->entries_doubled, all, "doubled newest entries");
	loss(l, "repeated", f->entries_repeated, all, "repeated where a long trace was cut");
	loss(l, "elsewhere", f->branches_elsewhere, all, "in other modules");
	loss(l, "kernel", f->branches_kernel, all, "to, from or in the kernel");
	loss(l, "unmapped", f->branches_unmapped, all, "to or from where nothing was mapped");
	line(l, "in_binary", 1, f->branches_inside + other, all, "in the binary");
	loss(l, "cross_module", other, all, "cross-module branches");
	all = r->branches.in;
	loss(l, "system_calls", r->branches.system_calls, all, "system calls");
	loss(l, "from_no_code", r->branches.from_no_code, all, "from where there is no code");
	loss(l, "from_no_branch", r->branches.from_no_branch, all,
	     "from an instruction that is no branch");
	loss(l, "wrong_target", r->branches.wrong_target, all, "to a target that it does not have");
	loss(l, "to_no_code", r->branches.to_no_code, all, "to where no instruction begins");
	if (all)
		line(l, "valid", 1, r->branches.valid, all,
		     "valid: consistent with the disassembly");
}

static void put_ranges(struct stat_list *l, const struct conversion *c)
{
	const struct funnel *f = &c->aggregate.result.funnel;
	const struct validate_stats *r = &c->valid;
	uint64_t all = f->ranges;

	group(l, "ranges", "ranges");
	line(l, "read", 0, all, 0, "ranges between branches");
	loss(l, "filtered", f->ranges_filtered, all,
	     "of an event that does not record every branch");
	loss(l, "reversed", f->ranges_reversed, all, "that end before they begin");
	loss(l, "too_long", f->ranges_too_long, all, "longer than 1 MiB");
	loss(l, "crossing", f->ranges_crossing, all, "from one module to another");
	loss(l, "elsewhere", f->ranges_elsewhere, all, "in other modules");
	loss(l, "kernel", f->ranges_kernel, all, "to, from or in the kernel");
	loss(l, "unmapped", f->ranges_unmapped, all, "where nothing was mapped");
	line(l, "in_binary", 1, f->ranges_kept, all, "in the binary");
	all = r->ranges.in;
	loss(l, "begin_nowhere", r->ranges.begin_nowhere, all,
	     "beginning where no instruction does");
	loss(l, "backwards", r->ranges.backwards, all, "backwards or too long");
	loss(l, "no_code", r->ranges.no_code, all, "running into what is no code");
	loss(l, "end_inside", r->ranges.end_inside, all, "ending inside an instruction");
	loss(l, "cut", r->ranges.cut, all, "cut where the code must have branched");
	if (all)
		line(l, "valid", 1, r->ranges.whole, all, "valid: the code can run through it");
}

static void put_frequencies(struct stat_list *l, const struct aggregate_frequencies *f)
{
	if (!f->recordings)
		return;
	group(l, "frequencies", "sampling bias");
	line(l, "recordings", 0, f->recordings, 0, "recordings whose traces were examined");
	if (f->recordings == 1) {
		share(l, "starts_overlap", f->starts, "trace starts match the branch distribution");
		share(l, "middles_overlap", f->middles, "their middles do");
	}
	line(l, "unbiased", 1, f->recordings - f->estimated, 0, "unbiased: counts as recorded");
	line(l, "estimated", 1, f->estimated - f->rated, 0,
	     "biased: counts estimated from the traces");
	loss(l, "weighted", f->rated, 0, "biased: traces weighted by their branch rate");
}

/* The solver and its cost are for comparing solvers; they are not printed with auto. */
static void put_solver(struct stat_list *l, const struct flow_stats *f, uint64_t solved,
		       const struct flow_solver *solver)
{
	char text[64];

	if (solver && solver->last)
		return;
	snprintf(text, sizeof(text), "by %s", solver ? solver->name : "simplex");
	line(l, "by_solver", 2, solver ? f->by_other : solved, solved, text);
	loss(l, "solver_too_large", f->too_large, solved,
	     "by simplex: too large for the solver asked for");
	loss(l, "solver_given_up", f->given_up, solved, "by simplex: the solver asked for gave up");
	line(l, "cost", 1, f->cost, 0, "cost of the flow: the least possible");
}

static void put_smoothing(struct stat_list *l, const struct smooth_stats *s,
			  const struct flow_solver *solver)
{
	uint64_t all = s->functions;

	group(l, "smoothing", "smoothing");
	line(l, "functions", 0, all, 0, "functions to be smoothed");
	loss(l, "no_code", s->gaps, all, "not: they hold what is no code");
	loss(l, "too_large", s->outcomes[FLOW_TOO_LARGE], all, "not: too large for the solver");
	loss(l, "failed", s->outcomes[FLOW_FAILED], all, "not: the solver gave up");
	loss(l, "consistent", s->outcomes[FLOW_CONSISTENT], all, "conserved flow before");
	line(l, "smoothed", 1, s->outcomes[FLOW_SOLVED], all, "smoothed");
	put_solver(l, &s->flow, s->outcomes[FLOW_SOLVED], solver);
	line(l, "runs", 0, s->segments, 0, "executions of block segments");
	line(l, "moved", 1, s->moved, s->segments, "added or taken away to conserve flow");
	line(l, "inferred", 1, s->woken, 0, "unsampled blocks inferred to have executed");
	if (s->unit > 1)
		line(l, "unit", 1, s->unit, 0, "counted for each one recorded: there are few");
}

static void put_ip(struct stat_list *l, const struct ip_stats *s)
{
	if (!s->classified)
		return;
	group(l, "classified", "sampled code classified by events");
	line(l, "over_sampled", 0, s->over_sampled, 0, "segments with more samples than they ran");
	line(l, "under_sampled", 0, s->under_sampled, 0, "segments with fewer");
}

static void put_source(struct stat_list *l, const struct attribute_stats *a)
{
	group(l, "source", "source lines");
	line(l, "weight", 0, a->weight, 0, "executed code bytes");
	loss(l, "no_symbol", a->weight_no_symbol, a->weight, "in no function symbol");
	loss(l, "no_debug", a->weight_no_row, a->weight, "without debug information");
	loss(l, "no_line", a->weight_line_zero, a->weight, "at compiler-made code (line 0)");
	line(l, "placed", 1, a->weight_placed, a->weight, "at a source line");
	line(l, "functions", 0, a->functions, 0, "functions executed");
	loss(l, "functions_no_debug", a->functions_no_debug, a->functions,
	     "without debug information");
	line(l, "calls", 0, a->calls, 0, "calls");
	line(l, "call_targets", 1, a->calls_attributed, 0,
	     "written as call targets (with tail calls)");
}

static void put_bolt(struct stat_list *l, const struct bolt_convert_stats *b)
{
	uint64_t all = b->branches.in, written = b->branches.inside + b->branches.calls +
						 b->branches.entries + b->branches.exits;

	group(l, "fdata", "llvm-bolt");
	line(l, "branches", 0, all, 0, "branches for BOLT");
	loss(l, "returns", b->branches.returns, all, "returns, which BOLT does not use");
	loss(l, "no_function", b->branches.no_function, all, "in no function");
	loss(l, "no_entry", b->branches.no_entry, all, "into a function where BOLT sees no block");
	line(l, "written", 1, written, all, "written");
	line(l, "fall_throughs", 1, b->fall_throughs, 0, "fall-throughs written");
}

static void put_layout(struct stat_list *l, const struct block_layouts_stats *s)
{
	group(l, "propeller", "Propeller");
	line(l, "weight", 0, s->bytes, 0, "executed code bytes");
	line(l, "laid", 1, s->bytes_laid, s->bytes, "in functions whose blocks were ordered");
	line(l, "functions", 0, s->functions, 0, "functions of the block address map executed");
	loss(l, "unnamed", s->unnamed, s->functions, "without a symbol that clang can be told");
	loss(l, "ambiguous", s->ambiguous, s->functions,
	     "of one name, in sources that are not known or the same");
	loss(l, "contradicted", s->contradicted, s->functions,
	     "with ids that are not unique, or jumps to where no block begins");
	line(l, "hot", 1, s->hot, s->hot + s->cold, "blocks written");
	line(l, "cold", 1, s->cold, s->hot + s->cold, "blocks that never ran");
}

static void put_checks(struct stat_list *l, const struct verdict *v)
{
	group(l, "checks", "checks");
	for (int i = 0; i < VERDICT_FIGURES; i++) {
		enum verdict_figure figure = (enum verdict_figure)i;

		if (isnan(v->values[i].value))
			continue;
		if (verdict_is_count(figure))
			line(l, verdict_key(figure), 0, (uint64_t)v->values[i].value, 0,
			     verdict_meaning(figure));
		else
			share(l, verdict_key(figure), v->values[i].value, verdict_meaning(figure));
	}
}

static void put_counters(struct stat_list *l, const struct convert *c)
{
	group(l, "counters", "counters for gcc");
	line(l, "scale", 0, c->counters.scale, 0, "times each one that was recorded was counted");
}

static void fill(struct stat_list *l, const struct convert *c)
{
	const struct conversion *from = &c->conversion;
	const struct attribute_stats *attributed = conversion_attributed(from);

	put_samples(l, &from->aggregate);
	put_branches(l, from);
	put_ranges(l, from);
	put_frequencies(l, &from->aggregate.result.frequencies);
	if (from->has_ip) {
		put_ip(l, &from->ip);
		put_smoothing(l, &from->ip.smooth, c->how.flow_solver);
	}
	if (from->has_smoothed)
		put_smoothing(l, &from->smooth_stats, c->how.flow_solver);
	if (attributed)
		put_source(l, attributed);
	if (from->has_bolt)
		put_bolt(l, &from->bolt_stats);
	if (from->has_layout)
		put_layout(l, &from->layout_stats);
	if (c->keys_path)
		put_counters(l, c);
	put_checks(l, &c->verdict);
}

static void print_row(const struct stat_row *r)
{
	if (!isnan(r->share))
		fprintf(stderr, "%14s %6.2f %%", "", 100 * r->share);
	else if (r->whole)
		fprintf(stderr, "%14" PRIu64 " %6.2f %%", r->n,
			100.0 * (double)r->n / (double)r->whole);
	else
		fprintf(stderr, "%14" PRIu64 "         ", r->n);
	fprintf(stderr, "  %*s%s\n", (int)(2 * r->depth), "", r->text);
}

void convert_stats_print(const struct convert *c)
{
	struct stat_list l = {0};
	const struct stat_row *r;

	fill(&l, c);
	vector_each (&l.rows, r)
		if (!r->key)
			fprintf(stderr, "%s:\n", r->text);
		else if (!r->loss || r->n)
			print_row(r);
	vector_deinit(&l.rows);
}

/* The rows of a group, from behind its title on; *end is the next group. */
static struct json_node *group_json(const struct stat_list *l, size_t at, size_t *end)
{
	struct json_node *in = json_node_object();

	for (; at < l->rows.count && l->rows.items[at].key; at++) {
		const struct stat_row *r = &l->rows.items[at];

		if (isnan(r->share))
			json_node_add_integer(in, r->key, (int64_t)r->n);
		else
			json_node_add_real(in, r->key, r->share);
	}
	*end = at;
	return in;
}

static struct json_node *make_json(const struct convert *c, const struct stat_list *l)
{
	struct json_node *all = json_node_document();
	char why[VERDICT_TEXT_BYTES];

	json_node_add_text(all, "binary", c->binary_path);
	json_node_add_text(all, "verdict", verdict_name(&c->verdict));
	verdict_explain(&c->verdict, why);
	json_node_add_text(all, "why", why);
	for (size_t i = 0; i < l->rows.count;) {
		const char *key = l->rows.items[i].group;

		json_node_add_take(all, key, group_json(l, i + 1, &i));
	}
	return all;
}

int convert_stats_write(const struct convert *c, struct file_outputs *to, struct softlbr_error *e)
{
	struct stat_list l = {0};
	struct json_node *json;
	FILE *out;
	int rc;

	fill(&l, c);
	json = make_json(c, &l);
	rc = l.failed ? error_set_nomem(e) : file_outputs_open(to, c->stats_path, &out, e);
	if (!rc && json_node_write(json, out, NULL) && !ferror(out)) /* that is the finish's */
		rc = error_set_nomem(e);
	if (!rc)
		rc = file_outputs_finish(to, e);
	json_node_free(json);
	vector_deinit(&l.rows);
	return rc;
}
