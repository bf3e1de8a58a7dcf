/* SPDX-License-Identifier: MIT */
/* The state of a project on its way to a faster build: what is kept, and what is done again. */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <cmocka.h>

#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

#include "base/json_read.h"
#include "pgo/build_plan.h"
#include "pgo/project.h"
#include "pgo/trial.h"

static char folder[] = "/tmp/softlbr-project-XXXXXX";

static int set_up(void **state)
{
	(void)state;
	assert_non_null(mkdtemp(folder));
	return 0;
}

static int clean_up(void **state)
{
	struct project p = {.state = folder};

	(void)state;
	project_remove(&p, "");
	return 0;
}

static void write_file(const char *name, const char *text, mode_t mode)
{
	char path[256];
	FILE *f;

	snprintf(path, sizeof(path), "%s/%s", folder, name);
	f = fopen(path, "w");
	assert_non_null(f);
	fputs(text, f);
	fclose(f);
	assert_int_equal(chmod(path, mode), 0);
}

static void ask(project_texts *list, const char *text)
{
	assert_int_equal(project_texts_add(list, text, NULL), 0);
}

static void test_state_is_read_as_it_was_written(void **state)
{
	struct project a = {.state = folder, .directory = folder}, b = a;

	(void)state;
	ask(&a.builds, "make \\\n  all\\n");
	ask(&a.runs, "./app 1");
	ask(&a.runs, "./app 2");
	ask(&a.objects, "/a b/c.o");
	a.done[PROJECT_BUILD] = a.done[PROJECT_RECORD] = a.gcc = true;
	snprintf(a.kept, sizeof(a.kept), "after");
	project_say(&a, "measure    %d", 42);
	ask(&a.measured, "0 -0.050000 ");
	assert_int_equal(project_save(&a, NULL), 0);
	assert_int_equal(project_open(&b, NULL), 0);
	assert_string_equal(project_text(&b.builds), "make \\\n  all\\n");
	assert_int_equal(b.runs.count, 2);
	assert_string_equal(b.runs.items[1], "./app 2");
	assert_string_equal(b.objects.items[0], "/a b/c.o");
	assert_string_equal(b.said.items[0], "measure    42");
	assert_string_equal(b.kept, "after");
	assert_string_equal(b.measured.items[0], "0 -0.050000 ");
	project_forget(&b, PROJECT_MEASURE);
	assert_int_equal(b.measured.count, 0);
	assert_true(b.done[PROJECT_BUILD] && b.done[PROJECT_RECORD] && !b.done[PROJECT_PROFILE]);
	assert_true(b.gcc && !b.clang);
	project_deinit(&a);
	project_deinit(&b);
}

static void test_another_file_is_no_state(void **state)
{
	struct project p = {.state = folder};
	struct softlbr_error e = {0};

	(void)state;
	write_file("state", "something else\n", 0644);
	assert_int_equal(project_open(&p, &e), -SOFTLBR_E_INPUT);
	assert_non_null(strstr(e.text, "--fresh"));
	project_deinit(&p);
}

static void all_done(struct project *p)
{
	for (int i = 0; i < PROJECT_STEPS; i++)
		p->done[i] = true;
}

static void test_a_changed_option_forgets_what_goes_by_it(void **state)
{
	struct project p = {.state = folder}, asked = {0};

	(void)state;
	ask(&p.builds, "make");
	ask(&p.runs, "./app");
	all_done(&p);
	ask(&asked.builds, "make");
	ask(&asked.runs, "./app");
	assert_int_equal(project_ask(&p, &asked, NULL), 0);
	assert_true(p.done[PROJECT_MEASURE]); /* nothing has changed */
	ask(&asked.tests, "./app other");
	assert_int_equal(project_ask(&p, &asked, NULL), 0);
	assert_true(p.done[PROJECT_BOLT] && !p.done[PROJECT_MEASURE]);
	all_done(&p);
	ask(&asked.runs, "./app more");
	assert_int_equal(project_ask(&p, &asked, NULL), 0);
	assert_true(p.done[PROJECT_BUILD] && !p.done[PROJECT_RECORD] && !p.done[PROJECT_REBUILD]);
	assert_int_equal(p.runs.count, 2);
	all_done(&p);
	project_texts_deinit(&asked.builds);
	ask(&asked.builds, "make all");
	assert_int_equal(project_ask(&p, &asked, NULL), 0);
	assert_false(p.done[PROJECT_BUILD]);
	project_deinit(&p);
	project_deinit(&asked);
}

/* What a wrapper adds and notes for a command line, with a compiler that writes its arguments. */
static void compile(const char *words, char *said, size_t size)
{
	char command[1024], path[300], *argv[16] = {path}, *rest = NULL;
	int count = 1;
	FILE *f;
	size_t n;

	write_file(
		"gcc",
		"#!/bin/sh\nfor w; do case $w in -o) o=1;; *) [ -z \"$o\" ] || : >\"$w\"; o=;; esac; done\n"
		"echo \"$@\" >>said\n",
		0755);
	snprintf(path, sizeof(path), "%s/gcc", folder);
	assert_int_equal(chdir(folder), 0);
	unlink("said");
	unlink("journal");
	snprintf(command, sizeof(command), "%s", words);
	for (char *word = strtok_r(command, " ", &rest); word; word = strtok_r(NULL, " ", &rest))
		argv[count++] = word;
	assert_int_equal(build_plan_compile(folder, argv), 0);
	n = 0;
	for (int i = 0; i < 2; i++) {
		f = fopen(i ? "journal" : "said", "r");
		n += f ? fread(said + n, 1, size - 1 - n, f) : 0;
		if (f)
			fclose(f);
	}
	said[n] = 0;
}

