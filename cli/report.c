/* SPDX-License-Identifier: MIT */
/* softlbr report: where a recorded program goes. */
#include <errno.h>
#include <stdlib.h>
#include <string.h>

#include "base/error.h"
#include "base/file.h"
#include "base/file_guard.h"
#include "base/file_output.h"
#include "base/vector.h"
#include "cli/cli.h"
#include "cli/terminal.h"
#include "formats/call_tree_formats.h"
#include "formats/model/call_tree.h"
#include "report/document.h"
#include "report/html/page.h"
#include "report/views/report.h"

/* The most rows of a table by default: of the summary, of a view that was asked for, of a page
 * (which shows 20 at first). */
enum { TOP_OF_FIRST_LOOK = 10, TOP_OF_VIEW = 20, TOP_OF_PAGE = 200 };
#define TOP_NOT_GIVEN SIZE_MAX

/* A call tree in a file for another tool. */
struct report_tree {
	unsigned format;
	const char *path;
};

struct report_trees {
	VECTOR(struct report_tree) list;
};

struct report_command {
	struct report_options options;
	const char *second; /* a recording to compare with; or NULL */
	struct debug_search search;
	enum cli_document_format format;
	const char *html;
	bool mangled, force, json, csv;
	struct report_trees trees;
};

/* ---- call trees, for other tools ----------------------------------------------------------- */

enum { FOLDED, SPEEDSCOPE, PPROF, FORMATS };

static const char *const tree_formats[] = {"folded", "speedscope", "pprof", NULL};

/* Folded stacks are lines of frames, a space, and a number. */
static bool is_folded(const struct file_guard_kind *kind, const uint8_t *data, size_t size)
{
	const uint8_t *end = memchr(data, '\n', size);
	size_t length = end ? (size_t)(end - data) : 0, digits = 0;

	(void)kind;
	while (digits < length && data[length - 1 - digits] >= '0' &&
	       data[length - 1 - digits] <= '9')
		digits++;
	return digits && digits < length && data[length - 1 - digits] == ' ';
}

static bool is_speedscope(const struct file_guard_kind *kind, const uint8_t *data, size_t size)
{
	static const char schema[] = "speedscope.app";

	(void)kind;
	return memmem(data, size < 256 ? size : 256, schema, sizeof(schema) - 1);
}

static const struct file_guard_kind tree_kinds[FORMATS] = {
	[FOLDED] = {.name = "folded stacks", .is = is_folded},
	[SPEEDSCOPE] = {.name = "a profile of speedscope", .is = is_speedscope},
	[PPROF] = {.name = "a profile of pprof", .is = pprof_is_file},
};

static int check_trees(const struct report_trees *o, struct file_guard *g, bool force,
		       struct softlbr_error *e)
{
	const struct report_tree *output;
	int rc = 0;

	vector_each (&o->list, output) {
		if (!rc)
			rc = file_guard_output(g, output->path, e);
		if (!rc && !force)
			rc = file_guard_replace(output->path, &tree_kinds[output->format], e);
	}
	return rc;
}

static int write_tree(unsigned format, const struct call_tree *t, const char *name, FILE *stream,
		      struct softlbr_error *e)
{
	switch (format) {
	case FOLDED:
		return folded_write(t, stream, e);
	case SPEEDSCOPE:
		return speedscope_write(t, name, stream, e);
	default:
		return pprof_write(t, stream, e);
	}
}

static int write_tree_files(const struct report_trees *o, const struct call_tree *t,
			    const char *name, struct file_outputs *files, struct softlbr_error *e)
{
	const struct report_tree *output;
	FILE *stream;
	int rc = 0;

	vector_each (&o->list, output) {
		if (!rc)
			rc = file_outputs_open(files, output->path, &stream, e);
		if (!rc)
			rc = write_tree(output->format, t, name, stream, e);
		if (!rc)
			rc = file_outputs_finish(files, e);
	}
	return rc;
}

/* ---- options ------------------------------------------------------------------------------- */

static const char *const groups[] = {
	[REPORT_BY_BRANCH] = "branch",
	[REPORT_BY_LINE] = "line",
	[REPORT_BY_FUNCTION] = "function",
	[REPORT_GROUPS] = "symbol", /* as perf says */
	NULL,
};

