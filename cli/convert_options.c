/* SPDX-License-Identifier: MIT */
/* What softlbr convert can be asked for: its options, and what is wrong with them. */
#include "cli/convert.h"

#include <errno.h>
#include <string.h>

#include "cli/cli.h"
#include "formats/gcov.h"
#include "mcf/mincost.h"

static const char *const smooth_names[] = {
	[CONVERSION_SMOOTH_AUTO] = "auto", [CONVERSION_SMOOTH_NONE] = "none",
	[CONVERSION_SMOOTH_MCF] = "mcf",   [CONVERSION_SMOOTH_STATIC] = "static",
	[CONVERSION_SMOOTH_FLAT] = "flat", NULL,
};

static const char *const order_names[] = {[PROFILE_ORDER_CALLS] = "calls",
					  [PROFILE_ORDER_HFSORT] = "hfsort",
					  [PROFILE_ORDER_CDSORT] = "cdsort",
					  [PROFILE_ORDER_STARTUP] = "startup",
					  NULL};
static const char *const solver_names[] = {"auto", "simplex", "glpk", NULL};
static const struct flow_solver *const solvers[] = {&glpk_solver_last, NULL, &glpk_solver};

static error_t take_solver(void *solver, const struct option_row *o, char *text,
			   struct argp_state *state)
{
	*(const struct flow_solver **)solver =
		solvers[options_choice(o->name, solver_names, text, state)];
	return 0;
}

static error_t take_profile(void *convert, const struct option_row *o, char *text,
			    struct argp_state *state)
{
	struct convert *c = convert;
	struct convert_input *input = vector_push(&c->profiles);

	(void)o;
	if (!input)
		return ENOMEM;
	*input = (struct convert_input){.path = text, .weight = 1};
	input->subtracted = cli_weighted_file(text, &input->weight, state);
	return 0;
}

static error_t refuse_output(void *convert, const struct option_row *o, char *text,
			     struct argp_state *state)
{
	(void)convert;
	(void)o;
	argp_error(state, "%s: files and their formats are given together, as --to gcov=FILE",
		   text);
	return EINVAL;
}

static error_t take_output(void *convert, const struct option_row *o, char *text,
			   struct argp_state *state)
{
	const char *equals = strchrnul(text, '=');
	struct convert *c = convert;
	struct convert_output *output = vector_push(&c->outputs);
	char known[CONVERT_FORMAT_NAMES_BYTES];

	if (!output)
		return ENOMEM;
	for (const char *comma = strchr(equals, ','); comma; comma = strchr(comma + 1, ','))
		if (convert_format_of(comma + 1, strcspn(comma + 1, "=,")))
			argp_error(state, "--%s=%s: give --%s once for each format", o->name, text,
				   o->name);
	output->format = convert_format_of(text, (size_t)(equals - text));
	output->path = *equals && equals[1] ? equals + 1 : NULL; /* without: see check_output */
	if (!output->format)
		argp_error(state, "--%s=%s: there is no format %.*s; there are %s", o->name, text,
			   (int)(equals - text), text, convert_format_names(known));
	return 0;
}

static error_t refuse_operand(void *convert, char *operand, struct argp_state *state)
{
	(void)convert;
	argp_error(state,
		   "%s: recordings are given with --profile, the program with "
		   "--binary",
		   operand);
	return EINVAL;
}

static void check_choices(const struct convert *c, struct argp_state *state)
{
	const struct convert_input *input;

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
	vector_each (&c->profiles, input)
		if (c->all && input->subtracted)
			argp_error(state, "--profile=%s: nothing is subtracted with --all",
				   input->path);
}

/* Each format has a file; with --all one directory has them all. */
static void check_output(const struct convert *c, const struct convert_output *o,
			 struct argp_state *state)
{
	const char *format = o->format->name;
	bool keyed = o->format->write_directory != NULL;

	if (c->all && o->path)
		argp_error(state, "--to=%s=%s: with --all only the format is given", format,
			   o->path);
	if (keyed && (c->all || !c->keys_path))
		argp_error(state, "--to=%s: needs --keys, and does not go with --all", format);
	if (keyed && o->path && !strcmp(o->path, "-"))
		argp_error(state, "--to=%s=-: it is a directory, not standard output", format);
	if (!c->all && !o->path)
		argp_error(state, "--to=%s: expected FORMAT=FILE", format);
	if (c->order == PROFILE_ORDER_STARTUP && !strcmp(format, "propeller-order"))
		argp_error(state, "--to=%s: it does not go with --order=startup", format);
}

