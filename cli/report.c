/* SPDX-License-Identifier: MIT */
/* softlbr report: where a recorded program goes. */
#include <argp.h>
#include <stdlib.h>
#include <string.h>

#include "base/error.h"
#include "base/file.h"
#include "base/file_guard.h"
#include "base/file_output.h"
#include "base/memory.h"
#include "cli/cli.h"
#include "cli/document_output.h"
#include "cli/progress.h"
#include "cli/report_trees.h"
#include "report/document.h"
#include "report/html/page.h"
#include "report/views/report.h"

enum {
	OPTION_INPUT_FORMAT = 0x100,
	OPTION_VIEW,
	OPTION_GROUP,
	OPTION_BEFORE,
	OPTION_AFTER,
	OPTION_TRACE,
	OPTION_TO,
	OPTION_FORCE,
	OPTION_FUNCTION,
	OPTION_SOURCE,
	OPTION_FREQUENCIES,
	OPTION_CSV,
	OPTION_HTML,
	OPTION_SYMFS,
	OPTION_PATH_PREFIX,
	OPTION_NO_DEMANGLE
};

/* Rows of a table: of the first look, of a view that was asked for, of a page, which shows 20 at
 * first. */
enum { TOP_OF_FIRST_LOOK = 10, TOP_OF_VIEW = 20, TOP_OF_PAGE = 200 };

struct report_command {
	struct report_options options;
	const char *second; /* a recording to compare with; or NULL */
	struct debug_search search;
	enum cli_document_format format;
	const char *html;
	bool mangled, has_top, force;
	struct cli_tree_outputs trees;
};

static const struct argp_option options[] = {
	{"view", OPTION_VIEW, "VIEWS", 0,
	 "What to report: branches (the hot ones), probability, misprediction, latency, paths (and "
	 "loops), stacks (of calls), source, assembly, events, graph (control flow of functions); "
	 "several with commas. Without: a summary, and the first rows of what says most; in a page all",
	 0},
	{"group", OPTION_GROUP, "branch|line|symbol", 0,
	 "What is one row: a branch instruction (the default), a line of source, a function", 0},
	{"before", OPTION_BEFORE, "FILE:LINE", 0,
	 "What ran before that line of source: the blocks that led to it, as a tree, and the lines "
	 "since it ran last",
	 0},
	{"after", OPTION_AFTER, "FILE:LINE", 0, "What ran after that line", 0},
	{"trace", OPTION_TRACE, "N", 0, "The N-th trace of the recording as lines of source", 0},
	{"to", OPTION_TO, "FORMAT=FILE", 0,
	 "Write the call tree to FILE for other tools: folded (flamegraph.pl), speedscope or pprof; "
	 "may be given several times. Nothing is printed without --view",
	 0},
	{"force", OPTION_FORCE, NULL, 0, "Let --html and --to replace files of other kinds", 0},
	{"function", OPTION_FUNCTION, "NAME", 0,
	 "Views of source and assembly: that function, not the three hottest", 0},
	{"source", OPTION_SOURCE, "DIR", 0,
	 "View of source: show the text of files below DIR, which are known by their base names",
	 0},
	{"top", 'n', "N", 0,
	 "At most N rows of each table (default 20, without --view 10, in a page 200); 0 for all",
	 0},
	{"json", 'j', NULL, 0, "Write JSON", 0},
	{"csv", OPTION_CSV, NULL, 0, "Write CSV", 0},
	{"html", OPTION_HTML, "FILE", 0,
	 "Write a page instead: one HTML file that needs no other and no network", 0},
	{"input", 'i', "FILE", 0, "Report this file: the same as FILE alone (default perf.data)",
	 0},
	{"binary", 'b', "FILE", 0,
	 "Report this program or library alone: a file, or the name of a module of the recording "
	 "(libfoo.so); needed for texts that do not say their modules",
	 0},
	{"frequencies", OPTION_FREQUENCIES, "METHOD", 0,
	 "How branches are counted, as of `softlbr convert`: auto (default), raw, reweight or chain",
	 0},
	{"symfs", OPTION_SYMFS, "DIR", 0,
	 "Look for binaries and debug files below DIR as if it were /, before looking in place", 0},
	{"path-prefix", OPTION_PATH_PREFIX, "OLD=NEW", 0,
	 "Look for debug files (.dwo, .dwp, those of dwz) whose path begins with OLD under NEW first; may "
	 "be given several times",
	 0},
	{"no-demangle", OPTION_NO_DEMANGLE, NULL, 0,
	 "Show names of C++ and Rust as the linker has them", 0},
	{"input-format", OPTION_INPUT_FORMAT, "FORMAT", 0,
	 "Override format detection: perf.data, perf-script, preagg, ranges or callgrind", 0},
	{0},
};

