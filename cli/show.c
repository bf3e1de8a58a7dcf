/* SPDX-License-Identifier: MIT */
/* softlbr show: what is in a profile or a recording. */
#include <stdio.h>
#include <string.h>

#include "base/error.h"
#include "cli/cli.h"
#include "cli/terminal.h"
#include "report/show.h"

struct show_command {
	struct show_options options;
	struct debug_search search;
	bool json, mangled;
};

static error_t take_sections(void *at, const struct option_row *o, char *text,
			     struct argp_state *state)
{
	unsigned *sections = at;
	const char *list = text;

	for (;;) {
		size_t length = strcspn(list, ",");
		unsigned i;

		for (i = 0; i < SHOW_SECTIONS; i++) {
			const char *name = show_section_name((enum show_section)i);

			if (strlen(name) == length && !memcmp(name, list, length))
				break;
		}
		if (i == SHOW_SECTIONS)
			argp_error(state,
				   "--%s=%.*s: expected functions, lines, calls, branches, ranges, "
				   "modules, values or arguments",
				   o->name, (int)length, list);
		*sections |= 1u << i;
		if (!list[length])
			return 0;
		list += length + 1;
	}
}

static error_t show_take_file(void *show, char *path, struct argp_state *state)
{
	struct show_command *c = show;

	if (c->options.path)
		argp_error(state, "%s: one file at a time", path);
	c->options.path = path;
	return 0;
}

static const struct option_row rows[] = {
	{"view", 0, "WHAT",
	 "Show functions, lines, calls, branches, ranges, modules, values (of sizes, divisors and "
	 "indirect calls) or arguments; several with commas. Without: "
	 "what says most of the file",
	 OPTION_BY(take_sections, struct show_command, options.sections)},
	{"by", 0, NULL, NULL, OPTION_SWITCH, .flags = OPTION_ALIAS},
	{"top", 0, "N", "At most N rows of each table (default 20); 0 for all", OPTION_NUMBER,
	 OPTION_AT(struct show_command, options.top)},
	{CLI_OLD_LETTER('n')},
	{"function", 0, "NAME", "Show all counts of this function, with what is inlined into it",
	 OPTION_TEXT, OPTION_AT(struct show_command, options.function)},
	{"source", 0, "DIR", "Show the source that ran, with counts, of the files found below DIR",
	 OPTION_BY(cli_directory, struct show_command, options.source_directory)},
	{"input", 'i', "FILE", "Show this file: the same as FILE alone (default perf.data)",
	 .kind = OPTION_OPERAND},
	{"binary", 'b', "FILE",
	 "Show this program or library alone: a file, or the name of a module of the recording "
	 "(libfoo.so); needed for functions and lines of addresses, and for absolute lines of "
	 "profiles",
	 OPTION_TEXT, OPTION_AT(struct show_command, options.binary_path)},
	{CLI_KEYS(struct show_command, options.keys_path)},
	{CLI_SYMFS(struct show_command, search)},
	{CLI_PATH_PREFIX(struct show_command, search)},
	{CLI_NO_DEMANGLE(struct show_command, mangled)},
	{"json", 0, NULL, "Write JSON", OPTION_SWITCH, OPTION_AT(struct show_command, json)},
	{CLI_OLD_LETTER('j')},
	{"input-format", 0, "FORMAT",
	 "Override format detection: perf.data, perf-script, preagg, ranges, callgrind, fdata, gcov, "
	 "llvm-text, llvm-binary, llvm-extbinary or gcda",
	 OPTION_BY(cli_input_format, struct show_command, options.kind)},
	{0},
};

static const char doc[] =
	"Show what is in a recording or a profile of any format that softlbr reads, compressed (gz, "
	"zst, xz) or not, or in a directory of counters for gcc; - is standard input.\v"
	"Exit status: 0 good, 1 input or output failed, 2 usage, 3 bad input, 4 empty profile, "
	"6 wrong binary.\n\n"
	"Examples:\n"
	"  softlbr show perf.data\n"
	"  softlbr show --view lines,branches perf.data\n"
	"  softlbr show --view values,arguments perf.data\n"
	"  softlbr show --keys keys counters\n"
	"  softlbr show --binary app --source src app.gcov";

const struct option_table cli_show_options = {
	.rows = rows,
	.operands = "FILE",
	.doc = doc,
	.usage_status = SOFTLBR_E_USAGE,
	.take = show_take_file,
};

int cli_show(int argc, char **argv)
{
	struct show_command c = {.options = {.top = 20}};
	struct softlbr_error e = {0};
	struct document document;
	int rc;

	if (options_parse(&cli_show_options, argc, argv, &c))
		return SOFTLBR_E_SYSTEM;
	if (!c.options.path)
		c.options.path = CLI_RECORDING;
	c.options.search = &c.search;
	rc = TERMINAL_PROGRESS(&c.options.progress, c.options.path,
			       show_make(&document, &c.options, &e));
	/* what is empty, or of other builds, still has facts */
	if (!rc || e.code == SOFTLBR_E_EMPTY ||
	    (e.code == SOFTLBR_E_BINARY && !c.options.binary_path))
		cli_document_print(&document, c.json ? CLI_DOCUMENT_JSON : CLI_DOCUMENT_TEXT,
				   c.mangled, &e);
	document_deinit(&document);
	vector_deinit(&c.search.prefixes);
	if (e.code)
		terminal_print_error("show", &e);
	return e.code;
}
