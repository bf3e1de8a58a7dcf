/* SPDX-License-Identifier: MIT */
/* Counters for gcc -fprofile-use: read, written, added up, and refused. */
#include <setjmp.h>
#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include <cmocka.h>

#include "converter/gcc/files/counter_profile.h"
#include "converter/gcc/files/gcc_graph.h"
#include "formats/profile_kind.h"

#define GCC_11 0x4231312a /* "*11B" */
#define GCC_12 0x4232322a
#define GCC_17 0x42373020 /* " 07B": a snapshot's status is blank */

/* Two functions, one of them not in this file; the other with 2 arcs, a list, and two zeros. */
static const uint32_t gcc_12[] = {
	GCDA_MAGIC,
	GCC_12,
	77,
	88,
	GCDA_SUMMARY,
	8,
	1,
	9,
	0x01000000,
	0,
	0x01000000,
	12,
	5,
	6,
	7,
	GCDA_COUNTERS,
	16,
	9,
	0,
	4,
	1,
	GCDA_COUNTERS + 3 * GCDA_KIND_STEP,
	32,
	13,
	0,
	1,
	0,
	64,
	0,
	13,
	0,
	GCDA_COUNTERS + 7 * GCDA_KIND_STEP,
	(uint32_t)-16,
	0,
};

static const uint32_t gcc_11[] = {
	GCDA_MAGIC, GCC_11, 77, GCDA_SUMMARY,  2, 1, 9, 0x01000000, 3,
	5,	    6,	    7,	GCDA_COUNTERS, 4, 9, 0, 4,	    1,
	0,
};

static int read_words(const uint32_t *words, size_t count, struct counter_profile *p,
		      struct softlbr_error *e)
{
	return gcda_read_bytes((const uint8_t *)words, count * 4, "x.gcda", p, e);
}

#define READ(words, p, e) read_words((words), sizeof(words) / 4, (p), (e))

static uint64_t count_of(const struct counter_profile *p, size_t function, enum counter_kind kind,
			 size_t i)
{
	const struct counter_set *s = counter_function_set(&p->functions.items[function], kind);

	assert_non_null(s);
	assert_true(i < s->counts.count);
	return s->counts.items[i];
}

static void check_written(const struct counter_profile *p, const uint32_t *words, size_t bytes)
{
	char *written = NULL;
	size_t size = 0;
	FILE *f = open_memstream(&written, &size);

	gcda_write_to(p, f);
	fclose(f);
	assert_int_equal(size, bytes);
	assert_memory_equal(written, words, bytes);
	free(written);
}

static void reads_what_gcc_12_writes(void **state)
{
	struct counter_profile p;

	(void)state;
	assert_int_equal(READ(gcc_12, &p, NULL), 0);
	assert_int_equal(p.stamp, 77);
	assert_int_equal(p.checksum, 88);
	assert_int_equal(p.runs, 1);
	assert_int_equal(p.sum_max, 9);
	assert_int_equal(p.functions.count, 2);
	assert_true(p.functions.items[0].absent);
	assert_int_equal(p.functions.items[1].ident, 5);
	assert_int_equal(count_of(&p, 1, COUNTER_KIND_ARCS, 1), 0x100000004);
	assert_int_equal(count_of(&p, 1, COUNTER_KIND_TOPN, 2), 64);
	assert_int_equal(count_of(&p, 1, COUNTER_KIND_TIME, 1), 0);
	check_written(&p, gcc_12, sizeof(gcc_12));
	counter_profile_deinit(&p);
}

static void reads_what_gcc_11_writes(void **state)
{
	struct counter_profile p;

	(void)state;
	assert_int_equal(READ(gcc_11, &p, NULL), 0);
	assert_int_equal(count_of(&p, 0, COUNTER_KIND_ARCS, 0), 9);
	check_written(&p, gcc_11, sizeof(gcc_11));
	counter_profile_deinit(&p);
}

/* The form has not changed since gcc 12; the word goes into the file as it came, whatever the
 * status of the compiler ("e": experimental, "p": prerelease), and for one that is not known yet.
 */
static void keeps_the_word_of_every_newer_gcc(void **state)
{
	static const uint32_t versions[] = {0x4233332a, 0x4234322a, 0x42353170, 0x4236302a,
					    GCC_17,	0x42383065, 0x4332302a};
	uint32_t words[sizeof(gcc_12) / 4];
	struct counter_profile p;

	(void)state;
	memcpy(words, gcc_12, sizeof(words));
	for (size_t i = 0; i < sizeof(versions) / sizeof(versions[0]); i++) {
		words[1] = versions[i];
		assert_int_equal(READ(words, &p, NULL), 0);
		assert_int_equal(count_of(&p, 1, COUNTER_KIND_TOPN, 2), 64);
		check_written(&p, words, sizeof(words));
		counter_profile_deinit(&p);
	}
}

