/* SPDX-License-Identifier: MIT */
/* Which files a command may write, and outputs that appear together. */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <cmocka.h>
#include <signal.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <sys/wait.h>
#include <unistd.h>

#include "base/error.h"
#include "base/file_guard.h"
#include "base/file_output.h"
#include "base/memory.h"

static char directory[] = "/tmp/softlbr-guard-XXXXXX";

static int enter(void **state)
{
	(void)state;
	return mkdtemp(directory) && !chdir(directory) ? 0 : -1;
}

static int leave(void **state)
{
	char command[64];

	(void)state;
	snprintf(command, sizeof(command), "rm -r %s", directory);
	return system(command);
}

static void make_file(const char *path, const char *text)
{
	FILE *f = fopen(path, "w");

	assert_non_null(f);
	fputs(text, f);
	fclose(f);
}

/* What is said of @output, where a, dir and what is not there yet are inputs, and out an output. */
static int code_of(const char *output, const char *says)
{
	struct softlbr_error e = {0};
	struct file_guard g = {0};

	assert_int_equal(file_guard_input(&g, "a", &e), 0);
	assert_int_equal(file_guard_input(&g, "dir", &e), 0);
	assert_int_equal(file_guard_input(&g, "absent", &e), 0);
	assert_int_equal(file_guard_input(&g, "-", &e), 0);
	assert_int_equal(file_guard_input(&g, "/dev/null", &e), 0);
	assert_int_equal(file_guard_input(&g, NULL, &e), 0);
	assert_int_equal(file_guard_output(&g, "out", &e), 0);
	file_guard_output(&g, output, &e);
	if (says && !strstr(e.text, says))
		fail_msg("%s: \"%s\"", output, e.text);
	file_guard_deinit(&g);
	return e.code;
}

static void inputs_are_known_by_any_name(void **state)
{
	(void)state;
	make_file("a", "a");
	make_file("b", "b");
	assert_int_equal(mkdir("dir", 0777), 0);
	make_file("dir/part", "part");
	assert_int_equal(link("a", "hard"), 0);
	assert_int_equal(symlink("a", "soft"), 0);
	assert_int_equal(symlink("nowhere", "dangling"), 0);
	assert_int_equal(code_of("a", "a is an input"), SOFTLBR_E_USAGE);
	assert_int_equal(code_of("./a", "the same file as the input a"), SOFTLBR_E_USAGE);
	assert_int_equal(code_of("hard", "the same file as the input a"), SOFTLBR_E_USAGE);
	assert_int_equal(code_of("soft", "the same file as the input a"), SOFTLBR_E_USAGE);
	assert_int_equal(code_of("dir/../a", "the same file as the input a"), SOFTLBR_E_USAGE);
	assert_int_equal(code_of("dir/part", "a part of the input dir"), SOFTLBR_E_USAGE);
	assert_int_equal(code_of("./absent", "the same file as the input absent"), SOFTLBR_E_USAGE);
	assert_int_equal(code_of("b", NULL), 0);
	assert_int_equal(code_of("dir/new", NULL), 0);
	assert_int_equal(code_of("dangling", NULL), 0);
	assert_int_equal(code_of("-", NULL), 0);
	assert_int_equal(code_of("/dev/null", NULL), 0);
	assert_int_equal(code_of("/", "Is a directory"), SOFTLBR_E_SYSTEM);
	assert_int_equal(code_of("no/such/directory", NULL), 0); /* opening it will fail */
}

static void an_input_that_is_found_late_is_no_output(void **state)
{
	struct softlbr_error e = {0};
	struct file_guard g = {0};

	(void)state;
	assert_int_equal(file_guard_output(&g, "hard", &e), 0);
	assert_int_equal(file_guard_input(&g, "b", &e), 0);
	assert_int_equal(file_guard_input(&g, "a", &e), -SOFTLBR_E_USAGE);
	assert_non_null(strstr(e.text, "hard is the same file as the input a"));
	file_guard_deinit(&g);
}

static void two_outputs_are_two_files(void **state)
{
	struct softlbr_error e = {0};
	struct file_guard g = {0};

	(void)state;
	assert_int_equal(code_of("out", "two outputs cannot both be out"), SOFTLBR_E_USAGE);
	assert_int_equal(code_of("dir/../out", "dir/../out is out"), SOFTLBR_E_USAGE);
	assert_int_equal(file_guard_output(&g, "/dev/null", &e), 0);
	assert_int_equal(file_guard_output(&g, "/dev/null", &e), 0);
	assert_int_equal(file_guard_output(&g, "-", &e), 0);
	assert_int_equal(file_guard_output(&g, "-", &e), -SOFTLBR_E_USAGE);
	file_guard_deinit(&g);
}

