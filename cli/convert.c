/* SPDX-License-Identifier: MIT */
/* softlbr convert: recordings and their binary to profiles for compilers and optimizers. */
#include "cli/convert.h"

#include <argp.h>
#include <errno.h>
#include <inttypes.h>
#include <sched.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "base/error.h"
#include "base/memory.h"
#include "cli/cli.h"
#include "cli/progress.h"
#include "formats/gcov.h"
#include "mcf/glpk_solver.h"

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
	OPTION_MIN_BRANCHES,
	OPTION_MAX_UNENTERED,
	OPTION_MIN_VALID,
	OPTION_MAX_INVALID,
};

static const struct argp_option options[] = {
	{"binary", 'b', "FILE", 0, "The program or library that was recorded", 0},
	{"profile", 'p', "FILE[,WEIGHT]", 0,
	 "Recording: perf.data of softlbr record or perf record -b, text of perf script, "
	 "pre-aggregated records, ranges, or callgrind.out; compressed (gz, zst, xz) or not; "
	 "- is standard input. Several are summed, each times its WEIGHT",
	 0},
	{"input-format", OPTION_INPUT_FORMAT, "FORMAT", 0,
	 "Take the recordings for perf.data, perf-script, preagg, ranges or callgrind, whatever they "
	 "look like",
	 0},
	{"event", OPTION_EVENT, "NAME", 0, "Count the samples of this event alone", 0},
	{"ip-samples", OPTION_IP_SAMPLES, NULL, 0,
	 "Of recordings without branch stacks take the sampled addresses, by their periods, and "
	 "estimate the branches (see --smooth)",
	 0},
	{"classify-by", OPTION_CLASSIFY_BY, "FILE", 0,
	 "To measure what --ip-samples could gain: which code has too many or too few samples is "
	 "told by these exact counts of the same run (callgrind.out, pre-aggregated), not by events",
	 0},
	{"to", OPTION_TO, "FORMAT=FILE", 0,
	 "Write FILE (- is standard output) as gcov (gcc), llvm-text, llvm-binary or "
	 "llvm-extbinary (clang), fdata (llvm-bolt) or preagg (perf2bolt); may be given several times",
	 0},
	{"gcc", OPTION_GCC, "VERSION", 0, "gcov: for this major version of gcc (default 12)", 0},
	{"llvm-md5", OPTION_LLVM_MD5, NULL, 0, "llvm-extbinary: numbers instead of names", 0},
	{"llvm-compress", OPTION_LLVM_COMPRESS, NULL, 0, "llvm-extbinary: compress all sections",
	 0},
	{"llvm-symbols", OPTION_LLVM_SYMBOLS, NULL, 0,
	 "llvm-extbinary: with the names of all functions, so that clang takes those without a "
	 "profile for cold",
	 0},
	{"force", OPTION_FORCE, NULL, 0,
	 "Write files even of an empty profile, of another binary, or of a recording that is cut "
	 "off; the exit status stays",
	 0},
	{"all", OPTION_ALL, NULL, 0,
	 "Instead of --binary: every module of the recordings whose file is here, with --to FORMAT "
	 "and --output-dir",
	 0},
	{"output-dir", OPTION_OUTPUT_DIR, "DIR", 0,
	 "With --all: write to DIR/MODULE.FORMAT (DIR is made if needed)", 0},
	{"symfs", OPTION_SYMFS, "DIR", 0,
	 "Look for debug files below DIR as if it were /, before looking in place", 0},
	{"path-prefix", OPTION_PATH_PREFIX, "OLD=NEW", 0,
	 "Look for debug files (.dwo, .dwp, those of dwz) whose path begins with OLD under NEW "
	 "first; may be given several times",
	 0},
	{"stride", OPTION_STRIDE, "BYTES", 0,
	 "Drop a doubled newest branch that jumps back farther (default 0x1000; hardware LBR only)",
	 0},
	{"threads", OPTION_THREADS, "N", 0,
	 "Count with N threads (default: 2 where there are two processors); the result "
	 "does not depend on it",
	 0},
	{"verbose", 'v', NULL, 0, "Also print the other names of functions that ran", 0},
	{"frequencies", OPTION_FREQUENCIES, "WAY", 0,
	 "How often branches are taken: raw, as often as they were recorded; reweight or chain, "
	 "estimated from traces whose starts are biased, as a timer's are; auto (default), chain for "
	 "recordings of softlbr and text of perf script, else raw",
	 0},
	{"smooth", OPTION_SMOOTH, "MODE", 0,
	 "none; mcf: the nearest counts that conserve flow within each function, by minimum-cost "
	 "flow; auto (default): mcf for clang, of recordings of softlbr, and of "
	 "--ip-samples; else none; to compare with, of --ip-samples: static, branches by "
	 "heuristics alone; flat, flow with prices that do not rise",
	 0},
	{"flow-solver", OPTION_FLOW_SOLVER, "SOLVER", 0,
	 "What solves the minimum-cost flow of --smooth: simplex, of our own; glpk, GLPK's "
	 "out-of-kilter solver, to compare with: as good and far slower, and simplex for functions "
	 "that are too large for it; auto (default): the fastest, which is simplex",
	 0},
	{NULL, 0, NULL, 0, "When a profile is called poor (status 5):", 1},
	{"min-branches", OPTION_MIN_BRANCHES, "N", 0, "Fewer branches in the binary (default 1000)",
	 0},
	{"max-unentered", OPTION_MAX_UNENTERED, "PERCENT", 0,
	 "More functions that ran but were never seen being entered (default 20)", 0},
	{"min-valid-branches", OPTION_MIN_VALID, "PERCENT", 0,
	 "Fewer branches that the code has (default 95)", 0},
	{"max-invalid-ranges", OPTION_MAX_INVALID, "PERCENT", 0,
	 "More ranges that the code cannot run through (default 5)", 0},
	{0},
};

