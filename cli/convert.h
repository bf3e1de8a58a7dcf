/* SPDX-License-Identifier: MIT */
/* What the files of `softlbr convert` share. */
#pragma once

#include "base/file_output.h"
#include "base/vector.h"
#include "converter/elf/debug_search.h"
#include "converter/pipeline/conversion.h"
#include "converter/pipeline/profile_outputs.h"
#include "converter/pipeline/verdict.h"
#include "formats/profile_kind.h"

struct convert;

/* A kind of output: what it is made from, and how. */
struct convert_format {
	const char *name;
	enum profile_kind kind; /* PROFILE_UNKNOWN: one that softlbr does not read */
	enum conversion_use use;
	int (*make)(struct conversion *c, struct softlbr_error *e); /* what it needs; or NULL */
	int (*write)(const struct convert *c, const struct conversion_counts *counts, FILE *out,
		     struct softlbr_error *e);
	/* Instead of `write`: files below a directory. */
	int (*write_directory)(const struct convert *c, const char *path, struct file_outputs *to,
			       struct softlbr_error *e);
	/* Print the command line that uses the file. */
	void (*advise)(const struct convert *c, const char *path);
};

struct convert_input {
	const char *path;
	uint64_t weight;
	bool subtracted;
};

struct convert_output {
	const struct convert_format *format;
	const char *path;
};

struct convert {
	/* what the options say */
	const char *binary_path; /* NULL, or a module's name, until convert_program found it */
	VECTOR(struct convert_input) profiles;
	VECTOR(struct convert_output) outputs;
	bool all; /* every module of the recordings, into output_directory */
	const char *output_directory;
	struct debug_search search;
	struct conversion_options how;
	unsigned gcc;  /* major version; 0: the one that built the program */
	unsigned bolt; /* major version of llvm-bolt; 0: any */
	enum profile_order order;
	const char *keys_path; /* the directory of gcc-keys, for gcda */
	bool partial_training;
	unsigned scale; /* of counters for gcc; 0: of the greatest one */
	const char *stats_path;
	bool force, verbose;
	bool llvm_md5, llvm_compress, llvm_symbols; /* for llvm-extbinary */

	struct file_guard *guard;      /* knows all inputs */
	struct file_outputs *together; /* outputs are handed to it, not renamed; or NULL */

	/* what the conversion makes */
	struct binary *binary;
	struct conversion conversion;
	struct profile_outputs counters; /* for gcda */
	double halves;		/* overlap of two halves of the recordings; NaN: not known */
	struct verdict verdict; /* begins with the limits asked for */
	bool unwritable;	/* an output could not be written */
	bool written;		/* the outputs were written, maybe by --force */
};

/* ---- convert_one.c */

/* Read the recordings into c->conversion, for c->binary; an error ends the conversion. */
int convert_read(struct convert *c, struct softlbr_error *e);
/* Convert for c->binary_path, of what was read into @counted or, NULL, of what is read now; the
 * exit status. */
int convert_one(struct convert *c, struct conversion *counted);

/* ---- convert_outputs.c */

/* May the outputs be written? Neither over an input or one another, nor, without --force, over a
 * file of another kind. */
int convert_outputs_check(const struct convert *c, struct softlbr_error *e);
/* Write all to temporary files, which the caller renames or removes. */
int convert_outputs_write(struct convert *c, struct file_outputs *to, struct softlbr_error *e);
/* The format of that name, or NULL. */
const struct convert_format *convert_format_of(const char *name, size_t length);
#define CONVERT_FORMAT_NAMES_BYTES 200
/* "gcov, llvm-text, ..." into @text, which it returns. */
const char *convert_format_names(char text[CONVERT_FORMAT_NAMES_BYTES]);

/* ---- convert_counters.c */

/* Make c->counters. */
int convert_counters_make(struct convert *c, struct softlbr_error *e);
int convert_counters_write(const struct convert *c, const char *path, struct file_outputs *to,
			   struct softlbr_error *e);
void convert_counters_report(const struct convert *c);
void convert_counters_advise(const struct convert *c, const char *path);

/* ---- convert_report.c: all to standard error */

void convert_report_error(const struct softlbr_error *e);
void convert_report_warning(const char *format, ...) __attribute__((format(printf, 1, 2)));
/* Where symbols and debug information came from. */
void convert_report_notes(const struct convert *c);
/* How the binary was found, unless by build-id. */
void convert_report_match(const struct convert *c);
/* Warn of functions that --flow-solver could not smooth; with --verbose name the first ones. */
void convert_report_solver(const struct convert *c);
/* A line each: what was read; what was written; how good the profile is, and why. */
void convert_report_read(const struct convert *c);
void convert_report_written(const struct convert *c);
void convert_report_verdict(const struct convert *c);
/* Warn if blocks were ordered of a part only of what ran. */
void convert_report_layout(const struct convert *c);
/* The same in one line, for one module of many. */
void convert_report_module(const struct convert *c);
/* The other names of functions that ran. */
void convert_report_aliases(const struct convert *c);
/* Which modules hold the branches. */
void convert_report_modules(const struct convert *c);

/* ---- convert_stats.c: from events to what was written, each loss by its cause */

/* In groups with headings, to standard error. */
void convert_stats_print(const struct convert *c);
/* As JSON, to c->stats_path, as convert_outputs_write does. */
int convert_stats_write(const struct convert *c, struct file_outputs *to, struct softlbr_error *e);

/* The command that uses an output. */

/* The version of gcc that gcov is written for. */
unsigned convert_report_gcc(const struct convert *c);
void convert_report_use_gcov(const struct convert *c, const char *path);
void convert_report_use_llvm(const struct convert *c, const char *path);
void convert_report_use_fdata(const struct convert *c, const char *path);
void convert_report_use_preagg(const struct convert *c, const char *path);
void convert_report_use_ranges(const struct convert *c, const char *path);
void convert_report_use_pprof(const struct convert *c, const char *path);
void convert_report_use_order(const struct convert *c, const char *path);
void convert_report_use_call_graph(const struct convert *c, const char *path);
void convert_report_use_gold_sections(const struct convert *c, const char *path);
void convert_report_use_propeller(const struct convert *c, const char *path);
void convert_report_use_autofdo(const struct convert *c, const char *path);
/* The commands for all outputs; those that are used alike are told once. */
void convert_report_uses(const struct convert *c);
