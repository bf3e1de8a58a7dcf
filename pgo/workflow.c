/* SPDX-License-Identifier: MIT */
#include "pgo/workflow.h"

#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "base/error.h"
#include "base/file.h"
#include "pgo/child.h"
#include "pgo/project_bolt.h"
#include "pgo/project_build.h"
#include "pgo/project_copies.h"
#include "pgo/project_train.h"
#include "pgo/trial.h"

/* A test run whose taken branches overlap less with the training's is other work. */
#define ALIKE_LEAST 0.6
#define GIVE_FILTER "give --output-filter, such as \"sed 's/[0-9.]* s//'\""

static const char *plural(size_t n)
{
	return n == 1 ? "" : "s";
}

static const char *compilers(const struct project *p)
{
	return p->gcc && p->clang ? "gcc and clang" : p->clang ? "clang" : "gcc";
}

/* What is measured: the runs, then the tests. */
static const char *measured_command(const struct project *p, size_t number)
{
	return number < p->runs.count ? p->runs.items[number]
				      : p->tests.items[number - p->runs.count];
}

/* ---- build, record, profile, rebuild -------------------------------------------------------- */

static int workflow_build(struct project *p, struct softlbr_error *e)
{
	double begun = child_now();
	int rc;

	project_show(p, "building", 0, 0);
	rc = project_build_plain(p, e)
		     ?: project_copies_find(p, e)
		     ?: trial_keep(p, TRIAL_BEFORE, e);
	if (!rc && p->objects.count)
		project_say(p, "build      %zu object%s by %s, %zu program%s or librar%s: %.1f s",
			    p->objects.count, plural(p->objects.count), compilers(p),
			    p->programs.count, plural(p->programs.count),
			    p->programs.count == 1 ? "y" : "ies", child_now() - begun);
	else if (!rc) /* compiled and linked at once */
		project_say(p, "build      %zu program%s by %s: %.1f s", p->programs.count,
			    plural(p->programs.count), compilers(p), child_now() - begun);
	return rc;
}

/* That builds can't be compared by the output is known before the long steps. */
static int look_at_output(struct project *p, const char *command, struct softlbr_error *e)
{
	bool varies = false;
	int rc = trial_varies(p, command, &varies, e);

	if (varies)
		project_say(p,
			    "record     %s: its output differs from run to run (%s/output-1, "
			    "output-2), so that builds can't be compared by it: " GIVE_FILTER,
			    command, p->state);
	return rc;
}

static int look_at_outputs(struct project *p, struct softlbr_error *e)
{
	const size_t all = p->runs.count + p->tests.count;
	int rc = 0;

	for (size_t i = 0; i < all && !rc; i++) {
		project_show(p, "comparing two runs", i, all);
		rc = look_at_output(p, measured_command(p, i), e);
	}
	return rc;
}

static int workflow_record(struct project *p, struct softlbr_error *e)
{
	double begun = child_now();
	int rc;

	if (!p->runs.count && !p->pids.count)
		return error_set(e, SOFTLBR_E_USAGE, NULL,
				 "the build is ready to be recorded: give --run a command that "
				 "does typical work, or start it as a service and give -p PID");
	rc = project_train_record(p, e);
	if (!rc && p->pids.count)
		project_say(p, "record     process %s: %.1f s", project_text(&p->pids),
			    child_now() - begun);
	else if (!rc)
		project_say(p, "record     %zu run%s: %.1f s", p->runs.count, plural(p->runs.count),
			    child_now() - begun);
	/* a service is at work, and not for us */
	return rc || p->pids.count ? rc : look_at_outputs(p, e);
}

static int workflow_rebuild(struct project *p, struct softlbr_error *e)
{
	double begun = child_now();
	int rc;

	project_show(p, "building", 0, p->objects.count);
	rc = project_build_profiled(p, e)
		     ?: trial_fill(p, TRIAL_BEFORE, e)
		     ?: trial_keep(p, TRIAL_AFTER, e);
	if (!rc && p->objects.count)
		project_say(p, "rebuild    %zu object%s with the profile: %.1f s", p->objects.count,
			    plural(p->objects.count), child_now() - begun);
	else if (!rc)
		project_say(p, "rebuild    %zu program%s with the profile: %.1f s",
			    p->programs.count, plural(p->programs.count), child_now() - begun);
	return rc;
}

static int workflow_bolt(struct project *p, struct softlbr_error *e)
{
	return p->bolts.count ? project_bolt(p, e) : 0;
}

/* ---- measure -------------------------------------------------------------------------------- */

struct workflow_score {
	bool slower;
	double time; /* the sum of relative changes */
};

