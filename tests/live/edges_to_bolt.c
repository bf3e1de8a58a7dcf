/* SPDX-License-Identifier: MIT */
/*
 * Exact counts -> a branch profile -> fdata and pre-aggregated text, for bolt.sh.
 *
 * Reads what tests/oracles/exact_edges.py prints: `I addr count` and `E from to count kind`.
 * Every straight step from an instruction to the next is a range of its own, so that both sides
 * can count each block boundary exactly.
 */
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "base/map.h"
#include "converter/bolt/bolt_convert.h"
#include "converter/samples/validate.h"
#include "formats/fdata.h"

struct exact {
	struct binary *binary;
	struct map counts;    /* (address,0) -> n executed */
	struct map inflow;    /* (address,0) -> n arrivals by branch */
	struct map not_taken; /* (address,0) -> n */
	struct branch_profile raw;
};

static void add(struct map *m, uint64_t key, uint64_t n)
{
	struct map_entry *e = map_at(m, key, 0);

	if (!e)
		abort();
	e->n += n;
}

static uint64_t get(const struct map *m, uint64_t key)
{
	const struct map_entry *e = map_find(m, key, 0);

	return e ? e->n : 0;
}

static int read_exact(struct exact *x, const char *path)
{
	unsigned long long a, b, n;
	char line[256], kind[16];
	FILE *f = fopen(path, "r");

	if (!f)
		return -1;
	while (fgets(line, sizeof(line), f)) {
		if (sscanf(line, "I %llx %llu", &a, &n) == 2) {
			add(&x->counts, a, n);
		} else if (sscanf(line, "E %llx %llx %llu %15s", &a, &b, &n, kind) == 4) {
			if (!strcmp(kind, "fall")) {
				add(&x->not_taken, a, n);
				continue;
			}
			if (!strcmp(kind, "xcall"))
				b = BRANCH_OUTSIDE;
			else
				add(&x->inflow, b, n);
			branch_profile_add_branch(&x->raw, a, b, n, 0);
		}
	}
	fclose(f);
	return x->counts.count ? 0 : -1;
}

/* The step from @i to the instruction behind it, and the entry into a function. */
static void add_step(struct exact *x, const struct isa_insn *i, uint64_t count, FILE *preagg)
{
	const struct binary_function *f = binary_function_at(x->binary, i->address);
	uint64_t next = i->address + i->length, n = count;
	bool returned = isa_is_call(i->kind);

	if (!f || next >= f->end || !get(&x->counts, next))
		return;
	if (i->kind == ISA_JUMP_CONDITIONAL)
		n = get(&x->not_taken, i->address);
	else if (returned)
		n = get(&x->counts, next) - get(&x->inflow, next);
	else if (isa_ends_line(i->kind))
		return;
	if (!n)
		return;
	if (returned)
		branch_profile_add_branch(&x->raw, BRANCH_OUTSIDE, next, n, 0);
	branch_profile_add_range(&x->raw, returned ? next : i->address, next, n);
	fprintf(preagg, "%c %llx %llx %llu\n", returned ? 'f' : 'F',
		(unsigned long long)(returned ? next : i->address), (unsigned long long)next,
		(unsigned long long)n);
}

static void add_entries(struct exact *x)
{
	size_t count;
	const struct binary_function *f = binary_functions(x->binary, &count);

	for (size_t i = 0; i < count; i++) {
		uint64_t executed = get(&x->counts, f[i].begin);
		uint64_t arrived = get(&x->inflow, f[i].begin);

		if (executed > arrived)
			branch_profile_add_branch(&x->raw, BRANCH_OUTSIDE, f[i].begin,
						  executed - arrived, 0);
	}
}

static void write_branches(const struct exact *x, FILE *preagg)
{
	for (struct map_entry *e = NULL; (e = map_next(&x->raw.branches, e));) {
		const struct binary_function *f = binary_function_at(x->binary, e->b);

		if (e->a == BRANCH_OUTSIDE && (!f || f->begin != e->b))
			continue; /* a return: perf2bolt 19 drops them, 16 does not */
		fprintf(preagg, "B %llx %llx %llu 0\n",
			e->a == BRANCH_OUTSIDE ? 0ULL : (unsigned long long)e->a,
			e->b == BRANCH_OUTSIDE ? 0ULL : (unsigned long long)e->b,
			(unsigned long long)e->n);
	}
}

static int convert(struct exact *x, const char *path, struct softlbr_error *e)
{
	struct branch_profile clean = {0};
	struct bolt_profile out;
	struct validate_stats ranges;
	struct bolt_convert_stats stats;
	int rc = bolt_profile_init(&out);

	if (!rc)
		rc = validate_profile(x->binary, &x->raw, &clean, &ranges, e);
	if (!rc)
		rc = bolt_convert_from_branches(x->binary, &clean, &out, &stats, e);
	if (!rc)
		rc = fdata_write(&out, path, e);
	if (!rc)
		printf("branches %llu valid %llu; ranges %llu whole %llu; inside %llu calls %llu "
		       "entries %llu exits %llu returns %llu no_function %llu no_entry %llu "
		       "fall_throughs %llu\n",
		       (unsigned long long)ranges.branches.in,
		       (unsigned long long)ranges.branches.valid,
		       (unsigned long long)ranges.ranges.in,
		       (unsigned long long)ranges.ranges.whole,
		       (unsigned long long)stats.branches.inside,
		       (unsigned long long)stats.branches.calls,
		       (unsigned long long)stats.branches.entries,
		       (unsigned long long)stats.branches.exits,
		       (unsigned long long)stats.branches.returns,
		       (unsigned long long)stats.branches.no_function,
		       (unsigned long long)stats.branches.no_entry,
		       (unsigned long long)stats.fall_throughs);
	branch_profile_deinit(&clean);
	bolt_profile_deinit(&out);
	return rc;
}

int main(int argc, char **argv)
{
	struct softlbr_error e = {0};
	struct exact x = {0};
	struct map_entry **sorted;
	FILE *preagg;
	int rc;

	if (argc != 5) {
		fprintf(stderr, "usage: %s BINARY EDGES FDATA PREAGG\n", argv[0]);
		return 2;
	}
	x.binary = binary_open(argv[1], &e);
	preagg = fopen(argv[4], "w");
	if (!x.binary || !preagg || read_exact(&x, argv[2])) {
		fprintf(stderr, "%s: cannot start: %s\n", argv[0], e.text);
		return 1;
	}
	sorted = map_sorted(&x.counts);
	for (size_t i = 0; sorted && i < x.counts.count; i++) {
		struct isa_insn insn;

		if (binary_decode(x.binary, sorted[i]->a, &insn))
			add_step(&x, &insn, sorted[i]->n, preagg);
	}
	free(sorted);
	add_entries(&x);
	write_branches(&x, preagg);
	fclose(preagg);
	rc = convert(&x, argv[3], &e);
	if (rc)
		fprintf(stderr, "%s\n", e.text);
	map_deinit(&x.counts);
	map_deinit(&x.inflow);
	map_deinit(&x.not_taken);
	branch_profile_deinit(&x.raw);
	binary_close(x.binary);
	return rc ? 1 : 0;
}
