/* SPDX-License-Identifier: MIT */
/* Before against after: the builds of a project's programs, and what they cost at the same work. */
#pragma once

#include "pgo/project.h"

/* Builds of the programs that are kept beside each other, copies below the state. */
#define TRIAL_BEFORE "before"
#define TRIAL_AFTER  "after"
#define TRIAL_BOLTED "bolted"

/* valgrind takes fifty times as long: instructions of a run of more CPU seconds are not counted. */
#define TRIAL_COUNTED_SECONDS 1

/* Keep the programs as they are now. */
int trial_keep(const struct project *p, const char *build, struct softlbr_error *e);
/* Put those of @build in their place; @stripped: without debug information, to be counted. */
int trial_place(const struct project *p, const char *build, bool stripped, struct softlbr_error *e);
/* Put those of @build in the place of programs that are missing. */
int trial_fill(const struct project *p, const char *build, struct softlbr_error *e);
bool trial_has(const struct project *p, const char *build);
/* Are all programs as @build made them? */
bool trial_is_placed(const struct project *p, const char *build);

/* The work of one run by one build, compared with the first build; changes are relative, below 0 is
 * better. */
struct trial_change {
	double time, time_error;   /* of CPU time; half of its interval of 95 % */
	double instructions;	   /* NaN: not counted */
	double instructions_error; /* of an interval as above; 0: each run executes as many */
	bool same_output, varies;  /* the output does so by itself */
};

struct trial {
	char name[40];		   /* "run 2 of 3" */
	const char *const *builds; /* ended by NULL; the first is what is compared with */
	size_t build_count;
	double seconds; /* of CPU time, of the first */
	size_t rounds;
	struct trial_change changes[3]; /* by build; the first one's are nothing */
};

/* Run @command twice as the programs are: is its output, as the user's filter leaves it, another
 * one the second time? */
int trial_varies(struct project *p, const char *command, bool *varies, struct softlbr_error *e);
/* Run @command with each build in its place. */
int trial_run(struct project *p, struct trial *t, const char *command, struct softlbr_error *e);
/* Is build number @build slower, by more than chance and by what a user would mind? */
bool trial_is_slower(const struct trial *t, size_t build);
