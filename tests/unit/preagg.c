/* SPDX-License-Identifier: MIT */
/* BOLT's pre-aggregated text: written, read back, and damaged. */
#include <setjmp.h>
#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include <cmocka.h>

#include "formats/preagg.h"
#include "formats/profile_kind.h"
#include "whole_files.h"

static bool same(void *context, uint64_t from, uint64_t to)
{
	(void)context;
	return from >> 12 == to >> 12; /* functions are 4 KiB here */
}

static void fill(struct branch_profile *p)
{
	branch_profile_add_branch(p, 0x1040, 0x1010, 7, 2); /* a loop */
	branch_profile_add_branch(p, 0x1050, 0x2000, 3, 0); /* a call */
	branch_profile_add_branch(p, 0x2020, 0x1054, 3, 1); /* its return */
	branch_profile_add_branch(p, 0x1100, 0x2000, 9, 0); /* a tail call */
	branch_profile_add_branch(p, 0x2010, 0x2000, 4, 0); /* a loop to the first instruction */
	branch_profile_add_branch(p, BRANCH_OUTSIDE, 0x1000, 1, 0);
	branch_profile_add_branch(p, 0x1200, BRANCH_OUTSIDE, 1, 0);
	branch_profile_add_range(p, 0x1010, 0x1040, 7);
	branch_profile_add_range(p, 0x1054, 0x1100, 3);
	branch_profile_add_range(p, 0x1000, 0x1040, 1);
	branch_profile_add_range(p, 0x2000, 0x2010, 16);
}

static const char expected[] = "B 1040 1010 7 2\n"
			       "B 1050 2000 3 0\n"
			       "B 1100 2000 9 0\n"
			       "B 1200 X:0 1 0\n"
			       "B 2010 2000 4 0\n"
			       "B 2020 1054 3 1\n"
			       "B X:0 1000 1 0\n"
			       "f 1000 1040 1\n"
			       "F 1010 1040 7\n"
			       "f 1054 1100 3\n"
			       "F 2000 2010 4\n"
			       "f 2000 2010 12\n";

static void writes_sorted_records_and_reads_them_back(void **state)
{
	char path[] = "/tmp/softlbr-preagg-XXXXXX", text[1024] = {0};
	struct branch_profile p = {0}, back = {0};
	struct softlbr_error e = {0};
	struct map_entry *i = NULL;
	FILE *f;

	(void)state;
	close(mkstemp(path));
	fill(&p);
	assert_int_equal(preagg_write(&p, same, NULL, path, &e), 0);
	f = fopen(path, "r");
	assert_non_null(f);
	assert_true(fread(text, 1, sizeof(text) - 1, f) > 0);
	fclose(f);
	assert_string_equal(text, expected);

	assert_int_equal(preagg_read(&back, path, &e), 0);
	assert_int_equal(back.branches.count, p.branches.count);
	assert_int_equal(back.ranges.count, p.ranges.count);
	while ((i = map_next(&p.branches, i))) {
		assert_int_equal(map_find(&back.branches, i->a, i->b)->n, i->n);
		assert_int_equal(map_find(&back.branches, i->a, i->b)->m, i->m);
	}
	while ((i = map_next(&p.ranges, i)))
		assert_int_equal(map_find(&back.ranges, i->a, i->b)->n, i->n);
	branch_profile_deinit(&p);
	branch_profile_deinit(&back);
	unlink(path);
}

static void assert_written(const struct branch_profile *p, unsigned bolt, const char *text)
{
	char *written = NULL;
	size_t size;
	FILE *f = open_memstream(&written, &size);

	assert_int_equal(preagg_write_to(p, same, NULL, bolt, f, NULL), 0);
	fclose(f);
	assert_string_equal(written, text);
	free(written);
}

