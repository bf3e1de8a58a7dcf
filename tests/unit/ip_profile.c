/* SPDX-License-Identifier: MIT */
/* converter/cfg/ip_profile.h, ip_events.h and static_branches.h on code whose ways are known. */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <cmocka.h>

#include "base/memory.h"
#include "converter/cfg/cfg.h"
#include "converter/cfg/ip_profile.h"
#include "converter/samples/sample_events.h"
#include "mcf/mincost.h"
#include "tests/unit/assembled.h"

/* f loops ten times and takes the way over `rare` once in ten; g has a jump by a table that can't
 * be found, which goes to two places that nothing else leads to. */
static const char source[] = ".text\n"
			     ".type f,@function\n"
			     "f: mov $10,%ecx\n"
			     "loop: nop\n"
			     "nop\n"
			     "test %edi,%edi\n"
			     "f_je: je rare\n"
			     "common: nop\n"
			     "f_jmp: jmp next\n"
			     "rare: nop\n"
			     "f_call: call g\n"
			     "next: dec %ecx\n"
			     "f_jne: jne loop\n"
			     "out: ret\n"
			     ".size f,.-f\n"
			     ".type g,@function\n"
			     "g: nop\n"
			     "g_jmp: jmp *%rsi\n"
			     "nopl 0(%rax,%rax,1)\n" /* padding */
			     "one: xor %eax,%eax\n"
			     "g_one: ret\n"
			     "two: inc %eax\n"
			     "g_two: ret\n"
			     ".size g,.-g\n";

static int setup(void **state)
{
	(void)state;
	return assembled_make(source);
}

/* Each instruction from one label to before another was sampled @n times with a period of 1,000. */
static void sample(struct branch_profile *p, const char *from, const char *to, uint64_t n)
{
	struct isa_insn insn;

	for (uint64_t va = at(from); va < at(to); va += insn.length) {
		assert_true(binary_decode(binary, va, &insn));
		assert_int_equal(branch_profile_add_event(p, va, IP_INSTRUCTIONS, n * 1000, n), 0);
	}
}

static void sample_all(struct branch_profile *p)
{
	sample(p, "f", "loop", 10);
	sample(p, "loop", "common", 100);
	sample(p, "common", "rare", 90);
	sample(p, "rare", "next", 10);
	sample(p, "next", "out", 100);
	assert_int_equal(branch_profile_add_event(p, at("out"), IP_INSTRUCTIONS, 10000, 10), 0);
	sample(p, "g", "one", 10);
	sample(p, "one", "two", 7);
	assert_int_equal(branch_profile_add_event(p, at("two"), IP_INSTRUCTIONS, 3000, 3), 0);
	assert_int_equal(branch_profile_add_event(p, at("g_two"), IP_INSTRUCTIONS, 3000, 3), 0);
}

static uint64_t taken(const struct branch_profile *p, const char *from, const char *to)
{
	const struct map_entry *e = map_find(&p->branches, at(from), at(to));

	return e ? e->n : 0;
}

static void make(const struct branch_profile *clean, enum ip_method method,
		 struct branch_profile *out, struct ip_stats *stats)
{
	struct ip_options how = {.method = method};

	*out = (struct branch_profile){0};
	assert_int_equal(ip_profile_make(binary, clean, &how, out, stats, NULL), 0);
}

static void miss(struct branch_profile *p, const char *label)
{
	struct map_entry *e = map_find(&p->samples, at(label), IP_INSTRUCTIONS);

	e->n = e->m = 0;
}

/* All edges follow from the blocks: those of f are exact, and g's table goes where it can. */
static void exact_blocks(void **state)
{
	struct branch_profile clean = {0}, out;
	struct ip_stats stats;
	uint64_t unit;

	(void)state;
	sample_all(&clean);
	make(&clean, IP_FLOW, &out, &stats);
	unit = taken(&out, "f_je", "rare") / 10;
	assert_true(unit >= 1000);
	assert_int_equal(taken(&out, "f_jmp", "next"), 90 * unit);
	assert_int_equal(taken(&out, "f_call", "g"), 10 * unit);
	assert_int_equal(taken(&out, "f_jne", "loop"), 90 * unit);
	assert_int_equal(taken(&out, "g_jmp", "one"), 7 * unit);
	assert_int_equal(taken(&out, "g_jmp", "two"), 3 * unit);
	assert_int_equal(stats.smooth.functions, 2);
	assert_int_equal(stats.smooth.flow.raised + stats.smooth.flow.lowered == 0,
			 stats.smooth.outcomes[FLOW_CONSISTENT] == 2);
	assert_false(stats.classified);
	branch_profile_deinit(&out);

	/* `next` was missed: what runs into it and what comes behind it say that it ran */
	map_deinit(&clean.samples);
	clean.samples = (struct map){0};
	sample_all(&clean);
	miss(&clean, "next");
	miss(&clean, "f_jne");
	make(&clean, IP_FLAT, &out, &stats);
	assert_in_range(taken(&out, "f_jmp", "next"), 80 * unit, 90 * unit);
	assert_in_range(taken(&out, "f_jne", "loop"), 80 * unit, 90 * unit);
	assert_int_equal(stats.smooth.woken, 1);
	branch_profile_deinit(&out);
	/* with rising costs they meet in between */
	make(&clean, IP_FLOW, &out, &stats);
	assert_in_range(taken(&out, "f_jmp", "next"), 20 * unit, 80 * unit);
	assert_in_range(taken(&out, "f_jne", "loop"), 15 * unit, 80 * unit);
	assert_int_equal(stats.smooth.woken, 1);
	branch_profile_deinit(&out);
	branch_profile_deinit(&clean);
}

