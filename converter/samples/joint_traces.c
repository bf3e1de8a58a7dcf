/* SPDX-License-Identifier: MIT */
#include "converter/samples/joint_traces.h"

#include <string.h>

#include "base/memory.h"
#include "converter/samples/aggregate.h"
#include "converter/samples/aggregate_private.h"

/* Places of other modules, by number and offset; they cannot meet the binary's addresses. */
#define KEY_OF_MODULE(module) ((uint64_t)((module) + 1) << 48 | UINT64_C(1) << 63)

void joint_traces_deinit(struct joint_traces *j)
{
	map_deinit(&j->numbers);
	vector_deinit(&j->places);
	vector_deinit(&j->branches);
	traces_deinit(&j->traces);
	branch_profile_deinit(&j->raw);
}

/* From the traces of one recording to those of all. */
struct translation {
	const struct aggregate_result *result;
	struct aggregate_recording *recording;
	struct joint_traces *to;
};

static struct joint_place locate(struct translation *t, const struct address_space *space,
				 uint64_t address)
{
	const struct address_map *map = address_space_find(space, address);
	struct locator finder;
	struct joint_place found;

	locator_init(&finder, t->result, t->recording, space);
	found.place = locator_find(&finder, address);
	if (found.place.where == LOCATION_BINARY)
		found.key = found.place.va;
	else if (map)
		found.key = KEY_OF_MODULE(map->module) | (address - map->start + map->file_offset);
	else
		found.key = address;
	return found;
}

static int locate_branch(struct translation *t, const struct trace_branch *b, uint32_t *number)
{
	struct joint_branch where = {locate(t, b->space, b->from), locate(t, b->space, b->to)};
	struct frequencies_branch branch = {where.from.key, where.to.key};
	const struct joint_branch *known = map_item(&t->to->numbers, branch.from, branch.to,
						    &t->to->places, where);

	if (!known ||
	    (t->to->branches.count < t->to->places.count && vector_add(&t->to->branches, branch)))
		return -1;
	*number = (uint32_t)(known - t->to->places.items);
	return 0;
}

/* The number of each of the recording's branches; NULL without memory. */
static uint32_t *locate_branches(struct translation *t)
{
	const struct traces *from = &t->recording->history.traces;
	uint32_t *numbers = memory_alloc_array(from->branches.count, sizeof(*numbers));

	for (size_t i = 0; numbers && i < from->branches.count; i++)
		if (locate_branch(t, &from->branches.items[i], &numbers[i])) {
			memory_free(numbers);
			return NULL;
		}
	return numbers;
}

static int append_traces(struct traces *to, const struct traces *from, const uint32_t *numbers)
{
	const size_t traces = to->begins.count, entries = to->entries.count;
	const size_t more = from->begins.count;

	if (vector_reserve(&to->entries, from->entries.count) ||
	    vector_reserve(&to->begins, more) || vector_reserve(&to->firsts, more) ||
	    vector_reserve(&to->weights, more) || vector_reserve(&to->times, more))
		return -1;
	for (size_t i = 0; i < from->entries.count; i++)
		to->entries.items[entries + i] = numbers[from->entries.items[i]];
	for (size_t i = 0; i < more; i++) {
		to->begins.items[traces + i] = from->begins.items[i] + entries;
		to->firsts.items[traces + i] = from->firsts.items[i] + traces;
	}
	memcpy(to->weights.items + traces, from->weights.items, more * sizeof(uint64_t));
	memcpy(to->times.items + traces, from->times.items, more * sizeof(uint64_t));
	to->entries.count += from->entries.count;
	to->begins.count = to->firsts.count = to->weights.count = to->times.count = traces + more;
	to->seen += from->seen;
	return 0;
}

static bool is_rated(const struct traces *t)
{
	const uint64_t *weight;

	vector_each (&t->weights, weight)
		if (*weight)
			return true;
	return false;
}

/* NULL without memory. */
static struct joint_traces *joint_of(struct aggregate_result *result,
				     const struct aggregate_recording *recording)
{
	bool rated = is_rated(&recording->history.traces);
	struct joint_traces *j;

	vector_each (&result->joint, j)
		if (j->weight == recording->weight && j->rated == rated)
			return j;
	j = vector_push(&result->joint);
	if (j)
		*j = (struct joint_traces){.weight = recording->weight, .rated = rated};
	return j;
}

int joint_traces_add(struct aggregate_result *result, struct aggregate_recording *recording,
		     enum frequencies how, bool last, struct joint_traces **joint)
{
	struct traces *from = &recording->history.traces;
	struct translation t = {result, recording, NULL};
	uint32_t *numbers;
	int rc = 0;

	*joint = NULL;
	if (!result->binary || how == FREQUENCIES_RAW || !from->seen)
		return 0;
	t.to = *joint = joint_of(result, recording);
	numbers = t.to ? locate_branches(&t) : NULL;
	if (!numbers)
		return -1;
	/* each branch of the only process is a place of its own: the numbers are the same */
	if (last && !t.to->recordings && t.to->places.count == from->branches.count) {
		vector_deinit(&from->branches);
		vector_deinit(&from->after);
		t.to->traces = *from;
		*from = (struct traces){0};
	} else {
		rc = append_traces(&t.to->traces, from, numbers);
	}
	t.to->recordings++;
	memory_free(numbers);
	return rc;
}

/* A count that is not 0 stays at least 1. */
static uint64_t rounded(double n, uint64_t weight)
{
	double product = n * (double)weight;

	if (!(product >= 1))
		return 1;
	return product > 0x1p62 ? UINT64_C(1) << 62 : (uint64_t)(product + 0.5);
}

