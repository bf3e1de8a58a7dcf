/* SPDX-License-Identifier: MIT */
/* The account of a recording: its names, and figures worked out by hand. */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <cmocka.h>
#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "collector/engine/core.h"
#include "collector/recorder/stats.h"

static const struct calibration cost = {.sample_us = 30,
					.sample_arm_us = 1,
					.breakpoint_set_us = 2,
					.breakpoint_hit_us = 10,
					.branch_us = 0.25};

/* 100 traces of 16: a fifth of the branches is static, half of the others are taken. */
static struct recorder_result example(void)
{
	struct recorder_result r = {
		.cpu_ns = 2000000000, .own_ns = 10000000, .tick_ns = 0.5, .processes = 1};

	r.counters[COUNTER_SAMPLES] = 1000;
	r.counters[COUNTER_HITS] = 200;
	r.counters[COUNTER_BREAKPOINTS] = 250;
	r.counters[COUNTER_TRACES] = 100;
	r.counters[COUNTER_BRANCHES] = 1600;
	r.counters[COUNTER_RESOLVED] = 2500;
	r.counters[COUNTER_RESOLVED_STATIC] = 600;
	r.counters[COUNTER_RESOLVED_TAKEN] = 1500;
	r.counters[COUNTER_UNRESOLVED] = 500;
	r.counters[COUNTER_TAKEN] = 300;
	r.counters[COUNTER_EVALUATED] = 20000;
	r.counters[COUNTER_BREAKPOINT_FREE] = 99;
	r.counters[COUNTER_EARLY + CORE_MISPREDICTED] = 10;
	r.counters[COUNTER_AUDITS] = 4;
	r.counters[COUNTER_AUDITS_WRONG] = 1;
	r.counters[COUNTER_HANDLER_NS] = 40000000;
	r.counters[COUNTER_DECODE_TICKS] = 10000000;
	r.counters[COUNTER_EARLY + CORE_UNREADABLE] = 7;
	return r;
}

static void assert_near(double value, double expected)
{
	if (!(fabs(value - expected) < 1e-9 * (1 + fabs(expected))))
		fail_msg("%.12g, not %.12g", value, expected);
}

static void figures_are_the_papers(void **state)
{
	struct recorder_result r = example();
	struct stats_time time;
	struct stats_figures f;

	(void)state;
	stats_time(&r, &cost, &time);
	stats_figures(&r, &time, &f);
	assert_near(f.taken_fraction, 1200.0 / 2400);
	assert_near(f.static_fraction, 600.0 / 3000);
	assert_near(f.predicted_usefulness, 0.5 / 0.8);
	assert_near(f.usefulness, 8);
	assert_near(f.stops_per_trace, 12);
	assert_near(f.hits_per_trace, 2);
	assert_near(f.breakpoint_free_share, 0.9);
	assert_near(f.audit_error_rate, 0.25);
	assert_near(f.branches_per_trace, 16);
	assert_near(f.instructions_per_trace, 200);
	assert_near(f.branches_per_cpu_second, 800);
	/* those that a signal of the program's ended behind their completion */
	r.counters[COUNTER_SIGNALLED] = 88;
	stats_figures(&r, &time, &f);
	assert_near(f.breakpoint_free_share, 0.5);
}

static void time_adds_up(void **state)
{
	struct recorder_result r = example();
	struct stats_time t;

	(void)state;
	stats_time(&r, &cost, &t);
	assert_near(t.total, 2);
	assert_near(t.handler, 0.04);
	assert_near(t.decoding, 0.005);
	assert_near(t.sampling, 1000 * 30e-6);
	assert_near(t.breakpoints, 250 * 2e-6 + 200 * 10e-6);
	assert_near(t.evaluation, 0.04 - 0.005 - 1000 * 1e-6 - 250 * 2e-6);
	assert_near(t.application + t.decoding + t.sampling + t.breakpoints + t.evaluation, 2);
}

/* The same as above in half of the time that the parts come to. */
static void no_part_is_more_than_the_whole(void **state)
{
	struct recorder_result r = example();
	struct stats_time t;

	(void)state;
	r.cpu_ns = 35500000;
	stats_time(&r, &cost, &t);
	assert_near(t.application, 0);
	assert_near(t.decoding, 0.0025);
	assert_near(t.evaluation, 0.01675);
	assert_near(t.breakpoints, 0.00125);
	assert_near(t.sampling, 0.015);
	assert_near(t.handler, 0.04);
}

static void what_is_unknown_is_not_a_number(void **state)
{
	struct recorder_result empty = {.tick_ns = 1};
	struct stats_time time;
	struct stats_figures f;

	(void)state;
	stats_time(&empty, NULL, &time);
	stats_figures(&empty, &time, &f);
	assert_true(isnan(time.application) && isnan(time.sampling) && isnan(time.evaluation));
	assert_true(isnan(f.taken_fraction) && isnan(f.usefulness) && isnan(f.audit_error_rate));
}

