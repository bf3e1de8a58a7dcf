/* SPDX-License-Identifier: MIT */
/* What `softlbr convert` tells on standard error. */
#include <inttypes.h>
#include <stdarg.h>
#include <stdio.h>

#include "cli/convert.h"

#define MODULES_SHOWN 8

void convert_report_error(const struct softlbr_error *e)
{
	fprintf(stderr, "softlbr convert: error: %s\n", e->text);
}

void convert_report_warning(const char *format, ...)
{
	va_list args;

	va_start(args, format);
	fputs("softlbr convert: warning: ", stderr);
	vfprintf(stderr, format, args);
	fputc('\n', stderr);
	va_end(args);
}

/* One line of the funnel; @whole = 0: no share. */
static void line(unsigned depth, uint64_t n, uint64_t whole, const char *what)
{
	fprintf(stderr, "%14" PRIu64, n);
	if (whole)
		fprintf(stderr, " %6.2f %%", 100.0 * (double)n / (double)whole);
	else
		fprintf(stderr, "         ");
	fprintf(stderr, "  %*s%s\n", (int)(2 * depth), "", what);
}

static void loss(uint64_t n, uint64_t whole, const char *what)
{
	if (n)
		line(2, n, whole, what);
}

static void report_samples(const struct aggregate *a)
{
	const struct funnel *f = &a->result.funnel;
	const struct aggregate_event *event;

	line(0, f->samples + f->samples_of_other_events, 0, "samples read");
	if (a->result.events.count > 1)
		vector_each (&a->result.events, event) {
			char what[96];

			snprintf(what, sizeof(what), "of event %s%s", event->name,
				 event->counted ? "" : ", not counted");
			line(2, event->samples, f->samples + f->samples_of_other_events, what);
		}
	loss(f->samples_without_stack, f->samples, "without a branch stack");
	if (!f->entries && f->samples_in_binary)
		line(1, f->samples_in_binary, f->samples, "in the binary");
	if (f->samples_lost)
		line(1, f->samples_lost, 0, "more were lost by the recorder");
}

static void report_branches(const struct convert *c)
{
	const struct funnel *f = &c->conversion.aggregate.result.funnel;
	const struct validate_stats *r = &c->conversion.valid;
	uint64_t all = f->entries;

	line(0, all, 0, "branches read");
	loss(f->entries_empty, all, "empty entries");
	loss(f->entries_guest, all, "of a virtual machine's guest");
	loss(f->entries_wrong_path, all, "speculated only, never done");
	loss(f->entries_doubled, all, "doubled newest entries");
	loss(f->entries_repeated, all, "repeated where a long trace was cut");
	loss(f->branches_elsewhere, all, "in other modules");
	loss(f->branches_kernel, all, "to, from or in the kernel");
	loss(f->branches_unmapped, all, "to or from where nothing was mapped");
	line(1, f->branches_inside + f->branches_entering + f->branches_leaving, all,
	     "in the binary");
	if (f->branches_entering + f->branches_leaving)
		line(2, f->branches_entering + f->branches_leaving, all,
		     "with the other end elsewhere");
	all = r->branches.in;
	loss(r->branches.system_calls, all, "system calls");
	loss(r->branches.from_no_code, all, "from where there is no code");
	loss(r->branches.from_no_branch, all, "from an instruction that is no branch");
	loss(r->branches.wrong_target, all, "to another place than the branch goes");
	loss(r->branches.to_no_code, all, "to where no instruction begins");
	if (all)
		line(1, r->branches.valid, all, "valid: the code has this branch");
}

static void report_frequencies(const struct aggregate_frequencies *f)
{
	if (!f->recordings)
		return;
	line(0, f->recordings, 0, "recordings whose traces were examined");
	if (f->recordings == 1)
		fprintf(stderr,
			"%14.1f %%          sampling-bias check: trace starts match the branch "
			"distribution (mid-trace: %.1f %%)\n",
			100 * f->starts, 100 * f->middles);
	line(1, f->recordings - f->biased, 0, "unbiased: counts as recorded");
	line(1, f->biased - f->rated, 0, "biased: counts estimated from the traces");
	if (f->rated)
		line(1, f->rated, 0, "rated: traces count by how fast the program ran there");
}

static void report_ranges(const struct convert *c)
{
	const struct funnel *f = &c->conversion.aggregate.result.funnel;
	const struct validate_stats *r = &c->conversion.valid;
	uint64_t all = f->ranges;

	line(0, all, 0, "ranges between branches");
	loss(f->ranges_filtered, all, "of an event that does not record every branch");
	loss(f->ranges_reversed, all, "that end before they begin");
	loss(f->ranges_too_long, all, "longer than 1 MiB");
	loss(f->ranges_crossing, all, "from one module to another");
	loss(f->ranges_elsewhere, all, "in other modules");
	loss(f->ranges_kernel, all, "to, from or in the kernel");
	loss(f->ranges_unmapped, all, "where nothing was mapped");
	line(1, f->ranges_kept, all, "in the binary");
	all = r->ranges.in;
	loss(r->ranges.begin_nowhere, all, "beginning where no instruction does");
	loss(r->ranges.backwards, all, "backwards or too long");
	loss(r->ranges.no_code, all, "running into what is no code");
	loss(r->ranges.end_inside, all, "ending inside an instruction");
	loss(r->ranges.cut, all, "cut where the code must have branched");
	if (all)
		line(1, r->ranges.whole, all, "valid: the code can run through it");
}

