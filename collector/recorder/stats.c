/* SPDX-License-Identifier: MIT */
#include "collector/recorder/stats.h"

#include <math.h>

#include "collector/engine/trace.h"
#include "collector/engine/core.h"
#include "collector/engine/memory_reader.h"
#include "collector/machine/calibration.h"

static const char *const counter_names[COUNTER_EARLY] = {
#define X(counter, name) name,
	COUNTERS(X)
#undef X
};

static const char *const reason_names[CORE_REASON_COUNT] = {
#define X(reason, name, text) name,
	CORE_REASONS(X)
#undef X
};

_Static_assert(CORE_REASON_COUNT <= COUNTER_COUNT - COUNTER_EARLY, "each reason has a counter");

const char *stats_counter_name(enum session_counter counter)
{
	return counter < COUNTER_EARLY ? counter_names[counter] : NULL;
}

const char *stats_reason_name(unsigned reason)
{
	return reason < CORE_REASON_COUNT ? reason_names[reason] : NULL;
}

/* What the others leave is the application's. On a busy machine estimates may come to more than
 * there was, and all of that is theirs, each by its share. */
static void share_out(struct stats_time *t)
{
	double ours = t->decoding + t->evaluation + t->breakpoints + t->sampling;
	double share = ours > t->total ? t->total / ours : 1;

	t->decoding *= share;
	t->evaluation *= share;
	t->breakpoints *= share;
	t->sampling *= share;
	t->application = ours > t->total ? 0 : t->total - ours;
}

void stats_time(const struct recorder_result *r, const struct calibration *cost,
		struct stats_time *out)
{
	const uint64_t *c = r->counters;
	double samples = (double)c[COUNTER_SAMPLES], hits = (double)c[COUNTER_HITS];
	double arming_us, setting_us;

	*out = (struct stats_time){
		.total = (double)r->cpu_ns / 1e9,
		.handler = (double)c[COUNTER_HANDLER_NS] / 1e9,
		/* ticks go on while others run on the processor */
		.decoding = fmin((double)c[COUNTER_DECODE_TICKS] * r->tick_ns,
				 (double)c[COUNTER_HANDLER_NS]) /
			    1e9,
		.evaluation = NAN,
		.breakpoints = NAN,
		.sampling = NAN,
		.application = NAN,
	};
	if (!cost)
		return;
	arming_us = samples * cost->sample_arm_us;
	setting_us = (double)c[COUNTER_BREAKPOINTS] * cost->breakpoint_set_us;
	out->evaluation = fmax(0, out->handler - out->decoding - (arming_us + setting_us) / 1e6);
	out->breakpoints = (setting_us + hits * cost->breakpoint_hit_us) / 1e6;
	out->sampling = samples * cost->sample_us / 1e6;
	share_out(out);
}

static double ratio(double a, double b)
{
	return b > 0 ? a / b : NAN;
}

void stats_figures(const struct recorder_result *r, const struct stats_time *time,
		   struct stats_figures *out)
{
	const uint64_t *c = r->counters;
	double traces = (double)c[COUNTER_TRACES], branches = (double)c[COUNTER_BRANCHES];
	double fixed = (double)c[COUNTER_RESOLVED_STATIC];
	double all = (double)c[COUNTER_RESOLVED] + (double)c[COUNTER_UNRESOLVED];
	double taken = (double)c[COUNTER_RESOLVED_TAKEN] + (double)c[COUNTER_TAKEN];
	double t = ratio(taken - fixed, all - fixed), s = ratio(fixed, all);

