/* SPDX-License-Identifier: MIT */
#include "pgo/project_train.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

#include "base/error.h"
#include "base/file.h"
#include "base/json_read.h"
#include "pgo/child.h"
#include "pgo/own_command.h"
#include "pgo/project_build.h"

/* A run is recorded again while chance costs more than this overlap, or the samples are fewer, but
 * all of it no longer than so many seconds. */
#define NOISE_MOST    0.02
#define SAMPLES_LEAST 100
#define SECONDS_MOST  60
/* Of a running service. */
#define DURATION_DEFAULT "20s"
#define RECORD_LONGER	 "record it for longer, by --duration, and under load"
/* What a sample profile weighs in which one that was recorded counts 1. */
#define UNIT_WEIGHT 1024
/* In the state: how program number N was converted. */
#define CONVERTED "convert-%zu.json"
/* In the state: branches of the training. */
#define TRAINED "train.branches"
/* In the state: a test run compared with it. */
#define COMPARED "diff.json"
/* Fewer of a test run say nothing of what it does. */
#define ALIKE_SAMPLES_LEAST 30
/* A weight, at most: of a run that is so many times shorter than the longest. */
#define WEIGHT_MOST 1000

/* ---- recording ------------------------------------------------------------------------------ */

static void command_record(struct project *p, struct own_command *c, const char *file, bool dense)
{
	own_command_word(c, p->softlbr);
	own_command_word(c, "record");
	own_command_word(c, "--quiet");
	if (dense) {
		own_command_word(c, "--event=task-clock");
		own_command_word(c, "--period=1ms");
		own_command_word(c, "--budget=50");
	}
	own_command_word(c, "--keep-binaries");
	own_command_word(c, "--force");
	own_command_format(c, "--output=%s/%s.data", p->state, file);
	own_command_format(c, "--stats=%s/%s.json", p->state, file);
}

int project_train_record_one(struct project *p, const char *run, const char *file, bool dense,
			     struct softlbr_error *e)
{
	struct own_command c = {.e = e};
	char log[80], why[256];

	snprintf(log, sizeof(log), "%s.log", file);
	command_record(p, &c, file, dense);
	own_command_word(&c, "--");
	own_command_word(&c, "/bin/sh");
	own_command_word(&c, "-c");
	own_command_format(&c, "{ %s\n} >/dev/null", run); /* the log is of its errors */
	if (!own_command_run(&c, p, log) && c.status)
		c.rc = error_set(e, SOFTLBR_E_SYSTEM, run,
				 "`%s` ended with status %d while it was recorded: %s (%s/%s)", run,
				 c.status, project_why(p, log, why), p->state, log);
	own_command_deinit(&c);
	return c.rc;
}

static int record_running(struct project *p, struct softlbr_error *e)
{
	struct own_command c = {.e = e};
	const char *pid = project_text(&p->pids), *duration = project_text(&p->durations);
	char why[256];

	command_record(p, &c, "train-1-1", false);
	own_command_format(&c, "--duration=%s", duration ? duration : DURATION_DEFAULT);
	own_command_format(&c, "--pid=%s", pid);
	if (!own_command_run(&c, p, "train-1-1.log") && c.status == SOFTLBR_E_EMPTY)
		c.rc = error_set(e, SOFTLBR_E_EMPTY, pid,
				 "nothing of process %s was recorded: " RECORD_LONGER, pid);
	else if (!c.rc && c.status)
		c.rc = error_set(e, SOFTLBR_E_SYSTEM, pid, "process %s could not be recorded: %s",
				 pid, project_why(p, "train-1-1.log", why));
	own_command_deinit(&c);
	return c.rc;
}

/* The name of recording @repeat of run @run, without the state's directory. */
static char *file_of(char out[64], size_t run, size_t repeat)
{
	snprintf(out, 64, "train-%zu-%zu", run + 1, repeat + 1);
	return out;
}

static bool has_recording(const struct project *p, size_t run, size_t repeat)
{
	char name[64], *path = memory_format("%s/%s.data", p->state, file_of(name, run, repeat));
	bool has = path && !access(path, R_OK);

	memory_free(path);
	return has;
}

