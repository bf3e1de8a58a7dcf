/* SPDX-License-Identifier: MIT */
#include "pgo/trial.h"

#include <dirent.h>
#include <fcntl.h>
#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

#include "base/error.h"
#include "base/file.h"
#include "pgo/child.h"
#include "pgo/own_command.h"
#include "pgo/project_copies.h"

/* CPU seconds for the rounds of a run, and how many there are. Short runs have more: the same
 * chance is more of them. */
#define ROUNDS_SECONDS	     60
#define ROUNDS_LEAST	     5
#define ROUNDS_USUAL	     15
#define ROUNDS_SHORT_SECONDS 4
#define ROUNDS_MOST	     40
/* Half of an interval of 95 % that is narrow enough to end before that. */
#define KNOWN_ERROR 0.01
/* More instructions, or CPU time, that a user would mind. */
#define SLOWER_LEAST 0.01

/* ---- builds kept beside each other ---------------------------------------------------------- */

static char *kept_path(const struct project *p, const char *build, size_t program,
		       struct softlbr_error *e)
{
	return project_path(p, e, "%s/%zu", build, program + 1);
}

static int copy_bytes(int from, int to)
{
	char bytes[1 << 16];
	ssize_t n;

	while ((n = read(from, bytes, sizeof(bytes))) > 0)
		if (write(to, bytes, (size_t)n) != n)
			return -1;
	return n ? -1 : 0;
}

/* Copies have the times of what they are of. */
static bool is_copy(const char *path, const struct stat *of)
{
	struct stat s;

	return !stat(path, &s) && s.st_size == of->st_size && s.st_mode == of->st_mode &&
	       s.st_mtim.tv_sec == of->st_mtim.tv_sec && s.st_mtim.tv_nsec == of->st_mtim.tv_nsec;
}

/* With its mode and times, so that a build sees no change; a program that runs keeps its file. */
static int copy_program(const char *from, const char *to, struct softlbr_error *e)
{
	char *temporary = memory_format("%s.softlbr-pgo", to);
	int in = open(from, O_RDONLY | O_CLOEXEC), out = -1, rc = -1;
	struct stat s;

	if (!temporary)
		rc = error_set_nomem(e);
	else if (in < 0 || fstat(in, &s))
		rc = error_set_errno(e, from, "cannot read %s", from);
	else if (is_copy(to, &s))
		rc = 0;
	else if ((out = open(temporary, O_WRONLY | O_CREAT | O_TRUNC | O_CLOEXEC, 0600)) < 0 ||
		 copy_bytes(in, out) || fchmod(out, s.st_mode & 07777) ||
		 futimens(out, (struct timespec[]){s.st_atim, s.st_mtim}) || rename(temporary, to))
		rc = error_set_errno(e, to, "cannot write %s", to);
	else
		rc = 0;
	if (in >= 0)
		close(in);
	if (out >= 0)
		close(out);
	if (rc && temporary)
		unlink(temporary);
	memory_free(temporary);
	return rc;
}

int trial_keep(const struct project *p, const char *build, struct softlbr_error *e)
{
	char *directory = project_path(p, e, "%s", build);
	int rc = directory ? file_directory_make(directory, 0777, NULL, e) : -SOFTLBR_E_SYSTEM;

	for (size_t i = 0; i < p->programs.count && !rc; i++) {
		char *to = kept_path(p, build, i, e);

		rc = to ? copy_program(p->programs.items[i], to, e) : -SOFTLBR_E_SYSTEM;
		memory_free(to);
	}
	memory_free(directory);
	return rc;
}

/* valgrind 3.19 ends at clang's debug information. What llvm-bolt made has none, and objcopy would
 * break it. */
static void strip_program(const struct project *p, const char *path, struct softlbr_error *e)
{
	struct own_command c = {.e = e};

	own_command_word(&c, "objcopy");
	own_command_word(&c, "--strip-debug");
	own_command_word(&c, path);
	own_command_run(&c, p, "strip.log");
	own_command_deinit(&c);
}

static int place_program(const struct project *p, const char *build, size_t program, const char *to,
			 struct softlbr_error *e)
{
	char *from = kept_path(p, build, program, e);
	int rc = from ? copy_program(from, to, e) : -SOFTLBR_E_SYSTEM;

	memory_free(from);
	return rc;
}

int trial_place(const struct project *p, const char *build, bool stripped, struct softlbr_error *e)
{
	const size_t programs = p->programs.count, all = programs + p->copies.count;
	int rc = 0;

	for (size_t i = 0; i < all && !rc; i++) {
		size_t program = i;
		const char *to = i < programs ? p->programs.items[i]
					      : project_copy(p, i - programs, &program);

		rc = place_program(p, build, program, to, e);
		if (!rc && stripped && strcmp(build, TRIAL_BOLTED))
			strip_program(p, to, e);
	}
	return rc;
}

