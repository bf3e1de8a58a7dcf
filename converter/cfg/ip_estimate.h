/* SPDX-License-Identifier: MIT */
/*
 * How often did each segment of a function run, by the addresses that events were sampled at, and
 * how sure is that? docs/smoothing.md has the formulas and what they are after.
 */
#ifndef CONVERTER_CFG_IP_ESTIMATE_H
#define CONVERTER_CFG_IP_ESTIMATE_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "converter/cfg/cfg.h"
#include "converter/cfg/ip_runs.h"
#include "converter/samples/sample_events.h"

/* What the whole recording says. */
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

#endif
