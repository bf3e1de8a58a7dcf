/* SPDX-License-Identifier: MIT */
/* softlbr check: is this profile good before I build with it? */
#include <argp.h>
#include <stdio.h>
#include <stdlib.h>

#include "base/error.h"
#include "base/file.h"
#include "base/file_guard.h"
#include "base/file_output.h"
#include "cli/cli.h"
#include "cli/document_output.h"
#include "cli/progress.h"
#include "compare/check.h"
#include "converter/elf/debug_search.h"
#include "report/check_report.h"
#include "report/html/page.h"

enum {
	OPTION_AGAINST = 0x100,
	OPTION_FREQUENCIES,
	OPTION_HTML,
	OPTION_FORCE,
	OPTION_NO_DEMANGLE,
	OPTION_SYMFS,
	OPTION_LIMIT, /* and the number of the figure */
};

struct check_command {
	struct check_options options;
	struct debug_search search;
	bool json, mangled, force;
	const char *html;
	size_t top;
};

static const struct argp_option options[] = {
	{"input", 'i', "FILE", 0, "Check this file: the same as PROFILE alone (default perf.data)",
	 0},
	{"binary", 'b', "FILE", 0,
	 "The program or library that the profile is of: a file, or the name of a module of a recording (libfoo.so). Without: "
	 "the recorded program, found by its path and build-id",
	 0},
	{"symfs", OPTION_SYMFS, "DIR", 0,
	 "Look for binaries and debug files below DIR as if it were /, before looking in place", 0},
	{"against", OPTION_AGAINST, "FILE", 0,
	 "Another build of it: how much of the executed code is unchanged there?", 0},
	{"frequencies", OPTION_FREQUENCIES, "auto|raw|reweight|chain", 0,
	 "Judge the counts that softlbr convert writes with this --frequencies: auto (default), raw, "
	 "reweight or chain",
	 0},
	{"no-demangle", OPTION_NO_DEMANGLE, NULL, 0,
	 "Show names of C++ and Rust as the linker has them", 0},
	{"json", 'j', NULL, 0, "Write JSON", 0},
	{"html", OPTION_HTML, "FILE", 0, "Also write one HTML file that needs no other", 0},
	{"force", OPTION_FORCE, NULL, 0, "Overwrite the page's FILE even if it is no page", 0},
	{"top", 'n', "N", 0, "At most N rows per table, 0 for all (default 10)", 0},
	{NULL, 0, NULL, 0, "Limits beyond which a profile is poor (status 5):", 2},
	{"min-traces", OPTION_LIMIT + VERDICT_TRACES, "N", 0,
	 "Recordings: at least N traces (default 10)", 0},
	{"min-branches", OPTION_LIMIT + VERDICT_BRANCHES, "N", 0,
	 "At least N taken branches in the binary (default 1000)", 0},
	{"max-noise", OPTION_LIMIT + VERDICT_CHANCE, "PERCENT", 0,
	 "Recordings: at most this expected edge-overlap loss from sampling noise (default 100)",
	 0},
	{"min-valid-branches", OPTION_LIMIT + VERDICT_VALID_BRANCHES, "PERCENT", 0,
	 "At least this share of branches consistent with the disassembly (default 95)", 0},
	{"max-invalid-ranges", OPTION_LIMIT + VERDICT_INVALID_RANGES, "PERCENT", 0,
	 "At most this share of ranges inconsistent with the disassembly (default 5)", 0},
	{"max-flow-gap", OPTION_LIMIT + VERDICT_GAP, "PERCENT", 0,
	 "At most this flow conservation gap (default 25)", 0},
	{"max-discontinuity", OPTION_LIMIT + VERDICT_DISCONTINUITY, "PERCENT", 0,
	 "At most this CFG discontinuity (default 100, no limit: loops are seldom seen to be entered)",
	 0},
	{"max-zero-head", OPTION_LIMIT + VERDICT_ZERO_HEAD, "PERCENT", 0,
	 "At most this share of samples in functions with zero head count (default 20)", 0},
	{"max-no-line", OPTION_LIMIT + VERDICT_NO_LINE, "PERCENT", 0,
	 "At most this share of weight without a source line (default 40)", 0},
	{"max-unknown-names", OPTION_LIMIT + VERDICT_NAMES_UNKNOWN, "PERCENT", 0,
	 "Source profiles and fdata: at most this share of counts in functions that the binary "
	 "does not have (default 10)",
	 0},
	{"min-same-flow", OPTION_LIMIT + VERDICT_SAME_FLOW, "PERCENT", 0,
	 "With --against: at least this share of counts in functions with unchanged control flow "
	 "(default 80)",
	 0},
	{0},
};

static const char doc[] =
	"Say whether a recording or profile is good before anything is built with it.\v"
	"Exit status: 0 good, 1 input or output failed, 2 usage, 3 bad input, 4 empty profile, "
	"5 poor profile, 6 wrong binary.";

