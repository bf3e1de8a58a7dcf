/* SPDX-License-Identifier: MIT */
/* From counts at raw addresses to the profile of one binary. */
#include <string.h>

#include "base/error.h"
#include "base/file.h"
#include "base/memory.h"
#include "converter/samples/resolve.h"
#include "converter/samples/resolve_traces.h"
#include "converter/binary/linux_kernel.h"
#include "converter/samples/locator.h"

/* So many steps are looked up at once, while their places in the profile are fetched. */
#define BATCH 16

/* ---- which modules are the binary ---------------------------------------------------------- */

/* The kernel marks files that were replaced while they ran. Ours is a copy, if it has the name. */
static size_t length_without_mark(const char *path)
{
	static const char mark[] = " (deleted)";
	size_t length = strlen(path), of_mark = sizeof(mark) - 1;

	return length > of_mark && !strcmp(path + length - of_mark, mark) ? length - of_mark
									  : length;
}

/* Our file may be compressed, as kernel modules are. */
static bool same_base_name(const char *ours, const char *theirs)
{
	static const char *const packed[] = {"", ".gz", ".xz", ".zst"};
	size_t length = length_without_mark(theirs);

	if (strncmp(ours, theirs, length) != 0)
		return false;
	for (size_t i = 0; i < sizeof(packed) / sizeof(*packed); i++)
		if (!strcmp(ours + length, packed[i]))
			return true;
	return false;
}

static bool same_name(const struct aggregate *a, size_t module, bool whole_path)
{
	const char *ours = binary_path(a->binary), *theirs = modules_path(&a->modules, module);

	if (whole_path)
		return !strcmp(ours, theirs);
	return same_base_name(file_base_name(ours), file_base_name(theirs)) ||
	       linux_kernel_is_name_of(a->binary, theirs);
}

static bool fits(struct aggregate *a, size_t module, enum aggregate_match how)
{
	const struct build_id *ours = binary_build_id(a->binary);
	const struct build_id *theirs = &a->modules.items.items[module].build_id;

	if (how == AGGREGATE_MATCH_BUILD_ID)
		return branch_profile_same_build(ours, theirs);
	if (!same_name(a, module, how == AGGREGATE_MATCH_PATH))
		return false;
	if (!ours->size || !theirs->size || how == AGGREGATE_MATCH_OTHER_BUILD)
		return true;
	a->other_build = (int64_t)module;
	return false;
}

/* Mark the binary among the modules: by build-id if that finds one, else by path, else by name. */
static int find_binary(struct aggregate *a)
{
	enum aggregate_match how, last = a->options.any_build ? AGGREGATE_MATCH_OTHER_BUILD
							      : AGGREGATE_MATCH_BASE_NAME;
	bool found = false;

	while (a->shares.count < a->modules.items.count)
		if (!vector_push(&a->shares))
			return -1;
	for (how = AGGREGATE_MATCH_BUILD_ID; a->binary && how <= last; how++) {
		for (size_t i = 0; i < a->modules.items.count; i++) {
			a->shares.items[i].is_binary = fits(a, i, how);
			found |= a->shares.items[i].is_binary;
		}
		if (found)
			break;
	}
	if (found && how > a->match)
		a->match = how;
	return 0;
}

/* ---- from raw addresses to the binary's ---------------------------------------------------- */

/* A branch that was taken @n times. */
static int add_branch(struct aggregate *a, const struct location *from, const struct location *to,
		      uint64_t n)
{
	struct funnel *f = &a->funnel;
	bool from_in = from->where == LOCATION_BINARY, to_in = to->where == LOCATION_BINARY;

	if (from->module >= 0)
		a->shares.items[from->module].branches += n;
	if (from->module >= 0 && to->module >= 0 && from->module != to->module) {
		struct map_entry *crossing = map_at(&a->crossings, (uint64_t)from->module,
						    (uint64_t)to->module);

		if (!crossing)
			return -1;
		crossing->n += n;
	}
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
	if (a->estimated)
		return 0;
	return branch_profile_add_branch(&a->profile, from_in ? from->va : BRANCH_OUTSIDE,
					 to_in ? to->va : BRANCH_OUTSIDE, resolve_weighed(a, n), 0);
}

/* A range that was run through @n times, as mapped and in the binary. */
static int add_range(struct aggregate *a, uint64_t first, uint64_t last, struct location begin,
		     struct location end, uint64_t n)
{
	struct funnel *f = &a->funnel;
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
	if (cause != &f->ranges_kept || a->estimated)
		return 0;
	return branch_profile_add_range(&a->profile, begin.va, end.va, resolve_weighed(a, n));
}

/* What of a branch is beside its count: mispredictions. Those of branches that are not in the
 * binary are of no interest. */
