/* SPDX-License-Identifier: MIT */
/* From a recording's counts at raw addresses to the profile of one binary. */
#include "converter/samples/aggregate_private.h"

#include "base/map.h"
#include "base/order.h"
#include "converter/binary/binary.h"
#include "converter/samples/joint_traces.h"

/*
 * Which module of a recording the binary may be, where neither build-id nor name tells: the one
 * whose branches are best at home in its code. Asked for by --force only.
 */

struct best_module {
	struct binary *binary;
	const struct aggregate_result *result;
	struct map fitting; /* (module, 0) -> n = branches, m = samples */
};

/* Where @address would be in the binary; BRANCH_OUTSIDE if in no code of it. */
static uint64_t best_module_place(const struct best_module *s, const struct address_map *map,
				  uint64_t address)
{
	uint64_t va = address_map_to_va(map, &s->result->modules, s->binary, address);

	return va != BRANCH_OUTSIDE && binary_is_code(s->binary, va) ? va : BRANCH_OUTSIDE;
}

static int best_module_add_branch(struct best_module *s, const struct address_space *space,
				  const struct step *step)
{
	const struct address_map *map = address_space_find(space, step->from);
	uint64_t va = map ? best_module_place(s, map, step->from) : BRANCH_OUTSIDE;
	struct isa_insn insn;

	if (va == BRANCH_OUTSIDE || !binary_decode(s->binary, va, &insn) ||
	    (!isa_is_branch(insn.kind) && insn.kind != ISA_UNKNOWN))
		return 0;
	return map_add(&s->fitting, map->module, 0, step->n, 0);
}

static int best_module_add_sample(struct best_module *s, const struct address_space *space,
				  const struct map_entry *sample)
{
	const struct address_map *map = address_space_find(space, sample->a);

	if (!map || best_module_place(s, map, sample->a) == BRANCH_OUTSIDE)
		return 0;
	return map_add(&s->fitting, map->module, 0, 0, sample->n);
}

static int best_module_add_space(struct best_module *s, const struct address_space *space)
{
	const struct map_entry *sample = NULL;
	const struct step *step = NULL;

	while ((step = steps_next(&space->steps, step)))
		if (best_module_add_branch(s, space, step))
			return -1;
	while ((sample = map_next(&space->samples, (struct map_entry *)sample)))
		if (best_module_add_sample(s, space, sample))
			return -1;
	return 0;
}

/* Is @a a better answer than @b, which may be NULL? The smaller number, of those alike. */
static bool best_module_is_better(const struct map_entry *a, const struct map_entry *b)
{
	if (!b || a->n != b->n)
		return !b || a->n > b->n;
	return a->m != b->m ? a->m > b->m : a->a < b->a;
}

/* The module of @recording most of whose branches (samples, where there are none) begin at a branch
 * (in the code) of @result's binary; *module = -1 if none does. 0, or -1 without memory. */
static int best_module_find(const struct aggregate_result *result,
			    struct aggregate_recording *recording, int64_t *module)
{
	struct best_module s = {.binary = result->binary, .result = result};
	const struct map_entry *best = NULL;
	struct address_space **space;
	int rc = 0;

	vector_each (&recording->history.spaces, space)
		if (!rc)
			rc = best_module_add_space(&s, *space);
	for (struct map_entry *i = NULL; (i = map_next(&s.fitting, i));)
		if (best_module_is_better(i, best))
			best = i;
	*module = best ? (int64_t)best->a : -1;
	map_deinit(&s.fitting);
	return rc;
}

/* So many steps are looked up at once, while their places in the profile are fetched. */
#define BATCH 16

/* ---- which modules are the binary ---------------------------------------------------------- */

/* Neither build-id nor name tells, and any build will do. */
static int take_best_module(struct aggregate_result *r, struct aggregate_recording *recording)
{
	int64_t best;

	if (best_module_find(r, recording, &best))
		return -1;
	if (best < 0)
		return 0;
	r->shares.items[best].is_binary = true;
	r->match.other_build = best;
	module_match_add(&r->match, MATCH_OTHER_BUILD);
	return 0;
}