static const char doc[] =
	"Convert recordings of a program into profiles for compilers and optimizers.\v"
	"Exit status: 0 good, 1 input or output failed, 2 usage, 3 bad input, 4 empty profile, "
	"5 poor profile, 6 wrong binary. With 5 the files are written, with 3, 4 and 6 they are "
	"not; none is ever left half-written.\n\n"
	"Example:\n"
	"  softlbr record -o app.data ./app typical-work\n"
	"  softlbr convert --binary app --profile app.data --to gcov=app.gcov";

static error_t add_output(struct convert *c, const char *argument, struct argp_state *state)
{
	const char *equals = strchrnul(argument, '=');
	struct convert_output *output, *other;

	output = vector_push(&c->outputs);
	if (!output)
		return ENOMEM;
	output->format = convert_format_of(argument, (size_t)(equals - argument));
	output->path = *equals && equals[1] ? equals + 1 : NULL; /* without: see check_outputs */
	if (!output->format)
		argp_error(state, "--to=%s: there is no format %.*s; there are %s", argument,
			   (int)(equals - argument), argument, convert_format_names());
	vector_each (&c->outputs, other) {
		if (other != output && other->path && output->path &&
		    !strcmp(other->path, output->path))
			argp_error(state, "two outputs cannot both be %s", output->path);
	}
	return 0;
}

/* A file for each format, or with --all one directory for all. */
static void check_arguments(const struct convert *c, struct argp_state *state)
{
	const struct convert_output *o;

	if (!c->binary_path == !c->all || !c->profiles.count || !c->outputs.count)
		argp_error(state, "--binary (or --all), --profile and --to are needed");
	if (!c->output_directory != !c->all)
		argp_error(state, "--all and --output-dir go together");
	if (c->classify_by && (!c->ip_samples || c->all))
		argp_error(state, "--classify-by goes with --ip-samples, and not with --all");
	vector_each (&c->outputs, o) {
		if (c->all && o->path)
			argp_error(state, "--to=%s=%s: with --all only the format is given",
				   o->format->name, o->path);
		if (!c->all && !o->path)
			argp_error(state, "--to=%s: expected FORMAT=FILE", o->format->name);
	}
}

