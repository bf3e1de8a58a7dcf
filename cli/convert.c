/* SPDX-License-Identifier: MIT */
/* softlbr convert: recordings and their binary to profiles for compilers and optimizers. */
#include "cli/convert.h"

#include <argp.h>
#include <errno.h>
#include <inttypes.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "base/file_output.h"
#include "base/memory.h"
#include "cli/cli.h"
#include "converter/pipeline/recorded_program.h"
#include "formats/gcov.h"
#include "mcf/mincost.h"

enum {
	OPTION_TO = 't',
	OPTION_GCC = 0x100,
	OPTION_FORCE,
	OPTION_STRIDE,
	OPTION_THREADS,
	OPTION_SMOOTH,
	OPTION_FLOW_SOLVER,
	OPTION_FREQUENCIES,
	OPTION_ALL,
	OPTION_OUTPUT_DIR,
	OPTION_SYMFS,
	OPTION_PATH_PREFIX,
	OPTION_EVENT,
	OPTION_INPUT_FORMAT,
	OPTION_IP_SAMPLES,
	OPTION_CLASSIFY_BY,
	OPTION_LLVM_MD5,
	OPTION_LLVM_COMPRESS,
	OPTION_LLVM_SYMBOLS,
	OPTION_STATS,
	OPTION_KEYS,
	OPTION_SMOOTH_DOCUMENTED,
	OPTION_LIMIT, /* and the number of the figure */
};

