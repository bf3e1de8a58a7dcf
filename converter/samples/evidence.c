/* SPDX-License-Identifier: MIT */
#include "converter/samples/evidence.h"

#include <math.h>

#include "base/memory.h"
#include "converter/samples/trace_counts.h"
#include "base/overlap_estimate.h"
#include "formats/perfdata_write.h"

/* Ways to halve the traces. */
#define SPLITS 8u

/* A branch of the trace at hand. */
struct own_branch {
	uint32_t branch, entries;
};

struct search {
	const struct evidence_input *in;
	const struct frequencies_traces *traces;
	struct evidence *out;
	/* by branch */
	double *all, *timed; /* what traces have of it, by their weights */
	float *halves;	     /* and of that, by split, those in the first half */
	uint32_t *at_hand;   /* entries of the trace at hand, while they are counted */
	uint64_t *met;	     /* traces that have it */
	/* of the trace at hand, in the order of their first entries; there is room for all */
	VECTOR(struct own_branch) own;
	uint64_t length; /* of all of these */
	/* by trace, of the first part alone: the whole's */
	size_t *ends;	 /* the number behind its last part; parts of others may stand before */
	double *weights; /* of all of its branches in the binary */
	unsigned char *sides; /* a bit for each split: 1 = in the first half */
};

void evidence_deinit(struct evidence *e)
{
	vector_deinit(&e->places);
}

static bool is_inside(const struct search *s, uint32_t branch)
{
	return s->in->places[branch] != EVIDENCE_ELSEWHERE;
}

static size_t whole_of(const struct search *s, size_t trace)
{
	return s->traces->firsts ? s->traces->firsts[trace] : trace;
}

static double times_of(const struct search *s, size_t trace)
{
	return s->traces->times ? (double)s->traces->times[trace] : 1;
}

static double weight_of(const struct search *s, size_t trace)
{
	return s->in->weights ? s->in->weights[trace] : 1;
}

static bool is_timed(const struct search *s, size_t trace)
{
	return s->traces->weights && perfdata_weight_is_timed(s->traces->weights[trace]);
}

/* List the branches of all parts of trace @whole that are in the binary. */
static void take_whole(struct search *s, size_t whole)
{
	struct own_branch *own;
	size_t end;

	s->own.count = 0;
	s->length = 0;
	for (size_t i = whole; i < s->ends[whole]; i++) {
		if (whole_of(s, i) != whole)
			continue;
		end = trace_counts_end(s->traces, i);
		for (size_t k = s->traces->begins[i]; k < end; k++) {
			uint32_t branch = s->traces->entries[k];

			if (s->at_hand[branch]) {
				s->at_hand[branch]++;
			} else if (is_inside(s, branch)) {
				s->at_hand[branch] = 1;
				s->own.items[s->own.count++].branch = branch;
			}
		}
	}
	vector_each (&s->own, own) {
		own->entries = s->at_hand[own->branch];
		s->length += own->entries;
		s->at_hand[own->branch] = 0;
	}
}

/* Add the trace at hand to the sums by branch; its weight. */
static double add_own(struct search *s, size_t whole)
{
	const double times = times_of(s, whole), each = weight_of(s, whole);
	const bool timed = is_timed(s, whole);
	const struct own_branch *own;
	double sum = 0;

	vector_each (&s->own, own) {
		double weight = each * own->entries;

		s->all[own->branch] += times * weight;
		s->timed[own->branch] += timed ? times * weight : 0;
		s->met[own->branch] += (uint64_t)times;
		sum += weight;
	}
	return sum;
}

static void add_traces(struct search *s)
{
	const size_t count = s->traces->trace_count;

	for (size_t i = 0; i < count; i++)
		s->ends[whole_of(s, i)] = i + 1;
	for (size_t i = 0; i < count; i++) {
		if (whole_of(s, i) != i)
			continue;
		take_whole(s, i);
		if (!s->length)
			continue;
		s->weights[i] = add_own(s, i);
		s->out->traces += (uint64_t)times_of(s, i);
		s->out->weight += times_of(s, i) * s->weights[i];
		s->out->timed += is_timed(s, i) ? times_of(s, i) * s->weights[i] : 0;
	}
	if (s->out->weight > 0)
		s->out->timed /= s->out->weight;
}

static int list_places(struct search *s)
{
	for (uint32_t i = 0; i < s->traces->branch_count; i++)
		if (s->met[i] &&
		    vector_add(&s->out->places, (struct evidence_place){s->in->places[i], s->all[i],
									s->timed[i], s->met[i]}))
			return -1;
	return 0;
}

/* The overlap of the trace at hand with all. */
static double overlap_of_own(const struct search *s)
{
	const struct own_branch *own;
	double sum = 0;

	vector_each (&s->own, own)
		sum += fmin((double)own->entries / (double)s->length,
			    s->all[own->branch] / s->out->weight);
	return sum;
}

/* The part of it that is at places where traces were timed, as far as they were. */
static double timed_of_own(const struct search *s)
{
	const struct own_branch *own;
	double sum = 0;

	vector_each (&s->own, own)
		sum += (double)own->entries / (double)s->length * s->timed[own->branch] /
		       s->all[own->branch];
	return sum;
}

static void add_spread(struct search *s, size_t whole)
{
	double share = times_of(s, whole) * s->weights[whole] / s->out->weight;
	double spread = share * (1 - overlap_of_own(s)), untimed = overlap_untimed(timed_of_own(s));

	s->out->spread += spread;
	s->out->spread_untimed += spread * untimed;
	s->out->untimed += share * untimed;
}

