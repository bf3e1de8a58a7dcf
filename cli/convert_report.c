/* SPDX-License-Identifier: MIT */
/* What `softlbr convert` tells on standard error. */
#include <inttypes.h>
#include <stdarg.h>
#include <stdio.h>
#include <string.h>

#include "base/file.h"
#include "base/printable.h"
#include "cli/convert.h"
#include "cli/terminal.h"
#include "formats/gcov.h"

/* Few names are printed, so that the whole report has ten lines at most. */
#define MODULES_SHOWN 6

void convert_report_error(const struct softlbr_error *e)
{
	fprintf(stderr, "softlbr convert: error: %s\n", e->text);
}

void convert_report_warning(const char *format, ...)
{
	struct printable text;
	va_list args;

	va_start(args, format);
	vsnprintf(text.text, sizeof(text.text), format, args);
	va_end(args);
	printable_make(text.text);
	fprintf(stderr, "softlbr convert: warning: %s\n", text.text);
}

void convert_report_notes(const struct convert *c)
{
	size_t count = 0;
	const char *const *notes = c->binary ? binary_notes(c->binary, &count) : NULL;

	for (size_t i = 0; i < count; i++)
		fprintf(stderr, "softlbr convert: note: %s\n", PRINTABLE(notes[i]));
}

void convert_report_match(const struct convert *c)
{
	char copied[MODULES_COPIED_BYTES];

	if (modules_copied(&c->conversion.aggregate.result.modules, copied))
		fprintf(stderr, "softlbr convert: note: %s\n", PRINTABLE(copied));
	switch (c->conversion.aggregate.result.match.kind) {
	case MATCH_OTHER_BUILD:
		convert_report_warning(
			"%s is another build than was recorded; converted because of --force, expect "
			"wrong counts",
			c->binary_path);
		break;
	case MATCH_UNNAMED:
		convert_report_warning("the profile does not name the binary it was made of: %s is "
				       "assumed",
				       c->binary_path);
		break;
	case MATCH_BUILD_ID:
		break;
	default:
		convert_report_warning(
			"%s was matched to the recording by its name only: without a "
			"build-id nothing tells whether it is the recorded build",
			c->binary_path);
	}
}

/* ---- what was read and written, and how good it is ------------------------------------------- */

static void print_binary_share(const struct convert *c, uint64_t in, uint64_t all, const char *what)
{
	if (all)
		fprintf(stderr, ", %.1f %% of the %s in %s", 100.0 * (double)in / (double)all, what,
			PRINTABLE(c->binary_path));
}

void convert_report_read(const struct convert *c)
{
	const struct aggregate_result *r = &c->conversion.aggregate.result;
	const struct funnel *f = &r->funnel;

	fputs("read: ", stderr);
	if (c->profiles.count == 1)
		fprintf(stderr, "%s: ",
			strcmp(c->profiles.items[0].path, "-")
				? PRINTABLE(c->profiles.items[0].path)
				: "standard input");
	else
		fprintf(stderr, "%zu recordings: ", c->profiles.count);
	if (f->samples + f->samples_of_other_events)
		fprintf(stderr, "%" PRIu64 " samples", f->samples);
	if (f->samples && f->entries)
		fputs(", ", stderr);
	if (f->entries)
		fprintf(stderr, "%" PRIu64 " branches", funnel_branches(f));
	if (f->entries)
		print_binary_share(c,
				   f->branches_inside + f->branches_entering + f->branches_leaving,
				   funnel_branches(f), "branches");
	else
		print_binary_share(c, f->samples_in_binary, f->samples, "samples");
	if (f->samples_lost)
		fprintf(stderr, "; the recorder lost %" PRIu64 " more samples", f->samples_lost);
	fputc('\n', stderr);
}

static void print_gcc(unsigned gcc)
{
	fprintf(stderr, " for gcc %u", gcc);
	if (gcc > GCOV_NEWEST_GCC)
		fprintf(stderr,
			", which was not tried: gcov version %u, the newest known; gcc-%u "
			"-print-autofdo-gcov-version says which it reads",
			gcov_version_for(gcc), gcc);
}

