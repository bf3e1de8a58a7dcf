/* SPDX-License-Identifier: MIT */
/*
 * Branches and ranges of whole recordings, and how often each was seen: against sums that are
 * counted apart. `branch_sums recordings`: real ones of SOFTLBR_SHARED, with the counts that
 * autofdo gets from them.
 */
#include <setjmp.h>
#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>
#include <unistd.h>

#include <cmocka.h>

#include "hand_recorded.h"

/* ---- synthetic recordings ------------------------------------------------------------------ */

/*
 * Not recorded anywhere: made here, to stand in for hardware where there is none. Stacks of 16 with
 * what software does not know, mispredictions and cycles, and sums of them that are counted apart.
 */
#define PLACES 24
#define DEPTH  16

struct sums {
	uint64_t branches[PLACES][PLACES], mispredicted[PLACES][PLACES], ranges[PLACES][PLACES];
	uint64_t all_branches, all_mispredicted, all_ranges, samples[PLACES];
};

static unsigned drawn;

static unsigned draw(unsigned below)
{
	drawn = drawn * 1664525u + 1013904223u;
	return (drawn >> 8) % below;
}

/* A stack at @base, of branches from and to multiples of 16; @sums counts it if it is not NULL. */
static void synthetic_stack(uint64_t time, uint32_t pid, uint64_t base, bool cycles,
			    struct sums *sums)
{
	struct pair stack[DEPTH];
	unsigned newer_from = 0, newer_to = PLACES;

	for (unsigned i = 0; i < DEPTH; i++) {
		unsigned from = draw(PLACES), to = draw(PLACES), missed = draw(4) == 0;

		/* a newest entry that is there twice is another test's */
		if (i == 1 && from == newer_from && to == newer_to)
			to = (to + 1) % PLACES;
		stack[i] = (struct pair){base + 16 * from, base + 16 * to, missed ? 1 : 2};
		if (cycles)
			stack[i].flags |= (uint64_t)draw(500) << 4;
		if (sums) {
			sums->branches[from][to]++;
			sums->mispredicted[from][to] += missed;
			sums->all_branches++;
			sums->all_mispredicted += missed;
			if (i && to <= newer_from) {
				sums->ranges[to][newer_from]++;
				sums->all_ranges++;
			}
		}
		newer_from = from;
		newer_to = to;
	}
	if (sums)
		sums->samples[(stack[0].to - base) / 16]++;
	sample(time, pid, stack, DEPTH);
}

/* The profile has these sums, at @va, and nothing else. */
static void check_sums_at(const struct sums *sums, uint64_t va)
{
	uint64_t branches = 0, mispredicted = 0, ranges = 0;
	struct map_entry *e = NULL;

	while ((e = map_next(&a.result.profile.branches, e))) {
		assert_int_equal(e->n, sums->branches[(e->a - va) / 16][(e->b - va) / 16]);
		assert_int_equal(e->m, sums->mispredicted[(e->a - va) / 16][(e->b - va) / 16]);
		branches += e->n;
		mispredicted += e->m;
	}
	while ((e = map_next(&a.result.profile.ranges, e))) {
		assert_int_equal(e->n, sums->ranges[(e->a - va) / 16][(e->b - va) / 16]);
		ranges += e->n;
	}
	while ((e = map_next(&a.result.profile.samples, e)))
		assert_int_equal(e->n, sums->samples[(e->a - va) / 16]);
	assert_int_equal(branches, sums->all_branches);
	assert_int_equal(mispredicted, sums->all_mispredicted);
	assert_int_equal(ranges, sums->all_ranges);
	assert_true(mispredicted > branches / 8 && ranges > branches / 4);
}