/* Add the scores of a run that was measured, now or before an interruption: "SLOWER TIME" for each
 * build. */
static void add_scores(const char *text, const char *const *builds, struct workflow_score scores[3])
{
	for (size_t i = 1; builds[i]; i++) {
		char *end;

		scores[i].slower |= strtol(text, &end, 10) != 0;
		scores[i].time += strtod(end, &end);
		text = end;
	}
}

static int keep_scores(struct project *p, const struct trial *t, struct softlbr_error *e)
{
	char text[160] = "";
	size_t used = 0;

	for (size_t i = 1; i < t->build_count; i++)
		used += (size_t)snprintf(text + used, sizeof(text) - used, "%d %.6f ",
					 trial_is_slower(t, i), t->changes[i].time);
	return project_texts_add(&p->measured, text, e) ?: project_save(p, e);
}

static void say_change(struct project *p, const struct trial *t, size_t build, const char *command)
{
	const struct trial_change *c = &t->changes[build];
	const bool is_short = t->seconds < 0.1;
	char counted[80] = "";

	if (c->instructions == 0)
		snprintf(counted, sizeof(counted),
			 ", the same instructions: does it run another copy of the program?");
	else if (!isnan(c->instructions) && c->instructions_error > 0)
		snprintf(counted, sizeof(counted), ", instructions %+.1f +- %.1f %%",
			 100 * c->instructions, 100 * c->instructions_error);
	else if (!isnan(c->instructions))
		snprintf(counted, sizeof(counted), ", instructions %+.1f %%",
			 100 * c->instructions);
	else if (t->seconds > TRIAL_COUNTED_SECONDS)
		snprintf(counted, sizeof(counted), ", instructions not counted: longer than %d s",
			 TRIAL_COUNTED_SECONDS);
	project_say(p, "measure    %s%s: CPU time %+.1f +- %.1f %% of %.*f %s%s%s",
		    t->build_count > 2 ? (build == 1 ? "rebuilt, " : "by llvm-bolt, ") : "",
		    command, 100 * c->time, 100 * c->time_error, is_short ? 1 : 2,
		    is_short ? 1000 * t->seconds : t->seconds, is_short ? "ms" : "s", counted,
		    trial_is_slower(t, build) ? " (slower)" : "");
}

static int check_output(struct project *p, const struct trial *t, size_t build, const char *command,
			struct softlbr_error *e)
{
	const struct trial_change *c = &t->changes[build];

	if (c->same_output)
		return 0;
	if (!c->varies)
		return error_set(e, SOFTLBR_E_INPUT, command,
				 "`%s` prints another output when it is built with the profile "
				 "(%s/output-1, output-2): the program depends on what compilers "
				 "may choose, or the compiler is wrong",
				 command, p->state);
	project_say(
		p,
		"measure    %s: the output differs from run to run, and was not compared: " GIVE_FILTER,
		command);
	return 0;
}

static int measure_one(struct project *p, const char *const *builds, size_t number,
		       struct softlbr_error *e)
{
	const char *command = measured_command(p, number);
	struct trial t = {.builds = builds};
	int rc = 0;

	snprintf(t.name, sizeof(t.name), "run %zu of %zu", number + 1,
		 p->runs.count + p->tests.count);
	if (number >= p->runs.count && p->runs.count) {
		double overlap;

		rc = trial_place(p, TRIAL_BEFORE, false, e);
		overlap = rc ? NAN : project_train_overlap(p, command, e);
		if (overlap < ALIKE_LEAST)
			project_say(p,
				    "measure    %s: its taken branches overlap by %.0f %% with the "
				    "training's: if it matters, give it as a --run, too",
				    command, 100 * overlap);
		rc = rc ?: e->code ? -e->code : 0;
	}
	rc = rc ?: trial_run(p, &t, command, e);
	for (size_t i = 1; i < t.build_count && !rc; i++) {
		rc = check_output(p, &t, i, command, e);
		say_change(p, &t, i, command);
	}
	return rc ?: keep_scores(p, &t, e);
}

/* Its number. */
static size_t choose(const char *const *builds, const struct workflow_score scores[3])
{
	size_t best = 0;

	for (size_t i = 1; builds[i]; i++)
		if (!scores[i].slower && (!best || scores[i].time < scores[best].time))
			best = i;
	return best;
}

/* The sources are compiled without the profile again: objects and programs are of one build. */
static int give_up(struct project *p, struct softlbr_error *e)
{
	project_say(p, "kept       the build without a profile: with it a run is slower; train "
		       "more kinds of work, or longer");
	project_show(p, "building", 0, p->objects.count);
	return project_build_plain(p, e) ?: trial_fill(p, TRIAL_BEFORE, e);
}