/* By heuristics: the way with the call is taken in 22 %; the loop goes on in 88 % as a loop, in 72
 * % because the other way returns, and so in .88 * .72 / (.88 * .72 + .12 * .28) = 94.96 %. */
static void heuristics(void **state)
{
	struct branch_profile clean = {0}, out;
	struct ip_stats stats;
	double loop;

	(void)state;
	sample_all(&clean);
	make(&clean, IP_STATIC, &out, &stats);
	loop = (double)taken(&out, "f_jne", "loop");
	assert_true(loop > 0);
	assert_true((double)taken(&out, "f_je", "rare") / loop > 0.2316);
	assert_true((double)taken(&out, "f_je", "rare") / loop < 0.2318);
	branch_profile_deinit(&out);
	branch_profile_deinit(&clean);
}

/* Half of the time not counted: each sample stands for two. */
static void multiplexed(void **state)
{
	struct perf_event_attr cycles = {.type = PERF_TYPE_HARDWARE,
					 .config = PERF_COUNT_HW_CPU_CYCLES},
			       misses = {.type = PERF_TYPE_HW_CACHE, .config = 0x10003};
	struct perfdata_sample s = {.id = 1, .time_enabled = 1000, .time_running = 500};
	struct sample_times t = {0};

	(void)state;
	assert_int_equal(sample_event_of(&cycles), IP_CYCLES);
	assert_int_equal(sample_event_of(&misses), IP_DTLB_MISSES);
	assert_int_equal(sample_times_scaled(&t, IP_CYCLES, 7), 7);
	assert_int_equal(sample_times_add(&t, &cycles, &s), 0);
	s = (struct perfdata_sample){.id = 2, .time_enabled = 1000, .time_running = 250};
	assert_int_equal(sample_times_add(&t, &cycles, &s), 0);
	s = (struct perfdata_sample){.id = 2, .time_enabled = 10, .time_running = 10}; /* earlier */
	assert_int_equal(sample_times_add(&t, &cycles, &s), 0);
	assert_int_equal(sample_times_scaled(&t, IP_CYCLES, 750), 2000);
	assert_int_equal(sample_times_scaled(&t, IP_DTLB_MISSES, 750), 750);
	assert_true(sample_times_scaled(&t, IP_CYCLES, UINT64_MAX) == UINT64_MAX);
	sample_times_deinit(&t);
	assert_int_equal(sample_event_stall_cycles("GenuineIntel-6-1A-5", IP_DTLB_MISSES), 30);
	assert_int_equal(sample_event_stall_cycles(NULL, IP_INSTRUCTIONS), 0);
}

/* What counts, of what there is. */
static void best_event(void **state)
{
	struct branch_profile p = {0};

	(void)state;
	assert_int_equal(sample_events_best(&p), IP_OTHER);
	branch_profile_add_event(&p, 1, IP_CACHE_MISSES, 1, 1);
	assert_int_equal(sample_events_best(&p), IP_CACHE_MISSES);
	branch_profile_add_event(&p, 1, IP_OTHER, 1, 1);
	assert_int_equal(sample_events_best(&p), IP_OTHER);
	branch_profile_add_event(&p, 1, IP_CYCLES, 1, 1);
	assert_int_equal(sample_events_best(&p), IP_CYCLES);
	branch_profile_add_event(&p, 1, IP_INSTRUCTIONS, 1, 1);
	assert_int_equal(sample_events_best(&p), IP_INSTRUCTIONS);
	branch_profile_deinit(&p);
}

/* `common` misses the cache and has ten times the samples; behind it the shadow. With cycles and
 * misses both are set right. */
static void classified(void **state)
{
	struct branch_profile clean = {0}, out;
	struct ip_stats stats;
	double all, around;

	(void)state;
	sample_all(&clean);
	branch_profile_add_event(&clean, at("f"), IP_CYCLES, 10000, 10);
	branch_profile_add_event(&clean, at("loop"), IP_CYCLES, 100000, 100);
	branch_profile_add_event(&clean, at("common"), IP_CYCLES, 90000 + 3600000, 3690);
	branch_profile_add_event(&clean, at("common"), IP_CACHE_MISSES, 18000, 18);
	branch_profile_add_event(&clean, at("common"), IP_INSTRUCTIONS, 900000, 900);
	branch_profile_add_event(&clean, at("rare"), IP_CYCLES, 10000, 10);
	branch_profile_add_event(&clean, at("next"), IP_CYCLES, 100000, 100);
	branch_profile_add_event(&clean, at("out"), IP_CYCLES, 10000, 10);
	make(&clean, IP_FLOW, &out, &stats);
	assert_true(stats.classified);
	assert_true(stats.over_sampled >= 1);
	all = (double)taken(&out, "f_jne", "loop");
	around = (double)taken(&out, "f_jmp", "next");
	assert_true(all > 0 && around / all < 1.5);
	branch_profile_deinit(&out);
	branch_profile_deinit(&clean);
}

