/* SPDX-License-Identifier: MIT */
/* What `softlbr convert` tells on standard error. */
#include <inttypes.h>
#include <stdarg.h>
#include <stdio.h>
#include <string.h>

#include "cli/color.h"
#include "cli/convert.h"

/* so that all that is said has ten lines at most */
#define MODULES_SHOWN 6

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
			"%s is not the build that was recorded; --force converts for it all the "
			"same",
			c->binary_path);
		break;
	case MATCH_UNNAMED:
		convert_report_warning("the profile does not name the binary it was made of: %s is "
				       "assumed",
				       c->binary_path);
		break;
	case MATCH_BUILD_ID:
		break;
	default:
		convert_report_warning(
			"%s was matched to the recording by its name only: without a "
			"build-id nothing tells whether it is the recorded build",
			c->binary_path);
	}
}

/* ---- what was read and written, and how good it is ------------------------------------------- */

static void print_binary_share(const struct convert *c, uint64_t in, uint64_t all, const char *what)
{
	if (all)
		fprintf(stderr, ", %.1f %% of the %s in %s", 100.0 * (double)in / (double)all, what,
			c->binary_path);
}

void convert_report_read(const struct convert *c)
{
	const struct aggregate_result *r = &c->conversion.aggregate.result;
	const struct funnel *f = &r->funnel;

	fputs("read: ", stderr);
	if (c->profiles.count == 1)
		fprintf(stderr, "%s: ",
			strcmp(c->profiles.items[0].path, "-") ? c->profiles.items[0].path
							       : "standard input");
	else
		fprintf(stderr, "%zu recordings: ", c->profiles.count);
	if (f->samples + f->samples_of_other_events)
		fprintf(stderr, "%" PRIu64 " samples", f->samples);
	if (f->samples && f->entries)
		fputs(", ", stderr);
	if (f->entries)
		fprintf(stderr, "%" PRIu64 " branches", funnel_branches(f));
	if (f->entries)
		print_binary_share(c,
				   f->branches_inside + f->branches_entering + f->branches_leaving,
				   funnel_branches(f), "branches");
	else
		print_binary_share(c, f->samples_in_binary, f->samples, "samples");
	if (f->samples_lost)
		fprintf(stderr, "; the recorder lost %" PRIu64 " more samples", f->samples_lost);
	fputc('\n', stderr);
}

static void print_written(const struct convert *c, const char *between)
{
	const struct convert_output *o;

	vector_each (&c->outputs, o) {
		fprintf(stderr, "%s%s (%s", between,
			strcmp(o->path, "-") ? o->path : "standard output", o->format->name);
		if (!strcmp(o->format->name, "gcov"))
			fprintf(stderr, " for gcc %u", convert_advice_gcc(c));
		fputc(')', stderr);
		between = ", ";
	}
}

void convert_report_written(const struct convert *c)
{
	print_written(c, "wrote: ");
	fputc('\n', stderr);
}

static const char *kind_of_samples(const struct convert *c)
{
	if (!conversion_is_ip_only(&c->conversion))
		return "";
	if (c->verdict.status)
		return ": no sampled address is an instruction of the binary";
	return c->conversion.has_ip
		       ? ", made of sampled addresses only: which way branches go is estimated"
		       : ", made of sampled addresses only: source lines have counts, calls and "
			 "function entries have none";
}

void convert_report_verdict(const struct convert *c)
{
	bool refused = c->verdict.status && c->verdict.status != SOFTLBR_E_POOR;
	char why[VERDICT_TEXT_BYTES];

	verdict_explain(&c->verdict, why);
	fprintf(stderr, "profile: %s%s%s%s%s%s",
		cli_color(stderr, c->verdict.status ? COLOR_BAD : COLOR_GOOD),
		verdict_name(&c->verdict), cli_color_end(stderr), *why ? ": " : "", why,
		kind_of_samples(c));
	if (refused && c->force)
		fputs("; --force wrote it all the same", stderr);
	else if (refused)
		fputs("; nothing was written: give the recorded file with --binary, or --force",
		      stderr);
	fputc('\n', stderr);
}

void convert_report_module(const struct convert *c)
{
	bool refused = c->verdict.status && c->verdict.status != SOFTLBR_E_POOR && !c->force;
	char why[VERDICT_TEXT_BYTES];

	verdict_explain(&c->verdict, why);
	fprintf(stderr, "%s: %s%s%s", c->binary_path, verdict_name(&c->verdict), *why ? ": " : "",
		why);
	if (refused)
		fputs("; nothing was written", stderr);
	else
		print_written(c, "; wrote ");
	fputc('\n', stderr);
}

/* ---- smoothing ----------------------------------------------------------------------------- */

static void report_left(const struct convert *c, const struct smooth_left *l, uint64_t more)
{
	const struct flow_solver *solver = c->how.flow_solver;
	char others[64] = "";

	if (more)
		snprintf(others, sizeof(others), ", and likewise %" PRIu64 " more functions", more);
	if (l->too_large)
		convert_report_warning("%s is too large for %s (%" PRIu64 " nodes, %" PRIu64
				       " arcs), which takes up to %s: simplex smoothed it%s",
				       l->function, solver->name, l->nodes, l->arcs, solver->limits,
				       others);
	else
		convert_report_warning("%s gave up on %s (%" PRIu64 " nodes, %" PRIu64
				       " arcs): simplex smoothed it%s",
				       solver->name, l->function, l->nodes, l->arcs, others);
}

void convert_report_solver(const struct convert *c)
{
	const struct smooth_stats *s = c->conversion.has_ip ? &c->conversion.ip.smooth
							    : &c->conversion.smooth_stats;
	uint64_t left = s->flow.too_large + s->flow.given_up;
	uint64_t shown = !c->verbose && left	    ? 1
			 : left < SMOOTH_LEFT_NAMED ? left
						    : SMOOTH_LEFT_NAMED;

	for (uint64_t i = 0; i < shown; i++)
		report_left(c, &s->left[i], i + 1 < shown ? 0 : left - shown);
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
