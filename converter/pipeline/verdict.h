/* SPDX-License-Identifier: MIT */
/*
 * Is a profile good enough to be used? One table of limits and one judge for all who ask; what the
 * figures mean is in docs/scores.md and docs/attribution.md. Shares are in [0,1].
 */
#ifndef CONVERTER_PIPELINE_VERDICT_H
#define CONVERTER_PIPELINE_VERDICT_H

#include <stdbool.h>
#include <stdint.h>

#include "converter/samples/validate.h"
#include "converter/source/sanity.h"
#include "softlbr/error.h"

enum verdict_figure {
	/* of branches */
	VERDICT_BRANCHES, /* a number; all others are shares */
	VERDICT_CHANCE,
	VERDICT_VALID_BRANCHES,
	VERDICT_INVALID_RANGES,
	VERDICT_GAP,
	VERDICT_GAP_TOP,
	VERDICT_WORST_GAP_TOP,
	VERDICT_DISCONTINUITY,
	VERDICT_DISCONTINUITY_TOP,
	VERDICT_CALL_GAP,
	VERDICT_FUNCTIONS_RUN,
	VERDICT_BLOCKS_RUN,
	/* of what a compiler gets of it: as enum sanity_figure */
	VERDICT_UNENTERED,
	VERDICT_CALLS_MISDIRECTED,
	VERDICT_ENTRY_RESIDUAL,
	VERDICT_CALLS_UNRECORDED,
	VERDICT_FLOW_RESIDUAL,
	VERDICT_NO_LINE,
	VERDICT_NO_SYMBOL,
	/* of another build */
	VERDICT_SAME_CODE,
	VERDICT_SAME_FLOW,
	/* of profiles by names: for compilers and fdata */
	VERDICT_NAMES_UNKNOWN,
	VERDICT_TARGETS_UNKNOWN,
	VERDICT_FIGURES
};

enum verdict_bound { VERDICT_NO_BOUND, VERDICT_AT_LEAST, VERDICT_AT_MOST };

enum verdict_grade {
	VERDICT_GOOD,
	VERDICT_POOR,	/* to be written, with a warning and the status for it */
	VERDICT_FAILED, /* not to be written unless the user insists */
};

struct verdict_value {
	double value; /* NaN = does not apply */
	uint64_t whole;
	double poor, failed; /* the limits; NaN = none */
	enum verdict_grade grade;
};

struct verdict {
	struct verdict_value values[VERDICT_FIGURES];
	/* 0 (good), SOFTLBR_E_POOR, or a status with which nothing is to be written:
	 * SOFTLBR_E_BINARY (it does not fit the code) or SOFTLBR_E_INPUT */
	int status;
};

/* "no_line" */
const char *verdict_key(enum verdict_figure figure);
/* What it is, for people. */
const char *verdict_meaning(enum verdict_figure figure);
enum verdict_bound verdict_bound(enum verdict_figure figure);

/* With the default limits, and no figure. */
void verdict_init(struct verdict *v);
/* Let it be poor beyond @poor. */
void verdict_limit(struct verdict *v, enum verdict_figure figure, double poor);
/* @whole: of how many things it is a share. */
void verdict_set(struct verdict *v, enum verdict_figure figure, double value, uint64_t whole);
/* Those of branches, and of the source that they were attributed to. */
void verdict_take_branches(struct verdict *v, const struct validate_stats *valid);
void verdict_take_source(struct verdict *v, const struct sanity *sanity,
			 const struct validate_stats *valid);
/* Grade all that is set; v->status. */
int verdict_judge(struct verdict *v);

/* v->status as an error, which is not 0 or SOFTLBR_E_POOR, of a profile of the file @binary. */
int verdict_error(const struct verdict *v, const char *binary, struct softlbr_error *e);

#endif
