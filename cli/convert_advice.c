/* SPDX-License-Identifier: MIT */
/*
 * The command that uses what `softlbr convert` wrote, by the compiler that made most of the code
 * that ran: a profile is of use to that one alone, since lines, discriminators and names are its.
 */
#include <inttypes.h>
#include <stdio.h>
#include <string.h>

#include "cli/convert.h"
#include "formats/gcov.h"

#define DEFAULT_GCC 12

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

unsigned convert_advice_gcc(const struct convert *c)
{
	struct producer p = producer_of(c);

	if (c->gcc)
		return c->gcc;
	return p.compiler == PRODUCER_GCC && p.major >= GCOV_OLDEST_GCC &&
			       p.major <= GCOV_NEWEST_GCC
		       ? p.major
		       : DEFAULT_GCC;
}

/* "clang++ 16", "rustc 1.63" */
static void print_producer(const struct producer *p)
{
	fputs(p->driver, stderr);
	if (p->compiler == PRODUCER_RUSTC || p->compiler == PRODUCER_GO)
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
		fputs("go build -pgo takes pprof files, from Go 1.20 on\n", stderr);
	else if (p->compiler == PRODUCER_GCC)
		fprintf(stderr, "write --to gcov=FILE for %s\n", p->driver);
	else
		fprintf(stderr, "write --to llvm-extbinary=FILE for %s\n", p->driver);
	return true;
}

void convert_advice_gcov(const struct convert *c, const char *path)
{
	struct producer p = producer_of(c);
	unsigned version = convert_advice_gcc(c);
	bool takes = p.compiler != PRODUCER_CLANG && p.compiler != PRODUCER_RUSTC &&
		     p.compiler != PRODUCER_GO;

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

/* rustc has the option since 1.55, unstable to this day. */
static void advise_rustc(const char *path)
{
	fputs("next: RUSTC_BOOTSTRAP=1 rustc -O -g -Zprofile-sample-use=", stderr);
	print_word(path);
	fputs(" ... (nightly rustc needs no RUSTC_BOOTSTRAP)\n", stderr);
}

void convert_advice_llvm(const struct convert *c, const char *path)
{
	struct producer p = producer_of(c);
	bool takes = p.compiler != PRODUCER_GCC && p.compiler != PRODUCER_GO;

	if (advise_another(c, &p, "LLVM sample profile", takes))
		return;
	if (p.compiler == PRODUCER_RUSTC) {
		advise_rustc(path);
		return;
	}
	fprintf(stderr, "next: %s", p.compiler == PRODUCER_CLANG ? p.driver : "clang");
	if (p.compiler == PRODUCER_CLANG && p.major)
		fprintf(stderr, "-%u", p.major);
	fputs(" -O2 -fprofile-sample-use=", stderr);
	print_word(path);
	fputs(" -mllvm -sample-profile-use-profi ...\n", stderr);
}

void convert_advice_fdata(const struct convert *c, const char *path)
{
	fputs("next: llvm-bolt ", stderr);
	print_word(c->binary_path);
	fputs(" -data=", stderr);
	print_word(path);
	fputs(" -o ", stderr);
	print_word(c->binary_path);
	fputs(".bolt -reorder-blocks=ext-tsp -reorder-functions=hfsort -split-functions "
	      "-split-all-cold -dyno-stats -stale-threshold=0 (omit -reorder-functions if the program "
	      "was linked without -Wl,-q",
	      stderr);
	if (binary_is_stripped(c->binary))
		fputs("; the program is stripped: add --allow-stripped for llvm-bolt 19, not "
		      "for 16",
		      stderr);
	fputs(")\n", stderr);
}

void convert_advice_preagg(const struct convert *c, const char *path)
{
	fputs("next: perf2bolt ", stderr);
	print_word(c->binary_path);
	fputs(" --pa -p ", stderr);
	print_word(path);
	fputs(" -o ", stderr);
	print_word(path);
	fputs(".fdata\n", stderr);
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

void convert_advice_print(const struct convert *c)
{
	const struct convert_output *o;

	vector_each (&c->outputs, o)
		if (wants_advice(c, o))
			o->format->advise(c, o->path);
}