static const struct argp_option options[] = {
	{"binary", 'b', "FILE", 0,
	 "The program or library to convert for: a file, or the name of a module of the recordings "
	 "(libfoo.so). Without: the recorded program, found by its path and build-id",
	 1},
	{"profile", 'p', "FILE[,WEIGHT]", 0,
	 "Recording: perf.data of softlbr record or perf record -b, text of perf script, "
	 "pre-aggregated records, AutoFDO text, or callgrind.out; compressed (gz, zst, xz) or not; "
	 "- is standard input. Several are added up, each multiplied by its WEIGHT, or with a negative one "
	 "subtracted (default perf.data)",
	 1},
	{"input", 'i', NULL, OPTION_ALIAS, NULL, 1},
	{"to", OPTION_TO, "FORMAT=FILE", 0,
	 "Write FILE (- is standard output) as gcov (gcc -fauto-profile), llvm-text, llvm-binary or "
	 "llvm-extbinary (clang, rustc), fdata (llvm-bolt) or preagg (perf2bolt); as gcda, FILE is "
	 "a directory (gcc -fprofile-use; with --keys); may be given several times",
	 1},
	{"keys", OPTION_KEYS, "DIR", 0,
	 "With --to gcda=OUTDIR: the directory that softlbr gcc-keys made of the program's sources",
	 1},
	{"force", OPTION_FORCE, NULL, 0,
	 "Write files even of an empty profile, of another binary, or of a recording that is cut "
	 "off or damaged, and over files of another kind; the exit status is unchanged",
	 1},
	{"verbose", 'v', NULL, 0,
	 "Also print how many samples, branches, ranges and lines were used or dropped and why, "
	 "and the other names of executed functions",
	 1},
	{"stats", OPTION_STATS, "FILE", 0, "Write the numbers that -v prints as JSON", 1},
	{NULL, 0, NULL, 0, "Recordings:", 2},
	{"event", OPTION_EVENT, "NAME", 0, "Use the samples of this event only", 2},
	{"frequencies", OPTION_FREQUENCIES, "auto|raw|reweight|chain", 0,
	 "How branch frequencies are estimated: raw, as recorded; reweight or chain, corrected for "
	 "timer bias; auto (default): reweight where the recording has weights, else chain for "
	 "recordings of softlbr and text of perf script, else raw",
	 2},
	{"input-format", OPTION_INPUT_FORMAT, "FORMAT", 0,
	 "Override format detection: perf.data, perf-script, preagg, ranges or callgrind", 2},
	{"ip-samples", OPTION_IP_SAMPLES, NULL, 0,
	 "Of recordings without branch stacks use the sampled addresses, weighted by their "
	 "periods, and estimate the branches (see --smooth)",
	 2},
	{"stride", OPTION_STRIDE, "BYTES", 0,
	 "Hardware LBR only: drop a doubled newest branch that jumps back farther (default 0x1000)",
	 2},
	{"threads", OPTION_THREADS, "N", 0,
	 "Count with N threads (default: 2 where there are two processors); the result does not "
	 "depend on it",
	 2},
	{NULL, 0, NULL, 0, "Binaries and debug information:", 3},
	{"all", OPTION_ALL, NULL, 0,
	 "Instead of --binary: every module of the recordings whose file is here, with --to FORMAT "
	 "and --output-dir",
	 3},
	{"output-dir", OPTION_OUTPUT_DIR, "DIR", 0,
	 "With --all: write to DIR/MODULE.FORMAT (DIR is made if needed)", 3},
	{"symfs", OPTION_SYMFS, "DIR", 0,
	 "Look for binaries and debug files below DIR as if it were /, before looking in place", 3},
	{"path-prefix", OPTION_PATH_PREFIX, "OLD=NEW", 0,
	 "Look for debug files (.dwo, .dwp, those of dwz) whose path begins with OLD under NEW "
	 "first; may be given several times",
	 3},
	{NULL, 0, NULL, 0, "Profiles:", 4},
	{"gcc", OPTION_GCC, "VERSION", 0,
	 "gcov: for this major version of gcc (default: the one that built the program, else 12)",
	 4},
	{"llvm-md5", OPTION_LLVM_MD5, NULL, 0, "llvm-extbinary: MD5 GUIDs instead of names", 4},
	{"llvm-compress", OPTION_LLVM_COMPRESS, NULL, 0, "llvm-extbinary: compress all sections",
	 4},
	{"llvm-symbols", OPTION_LLVM_SYMBOLS, NULL, 0,
	 "llvm-extbinary: add the names of all functions, so that clang takes those without a "
	 "profile for cold",
	 4},
	{"smooth", OPTION_SMOOTH, "auto|none|mcf", 0,
	 "none; mcf: the nearest counts that conserve flow within each function, by minimum-cost "
	 "flow; auto (default): mcf for clang, of recordings of softlbr, and of --ip-samples; else "
	 "none",
	 4},
	{NULL, 0, NULL, 0, "Limits beyond which a profile is poor (status 5):", 5},
	{"min-traces", OPTION_LIMIT + VERDICT_TRACES, "N", 0,
	 "Recordings: at least N traces (default 10)", 5},
	{"min-branches", OPTION_LIMIT + VERDICT_BRANCHES, "N", 0,
	 "At least N taken branches in the binary (default 1000)", 5},
	{"min-valid-branches", OPTION_LIMIT + VERDICT_VALID_BRANCHES, "PERCENT", 0,
	 "At least this share of branches consistent with the disassembly (default 95)", 5},
	{"max-invalid-ranges", OPTION_LIMIT + VERDICT_INVALID_RANGES, "PERCENT", 0,
	 "At most this share of ranges inconsistent with the disassembly (default 5)", 5},
	{"max-zero-head", OPTION_LIMIT + VERDICT_ZERO_HEAD, "PERCENT", 0,
	 "At most this share of samples in functions with zero head count (default 20)", 5},
	{NULL, 0, NULL, 0, "For research:", 6},
	{"classify-by", OPTION_CLASSIFY_BY, "FILE", 0,
	 "To measure what --ip-samples could gain: over- and under-sampled code is determined by "
	 "exact counts of the same run (callgrind.out, pre-aggregated), not by events",
	 6},
	{"--smooth=static|flat", OPTION_SMOOTH_DOCUMENTED, NULL, OPTION_DOC,
	 "With --ip-samples, to compare with: branches by heuristics alone; flow with costs that "
	 "do not rise",
	 6},
	{"flow-solver", OPTION_FLOW_SOLVER, "auto|simplex|glpk", 0,
	 "Solver of the minimum-cost flow of --smooth: simplex, of our own; glpk, GLPK's "
	 "out-of-kilter solver: as good and far slower, and simplex for functions that are too "
	 "large for it; auto (default): the fastest, which is simplex",
	 6},
	{0},
};

static const char doc[] =
	"Convert recordings of a program into profiles for compilers and optimizers.\v"
	"Exit status: 0 good, 1 input or output failed, 2 usage, 3 bad input, 4 empty profile, "
	"5 poor profile, 6 wrong binary. With 5 the files are written (as gcda not those of too "
	"short a recording), with 1 to 4 and 6 they are not; none is ever left half-written, nor "
	"an input overwritten.\n\n"
	"Example:\n"
	"  softlbr record -o app.data ./app typical-work\n"
	"  softlbr convert --profile app.data --to gcov=app.gcov";