static const char *option_name(int key)
{
	const struct argp_option *o = options;

	while (o->key != key)
		o++;
	return o->name;
}

static error_t parse_limit(struct check_options *o, int figure, const char *arg,
			   struct argp_state *state)
{
	char *end;
	double number = strtod(arg, &end);
	bool percent = !verdict_is_count((enum verdict_figure)figure);

	if (*end || end == arg || !(number >= 0) || (percent && number > 100))
		argp_error(state, "--%s=%s: expected a %s", option_name(OPTION_LIMIT + figure), arg,
			   percent ? "percentage from 0 to 100" : "number");
	verdict_limit(&o->limits, (enum verdict_figure)figure, percent ? number / 100 : number);
	return 0;
}

static error_t parse_option(int key, char *arg, struct argp_state *state)
{
	struct check_command *c = state->input;

	if (key >= OPTION_LIMIT && key < OPTION_LIMIT + VERDICT_FIGURES)
		return parse_limit(&c->options, key - OPTION_LIMIT, arg, state);
	switch (key) {
	case 'b':
		c->options.binary_path = arg;
		break;
	case OPTION_AGAINST:
		c->options.against_path = arg;
		break;
	case OPTION_FREQUENCIES:
		c->options.frequencies = cli_frequencies(arg, state);
		break;
	case OPTION_SYMFS:
		c->search.symfs = arg;
		break;
	case OPTION_NO_DEMANGLE:
		c->mangled = true;
		break;
	case OPTION_HTML:
		c->html = arg;
		break;
	case OPTION_FORCE:
		c->force = true;
		break;
	case 'j':
		c->json = true;
		break;
	case 'n':
		c->top = cli_rows(arg, state);
		break;
	case 'i':
	case ARGP_KEY_ARG:
		if (c->options.profile_path)
			argp_error(state, "%s: one profile at a time", arg);
		c->options.profile_path = arg;
		break;
	case ARGP_KEY_END:
		if (!c->options.profile_path)
			c->options.profile_path = CLI_RECORDING;
		break;
	default:
		return ARGP_ERR_UNKNOWN;
	}
	return 0;
}

/* Before anything is read. */
static int check_files(const struct check_command *c, struct softlbr_error *e)
{
	const char *inputs[] = {c->options.profile_path, c->options.binary_path,
				c->options.against_path};
	struct file_guard guard = {0};
	int rc = 0;

	for (size_t i = 0; !rc && i < sizeof(inputs) / sizeof(*inputs); i++)
		rc = file_guard_input(&guard, inputs[i], e);
	if (!rc)
		rc = file_guard_output(&guard, c->html, e);
	if (!rc && !c->force)
		rc = file_guard_replace(c->html, &page_kind, e);
	file_guard_deinit(&guard);
	return rc;
}

static int write_out(const struct check_command *command, const struct check *c,
		     struct softlbr_error *e)
{
	struct document document;
	char title[512];
	int rc = 0;

	check_report_fill(c, command->top, &document);
	snprintf(title, sizeof(title), "softlbr check: %s",
		 file_base_name(command->options.profile_path));
	if (command->html)
		rc = cli_document_save_page(&document, title, NULL, command->html, command->mangled,
					    e);
	if (!rc)
		rc = cli_document_print(&document,
					command->json ? CLI_DOCUMENT_JSON : CLI_DOCUMENT_TEXT,
					command->mangled, e);
	document_deinit(&document);
	return rc;
}

const struct argp cli_check_argp = {options, parse_option, "PROFILE", doc, NULL, NULL, NULL};

static int make(struct check_command *command, struct check *c, struct softlbr_error *e)
{
	struct progress progress;
	int rc;

	command->options.search = &command->search;
	progress_begin(&progress, "reading");
	command->options.progress = progress_calls(&progress);
	rc = check_make(c, &command->options, e);
	progress_end(&progress);
	return rc;
}

int cli_check(int argc, char **argv)
{
	struct check_command command = {.top = 10};
	struct softlbr_error e = {0};
	struct check c = {0};
	int rc;

	verdict_init(&command.options.limits);
	if (cli_parse(&cli_check_argp, argc, argv, CLI_OPERANDS_ANYWHERE, SOFTLBR_E_USAGE,
		      &command))
		return SOFTLBR_E_SYSTEM;
	file_temporaries_remove_on_signals();
	rc = check_files(&command, &e);
	if (!rc)
		rc = make(&command, &c, &e);
	if (!rc)
		rc = write_out(&command, &c, &e);
	cli_print_damage("check", command.options.profile_path, &c.side.damage);
	if (rc)
		cli_print_error("check", &e);
	check_deinit(&c);
	return e.code ? e.code : c.verdict.status;
}