int trial_fill(const struct project *p, const char *build, struct softlbr_error *e)
{
	int rc = 0;

	for (size_t i = 0; i < p->programs.count && !rc; i++)
		if (access(p->programs.items[i], F_OK))
			rc = place_program(p, build, i, p->programs.items[i], e);
	return rc;
}

bool trial_is_placed(const struct project *p, const char *build)
{
	bool is = true;

	for (size_t i = 0; i < p->programs.count && is; i++) {
		char *path = kept_path(p, build, i, NULL);
		struct stat s;

		is = path && !stat(path, &s) && is_copy(p->programs.items[i], &s);
		memory_free(path);
	}
	return is;
}

bool trial_has(const struct project *p, const char *build)
{
	char *path = kept_path(p, build, 0, NULL);
	bool has = path && !access(path, R_OK);

	memory_free(path);
	return has;
}

/* ---- one run -------------------------------------------------------------------------------- */

/* Standard output goes to the state's file @output, or nowhere. */
static int run_once(struct project *p, const char *command, const char *output, struct child *c,
		    struct softlbr_error *e)
{
	char *path = output ? project_path(p, e, "%s", output) : memory_copy_string("/dev/null");
	char *log = project_path(p, e, "measure.log"), why[256];
	int rc = path && log ? 0 : error_set_nomem(e);

	c->directory = p->directory;
	c->out = rc ? -1 : open(path, O_WRONLY | O_CREAT | O_TRUNC | O_CLOEXEC, 0666);
	c->err = rc ? -1 : open(log, O_WRONLY | O_CREAT | O_TRUNC | O_CLOEXEC, 0666);
	if (!rc && (c->out < 0 || c->err < 0))
		rc = error_set_errno(e, path, "cannot write %s or %s", path, log);
	if (!rc)
		rc = child_run_shell(c, command, e);
	if (!rc && c->status)
		rc = error_set(e, SOFTLBR_E_SYSTEM, command, "`%s` ended with status %d: %s",
			       command, c->status, project_why(p, "measure.log", why));
	if (c->out >= 0)
		close(c->out);
	if (c->err >= 0)
		close(c->err);
	memory_free(path);
	memory_free(log);
	return rc;
}

/* Run the build, and have its output in the state's file @output, as the user's filter leaves it.
 */
static int run_for_output(struct project *p, const char *command, const char *output,
			  struct child *c, struct softlbr_error *e)
{
	const char *filter = project_text(&p->filters);
	struct child ignored = {.out = -1, .err = -1};
	char *filtered;
	int rc = run_once(p, command, filter ? "unfiltered" : output, c, e);

	if (rc || !filter)
		return rc;
	filtered = memory_format("cat '%s/unfiltered' | { %s\n}", p->state, filter);
	rc = filtered ? run_once(p, filtered, output, &ignored, e) : error_set_nomem(e);
	memory_free(filtered);
	return rc;
}

static int are_files_equal(const struct project *p, const char *a_name, const char *b_name,
			   bool *equal, struct softlbr_error *e)
{
	char *a_path = project_path(p, e, "%s", a_name), *b_path = project_path(p, e, "%s", b_name);
	struct file_view a = {0}, b = {0};
	int rc = a_path && b_path ? file_view_open(&a, a_path, e) : -SOFTLBR_E_SYSTEM;

	if (!rc)
		rc = file_view_open(&b, b_path, e);
	if (!rc)
		*equal = a.size == b.size && (!a.size || !memcmp(a.data, b.data, a.size));
	if (a_path && b_path) {
		file_view_close(&a);
		file_view_close(&b);
	}
	memory_free(a_path);
	memory_free(b_path);
	return rc;
}

int trial_varies(struct project *p, const char *command, bool *varies, struct softlbr_error *e)
{
	struct child c = {0};
	bool equal = true;
	int rc = run_for_output(p, command, "output-1", &c, e)
		 ?: run_for_output(p, command, "output-2", &c, e)
		 ?: are_files_equal(p, "output-1", "output-2", &equal, e);

	*varies = !equal;
	return rc;
}

/* Does the build's output differ from the first one's, and if so, from itself? */
static int compare_output(struct project *p, struct trial *t, const char *command,
			  struct softlbr_error *e)
{
	struct child c = {0};
	bool equal = true;
	int rc = trial_place(p, t->builds[0], false, e)
			 ?: run_for_output(p, command, "output-1", &c, e);