/* Which solver did it and at what cost, to compare solvers by; with auto nobody asked. */
static void report_solver(const struct flow_stats *f, uint64_t solved,
			  const struct flow_solver *solver)
{
	char what[64];

	if (solver && solver->last)
		return;
	snprintf(what, sizeof(what), "by %s", solver ? solver->name : "simplex");
	line(2, solver ? f->by_other : solved, solved, what);
	loss(f->too_large, solved, "by simplex: too large for the solver asked for");
	loss(f->given_up, solved, "by simplex: the solver asked for gave up");
	line(1, f->cost, 0, "cost of the flow: the least possible");
}

static void report_smoothed(const struct smooth_stats *s, const struct flow_solver *solver)
{
	uint64_t all = s->functions;

	line(0, all, 0, "functions to be smoothed");
	loss(s->gaps, all, "not: they hold what is no code");
	loss(s->outcomes[FLOW_TOO_LARGE], all, "not: too large for the solver");
	loss(s->outcomes[FLOW_FAILED], all, "not: the solver gave up");
	loss(s->outcomes[FLOW_CONSISTENT], all, "conserved flow before");
	line(1, s->outcomes[FLOW_SOLVED], all, "smoothed");
	report_solver(&s->flow, s->outcomes[FLOW_SOLVED], solver);
	line(0, s->pieces, 0, "runs through their pieces of code");
	line(1, s->moved, s->pieces, "added or taken away to conserve flow");
	line(1, s->woken, 0, "pieces never seen that must have run");
	if (s->unit > 1)
		line(1, s->unit, 0, "counted for each one recorded: there are few");
}

static void report_ip(const struct ip_stats *s, const struct flow_solver *solver)
{
	if (s->classified) {
		line(0, s->over_sampled, 0, "pieces of code with more samples than they ran");
		line(0, s->under_sampled, 0, "pieces of code with fewer");
	}
	report_smoothed(&s->smooth, solver);
}

static void report_source(const struct attribute_stats *a)
{
	line(0, a->weight, 0, "code bytes run");
	loss(a->weight_no_symbol, a->weight, "in no function symbol");
	loss(a->weight_no_row, a->weight, "without debug information");
	loss(a->weight_line_zero, a->weight, "at compiler-made code (line 0)");
	line(1, a->weight_placed, a->weight, "symbolised: at a source line");
	line(0, a->functions, 0, "functions ran");
	loss(a->functions_no_debug, a->functions, "without debug information");
	line(0, a->calls, 0, "calls");
	line(1, a->calls_attributed, 0, "written as call targets (with tail calls)");
}

static void report_checks(const struct verdict *v)
{
	fputs("checks of the source profile\n", stderr);
	for (int i = VERDICT_ZERO_HEAD; i <= VERDICT_NO_SYMBOL; i++)
		fprintf(stderr, "%14" PRIu64 " %6.2f %%    %s\n", v->values[i].whole,
			100 * v->values[i].value, verdict_meaning((enum verdict_figure)i));
}

static void report_bolt(const struct to_fdata_stats *b)
{
	uint64_t all = b->branches.in;

	line(0, all, 0, "branches for BOLT");
	loss(b->branches.returns, all, "returns, which BOLT does not use");
	loss(b->branches.no_function, all, "in no function");
	loss(b->branches.no_entry, all, "into a function where BOLT sees no block");
	line(1, b->branches.inside + b->branches.calls + b->branches.entries + b->branches.exits,
	     all, "written");
	line(1, b->fall_throughs, 0, "fall-throughs written");
}

void convert_report_notes(const struct convert *c)
{
	size_t count = 0;
	const char *const *notes = c->binary ? binary_notes(c->binary, &count) : NULL;

	for (size_t i = 0; i < count; i++)
		fprintf(stderr, "softlbr convert: note: %s\n", notes[i]);
}

void convert_report_match(const struct convert *c)
{
	switch (c->conversion.aggregate.result.match.kind) {
	case MATCH_OTHER_BUILD:
		convert_report_warning(
			"%s is another build than was recorded, but --force was given",
			c->binary_path);
		break;
	case MATCH_UNNAMED:
		convert_report_warning("the profile does not say which binary it was made of: it "
				       "is taken to be %s",
				       c->binary_path);
		break;
	case MATCH_BUILD_ID:
		break;
	default:
		convert_report_warning("%s was found in the recording by its name only: there is "
				       "no build-id to tell whether it is the same build",
				       c->binary_path);
	}
}