	*out = (struct stats_figures){
		.taken_fraction = t,
		.static_fraction = s,
		.usefulness = ratio(branches, (double)c[COUNTER_HITS]),
		.predicted_usefulness = ratio(t, 1 - s),
		.stops_per_trace = ratio((double)c[COUNTER_SAMPLES] + (double)c[COUNTER_HITS],
					 traces),
		.hits_per_trace = ratio((double)c[COUNTER_HITS], traces),
		.breakpoint_free_share = counters_breakpoint_free(c),
		.audit_error_rate = ratio((double)c[COUNTER_AUDITS_WRONG],
					  (double)c[COUNTER_AUDITS]),
		.branches_per_trace = ratio(branches, traces),
		.instructions_per_trace = ratio((double)c[COUNTER_EVALUATED], traces),
		.branches_per_cpu_second = ratio(branches, time->total),
		.stop_median_us = stop_times_us(&r->stops, 0.5),
		.stop_p99_us = stop_times_us(&r->stops, 0.99),
	};
}

/* ---- as JSON ------------------------------------------------------------------------------- */

struct stats_member {
	const char *name;
	double value;
};

static struct json_node *members_node(const struct stats_member *members, size_t count)
{
	struct json_node *node = json_node_object();

	for (size_t i = 0; i < count; i++)
		json_node_add_real(node, members[i].name, members[i].value);
	return node;
}

#define MEMBERS_NODE(members) members_node((members), sizeof(members) / sizeof((members)[0]))

static struct json_node *options_node(const struct session_options *o)
{
	struct json_node *node = json_node_object();
	char branches[TRACE_FILTER_TEXT_BYTES];

	json_node_add_text(node, "event", o->event.name);
	json_node_add_integer(node, "period", (int64_t)o->period);
	json_node_add_real(node, "budget_percent", o->budget / 100.0);
	json_node_add_integer(node, "depth", o->recorded ? o->recorded : o->depth);
	json_node_add_bool(node, "depth_auto", o->depth_auto);
	json_node_add_text(node, "lookahead", core_lookahead_text(o->lookahead));
	json_node_add_text(node, "timer_correction", rate_method_text(o->correction));
	json_node_add_text(node, "memory", memory_reader_mode_text(o->memory));
	json_node_add_integer(node, "audit", o->audit);
	json_node_add_integer(node, "values_most", o->values);
	json_node_add_integer(node, "stack_copy", o->stack_copy);
	json_node_add_integer(node, "times_most", o->times);
	json_node_add_text(node, "branches", trace_filter_text(o->branches, branches));
	json_node_add_integer(node, "stack", o->stack);
	json_node_add_integer(node, "buffers", o->chunk_count);
	return node;
}

static struct json_node *counters_node(const uint64_t *counters)
{
	struct json_node *node = json_node_object();

	for (unsigned i = 0; i < COUNTER_EARLY; i++)
		json_node_add_integer(node, counter_names[i], (int64_t)counters[i]);
	return node;
}

/* Traces that are not as long as they should be, by cause. */
static struct json_node *aborts_node(const uint64_t *counters)
{
	static const enum session_counter others[] = {COUNTER_LOST,	    COUNTER_SIGNALLED,
						      COUNTER_SPURIOUS,	    COUNTER_NO_BREAKPOINT,
						      COUNTER_TRAP_BLOCKED, COUNTER_DROPPED};
	struct json_node *node = json_node_object();

	for (unsigned i = CORE_NONE + 1; i < CORE_REASON_COUNT; i++)
		json_node_add_integer(node, reason_names[i], (int64_t)counters[COUNTER_EARLY + i]);
	for (size_t i = 0; i < sizeof(others) / sizeof(others[0]); i++)
		json_node_add_integer(node, counter_names[others[i]], (int64_t)counters[others[i]]);
	return node;
}

static struct json_node *figures_node(const struct stats_figures *f, double overhead)
{
	struct stats_member members[] = {
		{"taken_fraction", f->taken_fraction},
		{"static_fraction", f->static_fraction},
		{"usefulness", f->usefulness},
		{"predicted_usefulness", f->predicted_usefulness},
		{"stops_per_trace", f->stops_per_trace},
		{"hits_per_trace", f->hits_per_trace},
		{"breakpoint_free_share", f->breakpoint_free_share},
		{"audit_error_rate", f->audit_error_rate},
		{"branches_per_trace", f->branches_per_trace},
		{"instructions_per_trace", f->instructions_per_trace},
		{"branches_per_cpu_second", f->branches_per_cpu_second},
		{"overhead", overhead},
		{"stop_median_us", f->stop_median_us},
		{"stop_p99_us", f->stop_p99_us},
	};

