/* SPDX-License-Identifier: MIT */
/* softlbr diff: how much alike two profiles or recordings are. */
#include <argp.h>
#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "base/error.h"
#include "base/file_guard.h"
#include "base/file_output.h"
#include "base/json.h"
#include "cli/cli.h"
#include "cli/progress.h"
#include "cli/terminal.h"
#include "compare/diff.h"
#include "converter/elf/debug_search.h"
#include "report/diff_report.h"
#include "report/html/page.h"

enum {
	OPTION_FAIL_UNDER = 0x100,
	OPTION_LEVEL,
	OPTION_TOP,
	OPTION_JSON,
	OPTION_FLATTEN,
	OPTION_NO_CONFIDENCE,
	OPTION_HTML,
	OPTION_SOURCE,
	OPTION_FREQUENCIES,
	OPTION_FORCE,
	OPTION_NO_DEMANGLE,
	OPTION_SYMFS
};

#define ROUNDING 1e-9

struct diff_command {
	struct diff_options options;
	struct debug_search search;
	unsigned files;
	const char *json, *html, *source;
	enum diff_level level;
	double fail_under;
	size_t top;
	bool force;
	struct file_guard guard;
	bool mangled;
};

static const struct argp_option options[] = {
	{"binary", 'b', "FILE", 0,
	 "The program or library that A and B are of: a file, or the name of a module of a recording (libfoo.so). Without: "
	 "the recorded program, found by its path and build-id",
	 0},
	{"symfs", OPTION_SYMFS, "DIR", 0,
	 "Look for binaries and debug files below DIR as if it were /, before looking in place", 0},
	{"json", OPTION_JSON, "FILE", OPTION_ARG_OPTIONAL,
	 "Write JSON instead of text; FILE may be left out for standard output", 0},
	{"html", OPTION_HTML, "FILE", 0, "Also write one HTML file that needs no other", 0},
	{"source", OPTION_SOURCE, "DIR", 0,
	 "Annotate the source files found below DIR in the HTML (with --binary, compiled with -g)",
	 0},
	{"frequencies", OPTION_FREQUENCIES, "auto|raw|reweight|chain", 0,
	 "Compare the counts that softlbr convert writes with this --frequencies: auto (default), raw, "
	 "reweight or chain",
	 0},
	{"no-demangle", OPTION_NO_DEMANGLE, NULL, 0,
	 "Show names of C++ and Rust as the linker has them", 0},
	{"flatten", OPTION_FLATTEN, NULL, 0,
	 "Compare source profiles as if nothing had been inlined", 0},
	{"no-confidence", OPTION_NO_CONFIDENCE, NULL, 0,
	 "Do not estimate confidence intervals and ceilings: several times faster", 0},
	{"top", OPTION_TOP, "N", 0, "List N functions (default 10)", 0},
	{"level", OPTION_LEVEL, "function|line|edge|branch|within|jump|call", 0,
	 "Level that --fail-under compares: function, line, edge, branch, within, jump or call; by default "
	 "edge, or line if one is a source profile",
	 0},
	{"fail-under", OPTION_FAIL_UNDER, "X", 0,
	 "Exit with status 7 if the score, from 0 to 1, is below X", 0},
	{"force", OPTION_FORCE, NULL, 0, "Overwrite FILE even if it is no such report", 0},
	{0},
};

static const char doc[] =
	"Compare two profiles: recordings, branch profiles and callgrind.out files of one binary by its "
	"code, profiles for gcc and clang by source lines, or one of these with one of those. 100 % "
	"means the same counts up to their scale. The reference is the side with exact counts, else B.\v"
	"Exit status: 0 good, 1 input or output failed, 2 usage, 3 bad input, 4 empty profile, "
	"6 wrong binary, 7 below --fail-under.";

static error_t parse_option(int key, char *arg, struct argp_state *state)
{
	struct diff_command *d = state->input;
	char *end;

	switch (key) {
	case 'b':
		d->options.binary_path = arg;
		break;
	case OPTION_FREQUENCIES:
		d->options.frequencies = cli_frequencies(arg, state);
		break;
	case OPTION_SYMFS:
		d->search.symfs = arg;
		break;
	case OPTION_NO_DEMANGLE:
		d->mangled = true;
		break;
	case OPTION_JSON:
		d->json = arg ? arg : "-";
		break;
	case OPTION_TOP:
		d->top = cli_rows(arg, state);
		break;
	case OPTION_NO_CONFIDENCE:
		d->options.no_confidence = true;
		break;
	case OPTION_HTML:
		d->html = arg;
		break;
	case OPTION_SOURCE:
		d->source = arg;
		break;
	case OPTION_FORCE:
		d->force = true;
		break;
	case OPTION_FLATTEN:
		d->options.flatten = true;
		break;
	case OPTION_LEVEL:
		d->level = diff_level_of(arg);
		if (d->level == DIFF_LEVELS)
			argp_error(
				state,
				"--level=%s: expected function, line, edge, branch, within, jump or call",
				arg);
		break;
	case OPTION_FAIL_UNDER:
		d->fail_under = strtod(arg, &end);
		if (*end || end == arg || !(d->fail_under >= 0 && d->fail_under <= 1))
			argp_error(state, "--fail-under=%s: expected a share from 0 to 1", arg);
		break;
	case ARGP_KEY_ARG:
		if (d->files == 2)
			argp_error(state, "%s: there are two files already", arg);
		d->options.paths[d->files++] = arg;
		break;
	case ARGP_KEY_END:
		if (d->files != 2)
			argp_error(state, "two files to compare are needed");
		break;
	default:
		return ARGP_ERR_UNKNOWN;
	}
	return 0;
}

