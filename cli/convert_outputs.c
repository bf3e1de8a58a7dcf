/* SPDX-License-Identifier: MIT */
/* The formats that `softlbr convert` writes, and the command lines that use them. */
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "base/error.h"
#include "base/memory.h"
#include "cli/convert.h"
#include "converter/pipeline/branch_output.h"
#include "formats/fdata.h"
#include "formats/gcov.h"
#include "formats/llvm_binary.h"
#include "formats/llvm_text.h"
#include "formats/model/source_names.h"

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

static int write_gcov(const struct convert *c, const struct conversion_counts *counts, FILE *out,
		      struct softlbr_error *e)
{
	return gcov_write_to(&counts->source, c->gcc, out, e);
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

static int write_llvm_text(const struct convert *c, const struct conversion_counts *counts,
			   FILE *out, struct softlbr_error *e)
{
	(void)c;
	return llvm_text_write_to(&counts->source, out, e);
}

static void advise_llvm_text(const struct convert *c, const char *path)
{
	(void)c;
	fputs("  clang -O2 -fprofile-sample-use=", stderr);
	print_word(path);
	fputs(" -mllvm -sample-profile-use-profi ...\n", stderr);
}

static int by_text(const void *x, const void *y)
{
	return strcmp(*(const char *const *)x, *(const char *const *)y);
}

/* The names of all functions of the binary as clang looks them up, sorted, each once. */
static const char **symbol_list(const struct convert *c, struct strings *names, size_t *count)
{
	size_t functions, n = 0, kept = 0;
	const struct binary_function *f = binary_functions(c->binary, &functions);
	const char **list = memory_alloc_array(functions + 1, sizeof(*list));

	for (size_t i = 0; list && i < functions; i++) {
		uint32_t number = strings_add(names, f[i].name,
					      source_name_length(f[i].name, SOURCE_NAMES_LLVM));

		if (number == STRINGS_NONE) {
			memory_free(list);
			return NULL;
		}
		list[n++] = strings_text(names, number);
	}
	if (list && n > 1)
		qsort(list, n, sizeof(*list), by_text);
	for (size_t i = 0; list && i < n; i++)
		if (!kept || strcmp(list[kept - 1], list[i]))
			list[kept++] = list[i];
	*count = kept;
	return list;
}

static int write_llvm_binary(const struct convert *c, const struct conversion_counts *counts,
			     FILE *out, struct softlbr_error *e)
{
	const struct llvm_binary_options how = {.sections = false};

	(void)c;
	return llvm_binary_write_to(&counts->source, &how, out, e);
}

static int write_llvm_extbinary(const struct convert *c, const struct conversion_counts *counts,
				FILE *out, struct softlbr_error *e)
{
	struct llvm_binary_options how = {
		.sections = true, .md5 = c->llvm_md5, .compressed = c->llvm_compress};
	struct strings *names = strings_new();
	const char **list = NULL;
	int rc = 0;

	if (!names)
		return error_set_nomem(e);
	if (c->llvm_symbols) {
		list = symbol_list(c, names, &how.symbol_count);
		how.symbols = list;
		rc = list ? 0 : error_set_nomem(e);
	}
	if (!rc)
		rc = llvm_binary_write_to(&counts->source, &how, out, e);
	memory_free(list);
	strings_free(names);
	return rc;
}

static int write_fdata(const struct convert *c, const struct conversion_counts *counts, FILE *out,
		       struct softlbr_error *e)
{
	(void)counts;
	return fdata_write_to(&c->conversion.bolt, out, e);
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

static int write_preagg(const struct convert *c, const struct conversion_counts *counts, FILE *out,
			struct softlbr_error *e)
{
	return branch_output_preagg_to(c->binary, &counts->branches, out, e);
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
	{"gcov", CONVERSION_GCC, false, write_gcov, advise_gcov},
	{"llvm-text", CONVERSION_CLANG, false, write_llvm_text, advise_llvm_text},
	{"llvm-binary", CONVERSION_CLANG, false, write_llvm_binary, advise_llvm_text},
	{"llvm-extbinary", CONVERSION_CLANG, false, write_llvm_extbinary, advise_llvm_text},
	{"fdata", CONVERSION_BRANCHES, true, write_fdata, advise_fdata},
	{"preagg", CONVERSION_BRANCHES, false, write_preagg, advise_preagg},
};

const struct convert_format *convert_format_of(const char *name, size_t length)
{
	for (size_t i = 0; i < sizeof(formats) / sizeof(*formats); i++)
		if (strlen(formats[i].name) == length && !memcmp(formats[i].name, name, length))
			return &formats[i];
	return NULL;
}

const char *convert_format_names(char text[CONVERT_FORMAT_NAMES_BYTES])
{
	*text = '\0';
	for (size_t i = 0; i < sizeof(formats) / sizeof(*formats); i++)
		error_add_name(text, CONVERT_FORMAT_NAMES_BYTES, formats[i].name);
	return text;
}

int convert_outputs_check(const struct convert *c, struct softlbr_error *e)
{
	const struct convert_output *o;
	int rc = 0;

	vector_each (&c->outputs, o) {
		struct file_guard_kind kind = profile_kind_guarded(
			profile_kind_named(o->format->name));

		if (!rc)
			rc = file_guard_output(c->guard, o->path, e);
		if (!rc && !c->force)
			rc = file_guard_replace(o->path, &kind, e);
	}
	return rc;
}

int convert_outputs_write(struct convert *c, struct file_outputs *to, struct softlbr_error *e)
{
	struct conversion *from = &c->conversion;
	const struct convert_output *o;
	int rc = 0;

	vector_each (&c->outputs, o) {
		FILE *out;

		if (o->format->bolt && !from->has_bolt)
			rc = conversion_make_bolt(from, e);
		if (!rc)
			rc = file_outputs_open(to, o->path, &out, e);
		if (!rc)
			rc = o->format->write(c, conversion_counts_of(from, o->format->use), out,
					      e);
		if (!rc)
			rc = file_outputs_finish(to, e);
		if (rc)
			break;
	}
	return rc;
}
