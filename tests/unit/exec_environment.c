/* SPDX-License-Identifier: MIT */
/* Environments for programs that are not entered: what is ours goes, all else stays as it is. */
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <setjmp.h>
#include <cmocka.h>
#include <string.h>

#include "collector/inside/life/exclusion_checks.h"

#define LIBRARY "/lib/libsoftlbr-collector.so"

static const struct {
	const char *before, *after; /* of LD_PRELOAD=; NULL: the variable goes */
} lists[] = {
	{LIBRARY, NULL},
	{LIBRARY ":", ""},
	{LIBRARY ":/lib/other.so", "/lib/other.so"},
	{LIBRARY " /lib/other.so:third.so", "/lib/other.so:third.so"},
	{"/lib/other.so:" LIBRARY, "/lib/other.so"},
	{"/lib/other.so:" LIBRARY " third.so", "/lib/other.so third.so"},
	{"libasan.so.8:" LIBRARY, NULL},
	{"libasan.so.8:" LIBRARY ":libasan.so.8", "libasan.so.8"},
	{"a.so:libasan.so.8:" LIBRARY ":b.so", "a.so:b.so"},
	{"libasan.so.8:a.so:" LIBRARY, "libasan.so.8:a.so"},
	{LIBRARY ".1:" LIBRARY, LIBRARY ".1"},
	{"other.so", "other.so"},
	{"", ""},
};

static void preloads(void **state)
{
	(void)state;
	for (size_t i = 0; i < sizeof(lists) / sizeof(lists[0]); i++) {
		char entry[256] = "LD_PRELOAD=", *room[64], **made;
		char *from[] = {"A=1", entry, "SOFTLBR_SESSION=/dev/shm/x", "SOFTLBR_SESSIONS=2",
				NULL};

		strcat(entry, lists[i].before);
		assert_in_range(exec_environment_bytes(from, LIBRARY), 5 * sizeof(char *),
				sizeof(room));
		made = exec_environment_make(from, LIBRARY, room);
		assert_ptr_equal(made[0], from[0]);
		if (lists[i].after) {
			assert_memory_equal(made[1], "LD_PRELOAD=", 11);
			assert_string_equal(made[1] + 11, lists[i].after);
			made++;
		}
		assert_ptr_equal(made[1], from[3]);
		assert_null(made[2]);
		assert_string_equal(entry + 11, lists[i].before);
	}
}

/* Nothing is copied where nothing is ours. */
static void unchanged(void **state)
{
	char *from[] = {"A=1", "LD_PRELOAD=other.so", "XSOFTLBR_SESSION=1", NULL},
	     *empty[] = {NULL};

	(void)state;
	assert_int_equal(exec_environment_bytes(from, LIBRARY), 0);
	assert_int_equal(exec_environment_bytes(empty, LIBRARY), 0);
	assert_int_equal(exec_environment_bytes(NULL, LIBRARY), 0);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(preloads),
		cmocka_unit_test(unchanged),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
