/* SPDX-License-Identifier: MIT */
/* The formats that `softlbr convert` writes. */
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "base/error.h"
#include "base/file_output.h"
#include "base/json.h"
#include "base/memory.h"
#include "base/order.h"
#include "cli/convert.h"
#include "formats/call_tree_formats.h"
#include "converter/pipeline/block_outputs.h"
#include "converter/pipeline/profile_outputs.h"
#include "formats/fdata.h"
#include "formats/gcov.h"
#include "formats/llvm_profile.h"
#include "formats/model/source_profile.h"
#include "formats/order_files.h"
#include "formats/pprof_calls.h"
#include "formats/ranges_text.h"

static int write_gcov(const struct convert *c, const struct conversion_counts *counts, FILE *out,
		      struct softlbr_error *e)
{
	return gcov_write_to(&counts->source, convert_report_gcc(c), out, e);
}

static int write_llvm_text(const struct convert *c, const struct conversion_counts *counts,
			   FILE *out, struct softlbr_error *e)
{
	(void)c;
	return llvm_text_write_to(&counts->source, out, e);
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
		qsort(list, n, sizeof(*list), order_texts);
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

static int write_preagg(const struct convert *c, const struct conversion_counts *counts, FILE *out,
			struct softlbr_error *e)
{
	return profile_outputs_preagg_to(c->binary, &counts->branches, c->bolt, out, e);
}

static int write_ranges(const struct convert *c, const struct conversion_counts *counts, FILE *out,
			struct softlbr_error *e)
{
	(void)c;
	return ranges_text_write_to(&counts->branches, false, out, e);
}

static int write_autofdo(const struct convert *c, const struct conversion_counts *counts, FILE *out,
			 struct softlbr_error *e)
{
	return profile_outputs_autofdo_to(c->binary, &counts->branches, out, e);
}

static int write_pprof(const struct convert *c, const struct conversion_counts *counts, FILE *out,
		       struct softlbr_error *e)
{
	(void)c;
	return pprof_calls_write_to(&counts->source, out, e);
}

static int write_functions(const struct convert *c, const struct conversion_counts *counts,
			   profile_outputs_order_writer *write, FILE *out, struct softlbr_error *e)
{
	return profile_outputs_order_to(c->binary, &counts->branches,
					&c->conversion.aggregate.result.first_runs, c->order, write,
					out, e);
}

static int write_order(const struct convert *c, const struct conversion_counts *counts, FILE *out,
		       struct softlbr_error *e)
{
	return write_functions(c, counts, order_files_write_names, out, e);
}

static int write_call_graph(const struct convert *c, const struct conversion_counts *counts,
			    FILE *out, struct softlbr_error *e)
{
	return write_functions(c, counts, order_files_write_calls, out, e);
}

static int write_gold_sections(const struct convert *c, const struct conversion_counts *counts,
			       FILE *out, struct softlbr_error *e)
{
	return write_functions(c, counts, order_files_write_sections, out, e);
}

static int write_propeller(const struct convert *c, const struct conversion_counts *counts,
			   FILE *out, struct softlbr_error *e)
{
	(void)counts;
	return block_outputs_blocks_to(&c->conversion, out, e);
}

static int write_propeller_order(const struct convert *c, const struct conversion_counts *counts,
				 FILE *out, struct softlbr_error *e)
{
	(void)counts;
	return block_outputs_symbols_to(&c->conversion, c->order, out, e);
}

static int make_bolt(struct conversion *c, struct softlbr_error *e)
{
	return c->has_bolt ? 0 : conversion_make_bolt(c, e);
}

static const struct convert_format formats[] = {
	{"gcov", PROFILE_GCOV, CONVERSION_GCC, NULL, write_gcov, NULL, convert_report_use_gcov},
	{"gcda", PROFILE_GCDA, CONVERSION_COUNTERS, NULL, NULL, convert_counters_write,
	 convert_counters_advise},
	{"llvm-text", PROFILE_LLVM_TEXT, CONVERSION_CLANG, NULL, write_llvm_text, NULL,
	 convert_report_use_llvm},
	{"llvm-binary", PROFILE_LLVM_BINARY, CONVERSION_CLANG, NULL, write_llvm_binary, NULL,
	 convert_report_use_llvm},
	{"llvm-extbinary", PROFILE_LLVM_EXTBINARY, CONVERSION_CLANG, NULL, write_llvm_extbinary,
	 NULL, convert_report_use_llvm},
	{"fdata", PROFILE_FDATA, CONVERSION_BOLT, make_bolt, write_fdata, NULL,
	 convert_report_use_fdata},
	{"preagg", PROFILE_PREAGG, CONVERSION_BRANCHES, NULL, write_preagg, NULL,
	 convert_report_use_preagg},
	{"ranges", PROFILE_RANGES, CONVERSION_BRANCHES, NULL, write_ranges, NULL,
	 convert_report_use_ranges},
	{"afdo-text", PROFILE_RANGES, CONVERSION_BRANCHES, NULL, write_autofdo, NULL,
	 convert_report_use_autofdo},
	{"pprof", PROFILE_UNKNOWN, CONVERSION_CLANG, NULL, write_pprof, NULL,
	 convert_report_use_pprof},
	{"order", PROFILE_UNKNOWN, CONVERSION_BRANCHES, NULL, write_order, NULL,
	 convert_report_use_order},
	{"call-graph", PROFILE_UNKNOWN, CONVERSION_BRANCHES, NULL, write_call_graph, NULL,
	 convert_report_use_call_graph},
	{"gold-sections", PROFILE_UNKNOWN, CONVERSION_BRANCHES, NULL, write_gold_sections, NULL,
	 convert_report_use_gold_sections},
	{"propeller", PROFILE_UNKNOWN, CONVERSION_BOLT, block_outputs_make, write_propeller, NULL,
	 convert_report_use_propeller},
	{"propeller-order", PROFILE_UNKNOWN, CONVERSION_BOLT, block_outputs_make,
	 write_propeller_order, NULL, convert_report_use_order},
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

/* What may be replaced by it. */
static struct file_guard_kind guarded(const struct convert_format *format)
{
	if (format->kind != PROFILE_UNKNOWN)
		return profile_kind_guarded(format->kind);
	if (format->write == write_pprof)
		return (struct file_guard_kind){.name = "a profile of pprof", .is = pprof_is_file};
	return (struct file_guard_kind){.name = "an order file of softlbr", .is = order_files_are};
}

int convert_outputs_check(const struct convert *c, struct softlbr_error *e)
{
	const struct convert_output *o;
	int rc = 0;

	vector_each (&c->outputs, o) {
		struct file_guard_kind kind = guarded(o->format);

		if (rc)
			break;
		if (o->format->write_directory) {
			rc = file_guard_input(c->guard, c->keys_path, e);
			continue;
		}
		rc = file_guard_output(c->guard, o->path, e);
		if (!rc && !c->force)
			rc = file_guard_replace(o->path, &kind, e);
	}
	if (!rc && c->stats_path)
		rc = file_guard_output(c->guard, c->stats_path, e);
	if (!rc && c->stats_path && !c->force)
		rc = file_guard_replace(c->stats_path, &json_file_kind, e);
	return rc;
}

int convert_outputs_write(struct convert *c, struct file_outputs *to, struct softlbr_error *e)
{
	struct conversion *from = &c->conversion;
	const struct convert_output *o;
	int rc = 0;

	vector_each (&c->outputs, o) {
		FILE *out;

		if (o->format->write_directory) {
			rc = o->format->write_directory(c, o->path, to, e);
			if (rc)
				break;
			continue;
		}
		if (o->format->make)
			rc = o->format->make(from, e);
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