/* How often each run was recorded. */
static size_t repeats_of(const struct project *p)
{
	size_t repeats = 0;

	while (has_recording(p, 0, repeats))
		repeats++;
	return repeats;
}

static size_t runs_of(const struct project *p)
{
	return p->pids.count ? 1 : p->runs.count;
}

static int record_round(struct project *p, size_t repeat, bool dense, struct softlbr_error *e)
{
	char name[64];
	int rc = 0;

	if (p->pids.count)
		return record_running(p, e);
	for (size_t i = p->runs.count; i-- && !rc;) { /* the first one last: it counts repeats */
		project_show(p, "recording", p->runs.count - 1 - i, p->runs.count);
		rc = project_train_record_one(p, p->runs.items[i], file_of(name, i, repeat), dense,
					      e);
	}
	return rc;
}

static void remove_recordings(const struct project *p)
{
	char name[64];

	for (size_t run = 0; has_recording(p, run, 0); run++)
		for (size_t repeat = 0; has_recording(p, run, repeat); repeat++) {
			strcat(file_of(name, run, repeat), ".data");
			project_remove(p, name);
		}
}

int project_train_record(struct project *p, struct softlbr_error *e)
{
	remove_recordings(p);
	return record_round(p, 0, false, e);
}

/* ---- weights -------------------------------------------------------------------------------- */

static double recorded_branches(const struct project *p, size_t run, size_t repeats)
{
	double all = 0;
	char name[64];

	for (size_t i = 0; i < repeats; i++) {
		char *path = memory_format("%s/%s.json", p->state, file_of(name, run, i));
		struct json_file *f = path ? json_file_read(path, NULL) : NULL;

		if (f)
			all += fmax(0, json_file_number(f, "counters.branches"));
		json_file_free(f);
		memory_free(path);
	}
	return all;
}

/* Each run counts alike, however long it is: of one with @own branches, the longest having @most.
 */
static unsigned weight_of(double own, double most)
{
	double weight = own > 0 ? round(10 * most / own) : 0;

	return (unsigned)fmin(fmax(weight, 1), WEIGHT_MOST);
}

/* ---- converting ----------------------------------------------------------------------------- */

struct train_figures {
	double samples, overlap, noise;
	char verdict[16], why[512];
	size_t short_ones; /* programs whose profiles are poor */
};

static void add_recordings(const struct project *p, struct own_command *c)
{
	size_t runs = runs_of(p), repeats = repeats_of(p);
	double *branches = memory_alloc_array(runs, sizeof(*branches)), most = 0;
	char name[64];

	if (!branches) {
		c->rc = error_set_nomem(c->e);
		return;
	}
	for (size_t run = 0; run < runs; run++) {
		branches[run] = recorded_branches(p, run, repeats);
		most = fmax(most, branches[run]);
	}
	for (size_t run = 0; run < runs; run++)
		for (size_t i = 0; i < repeats; i++)
			own_command_format(c, "--profile=%s/%s.data,%u", p->state,
					   file_of(name, run, i),
					   runs == 1 ? 1 : weight_of(branches[run], most));
	memory_free(branches);
}

/* Keep the figures of the program with the most samples. Too short a recording has none. */
static int read_figures(struct project *p, size_t n, struct train_figures *f,
			struct softlbr_error *e)
{
	char *path = project_path(p, e, CONVERTED, n + 1);
	struct json_file *j = NULL;
	double samples;
	int rc = path ? 0 : -SOFTLBR_E_SYSTEM;

	if (!rc && !access(path, F_OK) && !(j = json_file_read(path, e)))
		rc = -SOFTLBR_E_INPUT;
	memory_free(path);
	if (!j)
		return rc;
	samples = json_file_number(j, "samples.read") *
		  json_file_number(j, "checks.share_of_recording");
	if (samples > f->samples) {
		const char *verdict = json_file_text(j, "verdict"), *why = json_file_text(j, "why");

		f->samples = samples;
		f->overlap = json_file_number(j, "checks.overlap");
		f->noise = json_file_number(j, "checks.sampling_noise");
		snprintf(f->verdict, sizeof(f->verdict), "%s", verdict ? verdict : "");
		snprintf(f->why, sizeof(f->why), "%s", why ? why : "");
		project_texts_deinit(&p->hottest);
		rc = project_texts_add(&p->hottest, p->programs.items[n], e);
	}
	json_file_free(j);
	return rc;
}