static int find_binary(struct aggregate_result *r, bool any_build,
		       struct aggregate_recording *recording)
{
	enum module_match_kind how = r->binary ? modules_match(&r->match, r->binary, &r->modules,
							       any_build)
					       : MATCH_NONE;

	while (r->shares.count < r->modules.items.count)
		if (!vector_push(&r->shares))
			return -1;
	for (size_t i = 0; i < r->modules.items.count; i++)
		r->shares.items[i].is_binary = r->binary
						       ? module_fits(how, r->binary, &r->modules, i)
						       : (int64_t)i == r->of_module;
	return how == MATCH_NONE && r->binary && any_build && !recording->own_addresses
		       ? take_best_module(r, recording)
		       : 0;
}

/* ---- from raw addresses to the binary's ---------------------------------------------------- */

struct resolver {
	struct aggregate_result *result;
	const struct aggregate_options *options;
	struct aggregate_recording *recording;
	struct branch_profile *profile; /* where branches and ranges go */
};

static uint64_t weighed(const struct resolver *r, uint64_t n)
{
	return resolve_weighed(n, r->recording->weight);
}

/* A branch that was taken @n times. */
static int add_branch(struct resolver *r, const struct location *from, const struct location *to,
		      uint64_t n)
{
	struct funnel *f = &r->result->funnel;
	bool from_in = from->where == LOCATION_BINARY, to_in = to->where == LOCATION_BINARY;

	if (from->module >= 0)
		r->result->shares.items[from->module].branches += n;
	if (from->module >= 0 && to->module >= 0 && from->module != to->module &&
	    map_add(&r->result->crossings, (uint64_t)from->module, (uint64_t)to->module, n, 0))
		return -1;
	if (from_in && to_in) {
		f->branches_inside += n;
	} else if (from->where == LOCATION_KERNEL || to->where == LOCATION_KERNEL) {
		f->branches_kernel += n;
		return 0;
	} else if (from_in) {
		f->branches_leaving += n;
	} else if (to_in) {
		f->branches_entering += n;
	} else {
		bool nothing = from->where == LOCATION_NOTHING || to->where == LOCATION_NOTHING;

		*(nothing ? &f->branches_unmapped : &f->branches_elsewhere) += n;
		return 0;
	}
	return branch_profile_add_branch(r->profile, from_in ? from->va : BRANCH_OUTSIDE,
					 to_in ? to->va : BRANCH_OUTSIDE, weighed(r, n), 0);
}

/* A range that was run through @n times, as mapped and in the binary. */
static int add_range(struct resolver *r, uint64_t first, uint64_t last, struct location begin,
		     struct location end, uint64_t n)
{
	struct funnel *f = &r->result->funnel;
	uint64_t *cause;

	f->ranges += n;
	if (last < first) {
		cause = &f->ranges_reversed;
	} else if (last - first > RANGE_BYTES_MAX) {
		cause = &f->ranges_too_long;
	} else if (begin.where == LOCATION_BINARY && end.where == LOCATION_BINARY) {
		cause = &f->ranges_kept;
		if (end.va < begin.va)
			cause = &f->ranges_reversed;
		else if (end.va - begin.va > RANGE_BYTES_MAX)
			cause = &f->ranges_too_long;
	} else if (begin.where == LOCATION_KERNEL || end.where == LOCATION_KERNEL) {
		cause = &f->ranges_kernel;
	} else if (begin.where == LOCATION_NOTHING || end.where == LOCATION_NOTHING) {
		cause = &f->ranges_unmapped;
	} else {
		cause = begin.module == end.module ? &f->ranges_elsewhere : &f->ranges_crossing;
	}
	*cause += n;
	if (cause != &f->ranges_kept)
		return 0;
	return branch_profile_add_range(r->profile, begin.va, end.va, weighed(r, n));
}

