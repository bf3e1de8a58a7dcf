/* SPDX-License-Identifier: MIT */
/*
 * How often did each segment of a function run, by the addresses that events were sampled at, and
 * how sure is that? docs/smoothing.md has the formulas and what they are after.
 *
 * How often did code run, if this is how long each of its instructions was the next to retire?
 * Instructions retire in groups; one that waits for nothing takes a cycle together with its group,
 * which is sampled at the group's first (Chen et al., Taming Hardware Event Samples, 3.2.3).
 * docs/smoothing.md has the formulas.
 */
#pragma once

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "base/vector.h"
#include "converter/cfg/cfg.h"
#include "converter/samples/sample_events.h"

/* Why an instruction is the first of a group, if it is. */
enum ip_head {
	IP_HEAD_TARGET, /* control comes here by taken branches alone: it always is */
	IP_HEAD_EITHER, /* by taken branches, and from the instruction in front of it */
	IP_HEAD_FULL,	/* the group in front of it is full */
	IP_HEAD_EARLY,	/* it is not: this one waited */
	IP_HEADS
};

#define IP_RUNS_BLURS 6
#define IP_RUNS_BINS  192

struct ip_runs_table {
	/* Of so many cycles in each run, by how exactly they are known: logarithms of densities,
	 * by logarithms. */
	float likelihood[IP_HEADS][IP_RUNS_BLURS][IP_RUNS_BINS];
	double cycles_period;
};

struct ip_runs_head {
	double log_cycles;
	uint8_t head, blur;
};

/* The samples of code all of whose parts run equally often. */
struct ip_runs {
	double counted, samples; /* periods of instructions, and how many */
	double cycles, instructions;
	VECTOR(struct ip_runs_head) heads; /* sampled */
	uint64_t unseen[IP_HEADS];	   /* not sampled */
	double log, deviation;		   /* the result: of the logarithm of how often it ran */
};

void ip_runs_table_init(struct ip_runs_table *t, double cycles_period);
/* One more instruction; @cycles that it did not stall. 0, or -1 without memory. */
int ip_runs_add(struct ip_runs *r, enum ip_head head, double cycles, double samples);
/* Samples of retired instructions are late: the logarithm's standard deviation of the number of
 * them in code that takes so many cycles in each run, without chance. */
double ip_runs_skid(double cycles);
/* Estimate; where nothing was sampled it never ran, and the deviation is 1. */
void ip_runs_solve(const struct ip_runs_table *t, struct ip_runs *r);

/* Figures of the whole recording. */
struct ip_estimate_totals {
	enum sample_event counting; /* the event whose samples are instructions that ran */
	double stalls[IP_EVENTS];   /* cycles of each event */
	double scale;		    /* of estimates, so that a sample stands for many runs */
	double pace;		    /* cycles of an instruction that does not stall */
	double period;		    /* of the counting event, mean */
	bool classify;		    /* there are events to tell stalls by */
	struct ip_runs_table table;
};

enum ip_class {
	IP_AS_RUN,
	IP_OVER_SAMPLED,  /* it stalled, and more samples hit it than it ran */
	IP_UNDER_SAMPLED, /* in the shadow of a stall */
};

/* Samples of one segment of code. */
struct ip_segment {
	uint64_t instructions; /* that it has */
	double counted;	       /* the sum of the counting event's periods */
	double samples;	       /* of that event */
	double cycles;	       /* as sampled */
	double stalled;	       /* of them: the paper's aggregation factor A */
	uint8_t class;	       /* enum ip_class */
	double runs;	       /* the estimate, scaled */
	uint32_t cost;	       /* of steps away from it */
};

void ip_estimate_totals_init(struct ip_estimate_totals *t, const struct branch_profile *clean,
			     const char *cpu);
/* Estimate all segments of @cfg, which is of @code (@segments: zeroed but for their instructions),
 * by the function's @samples, sorted. 0, or -1 without memory. */
int ip_estimate_runs(const struct ip_estimate_totals *t, const struct cfg *cfg,
		     const struct code *code, struct map_entry *const *samples, size_t count,
		     struct ip_segment *segments);
