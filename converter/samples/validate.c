/* SPDX-License-Identifier: MIT */
#include "converter/samples/validate.h"

#include "base/error.h"
#include "base/memory.h"
#include "base/vector.h"
#include "converter/binary/code.h"

struct segment {
	uint64_t begin, end;
};

/* An address; function and code are NULL where there is none, index CODE_NONE where no instruction
 * begins. */
struct spot {
	uint64_t va;
	const struct binary_function *function;
	const struct code *code;
	size_t index;
	bool known;
};

struct checker {
	struct binary *binary;
	struct code_cache *cache;
	VECTOR(struct segment) segments; /* of the range being checked */
	/* Targets of direct branches into what the sweep takes for one instruction, as glibc does
	 * to jump over a lock prefix. */
	struct map inner_starts;
	bool failed;	  /* out of memory */
	struct spot spot; /* asked last */
};

enum range_outcome { RANGE_WHOLE, RANGE_CUT, RANGE_NOWHERE, RANGE_NO_CODE, RANGE_END_INSIDE };

double validate_branch_share(const struct validate_stats *s)
{
	uint64_t in = s->branches.in - s->branches.system_calls;

	return in ? (double)s->branches.valid / (double)in : 1;
}

double validate_range_share(const struct validate_stats *s)
{
	return s->ranges.in ? (double)s->ranges.whole / (double)s->ranges.in : 1;
}

/* The instruction at @va; the one asked for last is remembered. */
static const struct spot *spot_at(struct checker *c, uint64_t va)
{
	struct spot *s = &c->spot;

	if (s->known && s->va == va)
		return s;
	*s = (struct spot){.va = va, .known = true, .index = CODE_NONE};
	s->function = binary_function_at(c->binary, va);
	if (!s->function)
		return s;
	s->code = code_cache_get(c->cache, s->function);
	if (s->code)
		s->index = code_find(s->code, va);
	else
		c->failed = true;
	return s;
}

/* The instruction at @va, from the function's sweep if it is there. */
static bool instruction_at(struct checker *c, uint64_t va, struct isa_insn *out)
{
	const struct spot *s = spot_at(c, va);

	if (s->index == CODE_NONE)
		return binary_decode(c->binary, va, out);
	*out = s->code->insns[s->index];
	return true;
}

/*
 * Can an indirect transfer arrive at @va? In a function that decodes without a gap only the
 * instructions of the sweep are starts; elsewhere any bytes that decode may be one.
 */
static bool can_arrive(struct checker *c, uint64_t va)
{
	const struct spot *s = spot_at(c, va);
	struct isa_insn insn;

	if (s->index != CODE_NONE)
		return true;
	return (!s->code || s->code->gaps) && binary_decode(c->binary, va, &insn);
}

/* Can a direct branch's own target be arrived at? Whatever decodes there is code. */
static bool can_arrive_directly(struct checker *c, uint64_t va)
{
	struct isa_insn insn;

	if (can_arrive(c, va))
		return true;
	if (!binary_decode(c->binary, va, &insn))
		return false;
	c->failed |= !map_at(&c->inner_starts, va, 0);
	return true;
}

/* A direct jump or call that leaves the module does so through code without a function: a PLT. */
static bool can_leave(struct checker *c, const struct isa_insn *insn)
{
	if (insn->kind == ISA_JUMP_CONDITIONAL)
		return false;
	return insn->kind != ISA_JUMP && insn->kind != ISA_CALL
		       ? true
		       : !binary_function_at(c->binary, insn->target);
}

/* The counter of stats->branches that a branch falls under. */
static uint64_t *judge_branch(struct checker *c, uint64_t from, uint64_t to,
			      struct validate_stats *stats)
{
	struct isa_insn insn;

	if (from == BRANCH_OUTSIDE)
		return can_arrive(c, to) ? &stats->branches.valid : &stats->branches.to_no_code;
	if (!instruction_at(c, from, &insn))
		return &stats->branches.from_no_code;
	if (insn.kind == ISA_UNKNOWN)
		return to == BRANCH_OUTSIDE || can_arrive(c, to) ? &stats->branches.valid
								 : &stats->branches.to_no_code;
	if (insn.kind == ISA_SYSCALL && to == BRANCH_OUTSIDE)
		return &stats->branches.system_calls;
	if (!isa_is_branch(insn.kind))
		return &stats->branches.from_no_branch;
	if (to == BRANCH_OUTSIDE)
		return can_leave(c, &insn) ? &stats->branches.valid : &stats->branches.wrong_target;
	if (insn.kind == ISA_JUMP || insn.kind == ISA_JUMP_CONDITIONAL || insn.kind == ISA_CALL) {
		if (to != insn.target)
			return &stats->branches.wrong_target;
		return can_arrive_directly(c, to) ? &stats->branches.valid
						  : &stats->branches.to_no_code;
	}
	return can_arrive(c, to) ? &stats->branches.valid : &stats->branches.to_no_code;
}

static int check_branches(struct checker *c, const struct branch_profile *raw,
			  struct branch_profile *clean, struct validate_stats *stats)
{
	for (struct map_entry *b = NULL; (b = map_next(&raw->branches, b));) {
		uint64_t *counter = judge_branch(c, b->a, b->b, stats);

		stats->branches.in += b->n;
		*counter += b->n;
		if (c->failed || (counter == &stats->branches.valid &&
				  branch_profile_add_branch(clean, b->a, b->b, b->n, b->m)))
			return -1;
	}
	return 0;
}

