/* SPDX-License-Identifier: MIT */
/* softlbr diff: how much alike two profiles or recordings are. */
#include <math.h>
#include <stdio.h>

#include "base/error.h"
#include "base/file_guard.h"
#include "base/file_output.h"
#include "cli/cli.h"
#include "cli/terminal.h"
#include "compare/diff.h"
#include "converter/elf/debug_search.h"
#include "report/compare_reports.h"
#include "report/html/page.h"

#define ROUNDING 1e-9

struct diff_command {
	struct diff_options options;
	struct debug_search search;
	unsigned files;
	const char *html, *source;
	enum diff_level level;
	double fail_under;
	size_t top;
	bool force, json, mangled;
	struct file_guard guard;
};

static error_t diff_take_file(void *diff, char *path, struct argp_state *state)
{
	struct diff_command *d = diff;

	if (d->files == 2)
		argp_error(state, "%s: there are two files already", path);
	d->options.paths[d->files++] = path;
	return 0;
}

static error_t diff_end_options(void *diff, struct argp_state *state)
{
	const struct diff_command *d = diff;

	if (d->files != 2)
		argp_error(state, "two files to compare are needed");
	return 0;
}

static const struct option_row rows[] = {
	{"binary", 'b', "FILE",
	 "The program or library that A and B are of: a file, or the name of a module of a recording (libfoo.so). Without: "
	 "the recorded program, found by its path and build-id",
	 OPTION_TEXT, OPTION_AT(struct diff_command, options.binary_path)},
	{CLI_KEYS(struct diff_command, options.keys_path)},
	{CLI_SYMFS(struct diff_command, search)},
	{"json", 0, NULL, "Write JSON", OPTION_SWITCH, OPTION_AT(struct diff_command, json)},
	{"html", 0, "FILE", "Also write one HTML file that needs no other", OPTION_TEXT,
	 OPTION_AT(struct diff_command, html)},
	{"source", 0, "DIR",
	 "Annotate the source files found below DIR in the HTML (with --binary, compiled with -g)",
	 OPTION_BY(cli_directory, struct diff_command, source)},
	{"frequencies", 0, "auto|raw|reweight|chain",
	 "Compare the counts that softlbr convert writes with this --frequencies: auto (default), raw, "
	 "reweight or chain",
	 OPTION_CHOICE, OPTION_AT(struct diff_command, options.frequencies),
	 .words = cli_frequencies},
	{CLI_NO_DEMANGLE(struct diff_command, mangled)},
	{"flatten", 0, NULL, "Compare source profiles as if nothing had been inlined",
	 OPTION_SWITCH, OPTION_AT(struct diff_command, options.flatten)},
	{"no-confidence", 0, NULL,
	 "Do not estimate confidence intervals and ceilings: several times faster", OPTION_SWITCH,
	 OPTION_AT(struct diff_command, options.no_confidence)},
	{"top", 0, "N", "List N functions (default 10)", OPTION_NUMBER,
	 OPTION_AT(struct diff_command, top)},
	{"level", 0, "function|line|edge|branch|within|jump|call",
	 "Level that --fail-under compares: function, line, edge, branch, within, jump or call; by default "
	 "edge, or line if one is a source profile",
	 OPTION_CHOICE, OPTION_AT(struct diff_command, level)},
	{"fail-under", 0, "X", "Exit with status 7 if the score, from 0 to 1, is below X",
	 OPTION_REAL, OPTION_AT(struct diff_command, fail_under), .most = 1, .noun = "share"},
	{"force", 0, NULL, "Overwrite the page's FILE even if it is no page", OPTION_SWITCH,
	 OPTION_AT(struct diff_command, force)},
	{0},
};

static const char doc[] =
	"Compare two profiles: recordings, branch profiles and callgrind.out files of one binary by its "
	"code, profiles for gcc and clang by source lines, or one of these with one of those; or counters "
	"for gcc of one program, directories or files, by its functions and arcs. 100 % "
	"means the same counts up to their scale. The reference is the side with exact counts, else B.\v"
	"Exit status: 0 good, 1 input or output failed, 2 usage, 3 bad input, 4 empty profile, "
	"6 wrong binary, 7 below --fail-under.";

const struct option_table cli_diff_options = {
	.rows = rows,
	.operands = "A B",
	.doc = doc,
	.usage_status = SOFTLBR_E_USAGE,
	.take = diff_take_file,
	.end = diff_end_options,
};

static int diff_judge(const struct diff_command *c, const struct diff *d, struct softlbr_error *e)
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
static int diff_guard_files(struct diff_command *c, struct softlbr_error *e)
{
	struct file_guard *g = &c->guard;
	int rc = file_guard_input(g, c->options.binary_path, e);

	for (int i = 0; !rc && i < 2; i++)
		rc = file_guard_input(g, c->options.paths[i], e);
	if (!rc)
		rc = file_guard_output(g, c->html, e);
	if (!rc && !c->force)
		rc = file_guard_replace(c->html, &page_kind, e);
	return rc;
}

static int print_report(const struct diff_command *c, const struct diff *d,
			const struct document_style *style, struct softlbr_error *e)
{
	int rc = 0;

	if (c->json)
		rc = diff_json_report(d, c->top, style, stdout, e);
	else
		diff_text_report(d, c->top, style, stdout);
	if (!rc && (fflush(stdout) || ferror(stdout)))
		rc = error_set_errno(e, "standard output", "cannot write the report");
	return rc;
}

/* The page appears if the report was printed. */
static int report(const struct diff_command *c, const struct diff *d,
		  const struct document_style *style, struct softlbr_error *e)
{
	struct file_outputs page = {0};
	FILE *out;
	int rc = 0;

	if (c->html)
		rc = file_outputs_open(&page, c->html, &out, e)
		       ?: diff_html_report(d, c->top, style, c->source, out, e)
		       ?: file_outputs_finish(&page, e);
	rc = rc ?: print_report(c, d, style, e) ?: file_outputs_commit(&page, e);
	file_outputs_abandon(&page);
	return rc;
}

int cli_diff(int argc, char **argv)
{
	struct diff_command c = {.level = DIFF_LEVELS, .fail_under = NAN, .top = 10};
	struct document_style style = {.columns = terminal_columns()};
	struct softlbr_error e = {0};
	struct diff d = {0};
	int rc;

	if (options_parse(&cli_diff_options, argc, argv, &c))
		return SOFTLBR_E_SYSTEM;
	file_temporaries_remove_on_signals();
	c.options.search = &c.search;
	style.mangled = c.mangled;
	rc = diff_guard_files(&c, &e)
		     ?: TERMINAL_PROGRESS(&c.options.progress, "reading",
					  diff_make(&d, &c.options, &e));
	for (int i = 0; i < 2; i++)
		terminal_print_damage("diff", c.options.paths[i], &d.sides[i].damage);
	if (!rc && d.binary)
		rc = file_guard_input(&c.guard, binary_path(d.binary), &e);
	if (!rc)
		rc = report(&c, &d, &style, &e);
	if (!rc)
		rc = diff_judge(&c, &d, &e);
	if (rc)
		terminal_print_error("diff", &e);
	diff_deinit(&d);
	file_guard_deinit(&c.guard);
	return e.code;
}
