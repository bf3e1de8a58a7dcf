/* SPDX-License-Identifier: MIT */
/* What the files of `softlbr convert` share. */
#ifndef CLI_CONVERT_H
#define CLI_CONVERT_H

#include <stdbool.h>
#include <stdint.h>

#include "base/vector.h"
#include "converter/samples/aggregate.h"
#include "converter/source/attribute.h"
#include "converter/binary/binary.h"
#include "converter/bolt/to_fdata.h"
#include "converter/elf/debug_search.h"
#include "converter/flow/ip_profile.h"
#include "converter/samples/validate.h"
#include "converter/source/sanity.h"
#include "converter/flow/smooth.h"
#include "formats/model/bolt_profile.h"
#include "formats/model/source_profile.h"
#include "softlbr/error.h"

struct convert;

enum convert_smooth {
	CONVERT_SMOOTH_AUTO,
	CONVERT_SMOOTH_NONE,
	CONVERT_SMOOTH_MCF,
	CONVERT_SMOOTH_STATIC, /* of sampled addresses: branches by heuristics alone */
	CONVERT_SMOOTH_FLAT,   /* of sampled addresses: the literature's costs */
};

struct convert_counts {
	struct branch_profile branches;
	bool has_source;
	struct source_profile source;
	struct attribute_stats attributed;
};

/* A kind of output: what it is made from, and how. */
struct convert_format {
	const char *name;
	bool needs_source;
	bool smooth; /* its counts, with --smooth=auto */
	int (*write)(struct convert *c, const struct convert_counts *counts, const char *path,
		     struct softlbr_error *e);
	/* Print the command line that uses the file. */
	void (*advise)(const struct convert *c, const char *path);
};

struct convert_input {
	const char *path;
	uint64_t weight;
};

struct convert_output {
	const struct convert_format *format;
	const char *path;
};

struct convert {
	/* asked for */
	const char *binary_path;
	VECTOR(struct convert_input) profiles;
	VECTOR(struct convert_output) outputs;
	bool all; /* every module of the recordings, into output_directory */
	const char *output_directory;
	struct debug_search search;
	unsigned gcc;
	bool force, verbose;
	const char *event;			    /* NULL = all */
	const char *classify_by;		    /* NULL = the recording's events */
	bool llvm_md5, llvm_compress, llvm_symbols; /* of llvm-extbinary */
	enum profile_kind input; /* of the recordings; PROFILE_UNKNOWN = by content */
	bool ip_samples;	 /* addresses of samples will do where there are no stacks */
	uint64_t stride;
	unsigned threads; /* 0 = not said */
	enum frequencies frequencies;
	enum convert_smooth smooth;
	const struct flow_solver *flow_solver; /* as in mcf/flow.h; auto: only the last resort */
	uint64_t branches_least;	       /* in the binary */
	double unentered_most;		       /* percent of sampled functions whose head is 0 */
	double valid_branches_least;	       /* percent */
	double invalid_ranges_most;	       /* percent */

	/* come by */
	struct aggregate *counted; /* the recordings, read for all modules; or NULL */
	struct binary *binary;
	struct aggregate aggregate;
	struct range_stats ranges;
	struct convert_counts recorded, smoothed;
	bool has_smoothed;
	struct smooth_stats smooth_stats;
	bool has_ip; /* recorded.branches were made of sampled addresses */
	struct ip_stats ip;
	struct sanity sanity; /* by convert_judge */
	bool has_bolt;
	struct bolt_stats bolt;
};

/* ---- convert.c */

/* Read the recordings into @a, for c->binary; with @keep, for resolve_binary. */
int convert_read(struct convert *c, struct aggregate *a, bool keep, struct softlbr_error *e);
/* Convert for c->binary_path; the exit status. */
int convert_one(struct convert *c);
/* Free what was come by. */
void convert_release(struct convert *c);

/* ---- convert_all.c */

/* Convert for every module; the exit status. */
int convert_all(struct convert *c);
/* Are there samples without any branch stack, and is that what was asked for? */
bool convert_is_ip_only(const struct convert *c);

/* ---- convert_counts.c */

/* From c->recorded.branches what the outputs need. 0 or a negative code. */
int convert_counts_make(struct convert *c, struct softlbr_error *e);
/* Those that an output of this format is made of. */
struct convert_counts *convert_counts_of(struct convert *c, const struct convert_format *f);
/* How well source was found: for recorded counts if possible. NULL if no output needs it. */
const struct attribute_stats *convert_counts_attributed(const struct convert *c);
void convert_counts_release(struct convert_counts *counts);

/* ---- convert_outputs.c */

/* The format of that name, or NULL. */
const struct convert_format *convert_format_of(const char *name, size_t length);
/* "gcov, llvm-text, ..." */
const char *convert_format_names(void);

/* ---- convert_report.c: all to standard error */

void convert_report_error(const struct softlbr_error *e);
void convert_report_warning(const char *format, ...) __attribute__((format(printf, 1, 2)));
/* Where symbols and debug information came from. */
void convert_report_notes(const struct convert *c);
/* Warn of functions that --flow-solver could not smooth, and name the first ones. */
void convert_report_solver(const struct convert *c);
/* From events to what was written, each loss by its cause. */
void convert_report_funnel(const struct convert *c);
/* The other names of functions that ran. */
void convert_report_aliases(const struct convert *c);
/* Which modules hold the branches. */
void convert_report_modules(const struct convert *c);

/* ---- convert_judge.c */

/*
 * 0 (good), SOFTLBR_E_POOR, or a status with which nothing is to be written: SOFTLBR_E_BINARY (it
 * does not fit the code) or SOFTLBR_E_INPUT. Prints each figure that is beyond its threshold.
 */
int convert_judge(struct convert *c);

#endif
