/* SPDX-License-Identifier: MIT */
/* formats/fdata.h: what llvm-bolt's reader wants, and what it would silently lose. */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <cmocka.h>
#include <stdio.h>
#include <string.h>

#include "base/memory.h"
#include "formats/fdata.h"
#include "formats/profile_kind.h"
#include "tests/unit/program.h"
#include "whole_files.h"

static int setup(void **state)
{
	(void)state;
	return program_directory_make();
}

static int teardown(void **state)
{
	(void)state;
	program_directory_remove();
	return 0;
}

static struct bolt_location at(struct bolt_profile *p, const char *name, uint64_t offset)
{
	return (struct bolt_location){name ? strings_add_text(p->strings, name) : 0, offset};
}

static void add(struct bolt_profile *p, const char *from, uint64_t from_offset, const char *to,
		uint64_t to_offset, uint64_t count, uint64_t mispredicted)
{
	assert_int_equal(bolt_profile_add(p, at(p, from, from_offset), at(p, to, to_offset), count,
					  mispredicted),
			 0);
}

static void check_file(const char *path, const char *expected)
{
	char text[1024] = "";
	FILE *f = fopen(path, "r");

	assert_non_null(f);
	text[fread(text, 1, sizeof(text) - 1, f)] = 0;
	fclose(f);
	assert_string_equal(text, expected);
}

static void written_sorted_and_escaped(void **state)
{
	static const char expected[] = "0 [unknown] 0 1 main 0 0 100\n"
				       "1 a\\ b\\\\c/x.c/1 ff 1 printf@PLT 0 0 3\n"
				       "1 main 1c 0 [unknown] 0 2 9\n"
				       "1 main 1c 1 main 4 5 30\n"
				       "1 main 100 1 main 4 0 9223372036854775807\n";
	struct bolt_profile p, again;

	(void)state;
	assert_int_equal(bolt_profile_init(&p), 0);
	add(&p, "main", 0x100, "main", 4, UINT64_MAX, 0);
	add(&p, "main", 0x1c, "main", 4, 10, 1);
	add(&p, "main", 0x1c, NULL, 0, 9, 2);
	add(&p, "a b\\c/x.c/1", 0xff, "printf@PLT", 0, 3, 0);
	add(&p, "main", 0x1c, "main", 4, 20, 4);
	add(&p, NULL, 0, "main", 0, 100, 0);
	bolt_profile_sort(&p);
	assert_int_equal(fdata_write(&p, "out", NULL), 0);
	check_file("out", expected);

	assert_int_equal(bolt_profile_init(&again), 0);
	assert_int_equal(fdata_read("out", &again, NULL), 0);
	assert_int_equal(again.branches.count, 5);
	assert_string_equal(strings_text(again.strings, again.branches.items[1].from.symbol),
			    "a b\\c/x.c/1");
	assert_int_equal(again.branches.items[3].mispredicted, 5);
	assert_int_equal(fdata_write(&again, "again", NULL), 0);
	check_file("again", expected);
	bolt_profile_deinit(&p);
	bolt_profile_deinit(&again);
}

static void empty_is_refused(void **state)
{
	struct softlbr_error e = {0};
	struct bolt_profile p;

	(void)state;
	assert_int_equal(bolt_profile_init(&p), 0);
	assert_int_equal(fdata_write(&p, "none", &e), -SOFTLBR_E_EMPTY);
	assert_int_equal(access("none", F_OK), -1);
	bolt_profile_deinit(&p);
}

static void lenient_where_bolt_is(void **state)
{
	static const char text[] = "1  main  1C   2 f/1 0 0 7  \n1 main 1c 1 f/1 0 1 1\n"
				   "0 libc.so 55 0 [unknown] 0 0 1\n";
	struct bolt_profile p;

	(void)state;
	assert_int_equal(bolt_profile_init(&p), 0);
	assert_int_equal(fdata_read_bytes(text, strlen(text), "t", &p, NULL), 0);
	assert_int_equal(p.branches.count, 2);
	assert_int_equal(p.branches.items[1].from.offset, 0x1c);
	assert_int_equal(p.branches.items[1].count, 8);
	assert_int_equal(p.branches.items[1].mispredicted, 1);
	bolt_profile_deinit(&p);
}