	t->seconds = c.cpu_seconds;
	for (size_t i = 1; i < t->build_count && !rc; i++) {
		rc = trial_place(p, t->builds[i], false, e)
		     ?: run_for_output(p, command, "output-2", &c, e)
		     ?: are_files_equal(p, "output-1", "output-2", &equal, e);
		t->changes[i].same_output = equal;
	}
	if (rc || equal)
		return rc;
	rc = trial_place(p, t->builds[0], false, e)
	     ?: run_for_output(p, command, "output-2", &c, e)
	     ?: are_files_equal(p, "output-1", "output-2", &equal, e);
	for (size_t i = 1; i < t->build_count && !equal; i++)
		t->changes[i].varies = true;
	return rc;
}

/* ---- CPU time ------------------------------------------------------------------------------- */

/* Student's t for 95 %, by degrees of freedom from 1 on; for more, the last. */
static const double quantiles[] = {12.71, 4.30, 3.18, 2.78, 2.57, 2.45, 2.36,
				   2.31,  2.26, 2.23, 2.20, 2.18, 2.16, 2.14};
#define QUANTILES (sizeof(quantiles) / sizeof(quantiles[0]))

/* The change and half of its interval, of the logarithms of the ratios. */
static void take_ratios(const double *ratios, size_t n, double *relative, double *error)
{
	double mean = 0, square = 0;

	for (size_t i = 0; i < n; i++)
		mean += ratios[i] / (double)n;
	for (size_t i = 0; i < n; i++)
		square += (ratios[i] - mean) * (ratios[i] - mean);
	*relative = exp(mean) - 1;
	*error = exp(mean) * quantiles[n - 2 < QUANTILES ? n - 2 : QUANTILES - 1] *
		 sqrt(square / (double)((n - 1) * n));
}

/* All builds once, in turn forwards and backwards: a slow phase of the machine hits all alike. */
static int run_round(struct project *p, const struct trial *t, size_t round, const char *command,
		     double seconds[3], struct softlbr_error *e)
{
	int rc = 0;

	for (size_t k = 0; k < t->build_count && !rc; k++) {
		size_t i = round % 2 ? t->build_count - 1 - k : k;
		struct child c = {0};

		rc = trial_place(p, t->builds[i], false, e) ?: run_once(p, command, NULL, &c, e);
		seconds[i] = c.cpu_seconds;
	}
	return rc;
}

/* After @rounds: is the time known as well as a user minds? */
static bool is_known(struct trial *t, double ratios[3][ROUNDS_MOST], size_t rounds)
{
	bool known = rounds >= ROUNDS_LEAST;

	for (size_t i = 1; i < t->build_count && rounds >= 2; i++) {
		take_ratios(ratios[i], rounds, &t->changes[i].time, &t->changes[i].time_error);
		known = known && t->changes[i].time_error <= KNOWN_ERROR;
	}
	return known;
}

static int measure_time(struct project *p, struct trial *t, const char *command,
			struct softlbr_error *e)
{
	double ratios[3][ROUNDS_MOST], seconds[3];
	double round_seconds = fmax(0.01, t->seconds * (double)t->build_count);
	double rounds = fmax(fmin(ROUNDS_SECONDS / round_seconds, ROUNDS_USUAL),
			     ROUNDS_SHORT_SECONDS / round_seconds);
	char what[80];
	int rc = 0;

	snprintf(what, sizeof(what), "measuring %s", t->name);
	t->rounds = (size_t)fmin(fmax(rounds, ROUNDS_LEAST), ROUNDS_MOST);
	for (size_t round = 0; round < t->rounds && !rc; round++) {
		project_show(p, what, round, t->rounds);
		rc = run_round(p, t, round, command, seconds, e);
		for (size_t i = 1; i < t->build_count && !rc; i++)
			ratios[i][round] = log(fmax(seconds[i], 1e-6) / fmax(seconds[0], 1e-6));
		if (!rc && is_known(t, ratios, round + 1))
			break;
	}
	return rc;
}

/* ---- instructions --------------------------------------------------------------------------- */

#define COUNTED "callgrind" /* a log for each process */
/* Counts of one build that differ by less are one; by more, so many are made of each. */
#define COUNTS_EQUAL 0.002
#define COUNT_ROUNDS 3u

static double read_count(const char *path)
{
	FILE *in = fopen(path, "re");
	double count = 0;
	char line[1024];

	while (in && fgets(line, sizeof(line), in)) {
		const char *found = strstr(line, "Collected :");

		if (found)
			count = strtod(found + strlen("Collected :"), NULL);
	}
	if (in)
		fclose(in);
	return count;
}