static error_t take_views(void *views, const struct option_row *o, char *text,
			  struct argp_state *state)
{
	const char *names[REPORT_VIEWS + 1];
	char *name;

	for (unsigned i = 0; i <= REPORT_VIEWS; i++)
		names[i] = report_view_name((enum report_view)i);
	while ((name = strsep(&text, ",")))
		*(unsigned *)views |= 1u << options_choice(o->name, names, name, state);
	return 0;
}

static error_t take_line(void *line, const struct option_row *o, char *text,
			 struct argp_state *state)
{
	char *colon = strrchr(text, ':'), *end = NULL;
	unsigned long number = colon ? strtoul(colon + 1, &end, 10) : 0;

	(void)o;
	if (!number || number > INT32_MAX || *end || colon == text)
		argp_error(state, "%s: give a line of source as FILE:LINE, as div.c:25", text);
	else
		*colon = '\0';
	*(struct report_line *)line = (struct report_line){text, (int32_t)number};
	return 0;
}

static error_t take_trace(void *trace, const struct option_row *o, char *text,
			  struct argp_state *state)
{
	char *end = NULL;
	unsigned long long number = strtoull(text, &end, 10);

	(void)o;
	if (!number || *end)
		argp_error(state, "%s: traces have numbers, from 1 on", text);
	*(uint64_t *)trace = number;
	return 0;
}

static error_t take_tree(void *trees, const struct option_row *o, char *text,
			 struct argp_state *state)
{
	char *format = strsep(&text, "=");

	if (!text || !*text)
		argp_error(state, "--to %s%s: give FORMAT=FILE: folded, speedscope or pprof",
			   format, text ? "=" : "");
	if (vector_add(&((struct report_trees *)trees)->list,
		       (struct report_tree){
			       (unsigned)options_choice(o->name, o->words, format, state), text}))
		return ENOMEM;
	return 0;
}

static error_t report_take_file(void *report, char *path, struct argp_state *state)
{
	struct report_command *c = report;

	if (c->second)
		argp_error(state, "%s: two recordings can be compared, not more", path);
	*(c->options.path ? &c->second : &c->options.path) = path;
	return 0;
}

static bool asks_for_views(const struct report_options *o)
{
	return o->views || o->before.file || o->after.file || o->trace;
}

static error_t report_end_options(void *report, struct argp_state *state)
{
	struct report_command *c = report;
	struct report_options *o = &c->options;

	if (c->second && c->trees.list.count)
		argp_error(state, "--to is of one recording, not of two");
	if (c->json && c->csv)
		argp_error(state, "give --json or --csv, not both");
	c->format = c->json ? CLI_DOCUMENT_JSON : c->csv ? CLI_DOCUMENT_CSV : CLI_DOCUMENT_TEXT;
	if (o->group == REPORT_GROUPS)
		o->group = REPORT_BY_FUNCTION;
	if (!o->path && c->html && !strcmp(c->html, CLI_RECORDING))
		argp_error(state,
			   "--html %s: that is the recording; give the page to write, as "
			   "--html=report.html",
			   c->html);
	if (!o->path)
		o->path = CLI_RECORDING;
	if (o->top == TOP_NOT_GIVEN)
		o->top = c->html	     ? TOP_OF_PAGE
			 : asks_for_views(o) ? TOP_OF_VIEW
					     : TOP_OF_FIRST_LOOK;
	if (c->html && !asks_for_views(o))
		o->views = (1u << REPORT_VIEWS) - 1;
	if (o->function && !asks_for_views(o))
		o->views = 1u << REPORT_SOURCE | 1u << REPORT_ASSEMBLY;
	o->mangled = c->mangled;
	return 0;
}

