/* SPDX-License-Identifier: MIT */
#include "collector/recorder/novelty.h"

#include <string.h>

#include "formats/perfdata_write.h"

/* Of distinct branches: 20 MB. */
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

static void take_stack(struct novelty *n, const struct perf_branch_entry *stack, uint64_t count,
		       uint64_t time)
{
	for (uint64_t i = 0; i < count && !n->full; i++)
		n->full = !entry_of(n, stack[i].from, stack[i].to) || n->seen.count > KEPT_MOST;
	n->branches += count;
	if (time > n->last_ns)
		n->last_ns = time;
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

	if (!n->tagged) {
		if (size >= sizeof(*plain) && is_trace_of(plain->branch_count, size, false))
			take_stack(n, (const void *)(plain + 1), plain->branch_count, plain->time);
		return;
	}
	if (size >= sizeof(*tagged) && tagged->id == PERFDATA_OF_TRACES &&
	    is_trace_of(tagged->branch_count, size, true))
		take_stack(n, (const void *)(tagged + 1), tagged->branch_count, tagged->time);
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

void novelty_measure(const struct novelty *n, struct novelty_end *out)
{
	struct novelty_mark from = {0};

	*out = (struct novelty_end){0};
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
}
