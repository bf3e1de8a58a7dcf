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

#include "collector/recorder/exclusion_list.h"

static void notes(void **state)
{
	struct exclusion_list l = {.count = 0};
	struct exclusions r = {.used = 0};
	char path[32];

	(void)state;
	exclusion_note(&r, EXCLUSION_STATIC, "/bin/a");
	exclusion_note(&r, EXCLUSION_STATIC, "/bin/a");
	exclusion_note(&r, EXCLUSION_GO, "/bin/a");
	exclusion_note(&r, EXCLUSION_LIBC, "/bin/back");
	exclusion_take_back(&r, EXCLUSION_LIBC, "/bin/back");
	for (unsigned i = 0; i < EXCLUSION_PROGRAMS + 2; i++) {
		snprintf(path, sizeof(path), "/bin/%u", i);
		exclusion_note(&r, EXCLUSION_STATIC, path);
	}
	exclusion_list_add(&l, &r);
	exclusion_list_add(&l, &r);
	exclusion_list_sort(&l);
	assert_int_equal(l.count, EXCLUSION_PROGRAMS - 1);
	assert_string_equal(l.programs[0].path, "/bin/a");
	assert_int_equal(l.programs[0].count, 4);
	assert_int_equal(l.more, 2 * 5); /* beside three others */
	assert_int_equal(exclusion_list_starts(&l), 2 * (3 + EXCLUSION_PROGRAMS + 2));
}

/* What fits is the end of a path. */
static void long_path(void **state)
{
	struct exclusion_list l = {.count = 0};
	char path[EXCLUSION_PATH_BYTES * 2];

	(void)state;
	memset(path, 'x', sizeof(path));
	strcpy(path + sizeof(path) - 5, "/end");
	exclusion_list_add_program(&l, EXCLUSION_STATIC, path);
	assert_int_equal(strlen(l.programs[0].path), EXCLUSION_PATH_BYTES - 1);
	assert_string_equal(l.programs[0].path + EXCLUSION_PATH_BYTES - 5, "/end");
}

/* Any bytes: what is listed can be printed, and has a reason. */
static void hostile(void **state)
{
	struct exclusions r;

	(void)state;
	srandom(1);
	for (int run = 0; run < 20000; run++) {
		struct exclusion_list l = {.count = 0};

		for (size_t i = 0; i < sizeof(r); i++)
			((unsigned char *)&r)[i] = (unsigned char)random();
		for (unsigned i = 0; i < EXCLUSION_PROGRAMS; i++)
			if (random() % 2)
				r.programs[i].reason = (uint32_t)random() % (EXCLUSION_COUNT + 2);
		for (int again = 0; again < 8; again++)
			exclusion_list_add(&l, &r);
		assert_true(l.count <= EXCLUSION_LIST_MOST);
		for (unsigned i = 0; i < l.count; i++) {
			const struct exclusion_program *p = &l.programs[i];

			assert_non_null(exclusion_text(p->reason));
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
