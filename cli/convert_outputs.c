/* SPDX-License-Identifier: MIT */
/* The formats that `softlbr convert` writes, and the command lines that use them. */
#include <stdio.h>
#include <string.h>

#include "base/error.h"
#include "cli/convert.h"
#include "formats/fdata.h"
#include "formats/gcov.h"
#include "formats/llvm_text.h"
#include "formats/preagg.h"

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

static int write_gcov(struct convert *c, const char *path, struct softlbr_error *e)
{
	return gcov_write(&c->source, c->gcc, path, e);
}

static void advise_gcov(const struct convert *c, const char *path)
{
	fprintf(stderr, "  gcc-%u -O2 -fauto-profile=", c->gcc);
	print_word(path);
	/* with the dynamic cost model, GCC 12 divides by zero in the vectorizer on such profiles */
	if (c->gcc <= 12)
		fputs(" -fvect-cost-model=very-cheap", stderr);
	fputs(" ...\n", stderr);
}

static int write_llvm_text(struct convert *c, const char *path, struct softlbr_error *e)
{
	return llvm_text_write(&c->source, path, e);
}

static void advise_llvm_text(const struct convert *c, const char *path)
{
	(void)c;
	fputs("  clang -O2 -fprofile-sample-use=", stderr);
	print_word(path);
	fputs(" -mllvm -sample-profile-use-profi ...\n", stderr);
}

static int write_fdata(struct convert *c, const char *path, struct softlbr_error *e)
{
	struct bolt_profile p;
	int rc;

	if (bolt_profile_init(&p))
		return error_set_nomem(e);
	rc = bolt_convert(c->binary, &c->clean, &p, &c->bolt, e);
	c->has_bolt = !rc;
	if (!rc)
		rc = fdata_write(&p, path, e);
	bolt_profile_deinit(&p);
	return rc;
}

static void advise_fdata(const struct convert *c, const char *path)
{
	fputs("  llvm-bolt ", stderr);
	print_word(c->binary_path);
	fputs(" -data=", stderr);
	print_word(path);
	fputs(" -o ", stderr);
	print_word(c->binary_path);
	fputs(".bolt -reorder-blocks=ext-tsp -reorder-functions=hfsort -split-functions "
	      "-split-all-cold -dyno-stats -stale-threshold=0\n"
	      "    (link the program with -Wl,-q; without it leave -reorder-functions out)\n",
	      stderr);
}

static bool same_function(void *context, uint64_t from, uint64_t to)
{
	const struct binary_function *f = binary_function_at(context, from);

	return f && to >= f->begin && to < f->end;
}

static int write_preagg(struct convert *c, const char *path, struct softlbr_error *e)
{
	return preagg_write(&c->clean, same_function, c->binary, path, e);
}

static void advise_preagg(const struct convert *c, const char *path)
{
	fputs("  perf2bolt ", stderr);
	print_word(c->binary_path);
	fputs(" --pa -p ", stderr);
	print_word(path);
	fputs(" -o ", stderr);
	print_word(path);
	fputs(".fdata\n", stderr);
}

static const struct convert_format formats[] = {
	{"gcov", true, write_gcov, advise_gcov},
	{"llvm-text", true, write_llvm_text, advise_llvm_text},
	{"fdata", false, write_fdata, advise_fdata},
	{"preagg", false, write_preagg, advise_preagg},
};

const struct convert_format *convert_format_of(const char *name, size_t length)
{
	for (size_t i = 0; i < sizeof(formats) / sizeof(*formats); i++)
		if (strlen(formats[i].name) == length && !memcmp(formats[i].name, name, length))
			return &formats[i];
	return NULL;
}

const char *convert_format_names(void)
{
	return "gcov, llvm-text, fdata, preagg";
}