/* Number @n of the programs; one that did not run has no profile. @scale: of its counters; 0: its
 * own. */
static int convert_one(struct project *p, size_t n, double scale, struct train_figures *f,
		       struct softlbr_error *e)
{
	struct own_command c = {.e = e};
	char log[64], why[256], *stats = project_path(p, e, CONVERTED, n + 1);

	snprintf(log, sizeof(log), "convert-%zu.log", n + 1);
	if (stats)
		unlink(stats);
	memory_free(stats);
	own_command_word(&c, p->softlbr);
	own_command_word(&c, "convert");
	own_command_format(&c, "--binary=%s", p->programs.items[n]);
	own_command_format(&c, "--stats=%s/" CONVERTED, p->state, n + 1);
	add_recordings(p, &c);
	if (p->gcc) {
		own_command_format(&c, "--keys=%s/keys", p->state);
		own_command_word(&c, "--partial-training");
		if (scale > 0)
			own_command_format(&c, "--scale=%.0f", scale);
		own_command_format(&c, "--to=gcda=%s/" PROJECT_COUNTERS "-%zu", p->state, n + 1);
	}
	if (p->clang)
		own_command_format(&c, "--to=llvm-text=%s/" PROJECT_SAMPLES "-%zu", p->state,
				   n + 1);
	if (!own_command_run(&c, p, log)) {
		if (c.status == SOFTLBR_E_POOR)
			f->short_ones++;
		if (!c.status || c.status == SOFTLBR_E_POOR)
			c.rc = read_figures(p, n, f, e);
		else if (c.status != SOFTLBR_E_EMPTY && c.status != SOFTLBR_E_BINARY)
			c.rc = error_set(e, c.status, p->programs.items[n],
					 "%s could not be converted for: %s (%s/%s)",
					 p->programs.items[n], project_why(p, log, why), p->state,
					 log);
	}
	own_command_deinit(&c);
	return c.rc;
}

/* Of the conversion of a program; what is not said is 1. */
static double number_of(const struct project *p, size_t program, const char *path_in_json)
{
	char *path = project_path(p, NULL, CONVERTED, program + 1);
	struct json_file *j = path ? json_file_read(path, NULL) : NULL;
	double number = j ? json_file_number(j, path_in_json) : NAN;

	json_file_free(j);
	memory_free(path);
	return number >= 1 ? number : 1;
}

/* How often counters of a program count what was recorded once. */
static double scale_of(const struct project *p, size_t program)
{
	return number_of(p, program, "counters.scale");
}

/* The same of what is smoothed, and not scaled yet: of a sample profile. */
static double unit_of(const struct project *p, size_t program)
{
	return number_of(p, program, "smoothing.unit");
}

static bool has_part(const struct project *p, const char *name, size_t program)
{
	char *part = project_path(p, NULL, "%s-%zu", name, program + 1);
	bool has = part && !access(part, F_OK);

	memory_free(part);
	return has;
}

/* Add the parts to the command that merges them; how many. The last one's path is @last. */
static size_t add_parts(const struct project *p, const char *name, struct own_command *c,
			size_t *last)
{
	size_t parts = 0;

	for (size_t i = 0; i < p->programs.count; i++) {
		if (!has_part(p, name, i))
			continue;
		parts++;
		*last = i;
		own_command_format(
			c, "--profile=%s/%s-%zu,%.0f", p->state, name, i + 1,
			!strcmp(name, PROJECT_SAMPLES) ? round(UNIT_WEIGHT / unit_of(p, i)) : 1);
	}
	return parts;
}

/* The only profile is that of all. */
static int take_part(const struct project *p, const char *name, size_t program, const char *whole,
		     struct softlbr_error *e)
{
	char *part = project_path(p, e, "%s-%zu", name, program + 1);
	int rc = part ? 0 : -SOFTLBR_E_SYSTEM;

