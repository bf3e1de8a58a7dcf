/* SPDX-License-Identifier: MIT */
/* softlbr show: what is in a profile or a recording. */
#include <argp.h>
#include <stdio.h>
#include <string.h>

#include "base/error.h"
#include "base/memory.h"
#include "cli/cli.h"
#include "cli/progress.h"
#include "cli/document_output.h"
#include "report/show.h"

enum {
	OPTION_INPUT_FORMAT = 0x100,
	OPTION_BY,
	OPTION_FUNCTION,
	OPTION_SOURCE,
	OPTION_SYMFS,
	OPTION_PATH_PREFIX,
	OPTION_NO_DEMANGLE
};

struct show_command {
	struct show_options options;
	struct debug_search search;
	bool json, mangled;
};

static const struct argp_option options[] = {
	{"by", OPTION_BY, "WHAT", 0,
	 "Show functions, lines, calls, branches, ranges, modules, values (of sizes, divisors and "
	 "indirect calls) or arguments; several with commas. Without: "
	 "what says most of the file",
	 0},
	{"top", 'n', "N", 0, "At most N rows of each table (default 20); 0 for all", 0},
	{"function", OPTION_FUNCTION, "NAME", 0,
	 "Show all counts of this function, with what is inlined into it", 0},
	{"source", OPTION_SOURCE, "DIR", 0,
	 "Show the source that ran, with counts, of the files found below DIR", 0},
	{"input", 'i', "FILE", 0, "Show this file: the same as FILE alone (default perf.data)", 0},
	{"binary", 'b', "FILE", 0,
	 "Show this program or library alone: a file, or the name of a module of the recording "
	 "(libfoo.so); needed for functions and lines of addresses, and for absolute lines of "
	 "profiles",
	 0},
	{"symfs", OPTION_SYMFS, "DIR", 0,
	 "Look for binaries and debug files below DIR as if it were /, before looking in place", 0},
	{"path-prefix", OPTION_PATH_PREFIX, "OLD=NEW", 0,
	 "Look for debug files (.dwo, .dwp, those of dwz) whose path begins with OLD under NEW first; may "
	 "be given several times",
	 0},
	{"no-demangle", OPTION_NO_DEMANGLE, NULL, 0,
	 "Show names of C++ and Rust as the linker has them", 0},
	{"json", 'j', NULL, 0, "Write JSON", 0},
	{"input-format", OPTION_INPUT_FORMAT, "FORMAT", 0,
	 "Override format detection: perf.data, perf-script, preagg, ranges, callgrind, fdata, gcov, "
	 "llvm-text, llvm-binary, llvm-extbinary or gcda",
	 0},
	{0},
};

static const char doc[] =
	"Show what is in a recording or a profile of any format that softlbr reads, compressed (gz, "
	"zst, xz) or not; - is standard input.\v"
	"Exit status: 0 good, 1 input or output failed, 2 usage, 3 bad input, 4 empty profile, "
	"6 wrong binary.\n\n"
	"Examples:\n"
	"  softlbr show perf.data\n"
	"  softlbr show --by lines,branches perf.data\n"
	"  softlbr show --by values,arguments perf.data\n"
	"  softlbr show app.gcda\n"
	"  softlbr show --binary app --source src app.gcov";

static unsigned parse_sections(const char *list, struct argp_state *state)
{
	unsigned sections = 0;

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
				   "--by=%.*s: expected functions, lines, calls, branches, ranges, "
				   "modules, values or arguments",
				   (int)length, list);
		sections |= 1u << i;
		if (!list[length])
			return sections;
		list += length + 1;
	}
}

static error_t parse_option(int key, char *arg, struct argp_state *state)
{
	struct show_command *c = state->input;
	struct show_options *o = &c->options;

	switch (key) {
	case OPTION_BY:
		o->sections |= parse_sections(arg, state);
		break;
	case 'n':
		o->top = cli_rows(arg, state);
		break;
	case OPTION_FUNCTION:
		o->function = arg;
		break;
	case OPTION_SOURCE:
		o->source_directory = arg;
		break;
	case 'b':
		o->binary_path = arg;
		break;
	case OPTION_SYMFS:
		c->search.symfs = arg;
		break;
	case OPTION_PATH_PREFIX:
		return cli_path_prefix(&c->search, arg, state);
	case OPTION_NO_DEMANGLE:
		c->mangled = true;
		break;
	case 'j':
		c->json = true;
		break;
	case OPTION_INPUT_FORMAT:
		o->kind = cli_input_format(arg, NULL, state);
		break;
	case 'i':
	case ARGP_KEY_ARG:
		if (o->path)
			argp_error(state, "%s: one file at a time", arg);
		o->path = arg;
		break;
	case ARGP_KEY_END:
		if (!o->path)
			o->path = CLI_RECORDING;
		break;
	default:
		return ARGP_ERR_UNKNOWN;
	}
	return 0;
}

const struct argp cli_show_argp = {options, parse_option, "FILE", doc, NULL, NULL, NULL};

int cli_show(int argc, char **argv)
{
	struct show_command c = {.options = {.top = 20}};
	struct softlbr_error e = {0};
	struct progress progress;
	struct document document;
	int rc;

	if (cli_parse(&cli_show_argp, argc, argv, CLI_OPERANDS_ANYWHERE, SOFTLBR_E_USAGE, &c))
		return SOFTLBR_E_SYSTEM;
	c.options.search = &c.search;
	progress_begin(&progress, c.options.path);
	c.options.progress = progress_calls(&progress);
	rc = show_make(&document, &c.options, &e);
	progress_end(&progress);
	/* what is empty still has facts */
	if (!rc || e.code == SOFTLBR_E_EMPTY)
		cli_document_print(&document, c.json ? CLI_DOCUMENT_JSON : CLI_DOCUMENT_TEXT,
				   c.mangled, &e);
	document_deinit(&document);
	vector_deinit(&c.search.prefixes);
	if (e.code)
		cli_print_error("show", &e);
	return e.code;
}