/* Add a branch's mispredictions. Branches that are not in the binary are left out. */
static int add_flags(struct resolver *r, struct locator *where, const struct map_entry *b)
{
	struct location from = locator_find(where, b->a), to = locator_find(where, b->b);
	bool from_in = from.where == LOCATION_BINARY, to_in = to.where == LOCATION_BINARY;
	struct map_entry *e;

	if ((!from_in && !to_in) || from.where == LOCATION_KERNEL || to.where == LOCATION_KERNEL)
		return 0;
	e = map_at(&r->profile->branches, from_in ? from.va : BRANCH_OUTSIDE,
		   to_in ? to.va : BRANCH_OUTSIDE);
	if (!e)
		return -1;
	e->m += weighed(r, b->m);
	return 0;
}

static uint64_t profile_va(const struct location *l)
{
	return l->where == LOCATION_BINARY ? l->va : BRANCH_OUTSIDE;
}

/* How a branch that begins in the binary was predicted. */
static int add_outcome(struct resolver *r, struct locator *where, const struct map_entry *b)
{
	struct location from = locator_find(where, b->a), to = locator_find(where, b->b);

	if (from.where != LOCATION_BINARY || to.where == LOCATION_KERNEL)
		return 0;
	return branch_details_add_outcome(&r->result->details, from.va, profile_va(&to),
					  weighed(r, b->n), weighed(r, b->m));
}

static int add_latency(struct resolver *r, struct locator *where, const struct map_entry *entry,
		       struct map *to)
{
	struct branch_latency l = branch_details_latency(entry);
	struct location begin = locator_find(where, l.begin), end = locator_find(where, l.end);

	if (begin.where != LOCATION_BINARY || end.where != LOCATION_BINARY)
		return 0;
	l.begin = begin.va;
	l.end = end.va;
	return branch_details_add_latency(to, &l, weighed(r, entry->n));
}

/* Times of the paths that begin at an address. */
static int add_paths(struct resolver *r, struct locator *where, const struct map *from,
		     struct map *to)
{
	const struct map_entry *i = NULL;

	while ((i = map_next(from, (struct map_entry *)i))) {
		struct location begin = locator_find(where, i->a);

		if (begin.where == LOCATION_BINARY &&
		    branch_details_add_path(to, begin.va, weighed(r, i->n), weighed(r, i->m)))
			return -1;
	}
	return 0;
}

static int add_details(struct resolver *r, struct locator *where, const struct branch_details *d)
{
	struct branch_details *all = &r->result->details;
	const struct map_entry *i;

	for (i = NULL; (i = map_next(&d->outcomes, (struct map_entry *)i));)
		if (add_outcome(r, where, i))
			return -1;
	for (i = NULL; (i = map_next(&d->latencies, (struct map_entry *)i));)
		if (add_latency(r, where, i, &all->latencies))
			return -1;
	for (i = NULL; (i = map_next(&d->iterations, (struct map_entry *)i));)
		if (add_latency(r, where, i, &all->iterations))
			return -1;
	for (i = NULL; (i = map_next(&d->loads, (struct map_entry *)i));)
		if (add_latency(r, where, i, &all->loads))
			return -1;
	return add_paths(r, where, &d->model, &all->model) ||
			       add_paths(r, where, &d->timed, &all->timed) ||
			       add_paths(r, where, &d->timed_model, &all->timed_model)
		       ? -1
		       : 0;
}

/* A step's addresses in the binary. */
struct step_places {
	const struct step *step;
	struct location from, to, next;
};

static void find_places(struct resolver *r, struct locator *where, struct step_places *p)
{
	p->from = locator_find(where, p->step->from);
	p->to = locator_find(where, p->step->to);
	map_expect(&r->profile->branches, p->from.va, p->to.va);
	if (p->step->next == STEP_LAST)
		return;
	p->next = locator_find(where, p->step->next);
	map_expect(&r->profile->ranges, p->to.va, p->next.va);
}

/* Note when code at @at ran in the space, since the program began there. */
static int add_first_run(struct resolver *r, const struct address_space *space,
			 const struct location *at, uint64_t ns)
{
	uint64_t begin = space->exec_ns ? space->exec_ns : r->recording->history.first_ns;
	struct map_entry *e;

	if (at->where != LOCATION_BINARY)
		return 0;
	e = map_at(&r->result->first_runs, at->va, 0);
	if (!e)
		return -1;
	e->n = order_least_known(e->n, ns > begin ? ns - begin + 1 : 1);
	return 0;
}