static int add_flags(struct aggregate *a, struct place_finder *where, const struct map_entry *b)
{
	struct location from = locator_find(where, b->a), to = locator_find(where, b->b);
	bool from_in = from.where == LOCATION_BINARY, to_in = to.where == LOCATION_BINARY;
	struct map_entry *e;

	if ((!from_in && !to_in) || from.where == LOCATION_KERNEL || to.where == LOCATION_KERNEL)
		return 0;
	e = map_at(&a->profile.branches, from_in ? from.va : BRANCH_OUTSIDE,
		   to_in ? to.va : BRANCH_OUTSIDE);
	if (!e)
		return -1;
	e->m += resolve_weighed(a, b->m);
	if (a->estimated && e->m > e->n)
		e->m = e->n;
	return 0;
}

/* A step's addresses in the binary. */
struct step_places {
	const struct step *step;
	struct location from, to, next;
};

static void find_places(struct aggregate *a, struct place_finder *where, struct step_places *p)
{
	p->from = locator_find(where, p->step->from);
	p->to = locator_find(where, p->step->to);
	map_expect(&a->profile.branches, p->from.va, p->to.va);
	if (p->step->next == STEP_LAST)
		return;
	p->next = locator_find(where, p->step->next);
	map_expect(&a->profile.ranges, p->to.va, p->next.va);
}

static int add_step(struct aggregate *a, const struct step_places *p)
{
	const struct step *s = p->step;

	if (add_branch(a, &p->from, &p->to, s->n))
		return -1;
	return s->next == STEP_LAST ? 0 : add_range(a, s->to, s->next, p->to, p->next, s->n);
}

static int add_steps(struct aggregate *a, struct place_finder *where, const struct steps *steps)
{
	struct step_places batch[BATCH];
	const struct step *step = NULL;
	unsigned n;

	do {
		for (n = 0; n < BATCH && (step = steps_next(steps, step)); n++) {
			batch[n].step = step;
			find_places(a, where, &batch[n]);
		}
		for (unsigned i = 0; i < n; i++)
			if (add_step(a, &batch[i]))
				return -1;
	} while (n == BATCH);
	return 0;
}

static int add_sample(struct aggregate *a, const struct address_history *h,
		      struct place_finder *where, const struct map_entry *sample)
{
	struct location p = locator_find(where, sample->a);

	if (p.module >= 0)
		a->shares.items[p.module].samples += sample->n;
	if (p.where != LOCATION_BINARY)
		return 0;
	a->funnel.samples_in_binary += sample->n;
	return branch_profile_add_event(
		&a->profile, p.va, sample->b,
		resolve_weighed(a, a->options.by_period
					   ? sample_times_scaled(&h->times, sample->b, sample->m)
					   : sample->n),
		resolve_weighed(a, sample->n));
}

/* What was counted in a space goes to the profile, and the @last time out of memory. */
static int add_space(struct aggregate *a, struct address_history *h, struct address_space *s,
		     bool last)
{
	struct place_finder where;
	struct map_entry *i;

	locator_init(&where, a, h, s);
	if (add_steps(a, &where, &s->steps))
		return -1;
	if (last)
		steps_deinit(&s->steps);
	for (i = NULL; (i = map_next(&s->branches, i));)
		if (add_flags(a, &where, i))
			return -1;
	for (i = NULL; (i = map_next(&s->ranges, i));) {
		struct location begin = locator_find(&where, i->a),
				end = locator_find(&where, i->b);

		if (add_range(a, i->a, i->b, begin, end, i->n))
			return -1;
	}
	for (i = NULL; (i = map_next(&s->samples, i));)
		if (add_sample(a, h, &where, i))
			return -1;
	return 0;
}

uint64_t resolve_weighed(const struct aggregate *a, uint64_t n)
{
	uint64_t product;

	return __builtin_mul_overflow(n, a->weight, &product) ? UINT64_MAX : product;
}

/* ---- the calls ----------------------------------------------------------------------------- */

int resolve_history(struct aggregate *a, struct address_history *h, bool last)
{
	struct address_space **s;

	int rc;

	if (find_binary(a))
		return -1;
	rc = resolve_traces(a, h);
	vector_each (&h->spaces, s) {
		if (!rc)
			rc = add_space(a, h, *s, last);
	}
	a->estimated = false;
	return rc;
}

int resolve_binary(struct aggregate *a, struct aggregate *counted, struct binary *binary,
		   struct softlbr_error *e)
{
	struct aggregate_kept *kept;
	int rc = aggregate_init(a, binary, &counted->options, e);

	if (rc)
		return rc;
	modules_deinit(&a->modules);
	a->modules = counted->modules;
	a->borrows = true;
	a->funnel = counted->funnel;
	a->recordings = counted->recordings;
	a->all_softlbr = counted->all_softlbr;
	memcpy(a->cpu, counted->cpu, sizeof(a->cpu));
	memcpy(&a->events, &counted->events, sizeof(a->events));
	vector_each (&counted->kept, kept) {
		a->weight = kept->weight;
		if (resolve_history(a, &kept->history, false))
			return error_set_nomem(e);
	}
	return 0;
}