static void reads_the_other_byte_order(void **state)
{
	uint32_t words[sizeof(gcc_12) / 4];
	struct counter_profile p;

	(void)state;
	for (size_t i = 0; i < sizeof(words) / 4; i++)
		words[i] = __builtin_bswap32(gcc_12[i]);
	assert_int_equal(READ(words, &p, NULL), 0);
	assert_int_equal(count_of(&p, 1, COUNTER_KIND_ARCS, 1), 0x100000004);
	counter_profile_deinit(&p);
}

/* Both begin with "adcg"; autofdo's version words are 1, 2, 3 and "*704" backwards. */
static void is_told_from_autofdo(void **state)
{
	uint32_t autofdo[] = {GCDA_MAGIC, 2, 0}, unnamed[] = {GCDA_MAGIC, 0x3430372a, 0};

	(void)state;
	assert_int_equal(profile_kind_of((const uint8_t *)gcc_12, sizeof(gcc_12)), PROFILE_GCDA);
	assert_int_equal(profile_kind_of((const uint8_t *)autofdo, 12), PROFILE_GCOV);
	assert_int_equal(profile_kind_of((const uint8_t *)unnamed, 12), PROFILE_GCOV);
}

static void refuse(uint32_t at, uint32_t word, const char *why)
{
	uint32_t words[sizeof(gcc_12) / 4];
	struct softlbr_error e = {0};
	struct counter_profile p;

	memcpy(words, gcc_12, sizeof(words));
	words[at] = word;
	assert_int_equal(READ(words, &p, &e), -SOFTLBR_E_INPUT);
	if (!strstr(e.text, why))
		fail_msg("%s: not said: %s", e.text, why);
	counter_profile_deinit(&p);
}

static void refuses_what_is_wrong(void **state)
{
	(void)state;
	refuse(1, 0x4138302a, "written by gcc 8; .gcda files of gcc 11 and newer");
	refuse(1, 3, "x.gcda is no .gcda file: it does not begin with \"gcda\" and the version");
	refuse(1, 0x42373000, "is no .gcda file");
	refuse(4, 0xa3000000, "unknown record");
	refuse(5, 12, "bad summary");
	refuse(11, 16, "head of another size");
	refuse(16, 12, "bad number of counters");
	refuse(16, 1u << 30, "bad number of counters");
	refuse(32, 0x80000000, "bad number of counters");
	refuse(10, GCDA_COUNTERS, "counters without a function");
	refuse(21, GCDA_COUNTERS, "of a kind twice");
	refuse(33, 1, "unknown record");
}

static void adds_as_gcc_does(void **state)
{
	const struct counter_function *clash = NULL;
	struct counter_profile p, sum = {0};
	struct softlbr_error e = {0};

	(void)state;
	assert_int_equal(READ(gcc_12, &p, NULL), 0);
	assert_int_equal(counter_merge_add(&sum, &p, 1, "a", &clash, NULL), 0);
	assert_int_equal(counter_merge_add(&sum, &p, 2, "b", &clash, NULL), 0);
	assert_int_equal(sum.runs, 2);
	assert_int_equal(sum.sum_max, 27);
	assert_int_equal(count_of(&sum, 1, COUNTER_KIND_ARCS, 0), 27);
	assert_int_equal(count_of(&sum, 1, COUNTER_KIND_TOPN, 0), 39);
	assert_int_equal(count_of(&sum, 1, COUNTER_KIND_TOPN, 3), 39);
	/* the same sources, compiled another time */
	p.stamp++;
	assert_int_equal(counter_merge_add(&sum, &p, 1, "c", &clash, NULL), 0);
	assert_int_equal(count_of(&sum, 1, COUNTER_KIND_ARCS, 0), 36);
	assert_int_equal(sum.stamp, 78);
	p.functions.items[1].cfg_checksum++;
	assert_int_equal(counter_merge_add(&sum, &p, 1, "d", &clash, &e), 1);
	assert_ptr_equal(clash, &p.functions.items[1]);
	p.functions.items[1].ident++;
	assert_int_equal(counter_merge_add(&sum, &p, 1, "e", &clash, &e), 0);
	p.stamp++;
	p.functions.items[1].ident++;
	assert_int_equal(counter_merge_add(&sum, &p, 1, "f", &clash, &e), -SOFTLBR_E_INPUT);
	assert_non_null(strstr(e.text, "f is of another object"));
	p.version++;
	e = (struct softlbr_error){0};
	assert_int_equal(counter_merge_add(&sum, &p, 1, "g", &clash, &e), -SOFTLBR_E_INPUT);
	assert_non_null(strstr(e.text, "g is of gcc 12, the files before it are of gcc 12"));
	counter_profile_deinit(&sum);
	counter_profile_deinit(&p);
}

