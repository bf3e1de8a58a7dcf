/* SPDX-License-Identifier: MIT */
#include "converter/samples/evidence.h"

#include <math.h>

#include "base/memory.h"
#include "converter/samples/trace_counts.h"
#include "base/overlap_estimate.h"
#include "formats/perfdata_write.h"

/* Ways to halve the traces. */
#define SPLITS 8u

struct search {
	const struct evidence_input *in;
	const struct frequencies_traces *traces;
	struct evidence *out;
	/* by branch */
	double *all, *timed; /* what traces have of it, by their weights */
	float *halves;	     /* and of that, by split, those in the first half */
	uint32_t *at_hand;   /* entries of the trace at hand */
	uint64_t *met;	     /* traces that have it */
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

/* Count the entries of all parts of trace @whole in s->at_hand; how many there are. */
static uint64_t take_whole(struct search *s, size_t whole)
{
	uint64_t sum = 0;

	for (size_t i = whole; i < s->ends[whole]; i++) {
		if (whole_of(s, i) != whole)
			continue;
		for (size_t k = s->traces->begins[i]; k < trace_counts_end(s->traces, i); k++) {
			uint32_t branch = s->traces->entries[k];

			s->at_hand[branch] += is_inside(s, branch);
			sum += is_inside(s, branch);
		}
	}
	return sum;
}

/* Call @each for the branches of the trace in s->at_hand, which is empty again behind it; the sum
 * of what it returns. */
static double for_branches(struct search *s, size_t whole, uint64_t length,
			   double (*each)(struct search *s, size_t whole, uint32_t branch,
					  uint64_t length))
{
	double sum = 0;

	for (size_t i = whole; i < s->ends[whole]; i++) {
		if (whole_of(s, i) != whole)
			continue;
		for (size_t k = s->traces->begins[i]; k < trace_counts_end(s->traces, i); k++) {
			uint32_t branch = s->traces->entries[k];

			if (s->at_hand[branch])
				sum += each(s, whole, branch, length);
			s->at_hand[branch] = 0;
		}
	}
	return sum;
}

static double add_branch(struct search *s, size_t whole, uint32_t branch, uint64_t length)
{
	double times = times_of(s, whole), weight = weight_of(s, whole) * s->at_hand[branch];

	(void)length;
	s->all[branch] += times * weight;
	s->timed[branch] += is_timed(s, whole) ? times * weight : 0;
	s->met[branch] += (uint64_t)times;
	return weight;
}

static void add_traces(struct search *s)
{
	const size_t count = s->traces->trace_count;

	for (size_t i = 0; i < count; i++)
		s->ends[whole_of(s, i)] = i + 1;
	for (size_t i = 0; i < count; i++) {
		uint64_t length = whole_of(s, i) == i ? take_whole(s, i) : 0;

		if (!length)
			continue;
		s->weights[i] = for_branches(s, i, length, add_branch);
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

static double overlap_at(struct search *s, size_t whole, uint32_t branch, uint64_t length)
{
	(void)whole;
	return fmin((double)s->at_hand[branch] / (double)length, s->all[branch] / s->out->weight);
}

/* The part of the trace that is at places where traces were timed, as far as they were. */
static double timed_at(struct search *s, size_t whole, uint32_t branch, uint64_t length)
{
	(void)whole;
	return (double)s->at_hand[branch] / (double)length * s->timed[branch] / s->all[branch];
}

static void find_spread(struct search *s)
{
	for (size_t i = 0; i < s->traces->trace_count; i++) {
		double share = times_of(s, i) * s->weights[i] / s->out->weight, spread, untimed;

		if (s->weights[i] <= 0)
			continue;
		spread = share * (1 - for_branches(s, i, take_whole(s, i), overlap_at));
		untimed = overlap_untimed(for_branches(s, i, take_whole(s, i), timed_at));
		s->out->spread += spread;
		s->out->spread_untimed += spread * untimed;
		s->out->untimed += share * untimed;
	}
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
static double halve_branch(struct search *s, size_t whole, uint32_t branch, uint64_t length)
{
	double times = times_of(s, whole), more = ceil(times / 2);
	double weight = weight_of(s, whole) * s->at_hand[branch];
	float *half = &s->halves[branch * SPLITS];

	(void)length;
	for (unsigned split = 0; split < SPLITS; split++)
		half[split] += (float)(weight *
				       (s->sides[whole] >> split & 1 ? more : times - more));
	return 0;
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

static int find_noise(struct search *s)
{
	double overlap = 0;

	s->out->noise = NAN;
	if (s->out->traces < 2)
		return 0;
	if (choose_sides(s))
		return -1;
	for (size_t i = 0; i < s->traces->trace_count; i++)
		if (s->weights[i] > 0)
			for_branches(s, i, take_whole(s, i), halve_branch);
	for (unsigned split = 0; split < SPLITS; split++)
		overlap += overlap_of_halves(s, split) / SPLITS;
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
		if (e->weight > 0)
			find_spread(&s);
		rc = list_places(&s);
	}
	if (!rc)
		rc = find_noise(&s);
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