static error_t add_output(struct convert *c, const char *argument, struct argp_state *state)
{
	const char *equals = strchrnul(argument, '=');
	struct convert_output *output;
	char known[CONVERT_FORMAT_NAMES_BYTES];

	output = vector_push(&c->outputs);
	if (!output)
		return ENOMEM;
	output->format = convert_format_of(argument, (size_t)(equals - argument));
	output->path = *equals && equals[1] ? equals + 1 : NULL; /* without: see check_arguments */
	if (!output->format)
		argp_error(state, "--to=%s: there is no format %.*s; there are %s", argument,
			   (int)(equals - argument), argument, convert_format_names(known));
	return 0;
}

/* A file for each format, or with --all one directory for all. */
static void check_arguments(const struct convert *c, struct argp_state *state)
{
	const struct convert_input *input;
	const struct convert_output *o;
	bool keys = false;

	if (!c->outputs.count)
		argp_error(state, "--to is needed, as in --to gcov=FILE");
	if (c->binary_path && c->all)
		argp_error(state, "--all is instead of --binary");
	if (!c->output_directory != !c->all)
		argp_error(state, "--all and --output-dir go together");
	if (c->how.classify_by && (!c->how.ip_samples || c->all))
		argp_error(state, "--classify-by goes with --ip-samples, and not with --all");
	if (c->stats_path && c->all)
		argp_error(state, "--stats is of one binary: it does not go with --all");
	vector_each (&c->outputs, o) {
		if (c->all && o->path)
			argp_error(state, "--to=%s=%s: with --all only the format is given",
				   o->format->name, o->path);
		if (o->format->write_directory && (c->all || !c->keys_path))
			argp_error(state, "--to=%s: needs --keys, and does not go with --all",
				   o->format->name);
		if (o->format->write_directory && o->path && !strcmp(o->path, "-"))
			argp_error(state, "--to=%s=-: it is a directory, not standard output",
				   o->format->name);
		keys |= o->format->write_directory != NULL;
		if (!c->all && !o->path)
			argp_error(state, "--to=%s: expected FORMAT=FILE", o->format->name);
	}
	vector_each (&c->profiles, input)
		if (c->all && input->subtracted)
			argp_error(state, "--profile=%s: nothing is subtracted with --all",
				   input->path);
	if (c->keys_path && !keys)
		argp_error(state, "--keys goes with --to gcda=OUTDIR");
}

static error_t add_input(struct convert *c, char *argument, struct argp_state *state)
{
	struct convert_input *input = vector_push(&c->profiles);

	if (!input)
		return ENOMEM;
	*input = (struct convert_input){.path = argument, .weight = 1};
	input->subtracted = cli_weighted_file(argument, &input->weight, state);
	return 0;
}

static double parse_number(const char *option, const char *text, double least, double most,
			   struct argp_state *state)
{
	char *end;
	double value = strtod(text, &end);

	if (end == text || *end || !(value >= least) || value > most)
		argp_error(state, "--%s=%s: expected a number from %g to %g", option, text, least,
			   most);
	return value;
}

static const char *const smooth_names[] = {
	[CONVERSION_SMOOTH_AUTO] = "auto", [CONVERSION_SMOOTH_NONE] = "none",
	[CONVERSION_SMOOTH_MCF] = "mcf",   [CONVERSION_SMOOTH_STATIC] = "static",
	[CONVERSION_SMOOTH_FLAT] = "flat", NULL,
};

static const char *const solver_names[] = {"auto", "simplex", "glpk", NULL};
static const struct flow_solver *const solvers[] = {&glpk_solver_last, NULL, &glpk_solver};

static void parse_limit(struct convert *c, int key, const char *arg, struct argp_state *state)
{
	enum verdict_figure figure = (enum verdict_figure)(key - OPTION_LIMIT);
	const struct argp_option *o = options;
	bool count = verdict_is_count(figure);
	double number;

	while (o->key != key)
		o++;
	number = parse_number(o->name, arg, 0, count ? 1e18 : 100, state);
	verdict_limit(&c->verdict, figure, count ? number : number / 100);
}

