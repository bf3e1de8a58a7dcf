/* SPDX-License-Identifier: MIT */
/*
 * The expected overlap of a profile with exact counts, of what its counts rest on
 * (samples/evidence.h): a number with its interval, and what to do about it.
 */
#include "converter/pipeline/verdict.h"

#include <math.h>
#include <stdio.h>

void expected_overlap_functions_find(struct expected_overlap_functions *list,
				     const struct evidence *e, const struct binary *binary)
{
	const struct evidence_place *place;

	vector_each (&e->places, place) {
		const struct binary_function *f = binary_function_at(binary, place->va);
		struct expected_overlap_function *o =
			f ? map_item(&list->numbers, f->begin, 0, &list->items,
				     (struct expected_overlap_function){.function = f})
			  : NULL;
		double timed = place->weight > 0 ? place->timed / place->weight : 1;

		if (!o)
			continue;
		o->weight += place->weight;
		o->untimed += place->weight * overlap_untimed(timed);
		o->traces = place->traces > o->traces ? place->traces : o->traces;
	}
}

const struct expected_overlap_function *
expected_overlap_functions_at(const struct expected_overlap_functions *list, uint64_t begin)
{
	const struct map_entry *e = map_find(&list->numbers, begin, 0);

	return e && e->n ? &list->items.items[e->n - 1] : NULL;
}

void expected_overlap_functions_deinit(struct expected_overlap_functions *list)
{
	vector_deinit(&list->items);
	map_deinit(&list->numbers);
}

/* Which function most of what was not timed is in, and how many traces the hot functions have. */
static void look_at_functions(struct expected_overlap *o, const struct evidence *e,
			      const struct binary *binary)
{
	struct expected_overlap_functions list = {0};
	const struct expected_overlap_function *f, *untimed = NULL, *fewest = NULL;

	expected_overlap_functions_find(&list, e, binary);
	vector_each (&list.items, f) {
		if (f->untimed > (untimed ? untimed->untimed : 0))
			untimed = f;
		if (f->weight >= OVERLAP_FUNCTION_HOT * e->weight &&
		    (!fewest || f->traces < fewest->traces))
			fewest = f;
	}
	if (untimed && o->estimate.cause == OVERLAP_BY_UNTIMED)
		o->untimed_at = untimed->function->name;
	if (fewest)
		o->fewest_traces = fewest->traces;
	expected_overlap_functions_deinit(&list);
}

struct expected_overlap expected_overlap_of(const struct evidence *e, double seconds,
					    const struct binary *binary)
{
	const struct overlap_evidence known = {
		.traces = e->traces,
		.noise = isnan(e->noise) ? 1 : e->noise, /* a single trace tells nothing */
		.spread = e->spread,
		.spread_untimed = e->spread_untimed,
		.weighted = e->weighted,
		.biased = e->biased,
	};
	struct expected_overlap o = {.known = e->traces > 0};

	if (!o.known)
		return o;
	o.estimate = overlap_estimate(&known);
	o.spread = e->spread;
	o.spread_untimed = e->spread_untimed;
	o.biased = e->biased;
	o.seconds = seconds;
	o.untimed = e->untimed;
	if (binary)
		look_at_functions(&o, e, binary);
	return o;
}

int expected_overlap_print(const struct expected_overlap *o, char *text, size_t size)
{
	return snprintf(text, size, "%.0f %% (%.0f to %.0f %%) expected overlap with exact counts",
			100 * o->estimate.value, 100 * o->estimate.low, 100 * o->estimate.high);
}

/* How many times as long to record until noise costs no more than the profile can lose beside what
 * it loses otherwise, or, if that is nothing, a half of what it costs now. */
static double times_longer(const struct overlap_estimate *o, double wanted)
{
	double rest = 1 - o->value - o->by_noise;
	double left = (1 - wanted) / OVERLAP_MOST - rest;

	return pow(o->by_noise / fmax(left, o->by_noise / 2), 2);
}

static int advise_longer(const struct expected_overlap *o, double wanted, char *text, size_t size)
{
	double times = fmax(times_longer(&o->estimate, wanted), 1.25);
	double noise = 100 * fmin(1, o->estimate.by_noise);
	int digits = noise < 10;

	if (isnan(o->seconds) || o->seconds <= 0)
		return snprintf(text, size,
				"few traces cost about %.*f %%: record %.1f times as long", digits,
				noise, times);
	return snprintf(text, size, "few traces cost about %.*f %%: record %.0f s more", digits,
			noise, ceil(fmax(1, o->seconds * (times - 1))));
}

static int advise_untimed(const struct expected_overlap *o, char *text, size_t size)
{
	return snprintf(
		text, size,
		"how fast %.0f %% of it ran could not be measured%s%.60s: a longer recording "
		"does not help, exact counts of a small input do (valgrind)",
		100 * o->untimed, o->untimed_at ? ", most of that in " : "",
		o->untimed_at ? o->untimed_at : "");
}

int expected_overlap_advise(const struct expected_overlap *o, double wanted, char *text,
			    size_t size)
{
	switch (o->estimate.cause) {
	case OVERLAP_BY_UNTIMED:
		return advise_untimed(o, text, size);
	case OVERLAP_BY_BIAS:
		return snprintf(
			text, size,
			"its traces have no weights, so slow code counts too much: record by "
			"default options, without -F and -c");
	default:
		return advise_longer(o, wanted, text, size);
	}
}
