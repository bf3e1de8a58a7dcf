/* SPDX-License-Identifier: MIT */
/*
 * Which branches are calls, and how often each function was entered.
 *
 * Do a profile's ranges and branches tell the same story? What runs into a jump or a call
 * leaves by it, so that no such instruction ends more ranges than it was taken times. Where the two
 * come from different places, or one of them is shifted or incomplete, it does. Conditional
 * branches don't tell: exact counts of instructions come as ranges that end there taken or not.
 */
#include "converter/source/attribute_private.h"

#include <string.h>

#include "base/order.h"
#include "formats/model/source_profile.h"

size_t attribute_calls_whole(const struct binary_function *f)
{
	size_t length = source_name_length(f->name, SOURCE_NAMES_GCC);
	const char *part;

	/* GCC's partial inlining makes .part.N, which is called, and whose callers are entries of
	 * the whole; only .cold and LLVM's basic block sections are reached by jumps of their own
	 * function alone. */
	part = strstr(f->name + length, ".cold");
	if (!part)
		part = strstr(f->name + length, ".__part.");
	return part ? (size_t)(part - f->name) : 0;
}

bool attribute_calls_is_part(const struct binary_function *f)
{
	return attribute_calls_whole(f);
}

/* Linkers put one into a far call's way, and name it after where it leads: ld __NAME_veneer, LLD
 * __AArch64ADRPThunk_NAME and the like. */
static bool is_veneer(const char *name)
{
	size_t length = strlen(name);

	return (!strncmp(name, "__", 2) && length > 9 && !strcmp(name + length - 7, "_veneer")) ||
	       (!strncmp(name, "__AArch64", 9) && strstr(name, "Thunk_"));
}

/* The function at @va that somebody wrote: neither a PLT stub nor a veneer. */
static const struct binary_function *written_at(struct binary *b, uint64_t va)
{
	const struct binary_function *f = binary_function_at(b, va);

	return f && !is_veneer(f->name) ? f : NULL;
}

enum arrival {
	ARRIVAL_NONE,
	ARRIVAL_CALL,  /* entered, from a place that can be told */
	ARRIVAL_ENTRY, /* entered, but not by a call of this module's functions */
	ARRIVAL_LOOP,  /* a jump within the function */
};

static enum arrival kind_of_arrival(struct binary *b, uint64_t from,
				    const struct binary_function *callee)
{
	const struct binary_function *caller;
	struct isa_insn insn;

	if (from == BRANCH_OUTSIDE)
		return ARRIVAL_ENTRY;
	if (!binary_decode(b, from, &insn) || insn.kind == ISA_RETURN)
		return ARRIVAL_NONE;
	caller = written_at(b, from);
	if (!caller)
		return ARRIVAL_ENTRY; /* a PLT stub, a veneer, or code without a symbol */
	if (source_name_is_part_of(callee->name, caller->name))
		return ARRIVAL_LOOP; /* a function goes to its own part, called or not */
	if (isa_is_call(insn.kind))
		return ARRIVAL_CALL;
	if (!isa_is_branch(insn.kind) && insn.kind != ISA_UNKNOWN)
		return ARRIVAL_NONE;
	if (caller == callee || source_name_is_part_of(caller->name, callee->name))
		return ARRIVAL_LOOP;
	return ARRIVAL_CALL;
}

/* More instructions than any PLT stub or veneer has in front of its jump. */
#define STUB_INSNS_MAX 8

/* Where does the code at @va, which nobody wrote, jump through a pointer, or out of a veneer? */
static uint64_t jump_of_stub(struct binary *b, uint64_t va)
{
	struct isa_insn insn;

	for (unsigned i = 0;
	     i < STUB_INSNS_MAX && !written_at(b, va) && binary_decode(b, va, &insn);
	     i++, va += insn.length)
		if (isa_is_branch(insn.kind))
			return insn.kind == ISA_JUMP_INDIRECT ||
					       (insn.kind == ISA_JUMP && binary_function_at(b, va))
				       ? va
				       : BRANCH_OUTSIDE;
	return BRANCH_OUTSIDE;
}

/*
 * Veneers, and PLT stubs of functions of this very module: a call of the stub is one of that
 * function. Where the stub was seen to lead says so, since another module may define the name too,
 * and stubs of IFUNCs have no name at all. By the address of the stub's jump.
 */