static void errors_name_the_line(void **state)
{
	static const char *const lines[] = {
		"1 main 1c 1 main 4 0 1\r\n",
		"1 main 1c 1 main 4 0 1",
		"1 main 0x1c 1 main 4 0 1\n",
		"1 main 1c 1 main 4 0\n",
		"1 main 1c 1 main 4 0 1 1\n",
		"1 main 1c 1 main 4 0 -1\n",
		"4 main 1c 4 main 4 1\n",
		"no_lbr cycles\n",
		"boltedcollection\n",
		"# comment\n",
		"\n",
		"1 main 1c 1 main 4 0 9223372036854775808\n",
		"1 main 1c 7 main 4 0 1\n",
		"1 main\n",
		"1 main 1c 1 main 10000000000000000 0 1\n",
	};

	(void)state;
	for (size_t i = 0; i < sizeof(lines) / sizeof(*lines); i++) {
		struct softlbr_error e = {0};
		struct bolt_profile p;
		char text[256];

		snprintf(text, sizeof(text), "1 main 1c 1 main 4 0 1\n%s", lines[i]);
		assert_int_equal(bolt_profile_init(&p), 0);
		assert_int_equal(fdata_read_bytes(text, strlen(text), "file", &p, &e),
				 -SOFTLBR_E_INPUT);
		assert_int_equal(e.where, 2);
		assert_non_null(strstr(e.text, "file:2: "));
		bolt_profile_deinit(&p);
	}
}

/* So that they are refused by name. */
static void what_is_not_supported_is_known(void **state)
{
	static const char *const texts[] = {
		"no_lbr\n1 main 10 100\n",
		"no_lbr cycles\n1 main 10 100\n",
		"boltedcollection\n1 main 1c 1 main 4 0 1\n",
	};

	(void)state;
	for (size_t i = 0; i < sizeof(texts) / sizeof(*texts); i++)
		assert_int_equal(profile_kind_of((const uint8_t *)texts[i], strlen(texts[i])),
				 PROFILE_FDATA);
}

/* perf2bolt's records of branches into the kernel have its whole addresses. */
static void addresses_of_the_kernel(void **state)
{
	static const char text[] = "1 main 1c 0 [unknown] ffffffff81a00080 0 7\n"
				   "1 main fffffffffffffff0 1 main 4 0 1\n",
			  too_large[] = "1 main 1c 1 main 4 0 9223372036854775808\n";
	struct softlbr_error e = {0};
	struct bolt_profile p;

	(void)state;
	assert_int_equal(bolt_profile_init(&p), 0);
	assert_int_equal(fdata_read_bytes(text, sizeof(text) - 1, "kernel", &p, &e), 0);
	assert_int_equal(p.branches.count, 2);
	assert_int_equal(p.branches.items[0].to.symbol, 0);
	assert_int_equal(p.branches.items[1].from.offset, 0xfffffffffffffff0);
	assert_int_equal(fdata_read_bytes(too_large, sizeof(too_large) - 1, "large", &p, &e),
			 -SOFTLBR_E_INPUT);
	bolt_profile_deinit(&p);
}

static void cut_anywhere(void **state)
{
	static const char text[] = "1 a\\ b/x.c/1 1c 1 main 4 0 10\n0 [unknown] 0 1 main 0 0 3\n";

	(void)state;
	for (size_t size = 0; size < sizeof(text) - 1; size++) {
		struct softlbr_error e = {0};
		struct bolt_profile p;
		char *copy = memory_alloc(size + 1);
		int rc;

		assert_non_null(copy);
		memcpy(copy, text, size);
		assert_int_equal(bolt_profile_init(&p), 0);
		rc = fdata_read_bytes(copy, size, "cut", &p, &e);
		if (size && text[size - 1] == '\n')
			assert_int_equal(rc, 0);
		else
			assert_int_equal(rc, -SOFTLBR_E_INPUT);
		bolt_profile_deinit(&p);
		memory_free(copy);
	}
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(written_sorted_and_escaped),
		cmocka_unit_test(empty_is_refused),
		cmocka_unit_test(lenient_where_bolt_is),
		cmocka_unit_test(errors_name_the_line),
		cmocka_unit_test(what_is_not_supported_is_known),
		cmocka_unit_test(addresses_of_the_kernel),
		cmocka_unit_test(cut_anywhere),
	};

	return cmocka_run_group_tests(tests, setup, teardown);
}