static void print_written(const struct convert *c, const char *between)
{
	const struct convert_output *o;

	vector_each (&c->outputs, o) {
		fprintf(stderr, "%s%s (%s", between,
			strcmp(o->path, "-") ? PRINTABLE(o->path) : "standard output",
			o->format->name);
		if (!strcmp(o->format->name, "gcov"))
			print_gcc(convert_report_gcc(c));
		fputc(')', stderr);
		between = ", ";
	}
}

void convert_report_written(const struct convert *c)
{
	print_written(c, "wrote: ");
	fputc('\n', stderr);
}

/* Of what ran, less in functions whose blocks were ordered makes it worth a warning. */
#define LEAST_LAID 0.95

void convert_report_layout(const struct convert *c)
{
	const struct block_layouts_stats *s = &c->conversion.layout_stats;
	uint64_t refused = s->unnamed + s->ambiguous + s->contradicted;

	if (!c->conversion.has_layout || !s->bytes ||
	    (double)s->bytes_laid >= LEAST_LAID * (double)s->bytes)
		return;
	convert_report_warning("of what ran in %s, %.0f %% is in functions whose blocks were "
			       "ordered: %" PRIu64 " functions could not be told to clang, and "
			       "the rest has no block address map; -v says why",
			       c->binary_path, 100.0 * (double)s->bytes_laid / (double)s->bytes,
			       refused);
}

static const char *kind_of_samples(const struct convert *c)
{
	if (!conversion_is_ip_only(&c->conversion))
		return "";
	if (c->verdict.status)
		return ": no sampled address is an instruction of the binary";
	return c->conversion.has_ip
		       ? ", made of sampled addresses only: which way branches go is estimated"
		       : ", made of sampled addresses only: source lines have counts, calls and "
			 "function entries have none";
}

void convert_report_verdict(const struct convert *c)
{
	bool refused = c->verdict.status && c->verdict.status != SOFTLBR_E_POOR;
	char why[VERDICT_TEXT_BYTES];

	verdict_explain(&c->verdict, why);
	fprintf(stderr, "profile: %s%s%s%s%s%s",
		terminal_color(stderr, c->verdict.status ? COLOR_BAD : COLOR_GOOD),
		verdict_name(&c->verdict), terminal_color_end(stderr), *why ? ": " : "", why,
		kind_of_samples(c));
	if (refused && c->force)
		fputs("; --force wrote it all the same", stderr);
	else if (c->verdict.status == SOFTLBR_E_BINARY)
		fputs("; nothing was written: --binary must be the recorded file (--force writes it)",
		      stderr);
	else if (refused)
		fputs("; nothing was written (--force writes it)", stderr);
	fputc('\n', stderr);
}

void convert_report_module(const struct convert *c)
{
	bool refused = c->verdict.status && c->verdict.status != SOFTLBR_E_POOR && !c->force;
	char why[VERDICT_TEXT_BYTES];

	verdict_explain(&c->verdict, why);
	fprintf(stderr, "%s: %s%s%s", PRINTABLE(c->binary_path), verdict_name(&c->verdict),
		*why ? ": " : "", why);
	if (refused)
		fputs("; nothing was written (--force writes it)", stderr);
	else
		print_written(c, "; wrote ");
	fputc('\n', stderr);
}

/* ---- smoothing ----------------------------------------------------------------------------- */

static void report_left(const struct convert *c, const struct smooth_left *l, uint64_t more)
{
	const struct flow_solver *solver = c->how.flow_solver;
	char others[64] = "";

	if (more)
		snprintf(others, sizeof(others), ", and likewise %" PRIu64 " more functions", more);
	if (l->too_large)
		convert_report_warning("%s is too large for %s (%" PRIu64 " nodes, %" PRIu64
				       " arcs), which takes up to %s: simplex smoothed it%s",
				       l->function, solver->name, l->nodes, l->arcs, solver->limits,
				       others);
	else
		convert_report_warning("%s gave up on %s (%" PRIu64 " nodes, %" PRIu64
				       " arcs): simplex smoothed it%s",
				       solver->name, l->function, l->nodes, l->arcs, others);
}