	if (!rc && rename(part, whole))
		rc = error_set_errno(e, whole, "cannot make %s", whole);
	memory_free(part);
	return rc;
}

/* Of the profiles of all programs, @name-1, ..., make one, @name. */
static int join(struct project *p, const char *name, struct softlbr_error *e)
{
	struct own_command c = {.e = e};
	char *whole = project_path(p, e, "%s", name), why[256];
	size_t parts, last = 0;

	if (!whole)
		return -SOFTLBR_E_SYSTEM;
	project_remove(p, name);
	own_command_word(&c, p->softlbr);
	own_command_word(&c, "merge");
	own_command_format(&c, "--output=%s", whole);
	parts = add_parts(p, name, &c, &last);
	if (!parts && !c.rc)
		c.rc = error_set(e, SOFTLBR_E_POOR, p->programs.items[0],
				 "too little was recorded for a profile: %s (%s/convert-1.log)",
				 p->pids.count ? RECORD_LONGER : "give --run longer or more work",
				 p->state);
	else if (parts == 1 && !c.rc)
		c.rc = take_part(p, name, last, whole, e);
	else if (parts > 1 && !own_command_run(&c, p, "merge.log") && c.status)
		c.rc = error_set(e, c.status, whole,
				 "the programs' profiles could not be added up: %s",
				 project_why(p, "merge.log", why));
	own_command_deinit(&c);
	memory_free(whole);
	return c.rc;
}

static void remove_parts(const struct project *p)
{
	char name[64];

	for (size_t i = 0; i < p->programs.count; i++) {
		snprintf(name, sizeof(name), PROJECT_COUNTERS "-%zu", i + 1);
		project_remove(p, name);
		snprintf(name, sizeof(name), PROJECT_SAMPLES "-%zu", i + 1);
		project_remove(p, name);
	}
}

static int convert_all(struct project *p, struct train_figures *f, struct softlbr_error *e)
{
	int rc = 0;

	*f = (struct train_figures){0};
	project_texts_deinit(&p->hottest);
	remove_parts(p);
	for (size_t i = 0; i < p->programs.count && !rc; i++) {
		project_show(p, "converting", i, p->programs.count);
		rc = convert_one(p, i, 0, f, e);
	}
	if (!rc && !f->samples && !f->short_ones)
		rc = error_set(e, SOFTLBR_E_EMPTY, p->programs.items[0],
			       "nothing of %s%s was recorded: do the runs take some tenths of a "
			       "second, and execute what the build made, not what is installed?",
			       p->programs.items[0],
			       p->programs.count > 1 ? " and the others" : "");
	return rc;
}

/* A program's counters are scaled by its own greatest one. Those of several have the least scale of
 * all, at which none is less than smoothing has it: what is hot in a part that hardly runs is not
 * hot in the whole. */
static int convert_alike(struct project *p, struct softlbr_error *e)
{
	struct train_figures ignored = {.samples = INFINITY}; /* known already */
	double least = INFINITY, unit = 1;
	size_t parts = 0;
	int rc = 0;

	for (size_t i = 0; i < p->programs.count; i++)
		if (has_part(p, PROJECT_COUNTERS, i)) {
			least = fmin(least, scale_of(p, i));
			unit = fmax(unit, unit_of(p, i));
			parts++;
		}
	least = fmax(least, unit);
	for (size_t i = 0; parts > 1 && i < p->programs.count && !rc; i++)
		if (has_part(p, PROJECT_COUNTERS, i) && scale_of(p, i) != least)
			rc = convert_one(p, i, least, &ignored, e);
	return rc;
}

/* The branches of all training, in the program with the most samples, for what is compared later.
 */
static int keep_branches(struct project *p, struct softlbr_error *e)
{
	struct own_command c = {.e = e};
	char why[256];

	own_command_word(&c, p->softlbr);
	own_command_word(&c, "merge");
	own_command_word(&c, "--force");
	own_command_format(&c, "--binary=%s", project_text(&p->hottest));
	own_command_format(&c, "--output=%s/" TRAINED, p->state);
	add_recordings(p, &c);
	if (!own_command_run(&c, p, "merge.log") && c.status)
		c.rc = error_set(e, c.status, project_text(&p->hottest),
				 "the recordings could not be added up: %s (%s/merge.log)",
				 project_why(p, "merge.log", why), p->state);
	own_command_deinit(&c);
	return c.rc;
}