static const char doc[] =
	"Report where a recorded program goes: which branches are hot, how probable they are, which "
	"the CPU mispredicts, how long blocks take. FILE is a recording of softlbr or perf, or its text; - is standard "
	"input. With FILE2 each table has both recordings' values, and the rows that changed most come first.\v"
	"Exit status: 0 good, 1 input or output failed, 2 usage, 3 bad input, 4 no branches, "
	"6 wrong binary.\n\n"
	"Examples:\n"
	"  softlbr report perf.data\n"
	"  softlbr report --view=branches --group=symbol perf.data\n"
	"  softlbr report --view=probability --group=line --csv perf.data\n"
	"  softlbr report --view=misprediction --binary app perf.data\n"
	"  softlbr report --to folded=app.folded --to pprof=app.pb.gz perf.data\n"
	"  softlbr report --before=div.c:25 perf.data\n"
	"  softlbr report --view=branches --group=line before.data after.data\n"
	"  softlbr report --html=report.html perf.data";

static unsigned parse_views(const char *list, struct argp_state *state)
{
	const char *names[REPORT_VIEWS + 1];
	unsigned views = 0;
	char *copy = memory_copy_string(list), *rest = copy, *name;

	for (unsigned i = 0; i <= REPORT_VIEWS; i++)
		names[i] = report_view_name((enum report_view)i);
	while (copy && (name = strsep(&rest, ",")))
		views |= 1u << cli_choice("view", names, name, state);
	memory_free(copy);
	return views;
}

static enum report_group parse_group(const char *text, struct argp_state *state)
{
	static const char *const names[] = {
		[REPORT_BY_BRANCH] = "branch",
		[REPORT_BY_LINE] = "line",
		[REPORT_BY_SYMBOL] = "symbol",
		NULL,
	};

	return (enum report_group)cli_choice("group", names, text, state);
}

static struct report_line parse_line(char *text, struct argp_state *state)
{
	char *colon = strrchr(text, ':'), *end = NULL;
	unsigned long line = colon ? strtoul(colon + 1, &end, 10) : 0;

	if (!line || line > INT32_MAX || *end || colon == text)
		argp_error(state, "%s: give a line of source as FILE:LINE, as div.c:25", text);
	else
		*colon = '\0';
	return (struct report_line){text, (int32_t)line};
}

static uint64_t parse_trace(const char *text, struct argp_state *state)
{
	char *end = NULL;
	unsigned long long number = strtoull(text, &end, 10);

	if (!number || *end)
		argp_error(state, "%s: traces have numbers, from 1 on", text);
	return number;
}

static bool asks_for_views(const struct report_options *o)
{
	return o->views || o->before.file || o->after.file || o->trace;
}

static void finish(struct report_command *c, struct argp_state *state)
{
	if (c->second && c->trees.list.count)
		argp_error(state, "--to is of one recording, not of two");
	if (!c->options.path)
		c->options.path = CLI_RECORDING;
	if (!c->has_top)
		c->options.top = c->html		       ? TOP_OF_PAGE
				 : asks_for_views(&c->options) ? TOP_OF_VIEW
							       : TOP_OF_FIRST_LOOK;
	if (c->html && !asks_for_views(&c->options))
		c->options.views = (1u << REPORT_VIEWS) - 1;
}

static error_t parse_option(int key, char *arg, struct argp_state *state)
{
	struct report_command *c = state->input;
	struct report_options *o = &c->options;

	switch (key) {
	case OPTION_VIEW:
		o->views |= parse_views(arg, state);
		break;
	case OPTION_GROUP:
		o->group = parse_group(arg, state);
		break;
	case OPTION_BEFORE:
		o->before = parse_line(arg, state);
		break;
	case OPTION_AFTER:
		o->after = parse_line(arg, state);
		break;
	case OPTION_TO:
		cli_tree_output_add(&c->trees, arg, state);
		break;
	case OPTION_FORCE:
		c->force = true;
		break;
	case OPTION_TRACE:
		o->trace = parse_trace(arg, state);
		break;
	case OPTION_FUNCTION:
		o->function = arg;
		break;
	case OPTION_SOURCE:
		o->source_directory = arg;
		break;
	case OPTION_FREQUENCIES:
		o->frequencies = cli_frequencies(arg, state);
		break;
	case 'n':
		o->top = cli_rows(arg, state);
		c->has_top = true;
		break;
	case 'j':
		c->format = CLI_DOCUMENT_JSON;
		break;
	case OPTION_CSV:
		c->format = CLI_DOCUMENT_CSV;
		break;
	case OPTION_HTML:
		c->html = arg;
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
		c->mangled = o->mangled = true;
		break;
	case OPTION_INPUT_FORMAT:
		o->kind = cli_input_format(arg, profile_kind_is_recording, state);
		break;
	case 'i':
	case ARGP_KEY_ARG:
		if (c->second)
			argp_error(state, "%s: two recordings can be compared, not more", arg);
		*(o->path ? &c->second : &o->path) = arg;
		break;
	case ARGP_KEY_END:
		finish(c, state);
		break;
	default:
		return ARGP_ERR_UNKNOWN;
	}
	return 0;
}