/* ---- the verdict --------------------------------------------------------------------------- */

static void report_samples_only(const struct convert *c)
{
	if (c->verdict.status)
		return;
	if (c->conversion.has_ip)
		convert_report_warning(
			"of sampled addresses only (--ip-samples): which way branches "
			"go is estimated");
	else
		convert_report_warning("of sampled addresses only (--ip-samples): lines have "
				       "counts, calls and function entries have none");
}

void convert_report_verdict(const struct convert *c)
{
	char why[VERDICT_TEXT_BYTES];

	if (conversion_is_ip_only(&c->conversion)) {
		report_samples_only(c);
		return;
	}
	verdict_explain(&c->verdict, why);
	if (c->verdict.status)
		convert_report_warning("%s profile: %s", verdict_name(&c->verdict), why);
}

/* ---- smoothing ----------------------------------------------------------------------------- */

void convert_report_solver(const struct convert *c)
{
	const struct smooth_stats *s = c->conversion.has_ip ? &c->conversion.ip.smooth
							    : &c->conversion.smooth_stats;
	uint64_t left = s->flow.too_large + s->flow.given_up;

	for (size_t i = 0; i < left && i < SMOOTH_LEFT_NAMED; i++) {
		const struct smooth_left *l = &s->left[i];

		if (l->too_large)
			convert_report_warning("%s is too large for %s (%" PRIu64 " nodes, %" PRIu64
					       " arcs), which takes up to %s: simplex smoothed it",
					       l->function, c->how.flow_solver->name, l->nodes,
					       l->arcs, c->how.flow_solver->limits);
		else
			convert_report_warning("%s gave up on %s (%" PRIu64 " nodes, %" PRIu64
					       " arcs): simplex smoothed it",
					       c->how.flow_solver->name, l->function, l->nodes,
					       l->arcs);
	}
	if (left > SMOOTH_LEFT_NAMED)
		convert_report_warning("and so for %" PRIu64
				       " more functions that %s left to simplex",
				       left - SMOOTH_LEFT_NAMED, c->how.flow_solver->name);
}

void convert_report_funnel(const struct convert *c)
{
	const struct attribute_stats *attributed = conversion_attributed(&c->conversion);

	report_samples(&c->conversion.aggregate);
	report_branches(c);
	report_ranges(c);
	report_frequencies(&c->conversion.aggregate.result.frequencies);
	if (c->conversion.has_ip)
		report_ip(&c->conversion.ip, c->how.flow_solver);
	if (c->conversion.has_smoothed)
		report_smoothed(&c->conversion.smooth_stats, c->how.flow_solver);
	if (attributed) {
		report_source(attributed);
		report_checks(&c->verdict);
	}
	if (c->conversion.has_bolt)
		report_bolt(&c->conversion.bolt_stats);
}

/* The functions that ran, by their beginning; false without memory. */
static bool find_run(const struct convert *c, struct map *ran)
{
	for (struct map_entry *r = NULL;
	     (r = map_next(&c->conversion.recorded.branches.ranges, r));) {
		const struct binary_function *f = binary_function_at(c->binary, r->a);

		if (f && !map_at(ran, f->begin, 0))
			return false;
	}
	return true;
}

void convert_report_aliases(const struct convert *c)
{
	size_t count;
	const struct binary_alias *alias = binary_aliases(c->binary, &count);
	const struct binary_function *last = NULL;
	struct map ran = {0};

	for (size_t i = 0; i < count && (i || find_run(c, &ran)); i++) {
		const struct binary_function *f = binary_function_at(c->binary, alias[i].va);

		if (!f || !map_find(&ran, f->begin, 0))
			continue;
		if (f != last)
			fprintf(stderr, "%s has the counts of:\n", f->name);
		fprintf(stderr, "  %s\n", alias[i].name);
		last = f;
	}
	map_deinit(&ran);
}

void convert_report_modules(const struct convert *c)
{
	const struct aggregate *a = &c->conversion.aggregate;
	size_t top[MODULES_SHOWN], n = aggregate_top_modules(&a->result, top, MODULES_SHOWN);
	char id[41];

	if (!n)
		return;
	fprintf(stderr, "The %s are in these modules:\n",
		a->result.funnel.entries ? "branches" : "samples");
	for (size_t i = 0; i < n; i++) {
		const struct module *m = &a->result.modules.items.items[top[i]];

		branch_profile_build_id_text(&m->build_id, id);
		fprintf(stderr, "  %6.2f %%  %-40s  %s\n",
			100.0 * (double)aggregate_module_share(&a->result, top[i]) /
				(double)aggregate_whole(&a->result),
			id, modules_path(&a->result.modules, top[i]));
	}
}