/* Which version reads what: BOLT's documentation of profiles, and perf2bolt 19 to 23, tried. */
static void writes_traces_for_versions_that_read_them(void **state)
{
	struct branch_profile p = {0};

	(void)state;
	fill(&p);
	assert_written(&p, 0, expected);
	assert_written(&p, 20, expected);
	assert_written(&p, 21,
		       "B X:0 1000 1 0\n"
		       "f 1000 1040 1\n"
		       "B 1040 1010 7 2\n"
		       "F 1010 1040 7\n"
		       "B 2020 1054 3 1\n"
		       "f 1054 1100 3\n"
		       "T 1050 2000 2010 3\n"
		       "T 1100 2000 2010 9\n"
		       "T 2010 2000 2010 4\n"
		       "T 1200 X:0 ffffffffffffffff 1\n");
	assert_written(&p, 23,
		       "B X:0 1000 1 0\n"
		       "f 1000 1040 1\n"
		       "T 1040 1010 1040 7 2\n"
		       "T 2020 1054 1100 3 1\n"
		       "T 1050 2000 2010 3\n"
		       "T 1100 2000 2010 9\n"
		       "T 2010 2000 2010 4\n"
		       "T 1200 X:0 ffffffffffffffff 1\n");
	branch_profile_deinit(&p);
}

/* Ranges are shared out by what led to them; their counts and those of branches stay what they are.
 */
static void traces_add_up(void **state)
{
	struct branch_profile p = {0};

	(void)state;
	branch_profile_add_branch(&p, 0x1010, 0x1100, 10, 0);
	branch_profile_add_branch(&p, 0x1020, 0x1100, 5, 0);
	branch_profile_add_range(&p, 0x1100, 0x1110, 6);
	branch_profile_add_range(&p, 0x1100, 0x1120, 6);
	branch_profile_add_range(&p, 0x1200, 0x1210, 3); /* no branch leads there */
	branch_profile_add_branch(&p, 0x1030, 0x1300, 1, 0);
	branch_profile_add_range(&p, 0x1300, 0x1310, 3); /* fewer do */
	assert_written(&p, 23,
		       "T 1010 1100 1110 6\n"
		       "T 1010 1100 1120 2\n"
		       "T 1010 1100 ffffffffffffffff 2\n"
		       "T 1020 1100 1120 4\n"
		       "T 1020 1100 ffffffffffffffff 1\n"
		       "f 1200 1210 3\n"
		       "T 1030 1300 1310 1\n"
		       "F 1300 1310 2\n");
	branch_profile_deinit(&p);
}

static int read_text(const char *text, struct branch_profile *p, struct softlbr_error *e)
{
	memset(e, 0, sizeof(*e));
	return profile_kind_read_only_file(PROFILE_PREAGG, (const uint8_t *)text, strlen(text),
					   "test", p, e);
}

static void takes_build_ids_and_blanks(void **state)
{
	struct branch_profile p = {0};
	struct softlbr_error e;

	(void)state;
	assert_int_equal(read_text("B  ab12:1040 ab12:1010   7 2 \n\nF 10 20 3\n", &p, &e), 0);
	assert_int_equal(map_find(&p.branches, 0x1040, 0x1010)->n, 7);
	assert_int_equal(map_find(&p.ranges, 0x10, 0x20)->n, 3);
	assert_int_equal(p.build_id.size, 2);
	branch_profile_deinit(&p);
}

static void takes_traces(void **state)
{
	static const char text[] = "E cycles\n"
				   "T 1040 1010 1040 7 2\n"
				   "R 1050 1054 1060 3\n"
				   "T -1 10 20 4\n"
				   "T fffffffffffffffe 10 20 5\n"
				   "R -3 10 20 6\n"
				   "T 70 80 -1 7\n"
				   "T 90 80 ffffffffffffffff 8\n"
				   "R X:0 1054 1060 9\n"
				   "r 10 20 10\n"
				   "S 10 99\n";
	struct branch_profile p = {0};
	struct softlbr_error e;

	(void)state;
	assert_int_equal(read_text(text, &p, &e), 0);
	assert_int_equal(p.branches.count, 5);
	assert_int_equal(map_find(&p.branches, 0x1040, 0x1010)->n, 7);
	assert_int_equal(map_find(&p.branches, 0x1040, 0x1010)->m, 2);
	assert_int_equal(map_find(&p.branches, 0x1050, 0x1054)->n, 3);
	assert_int_equal(map_find(&p.branches, 0x70, 0x80)->n, 7);
	assert_int_equal(map_find(&p.branches, 0x90, 0x80)->n, 8);
	assert_int_equal(map_find(&p.branches, BRANCH_OUTSIDE, 0x1054)->n, 9);
	assert_int_equal(p.ranges.count, 3);
	assert_int_equal(map_find(&p.ranges, 0x1010, 0x1040)->n, 7);
	assert_int_equal(map_find(&p.ranges, 0x1054, 0x1060)->n, 3 + 9);
	assert_int_equal(map_find(&p.ranges, 0x10, 0x20)->n, 4 + 5 + 6 + 10);
	assert_int_equal(map_find(&p.samples, 0x10, 0)->n, 99);
	branch_profile_deinit(&p);
}