	return MEMBERS_NODE(members);
}

static struct json_node *time_node(const struct stats_time *t)
{
	static const char *const estimates[] = {"application_s", "breakpoints_s", "evaluation_s",
						"sampling_s"};
	struct stats_member members[] = {
		{"total_s", t->total},
		{"application_s", t->application},
		{"breakpoints_s", t->breakpoints},
		{"decoding_s", t->decoding},
		{"evaluation_s", t->evaluation},
		{"sampling_s", t->sampling},
		{"handler_s", t->handler},
	};
	struct json_node *node = MEMBERS_NODE(members), *list = json_node_array();

	for (size_t i = 0; i < sizeof(estimates) / sizeof(estimates[0]); i++)
		json_node_add_text(list, NULL, estimates[i]);
	json_node_add_take(node, "estimated", list);
	return node;
}

static struct json_node *cost_node(const struct account *a)
{
	struct stats_member members[] = {
#define X(member, name, text) {name, a->member},
		ACCOUNT_PARTS(X)
#undef X
			{"program_s", a->program},
	};

	return MEMBERS_NODE(members);
}

static struct json_node *calibration_node(const struct calibration *c)
{
	struct stats_member members[] = {
		{"sample_us", c->sample_us},
		{"sample_arm_us", c->sample_arm_us},
		{"breakpoint_set_us", c->breakpoint_set_us},
		{"breakpoint_hit_us", c->breakpoint_hit_us},
		{"branch_us", c->branch_us},
		{"spent_s", c->spent_s},
	};

	return MEMBERS_NODE(members);
}

static struct json_node *exclusions_node(const struct exclusion_list *l)
{
	struct json_node *list = json_node_array();

	for (unsigned i = 0; i < l->count; i++) {
		struct json_node *item = json_node_object();

		json_node_add_text(item, "program", l->programs[i].path);
		json_node_add_text(item, "reason", exclusion_text(l->programs[i].reason));
		json_node_add_integer(item, "count", l->programs[i].count);
		json_node_add_take(list, NULL, item);
	}
	return list;
}

struct json_node *stats_node(const struct recorder_options *o, const struct recorder_result *r,
			     const struct calibration *cost, const struct account *account)
{
	struct json_node *top = json_node_document(), *command = json_node_array();
	struct stats_time time;
	struct stats_figures figures;

	stats_time(r, cost, &time);
	stats_figures(r, &time, &figures);
	for (char *const *word = o->command; word && *word; word++)
		json_node_add_text(command, NULL, *word);
	json_node_add_text(top, "softlbr", SOFTLBR_VERSION);
	json_node_add_take(top, "command", command);
	json_node_add_take(top, "options", options_node(&o->session));
	json_node_add_integer(top, "processes", r->processes);
	json_node_add_take(top, "not_entered", exclusions_node(&r->exclusions));
	json_node_add_integer(top, "not_entered_starts",
			      (int64_t)exclusion_list_starts(&r->exclusions));
	json_node_add_integer(top, "recording_bytes", (int64_t)r->bytes);
	json_node_add_take(top, "counters", counters_node(r->counters));
	json_node_add_take(top, "aborts", aborts_node(r->counters));
	json_node_add_take(top, "figures", figures_node(&figures, account->overhead));
	json_node_add_take(top, "time", time_node(&time));
	json_node_add_take(top, "cost", cost_node(account));
	if (cost)
		json_node_add_take(top, "calibration", calibration_node(cost));
	else
		json_node_add_null(top, "calibration");
	return top;
}