static int find_stubs(struct map *stubs, struct binary *b, const struct branch_profile *clean)
{
	for (struct map_entry *e = NULL; (e = map_next(&clean->branches, e));) {
		const struct binary_function *f;
		struct map_entry *stub;

		if (e->a == BRANCH_OUTSIDE || e->b == BRANCH_OUTSIDE || !e->n ||
		    jump_of_stub(b, e->a) != e->a)
			continue;
		f = written_at(b, e->b);
		if (!f || f->begin != e->b)
			continue;
		stub = map_at(stubs, e->a, 0);
		if (!stub)
			return -1;
		if (e->n > stub->m || (e->n == stub->m && e->b < stub->n)) {
			stub->n = e->b;
			stub->m = e->n;
		}
	}
	return 0;
}

/* NULL: @va is no stub that was seen to lead to a function. */
static const struct map_entry *stub_at(struct binary *b, const struct map *stubs, uint64_t va)
{
	uint64_t jump = stubs->count && va != BRANCH_OUTSIDE ? jump_of_stub(b, va) : BRANCH_OUTSIDE;

	return jump == BRANCH_OUTSIDE ? NULL : map_find(stubs, jump, 0);
}

/* A call by way of such a stub: a target of its place; the stub's own jump is the entry. */
static int add_call_of_stub(struct attribute_calls *c, struct binary *b, const struct map *stubs,
			    const struct map_entry *branch)
{
	const struct map_entry *stub = stub_at(b, stubs, branch->b);
	struct isa_insn insn;

	if (!stub || branch->a == BRANCH_OUTSIDE || !written_at(b, branch->a) ||
	    !binary_decode(b, branch->a, &insn) || insn.kind == ISA_RETURN)
		return 0;
	return vector_add(&c->list, (struct attribute_call){branch->a, branch->n,
							    binary_function_at(b, stub->n)});
}

static int add_arrival(struct attribute_calls *c, struct binary *b, const struct map_entry *branch,
		       const struct binary_function *callee)
{
	enum arrival kind = kind_of_arrival(b, branch->a, callee);
	struct map_entry *entry;

	if (kind == ARRIVAL_NONE)
		return 0;
	entry = map_at(&c->entries, callee->begin, 0);
	if (!entry)
		return -1;
	if (kind == ARRIVAL_LOOP) {
		entry->m = source_count_add(entry->m, branch->n);
		return 0;
	}
	entry->n = source_count_add(entry->n, branch->n);
	if (kind == ARRIVAL_ENTRY)
		return 0;
	return vector_add(&c->list, (struct attribute_call){branch->a, branch->n, callee});
}

/*
 * Who is left for a caller was entered by it. Where that was by a way that no trace shows (a
 * signal, code that was not recorded), the exit is one too: to another module, or to a first
 * instruction, which nothing calls from just before.
 */
static int count_exit(struct attribute_calls *c, struct binary *b, const struct map_entry *branch,
		      const struct binary_function *to)
{
	const struct binary_function *from;
	struct map_entry *exits;
	struct isa_insn insn;

	if (branch->a == BRANCH_OUTSIDE || !to || !binary_decode(b, branch->a, &insn))
		return 0;
	from = binary_function_at(b, branch->a);
	if (insn.kind == ISA_RETURN && to->begin == branch->b)
		from = to;
	else if (!from ||
		 (insn.kind != ISA_RETURN && (from == to || to->begin != branch->b ||
					      isa_is_call(insn.kind) || !isa_is_branch(insn.kind))))
		return 0;
	exits = map_at(&c->exits, from->begin, 0);
	if (!exits)
		return -1;
	exits->m |= from == to && to->begin == branch->b;
	exits->n = source_count_add(exits->n, branch->n);
	return 0;
}

/* For the share of calls that arrive where calls must: a profile of another binary, or at shifted
 * addresses, fails that. */