void convert_report_solver(const struct convert *c)
{
	const struct smooth_stats *s = c->conversion.has_ip ? &c->conversion.ip.smooth
							    : &c->conversion.smooth_stats;
	uint64_t left = s->flow.too_large + s->flow.given_up;
	uint64_t shown = !c->verbose && left	    ? 1
			 : left < SMOOTH_LEFT_NAMED ? left
						    : SMOOTH_LEFT_NAMED;

	for (uint64_t i = 0; i < shown; i++)
		report_left(c, &s->left[i], i + 1 < shown ? 0 : left - shown);
}

/* The functions that ran, by their beginning; false without memory. */
static bool find_run(const struct convert *c, struct map *ran)
{
	for (struct map_entry *r = NULL;
	     (r = map_next(&c->conversion.recorded.branches.ranges, r));) {
		const struct binary_function *f = binary_function_at(c->binary, r->a);

		if (f && !map_at(ran, f->begin, 0))
			return false;
	}
	return true;
}

void convert_report_aliases(const struct convert *c)
{
	size_t count;
	const struct binary_alias *alias = binary_aliases(c->binary, &count);
	const struct binary_function *last = NULL;
	struct map ran = {0};

	for (size_t i = 0; i < count && (i || find_run(c, &ran)); i++) {
		const struct binary_function *f = binary_function_at(c->binary, alias[i].va);

		if (!f || !map_find(&ran, f->begin, 0))
			continue;
		if (f != last)
			fprintf(stderr, "%s has the counts of:\n", PRINTABLE(f->name));
		fprintf(stderr, "  %s\n", PRINTABLE(alias[i].name));
		last = f;
	}
	map_deinit(&ran);
}

void convert_report_modules(const struct convert *c)
{
	const struct aggregate *a = &c->conversion.aggregate;
	size_t top[MODULES_SHOWN], n = aggregate_top_modules(&a->result, top, MODULES_SHOWN);
	char id[41];

	if (!n)
		return;
	fprintf(stderr, "The %s are in these modules:\n",
		a->result.funnel.entries ? "branches" : "samples");
	for (size_t i = 0; i < n; i++) {
		const struct module *m = &a->result.modules.items.items[top[i]];

		branch_profile_build_id_text(&m->build_id, id);
		fprintf(stderr, "  %6.2f %%  %-40s  %s\n",
			100.0 * (double)aggregate_module_share(&a->result, top[i]) /
				(double)aggregate_whole(&a->result),
			id, PRINTABLE(modules_path(&a->result.modules, top[i])));
	}
}

/* ---- the command that uses an output ------------------------------------------------------- */

/* By the compiler that made most of the code that ran: a profile is of use to that one alone, since
 * lines, discriminators and names are its. */

/* A word of a command line as a shell wants it. */
static void print_word(const char *word)
{
	static const char plain[] = "abcdefghijklmnopqrstuvwxyzABCDEFGHIJKLMNOPQRSTUVWXYZ"
				    "0123456789-_./=+,:@%";

	if (*word && strspn(word, plain) == strlen(word)) {
		fputs(word, stderr);
		return;
	}
	fputc('\'', stderr);
	for (; *word; word++) {
		if (*word == '\'')
			fputs("'\\''", stderr);
		else
			fputc(*word, stderr);
	}
	fputc('\'', stderr);
}

static struct producer producer_of(const struct convert *c)
{
	const struct attribute_stats *s = conversion_attributed(&c->conversion);

	return s ? s->producer : (struct producer){PRODUCER_UNKNOWN, "", 0, 0};
}

unsigned convert_report_gcc(const struct convert *c)
{
	struct producer p = producer_of(c);

	if (c->gcc)
		return c->gcc;
	return p.compiler == PRODUCER_GCC && p.major >= GCOV_OLDEST_GCC ? p.major
									: GCOV_DEFAULT_GCC;
}