static int add_branch(struct branch_profile *p, const struct joint_branch *l, uint64_t n)
{
	bool from_in = l->from.place.where == LOCATION_BINARY,
	     to_in = l->to.place.where == LOCATION_BINARY;

	if ((!from_in && !to_in) || l->from.place.where == LOCATION_KERNEL ||
	    l->to.place.where == LOCATION_KERNEL)
		return 0;
	return branch_profile_add_branch(p, from_in ? l->from.place.va : BRANCH_OUTSIDE,
					 to_in ? l->to.place.va : BRANCH_OUTSIDE, n, 0);
}

static int add_range(struct branch_profile *p, const struct location *begin,
		     const struct location *end, uint64_t n)
{
	if (begin->where != LOCATION_BINARY || end->where != LOCATION_BINARY ||
	    end->va < begin->va || end->va - begin->va > RANGE_BYTES_MAX)
		return 0;
	return branch_profile_add_range(p, begin->va, end->va, n);
}

static int add_result(struct branch_profile *p, const struct joint_traces *j,
		      const struct frequencies_result *r)
{
	const struct frequencies_range *range;

	for (size_t i = 0; i < j->places.count; i++)
		if (add_branch(p, &j->places.items[i], rounded(r->branches[i], j->weight)))
			return -1;
	vector_each (&r->ranges, range)
		if (add_range(p, &j->places.items[range->before].to.place,
			      &j->places.items[range->branch].from.place,
			      rounded(range->n, j->weight)))
			return -1;
	return 0;
}

/* How branches were predicted, at most as often as they are estimated to be taken. */
static int add_flags(struct branch_profile *p, const struct branch_profile *raw)
{
	const struct map_entry *from = NULL;

	while ((from = map_next(&raw->branches, (struct map_entry *)from))) {
		struct map_entry *to = from->m ? map_at(&p->branches, from->a, from->b) : NULL;

		if (from->m && !to)
			return -1;
		if (to)
			to->m = to->m + from->m < to->n ? to->m + from->m : to->n;
	}
	return 0;
}

static int add_raw(struct branch_profile *p, const struct branch_profile *raw)
{
	const struct map_entry *i;

	for (i = NULL; (i = map_next(&raw->branches, (struct map_entry *)i));)
		if (branch_profile_add_branch(p, i->a, i->b, i->n, i->m))
			return -1;
	for (i = NULL; (i = map_next(&raw->ranges, (struct map_entry *)i));)
		if (branch_profile_add_range(p, i->a, i->b, i->n))
			return -1;
	return 0;
}

static void note_result(struct aggregate_frequencies *f, const struct joint_traces *j,
			const struct frequencies_result *r)
{
	f->recordings += j->recordings;
	f->estimated += r->estimated ? j->recordings : 0;
	f->rated += r->rated ? j->recordings : 0;
	f->traces += j->traces.seen;
	f->starts = r->starts;
	f->middles = r->middles;
	f->sweeps = r->sweeps;
}

/* Does a timer begin the samples? Where phases last for longer than a trace, nothing of the traces
 * tells. */
static bool is_timed(const struct aggregate_result *result)
{
	const struct aggregate_event *event;

	vector_each (&result->events, event)
		if (event->counted && strstr(event->name, "clock"))
			return true;
	return false;
}

/* What the counts rest on; of several groups of recordings, what the largest one's do. */
static int find_evidence(const struct joint_traces *j, const struct frequencies_traces *traces,
			 const struct frequencies_result *r, struct aggregate_result *result)
{
	uint64_t *places = memory_alloc_array(j->places.count + 1, sizeof(*places));
	const struct evidence_input in = {traces, r->weights, places};
	struct evidence found = {.weighted = r->rated,
				 .biased = !r->rated &&
					   (r->estimated || !r->examined || is_timed(result))},
			*kept = &result->evidence;
	int rc = -1;

	for (size_t i = 0; places && i < j->places.count; i++) {
		const struct joint_branch *b = &j->places.items[i];

		places[i] = b->from.place.where == LOCATION_BINARY ? b->from.place.va
			    : b->to.place.where == LOCATION_BINARY ? b->to.place.va
								   : EVIDENCE_ELSEWHERE;
	}
	if (places)
		rc = evidence_find(&in, &found);
	if (!rc && found.weight > kept->weight) {
		struct evidence was = *kept;

		*kept = found;
		found = was;
	}
	evidence_deinit(&found);
	memory_free(places);
	return rc;
}

int joint_traces_estimate(const struct joint_traces *j, struct aggregate_result *result,
			  enum frequencies how)
{
	const struct traces *t = &j->traces;
	const struct frequencies_traces in = {
		.branches = j->branches.items,
		.branch_count = j->branches.count,
		.entries = t->entries.items,
		.entry_count = t->entries.count,
		.begins = t->begins.items,
		.firsts = t->firsts.items,
		.trace_count = t->begins.count,
		.weights = t->weights.items,
		.times = t->times.items,
	};
	struct branch_profile *p = &result->profile;
	struct frequencies_result r = {0};
	int rc = frequencies_estimate(&in, how, &r);

	if (!rc && r.examined)
		note_result(&result->frequencies, j, &r);
	if (!rc)
		rc = r.estimated ? add_result(p, j, &r) || add_flags(p, &j->raw)
				 : add_raw(p, &j->raw);
	if (!rc)
		rc = find_evidence(j, &in, &r, result);
	frequencies_deinit(&r);
	return rc ? -1 : 0;
}
