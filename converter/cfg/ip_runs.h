/* SPDX-License-Identifier: MIT */
/*
 * How often did code run, if this is how long each of its instructions was the next to retire?
 * Instructions retire in groups; one that waits for nothing takes a cycle together with its group,
 * which is sampled at the group's first (Chen et al., Taming Hardware Event Samples, 3.2.3).
 * docs/smoothing.md has the formulas.
 */
#ifndef CONVERTER_CFG_IP_RUNS_H
#define CONVERTER_CFG_IP_RUNS_H

#include "base/vector.h"

#include <stdint.h>

/* So many instructions retire together at most: most processors' four. */
#define IP_GROUP 4

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

/* What is known of code all of whose parts run equally often. */
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

#endif