static int judge(const struct diff_command *c, const struct diff *d, struct softlbr_error *e)
{
	enum diff_level level = c->level < DIFF_LEVELS		  ? c->level
				: d->has_edges || d->has_counters ? DIFF_EDGE
								  : DIFF_LINE;
	double score = d->scores[level];

	if (isnan(c->fail_under))
		return 0;
	if (isnan(score))
		return error_set(e, SOFTLBR_E_USAGE, c->options.paths[0],
				 "these files can't be compared at level %s",
				 diff_level_name(level));
	/* sums of shares are rounded: the same counts must pass 1 */
	if (score + ROUNDING >= c->fail_under)
		return 0;
	return error_set(e, SOFTLBR_E_THRESHOLD, c->options.paths[0],
			 "the score at level %s is %.4f, less than %.4f", diff_level_name(level),
			 score, c->fail_under);
}

/* Before anything is read: no report is written over an input, or a file that is no report. */
static int check_files(struct diff_command *c, struct softlbr_error *e)
{
	struct file_guard *g = &c->guard;
	int rc = file_guard_input(g, c->options.binary_path, e);

	for (int i = 0; !rc && i < 2; i++)
		rc = file_guard_input(g, c->options.paths[i], e);
	if (!rc)
		rc = file_guard_output(g, c->html, e);
	if (!rc)
		rc = file_guard_output(g, c->json, e);
	if (!rc && !c->force)
		rc = file_guard_replace(c->html, &page_kind, e);
	if (!rc && !c->force)
		rc = file_guard_replace(c->json, &json_file_kind, e);
	return rc;
}

const struct argp cli_diff_argp = {options, parse_option, "A B", doc, NULL, NULL, NULL};

static int make(struct diff *d, struct diff_options *options, struct softlbr_error *e)
{
	struct progress progress;
	int rc;

	progress_begin(&progress, "reading");
	options->progress = progress_calls(&progress);
	rc = diff_make(d, options, e);
	progress_end(&progress);
	return rc;
}

static int write_reports(const struct diff_command *c, const struct diff *d,
			 const struct document_style *style, struct file_outputs *to,
			 struct softlbr_error *e)
{
	FILE *out;
	int rc = 0;

	if (c->html) {
		rc = file_outputs_open(to, c->html, &out, e);
		if (!rc)
			rc = diff_html_report(d, c->top, style, c->source, out, e);
		if (!rc)
			rc = file_outputs_finish(to, e);
	}
	if (!rc && c->json) {
		rc = file_outputs_open(to, c->json, &out, e);
		if (!rc)
			rc = diff_json_report(d, c->top, style, out, e);
		if (!rc)
			rc = file_outputs_finish(to, e);
	} else if (!rc) {
		diff_text_report(d, c->top, style, stdout);
		if (fflush(stdout) || ferror(stdout))
			rc = error_set_errno(e, "standard output", "cannot write the report");
	}
	return rc;
}

/* All files appear, or none. */
static int report(const struct diff_command *c, const struct diff *d,
		  const struct document_style *style, struct softlbr_error *e)
{
	struct file_outputs written = {0};
	int rc = write_reports(c, d, style, &written, e);

	if (!rc)
		return file_outputs_commit(&written, e);
	file_outputs_abandon(&written);
	return rc;
}

int cli_diff(int argc, char **argv)
{
	struct diff_command c = {.level = DIFF_LEVELS, .fail_under = NAN, .top = 10};
	struct document_style style = {.columns = terminal_columns()};
	struct softlbr_error e = {0};
	struct diff d = {0};
	int rc;

	if (cli_parse(&cli_diff_argp, argc, argv, CLI_OPERANDS_ANYWHERE, SOFTLBR_E_USAGE, &c))
		return SOFTLBR_E_SYSTEM;
	file_temporaries_remove_on_signals();
	c.options.search = &c.search;
	style.mangled = c.mangled;
	rc = check_files(&c, &e);
	if (!rc)
		rc = make(&d, &c.options, &e);
	for (int i = 0; i < 2; i++)
		cli_print_damage("diff", c.options.paths[i], &d.sides[i].damage);
	if (!rc && d.binary)
		rc = file_guard_input(&c.guard, binary_path(d.binary), &e);
	if (!rc)
		rc = report(&c, &d, &style, &e);
	if (!rc)
		rc = judge(&c, &d, &e);
	if (rc)
		cli_print_error("diff", &e);
	diff_deinit(&d);
	file_guard_deinit(&c.guard);
	return e.code;
}