static void count_call(struct binary *b, const struct map *stubs, const struct map_entry *branch,
		       bool to_function, struct attribute_stats *stats)
{
	struct isa_insn insn;
	uint64_t stub;

	if (branch->a == BRANCH_OUTSIDE || branch->b == BRANCH_OUTSIDE ||
	    !binary_decode(b, branch->a, &insn) || !isa_is_call(insn.kind))
		return;
	stats->calls = source_count_add(stats->calls, branch->n);
	if (to_function || binary_plt_at(b, branch->b, &stub) || stub_at(b, stubs, branch->b)) {
		stats->calls_to_function = source_count_add(stats->calls_to_function, branch->n);
		stats->call_sites += to_function;
	}
}

ORDER_BY(by_from, struct attribute_call, ORDER_UP(from) ?: ORDER_UP(callee));

int attribute_calls_collect(struct attribute_calls *c, struct binary *b,
			    const struct branch_profile *clean, struct attribute_stats *stats)
{
	struct map_entry *branch = NULL;
	struct map stubs = {0};
	int rc = find_stubs(&stubs, b, clean);

	while (!rc && (branch = map_next(&clean->branches, branch))) {
		const struct binary_function *callee = branch->b == BRANCH_OUTSIDE
							       ? NULL
							       : written_at(b, branch->b);

		rc = count_exit(c, b, branch, callee);
		if (rc)
			break;
		if (callee && callee->begin != branch->b)
			callee = NULL;
		count_call(b, &stubs, branch, callee, stats);
		if (callee && branch->n)
			rc = add_arrival(c, b, branch, callee);
		else if (branch->n && stubs.count)
			rc = add_call_of_stub(c, b, &stubs, branch);
	}
	vector_sort(&c->list, by_from);
	map_deinit(&stubs);
	return rc;
}

void attribute_calls_deinit(struct attribute_calls *c)
{
	vector_deinit(&c->list);
	map_deinit(&c->entries);
	map_deinit(&c->exits);
}

static const struct attribute_call *first_from(const struct attribute_calls *c, uint64_t va)
{
	const struct attribute_call *call;

	return vector_at(&c->list, vector_count_while(&c->list, call, call->from < va));
}

const struct attribute_call *attribute_calls_from(const struct attribute_calls *c,
						  const struct binary_function *f,
						  const struct attribute_call **end)
{
	*end = first_from(c, f->end);
	return first_from(c, f->begin);
}

struct attribute_entry attribute_calls_entry(const struct attribute_calls *c, uint64_t begin)
{
	const struct map_entry *e = map_find(&c->entries, begin, 0);
	const struct map_entry *exits = map_find(&c->exits, begin, 0);

	return (struct attribute_entry){.entered = e ? e->n : 0,
					.jumped = e ? e->m : 0,
					.left = exits ? exits->n : 0,
					.returned_to = exits && exits->m};
}

/* (address, 0) -> n = ranges that end there, m = branches that leave there */
static int collect(const struct branch_profile *clean, struct map *ends)
{
	struct map_entry *i, *end;

	map_each (&clean->ranges, i)
		if (map_add(ends, i->b, 0, i->n, 0))
			return -1;
	map_each (&clean->branches, i) {
		end = i->a == BRANCH_OUTSIDE ? NULL : map_find(ends, i->a, 0);
		if (end)
			end->m = source_count_add(end->m, i->n);
	}
	return 0;
}

int attribute_range_ends_count(struct binary *b, const struct branch_profile *clean,
			       struct attribute_stats *stats)
{
	struct map ends = {0};
	struct map_entry *end = NULL;
	int rc = collect(clean, &ends);

	while (!rc && (end = map_next(&ends, end))) {
		struct isa_insn insn;
		uint64_t unrecorded = end->n > end->m ? end->n - end->m : 0;

		/* Exact counts tell nothing of returns. */
		if (!binary_decode(b, end->a, &insn) || !isa_is_branch(insn.kind) ||
		    insn.kind == ISA_RETURN || insn.kind == ISA_JUMP_CONDITIONAL)
			continue;
		stats->range_ends = source_count_add(stats->range_ends, end->n);
		stats->range_ends_unrecorded = source_count_add(stats->range_ends_unrecorded,
								unrecorded);
		if (!isa_is_call(insn.kind))
			continue;
		stats->call_runs = source_count_add(stats->call_runs, end->n);
		stats->call_runs_unrecorded = source_count_add(stats->call_runs_unrecorded,
							       unrecorded);
	}
	map_deinit(&ends);
	return rc;
}