/* `next` has a tenth of its samples, `rare` three times as many. Told that, flow takes the others'
 * word for both. */
static void classified_by_truth(void **state)
{
	struct branch_profile clean = {0}, exact = {0}, out = {0};
	struct ip_options how = {.method = IP_FLOW, .exact = &exact};
	struct ip_stats stats;
	uint64_t all;

	(void)state;
	sample_all(&clean);
	map_find(&clean.samples, at("next"), IP_INSTRUCTIONS)->n /= 10;
	map_find(&clean.samples, at("f_jne"), IP_INSTRUCTIONS)->n /= 10;
	map_find(&clean.samples, at("rare"), IP_INSTRUCTIONS)->n *= 3;
	map_find(&clean.samples, at("f_call"), IP_INSTRUCTIONS)->n *= 3;
	assert_int_equal(branch_profile_add_range(&exact, at("f"), at("f_je"), 10000), 0);
	assert_int_equal(branch_profile_add_range(&exact, at("loop"), at("f_je"), 90000), 0);
	assert_int_equal(branch_profile_add_range(&exact, at("common"), at("f_jmp"), 90000), 0);
	assert_int_equal(branch_profile_add_range(&exact, at("rare"), at("f_call"), 10000), 0);
	assert_int_equal(branch_profile_add_range(&exact, at("next"), at("f_jne"), 100000), 0);
	assert_int_equal(branch_profile_add_range(&exact, at("out"), at("out"), 10000), 0);
	assert_int_equal(ip_profile_make(binary, &clean, &how, &out, &stats, NULL), 0);
	assert_true(stats.classified);
	assert_true(stats.under_sampled >= 1);
	assert_true(stats.over_sampled >= 1);
	all = taken(&out, "f_jne", "loop");
	assert_true(all > 0);
	/* but for rounding */
	assert_in_range(taken(&out, "f_jmp", "next"), all - 20, all + 20);
	assert_in_range(9 * taken(&out, "f_je", "rare"), all - 20, all + 20);
	branch_profile_deinit(&out);
	branch_profile_deinit(&exact);
	branch_profile_deinit(&clean);
}

/* The network of sampled addresses, by both solvers: the least cost is one. */
static void solved_by_glpk(void **state)
{
	struct ip_options simplex = {.method = IP_FLOW},
			  glpk = {.method = IP_FLOW, .solver = &glpk_solver};
	struct branch_profile clean = {0}, by_simplex = {0}, by_glpk = {0};
	struct ip_stats ours, other;

	(void)state;
	sample_all(&clean);
	assert_int_equal(ip_profile_make(binary, &clean, &simplex, &by_simplex, &ours, NULL), 0);
	assert_int_equal(ip_profile_make(binary, &clean, &glpk, &by_glpk, &other, NULL), 0);
	assert_true(ours.smooth.flow.cost > 0);
	assert_int_equal(ours.smooth.flow.cost, other.smooth.flow.cost);
	assert_int_equal(ours.smooth.flow.by_other, 0);
	assert_int_equal(other.smooth.flow.by_other, other.smooth.outcomes[FLOW_SOLVED]);
	assert_true(taken(&by_glpk, "f_jne", "loop") > 0);
	branch_profile_deinit(&by_glpk);
	branch_profile_deinit(&by_simplex);
	branch_profile_deinit(&clean);
}

static void no_memory(void **state)
{
	struct branch_profile clean = {0}, out;
	struct ip_options how = {.method = IP_FLOW};
	struct ip_stats stats;
	bool done = false;

	(void)state;
	sample_all(&clean);
	for (size_t n = 1; n < 400 && !done; n++) {
		struct softlbr_error e = {0};

		out = (struct branch_profile){0};
		memory_fail_at(n);
		done = !ip_profile_make(binary, &clean, &how, &out, &stats, &e);
		memory_fail_at(0);
		/* a solver without memory leaves raw counts */
		assert_int_equal(e.code, done ? 0 : SOFTLBR_E_SYSTEM);
		branch_profile_deinit(&out);
		done = done && n > 100;
	}
	assert_true(done);
	branch_profile_deinit(&clean);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(exact_blocks),	  cmocka_unit_test(heuristics),
		cmocka_unit_test(multiplexed),	  cmocka_unit_test(best_event),
		cmocka_unit_test(classified),	  cmocka_unit_test(classified_by_truth),
		cmocka_unit_test(solved_by_glpk), cmocka_unit_test(no_memory),
	};

	if (tools_lack("gcc"))
		return 77;
	return cmocka_run_group_tests(tests, setup, assembled_remove);
}