static void synthetic_hardware_stacks_are_summed_up(void **state)
{
	static struct sums sums;

	(void)state;
	for (unsigned threads = 1; threads <= 8; threads += 7) {
		const struct aggregate_options options = {.threads = threads};

		memset(&sums, 0, sizeof(sums));
		drawn = 1;
		begin();
		map(1, 10, 0x10000, "/bin/program");
		map(1, 11, 0x555500000000, "/bin/program");
		map(1, 11, 0x7f0000000000, "/lib/library.so");
		for (unsigned i = 0; i < 45; i++) {
			synthetic_stack(10 + i, 10, 0x10000, true, &sums);
			synthetic_stack(10 + i, 11, 0x555500000000, true, &sums);
			synthetic_stack(10 + i, 11, 0x7f0000000000, true, NULL);
		}
		convert_with(&program, &options);
		assert_int_equal(a.result.funnel.branches_elsewhere, 45 * DEPTH);
		check_sums_at(&sums, 0x400000);
		aggregate_deinit(&a);
	}
}

/* What an AArch64 kernel's trace hardware gives: one map of the kernel for all, no predictions. */
static void synthetic_kernel_stacks_are_summed_up(void **state)
{
	const uint64_t start = 0xffffffc008080000;
	struct binary kernel = {.path = "[kernel.kallsyms]_stext"};
	static struct sums sums;

	(void)state;
	memset(&sums, 0, sizeof(sums));
	drawn = 7;
	begin();
	begin_record(&file, PERF_RECORD_MMAP, PERF_RECORD_MISC_KERNEL);
	put(&file, UINT32_MAX, 4);
	put(&file, 0, 4);
	put(&file, start, 8);
	put(&file, 0x100000, 8);
	put(&file, start, 8);
	put_text(&file, kernel.path);
	trailer(UINT32_MAX, 0);
	map(1, 10, 0x10000, "/bin/program");
	for (unsigned i = 0; i < 65; i++) {
		synthetic_stack(10 + i, 10, start, false, &sums);
		synthetic_stack(10 + i, 10, 0x10000, false, NULL);
	}
	convert(&kernel);
	assert_int_equal(a.result.match.kind, MATCH_PATH);
	check_sums_at(&sums, start);
	aggregate_deinit(&a);
}

/* A newest entry that is there twice: a short loop, unless it goes further back than the stride. */
static void the_stride_decides_what_is_doubled(void **state)
{
	struct pair loop[] = {{0x10080, 0x10010, 0}, {0x10080, 0x10010, 0}};

	(void)state;
	for (uint64_t stride = 0x6f; stride <= 0x70; stride++) {
		const struct aggregate_options options = {.stride = stride};

		begin();
		map(1, 10, 0x10000, "/bin/program");
		sample(2, 10, loop, 2);
		convert_with(&program, &options);
		assert_int_equal(a.result.funnel.entries_doubled, stride < 0x70);
		assert_int_equal(branch(0x400080, 0x400010), stride < 0x70 ? 1 : 2);
		assert_int_equal(range(0x400010, 0x400080), stride < 0x70 ? 0 : 1);
		aggregate_deinit(&a);
	}
}

/* ---- real recordings ----------------------------------------------------------------------- */

static const char *shared(const char *name)
{
	static char path[512];
	const char *root = getenv("SOFTLBR_SHARED");

	snprintf(path, sizeof(path), "%s/data/hardware-lbr/%s", root, name);
	return path;
}

static void add_real(const char *name, struct binary *b, uint64_t stride)
{
	struct aggregate_options options = {.stride = stride};
	int rc;

	memset(&error, 0, sizeof(error));
	assert_int_equal(aggregate_init(&a, b, &options, &error), 0);
	rc = aggregate_add(&a, shared(name), 1, &error);
	if (rc)
		print_error("%s\n", error.text);
	assert_int_equal(rc, 0);
	assert_int_equal(aggregate_estimate(&a, &error), 0);
	check_funnel();
}

static void check_sums(uint64_t ranges, uint64_t bytes)
{
	uint64_t n = 0, size = 0;
	struct map_entry *e = NULL;

	while ((e = map_next(&a.result.profile.ranges, e))) {
		n += e->n;
		size += e->n * (1 + e->b - e->a);
	}
	assert_int_equal(n, ranges);
	if (bytes)
		assert_int_equal(size, bytes);
}

