/* SPDX-License-Identifier: MIT */
/* softlbr merge: profiles of one kind, or recordings of one binary, to one file. */
#include <assert.h>
#include <errno.h>
#include <stdio.h>
#include <string.h>

#include "base/error.h"
#include "base/file_guard.h"
#include "base/file_output.h"
#include "base/printable.h"
#include "base/vector.h"
#include "cli/cli.h"
#include "cli/terminal.h"
#include "converter/elf/debug_search.h"
#include "converter/gcc/files/counter_directory.h"
#include "converter/pipeline/merge.h"

struct merge {
	const char *output;
	struct merge_options options;
	struct debug_search search;
	uint64_t weight; /* of the files that follow */
	bool subtracts, force;
	VECTOR(struct merge_input) inputs;
	struct file_guard guard;
};

static error_t merge_take_file(void *merge, char *path, struct argp_state *state)
{
	struct merge *m = merge;

	(void)state;
	if (vector_add(&m->inputs, (struct merge_input){.path = path, .weight = m->weight}))
		return ENOMEM;
	return 0;
}

static error_t take_profile(void *merge, const struct option_row *o, char *text,
			    struct argp_state *state)
{
	struct merge *m = merge;
	struct merge_input *input = vector_push(&m->inputs);

	(void)o;
	if (!input)
		return ENOMEM;
	*input = (struct merge_input){.path = text, .weight = 1};
	input->subtracted = cli_weighted_file(text, &input->weight, state);
	m->subtracts |= input->subtracted;
	return 0;
}

static error_t take_form(void *merge, const struct option_row *o, char *text,
			 struct argp_state *state)
{
	struct merge *m = merge;

	m->options.to = PROFILE_LLVM_TEXT + options_choice(o->name, o->words, text, state);
	return 0;
}

static error_t merge_end_options(void *merge, struct argp_state *state)
{
	struct merge *m = merge;

	if (!m->output || !m->inputs.count)
		argp_error(state, "files to merge and --output are needed");
	m->options.keep_others = !m->force;
	return 0;
}

static const char *const forms[] = {"llvm-text", "llvm-binary", "llvm-extbinary", NULL};
static_assert(PROFILE_LLVM_EXTBINARY == PROFILE_LLVM_TEXT + 2, "must match forms");

static const struct option_row rows[] = {
	{"output", 'o', "FILE",
	 "Write the merged profile here; - is standard output; of directories of counters, a directory",
	 OPTION_TEXT, OPTION_AT(struct merge, output)},
	{"profile", 'i', "FILE[,WEIGHT]",
	 "A file, its counts multiplied by WEIGHT (default 1). The counts of a recording or of a text of "
	 "branches with a negative weight are subtracted; none falls below 0",
	 OPTION_CALL, .call = take_profile},
	{CLI_OLD_LETTER('p')},
	{"weight", 'w', "N", "Multiply the counts of the files that follow by N", OPTION_NUMBER,
	 OPTION_AT(struct merge, weight), .least = 1, .most = UINT32_MAX},
	{"to", 0, "llvm-text|llvm-binary|llvm-extbinary",
	 "LLVM profiles: the form of the result (default: theirs)", OPTION_CALL, .call = take_form,
	 .words = forms},
	{CLI_OLD_LETTER('t')},
	{"binary", 'b', "FILE",
	 "Recordings are merged into pre-aggregated records of this program or library, a file or "
	 "the name of a module of theirs (libfoo.so); without, the recorded program, found by its "
	 "path and build-id. Of fdata, names are made those of this program",
	 OPTION_TEXT, OPTION_AT(struct merge, options.binary_path)},
	{CLI_KEYS(struct merge, options.keys_path)},
	{CLI_SYMFS(struct merge, search)},
	{"input-format", 0, "FORMAT",
	 "Override format detection: perf.data, perf-script, preagg, ranges, callgrind, fdata, gcov, "
	 "llvm-text, llvm-binary, llvm-extbinary or gcda",
	 OPTION_BY(cli_input_format, struct merge, options.kind)},
	{"force", 0, NULL, "Overwrite the output even if it is of another format", OPTION_SWITCH,
	 OPTION_AT(struct merge, force)},
	{0},
};

static const char doc[] =
	"Merge profiles of one kind: gcov, LLVM's (text, binary, extensible binary), fdata, "
	"pre-aggregated records, gcda (files, or directories of them); or recordings and, with --binary, texts of branches. The result does "
	"not depend on their order. LLVM profiles of several forms are merged to text, or as --to says.\v"
	"Exit status: 0 good, 1 input or output failed, 2 usage, 3 bad input or mixed kinds, 6 wrong binary.";

const struct option_table cli_merge_options = {
	.rows = rows,
	.operands = "FILE...",
	.doc = doc,
	.order = OPTION_OPERANDS_IN_ORDER, /* a weight is that of the files behind it */
	.usage_status = SOFTLBR_E_USAGE,
	.take = merge_take_file,
	.end = merge_end_options,
};

static void tell(const char *path, const struct aggregate_damage *damage)
{
	terminal_print_damage("merge", path, damage);
}

/* Before anything is read: the result is not written over an input. */
static int merge_guard_files(struct merge *m, struct softlbr_error *e)
{
	const struct merge_input *input;
	int rc = file_guard_input(&m->guard, m->options.binary_path, e);

	vector_each (&m->inputs, input)
		if (!rc)
			rc = file_guard_input(&m->guard, input->path, e);
	if (rc || !counter_directory_is(m->inputs.items[0].path))
		return rc ?: file_guard_output(&m->guard, m->output, e);
	if (!strcmp(m->output, "-"))
		return error_set(e, SOFTLBR_E_USAGE, m->output,
				 "the sum of directories is a directory, not standard output: give "
				 "-o DIR");
	/* one that is there is checked when it is written */
	return counter_directory_is(m->output) ? 0 : file_guard_output(&m->guard, m->output, e);
}

/* The binary that the recordings named is told, and not written over. */
static int take_program(void *merge, const struct recorded_program *p, struct softlbr_error *e)
{
	struct merge *m = merge;
	int rc = file_guard_input(&m->guard, p->path, e);

	if (!rc)
		fprintf(stderr, "binary: %s (%.1f %% of the %s)\n", PRINTABLE(p->path),
			100 * p->share, p->unit);
	return rc;
}

static int merge(struct merge *m, struct softlbr_error *e)
{
	struct branch_profile_clamped clamped = {0};
	int rc;

	m->options.clamped = &clamped;
	rc = TERMINAL_PROGRESS(
		&m->options.progress, "reading",
		merge_files(m->inputs.items, m->inputs.count, &m->options, m->output, e));
	if (!rc && m->subtracts)
		terminal_print_clamped(&clamped);
	return rc;
}

int cli_merge(int argc, char **argv)
{
	struct merge m = {.weight = 1, .options = {.tell = tell}};
	struct softlbr_error e = {0};

	if (options_parse(&cli_merge_options, argc, argv, &m))
		return SOFTLBR_E_SYSTEM;
	file_temporaries_remove_on_signals();
	m.options.search = &m.search;
	m.options.found = take_program;
	m.options.found_context = &m;
	if (merge_guard_files(&m, &e) || merge(&m, &e))
		terminal_print_error("merge", &e);
	vector_deinit(&m.inputs);
	file_guard_deinit(&m.guard);
	return e.code;
}
