/* SPDX-License-Identifier: MIT */
/*
 * The conversion: recordings of one binary to the counts that profiles are made of. All who convert
 * call these stages, in this order:
 *
 *	init, add...	  recordings are counted		(samples/aggregate.h)
 *	check		  are they of the binary?		(samples/aggregate.h)
 *	validate	  what the code can have done		(samples/validate.h); of sampled
 *			  addresses the branches that they tell of	(cfg/ip_profile.h)
 *	make		  for each use smoothed, if that helps	(cfg/smooth.h), and attributed
 *			  to source				(source/attribute.h)
 *	judge		  is it good enough?			(verdict.h)
 *	make_bolt	  records for llvm-bolt			(bolt/bolt_convert.h)
 *			  orders of blocks for Propeller	(block_outputs.h)
 */
#pragma once

#include "converter/binary/binary.h"
#include "converter/bolt/bolt_convert.h"
#include "converter/cfg/ip_profile.h"
#include "converter/cfg/smooth.h"
#include "converter/layout/block_layouts.h"
#include "converter/pipeline/verdict.h"
#include "converter/samples/aggregate.h"
#include "converter/samples/validate.h"
#include "converter/source/attribute.h"
#include "formats/model/bolt_profile.h"
#include "formats/model/source_profile.h"
#include "softlbr/error.h"

enum conversion_smooth {
	CONVERSION_SMOOTH_AUTO,
	CONVERSION_SMOOTH_NONE,
	CONVERSION_SMOOTH_MCF,
	CONVERSION_SMOOTH_STATIC, /* of sampled addresses: branches by heuristics alone */
	CONVERSION_SMOOTH_FLAT,	  /* of sampled addresses: the literature's costs */
};

/* The use of counts, which decides how they are made. */
enum conversion_use {
	CONVERSION_BRANCHES, /* as they are: preagg */
	CONVERSION_BOLT,     /* that conserve flow, as llvm-bolt and Propeller want them */
	CONVERSION_GCC,	     /* counts of source lines */
	CONVERSION_CLANG,    /* these too, which gain by smoothing (docs/gains.md) */
	CONVERSION_COUNTERS, /* of instructions, which have to conserve flow */
};

/* Zero is the default of every member. */
struct conversion_options {
	struct aggregate_options read; /* how recordings are read and counted */
	bool ip_samples;	       /* addresses of samples will do where there are no stacks */
	const char *classify_by;       /* exact counts to classify sampled code by; NULL = events */
	bool values;		       /* of sites and arguments, too: aggregate.result.values */
	enum conversion_smooth smooth;
	const struct flow_solver *flow_solver; /* as in mcf/flow.h; NULL = the simplex */
	unsigned clang; /* major version, for layouts; 0 = that which compiled the binary */
	bool each;	/* every recording must be of the binary */
	bool once;	/* nothing is added after validation: what was counted is freed then */
};

struct conversion_counts {
	struct branch_profile branches;
	bool has_source;
	struct source_profile source;
	struct attribute_stats attributed;
};

struct conversion {
	struct conversion_options options;
	struct binary *binary; /* borrowed; NULL: the modules alone, see aggregate.h */
	char *first;	       /* the first recording's name, for messages */
	struct aggregate aggregate;
	struct branch_profile_clamped clamped; /* by subtraction */
	struct validate_stats valid;
	struct conversion_counts recorded, smoothed;
	bool has_smoothed;
	struct smooth_stats smooth_stats;
	bool has_ip; /* recorded.branches were made of sampled addresses */
	struct ip_stats ip;
	bool has_bolt;
	struct bolt_profile bolt;
	struct bolt_convert_stats bolt_stats;
	bool has_layout;
	struct block_layout layout;
	struct block_layouts_stats layout_stats;
};

/* @options may be NULL; its texts are borrowed. Ended by conversion_deinit, not after an error. */
int conversion_init(struct conversion *c, struct binary *binary,
		    const struct conversion_options *options, struct softlbr_error *e);
/* For a binary of recordings that were added to @counted, with options.read.keep, which must
 * outlive this one. Ended by conversion_deinit also after an error. */
int conversion_init_resolved(struct conversion *c, struct conversion *counted,
			     struct binary *binary, struct softlbr_error *e);
void conversion_deinit(struct conversion *c);

/* Add a recording, each count @weight times: as aggregate_add. With options.each SOFTLBR_E_BINARY
 * if it holds something, but nothing of the binary. */
int conversion_add(struct conversion *c, const char *path, uint64_t weight,
		   struct softlbr_error *e);
int conversion_add_bytes(struct conversion *c, const void *data, size_t size, const char *name,
			 uint64_t weight, struct softlbr_error *e);
/* One that was opened, and stays so. */
int conversion_add_view(struct conversion *c, const struct file_view *view, const char *name,
			uint64_t weight, struct softlbr_error *e);

/*
 * When all were added: take a recording's counts, each @weight times, away. No count falls below 0;
 * what they were short of is added to c->clamped. Not with options.read.keep. Values are left
 * alone. Errors as conversion_check for that recording.
 */
int conversion_subtract(struct conversion *c, const char *path, uint64_t weight,
			struct softlbr_error *e);
int conversion_subtract_view(struct conversion *c, const struct file_view *view, const char *name,
			     uint64_t weight, struct softlbr_error *e);

/* Are there samples without any branch stack, and is that what was asked for? */
bool conversion_is_ip_only(const struct conversion *c);
/* Is there anything in the recordings that can be converted? SOFTLBR_E_EMPTY if not. */
int conversion_check_samples(const struct conversion *c, struct softlbr_error *e);
/* And of the binary? SOFTLBR_E_EMPTY, SOFTLBR_E_BINARY. @recording: in front of what is said, where
 * there are others; or NULL. */
int conversion_check(struct conversion *c, const char *recording, struct softlbr_error *e);
/* Fill c->recorded.branches, anew if more was added. */
int conversion_validate(struct conversion *c, struct softlbr_error *e);
/* From c->recorded.branches what the use needs. */
int conversion_make(struct conversion *c, enum conversion_use use, struct softlbr_error *e);
/* The counts for @use. */
struct conversion_counts *conversion_counts_of(struct conversion *c, enum conversion_use use);
/* Fill counts->source alone. That there is no debug information is an error only if attribute.h
 * says so. */
int conversion_attribute(struct binary *b, struct conversion_counts *counts,
			 struct softlbr_error *e);
/* How well source was found: for recorded counts if possible. NULL if no use needed it. */
const struct attribute_stats *conversion_attributed(const struct conversion *c);
/* Set the figures of what was made in @v, which has its limits, and judge: v->status. */
int conversion_judge(struct conversion *c, struct verdict *v);
/* Fill c->bolt. A program that llvm-bolt made is refused, SOFTLBR_E_BINARY, with what to do. */
int conversion_make_bolt(struct conversion *c, struct softlbr_error *e);

/* ---- recordings without branches (no_branches.c) ------------------------------------------- */

/* No entry of a branch stack was read: SOFTLBR_E_EMPTY, with @e set. @name is the recording. */
int no_branches_explain(const struct aggregate_result *r, const char *name,
			struct softlbr_error *e);

/*
 * Of perf script's text alone: SOFTLBR_E_EMPTY if its branches are call stacks by LBR, which its
 * words don't say, or if none lies in the binary for want of lines of mappings or since they are
 * offsets; else 0.
 */
int no_branches_check_script(const struct aggregate_result *r, const char *name,
			     struct softlbr_error *e);