/* ---- enough? -------------------------------------------------------------------------------- */

static bool is_enough(const struct train_figures *f)
{
	return f->samples >= SAMPLES_LEAST && f->noise <= NOISE_MOST;
}

/* As many rounds more as there were, while there is time for them. The first one was by default
 * options, which cost the program little, and is replaced: now samples count. */
static int record_more(struct project *p, double *seconds, bool *recorded, struct softlbr_error *e)
{
	size_t repeats = *seconds > 0 ? repeats_of(p) : 0;
	double begun = child_now();
	int rc = 0;

	*recorded = false;
	for (size_t i = 0;
	     i < (repeats ?: 1) && !rc && *seconds + child_now() - begun < SECONDS_MOST; i++) {
		rc = record_round(p, repeats + i, true, e);
		*recorded = true;
	}
	*seconds += child_now() - begun;
	return rc;
}

/* "record N s more" is advice for who records by hand. */
static void say_profile(struct project *p, struct train_figures *f)
{
	char *advice = strstr(f->why, ": record ");
	size_t repeats = repeats_of(p);

	if (advice)
		*advice = 0;
	project_say(p, "profile    %s: %s%s (%.0f samples, each run recorded %zu time%s)",
		    f->verdict, f->why,
		    !advice	    ? ""
		    : p->pids.count ? ": a longer --duration helps"
				    : ": longer runs, or more of them, help",
		    f->samples, repeats, repeats == 1 ? "" : "s");
}

int project_train_profile(struct project *p, struct softlbr_error *e)
{
	bool more = !p->pids.count;
	struct train_figures f;
	double seconds = 0;
	int rc = convert_all(p, &f, e);

	while (!rc && more && !is_enough(&f)) {
		rc = record_more(p, &seconds, &more, e);
		if (!rc && more)
			rc = convert_all(p, &f, e);
	}
	if (!rc && p->gcc)
		rc = convert_alike(p, e) ?: join(p, PROJECT_COUNTERS, e);
	if (!rc && p->clang)
		rc = join(p, PROJECT_SAMPLES, e);
	remove_parts(p);
	if (!rc && p->hottest.count)
		rc = keep_branches(p, e);
	if (!rc)
		say_profile(p, &f);
	return rc;
}

/* ---- other work ----------------------------------------------------------------------------- */

static double compare_test(struct project *p, double *samples, struct softlbr_error *e)
{
	struct own_command c = {.e = e, .out = COMPARED};
	double overlap = NAN;

	*samples = 0;
	own_command_word(&c, p->softlbr);
	own_command_word(&c, "diff");
	own_command_word(&c, "--no-confidence");
	own_command_word(&c, "--json");
	own_command_format(&c, "--binary=%s", project_text(&p->hottest));
	own_command_format(&c, "%s/" TRAINED, p->state);
	own_command_format(&c, "%s/test.data", p->state);
	if (!own_command_run(&c, p, "diff.log") && !c.status) {
		char *path = project_path(p, e, COMPARED);
		struct json_file *j = path ? json_file_read(path, e) : NULL;

		if (j) {
			*samples = json_file_number(j, "b.samples");
			overlap = json_file_number(j, "scores.edge");
		}
		json_file_free(j);
		memory_free(path);
	}
	own_command_deinit(&c);
	return overlap;
}

double project_train_overlap(struct project *p, const char *test, struct softlbr_error *e)
{
	double overlap = NAN, samples = 0;

	if (!p->hottest.count)
		return NAN;
	/* a short run is recorded again, for more samples */
	for (int dense = 0; dense <= 1 && !(samples >= ALIKE_SAMPLES_LEAST); dense++) {
		if (project_train_record_one(p, test, "test", dense, e))
			return NAN;
		overlap = compare_test(p, &samples, e);
	}
	return samples >= ALIKE_SAMPLES_LEAST ? overlap : NAN;
}