static bool is_a(const struct file_guard_kind *kind, const uint8_t *data, size_t size)
{
	return size == 1 && data[0] == kind->number;
}

static void only_its_like_is_replaced(void **state)
{
	static const struct file_guard_kind kind = {
		.name = "of a's kind", .is = is_a, .number = 'a'};
	struct softlbr_error e = {0};

	(void)state;
	make_file("empty", "");
	assert_int_equal(file_guard_replace("a", &kind, &e), 0);
	assert_int_equal(file_guard_replace("empty", &kind, &e), 0);
	assert_int_equal(file_guard_replace("not there", &kind, &e), 0);
	assert_int_equal(file_guard_replace("/dev/null", &kind, &e), 0);
	assert_int_equal(file_guard_replace("-", &kind, &e), 0);
	assert_int_equal(file_guard_replace("b", &kind, &e), -SOFTLBR_E_USAGE);
	assert_non_null(strstr(e.text, "b exists and is not of a's kind"));
}

static void write_one(struct file_outputs *o, const char *path)
{
	FILE *out;

	assert_int_equal(file_outputs_open(o, path, &out, NULL), 0);
	fputs("new", out);
	assert_int_equal(file_outputs_finish(o, NULL), 0);
}

static void outputs_appear_together(void **state)
{
	struct file_outputs one = {0}, all = {0};
	struct softlbr_error e = {0};
	FILE *out;

	(void)state;
	write_one(&one, "first");
	assert_int_equal(file_outputs_hand_over(&one, &all, &e), 0);
	write_one(&one, "second");
	assert_int_equal(file_outputs_hand_over(&one, &all, &e), 0);
	assert_int_not_equal(access("first", F_OK), 0);
	assert_int_equal(file_outputs_commit(&all, &e), 0);
	assert_int_equal(access("first", F_OK) | access("second", F_OK), 0);

	write_one(&all, "third");
	assert_int_equal(file_outputs_open(&all, "no/such/directory", &out, &e), -SOFTLBR_E_SYSTEM);
	file_outputs_abandon(&all);
	assert_int_not_equal(access("third", F_OK), 0);
	assert_int_not_equal(system("ls | grep tmp-"), 0); /* no temporary is left */
}

/* In a process that removes what it made: what @number leaves of an output that is half-written and
 * of one that is whole. */
static void end_by(int number)
{
	struct file_outputs all = {0};
	FILE *out;

	file_temporaries_remove_on_signals();
	write_one(&all, "fourth");
	file_outputs_commit(&all, NULL);
	write_one(&all, "fifth");
	if (!file_outputs_open(&all, "sixth", &out, NULL))
		raise(number);
	_exit(0);
}

static void signals_leave_nothing_behind(void **state)
{
	static const int numbers[] = {SIGINT, SIGTERM, SIGHUP, SIGPIPE};

	(void)state;
	for (size_t i = 0; i < sizeof(numbers) / sizeof(*numbers); i++) {
		int status;
		pid_t child = fork();

		if (!child)
			end_by(numbers[i]);
		assert_int_equal(waitpid(child, &status, 0), child);
		assert_true(WIFSIGNALED(status));
		assert_int_equal(WTERMSIG(status), numbers[i]);
		assert_int_equal(access("fourth", F_OK), 0);
		assert_int_not_equal(system("ls | grep -e tmp- -e fifth -e sixth"), 0);
	}
}

/* Nor does it die of what its parent ignored, as nohup does. */
static void ignored_signals_stay_ignored(void **state)
{
	int status;
	pid_t child = fork();

	(void)state;
	if (!child) {
		signal(SIGHUP, SIG_IGN);
		end_by(SIGHUP);
	}
	assert_int_equal(waitpid(child, &status, 0), child);
	assert_true(WIFEXITED(status));
	assert_int_equal(system("rm *.tmp-*"), 0); /* it just ended */
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(inputs_are_known_by_any_name),
		cmocka_unit_test(an_input_that_is_found_late_is_no_output),
		cmocka_unit_test(two_outputs_are_two_files),
		cmocka_unit_test(only_its_like_is_replaced),
		cmocka_unit_test(outputs_appear_together),
		cmocka_unit_test(signals_leave_nothing_behind),
		cmocka_unit_test(ignored_signals_stay_ignored),
	};

	return cmocka_run_group_tests(tests, enter, leave);
}
