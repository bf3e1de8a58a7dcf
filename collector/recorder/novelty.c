/* SPDX-License-Identifier: MIT */
#include "collector/recorder/novelty.h"

#include <math.h>
#include <string.h>

#include "formats/perfdata_write.h"

/* Of distinct branches: 40 MB. */
#define KEPT_MOST  (1u << 18)
#define MARK_EVERY 256u
#define PAGE	   4096u

/*
 * The same branch of another process has other addresses, but the same place in its page and,
 * inside a module, the same distance. Two branches that look alike are one too few: what is
 * measured is when new ones cease to come.
 */
static struct map_entry *entry_of(struct novelty *n, uint64_t from, uint64_t to)
{
	int64_t distance = (int64_t)(to - from);
	bool near = distance == (int32_t)distance;

	return map_at(&n->seen, from % PAGE, near ? to - from : to % PAGE | UINT64_C(1) << 63);
}

/* Every other mark goes, those that are left are twice as far apart. */
static void thin_marks(struct novelty *n)
{
	for (unsigned i = 1; i < NOVELTY_MARKS; i += 2)
		n->marks[i / 2] = n->marks[i];
	n->mark_count = NOVELTY_MARKS / 2;
	n->mark_every *= 2;
}

static void set_mark(struct novelty *n)
{
	const struct novelty_mark *last = n->mark_count ? &n->marks[n->mark_count - 1] : NULL;

	if (!n->mark_every)
		n->mark_every = MARK_EVERY;
	if (n->branches - (last ? last->branches : 0) < n->mark_every)
		return;
	n->marks[n->mark_count++] = (struct novelty_mark){n->last_ns, n->branches, n->seen.count};
	if (n->mark_count == NOVELTY_MARKS)
		thin_marks(n);
}

struct record {
	const struct perf_branch_entry *stack;
	uint64_t count, time, weight;
	uint32_t thread;
};

/* A record that goes on with the trace of the one before: its oldest entry was there already. */
static bool goes_on(const struct novelty *n, const struct record *r)
{
	return n->branches && r->time == n->trace_ns && r->thread == n->trace_thread;
}

/* Its number is that of its coming, from 1. */
static void take_branch(struct novelty *n, const struct perf_branch_entry *b, bool again)
{
	struct map_entry *e = entry_of(n, b->from, b->to);

	n->full = !e || n->seen.count > KEPT_MOST;
	if (n->full)
		return;
	if (!e->n)
		e->n = n->seen.count;
	if (!again)
		n->full = splits_add(&n->splits, e->n - 1);
}

static void take_stack(struct novelty *n, const struct record *r)
{
	bool again = goes_on(n, r);

	if (!again)
		splits_begin(&n->splits, r->thread, r->time, r->weight);
	n->trace_ns = r->time;
	n->trace_thread = r->thread;
	for (uint64_t i = 0; i < r->count && !n->full; i++)
		take_branch(n, &r->stack[i], again && i == r->count - 1);
	n->branches += r->count;
	if (r->time > n->last_ns)
		n->last_ns = r->time;
	if (!n->first_ns || r->time < n->first_ns)
		n->first_ns = r->time;
	set_mark(n);
}

static bool is_trace_of(uint64_t branches, size_t size, bool tagged)
{
	return branches <= PERFDATA_SAMPLE_BRANCHES_MAX &&
	       size == perfdata_trace_bytes(branches, tagged);
}

static void take_sample(struct novelty *n, const void *record, size_t size)
{
	const struct perfdata_tagged_head *tagged = record;
	const struct perfdata_sample_head *plain = record;
	struct record r;

	if (n->tagged ? size < sizeof(*tagged) || tagged->id != PERFDATA_OF_TRACES
		      : size < sizeof(*plain))
		return;
	r = n->tagged ? (struct record){(const void *)(tagged + 1), tagged->branch_count,
					tagged->time, 0, tagged->tid}
		      : (struct record){(const void *)(plain + 1), plain->branch_count, plain->time,
					0, plain->tid};
	if (!is_trace_of(r.count, size, n->tagged))
		return;
	memcpy(&r.weight, r.stack + r.count, sizeof(r.weight));
	take_stack(n, &r);
}

void novelty_take(struct novelty *n, const void *records, size_t bytes)
{
	const char *p = records;

	for (size_t at = 0; !n->full && bytes - at >= sizeof(struct perf_event_header);) {
		const struct perf_event_header *h = (const void *)(p + at);

		if (h->size < sizeof(*h) || h->size > bytes - at)
			return;
		if (h->type == PERF_RECORD_SAMPLE)
			take_sample(n, h, h->size);
		at += h->size;
	}
}

double novelty_noise(const struct novelty *n)
{
	return n->full ? NAN : splits_noise(&n->splits);
}

/* Noise falls with the square root of what is recorded. */
double novelty_seconds_to(double seconds, double noise, double target)
{
	return seconds * (noise / target) * (noise / target);
}

void novelty_measure(const struct novelty *n, struct novelty_end *out)
{
	struct novelty_mark from = {0};

	*out = (struct novelty_end){.noise = novelty_noise(n),
				    .seconds = (double)(n->last_ns - n->first_ns) / 1e9};
	if (n->full || !n->branches)
		return;
	for (unsigned i = 0; i < n->mark_count && n->marks[i].branches <= n->branches * 3 / 4; i++)
		from = n->marks[i];
	out->distinct = n->seen.count;
	out->new_share = (double)(n->seen.count - from.distinct) /
			 (double)(n->branches - from.branches);
	if (from.time_ns && n->last_ns > from.time_ns)
		out->new_per_s = (double)(n->seen.count - from.distinct) * 1e9 /
				 (double)(n->last_ns - from.time_ns);
}

void novelty_deinit(struct novelty *n)
{
	map_deinit(&n->seen);
	splits_deinit(&n->splits);
}
