/* SPDX-License-Identifier: MIT */
/* softlbr update: the profile of older sources for newer ones. */
#include <stdio.h>
#include <string.h>

#include "base/error.h"
#include "base/file_guard.h"
#include "base/file_output.h"
#include "cli/cli.h"
#include "cli/terminal.h"
#include "converter/gcc/files/counter_directory.h"
#include "report/demangle.h"
#include "report/update_report.h"
#include "converter/update/update.h"

struct update_command {
	struct update_options options;
	const char *output;
	double max_lost; /* per cent */
	size_t top;
	bool json, mangled;
};

static error_t update_take_file(void *update, char *path, struct argp_state *state)
{
	struct update_command *c = update;

	if (c->options.profile_path)
		argp_error(state, "%s: there is a profile already", path);
	c->options.profile_path = path;
	return 0;
}

static error_t update_end_options(void *update, struct argp_state *state)
{
	const struct update_command *c = update;
	const struct update_options *o = &c->options;

	if (!o->profile_path || !c->output)
		argp_error(state, "a profile and --output are needed");
	if (!strcmp(c->output, "-") && c->json)
		argp_error(state, "--json: the profile itself goes to standard output");
	if (o->diff_path && !o->old_source == !o->new_source)
		argp_error(state, "--diff: give it with one of --old-source and --new-source");
	if (!o->new_keys && !o->diff_path && !o->old_source != !o->new_source)
		argp_error(state, "--old-source and --new-source are needed, or --diff and one of "
				  "them");
	return 0;
}

static const struct option_row rows[] = {
	{"output", 'o', "FILE", "Write the new profile here; - is standard output", OPTION_TEXT,
	 OPTION_AT(struct update_command, output)},
	{"old-source", 0, "DIR", "The sources that the recorded program was built from",
	 OPTION_BY(cli_directory, struct update_command, options.old_source)},
	{"new-source", 0, "DIR", "The sources that the new profile is for",
	 OPTION_BY(cli_directory, struct update_command, options.new_source)},
	{"diff", 0, "FILE",
	 "Instead of one of the two: a unified diff from the older to the newer sources (git diff)",
	 OPTION_TEXT, OPTION_AT(struct update_command, options.diff_path)},
	{"old-binary", 0, "FILE",
	 "The recorded program: its debug information says where functions are that macros define; "
	 "of fdata its code is compared",
	 OPTION_TEXT, OPTION_AT(struct update_command, options.old_binary)},
	{"new-binary", 0, "FILE",
	 "A build of the newer sources with -g: it says what C++ functions are called whose "
	 "parameters changed; of fdata its code is compared",
	 OPTION_TEXT, OPTION_AT(struct update_command, options.new_binary)},
	{"old-keys", 0, "DIR",
	 "Counters for gcc (gcda): the keys that they were made with; without, those that their note names",
	 OPTION_TEXT, OPTION_AT(struct update_command, options.old_keys)},
	{"new-keys", 0, "DIR",
	 "Counters for gcc: the keys of a build of the newer sources (softlbr gcc-keys), in place of "
	 "sources",
	 OPTION_TEXT, OPTION_AT(struct update_command, options.new_keys)},
	{"max-lost", 0, "PERCENT",
	 "Exit with status 5 if more of the counts than this are lost (default 20)", OPTION_REAL,
	 OPTION_AT(struct update_command, max_lost), .most = 100},
	{"top", 0, "N", "List N functions that lost counts (default 10; 0: all)", OPTION_NUMBER,
	 OPTION_AT(struct update_command, top)},
	{"json", 0, NULL, "Write what became of the profile as JSON", OPTION_SWITCH,
	 OPTION_AT(struct update_command, json)},
	{CLI_NO_DEMANGLE(struct update_command, mangled)},
	{"force", 0, NULL,
	 "Write the profile even if nothing of it is found in the sources, or over a file of another format",
	 OPTION_SWITCH, OPTION_AT(struct update_command, options.force)},
	{0},
};

const struct option_table cli_update_options = {
	.rows = rows,
	.operands = "PROFILE",
	.doc = "Make the profile of an older version of a program's C or C++ sources one of a newer version: gcov, "
	       "LLVM's (text, binary, extensible binary), counters for gcc, or fdata. Lines are followed by what stands on them, "
	       "functions by their names or by what is in them.\v"
	       "Exit status: 0 good, 1 input or output failed, 2 usage, 3 bad input, 4 nothing left, "
	       "5 more lost than --max-lost, 6 other sources than the profile's.\n\n"
	       "Example: softlbr update --old-source app-1.0 --new-source app-1.1 -o new.gcov old.gcov",
	.usage_status = SOFTLBR_E_USAGE,
	.take = update_take_file,
	.end = update_end_options,
};

/* Before anything is read: the new profile is not written over an input. */
static int update_guard_files(const struct update_command *c, struct softlbr_error *e)
{
	const char *inputs[] = {c->options.profile_path, c->options.diff_path,
				c->options.old_binary, c->options.new_binary};
	struct file_guard guard = {0};
	int rc = 0;

	for (size_t i = 0; !rc && i < sizeof(inputs) / sizeof(*inputs); i++)
		rc = file_guard_input(&guard, inputs[i], e);
	if (!counter_directory_is(c->options.profile_path))
		rc = rc ?: file_guard_output(&guard, c->output, e);
	file_guard_deinit(&guard);
	return rc;
}

/* What became of the profile; not where the profile itself goes to standard output. */
static int print_report(void *command, const struct update *u, struct softlbr_error *e)
{
	const struct update_command *c = command;
	struct document document;
	int rc;

	if (!strcmp(c->output, "-"))
		return 0;
	update_report_fill(u, c->top, &document);
	rc = cli_document_print(&document, c->json ? CLI_DOCUMENT_JSON : CLI_DOCUMENT_TEXT,
				c->mangled, e);
	document_deinit(&document);
	return rc;
}

int cli_update(int argc, char **argv)
{
	struct update_command c = {.max_lost = 20,
				   .top = 10,
				   .options = {.demangle = demangle_name, .tell = print_report}};
	struct softlbr_error e = {0};
	struct update u = {0};

	if (options_parse(&cli_update_options, argc, argv, &c))
		return SOFTLBR_E_SYSTEM;
	file_temporaries_remove_on_signals();
	c.options.max_lost = c.max_lost / 100;
	c.options.context = &c;
	if (update_guard_files(&c, &e) || update_file(&u, &c.options, c.output, &e))
		terminal_print_error("update", &e);
	update_deinit(&u);
	return e.code;
}