static error_t convert_end_options(void *convert, struct argp_state *state)
{
	static char recording[] = CLI_RECORDING;
	struct convert *c = convert;
	const struct convert_output *o;
	bool keyed = false;

	check_choices(c, state);
	vector_each (&c->outputs, o) {
		check_output(c, o, state);
		keyed |= o->format->write_directory != NULL;
	}
	if (c->keys_path && !keyed)
		argp_error(state, "--keys goes with --to gcda=OUTDIR");
	if (c->partial_training && !keyed)
		argp_error(state, "--partial-training goes with --to gcda=OUTDIR");
	if (c->scale && !keyed)
		argp_error(state, "--scale goes with --to gcda=OUTDIR");
	c->how.read.any_build = c->force;
	c->how.read.by_period = c->how.ip_samples;
	return c->profiles.count ? 0 : take_profile(c, NULL, recording, state);
}

static const struct option_row rows[] = {
	{"binary", 'b', "FILE",
	 "The program or library to convert for: a file, or the name of a module of the recordings "
	 "(libfoo.so). Without: the recorded program, found by its path and build-id",
	 OPTION_TEXT, OPTION_AT(struct convert, binary_path)},
	{"profile", 0, "FILE[,WEIGHT]",
	 "Recording: perf.data of softlbr record or perf record -b, text of perf script, "
	 "pre-aggregated records, AutoFDO text, or callgrind.out; compressed (gz, zst, xz) or not; "
	 "- is standard input. Several are added up, each multiplied by its WEIGHT, or with a negative one "
	 "subtracted (default perf.data)",
	 OPTION_CALL, .call = take_profile},
	{"input", 'i', .flags = OPTION_ALIAS},
	{CLI_OLD_LETTER('p')},
	{"to", 0, "FORMAT=FILE",
	 "Write FILE (- is standard output) as gcov (gcc -fauto-profile), llvm-text, llvm-binary or "
	 "llvm-extbinary (clang, rustc), fdata (llvm-bolt), preagg (perf2bolt), ranges "
	 "(llvm-profgen), afdo-text (autofdo), pprof (go build -pgo), order or call-graph "
	 "(ld.lld), gold-sections (ld.gold), or propeller (clang -fbasic-block-sections) with "
	 "propeller-order (ld.lld); as gcda, FILE is "
	 "a directory (gcc -fprofile-use; with --keys); may be given several times",
	 OPTION_CALL, .call = take_output},
	{CLI_OLD_LETTER('t')},
	{NULL, 'o', "FILE", NULL, OPTION_CALL, .call = refuse_output, .flags = OPTION_HIDDEN},
	{"format", 0, "FORMAT", NULL, OPTION_CALL, .call = refuse_output, .flags = OPTION_HIDDEN},
	{"keys", 0, "DIR",
	 "With --to gcda=OUTDIR: the directory that softlbr gcc-keys made of the program's sources",
	 OPTION_TEXT, OPTION_AT(struct convert, keys_path)},
	{"partial-training", 0, NULL,
	 "Counters for a build with -fprofile-partial-training: functions without samples have none, "
	 "and gcc compiles them as without a profile",
	 OPTION_SWITCH, OPTION_AT(struct convert, partial_training)},
	{"scale", 0, "N",
	 "Multiply gcda's counters by N (default: what makes the greatest large enough); those of a "
	 "program and its libraries should have the same: the least of what --stats calls the scale",
	 OPTION_NUMBER, OPTION_AT(struct convert, scale), .least = 1, .most = 1u << 30},
	{"force", 0, NULL,
	 "Write files even of an empty profile, of another binary, or of a recording that is cut "
	 "off or damaged, and over files of another kind; the exit status is unchanged",
	 OPTION_SWITCH, OPTION_AT(struct convert, force)},
	{"verbose", 'v', NULL,
	 "Also print how many samples, branches, ranges and lines were used or dropped and why, "
	 "and the other names of executed functions",
	 OPTION_SWITCH, OPTION_AT(struct convert, verbose)},
	{"stats", 0, "FILE", "Write the numbers that -v prints as JSON", OPTION_TEXT,
	 OPTION_AT(struct convert, stats_path)},
	{.help = "Recordings:"},
	{"event", 0, "NAME", "Use the samples of this event only", OPTION_TEXT,
	 OPTION_AT(struct convert, how.read.event)},
	{"frequencies", 0, "auto|raw|reweight|chain",
	 "How branch frequencies are estimated: raw, as recorded; reweight or chain, corrected for "
	 "timer bias; auto (default): reweight where the recording has weights, else chain for "
	 "recordings of softlbr and text of perf script, else raw",
	 OPTION_CHOICE, OPTION_AT(struct convert, how.read.frequencies), .words = cli_frequencies},
	{"input-format", 0, "FORMAT",
	 "Override format detection: perf.data, perf-script, preagg, ranges or callgrind",
	 OPTION_BY(cli_input_format, struct convert, how.read.kind), .value = true},
	{"ip-samples", 0, NULL,
	 "Of recordings without branch stacks use the sampled addresses, weighted by their "
	 "periods, and estimate the branches (see --smooth)",
	 OPTION_SWITCH, OPTION_AT(struct convert, how.ip_samples)},
	{"stride", 0, "BYTES",
	 "Hardware LBR only: drop a doubled newest branch that jumps back farther (default 0x1000)",
	 OPTION_REAL, OPTION_AT(struct convert, how.read.stride), .least = 1, .most = 1e9},
	{"threads", 0, "N",
	 "Count with N threads (default: 2 where there are two processors); the result does not "
	 "depend on it",
	 OPTION_REAL, OPTION_AT(struct convert, how.read.threads), .least = 1, .most = 64},
	{.help = "Binaries and debug information:"},
	{"all", 0, NULL,
	 "Instead of --binary: every module of the recordings whose file is here, with --to FORMAT "
	 "and --output-dir",
	 OPTION_SWITCH, OPTION_AT(struct convert, all)},
	{"output-dir", 0, "DIR", "With --all: write to DIR/MODULE.FORMAT (DIR is made if needed)",
	 OPTION_TEXT, OPTION_AT(struct convert, output_directory)},
	{CLI_SYMFS(struct convert, search)},
	{CLI_PATH_PREFIX(struct convert, search)},
	{.help = "Profiles:"},
	{"gcc", 0, "VERSION",
	 "gcov: for this major version of gcc (default: the one that built the program, else 12)",
	 OPTION_REAL, OPTION_AT(struct convert, gcc), .least = GCOV_OLDEST_GCC, .most = 99},
	{"bolt", 0, "VERSION",
	 "preagg: for this major version of llvm-bolt, traces from 21 on (default: branches and "
	 "ranges, which all versions read)",
	 OPTION_REAL, OPTION_AT(struct convert, bolt), .least = 14, .most = 99},
	{"clang", 0, "VERSION",
	 "propeller: for this major version of clang (default: the oldest one that built a part of "
	 "the program)",
	 OPTION_REAL, OPTION_AT(struct convert, how.clang), .least = 16, .most = 99},
	{"llvm-md5", 0, NULL, "llvm-extbinary: MD5 GUIDs instead of names", OPTION_SWITCH,
	 OPTION_AT(struct convert, llvm_md5)},
	{"llvm-compress", 0, NULL, "llvm-extbinary: compress all sections", OPTION_SWITCH,
	 OPTION_AT(struct convert, llvm_compress)},
	{"llvm-symbols", 0, NULL,
	 "llvm-extbinary: add the names of all functions, so that clang takes those without a "
	 "profile for cold",
	 OPTION_SWITCH, OPTION_AT(struct convert, llvm_symbols)},
	{"order", 0, "calls|hfsort|cdsort|startup",
	 "order, gold-sections, propeller-order: functions by their calls, the hottest first "
	 "(default: cdsort; or hfsort), or, but for the latter, by when each ran first",
	 OPTION_CHOICE, OPTION_AT(struct convert, order), .words = order_names},
	{"smooth", 0, "auto|none|mcf",
	 "none; mcf: the nearest counts that conserve flow within each function, by minimum-cost "
	 "flow; auto (default): mcf for clang, gcda and fdata, of recordings of softlbr, and of "
	 "--ip-samples; else none",
	 OPTION_CHOICE, OPTION_AT(struct convert, how.smooth), .words = smooth_names},
	{.help = "Limits beyond which a profile is poor (status 5):"},
	{CLI_MIN_OVERLAP(struct convert, verdict)},
	{CLI_MIN_BRANCHES(struct convert, verdict)},
	{CLI_MIN_VALID_BRANCHES(struct convert, verdict)},
	{CLI_MAX_INVALID_RANGES(struct convert, verdict)},
	{CLI_MAX_ZERO_HEAD(struct convert, verdict)},
	{.help = "For research:"},
	{"classify-by", 0, "FILE",
	 "To measure what --ip-samples could gain: over- and under-sampled code is determined by "
	 "exact counts of the same run (callgrind.out, pre-aggregated), not by events",
	 OPTION_TEXT, OPTION_AT(struct convert, how.classify_by)},
	{"--smooth=static|flat", 0, NULL,
	 "With --ip-samples, to compare with: branches by heuristics alone; flow with costs that "
	 "do not rise",
	 OPTION_HEADING, .flags = OPTION_DOC},
	{"flow-solver", 0, "auto|simplex|glpk",
	 "Solver of the minimum-cost flow of --smooth: simplex, of our own; glpk, GLPK's "
	 "out-of-kilter solver: as good and far slower, and simplex for functions that are too "
	 "large for it; auto (default): the fastest, which is simplex",
	 OPTION_BY(take_solver, struct convert, how.flow_solver)},
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

const struct option_table cli_convert_options = {
	.rows = rows,
	.doc = doc,
	.usage_status = SOFTLBR_E_USAGE,
	.take = refuse_operand,
	.end = convert_end_options,
};