/* "clang++ 16", "rustc 1.63" */
static void print_producer(const struct producer *p)
{
	fputs(p->driver, stderr);
	if (p->compiler == PRODUCER_RUSTC || p->compiler == PRODUCER_GO ||
	    p->compiler == PRODUCER_LDC)
		fprintf(stderr, " %u.%u", p->major, p->minor);
	else if (p->major)
		fprintf(stderr, " %u", p->major);
}

/* The compiler that made the program takes no @format: say so, and what does. */
static bool advise_another(const struct convert *c, const struct producer *p, const char *format,
			   bool takes)
{
	if (takes)
		return false;
	fputs("next: ", stderr);
	print_word(c->binary_path);
	fputs(" was built by ", stderr);
	print_producer(p);
	fprintf(stderr, ", which reads no %s: ", format);
	if (p->compiler == PRODUCER_GO)
		fputs("write --to pprof=FILE for go build -pgo (Go 1.20 and later)\n", stderr);
	else if (p->compiler == PRODUCER_GCC)
		fprintf(stderr, "write --to gcov=FILE for %s\n", p->driver);
	else
		fprintf(stderr, "write --to llvm-extbinary=FILE for %s\n", p->driver);
	return true;
}

void convert_report_use_gcov(const struct convert *c, const char *path)
{
	struct producer p = producer_of(c);
	unsigned version = convert_report_gcc(c);
	bool takes = p.compiler != PRODUCER_CLANG && p.compiler != PRODUCER_RUSTC &&
		     p.compiler != PRODUCER_GO && p.compiler != PRODUCER_LDC;

	if (advise_another(c, &p, "gcov profile", takes))
		return;
	fprintf(stderr,
		"next: %s-%u -O2 -fauto-profile=", p.compiler == PRODUCER_GCC ? p.driver : "gcc",
		version);
	print_word(path);
	/*
	 * With the dynamic cost model GCC 12's vectorizer divides by zero on such profiles. GCC
	 * before 11 does not know this option's value.
	 */
	if (version == 11 || version == 12)
		fputs(" -fvect-cost-model=very-cheap", stderr);
	fputs(" ...\n", stderr);
}

void convert_report_use_llvm(const struct convert *c, const char *path)
{
	struct producer p = producer_of(c);
	bool takes = p.compiler != PRODUCER_GCC && p.compiler != PRODUCER_GO;

	if (advise_another(c, &p, "LLVM sample profile", takes))
		return;
	if (p.compiler == PRODUCER_RUSTC) {
		/* rustc has the option since 1.55, unstable to this day */
		fputs("next: RUSTC_BOOTSTRAP=1 rustc -O -g -Zprofile-sample-use=", stderr);
		print_word(path);
		fputs(" ... (nightly rustc needs no RUSTC_BOOTSTRAP)\n", stderr);
		return;
	}
	if (p.compiler == PRODUCER_LDC) {
		fputs("next: ldc2 -O2 -g --fprofile-sample-use=", stderr);
		print_word(path);
		fputs(" ...\n", stderr);
		return;
	}
	fprintf(stderr, "next: %s", p.compiler == PRODUCER_CLANG ? p.driver : "clang");
	if (p.compiler == PRODUCER_CLANG && p.major)
		fprintf(stderr, "-%u", p.major);
	fputs(" -O2 -fprofile-sample-use=", stderr);
	print_word(path);
	fputs(" -mllvm -sample-profile-use-profi ...\n", stderr);
}

void convert_report_use_fdata(const struct convert *c, const char *path)
{
	/* strip removes relocations with the symbols that they name */
	const bool moves = binary_has_relocations(c->binary);
	const char *rest =
		moves ? ""
		: binary_is_stripped(c->binary)
			? " --allow-stripped # without -Wl,-q functions stay in their order; "
			  "llvm-bolt 16: without --allow-stripped"
			: " # without -Wl,-q functions stay in their order";

	fputs("next: llvm-bolt ", stderr);
	print_word(c->binary_path);
	fputs(" -data=", stderr);
	print_word(path);
	fputs(" -o ", stderr); /* here: where a program is installed not everybody may write */
	print_word(file_base_name(c->binary_path));
	fprintf(stderr,
		".bolt -reorder-blocks=ext-tsp%s -split-functions -split-all-cold -dyno-stats "
		"-stale-threshold=0%s\n",
		moves ? " -reorder-functions=hfsort" : "", rest);
}