/* FILE[,WEIGHT]: a comma and digits at the end are a weight unless there is a file of that name. */
static error_t add_input(struct convert *c, char *argument, struct argp_state *state)
{
	struct convert_input *input = vector_push(&c->profiles);
	char *comma = strrchr(argument, ','), *end;

	if (!input)
		return ENOMEM;
	*input = (struct convert_input){argument, 1};
	if (!comma || !comma[1] || strspn(comma + 1, "0123456789") != strlen(comma + 1) ||
	    !access(argument, F_OK))
		return 0;
	errno = 0;
	input->weight = strtoull(comma + 1, &end, 10);
	if (errno || !input->weight || input->weight > UINT32_MAX)
		argp_error(state, "--profile=%s: the weight must be from 1 to %u", argument,
			   UINT32_MAX);
	*comma = '\0';
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

static const char *const frequencies_names[] = {
	[FREQUENCIES_RAW] = "raw",
	[FREQUENCIES_AUTO] = "auto",
	[FREQUENCIES_REWEIGHT] = "reweight",
	[FREQUENCIES_CHAIN] = "chain",
	NULL,
};

static const char *const smooth_names[] = {
	[CONVERT_SMOOTH_AUTO] = "auto", [CONVERT_SMOOTH_NONE] = "none",
	[CONVERT_SMOOTH_MCF] = "mcf",	[CONVERT_SMOOTH_STATIC] = "static",
	[CONVERT_SMOOTH_FLAT] = "flat", NULL,
};

static const char *const solver_names[] = {"auto", "simplex", "glpk", NULL};
static const struct flow_solver *const solvers[] = {&glpk_solver_last, NULL, &glpk_solver};

/* The number of a name. */
static size_t parse_way(const char *option, const char *const *names, const char *text,
			struct argp_state *state)
{
	char known[80] = "";

	for (size_t i = 0; names[i]; i++) {
		if (!strcmp(text, names[i]))
			return i;
		if (strlen(known) + strlen(names[i]) + 3 < sizeof(known))
			strcat(strcat(known, i ? ", " : ""), names[i]);
	}
	argp_error(state, "--%s=%s: expected one of %s", option, text, known);
	return 0;
}

static error_t parse_option(int key, char *arg, struct argp_state *state)
{
	struct convert *c = state->input;

	switch (key) {
	case 'b':
		c->binary_path = arg;
		break;
	case 'p':
		return add_input(c, arg, state);
	case OPTION_EVENT:
		c->event = arg;
		break;
	case OPTION_INPUT_FORMAT:
		c->input = profile_kind_named(arg);
		if (c->input == PROFILE_UNKNOWN || c->input >= PROFILE_FDATA)
			argp_error(state,
				   "--input-format=%s: expected perf.data, perf-script, preagg, "
				   "ranges or callgrind",
				   arg);
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
		c->ip_samples = true;
		break;
	case OPTION_CLASSIFY_BY:
		c->classify_by = arg;
		break;
	case OPTION_TO:
		return add_output(c, arg, state);
	case OPTION_GCC:
		c->gcc = (unsigned)parse_number("gcc", arg, GCOV_OLDEST_GCC, GCOV_NEWEST_GCC,
						state);
		break;
	case OPTION_FORCE:
		c->force = true;
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
		c->stride = (uint64_t)parse_number("stride", arg, 1, 1e9, state);
		break;
	case OPTION_THREADS:
		c->threads = (unsigned)parse_number("threads", arg, 1, 64, state);
		break;
	case OPTION_FREQUENCIES:
		c->frequencies = (enum frequencies)parse_way("frequencies", frequencies_names, arg,
							     state);
		break;
	case OPTION_SMOOTH:
		c->smooth = (enum convert_smooth)parse_way("smooth", smooth_names, arg, state);
		break;
	case OPTION_FLOW_SOLVER:
		c->flow_solver = solvers[parse_way("flow-solver", solver_names, arg, state)];
		break;
	case OPTION_MIN_BRANCHES:
		c->branches_least = (uint64_t)parse_number("min-branches", arg, 0, 1e18, state);
		break;
	case OPTION_MAX_UNENTERED:
		c->unentered_most = parse_number("max-unentered", arg, 0, 100, state);
		break;
	case OPTION_MIN_VALID:
		c->valid_branches_least = parse_number("min-valid-branches", arg, 0, 100, state);
		break;
	case OPTION_MAX_INVALID:
		c->invalid_ranges_most = parse_number("max-invalid-ranges", arg, 0, 100, state);
		break;
	case ARGP_KEY_ARG:
		argp_error(state,
			   "%s: recordings are given with --profile, the program with "
			   "--binary",
			   arg);
		break;
	case ARGP_KEY_END:
		check_arguments(c, state);
		break;
	default:
		return ARGP_ERR_UNKNOWN;
	}
	return 0;
}

/* ---- the stages ---------------------------------------------------------------------------- */

/* Counting keeps up with reading in one thread; more wait, and cost what merging them takes. */
static unsigned default_threads(void)
{
	cpu_set_t cpus;
	int count = sched_getaffinity(0, sizeof(cpus), &cpus) ? 1 : CPU_COUNT(&cpus);

	return count > 2 ? 2 : (unsigned)count;
}

int convert_read(struct convert *c, struct aggregate *a, bool keep, struct softlbr_error *e)
{
	struct progress progress;
	struct aggregate_options how = {.progress = progress_report,
					.progress_context = &progress,
					.stride = c->stride,
					.any_build = c->force,
					.event = c->event,
					.kind = c->input,
					.threads = c->threads ? c->threads : default_threads(),
					.keep = keep,
					.frequencies = c->frequencies,
					.by_period = c->ip_samples};
	const struct convert_input *input;
	int rc = aggregate_init(a, c->binary, &how, e);

	if (rc)
		return rc;
	vector_each (&c->profiles, input) {
		size_t opened = a->result.recordings;

		progress_begin(&progress, input->path);
		rc = aggregate_add(a, input->path, input->weight, e);
		progress_end(&progress);
		if (rc && c->force && e->code == SOFTLBR_E_INPUT && a->result.recordings > opened) {
			convert_report_warning("%s", e->text);
			error_clear(e);
			rc = 0;
		}
		if (rc)
			return rc;
	}
	return 0;
}

static int no_branches(const struct convert *c, struct softlbr_error *e)
{
	const char *first = c->profiles.items[0].path;

	if (!c->aggregate.result.funnel.samples)
		return error_set(e, SOFTLBR_E_EMPTY, first,
				 "%s holds no samples: the program ended before the first one, or "
				 "was not allowed to be sampled; run it longer, or see `softlbr "
				 "doctor`",
				 first);
	return error_set(e, SOFTLBR_E_EMPTY, first,
			 "%s holds no branch stacks: it was recorded without them; record with "
			 "`softlbr record`, which needs no special hardware, or with `perf record "
			 "-b`; --ip-samples makes do with the addresses of its samples",
			 first);
}

/* "; 97 % of the branches are in X: give --binary that" */
static void suggest_module(const struct convert *c, char *text, size_t size)
{
	const struct aggregate *a = &c->aggregate;
	size_t top;

	text[0] = '\0';
	if (aggregate_top_modules(&a->result, &top, 1))
		snprintf(text, size, "; %.0f %% of the %s are in %s: give --binary that",
			 100.0 * (double)aggregate_module_share(&a->result, top) /
				 (double)aggregate_whole(&a->result),
			 a->result.funnel.entries ? "branches" : "samples",
			 modules_path(&a->result.modules, top));
}

static int wrong_binary(const struct convert *c, struct softlbr_error *e)
{
	const struct aggregate *a = &c->aggregate;
	char ours[41], theirs[41], hint[400];

	branch_profile_build_id_text(binary_build_id(c->binary), ours);
	if (a->result.match.other_build < 0) {
		suggest_module(c, hint, sizeof(hint));
		return error_set(e, SOFTLBR_E_BINARY, c->binary_path,
				 "%s (build-id %s) was not recorded: no module of this build-id or "
				 "name is in the recording%s",
				 c->binary_path, ours, hint);
	}
	branch_profile_build_id_text(
		&a->result.modules.items.items[a->result.match.other_build].build_id, theirs);
	return error_set(e, SOFTLBR_E_BINARY, c->binary_path,
			 "%s is another build than was recorded: its build-id is %s, that of %s in "
			 "the recording is %s; give --binary the file that was recorded, or record "
			 "this one",
			 c->binary_path, ours,
			 modules_path(&a->result.modules, (size_t)a->result.match.other_build),
			 theirs);
}

bool convert_is_ip_only(const struct convert *c)
{
	return c->ip_samples && !c->aggregate.result.funnel.entries;
}

static bool needs_branches(const struct convert *c)
{
	const struct convert_output *o;

	vector_each (&c->outputs, o) {
		if (!o->format->needs_source)
			return true;
	}
	return false;
}

/* Are there branches of this binary at all? */
static int check_recordings(const struct convert *c, struct softlbr_error *e)
{
	const struct aggregate *a = &c->aggregate;
	char hint[400];

	if (!funnel_adds_up(&a->result.funnel))
		convert_report_warning("the numbers below do not add up: a fault of softlbr, "
				       "please report it");
	if (!a->result.funnel.entries && !(c->ip_samples && a->result.funnel.samples))
		return no_branches(c, e);
	if (a->result.match.kind == MATCH_NONE ||
	    (a->result.match.kind == MATCH_OTHER_BUILD && !c->force))
		return wrong_binary(c, e);
	if (convert_is_ip_only(c) && c->smooth == CONVERT_SMOOTH_NONE && needs_branches(c))
		return error_set(e, SOFTLBR_E_EMPTY, c->profiles.items[0].path,
				 "the recordings hold no branch stacks, and fdata and preagg are "
				 "made of branches; --smooth=mcf makes branches of --ip-samples");
	if (!a->result.profile.branches.count &&
	    !(convert_is_ip_only(c) && a->result.profile.samples.count)) {
		suggest_module(c, hint, sizeof(hint));
		return error_set(e, SOFTLBR_E_EMPTY, c->binary_path,
				 "no branch of the recording is in %s, though it was mapped%s, or "
				 "record a workload that spends its time there",
				 c->binary_path, hint);
	}
	if (a->result.match.kind == MATCH_OTHER_BUILD)
		convert_report_warning(
			"%s is another build than was recorded, but --force was given",
			c->binary_path);
	else if (a->result.match.kind == MATCH_UNNAMED)
		convert_report_warning("the profile does not say which binary it was made of: it "
				       "is taken to be %s",
				       c->binary_path);
	else if (a->result.match.kind != MATCH_BUILD_ID)
		convert_report_warning("%s was found in the recording by its name only: there is "
				       "no build-id to tell whether it is the same build",
				       c->binary_path);
	return 0;
}

static int write_outputs(struct convert *c, struct softlbr_error *e)
{
	struct convert_output *o;
	int rc;

	vector_each (&c->outputs, o) {
		rc = o->format->write(c, convert_counts_of(c, o->format), o->path, e);
		if (rc)
			return rc;
	}
	return 0;
}

static void advise(const struct convert *c)
{
	const struct convert_output *o;

	fputs("Use it with:\n", stderr);
	vector_each (&c->outputs, o)
		o->format->advise(c, o->path);
}

/* From recordings to what can be judged. */
static int prepare(struct convert *c, struct softlbr_error *e)
{
	int rc;

	c->binary = binary_open_with(c->binary_path, &c->search, e);
	if (!c->binary)
		return -e->code;
	rc = c->counted ? aggregate_resolve(&c->aggregate, c->counted, c->binary, e)
			: convert_read(c, &c->aggregate, false, e);
	if (!rc)
		rc = check_recordings(c, e);
	if (!rc)
		rc = validate_profile(c->binary, &c->aggregate.result.profile,
				      &c->recorded.branches, &c->ranges, e);
	branch_profile_deinit(&c->aggregate.result.profile); /* of no use beside the clean one */
	return rc ? rc : convert_counts_make(c, e);
}

/* The exit status. */
int convert_one(struct convert *c)
{
	struct softlbr_error e = {0};
	int rc, verdict;

	rc = prepare(c, &e);
	convert_report_notes(c);
	convert_report_solver(c);
	if (rc) {
		if (c->aggregate.result.funnel.samples)
			convert_report_funnel(c);
		if (e.code == SOFTLBR_E_BINARY || e.code == SOFTLBR_E_EMPTY)
			convert_report_modules(c);
		convert_report_error(&e);
		return e.code;
	}
	verdict = convert_judge(c);
	if (verdict && verdict != SOFTLBR_E_POOR && !c->force) {
		convert_report_funnel(c);
		error_set(&e, verdict, c->binary_path,
			  "the profile is not one of %s, for the reasons above, and nothing was "
			  "written; give --binary the file that was recorded, or --force to write "
			  "it all the same",
			  c->binary_path);
		convert_report_error(&e);
		return verdict;
	}
	if (write_outputs(c, &e)) {
		convert_report_error(&e);
		return e.code;
	}
	convert_report_funnel(c);
	if (c->verbose)
		convert_report_aliases(c);
	advise(c);
	return c->aggregate.result.match.kind == MATCH_OTHER_BUILD ? SOFTLBR_E_BINARY : verdict;
}

void convert_release(struct convert *c)
{
	convert_counts_release(&c->recorded);
	convert_counts_release(&c->smoothed);
	aggregate_deinit(&c->aggregate);
	binary_close(c->binary);
}

int cli_convert(int argc, char **argv)
{
	static const struct argp argp = {options, parse_option, NULL, doc, NULL, NULL, NULL};
	struct convert c = {
		.gcc = 12,
		.frequencies = FREQUENCIES_AUTO,
		.flow_solver = &glpk_solver_last,
		.branches_least = 1000,
		.unentered_most = 20,
		.valid_branches_least = 95,
		.invalid_ranges_most = 5,
	};
	int status;

	argp_err_exit_status = SOFTLBR_E_USAGE;
	if (argp_parse(&argp, argc, argv, 0, NULL, &c))
		return SOFTLBR_E_SYSTEM;
	status = c.all ? convert_all(&c) : convert_one(&c);
	convert_release(&c);
	vector_deinit(&c.search.prefixes);
	vector_deinit(&c.profiles);
	vector_deinit(&c.outputs);
	return status;
}
