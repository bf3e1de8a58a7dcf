/* SPDX-License-Identifier: MIT */
/*
 * A recording's account: all that was counted, by name, and what follows from it, as in Break
 * Dancing (LCTES 2021), section 3.1 and Figures 3 to 5. The names are documented in
 * docs/man/softlbr-record.1, under --stats.
 */
#pragma once

#include "base/json.h"
#include "collector/machine/calibration.h"
#include "collector/recorder/account.h"
#include "collector/recorder/recorder.h"

/* A figure that has no value (nothing to divide by) is NaN. */
struct stats_figures {
	double taken_fraction;	/* t: taken, of the branches that decoding does not resolve */
	double static_fraction; /* s: resolved by decoding alone, of all branches */
	double usefulness;	/* taken branches recorded per breakpoint hit, audits' included */
	double predicted_usefulness; /* t / (1 - s): what the paper's algorithm would have */
	double stops_per_trace;
	double hits_per_trace;
	double breakpoint_free_share; /* of the traces, dropped ones too: completed without a
				   breakpoint but for audits */
	double audit_error_rate;
	double branches_per_trace;
	double instructions_per_trace; /* evaluated */
	double branches_per_cpu_second;
	double stop_median_us, stop_p99_us; /* from outside, by the tracer's clock */
};

/* Figure 3: where the command's processor time went. Seconds. */
struct stats_time {
	double total;	    /* user and system */
	double handler;	    /* counted: one stop in so many is timed */
	double decoding;    /* counted */
	double evaluation;  /* the handler without decoding, arming and setting breakpoints */
	double breakpoints; /* estimated: those set and hit, at what they cost in the calibration */
	double sampling;    /* estimated likewise */
	double application; /* the rest */
};

/* @cost is NULL if it could not be measured: what is estimated is NaN then. */
void stats_time(const struct recorder_result *r, const struct calibration *cost,
		struct stats_time *out);
void stats_figures(const struct recorder_result *r, const struct stats_time *time,
		   struct stats_figures *out);

/* All of it, for --stats, with what the recording cost; the caller frees it. */
struct json_node *stats_node(const struct recorder_options *o, const struct recorder_result *r,
			     const struct calibration *cost, const struct account *account);

/* The name of a counter before COUNTER_EARLY, of a reason to end a trace early. */
const char *stats_counter_name(enum session_counter counter);
const char *stats_reason_name(unsigned reason);
