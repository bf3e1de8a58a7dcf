/* SPDX-License-Identifier: MIT */
#include "collector/recorder/convergence.h"

#include <math.h>
#include <string.h>

#include "collector/engine/trace_record.h"

/* ---- sampling noise: split halves ---------------------------------------------------------- */

/* A trace that stands for more branches than seconds can have was not written by us. */
#define WEIGHT_MOST 1e11
/* Estimated when there are so many more traces. */
#define GROWTH 16u

/* splitmix64: equal intervals of time are no pattern of halves; records of one trace, if another
 * thread's came between, are in the same half */
static unsigned draw(uint32_t thread, uint64_t time_ns)
{
	uint64_t z = time_ns + (thread + 1) * UINT64_C(0x9e3779b97f4a7c15);

	z = (z ^ z >> 30) * UINT64_C(0xbf58476d1ce4e5b9);
	z = (z ^ z >> 27) * UINT64_C(0x94d049bb133111eb);
	return (unsigned)(z >> 32);
}

static void scale(struct convergence_halves *h, double by)
{
	struct convergence_count *c;

	h->all *= by;
	h->spread *= by;
	h->spread_untimed *= by;
	vector_each (&h->counts, c) {
		c->all *= by;
		c->timed *= by;
		for (unsigned i = 0; i < CONVERGENCE_WAYS; i++)
			c->first[i] *= by;
	}
}

static double halves_overlap(const struct convergence_halves *h, unsigned split)
{
	double all = 0, first = 0, sum = 0;
	const struct convergence_count *c;

	vector_each (&h->counts, c) {
		all += c->all;
		first += c->first[split];
	}
	if (first <= 0 || first >= all)
		return 0;
	vector_each (&h->counts, c) {
		double a = c->first[split] / first, b = (c->all - c->first[split]) / (all - first);

		sum += a < b ? a : b;
	}
	return sum;
}

static double mean_overlap(const struct convergence_halves *h)
{
	double sum = 0;

	for (unsigned i = 0; i < CONVERGENCE_WAYS; i++)
		sum += halves_overlap(h, i) / CONVERGENCE_WAYS;
	return sum;
}

static void look_at_halves(struct convergence_halves *h)
{
	if (h->traces < CONVERGENCE_TRACES_LEAST ||
	    h->traces - h->looked_at < h->looked_at / GROWTH)
		return;
	h->before = h->overlap;
	h->overlap = mean_overlap(h);
	h->looked_at = h->traces;
}

/* What one branch of the trace at hand adds up to. */
static void add_count(const struct convergence_halves *h, struct convergence_count *c)
{
	double weight = h->weight * (double)c->here;

	c->all += weight;
	c->timed += h->timed ? weight : 0;
	for (unsigned i = 0; i < CONVERGENCE_WAYS; i++)
		c->first[i] += h->sides >> i & 1 ? weight : 0;
}

/* The trace at hand is complete: what does it add, how unlike is it? */
static void end_trace(struct convergence_halves *h)
{
	double overlap = 0, timed = 0, unlike;
	const uint32_t *number;

	h->all += h->weight * (double)h->length;
	vector_each (&h->here, number) {
		struct convergence_count *c = &h->counts.items[*number];
		double part = (double)c->here / (double)h->length, whole;

		add_count(h, c);
		whole = c->all / h->all;
		overlap += part < whole ? part : whole;
		timed += part * c->timed / c->all;
		c->here = 0;
	}
	unlike = h->length ? h->weight * (double)h->length * (1 - overlap) : 0;
	h->spread += unlike;
	h->spread_untimed += unlike * overlap_untimed(timed);
	h->here.count = 0;
	h->length = 0;
}