/* The sum over the processes; NaN: there is none. */
static double read_counts(const char *directory)
{
	DIR *d = opendir(directory);
	struct dirent *entry;
	double all = 0;

	while (d && (entry = readdir(d))) {
		char *path = memory_format("%s/%s", directory, entry->d_name);

		if (path && entry->d_name[0] != '.')
			all += read_count(path);
		memory_free(path);
	}
	if (d)
		closedir(d);
	return all ? all : NAN;
}

/* valgrind may be missing, or end badly: NaN. */
static int run_callgrind(struct project *p, const char *command, double *count,
			 struct softlbr_error *e)
{
	char *logs = project_path(p, e, COUNTED), *log = NULL;
	struct own_command c = {.e = e};

	project_remove(p, COUNTED);
	if (!logs || file_directory_make(logs, 0777, NULL, e))
		c.rc = -SOFTLBR_E_SYSTEM;
	log = memory_format("--log-file=%s/%%p", logs ? logs : "");
	own_command_word(&c, "valgrind");
	own_command_word(&c, "--tool=callgrind");
	own_command_word(&c, "--trace-children=yes");
	own_command_word(&c, "--callgrind-out-file=/dev/null");
	own_command_word(&c, log ? log : "--log-file=/dev/null");
	own_command_word(&c, "/bin/sh");
	own_command_word(&c, "-c");
	own_command_word(&c, command);
	if (!own_command_run(&c, p, "callgrind.log") && !c.status)
		*count = read_counts(logs);
	own_command_deinit(&c);
	memory_free(logs);
	memory_free(log);
	return c.rc;
}

/* By the CPU's counter where there is one, else by callgrind. NaN: neither. */
static int count_build(struct project *p, const struct trial *t, size_t build, const char *command,
		       double *count, struct softlbr_error *e)
{
	struct child c = {.counts = true};
	int rc = trial_place(p, t->builds[build], true, e) ?: run_once(p, command, NULL, &c, e);

	*count = c.instructions ? (double)c.instructions : NAN;
	if (!rc && !c.instructions && t->seconds <= TRIAL_COUNTED_SECONDS)
		rc = run_callgrind(p, command, count, e);
	return rc;
}

/* Threads, and what is random, make a program execute more one time and less another. */
static bool is_exact(double a, double b)
{
	return isnan(a) || fabs(a - b) < COUNTS_EQUAL * b;
}

static int count_round(struct project *p, const struct trial *t, size_t round, const char *command,
		       double counts[3], struct softlbr_error *e)
{
	char what[80];
	int rc = 0;

	snprintf(what, sizeof(what), "counting instructions of %s", t->name);
	for (size_t i = 0; i < t->build_count && !rc; i++) {
		project_show(p, what, round * t->build_count + i,
			     (round ? COUNT_ROUNDS : 1) * t->build_count);
		rc = count_build(p, t, i, command, &counts[i], e);
	}
	return rc;
}

static void take_counts(struct trial *t, double counts[COUNT_ROUNDS][3], size_t rounds)
{
	double ratios[COUNT_ROUNDS];

	for (size_t i = 1; i < t->build_count; i++) {
		struct trial_change *c = &t->changes[i];

		for (size_t round = 0; round < rounds; round++)
			ratios[round] = log(counts[round][i] / counts[round][0]);
		if (rounds > 1)
			take_ratios(ratios, rounds, &c->instructions, &c->instructions_error);
		else
			c->instructions = exp(ratios[0]) - 1;
	}
}

static int count_instructions(struct project *p, struct trial *t, const char *command,
			      struct softlbr_error *e)
{
	double counts[COUNT_ROUNDS][3] = {0}, again = NAN;
	size_t rounds = 1;
	int rc = count_round(p, t, 0, command, counts[0], e)
			 ?: count_build(p, t, 0, command, &again, e);

	while (!rc && !is_exact(again, counts[0][0]) && rounds < COUNT_ROUNDS) {
		rc = count_round(p, t, rounds, command, counts[rounds], e);
		rounds++;
	}
	if (!rc)
		take_counts(t, counts, rounds);
	return rc;
}

int trial_run(struct project *p, struct trial *t, const char *command, struct softlbr_error *e)
{
	t->build_count = 0;
	while (t->builds[t->build_count])
		t->build_count++;
	return compare_output(p, t, command, e)
	       ?: measure_time(p, t, command, e)
	       ?: count_instructions(p, t, command, e);
}

bool trial_is_slower(const struct trial *t, size_t build)
{
	const struct trial_change *c = &t->changes[build];

	if (c->time - c->time_error > SLOWER_LEAST)
		return true;
	return c->instructions - c->instructions_error > SLOWER_LEAST &&
	       c->time + c->time_error >= 0;
}