/* Addresses of another file are outside; without a binary to choose by there may be one alone. */
static void tells_files_apart(void **state)
{
	static const char text[] =
		"B aa11:1040 aa11:1010 7 2\nB bb22:1040 aa11:1010 5 0\n"
		"B bb22:1040 bb22:1010 90 0\nF bb22:10 bb22:20 3\nF aa11:10 aa11:20 4\n"
		"S bb22:10 6\n";
	struct branch_profile all = {0}, own = {0};
	struct build_tags tags = {0};
	struct map others = {0};
	struct softlbr_error e = {0};

	(void)state;
	assert_int_equal(
		preagg_read_bytes(&all, (const uint8_t *)text, strlen(text), "test", &tags, &e), 0);
	assert_int_equal(tags.files.count, 2);
	assert_int_equal(build_tags_select(&tags, &all, 0, &own, &others), 0);
	assert_int_equal(own.branches.count, 2);
	assert_int_equal(map_find(&own.branches, 0x1040, 0x1010)->n, 7);
	assert_int_equal(map_find(&own.branches, BRANCH_OUTSIDE, 0x1010)->n, 5);
	assert_int_equal(own.ranges.count, 1);
	assert_int_equal(map_find(&own.ranges, 0x10, 0x20)->n, 4);
	assert_int_equal(own.samples.count, 0);
	assert_int_equal(map_find(&others, 1, 0)->n, 95);
	map_deinit(&others);
	branch_profile_deinit(&own);
	branch_profile_deinit(&all);
	build_tags_deinit(&tags);
	assert_int_equal(read_text(text, &own, &e), -SOFTLBR_E_INPUT);
	assert_non_null(strstr(e.text, "test is of 2 files (aa11, bb22)"));
	branch_profile_deinit(&own);
}

static void damaged_lines_are_named(void **state)
{
	static const char *const bad[] = {
		"B 1040 1010 7\n",
		"B 0x1040 1010 7 2\n",
		"F 10 20 x\n",
		"T 1 2 3\n",
		"T -4 2 3 1\n",
		"T 1 -1 3 1\n",
		"R 1 2 -0 1\n",
		"Q 1 2 3\n",
		"hello\n",
		"B 1 2 3 4 5\n",
		"F 10 20 -1\n",
		"F 11112222333344445 1 1\n",
		"B",
		"F 1 2 3", /* cut off: the count may go on */
		"F 1 2 99999999999999999999\n",
		"F aa11:11112222333344445 aa11:1 1\n",
		"B zz:10 zz:20 1 0\n",
	};
	struct branch_profile p = {0};
	struct softlbr_error e;

	(void)state;
	for (unsigned i = 0; i < sizeof(bad) / sizeof(*bad); i++) {
		char text[128];

		snprintf(text, sizeof(text), "F 10 20 3\n%s", bad[i]);
		assert_int_equal(read_text(text, &p, &e), -SOFTLBR_E_INPUT);
		assert_int_equal(e.where, 2);
		assert_non_null(strstr(e.text, "test:2:"));
	}
	branch_profile_deinit(&p);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(writes_sorted_records_and_reads_them_back),
		cmocka_unit_test(writes_traces_for_versions_that_read_them),
		cmocka_unit_test(traces_add_up),
		cmocka_unit_test(takes_build_ids_and_blanks),
		cmocka_unit_test(takes_traces),
		cmocka_unit_test(tells_files_apart),
		cmocka_unit_test(damaged_lines_are_named),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