static void add_function(struct counter_profile *p, uint32_t ident, uint64_t count)
{
	struct counter_function *f = counter_profile_add(p);
	struct counter_set *s;

	assert_non_null(f);
	f->ident = ident;
	s = counter_function_add(f, COUNTER_KIND_ARCS);
	assert_non_null(s);
	assert_int_equal(vector_add(&s->counts, count), 0);
}

/* Whichever comes first, the sum is the same file. */
static void adds_functions_that_one_has_alone(void **state)
{
	struct counter_profile of[2] = {{.version = GCC_12, .stamp = 1, .checksum = 11},
					{.version = GCC_12, .stamp = 2, .checksum = 12}};
	char *written[2] = {NULL, NULL};
	size_t size[2];

	(void)state;
	add_function(&of[0], 9, 1);
	add_function(&of[0], 5, 2);
	add_function(&of[1], 7, 3);
	add_function(&of[1], 9, 4);
	for (unsigned first = 0; first < 2; first++) {
		const struct counter_function *clash = NULL;
		struct counter_profile sum = {0};
		FILE *f = open_memstream(&written[first], &size[first]);

		for (unsigned i = 0; i < 2; i++)
			assert_int_equal(
				counter_merge_add(&sum, &of[first ^ i], 1, "x", &clash, NULL), 0);
		assert_int_equal(sum.functions.count, 3);
		assert_int_equal(count_of(&sum, 2, COUNTER_KIND_ARCS, 0), 5);
		assert_int_equal(sum.checksum, 12);
		gcda_write_to(&sum, f);
		fclose(f);
		counter_profile_deinit(&sum);
	}
	assert_int_equal(size[0], size[1]);
	assert_memory_equal(written[0], written[1], size[0]);
	for (unsigned i = 0; i < 2; i++) {
		counter_profile_deinit(&of[i]);
		free(written[i]);
	}
}

/* gcc 12: strings in bytes. One function "f" of "a.c", 4 blocks, two arcs, lines 3 and 4 of
 * block 2. */
static const uint8_t graph[] =
	"oncg*22B\1\0\0\0\0\0\0\0\2\0\0\0/\0\1\0\0\0"
	"\0\0\0\1\56\0\0\0\5\0\0\0\6\0\0\0\7\0\0\0\2\0\0\0f\0\0\0\0\0\4\0\0\0a.c\0"
	"\3\0\0\0\1\0\0\0\5\0\0\0\1\0\0\0"
	"\0\0\101\1\4\0\0\0\4\0\0\0"
	"\0\0\103\1\24\0\0\0\2\0\0\0\3\0\0\0\4\0\0\0\1\0\0\0\3\0\0\0"
	"\0\0\105\1\40\0\0\0\2\0\0\0\0\0\0\0\4\0\0\0a.c\0\3\0\0\0\4\0\0\0\0\0\0\0\0\0\0";

static void reads_a_graph(void **state)
{
	struct softlbr_error e = {0};
	const struct gcc_function *f;
	struct gcc_graph g;

	(void)state;
	if (gcno_read_bytes(graph, sizeof(graph), "x.gcno", &g, &e))
		fail_msg("%s", e.text);
	f = gcc_graph_function(&g, 5);
	assert_non_null(f);
	assert_string_equal(strings_text(g.strings, f->name), "f");
	assert_int_equal(f->line, 3);
	assert_int_equal(f->arcs.count, 2);
	assert_int_equal(f->arcs.items[1].to, 1);
	assert_int_equal(f->arcs.items[1].flags, GCC_ARC_TREE | GCC_ARC_FAKE);
	assert_int_equal(f->lines.count, 2);
	assert_int_equal(f->lines.items[1].line, 4);
	assert_string_equal(strings_text(g.strings, f->lines.items[1].file), "a.c");
	assert_int_equal(g.version, GCC_12);
	gcc_graph_deinit(&g);
}

/* Records of -fcondition-coverage and -fpath-coverage, as gcc 15 writes them behind the lines. */
static void passes_over_conditions_and_paths(void **state)
{
	static const uint8_t more[] = "\0\0\107\1\10\0\0\0\2\0\0\0\3\0\0\0"
				      "\0\0\111\1\4\0\0\0\2\0\0";
	uint8_t both[sizeof(graph) + sizeof(more)];
	struct softlbr_error e = {0};
	struct gcc_graph g;

	(void)state;
	memcpy(both, graph, sizeof(graph)); /* its last byte is the literal's end */
	memcpy(both + sizeof(graph), more, sizeof(more));
	if (gcno_read_bytes(both, sizeof(both), "x.gcno", &g, &e))
		fail_msg("%s", e.text);
	assert_int_equal(g.functions.count, 1);
	assert_int_equal(g.functions.items[0].arcs.count, 2);
	assert_int_equal(g.functions.items[0].lines.count, 2);
	gcc_graph_deinit(&g);
}