static bool is_name(const char *text)
{
	return text && text[0] && strspn(text, "abcdefghijklmnopqrstuvwxyz_") == strlen(text);
}

static void every_counter_has_a_name_of_its_own(void **state)
{
	(void)state;
	for (unsigned i = 0; i < COUNTER_EARLY; i++) {
		if (!is_name(stats_counter_name(i)))
			fail_msg(
				"counter %u has no name: add it to collector/recorder/stats.c and to the "
				"manual",
				i);
		for (unsigned j = 0; j < i; j++)
			assert_string_not_equal(stats_counter_name(i), stats_counter_name(j));
	}
	for (unsigned i = 0; i < CORE_REASON_COUNT; i++)
		if (!is_name(stats_reason_name(i)))
			fail_msg(
				"reason %u has no name: add it to collector/recorder/stats.c and to the "
				"manual",
				i);
	assert_null(stats_counter_name(COUNTER_EARLY));
	assert_null(stats_reason_name(CORE_REASON_COUNT));
}

static char *written(const struct recorder_result *r, const struct calibration *c)
{
	static char *const command[] = {"sleep", "1", NULL};
	struct recorder_options o = {
		.command = command,
		.session = {.event = {.name = "task-clock:u"}, .depth = 16, .depth_auto = 1}};
	struct account account = {.traces = 0.04, .overhead = 0.25};
	struct json_node *node = stats_node(&o, r, c, &account);
	struct softlbr_error e = {0};
	char *text = NULL;
	size_t size;
	FILE *stream = open_memstream(&text, &size);

	assert_non_null(stream);
	assert_int_equal(json_node_write(node, stream, &e), 0);
	fclose(stream);
	json_node_free(node);
	return text;
}

/* All names are in the manual: the whole file is searched for each key. */
static void names_are_documented(void **state)
{
	struct recorder_result r = example();
	char *text = written(&r, &cost), *manual;
	FILE *file = fopen("docs/man/softlbr-record.1", "r");
	size_t size = 0, keys = 0;

	(void)state;
	assert_non_null(file);
	manual = calloc(1, 1 << 18);
	assert_non_null(manual);
	size = fread(manual, 1, (1 << 18) - 1, file);
	fclose(file);
	assert_true(size > 1000);
	for (char *colon = text; (colon = strstr(colon, "\":")); colon++) {
		char *begin = memrchr(text, '"', (size_t)(colon - text));
		char key[64];

		assert_true(begin && colon - begin < (long)sizeof(key));
		snprintf(key, sizeof(key), "%.*s", (int)(colon - begin - 1), begin + 1);
		if (!strstr(manual, key))
			fail_msg("%s is not in docs/man/softlbr-record.1", key);
		keys++;
	}
	assert_true(keys > 70);
	free(manual);
	free(text);
}

static void json_has_values_and_nulls(void **state)
{
	struct recorder_result r = example();
	char *text = written(&r, &cost);

	(void)state;
	assert_non_null(strstr(text, "\"command\": [\n    \"sleep\",\n    \"1\"\n  ]"));
	assert_non_null(strstr(text, "\"taken_fraction\": 0.5,"));
	assert_non_null(strstr(text, "\"unreadable\": 7,"));
	assert_non_null(strstr(text, "\"depth_auto\": true"));
	assert_non_null(strstr(text, "\"breakpoint_hit_us\": 10.0,"));
	free(text);
	text = written(&r, NULL);
	assert_non_null(strstr(text, "\"calibration\": null"));
	assert_non_null(strstr(text, "\"application_s\": null"));
	assert_non_null(strstr(text, "\"handler_s\": 0.04"));
	free(text);
}

static void depth_spends_what_a_sample_costs(void **state)
{
	struct calibration c = cost;

	(void)state;
	assert_int_equal(calibration_depth(&c), 120);
	c.branch_us = 10;
	assert_int_equal(calibration_depth(&c), CALIBRATION_DEPTH_MIN);
	c.branch_us = 1e-6;
	assert_int_equal(calibration_depth(&c), CALIBRATION_DEPTH_MAX);
	c.branch_us = 0;
	assert_int_equal(calibration_depth(&c), CALIBRATION_DEPTH_MIN);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(figures_are_the_papers),
		cmocka_unit_test(time_adds_up),
		cmocka_unit_test(no_part_is_more_than_the_whole),
		cmocka_unit_test(what_is_unknown_is_not_a_number),
		cmocka_unit_test(every_counter_has_a_name_of_its_own),
		cmocka_unit_test(names_are_documented),
		cmocka_unit_test(json_has_values_and_nulls),
		cmocka_unit_test(depth_spends_what_a_sample_costs),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
