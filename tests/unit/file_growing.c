/* SPDX-License-Identifier: MIT */
/* Outputs that appear as soon as they have begun, and links that stand in their places. */
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <setjmp.h>
#include <cmocka.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

#include "base/file_output.h"
#include "base/memory.h"

static void put_text(const char *path, const char *text)
{
	FILE *f = fopen(path, "w");

	assert_non_null(f);
	fputs(text, f);
	fclose(f);
}

static void assert_text(const char *path, const char *text)
{
	char got[64] = "";
	FILE *f = fopen(path, "r");

	assert_non_null(f);
	if (!fgets(got, sizeof(got), f))
		got[0] = 0;
	fclose(f);
	assert_string_equal(got, text);
}

static int enter_directory(void **state)
{
	char path[] = "/tmp/softlbr-outputs-XXXXXX";

	(void)state;
	return !mkdtemp(path) || chdir(path) ? -1 : 0;
}

static int leave_directory(void **state)
{
	(void)state;
	return system("rm -rf \"$PWD\"") || chdir("/") ? -1 : 0;
}

static void test_growing(void **state)
{
	struct softlbr_error e = {0};
	char *temporary;
	struct stat st;
	int fd;

	(void)state;
	put_text("data", "first");
	fd = file_growing_open("data", &temporary, &e);
	assert_true(fd >= 0);
	assert_text("data", "first"); /* until the new one is one */
	assert_int_equal(write(fd, "second", 6), 6);
	assert_int_equal(file_growing_appear("data", temporary, &e), 0);
	assert_text("data", "second");
	assert_text("data.old", "first");
	assert_int_equal(fstat(fd, &st), 0);
	assert_int_equal(st.st_mode & 0777, 0600);
	close(fd);
	/* what can't be kept stays */
	assert_int_equal(unlink("data.old") | mkdir("data.old", 0700), 0);
	fd = file_growing_open("data", &temporary, &e);
	assert_true(fd >= 0);
	assert_int_equal(file_growing_appear("data", temporary, &e), -SOFTLBR_E_SYSTEM);
	assert_non_null(strstr(e.text, "cannot keep the old data as data.old"));
	close(fd);
	assert_text("data", "second");
	assert_int_equal(system("test -z \"$(ls | grep tmp)\""), 0);
}

static void assert_leads(const char *path, const char *to)
{
	struct softlbr_error e = {0};
	char *led = file_link_follow(path, &e);

	if (to)
		assert_string_equal(led, to);
	else
		assert_null(led);
	assert_int_equal(!led, e.code != 0);
	memory_free(led);
}

static void test_links(void **state)
{
	(void)state;
	assert_int_equal(mkdir("d", 0700) | symlink("d/b", "a") | symlink("../c", "d/b") |
				 symlink("x", "y") | symlink("y", "x"),
			 0);
	assert_leads("a", "d/../c");
	assert_leads("d/b", "d/../c");
	assert_leads("nothing", "nothing");
	assert_leads("/dev/null", "/dev/null");
	assert_leads("x", NULL);
	if (geteuid())
		return;
	assert_int_equal(lchown("d/b", 65534, 65534), 0);
	assert_leads("a", NULL);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test_setup_teardown(test_growing, enter_directory, leave_directory),
		cmocka_unit_test_setup_teardown(test_links, enter_directory, leave_directory),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