static const struct option_row rows[] = {
	{"view", 0, "VIEWS",
	 "What to report: summary (functions, modules, processes and threads by time), branches (the "
	 "hot ones), probability, misprediction, latency, paths (and "
	 "loops), stacks (of calls), source, assembly, events, graph (control flow of functions); "
	 "several with commas. Without: a summary, and the first rows of what says most; in a page all",
	 OPTION_BY(take_views, struct report_command, options.views)},
	{"group", 0, "branch|line|function",
	 "What is one row: a branch instruction (the default), a line of source, a function",
	 OPTION_CHOICE, OPTION_AT(struct report_command, options.group), .words = groups},
	{"before", 0, "FILE:LINE",
	 "What ran before that line of source: the blocks that led to it, as a tree, and the lines "
	 "since it ran last",
	 OPTION_BY(take_line, struct report_command, options.before)},
	{"after", 0, "FILE:LINE", "What ran after that line",
	 OPTION_BY(take_line, struct report_command, options.after)},
	{"trace", 0, "N", "The N-th trace of the recording as lines of source",
	 OPTION_BY(take_trace, struct report_command, options.trace)},
	{"to", 0, "FORMAT=FILE",
	 "Write the call tree to FILE for other tools: folded (flamegraph.pl), speedscope or pprof; "
	 "may be given several times. Nothing is printed without --view",
	 OPTION_BY(take_tree, struct report_command, trees), .words = tree_formats},
	{"force", 0, NULL,
	 "Report addresses where most of the recorded files are not here, and let --html and --to "
	 "replace files of other kinds",
	 OPTION_SWITCH, OPTION_AT(struct report_command, force)},
	{"function", 0, "NAME",
	 "Views of source and assembly: that function, not the three hottest", OPTION_TEXT,
	 OPTION_AT(struct report_command, options.function)},
	{"source", 0, "DIR",
	 "View of source: show the text of files below DIR, which are known by their base names",
	 OPTION_BY(cli_directory, struct report_command, options.source_directory)},
	{"top", 0, "N",
	 "At most N rows of each table (default 20, without --view 10, in a page 200); 0 for all",
	 OPTION_NUMBER, OPTION_AT(struct report_command, options.top)},
	{CLI_OLD_LETTER('n')},
	{"json", 0, NULL, "Write JSON", OPTION_SWITCH, OPTION_AT(struct report_command, json)},
	{CLI_OLD_LETTER('j')},
	{"csv", 0, NULL, "Write CSV", OPTION_SWITCH, OPTION_AT(struct report_command, csv)},
	{"html", 0, "FILE",
	 "Write a page instead: one HTML file that needs no other and no network", OPTION_TEXT,
	 OPTION_AT(struct report_command, html)},
	{"input", 'i', "FILE", "Report this file: the same as FILE alone (default perf.data)",
	 .kind = OPTION_OPERAND},
	{"binary", 'b', "FILE",
	 "Report this program or library alone: a file, or the name of a module of the recording "
	 "(libfoo.so); needed for texts that do not say their modules",
	 OPTION_TEXT, OPTION_AT(struct report_command, options.binary_path)},
	{"frequencies", 0, "METHOD",
	 "How branches are counted, as of `softlbr convert`: auto (default), raw, reweight or chain",
	 OPTION_CHOICE, OPTION_AT(struct report_command, options.frequencies),
	 .words = cli_frequencies},
	{CLI_SYMFS(struct report_command, search)},
	{CLI_PATH_PREFIX(struct report_command, search)},
	{CLI_NO_DEMANGLE(struct report_command, mangled)},
	{"input-format", 0, "FORMAT",
	 "Override format detection: perf.data, perf-script, preagg, ranges or callgrind",
	 OPTION_BY(cli_input_format, struct report_command, options.kind), .value = true},
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
	"  softlbr report --view=branches --group=function perf.data\n"
	"  softlbr report --view=probability --group=line --csv perf.data\n"
	"  softlbr report --view=misprediction --binary app perf.data\n"
	"  softlbr report --to folded=app.folded --to pprof=app.pb.gz perf.data\n"
	"  softlbr report --before=div.c:25 perf.data\n"
	"  softlbr report --view=branches --group=line before.data after.data\n"
	"  softlbr report --html=report.html perf.data";

const struct option_table cli_report_options = {
	.rows = rows,
	.operands = "FILE [FILE2]",
	.doc = doc,
	.usage_status = SOFTLBR_E_USAGE,
	.take = report_take_file,
	.end = report_end_options,
};

/* ---- the report ---------------------------------------------------------------------------- */

static int make_one(struct report_command *c, const char *path, size_t top,
		    struct document *document, struct softlbr_error *e)
{
	struct report_options o = c->options;

	o.path = path;
	o.top = top;
	o.by_addresses = c->force;
	return TERMINAL_PROGRESS(&o.progress, path, report_make(document, &o, e));
}

/* Outputs are checked before anything is read. */
static int report_guard_files(const struct report_command *c, struct softlbr_error *e)
{
	struct file_guard guard = {0};
	int rc = file_guard_input(&guard, c->options.path, e)
	       ?: file_guard_input(&guard, c->second, e)
	       ?: file_guard_input(&guard, c->options.binary_path, e)
	       ?: file_guard_output(&guard, c->html, e);

	if (!rc && !c->force)
		rc = file_guard_replace(c->html, &page_kind, e);
	if (!rc)
		rc = check_trees(&c->trees, &guard, c->force, e);
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
	rc = make_one(c, c->options.path, 0, &first, e) ?: make_one(c, c->second, 0, &second, e);
	if (!rc)
		document_compare(document, &first, &second, c->options.top);
	document_deinit(&first);
	document_deinit(&second);
	return rc;
}

/* Without known branches in its traces, a recording has no call tree. */
static int write_trees(const struct report_command *c, const struct call_tree *t,
		       struct file_outputs *files, struct softlbr_error *e)
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
	return write_tree_files(&c->trees, t, file_base_name(path), files, e);
}

