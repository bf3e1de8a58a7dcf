/* SPDX-License-Identifier: MIT */
/* softlbr check: is this profile good before I build with it? */
#include <stdio.h>

#include "base/error.h"
#include "base/file.h"
#include "base/file_guard.h"
#include "base/file_output.h"
#include "cli/cli.h"
#include "cli/terminal.h"
#include "compare/check.h"
#include "converter/elf/debug_search.h"
#include "report/compare_reports.h"
#include "report/html/page.h"

struct check_command {
	struct check_options options;
	struct debug_search search;
	bool json, mangled, force;
	const char *html;
	size_t top;
};

static error_t check_take_file(void *check, char *path, struct argp_state *state)
{
	struct check_command *c = check;

	if (c->options.profile_path)
		argp_error(state, "%s: one profile at a time", path);
	c->options.profile_path = path;
	return 0;
}

static const struct option_row rows[] = {
	{"input", 'i', "FILE", "Check this file: the same as PROFILE alone (default perf.data)",
	 .kind = OPTION_OPERAND},
	{"binary", 'b', "FILE",
	 "The program or library that the profile is of: a file, or the name of a module of a recording (libfoo.so). Without: "
	 "the recorded program, found by its path and build-id",
	 OPTION_TEXT, OPTION_AT(struct check_command, options.binary_path)},
	{CLI_KEYS(struct check_command, options.keys_path)},
	{CLI_SYMFS(struct check_command, search)},
	{"against", 0, "FILE",
	 "Another build of it, or of counters its keys: how much of the executed code is unchanged there?",
	 OPTION_TEXT, OPTION_AT(struct check_command, options.against_path)},
	{"frequencies", 0, "auto|raw|reweight|chain",
	 "Judge the counts that softlbr convert writes with this --frequencies: auto (default), raw, "
	 "reweight or chain",
	 OPTION_CHOICE, OPTION_AT(struct check_command, options.frequencies),
	 .words = cli_frequencies},
	{CLI_NO_DEMANGLE(struct check_command, mangled)},
	{"json", 0, NULL, "Write JSON", OPTION_SWITCH, OPTION_AT(struct check_command, json)},
	{CLI_OLD_LETTER('j')},
	{"html", 0, "FILE", "Also write one HTML file that needs no other", OPTION_TEXT,
	 OPTION_AT(struct check_command, html)},
	{"force", 0, NULL, "Overwrite the page's FILE even if it is no page", OPTION_SWITCH,
	 OPTION_AT(struct check_command, force)},
	{"top", 0, "N", "At most N rows per table, 0 for all (default 10)", OPTION_NUMBER,
	 OPTION_AT(struct check_command, top)},
	{CLI_OLD_LETTER('n')},
	{.help = "Limits beyond which a profile is poor (status 5):"},
	{CLI_MIN_OVERLAP(struct check_command, options.limits)},
	{CLI_MIN_BRANCHES(struct check_command, options.limits)},
	{CLI_MIN_VALID_BRANCHES(struct check_command, options.limits)},
	{CLI_MAX_INVALID_RANGES(struct check_command, options.limits)},
	{"max-flow-gap", 0, "PERCENT", "At most this flow conservation gap (default 25)",
	 OPTION_BY(cli_limit, struct check_command, options.limits), .value = VERDICT_GAP},
	{"max-discontinuity", 0, "PERCENT",
	 "At most this CFG discontinuity (default 100, no limit: loops are seldom seen to be entered)",
	 OPTION_BY(cli_limit, struct check_command, options.limits),
	 .value = VERDICT_DISCONTINUITY},
	{CLI_MAX_ZERO_HEAD(struct check_command, options.limits)},
	{"max-no-line", 0, "PERCENT",
	 "At most this share of executed code without a source line (default 40)",
	 OPTION_BY(cli_limit, struct check_command, options.limits), .value = VERDICT_NO_LINE},
	{"max-unknown-names", 0, "PERCENT",
	 "Source profiles and fdata: at most this share of counts in functions that the binary "
	 "does not have (default 10)",
	 OPTION_BY(cli_limit, struct check_command, options.limits),
	 .value = VERDICT_NAMES_UNKNOWN},
	{"min-same-flow", 0, "PERCENT",
	 "With --against, or of counters --keys: at least this share of counts in functions with unchanged control flow "
	 "(default 80)",
	 OPTION_BY(cli_limit, struct check_command, options.limits), .value = VERDICT_SAME_FLOW},
	{0},
};

const struct option_table cli_check_options = {
	.rows = rows,
	.operands = "PROFILE",
	.doc = "Say whether a recording, a profile or a directory of counters for gcc is good before anything is "
	       "built with it.\v"
	       "Exit status: 0 good or fair, 1 input or output failed, 2 usage, 3 bad input, 4 empty profile, "
	       "5 poor profile, 6 wrong binary.",
	.usage_status = SOFTLBR_E_USAGE,
	.take = check_take_file,
};

/* Before anything is read. */
static int check_guard_files(const struct check_command *c, struct softlbr_error *e)
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

static int check_write_out(const struct check_command *command, const struct check *c,
			   struct softlbr_error *e)
{
	struct document document;
	struct file_outputs files = {0};
	char title[512];
	int rc = 0;

	check_report_fill(c, command->top, &document);
	snprintf(title, sizeof(title), "softlbr check: %s",
		 file_base_name(command->options.profile_path));
	if (command->html)
		rc = cli_document_save_page(&document, title, NULL, command->html, command->mangled,
					    &files, e);
	if (!rc)
		rc = cli_document_print(&document,
					command->json ? CLI_DOCUMENT_JSON : CLI_DOCUMENT_TEXT,
					command->mangled, e);
	rc = rc ?: file_outputs_commit(&files, e);
	file_outputs_abandon(&files);
	document_deinit(&document);
	return rc;
}

int cli_check(int argc, char **argv)
{
	struct check_command command = {.top = 10};
	struct softlbr_error e = {0};
	struct check c = {0};
	int rc;

	verdict_init(&command.options.limits);
	if (options_parse(&cli_check_options, argc, argv, &command))
		return SOFTLBR_E_SYSTEM;
	if (!command.options.profile_path)
		command.options.profile_path = CLI_RECORDING;
	file_temporaries_remove_on_signals();
	command.options.search = &command.search;
	rc = check_guard_files(&command, &e)
	       ?: TERMINAL_PROGRESS(&command.options.progress, "reading",
				    check_make(&c, &command.options, &e))
	       ?: check_write_out(&command, &c, &e);
	terminal_print_damage("check", command.options.profile_path, &c.side.damage);
	if (rc)
		terminal_print_error("check", &e);
	check_deinit(&c);
	return e.code ? e.code : c.verdict.status;
}