static void refuses_what_is_no_graph(void **state)
{
	struct softlbr_error e = {0};
	struct gcc_graph g;

	(void)state;
	assert_int_equal(gcno_read_bytes((const uint8_t *)"\177ELF\2\1\1", 8, "x.gcno", &g, &e),
			 -SOFTLBR_E_INPUT);
	assert_string_equal(e.text, "x.gcno is no .gcno file: it does not begin with \"gcno\" and "
				    "the version of a gcc");
	gcc_graph_deinit(&g);
}

static void refuses_a_torn_graph(void **state)
{
	(void)state;
	/* whole records are a smaller file: gcc writes nothing at its end */
	for (size_t size = 0; size < sizeof(graph) - 4; size++) {
		struct softlbr_error e = {0};
		struct gcc_graph g;
		int rc = gcno_read_bytes(graph, size, "x.gcno", &g, &e);

		assert_int_equal(rc, -e.code);
		gcc_graph_deinit(&g);
	}
}

/* What asks for memory, or lets arcs point beyond the blocks. */
static void refuses_impossible_blocks(void **state)
{
	static const uint8_t blocks[] = "\0\0\101\1\4\0\0", lines[] = "\0\0\105\1\40\0\0";
	uint8_t damaged[sizeof(graph)];

	(void)state;
	for (int twice = 0; twice < 2; twice++) {
		struct softlbr_error e = {0};
		struct gcc_graph g;
		uint8_t *at;

		memcpy(damaged, graph, sizeof(graph));
		at = memmem(damaged, sizeof(damaged), twice ? lines : blocks, sizeof(blocks));
		assert_non_null(at);
		if (twice)
			at[2] = 0101;
		else
			at[11] = 0177;
		assert_int_equal(gcno_read_bytes(damaged, sizeof(damaged), "x.gcno", &g, &e),
				 -SOFTLBR_E_INPUT);
		assert_non_null(strstr(e.text, twice ? "blocks twice" : "too many blocks"));
		gcc_graph_deinit(&g);
	}
}

/* Each function may have as many blocks as the file has bytes, but not all of them together. */
static void refuses_blocks_without_end(void **state)
{
	enum {
		FUNCTION = 26,
		NUMBER = 88,
		TIMES = 64
	}; /* where its record, and the number begin */
	uint8_t hostile[FUNCTION + TIMES * (NUMBER + 4 - FUNCTION)], *to = hostile;
	struct softlbr_error e = {0};
	struct gcc_graph g;

	(void)state;
	memcpy(to, graph, FUNCTION);
	to += FUNCTION;
	for (unsigned i = 0; i < TIMES; i++) {
		memcpy(to, graph + FUNCTION, NUMBER - FUNCTION);
		to += NUMBER - FUNCTION;
		memcpy(to, (uint8_t[]){0, 8, 0, 0}, 4);
		to += 4;
	}
	assert_int_equal(gcno_read_bytes(hostile, sizeof(hostile), "x.gcno", &g, &e),
			 -SOFTLBR_E_INPUT);
	assert_non_null(strstr(e.text, "too many blocks"));
	gcc_graph_deinit(&g);
}

/* Which has no opposite as a signed number. */
static void the_least_total_is_a_number_of_values(void **state)
{
	(void)state;
	assert_true(counter_list_total(7) == 7);
	assert_true(counter_list_total((uint64_t)-7) == 7);
	assert_true(counter_list_total((uint64_t)INT64_MIN) == (uint64_t)INT64_MAX + 1);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(reads_what_gcc_12_writes),
		cmocka_unit_test(reads_what_gcc_11_writes),
		cmocka_unit_test(keeps_the_word_of_every_newer_gcc),
		cmocka_unit_test(reads_the_other_byte_order),
		cmocka_unit_test(is_told_from_autofdo),
		cmocka_unit_test(refuses_what_is_wrong),
		cmocka_unit_test(adds_as_gcc_does),
		cmocka_unit_test(adds_functions_that_one_has_alone),
		cmocka_unit_test(reads_a_graph),
		cmocka_unit_test(passes_over_conditions_and_paths),
		cmocka_unit_test(refuses_what_is_no_graph),
		cmocka_unit_test(refuses_a_torn_graph),
		cmocka_unit_test(refuses_blocks_without_end),
		cmocka_unit_test(refuses_impossible_blocks),
		cmocka_unit_test(the_least_total_is_a_number_of_values),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