static void test_flags_go_where_they_belong(void **state)
{
	const char *gcc[] = {"-g", NULL}, *clang[] = {"-clang", NULL}, *link[] = {"-Wl,-q", NULL};
	struct build_plan plan = {.gcc = gcc, .clang = clang, .link = link};
	char said[4096], expected[1024];

	(void)state;
	assert_int_equal(build_plan_write(&plan, folder, NULL), 0);
	compile("-O2 -c a.c -o a.o", said, sizeof(said));
	snprintf(expected, sizeof(expected), "-g -O2 -c a.c -o a.o\nobject %s/a.o\ngcc %s/a.o\n",
		 folder, folder);
	assert_string_equal(said, expected);
	compile("-c a.c -o a.o", said, sizeof(said)); /* without optimization */
	snprintf(expected, sizeof(expected),
		 "-g -c a.c -o a.o\nobject %s/a.o\ngcc %s/a.o\nplain %s/a.o\n", folder, folder,
		 folder);
	assert_string_equal(said, expected);
	compile("-O2 a.o -o app", said, sizeof(said));
	snprintf(expected, sizeof(expected), "-Wl,-q -O2 a.o -o app\nprogram %s/app\n", folder);
	assert_string_equal(said, expected);
	compile("-O2 a.cc -o app", said, sizeof(said));
	snprintf(expected, sizeof(expected),
		 "-g -Wl,-q -O2 a.cc -o app\ngcc %s/app\nprogram %s/app\n", folder, folder);
	assert_string_equal(said, expected);
	compile("-E a.c -o a.i", said, sizeof(said));
	assert_string_equal(said, "-E a.c -o a.i\n");
	compile("--version", said, sizeof(said));
	assert_string_equal(said, "--version\n");
	compile("-O2 -c conftest.c -o /dev/null", said, sizeof(said)); /* is never removed */
	assert_string_equal(said, "-g -O2 -c conftest.c -o /dev/null\n");
}

static void test_programs_are_kept_and_put_back(void **state)
{
	struct project p = {.state = folder, .directory = folder};
	char path[256];
	struct stat first, second, third;

	(void)state;
	snprintf(path, sizeof(path), "%s/app", folder);
	ask(&p.programs, path);
	write_file("app", "one", 0711);
	assert_int_equal(stat(path, &first), 0);
	assert_false(trial_has(&p, TRIAL_BEFORE));
	assert_int_equal(trial_keep(&p, TRIAL_BEFORE, NULL), 0);
	write_file("app", "other", 0755);
	assert_int_equal(trial_keep(&p, TRIAL_AFTER, NULL), 0);
	assert_int_equal(trial_place(&p, TRIAL_BEFORE, false, NULL), 0);
	assert_int_equal(stat(path, &second), 0);
	assert_int_equal(second.st_size, 3);
	assert_int_equal(second.st_mode & 0777, 0711);
	assert_int_equal(second.st_mtim.tv_nsec, first.st_mtim.tv_nsec);
	assert_int_equal(trial_place(&p, TRIAL_BEFORE, false, NULL), 0); /* it is there */
	assert_int_equal(stat(path, &third), 0);
	assert_int_equal(third.st_ino, second.st_ino);
	project_deinit(&p);
}

static void test_slower(void **state)
{
	struct trial t = {
		.changes = {[1] = {.time = -0.05, .time_error = 0.01, .instructions = -0.1}}};

	(void)state;
	assert_false(trial_is_slower(&t, 1));
	t.changes[1] = (struct trial_change){.time = 0.05, .time_error = 0.03, .instructions = NAN};
	assert_true(trial_is_slower(&t, 1));
	t.changes[1].time_error = 0.06; /* by chance */
	assert_false(trial_is_slower(&t, 1));
	t.changes[1].instructions = 0.02;
	assert_true(trial_is_slower(&t, 1));
	t.changes[1].time = -0.07; /* more instructions, less time */
	assert_false(trial_is_slower(&t, 1));
}

static void test_json(void **state)
{
	char path[256];
	struct softlbr_error e = {0};
	struct json_file *f;

	(void)state;
	write_file("a.json", "{\"a\": {\"b\": 1.5, \"c\": \"text\"}, \"d\": 2}", 0644);
	snprintf(path, sizeof(path), "%s/a.json", folder);
	f = json_file_read(path, &e);
	assert_non_null(f);
	assert_float_equal(json_file_number(f, "a.b"), 1.5, 0);
	assert_float_equal(json_file_number(f, "d"), 2, 0);
	assert_string_equal(json_file_text(f, "a.c"), "text");
	assert_true(isnan(json_file_number(f, "a.c")) && isnan(json_file_number(f, "x.y")));
	assert_null(json_file_text(f, "d.e"));
	json_file_free(f);
	write_file("a.json", "{\"a\": ", 0644);
	assert_null(json_file_read(path, &e));
	assert_int_equal(e.code, SOFTLBR_E_INPUT);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(test_state_is_read_as_it_was_written),
		cmocka_unit_test(test_another_file_is_no_state),
		cmocka_unit_test(test_a_changed_option_forgets_what_goes_by_it),
		cmocka_unit_test(test_flags_go_where_they_belong),
		cmocka_unit_test(test_programs_are_kept_and_put_back),
		cmocka_unit_test(test_slower),
		cmocka_unit_test(test_json),
	};

	return cmocka_run_group_tests(tests, set_up, clean_up);
}