static void begin_trace(struct convergence_halves *h, uint32_t thread, uint64_t time_ns,
			uint64_t weight)
{
	double heavy = (double)weight < WEIGHT_MOST ? (double)weight : WEIGHT_MOST;

	end_trace(h);
	look_at_halves(h);
	if (weight && !h->weighted)
		scale(h, heavy);
	h->weighted += weight > 0;
	h->weights += heavy;
	if (!weight)
		heavy = h->weighted ? h->weights / (double)h->weighted : 1;
	h->traces++;
	h->weight = heavy;
	h->timed = perfdata_weight_is_timed(weight);
	h->sides = draw(thread, time_ns);
}

static int add_branch(struct convergence_halves *h, uint64_t number)
{
	struct convergence_count *c;

	while (h->counts.count <= number)
		if (!vector_push(&h->counts))
			return -1;
	c = &h->counts.items[number];
	if (!c->here++) {
		uint32_t *here = vector_push(&h->here);

		if (!here)
			return -1;
		*here = (uint32_t)number;
	}
	h->length++;
	return 0;
}

static double halves_noise(const struct convergence_halves *h)
{
	double least = h->overlap < h->before ? h->overlap : h->before;

	return h->before > 0 ? (1 - least) / 2 : NAN;
}

static void halves_deinit(struct convergence_halves *h)
{
	vector_deinit(&h->counts);
	vector_deinit(&h->here);
}

/* ---- coverage ------------------------------------------------------------------------------ */

/* Distinct branches that are kept: 40 MB. */
#define KEPT_MOST  (1u << 18)
#define MARK_EVERY 256u
#define PAGE	   4096u

/*
 * The same branch of another process has other addresses, but the same place in its page and,
 * inside a module, the same distance. Two branches that look alike are one too few: what is
 * measured is when new ones cease to come.
 */
static struct map_entry *entry_of(struct convergence *n, uint64_t from, uint64_t to)
{
	int64_t distance = (int64_t)(to - from);
	bool near = distance == (int32_t)distance;

	return map_at(&n->seen, from % PAGE, near ? to - from : to % PAGE | UINT64_C(1) << 63);
}

/* Every other mark goes, those that are left are twice as far apart. */
static void thin_marks(struct convergence *n)
{
	for (unsigned i = 1; i < CONVERGENCE_MARKS; i += 2)
		n->marks[i / 2] = n->marks[i];
	n->mark_count = CONVERGENCE_MARKS / 2;
	n->mark_every *= 2;
}

static void set_mark(struct convergence *n)
{
	const struct convergence_mark *last = n->mark_count ? &n->marks[n->mark_count - 1] : NULL;

	if (!n->mark_every)
		n->mark_every = MARK_EVERY;
	if (n->branches - (last ? last->branches : 0) < n->mark_every)
		return;
	n->marks[n->mark_count++] = (struct convergence_mark){n->last_ns, n->branches,
							      n->seen.count};
	if (n->mark_count == CONVERGENCE_MARKS)
		thin_marks(n);
}

/* A record that goes on with the trace of the one before: its oldest entry was there already. */
static bool goes_on(const struct convergence *n, const struct trace_record_read *r)
{
	return n->branches && r->time == n->trace_ns && r->tid == n->trace_thread;
}

static void number_branch(struct convergence *n, struct convergence_recent *r)
{
	struct map_entry *e = entry_of(n, r->from, r->to);

	n->full = !e || n->seen.count > KEPT_MOST;
	if (n->full)
		return;
	if (!e->n)
		e->n = n->seen.count;
	r->number = e->n;
}

/* Branches are numbered as they come, from 1. */
static void take_branch(struct convergence *n, const struct perf_branch_entry *b, bool again)
{
	struct convergence_recent *r = &n->recent[(b->from ^ b->to >> 4) % CONVERGENCE_RECENT];

	if (r->from != b->from || r->to != b->to || !r->number) {
		*r = (struct convergence_recent){.from = b->from, .to = b->to};
		number_branch(n, r);
	}
	if (!again && !n->full)
		n->full = add_branch(&n->halves, r->number - 1);
}