static int add_step(struct resolver *r, const struct address_space *space,
		    const struct step_places *p)
{
	const struct step *s = p->step;

	if (add_branch(r, &p->from, &p->to, s->n))
		return -1;
	/* it arrives before the next one is taken, which is a nanosecond later: branch_stacks.c */
	if (s->first_ns && (add_first_run(r, space, &p->from, s->first_ns) ||
			    add_first_run(r, space, &p->to, s->first_ns + 1)))
		return -1;
	return s->next == STEP_LAST ? 0 : add_range(r, s->to, s->next, p->to, p->next, s->n);
}

static int add_steps(struct resolver *r, struct locator *where, const struct address_space *space)
{
	struct step_places batch[BATCH];
	const struct step *step = NULL;
	unsigned n;

	do {
		for (n = 0; n < BATCH && (step = steps_next(&space->steps, step)); n++) {
			batch[n].step = step;
			find_places(r, where, &batch[n]);
		}
		for (unsigned i = 0; i < n; i++)
			if (add_step(r, space, &batch[i]))
				return -1;
	} while (n == BATCH);
	return 0;
}

static int add_sample(struct resolver *r, struct locator *where, const struct map_entry *sample)
{
	struct location p = locator_find(where, sample->a);

	if (p.module >= 0)
		r->result->shares.items[p.module].samples += sample->n;
	if (p.where != LOCATION_BINARY)
		return 0;
	r->result->funnel.samples_in_binary += sample->n;
	return branch_profile_add_event(
		&r->result->profile, p.va, sample->b,
		weighed(r, r->options->by_period ? sample_times_scaled(&r->recording->history.times,
								       sample->b, sample->m)
						 : sample->n),
		weighed(r, sample->n));
}

/* Add the counts of a space to the profile; the @last time they are freed. */
static int add_space(struct resolver *r, struct address_space *s, bool last)
{
	struct locator where;
	struct map_entry *i;

	locator_init(&where, r->result, r->recording, s);
	if (add_steps(r, &where, s))
		return -1;
	if (last)
		steps_deinit(&s->steps);
	for (i = NULL; (i = map_next(&s->branches, i));)
		if (add_flags(r, &where, i))
			return -1;
	for (i = NULL; (i = map_next(&s->ranges, i));) {
		struct location begin = locator_find(&where, i->a),
				end = locator_find(&where, i->b);

		if (add_range(r, i->a, i->b, begin, end, i->n))
			return -1;
	}
	for (i = NULL; (i = map_next(&s->samples, i));)
		if (add_sample(r, &where, i))
			return -1;
	for (i = NULL; (i = map_next(&s->firsts, i));) {
		struct location at = locator_find(&where, i->a);

		if (add_first_run(r, s, &at, i->n))
			return -1;
	}
	return s->details ? add_details(r, &where, s->details) : 0;
}

/* ---- the calls ----------------------------------------------------------------------------- */

uint64_t resolve_weighed(uint64_t n, uint64_t weight)
{
	uint64_t product;

	return __builtin_mul_overflow(n, weight, &product) ? UINT64_MAX : product;
}

int resolve_recording(struct aggregate_result *result, const struct aggregate_options *options,
		      struct aggregate_recording *recording, bool last)
{
	struct resolver r = {result, options, recording, &result->profile};
	struct joint_traces *joint;
	struct address_space **s;
	int rc;

	if (find_binary(result, options->any_build, recording))
		return -1;
	for (size_t i = 0; result->binary && i < result->shares.count; i++)
		if (result->shares.items[i].is_binary &&
		    address_history_judge_copies(&recording->history, &result->modules, i,
						 result->binary))
			return -1;
	rc = joint_traces_add(result, recording, options->frequencies, last, &joint);
	if (joint)
		r.profile = &joint->raw;
	vector_each (&recording->history.spaces, s) {
		if (!rc)
			rc = add_space(&r, *s, last);
	}
	if (!rc && options->resolve_values)
		rc = options->resolve_values(result, recording);
	return rc;
}