void convert_report_use_preagg(const struct convert *c, const char *path)
{
	if (binary_is_bolted(c->binary) && !binary_has_bolt_table(c->binary)) {
		fputs("next: ", stderr);
		print_word(c->binary_path);
		fputs(" was made by llvm-bolt without -enable-bat: perf2bolt does not take it\n",
		      stderr);
		return;
	}
	fputs("next: perf2bolt ", stderr);
	print_word(c->binary_path);
	fputs(" --pa -p ", stderr);
	print_word(path);
	fputs(" -o ", stderr);
	print_word(path);
	fputs(".fdata\n", stderr);
}

void convert_report_use_ranges(const struct convert *c, const char *path)
{
	fputs("next: llvm-profgen --binary=", stderr);
	print_word(c->binary_path);
	fputs(" --use-offset=0 --unsymbolized-profile=", stderr);
	print_word(path);
	fputs(" --output=", stderr);
	print_word(path);
	fputs(".prof\n", stderr);
}

void convert_report_use_autofdo(const struct convert *c, const char *path)
{
	bool gcc = producer_of(c).compiler == PRODUCER_GCC;

	fputs(gcc ? "next: create_gcov --binary=" : "next: create_llvm_prof --binary=", stderr);
	print_word(c->binary_path);
	fputs(" --profiler=text --profile=", stderr);
	print_word(path);
	fputs(gcc ? " --gcov=" : " --format=text --out=", stderr);
	print_word(path);
	fputs(gcc ? ".gcov\n" : ".prof\n", stderr);
}

void convert_report_use_pprof(const struct convert *c, const char *path)
{
	struct producer p = producer_of(c);

	if (advise_another(c, &p, "pprof profile", p.compiler == PRODUCER_GO))
		return;
	fputs("next: go build -pgo=", stderr);
	print_word(path);
	fputs(" ...\n", stderr);
}

/* Sections of their own are what linkers can place. */
static void advise_linker(const char *linker, const char *option, const char *path)
{
	fprintf(stderr,
		"next: build with -ffunction-sections, and link with -fuse-ld=%s -Wl,%s=", linker,
		option);
	print_word(path);
	fputc('\n', stderr);
}

void convert_report_use_order(const struct convert *c, const char *path)
{
	(void)c;
	advise_linker("lld", "--no-warn-symbol-ordering,--symbol-ordering-file", path);
}

void convert_report_use_call_graph(const struct convert *c, const char *path)
{
	(void)c;
	advise_linker("lld", "--no-warn-symbol-ordering,--call-graph-ordering-file", path);
}

void convert_report_use_gold_sections(const struct convert *c, const char *path)
{
	(void)c;
	advise_linker("gold", "--section-ordering-file", path);
}

void convert_report_use_propeller(const struct convert *c, const char *path)
{
	(void)c;
	fputs("next: build with the same options and -fbasic-block-sections=list=", stderr);
	print_word(path);
	fputc('\n', stderr);
}

/* Is it the first output of those that are used alike, and no pipe to whoever reads it? */
static bool wants_advice(const struct convert *c, const struct convert_output *o)
{
	const struct convert_output *before;

	if (!strcmp(o->path, "-"))
		return false;
	vector_each (&c->outputs, before) {
		if (before == o)
			return true;
		if (before->format->advise == o->format->advise && strcmp(before->path, "-") != 0)
			return false;
	}
	return true;
}

void convert_report_uses(const struct convert *c)
{
	const struct convert_output *o;

	vector_each (&c->outputs, o)
		if (wants_advice(c, o))
			o->format->advise(c, o->path);
}