/* splitmix64, always from the same seed: the same traces, the same noise */
static uint64_t draw(uint64_t *state)
{
	uint64_t z = *state += UINT64_C(0x9e3779b97f4a7c15);

	z = (z ^ z >> 30) * UINT64_C(0xbf58476d1ce4e5b9);
	z = (z ^ z >> 27) * UINT64_C(0x94d049bb133111eb);
	return z ^ z >> 31;
}

/* Put half of the traces into the first half of each split. */
static int choose_sides(struct search *s)
{
	size_t count = 0, *left = memory_alloc_array(s->traces->trace_count + 1, sizeof(*left));
	uint64_t state = 1;

	if (!left)
		return -1;
	for (size_t i = 0; i < s->traces->trace_count; i++)
		if (s->weights[i] > 0)
			left[count++] = i;
	for (unsigned split = 0; split < SPLITS; split++) {
		/* of an odd number, the one half has one more or the other */
		for (size_t i = 0; i < (count + (split & 1)) / 2; i++) {
			size_t other = i + draw(&state) % (count - i), chosen = left[other];

			left[other] = left[i];
			left[i] = chosen;
			s->sides[chosen] |= (unsigned char)(1u << split);
		}
	}
	memory_free(left);
	return 0;
}

/* Equal traces that stand for many are halved, too: the one half has one more. */
static void halve_own(struct search *s, size_t whole)
{
	const double times = times_of(s, whole), more = ceil(times / 2), each = weight_of(s, whole);
	const struct own_branch *own;
	uint32_t is_first[SPLITS];

	for (unsigned split = 0; split < SPLITS; split++)
		is_first[split] = s->sides[whole] >> split & 1;
	vector_each (&s->own, own) {
		double weight = each * own->entries;
		float most = (float)(weight * more), rest = (float)(weight * (times - more));
		float *half = &s->halves[own->branch * SPLITS];

		for (unsigned split = 0; split < SPLITS; split++)
			half[split] += is_first[split] ? most : rest;
	}
}

static double overlap_of_halves(const struct search *s, unsigned split)
{
	double first = 0, sum = 0;

	for (size_t i = 0; i < s->traces->branch_count; i++)
		first += (double)s->halves[i * SPLITS + split];
	if (first <= 0 || first >= s->out->weight)
		return 0;
	for (size_t i = 0; i < s->traces->branch_count; i++) {
		double part = (double)s->halves[i * SPLITS + split];

		sum += fmin(part / first, fmax(s->all[i] - part, 0) / (s->out->weight - first));
	}
	return sum;
}

/* What is found by the sums of all: how much traces differ from them, and halves from each other.
 */
static int compare_traces(struct search *s)
{
	const bool halves = s->out->traces >= 2;
	double overlap = 0;

	s->out->noise = NAN;
	if (halves && choose_sides(s))
		return -1;
	for (size_t i = 0; i < s->traces->trace_count; i++) {
		if (s->weights[i] <= 0)
			continue;
		take_whole(s, i);
		add_spread(s, i);
		if (halves)
			halve_own(s, i);
	}
	for (unsigned split = 0; halves && split < SPLITS; split++)
		overlap += overlap_of_halves(s, split) / SPLITS;
	if (halves)
		s->out->noise = fmax(0, 1 - overlap) / 2;
	return 0;
}

static int allocate_search(struct search *s)
{
	const size_t branches = s->traces->branch_count + 1, traces = s->traces->trace_count + 1;

	s->all = memory_alloc_array(branches, sizeof(*s->all));
	s->timed = memory_alloc_array(branches, sizeof(*s->timed));
	s->halves = memory_alloc_array(branches * SPLITS, sizeof(*s->halves));
	s->at_hand = memory_alloc_array(branches, sizeof(*s->at_hand));
	s->met = memory_alloc_array(branches, sizeof(*s->met));
	s->ends = memory_alloc_array(traces, sizeof(*s->ends));
	s->weights = memory_alloc_array(traces, sizeof(*s->weights));
	s->sides = memory_alloc_array(traces, sizeof(*s->sides));
	if (vector_reserve(&s->own, branches))
		return -1;
	return s->all && s->timed && s->halves && s->at_hand && s->met && s->ends && s->weights &&
			       s->sides
		       ? 0
		       : -1;
}

int evidence_find(const struct evidence_input *in, struct evidence *e)
{
	struct search s = {.in = in, .traces = in->traces, .out = e};
	int rc = allocate_search(&s);

	if (!rc) {
		add_traces(&s);
		rc = list_places(&s) || compare_traces(&s) ? -1 : 0;
	}
	vector_deinit(&s.own);
	memory_free(s.all);
	memory_free(s.timed);
	memory_free(s.halves);
	memory_free(s.at_hand);
	memory_free(s.met);
	memory_free(s.ends);
	memory_free(s.weights);
	memory_free(s.sides);
	return rc;
}

/* The mean of the absolute error of a count that is Poisson distributed is 0.8 of its deviation;
 * what one branch has too much, others have too little. */
#define DEVIATION_HALF 0.4

void evidence_of_counts(const struct branch_profile *p, uint64_t traces, double alike,
			struct evidence *e)
{
	double all = 0, deviation = 0;

	for (struct map_entry *b = NULL; (b = map_next(&p->branches, b));)
		all += (double)b->n;
	if (all <= 0 || !traces)
		return;
	for (struct map_entry *b = NULL; (b = map_next(&p->branches, b));)
		deviation += sqrt((double)b->n * alike * (1 - (double)b->n / all));
	e->traces = traces;
	e->weight = all;
	e->noise = fmin(DEVIATION_HALF * deviation / all, 1);
}