static int write_document(const struct report_command *c, const struct document *document,
			  const struct call_tree *calls, struct file_outputs *files,
			  struct softlbr_error *e)
{
	char title[512];

	if (c->html) {
		snprintf(title, sizeof(title), "softlbr report: %s",
			 file_base_name(c->options.path));
		return cli_document_save_page(document, title, calls, c->html, c->mangled, files,
					      e);
	}
	if (c->trees.list.count && !c->options.views)
		return 0;
	return cli_document_print(document, c->format, c->mangled, e);
}

/* The first lines of the text say it. What is written for programs is read by nobody at once, and
 * what other tools show does not have it. */
static void print_warnings(const struct report_command *c, const struct document *document)
{
	const bool text = !c->html && c->format == CLI_DOCUMENT_TEXT &&
			  (c->options.views || !c->trees.list.count);
	const char *warning = document_fact_find(document, "warning");
	const char *verdict = document_fact_find(document, "verdict");
	const char *why = document_fact_find(document, "why");

	if (text)
		return;
	if (warning)
		fprintf(stderr, "softlbr report: warning: %s\n", warning);
	if (verdict && strcmp(verdict, "good") != 0)
		fprintf(stderr, "profile: %s%s%s\n", verdict, why ? ": " : "", why ? why : "");
}

int cli_report(int argc, char **argv)
{
	struct report_command c = {
		.options = {.frequencies = FREQUENCIES_AUTO, .top = TOP_NOT_GIVEN}};
	struct call_tree tree = {0};
	struct softlbr_error e = {0};
	struct document document = {0};
	struct file_outputs files = {0};
	int rc;

	if (options_parse(&cli_report_options, argc, argv, &c))
		return SOFTLBR_E_SYSTEM;
	file_temporaries_remove_on_signals();
	if (c.trees.list.count || (c.html && !c.second && c.options.views >> REPORT_STACKS & 1))
		c.options.tree = &tree;
	rc = report_guard_files(&c, &e)
	       ?: make_document(&c, &document, &e)
	       ?: write_trees(&c, &tree, &files, &e)
	       ?: write_document(&c, &document, &tree, &files, &e)
	       ?: file_outputs_commit(&files, &e);
	file_outputs_abandon(&files);
	call_tree_deinit(&tree);
	vector_deinit(&c.search.prefixes);
	if (rc)
		terminal_print_error("report", &e);
	else
		print_warnings(&c, &document);
	vector_deinit(&c.trees.list);
	document_deinit(&document);
	return e.code;
}