/* @time: the sum of the runs' changes by it. */
static int end_measure(struct project *p, const char *kept, double time, struct softlbr_error *e)
{
	snprintf(p->kept, sizeof(p->kept), "%s", kept);
	if (!strcmp(kept, TRIAL_BEFORE))
		return give_up(p, e);
	project_say(
		p,
		"kept       the build with the profile%s, in its place (%s): CPU time %+.1f %% in "
		"the mean of %zu run%s; the one before is in %s/" TRIAL_BEFORE,
		!strcmp(kept, TRIAL_BOLTED) ? ", by llvm-bolt" : "",
		p->hottest.count ? p->hottest.items[0] : p->programs.items[0],
		100 * time / (double)p->measured.count, p->measured.count,
		plural(p->measured.count), p->state);
	return trial_place(p, kept, false, e);
}

static int workflow_measure(struct project *p, struct softlbr_error *e)
{
	const char *builds[] = {TRIAL_BEFORE, TRIAL_AFTER,
				p->bolts.count && trial_has(p, TRIAL_BOLTED) ? TRIAL_BOLTED : NULL,
				NULL};
	const size_t all = p->runs.count + p->tests.count;
	struct workflow_score scores[3] = {0};
	size_t best;
	int rc = 0;

	while (p->measured.count < all && !rc)
		rc = measure_one(p, builds, p->measured.count, e);
	if (rc)
		return rc;
	for (size_t i = 0; i < all; i++)
		add_scores(p->measured.items[i], builds, scores);
	best = choose(builds, scores);
	if (all)
		return end_measure(p, builds[best], scores[best].time, e);
	project_say(p, "kept       the build with the profile; nothing was measured: give "
		       "--test-run a command");
	return trial_place(p, TRIAL_AFTER, false, e);
}

/* ---- disk ----------------------------------------------------------------------------------- */

/* Recordings are most of it. */
static void say_disk(struct project *p, const char *what)
{
	project_say(p, "disk       %.1f MB in %s, %.1f MB of them recordings (train-*.data)%s",
		    1e-6 * (double)project_bytes(p, ""), p->state,
		    1e-6 * (double)project_bytes(p, "train-"), what);
}

/* ---- the steps in order --------------------------------------------------------------------- */

static const struct {
	int (*run)(struct project *p, struct softlbr_error *e);
	const char *build; /* whose programs it needs in their place */
} steps[PROJECT_STEPS] = {
	[PROJECT_BUILD] = {workflow_build, NULL},
	[PROJECT_RECORD] = {workflow_record, TRIAL_BEFORE},
	[PROJECT_PROFILE] = {project_train_profile, TRIAL_BEFORE},
	[PROJECT_REBUILD] = {workflow_rebuild, NULL},
	[PROJECT_BOLT] = {workflow_bolt, TRIAL_AFTER},
	[PROJECT_MEASURE] = {workflow_measure, NULL},
};

/* What was being measured or built is half there: the last whole build's programs come back. */
static void put_back(const struct project *p)
{
	struct softlbr_error ignored = {0};

	if (p->done[PROJECT_REBUILD])
		trial_place(p, TRIAL_AFTER, false, &ignored);
	else if (p->done[PROJECT_BUILD])
		trial_place(p, TRIAL_BEFORE, false, &ignored);
}

/* All was done in an earlier call: is what it kept still there? */
static int check_kept(const struct project *p, struct softlbr_error *e)
{
	if (!p->done[PROJECT_MEASURE] || !p->kept[0] || trial_is_placed(p, p->kept))
		return 0;
	return error_set(e, SOFTLBR_E_INPUT, p->programs.items[0],
			 "%s is not what was kept: it was built again since, or removed; --fresh "
			 "begins anew",
			 p->programs.items[0]);
}

int workflow_go(struct project *p, enum project_step last, struct softlbr_error *e)
{
	int rc = check_kept(p, e);

	for (int i = 0; i <= (int)last && !rc; i++) {
		if (p->done[i])
			continue;
		if (i < PROJECT_MEASURE) /* that goes on with the next run */
			project_forget(p, (enum project_step)i);
		if (steps[i].build)
			rc = trial_place(p, steps[i].build, false, e);
		rc = rc ?: steps[i].run(p, e);
		if (rc)
			put_back(p);
		else if (i == PROJECT_PROFILE)
			say_disk(p, "");
		else if (i == PROJECT_MEASURE)
			say_disk(p, ", which nothing needs any more: rm train-*.data there");
		p->done[i] = !rc;
		project_show(p, NULL, 0, 0);
		/* what a step that failed has compiled is known to the next */
		rc = project_save(p, rc ? NULL : e) ?: rc;
	}
	return rc;
}