static void add_segment(struct checker *c, uint64_t begin, uint64_t end)
{
	if (vector_add(&c->segments, (struct segment){begin, end}))
		c->failed = true;
}

/*
 * How far control can run from @at in one step: *last is the instruction where the step stops, the
 * first that may not run on in the function's sweep, or just the next one outside it. False if
 * there is no instruction at @at.
 */
static bool run_on(struct checker *c, const struct spot *at, uint64_t end, struct isa_insn *last)
{
	const struct code *code = at->code;

	if (at->index == CODE_NONE)
		return binary_decode(c->binary, at->va, last);
	*last = code->insns[code->stops[at->index]];
	if (end <= last->address) {
		size_t j = code_find(code, end);

		if (j != CODE_NONE)
			*last = code->insns[j];
	}
	return true;
}

/* Walk a range; fills c->segments with what the code can run through, function by function. */
static enum range_outcome walk_range(struct checker *c, uint64_t begin, uint64_t end)
{
	const struct binary_function *f = spot_at(c, begin)->function;
	uint64_t at = begin, segment_begin = begin, previous = begin;

	if (!can_arrive(c, begin) && !map_find(&c->inner_starts, begin, 0))
		return RANGE_NOWHERE;
	for (;;) {
		const struct spot *here = spot_at(c, at);
		struct isa_insn last;

		if (here->function != f) {
			add_segment(c, segment_begin, previous);
			segment_begin = at;
			f = here->function;
		}
		if (!run_on(c, here, end, &last))
			return RANGE_NO_CODE;
		if (last.address > end || c->failed)
			return RANGE_END_INSIDE;
		previous = last.address;
		if (previous == end || code_stops(last.kind)) {
			add_segment(c, segment_begin, previous);
			return previous == end ? RANGE_WHOLE : RANGE_CUT;
		}
		at = last.address + last.length;
		if (at > end)
			return RANGE_END_INSIDE;
	}
}

static int check_range(struct checker *c, const struct map_entry *r, struct branch_profile *clean,
		       struct validate_stats *stats)
{
	const struct segment *p;

	stats->ranges.in += r->n;
	if (r->b < r->a || r->b - r->a > RANGE_BYTES_MAX) {
		stats->ranges.backwards += r->n;
		return 0;
	}
	c->segments.count = 0;
	switch (walk_range(c, r->a, r->b)) {
	case RANGE_WHOLE:
		stats->ranges.whole += r->n;
		break;
	case RANGE_CUT:
		stats->ranges.cut += r->n;
		break;
	case RANGE_NOWHERE:
		stats->ranges.begin_nowhere += r->n;
		return 0;
	case RANGE_NO_CODE:
		stats->ranges.no_code += r->n;
		return 0;
	case RANGE_END_INSIDE:
		stats->ranges.end_inside += r->n;
		return 0;
	}
	stats->ranges.split += c->segments.count > 1 ? r->n : 0;
	vector_each (&c->segments, p)
		if (branch_profile_add_range(clean, p->begin, p->end, r->n))
			return -1;
	return 0;
}

static int check_ranges(struct checker *c, const struct branch_profile *raw,
			struct branch_profile *clean, struct validate_stats *stats)
{
	for (struct map_entry *r = NULL; (r = map_next(&raw->ranges, r));)
		if (check_range(c, r, clean, stats) || c->failed)
			return -1;
	return 0;
}

static int copy_samples(struct checker *c, const struct branch_profile *raw,
			struct branch_profile *clean, struct validate_stats *stats)
{
	for (struct map_entry *s = NULL; (s = map_next(&raw->samples, s));) {
		stats->samples.in += s->n;
		if (!binary_is_code(c->binary, s->a)) {
			stats->samples.outside += s->n;
			continue;
		}
		stats->samples.kept += s->n;
		if (branch_profile_add_event(clean, s->a, s->b, s->n, s->m))
			return -1;
	}
	return 0;
}

int validate_profile(struct binary *b, const struct branch_profile *raw,
		     struct branch_profile *clean, struct validate_stats *stats,
		     struct softlbr_error *e)
{
	struct checker c = {.binary = b};
	int rc = -1;

	*stats = (struct validate_stats){0};
	c.cache = code_cache_new(b);
	if (!c.cache)
		return error_set_nomem(e);
	if (!clean->path && raw->path) {
		clean->path = memory_copy_string(raw->path);
		if (!clean->path)
			goto out;
	}
	clean->build_id = raw->build_id;
	if (map_reserve(&clean->branches, raw->branches.count) ||
	    map_reserve(&clean->ranges, raw->ranges.count))
		goto out;
	rc = check_branches(&c, raw, clean, stats)
	       ?: check_ranges(&c, raw, clean, stats)
	       ?: copy_samples(&c, raw, clean, stats);
out:
	vector_deinit(&c.segments);
	map_deinit(&c.inner_starts);
	code_cache_free(c.cache);
	return rc ? error_set_nomem(e) : 0;
}