static error_t parse_option(int key, char *arg, struct argp_state *state)
{
	static char recording[] = CLI_RECORDING;
	struct convert *c = state->input;

	if (key >= OPTION_LIMIT && key < OPTION_LIMIT + VERDICT_FIGURES) {
		parse_limit(c, key, arg, state);
		return 0;
	}
	switch (key) {
	case 'b':
		c->binary_path = arg;
		break;
	case 'p':
	case 'i':
		return add_input(c, arg, state);
	case OPTION_EVENT:
		c->how.read.event = arg;
		break;
	case OPTION_INPUT_FORMAT:
		c->how.read.kind = cli_input_format(arg, profile_kind_is_recording, state);
		break;
	case OPTION_LLVM_MD5:
		c->llvm_md5 = true;
		break;
	case OPTION_LLVM_COMPRESS:
		c->llvm_compress = true;
		break;
	case OPTION_LLVM_SYMBOLS:
		c->llvm_symbols = true;
		break;
	case OPTION_IP_SAMPLES:
		c->how.ip_samples = c->how.read.by_period = true;
		break;
	case OPTION_CLASSIFY_BY:
		c->how.classify_by = arg;
		break;
	case OPTION_TO:
		return add_output(c, arg, state);
	case OPTION_GCC:
		c->gcc = (unsigned)parse_number("gcc", arg, GCOV_OLDEST_GCC, GCOV_NEWEST_GCC,
						state);
		break;
	case OPTION_FORCE:
		c->force = c->how.read.any_build = true;
		break;
	case 'v':
		c->verbose = true;
		break;
	case OPTION_ALL:
		c->all = true;
		break;
	case OPTION_OUTPUT_DIR:
		c->output_directory = arg;
		break;
	case OPTION_SYMFS:
		c->search.symfs = arg;
		break;
	case OPTION_PATH_PREFIX:
		return cli_path_prefix(&c->search, arg, state);
	case OPTION_STRIDE:
		c->how.read.stride = (uint64_t)parse_number("stride", arg, 1, 1e9, state);
		break;
	case OPTION_THREADS:
		c->how.read.threads = (unsigned)parse_number("threads", arg, 1, 64, state);
		break;
	case OPTION_FREQUENCIES:
		c->how.read.frequencies = cli_frequencies(arg, state);
		break;
	case OPTION_SMOOTH:
		c->how.smooth = (enum conversion_smooth)cli_choice("smooth", smooth_names, arg,
								   state);
		break;
	case OPTION_FLOW_SOLVER:
		c->how.flow_solver = solvers[cli_choice("flow-solver", solver_names, arg, state)];
		break;
	case OPTION_KEYS:
		c->keys_path = arg;
		break;
	case OPTION_STATS:
		c->stats_path = arg;
		break;
	case ARGP_KEY_ARG:
		argp_error(state,
			   "%s: recordings are given with --profile, the program with "
			   "--binary",
			   arg);
		break;
	case ARGP_KEY_END:
		check_arguments(c, state);
		return c->profiles.count ? 0 : add_input(c, recording, state);
	default:
		return ARGP_ERR_UNKNOWN;
	}
	return 0;
}

/* Before anything is read: no output is an input. Those of --all are not known yet. */
static int check_files(const struct convert *c)
{
	const struct convert_input *input;
	struct softlbr_error e = {0};
	int rc = file_guard_input(c->guard, c->binary_path, &e);

	if (!rc)
		rc = file_guard_input(c->guard, c->how.classify_by, &e);
	vector_each (&c->profiles, input)
		if (!rc)
			rc = file_guard_input(c->guard, input->path, &e);
	if (!rc && !c->all)
		rc = convert_outputs_check(c, &e);
	if (rc)
		convert_report_error(&e);
	return -rc;
}

const struct argp cli_convert_argp = {options, parse_option, NULL, doc, NULL, NULL, NULL};

int cli_convert(int argc, char **argv)
{
	struct convert c = {.how = {.flow_solver = &glpk_solver_last, .once = true}};
	struct file_guard guard = {0};
	int status;

	c.guard = &guard;
	verdict_init(&c.verdict);
	if (cli_parse(&cli_convert_argp, argc, argv, CLI_OPERANDS_ANYWHERE, SOFTLBR_E_USAGE, &c))
		return SOFTLBR_E_SYSTEM;
	file_temporaries_remove_on_signals();
	status = check_files(&c);
	if (!status)
		status = c.all					     ? convert_all(&c)
			 : recorded_program_is_sought(c.binary_path) ? convert_program(&c)
								     : convert_one(&c, NULL);
	file_guard_deinit(&guard);
	vector_deinit(&c.search.prefixes);
	vector_deinit(&c.profiles);
	vector_deinit(&c.outputs);
	return status;
}