/* One section of autofdo's text: every line is in the map with the same count, and no other. */
static void check_section(FILE *f, const struct map *m, const char *format)
{
	unsigned count;

	assert_int_equal(fscanf(f, "%u", &count), 1);
	assert_int_equal(m->count, count);
	for (unsigned i = 0; i < count; i++) {
		unsigned long x, y = 0, n;
		struct map_entry *e;

		if (strchr(format, '>') || strchr(format, '-'))
			assert_int_equal(fscanf(f, format, &x, &y, &n), 3);
		else
			assert_int_equal(fscanf(f, format, &x, &n), 2);
		e = map_find(m, x, y);
		assert_non_null(e);
		assert_int_equal(e->n, n);
	}
}

static void gzip_equals_autofdo(void **state)
{
	struct binary gzip = {.path = "test.binary"};
	FILE *f;

	(void)state;
	add_real("gzip_westmere/test.lbr", &gzip, 0);
	assert_int_equal(a.result.funnel.samples, 9232);
	assert_int_equal(a.result.funnel.entries, 147712);
	assert_int_equal(a.result.match.kind, MATCH_BASE_NAME);
	check_sums(134677, 5390972);
	f = fopen(shared("gzip_westmere/test.debian019.samples.txt"), "r");
	assert_non_null(f);
	check_section(f, &a.result.profile.ranges, "%lx-%lx:%lu");
	check_section(f, &a.result.profile.samples, "%lx:%lu");
	fclose(f);
	aggregate_deinit(&a);

	add_real("gzip_westmere/test.lbr", &gzip, 0x50);
	check_sums(134622, 5383657);
	aggregate_deinit(&a);
}

/* autofdo lists only branches inside of the binary. */
static void gzip_branches_equal_autofdo(void **state)
{
	struct binary gzip = {.path = "test.binary"};
	struct map inside = {0};
	struct map_entry *e = NULL;
	char line[128];
	FILE *f;

	(void)state;
	add_real("gzip_westmere/test.lbr", &gzip, 0);
	while ((e = map_next(&a.result.profile.branches, e)))
		if (e->a != BRANCH_OUTSIDE && e->b != BRANCH_OUTSIDE)
			map_at(&inside, e->a, e->b)->n = e->n;
	assert_int_equal(inside.count, 253);
	f = fopen(shared("gzip_westmere/test.debian019.samples.txt"), "r");
	assert_non_null(f);
	while (fgets(line, sizeof(line), f))
		if (!strcmp(line, "253\n"))
			break;
	fseek(f, -4, SEEK_CUR);
	check_section(f, &inside, "%lx->%lx:%lu");
	fclose(f);
	map_deinit(&inside);
	aggregate_deinit(&a);
}

static void kernel_totals_equal_autofdo(void **state)
{
	struct binary kernel = {.path = "[kernel.kallsyms]_stext"};

	(void)state;
	add_real("kernel_etm/perf-kernel.data", &kernel, 0);
	check_sums(1421, 39905);
	aggregate_deinit(&a);
	add_real("kernel_etm/perf-vmlinux.data", &kernel, 0);
	check_sums(1936, 53440);
	aggregate_deinit(&a);
}

static int test_recordings(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(gzip_equals_autofdo),
		cmocka_unit_test(gzip_branches_equal_autofdo),
		cmocka_unit_test(kernel_totals_equal_autofdo),
	};

	if (!getenv("SOFTLBR_SHARED")) {
		puts("SKIP: SOFTLBR_SHARED names no folder");
		return 77;
	}
	return cmocka_run_group_tests(tests, NULL, NULL);
}

int main(int argc, char **argv)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(synthetic_hardware_stacks_are_summed_up),
		cmocka_unit_test(synthetic_kernel_stacks_are_summed_up),
		cmocka_unit_test(the_stride_decides_what_is_doubled),
	};

	if (argc > 1 && !strcmp(argv[1], "recordings"))
		return test_recordings();
	return cmocka_run_group_tests(tests, NULL, NULL);
}
