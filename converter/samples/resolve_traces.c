/* SPDX-License-Identifier: MIT */
/*
 * One process's address is another one's in another process: traces become sequences of places
 * first, so that all processes of a program tell about it together.
 */
#include "converter/samples/resolve_traces.h"

#include "base/memory.h"
#include "converter/samples/locator.h"

/* Places of other modules, by number and offset; they cannot meet the binary's addresses. */
#define KEY_OF_MODULE(module) ((uint64_t)((module) + 1) << 48 | UINT64_C(1) << 63)

/* ---- the traces, in places -------------------------------------------------------------------*/

struct located {
	struct location place;
	uint64_t key; /* the same in all processes */
};

struct located_branch {
	struct located from, to;
};

struct trace_places {
	const struct aggregate_result *result;
	struct aggregate_recording *recording;
	struct map numbers; /* keys of (from,to) -> n = index + 1 */
	VECTOR(struct located_branch) places;
	VECTOR(struct frequencies_branch) branches;
	const uint32_t *entries; /* of all traces, as numbers of places */
	uint32_t *own_entries;	 /* if they are not the recording's */
};

static struct located locate(struct trace_places *l, const struct address_space *space,
			     uint64_t address)
{
	const struct address_map *map = address_space_find(space, address);
	struct locator finder;
	struct located found;

	locator_init(&finder, l->result, l->recording, space);
	found.place = locator_find(&finder, address);
	if (found.place.where == LOCATION_BINARY)
		found.key = found.place.va;
	else if (map)
		found.key = KEY_OF_MODULE(map->module) | (address - map->start + map->file_offset);
	else
		found.key = address;
	return found;
}

static int locate_branch(struct trace_places *l, const struct trace_branch *b, uint32_t *number)
{
	struct located_branch where = {locate(l, b->space, b->from), locate(l, b->space, b->to)};
	struct map_entry *e = map_at(&l->numbers, where.from.key, where.to.key);
	struct frequencies_branch *branch;
	struct located_branch *place;

	if (!e)
		return -1;
	if (!e->n) {
		branch = vector_push(&l->branches);
		place = vector_push(&l->places);
		if (!branch || !place)
			return -1;
		*branch = (struct frequencies_branch){e->a, e->b};
		*place = where;
		e->n = l->places.count;
	}
	*number = (uint32_t)(e->n - 1);
	return 0;
}

static int translate_entries(struct trace_places *l, const struct traces *t,
			     const uint32_t *numbers)
{
	l->entries = l->own_entries = memory_alloc_array(t->entries.count, sizeof(*l->own_entries));
	if (!l->own_entries)
		return -1;
	for (size_t i = 0; i < t->entries.count; i++)
		l->own_entries[i] = numbers[t->entries.items[i]];
	return 0;
}

/* Each branch of one process is a place of its own: the entries have the places' numbers already.
 */
static int locate_all(struct trace_places *l, const struct traces *t)
{
	uint32_t *numbers = memory_alloc_array(t->branches.count, sizeof(*numbers));
	int rc = numbers ? 0 : -1;

	for (size_t i = 0; i < t->branches.count && !rc; i++)
		rc = locate_branch(l, &t->branches.items[i], &numbers[i]);
	l->entries = t->entries.items;
	if (!rc && l->places.count < t->branches.count)
		rc = translate_entries(l, t, numbers);
	memory_free(numbers);
	return rc;
}

/* ---- what is estimated, into the profile -----------------------------------------------------*/

/* What was seen stays. */
static uint64_t rounded(double n, uint64_t weight)
{
	double product = n * (double)weight;

	if (!(product >= 1))
		return 1;
	return product > 0x1p62 ? UINT64_C(1) << 62 : (uint64_t)(product + 0.5);
}

static int add_branch(struct branch_profile *p, const struct located_branch *l, uint64_t n)
{
	bool from_in = l->from.place.where == LOCATION_BINARY,
	     to_in = l->to.place.where == LOCATION_BINARY;
	struct map_entry *e;

	if ((!from_in && !to_in) || l->from.place.where == LOCATION_KERNEL ||
	    l->to.place.where == LOCATION_KERNEL)
		return 0;
	e = map_at(&p->branches, from_in ? l->from.place.va : BRANCH_OUTSIDE,
		   to_in ? l->to.place.va : BRANCH_OUTSIDE);
	if (!e)
		return -1;
	e->n += n;
	return 0;
}

static int add_range(struct branch_profile *p, const struct location *begin,
		     const struct location *end, uint64_t n)
{
	if (begin->where != LOCATION_BINARY || end->where != LOCATION_BINARY ||
	    end->va < begin->va || end->va - begin->va > RANGE_BYTES_MAX)
		return 0;
	return branch_profile_add_range(p, begin->va, end->va, n);
}

static int add_result(struct branch_profile *p, const struct trace_places *l,
		      const struct frequencies_result *r)
{
	const uint64_t weight = l->recording->weight;
	const struct frequencies_range *range;

	if (!l->places.items)
		return 0;
	for (size_t i = 0; i < l->places.count; i++)
		if (add_branch(p, &l->places.items[i], rounded(r->branches[i], weight)))
			return -1;
	vector_each (&r->ranges, range)
		if (add_range(p, &l->places.items[range->before].to.place,
			      &l->places.items[range->branch].from.place,
			      rounded(range->n, weight)))
			return -1;
	return 0;
}

static void note_result(struct aggregate_frequencies *f, const struct traces *t,
			const struct frequencies_result *r)
{
	f->recordings++;
	f->biased += r->biased;
	f->rated += r->rated;
	f->traces += t->seen;
	f->starts = r->starts;
	f->middles = r->middles;
	f->sweeps = r->sweeps;
}

int resolve_traces(struct aggregate_result *result, struct aggregate_recording *recording,
		   enum frequencies how)
{
	const struct traces *t = &recording->history.traces;
	struct frequencies_result r = {0};
	struct trace_places l = {.result = result, .recording = recording};
	int rc = -1;

	recording->estimated = false;
	if (!result->binary || t->seen < FREQUENCIES_RATED_MIN)
		return 0;
	if (!locate_all(&l, t)) {
		struct frequencies_traces in = {
			.branches = l.branches.items,
			.branch_count = l.branches.count,
			.entries = l.entries,
			.entry_count = t->entries.count,
			.begins = t->begins.items,
			.firsts = t->firsts.items,
			.trace_count = t->begins.count,
			.weights = t->weights.items,
			.times = t->times.items,
		};

		rc = frequencies_estimate(&in, how, &r);
	}
	if (!rc && r.examined)
		note_result(&result->frequencies, t, &r);
	recording->estimated = !rc && r.biased;
	if (recording->estimated)
		rc = add_result(&result->profile, &l, &r);
	frequencies_deinit(&r);
	map_deinit(&l.numbers);
	memory_free(l.own_entries);
	vector_deinit(&l.places);
	vector_deinit(&l.branches);
	return rc;
}