static void take_stack(struct convergence *n, const struct trace_record_read *r)
{
	bool again = goes_on(n, r);

	if (!again)
		begin_trace(&n->halves, r->tid, r->time, r->weight);
	n->trace_ns = r->time;
	n->trace_thread = r->tid;
	for (uint64_t i = 0; i < r->count && !n->full; i++)
		take_branch(n, &r->stack[i], again && i == r->count - 1);
	n->branches += r->count;
	if (r->time > n->last_ns)
		n->last_ns = r->time;
	if (!n->first_ns || r->time < n->first_ns)
		n->first_ns = r->time;
	set_mark(n);
}

void convergence_add(struct convergence *n, const void *records, size_t bytes)
{
	const struct perf_event_header *h;
	struct trace_record_read r;

	for (size_t at = 0; !n->full && (h = trace_record_next(records, bytes, &at));)
		if (trace_record_take(h, n->tagged, &r))
			take_stack(n, &r);
}

/* The expected loss of overlap by sampling noise so far, 0 to 1; NaN: not known yet. Of two
 * estimates it is the worse one: who waits for a value does not take the first that occurs by
 * chance. */
static double convergence_noise(const struct convergence *n)
{
	return n->full ? NAN : halves_noise(&n->halves);
}

/* Noise falls with the square root of what is recorded. */
double convergence_seconds_to(double seconds, double noise, double target)
{
	return seconds * (noise / target) * (noise / target);
}

/* At the end few traces tell as much as there is to know. */
static struct overlap_evidence evidence_of(const struct convergence_halves *h)
{
	double noise = halves_noise(h);

	if (isnan(noise))
		noise = h->traces > 1 ? (1 - mean_overlap(h)) / 2 : 1;
	return (struct overlap_evidence){
		.traces = h->traces,
		.noise = noise,
		.spread = h->all > 0 ? h->spread / h->all : 0,
		.spread_untimed = h->all > 0 ? h->spread_untimed / h->all : 0,
		.weighted = h->weighted > 0,
	};
}

void convergence_measure(struct convergence *n, struct convergence_end *out)
{
	struct convergence_mark from = {0};

	end_trace(&n->halves);
	*out = (struct convergence_end){.noise = convergence_noise(n),
					.seconds = (double)(n->last_ns - n->first_ns) / 1e9};
	if (n->full || !n->branches)
		return;
	out->evidence = evidence_of(&n->halves);
	for (unsigned i = 0; i < n->mark_count && n->marks[i].branches <= n->branches * 3 / 4; i++)
		from = n->marks[i];
	out->distinct = n->seen.count;
	out->new_share = (double)(n->seen.count - from.distinct) /
			 (double)(n->branches - from.branches);
	if (from.time_ns && n->last_ns > from.time_ns)
		out->new_per_s = (double)(n->seen.count - from.distinct) * 1e9 /
				 (double)(n->last_ns - from.time_ns);
}

void convergence_deinit(struct convergence *n)
{
	map_deinit(&n->seen);
	halves_deinit(&n->halves);
}

/* ---- the stop criterion -------------------------------------------------------------------- */

bool convergence_stop(const struct convergence_options *o, const struct convergence *n,
		      struct control *control)
{
	double noise = convergence_noise(n);
	bool reached = noise <= o->noise; /* not if it is NaN */

	if (o->noise <= 0 || control_state(control) != SESSION_RUN)
		return false;
	if (reached)
		control_end(control);
	if (o->tell)
		o->tell(o->context, noise, (double)(n->last_ns - n->first_ns) / 1e9, reached);
	return reached;
}

bool convergence_is_reached(const struct convergence_options *o, const struct convergence *n,
			    bool before)
{
	/* false if the noise is NaN */
	return o->thins &&
	       convergence_noise(n) <= (before ? CONVERGENCE_NOISE_MOST : CONVERGENCE_NOISE);
}
