/* SPDX-License-Identifier: MIT */
/* softlbr convert --to gcda=OUTDIR --keys KEYDIR: a .gcda file for each object of the keys. */
#include <inttypes.h>
#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "base/error.h"
#include "base/file_output.h"
#include "base/memory.h"
#include "cli/convert.h"
#include "converter/gcc/files/counter_note.h"
#include "converter/gcc/files/counter_profile.h"
#include "converter/gcc/files/gcc_records.h"
#include "converter/pipeline/counter_files.h"

/* Below this agreement of two halves of a recording, or of fewer samples, a build by it may gain
 * less than the flags alone (docs/counters.md). */
#define HALVES_LEAST  0.5
#define SAMPLES_LEAST 30

/* Profiles without samples are exact or sums, which have no halves; standard input can't be read
 * twice. */
static int compare_halves(struct convert *c, struct softlbr_error *e)
{
	const struct convert_input *input;
	struct halves halves = {0};
	int rc = 0;

	c->halves = NAN;
	if (!c->conversion.aggregate.result.funnel.samples)
		return 0;
	vector_each (&c->profiles, input)
		if (!strcmp(input->path, "-"))
			return 0;
	vector_each (&c->profiles, input)
		if (!rc)
			rc = halves_add(&halves, c->binary, &c->how.read, input->path,
					input->weight, e);
	if (!rc && halves_overlap(&halves, &c->halves))
		rc = error_set_nomem(e);
	if (!rc)
		c->halves = fmax(0, c->halves); /* not a number: one half is empty */
	halves_deinit(&halves);
	return rc;
}

static int check_length(const struct convert *c, struct softlbr_error *e)
{
	uint64_t samples = c->conversion.aggregate.result.funnel.samples;
	const char *path = c->profiles.items[0].path;

	if (isnan(c->halves) || c->force)
		return 0;
	if (samples < SAMPLES_LEAST)
		return error_set(e, SOFTLBR_E_POOR, path,
				 "too short a recording for counters: %" PRIu64 " samples can miss "
				 "code that takes a tenth of the time, %d are needed; record about "
				 "%.0f times as long, or several runs (--force writes the counters "
				 "all the same)",
				 samples, SAMPLES_LEAST,
				 ceil((double)SAMPLES_LEAST / (double)samples));
	if (c->halves >= HALVES_LEAST)
		return 0;
	return error_set(e, SOFTLBR_E_POOR, path,
			 "too short a recording for counters: two halves of it agree on only %.0f "
			 "%% of the hot code, and below %.0f %% the build may become slower; "
			 "record about %.0f times as long, or several runs (--force writes the "
			 "counters all the same)",
			 100 * c->halves, 100 * HALVES_LEAST,
			 ceil(halves_times_longer(c->halves, HALVES_LEAST)));
}

/* The halves are compared first: they are large, and gone when the keys are read. */
int convert_counters_make(struct convert *c, struct softlbr_error *e)
{
	c->counters.scale = c->scale;
	return compare_halves(c, e)
	       ?: profile_outputs_make(&c->counters, &c->conversion, c->keys_path,
				       c->partial_training, e)
	       ?: check_length(c, e);
}

static int write_object(const struct convert *c, uint32_t number, const char *directory,
			struct file_outputs *to, struct softlbr_error *e)
{
	const struct key_object *key = &c->counters.keys.objects.items[number];
	char *name = memory_format("%s.gcda", key->name);
	struct counter_profile counters;
	FILE *out;
	int rc = name ? counter_files_open(directory, name, c->guard, c->force, to, &out, e)
		      : error_set_nomem(e);

	memory_free(name);
	if (rc)
		return rc;
	if (profile_outputs_of_object(&c->counters, number, &counters))
		rc = error_set_nomem(e);
	else
		gcda_write_to(&counters, out);
	counter_profile_deinit(&counters);
	return rc ?: file_outputs_finish(to, e);
}

/* What `softlbr check` can't see in the counters. */
static int write_note(const struct convert *c, const char *directory, struct file_outputs *to,
		      struct softlbr_error *e)
{
	const struct expected_overlap *o = &c->verdict.overlap;
	double traces = c->verdict.values[VERDICT_TRACES].value;
	const struct counter_note note = {.keys = (char *)c->keys_path,
					  .traces = isnan(traces) ? 0 : (uint64_t)traces,
					  .has_overlap = o->known,
					  .value = o->estimate.value,
					  .low = o->estimate.low,
					  .high = o->estimate.high,
					  .by_noise = o->estimate.by_noise,
					  .cause = o->estimate.cause,
					  .untimed = o->untimed,
					  .seconds = o->seconds};
	FILE *out;
	int rc = counter_files_open(directory, COUNTER_NOTE, c->guard, c->force, to, &out, e);

