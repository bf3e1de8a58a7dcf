/* SPDX-License-Identifier: MIT */
/* Programs that are not entered, noted by processes and read from memory that they can write. */
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <setjmp.h>
#include <cmocka.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "collector/recorder/refusal_list.h"

static void notes(void **state)
{
	struct refusal_list l = {.count = 0};
	struct refusals r = {.used = 0};
	char path[32];

	(void)state;
	refusal_note(&r, REFUSAL_STATIC, "/bin/a");
	refusal_note(&r, REFUSAL_STATIC, "/bin/a");
	refusal_note(&r, REFUSAL_GO, "/bin/a");
	refusal_note(&r, REFUSAL_LIBC, "/bin/back");
	refusal_take_back(&r, REFUSAL_LIBC, "/bin/back");
	for (int i = 0; i < 10; i++) {
		snprintf(path, sizeof(path), "/bin/%d", i);
		refusal_note(&r, REFUSAL_STATIC, path);
	}
	refusal_list_add(&l, &r);
	refusal_list_add(&l, &r);
	refusal_list_sort(&l);
	assert_int_equal(l.count, REFUSAL_PROGRAMS - 1);
	assert_string_equal(l.programs[0].path, "/bin/a");
	assert_int_equal(l.programs[0].count, 4);
	assert_int_equal(l.more, 2 * 5); /* 3 and 5 of them found room */
	assert_int_equal(refusal_list_starts(&l), 2 * 13);
}

/* What fits is the end of a path. */
static void long_path(void **state)
{
	struct refusal_list l = {.count = 0};
	char path[REFUSAL_PATH_BYTES * 2];

	(void)state;
	memset(path, 'x', sizeof(path));
	strcpy(path + sizeof(path) - 5, "/end");
	refusal_list_add_program(&l, REFUSAL_STATIC, path);
	assert_int_equal(strlen(l.programs[0].path), REFUSAL_PATH_BYTES - 1);
	assert_string_equal(l.programs[0].path + REFUSAL_PATH_BYTES - 5, "/end");
}

/* Any bytes: what is listed can be printed, and has a reason. */
static void hostile(void **state)
{
	struct refusals r;

	(void)state;
	srandom(1);
	for (int run = 0; run < 20000; run++) {
		struct refusal_list l = {.count = 0};

		for (size_t i = 0; i < sizeof(r); i++)
			((unsigned char *)&r)[i] = (unsigned char)random();
		for (unsigned i = 0; i < REFUSAL_PROGRAMS; i++)
			if (random() % 2)
				r.programs[i].reason = (uint32_t)random() % (REFUSAL_COUNT + 2);
		for (int again = 0; again < 8; again++)
			refusal_list_add(&l, &r);
		assert_true(l.count <= REFUSAL_LIST_MOST);
		for (unsigned i = 0; i < l.count; i++) {
			const struct refusal_program *p = &l.programs[i];

			assert_non_null(refusal_text(p->reason));
			assert_true(p->count > 0);
			assert_true(strnlen(p->path, sizeof(p->path)) < sizeof(p->path));
			for (const char *c = p->path; *c; c++)
				assert_in_range(*c, ' ', '~');
		}
	}
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(notes),
		cmocka_unit_test(long_path),
		cmocka_unit_test(hostile),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
