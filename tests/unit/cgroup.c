/* SPDX-License-Identifier: MIT */
/* Which processes are in a control group: directories with the files that the kernel has there. */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <cmocka.h>

#include <limits.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

#include "collector/recorder/cgroup.h"

static char folder[] = "/tmp/softlbr-cgroup-XXXXXX";

static void make(const char *below, const char *processes)
{
	char path[PATH_MAX];
	FILE *f;

	snprintf(path, sizeof(path), "%s%s", folder, below);
	mkdir(path, 0700);
	strcat(path, "/cgroup.procs");
	f = fopen(path, "w");
	assert_non_null(f);
	fputs(processes, f);
	fclose(f);
}

static int set_up(void **state)
{
	(void)state;
	assert_non_null(mkdtemp(folder));
	make("", "12\n34\n");
	make("/inner", "0\n5\n");
	make("/inner/most", "678\n");
	make("/empty", "");
	make("/.hidden", "9\n");
	return 0;
}

static int clean_up(void **state)
{
	static const char *const below[] = {"/inner/most", "/inner", "/empty", "/.hidden", ""};

	(void)state;
	for (size_t i = 0; i < sizeof(below) / sizeof(below[0]); i++) {
		char path[PATH_MAX];
		size_t length = (size_t)snprintf(path, sizeof(path), "%s%s", folder, below[i]);

		strcat(path, "/cgroup.procs");
		unlink(path);
		path[length] = 0;
		rmdir(path);
	}
	return 0;
}

static void add_up(void *sum, pid_t pid)
{
	*(pid_t *)sum += pid;
}

static void test_processes_of_a_cgroup_and_those_below_it(void **state)
{
	char path[PATH_MAX];
	pid_t sum = 0;

	(void)state;
	assert_int_equal(cgroup_find(folder, path, sizeof(path), NULL), 0);
	assert_string_equal(path, folder);
	cgroup_each(path, add_up, &sum);
	assert_int_equal(sum, 12 + 34 + 5 + 678);
	sum = 0;
	strcat(path, "/empty");
	cgroup_each(path, add_up, &sum);
	assert_int_equal(sum, 0);
	strcat(path, "/gone");
	cgroup_each(path, add_up, &sum);
	assert_int_equal(sum, 0);
}

static void test_what_is_no_cgroup_is_refused(void **state)
{
	struct softlbr_error e = {0};
	char path[PATH_MAX], longest[PATH_MAX + 8];

	(void)state;
	assert_int_equal(cgroup_find("/no-such-cgroup", path, sizeof(path), &e), -SOFTLBR_E_SYSTEM);
	assert_non_null(strstr(e.text, "there is no cgroup /no-such-cgroup: give its path"));
	assert_int_equal(cgroup_find("/proc", path, sizeof(path), NULL), -SOFTLBR_E_SYSTEM);
	memset(longest, 'x', sizeof(longest) - 1);
	longest[sizeof(longest) - 1] = 0;
	assert_int_equal(cgroup_find(longest, path, sizeof(path), NULL), -SOFTLBR_E_SYSTEM);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(test_processes_of_a_cgroup_and_those_below_it),
		cmocka_unit_test(test_what_is_no_cgroup_is_refused),
	};

	return cmocka_run_group_tests(tests, set_up, clean_up);
}