	if (!rc && counter_note_write(&note, directory, out))
		rc = error_set_nomem(e);
	return rc ?: file_outputs_finish(to, e);
}

int convert_counters_write(const struct convert *c, const char *directory, struct file_outputs *to,
			   struct softlbr_error *e)
{
	int rc = file_directory_make(directory, 0777, NULL, e);

	for (uint32_t i = 0; i < c->counters.keys.objects.count && !rc; i++)
		rc = write_object(c, i, directory, to, e);
	return rc ?: write_note(c, directory, to, e);
}

static double percent(uint64_t n, uint64_t of)
{
	return of ? 100.0 * (double)n / (double)of : 0;
}

static void report_untried_gcc(const struct key_directory *keys)
{
	unsigned newest = 0;
	const struct key_object *o;

	vector_each (&keys->objects, o)
		if (gcc_records_compiler(o->graph.version) > newest)
			newest = gcc_records_compiler(o->graph.version);
	if (newest > GCC_RECORDS_NEWEST)
		convert_report_warning(
			"the keys are of gcc %u, which was not tried: the counters have the form of "
			"gcc %u's; build with -Wmissing-profile, and see whether gcc takes them",
			newest, GCC_RECORDS_NEWEST);
}

void convert_counters_report(const struct convert *c)
{
	const struct key_directory *keys = &c->counters.keys;
	const struct attribution_stats *s = &c->counters.counters.attributions.stats;
	uint64_t known = s->weight - s->no_debug - s->line_zero - s->foreign - s->no_key;

	fprintf(stderr,
		"keys: %zu objects, %zu functions; they cover %.1f %% of the executed instructions "
		"(%.1f %% are in functions without keys)\n",
		keys->objects.count, keys->functions, percent(known, s->weight),
		percent(s->foreign, s->weight));
	if (!isnan(c->halves))
		fprintf(stderr,
			"noise: two halves of the recording agree on %.0f %% of the hot code\n",
			100 * c->halves);
	if (keys->without_dump)
		convert_report_warning(
			"%zu objects have no gcc dump beside their .gcno file%s%s: their blocks "
			"are told apart by lines alone",
			keys->without_dump, keys->refused ? " that belongs to it: " : "",
			keys->refused ? keys->refusal.text : "");
	report_untried_gcc(keys);
	if (c->counters.counters.without_columns)
		convert_report_warning(
			"columns of %zu functions, as %s, are not those of the keys, as where %s "
			"was built without -no-integrated-cpp: their statements are told apart by "
			"lines and discriminators alone; add the option to the build that is "
			"recorded, if it is not there",
			c->counters.counters.without_columns, c->counters.counters.first_without,
			c->binary_path);
	if (c->counters.counters.rounds.stats.unsolved)
		convert_report_warning("%" PRIu64 " of %" PRIu64
				       " flow problems were not solved: their functions have no "
				       "counts",
				       c->counters.counters.rounds.stats.unsolved,
				       c->counters.counters.rounds.stats.solved);
}

void convert_counters_advise(const struct convert *c, const char *path)
{
	const char *root = c->counters.keys.root, *quote;
	const char *partial = c->partial_training
				      ? " -fprofile-partial-training -fprofile-correction"
				      : "";
	char *whole = realpath(path, NULL);

	if (root) {
		quote = strchr(whole ? whole : path, ' ') || strchr(root, ' ') ? "'" : "";
		fprintf(stderr,
			"next: build again, as the program was built, with -no-integrated-cpp "
			"%s-fprofile-use=%s%s %s-fprofile-prefix-path=%s%s%s in CFLAGS and "
			"CXXFLAGS\n",
			quote, whole ? whole : path, quote, quote, root, quote, partial);
	} else {
		fprintf(stderr,
			"next: copy the files below %s beside the object files, and build again, "
			"as the program was built, with -no-integrated-cpp -fprofile-use%s in "
			"CFLAGS and CXXFLAGS\n",
			path, partial);
	}
	free(whole);
}
