/* SPDX-License-Identifier: MIT */
/* softlbr merge: profiles of one kind, or recordings of one binary, to one file. */
#include <argp.h>
#include <errno.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "base/file_guard.h"
#include "base/file_output.h"
#include "base/memory.h"
#include "base/vector.h"
#include "cli/cli.h"
#include "cli/progress.h"
#include "converter/elf/debug_search.h"
#include "converter/pipeline/merge.h"

struct merge {
	const char *output;
	struct merge_options options;
	struct debug_search search;
	uint64_t weight; /* of the files that follow */
	bool subtracts;
	VECTOR(struct merge_input) inputs;
	struct file_guard guard;
};

enum { OPTION_INPUT_FORMAT = 0x100, OPTION_FORCE, OPTION_SYMFS };

static const struct argp_option options[] = {
	{"output", 'o', "FILE", 0, "Write the merged profile here; - is standard output", 0},
	{"profile", 'p', "FILE[,WEIGHT]", 0,
	 "A file, its counts multiplied by WEIGHT (default 1). The counts of a recording or of a text of "
	 "branches with a negative weight are subtracted; none falls below 0",
	 0},
	{"weight", 'w', "N", 0, "Multiply the counts of the files that follow by N", 0},
	{"binary", 'b', "FILE", 0,
	 "Recordings are merged into pre-aggregated records of this program or library: a file, or "
	 "the name of a module of theirs (libfoo.so). Without: the recorded program, found by its "
	 "path and build-id",
	 0},
	{"symfs", OPTION_SYMFS, "DIR", 0,
	 "Look for binaries and debug files below DIR as if it were /, before looking in place", 0},
	{"input-format", OPTION_INPUT_FORMAT, "FORMAT", 0,
	 "Override format detection: perf.data, perf-script, preagg, ranges, callgrind, fdata, gcov, "
	 "llvm-text, llvm-binary, llvm-extbinary or gcda",
	 0},
	{"force", OPTION_FORCE, NULL, 0, "Overwrite the output even if it is of another format", 0},
	{0},
};

static const char doc[] =
	"Merge profiles of one kind: gcov, LLVM's (text, binary, extensible binary), fdata, "
	"pre-aggregated records, gcda; or recordings and, with --binary, texts of branches. The result does "
	"not depend on their order. LLVM profiles of several forms are merged to text.\v"
	"Exit status: 0 good, 1 input or output failed, 2 usage, 3 bad input or mixed kinds.";

static error_t parse_option(int key, char *arg, struct argp_state *state)
{
	struct merge *m = state->input;
	struct merge_input *input;
	char *end;

	switch (key) {
	case 'o':
		m->output = arg;
		break;
	case 'b':
		m->options.binary_path = arg;
		break;
	case OPTION_SYMFS:
		m->search.symfs = arg;
		break;
	case 'w':
		errno = 0;
		m->weight = strtoull(arg, &end, 10);
		if (errno || *end || end == arg || !m->weight || m->weight > UINT32_MAX)
			argp_error(state, "--weight=%s: expected a number from 1 to %u", arg,
				   UINT32_MAX);
		break;
	case OPTION_FORCE:
		m->options.keep_others = false;
		break;
	case OPTION_INPUT_FORMAT:
		m->options.kind = cli_input_format(arg, NULL, state);
		break;
	case ARGP_KEY_ARG:
		input = vector_push(&m->inputs);
		if (!input)
			return ENOMEM;
		input->path = arg;
		input->weight = m->weight;
		break;
	case 'p':
		input = vector_push(&m->inputs);
		if (!input)
			return ENOMEM;
		*input = (struct merge_input){.path = arg, .weight = 1};
		input->subtracted = cli_weighted_file(arg, &input->weight, state);
		m->subtracts |= input->subtracted;
		break;
	case ARGP_KEY_END:
		if (!m->output || !m->inputs.count)
			argp_error(state, "files to merge and --output are needed");
		break;
	default:
		return ARGP_ERR_UNKNOWN;
	}
	return 0;
}

static void tell(const char *path, const struct aggregate_damage *damage)
{
	cli_print_damage("merge", path, damage);
}

/* Before anything is read: the result is not written over an input. */
static int check_files(struct merge *m, struct softlbr_error *e)
{
	const struct merge_input *input;
	int rc = file_guard_input(&m->guard, m->options.binary_path, e);

	vector_each (&m->inputs, input)
		if (!rc)
			rc = file_guard_input(&m->guard, input->path, e);
	return rc ? rc : file_guard_output(&m->guard, m->output, e);
}

const struct argp cli_merge_argp = {options, parse_option, "FILE...", doc, NULL, NULL, NULL};

/* The binary that the recordings named is told, and not written over. */
static int take_program(void *merge, const struct recorded_program *p, struct softlbr_error *e)
{
	struct merge *m = merge;
	int rc = file_guard_input(&m->guard, p->path, e);

	if (!rc)
		fprintf(stderr, "binary: %s (%.1f %% of the %s)\n", p->path, 100 * p->share,
			p->unit);
	return rc;
}

static int merge(struct merge *m, struct softlbr_error *e)
{
	struct branch_profile_clamped clamped = {0};
	struct progress progress;
	int rc;

	m->options.clamped = &clamped;
	progress_begin(&progress, "reading");
	m->options.progress = progress_calls(&progress);
	rc = merge_files(m->inputs.items, m->inputs.count, &m->options, m->output, e);
	progress_end(&progress);
	if (!rc && m->subtracts)
		cli_print_clamped(&clamped);
	return rc;
}

int cli_merge(int argc, char **argv)
{
	struct merge m = {.weight = 1, .options = {.keep_others = true, .tell = tell}};
	struct softlbr_error e = {0};

	/* in order, so that a weight is that of the files behind it */
	if (cli_parse(&cli_merge_argp, argc, argv, CLI_OPERANDS_IN_ORDER, SOFTLBR_E_USAGE, &m))
		return SOFTLBR_E_SYSTEM;
	file_temporaries_remove_on_signals();
	m.options.search = &m.search;
	m.options.found = take_program;
	m.options.found_context = &m;
	if (check_files(&m, &e) || merge(&m, &e))
		cli_print_error("merge", &e);
	vector_deinit(&m.inputs);
	file_guard_deinit(&m.guard);
	return e.code;
}