const struct argp cli_report_argp = {options, parse_option, "FILE [FILE2]", doc, NULL, NULL, NULL};

static int make_one(struct report_command *c, const char *path, size_t top,
		    struct document *document, struct softlbr_error *e)
{
	struct report_options o = c->options;
	struct progress progress;
	int rc;

	o.path = path;
	o.top = top;
	progress_begin(&progress, path);
	o.progress = progress_calls(&progress);
	rc = report_make(document, &o, e);
	progress_end(&progress);
	return rc;
}

/* Before anything is read. */
static int check_files(const struct report_command *c, struct softlbr_error *e)
{
	struct file_guard guard = {0};
	int rc = file_guard_input(&guard, c->options.path, e);

	if (!rc)
		rc = file_guard_input(&guard, c->second, e);
	if (!rc)
		rc = file_guard_input(&guard, c->options.binary_path, e);
	if (!rc)
		rc = file_guard_output(&guard, c->html, e);
	if (!rc && !c->force)
		rc = file_guard_replace(c->html, &page_kind, e);
	if (!rc)
		rc = cli_tree_outputs_check(&c->trees, &guard, c->force, e);
	file_guard_deinit(&guard);
	return rc;
}

/* @document is to be ended also after an error. */
static int make_document(struct report_command *c, struct document *document,
			 struct softlbr_error *e)
{
	struct document first = {0}, second = {0};
	int rc;

	c->options.search = &c->search;
	if (!c->second)
		return make_one(c, c->options.path, c->options.top, document, e);
	rc = make_one(c, c->options.path, 0, &first, e);
	if (!rc)
		rc = make_one(c, c->second, 0, &second, e);
	if (!rc)
		document_compare(document, &first, &second, c->options.top);
	document_deinit(&first);
	document_deinit(&second);
	return rc;
}

/* Of a recording whose traces have no branches that are known there is no tree. */
static int write_trees(const struct report_command *c, const struct call_tree *t,
		       struct softlbr_error *e)
{
	const char *path = c->options.path;

	if (!c->trees.list.count)
		return 0;
	if (!t->nodes.count || !t->nodes.items[CALL_TREE_TOP].total)
		return error_set(
			e, SOFTLBR_E_EMPTY, path,
			"%s has no traces to rebuild call stacks from, or its event leaves "
			"branches out: record with softlbr record, or perf record -b",
			path);
	return cli_tree_outputs_write(&c->trees, t, file_base_name(path), e);
}

static int write_document(const struct report_command *c, const struct document *document,
			  const struct call_tree *calls, struct softlbr_error *e)
{
	char title[512];

	if (c->html) {
		snprintf(title, sizeof(title), "softlbr report: %s",
			 file_base_name(c->options.path));
		return cli_document_save_page(document, title, calls, c->html, c->mangled, e);
	}
	if (c->trees.list.count && !c->options.views)
		return 0;
	return cli_document_print(document, c->format, c->mangled, e);
}

int cli_report(int argc, char **argv)
{
	struct report_command c = {.options.frequencies = FREQUENCIES_AUTO};
	struct call_tree tree = {0};
	struct softlbr_error e = {0};
	struct document document = {0};
	int rc;

	if (cli_parse(&cli_report_argp, argc, argv, CLI_OPERANDS_ANYWHERE, SOFTLBR_E_USAGE, &c))
		return SOFTLBR_E_SYSTEM;
	file_temporaries_remove_on_signals();
	if (c.trees.list.count || (c.html && !c.second && c.options.views >> REPORT_STACKS & 1))
		c.options.tree = &tree;
	rc = check_files(&c, &e);
	if (!rc)
		rc = make_document(&c, &document, &e);
	if (!rc)
		rc = write_trees(&c, &tree, &e);
	if (!rc)
		rc = write_document(&c, &document, &tree, &e);
	document_deinit(&document);
	call_tree_deinit(&tree);
	vector_deinit(&c.search.prefixes);
	vector_deinit(&c.trees.list);
	if (rc)
		cli_print_error("report", &e);
	return e.code;
}
