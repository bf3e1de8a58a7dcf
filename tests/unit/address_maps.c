/* SPDX-License-Identifier: MIT */
/* A tree of maps against a plain table of places. */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <cmocka.h>
#include <stdlib.h>
#include <string.h>

#include "base/memory.h"
#include "converter/samples/address_maps.h"

#define PLACES 512
#define STEPS  4000

/* What is mapped at each place, plainly: 0 = nothing. */
struct plain {
	uint32_t module[PLACES];
	uint64_t offset[PLACES];
};

static void put_plain(struct plain *p, const struct address_map *map)
{
	for (uint64_t at = map->start; at < map->end; at++) {
		p->module[at] = map->module;
		p->offset[at] = map->file_offset + at - map->start;
	}
}

static void check(const struct address_maps *m, const struct plain *p)
{
	uint64_t end = 0;

	for (uint64_t at = 0; at < PLACES; at++) {
		const struct address_map *map = address_maps_behind(m, at);
		bool is_in = map && map->start <= at;

		assert_int_equal(is_in ? map->module : 0, p->module[at]);
		if (is_in)
			assert_int_equal(map->file_offset + at - map->start, p->offset[at]);
		map = address_maps_before(m, at + 1);
		assert_true(!map || map->start <= at);
		assert_int_equal(map && map->end > at ? map->module : 0, p->module[at]);
	}
	for (const struct address_map *map = address_maps_behind(m, 0); map;
	     map = address_maps_behind(m, map->end)) {
		assert_true(map->start >= end && map->end > map->start);
		end = map->end;
	}
}

static struct address_map random_map(unsigned longest)
{
	uint64_t start = (uint64_t)rand() % (PLACES - longest),
		 size = 1 + (uint64_t)rand() % longest;

	return (struct address_map){.start = start,
				    .end = start + size,
				    .file_offset = (uint64_t)rand(),
				    .module = 1 + (uint32_t)rand() % 1000};
}

static void maps_are_what_was_laid_over_them(void **state)
{
	(void)state;
	for (unsigned longest = 1; longest < PLACES; longest *= 4) {
		struct address_maps now = {0}, then = {0};
		struct plain is = {0}, was = {0};

		srand(longest);
		for (unsigned i = 0; i < STEPS; i++) {
			struct address_map map = random_map(longest);

			if (!(rand() % 50)) {
				address_maps_deinit(&then);
				then = address_maps_share(&now);
				was = is;
			}
			assert_int_equal(address_maps_put(&now, &map), 0);
			put_plain(&is, &map);
			if (!(i % 100)) {
				check(&now, &is);
				check(&then, &was);
			}
		}
		address_maps_deinit(&now);
		check(&then, &was);
		address_maps_deinit(&then);
	}
}

/* Each place in turn, so that an unbalanced tree would be a list: too deep for recursion. */
static void maps_are_balanced(void **state)
{
	struct address_maps maps = {0}, *kept = memory_alloc_array(1000, sizeof(*kept));

	(void)state;
	assert_non_null(kept);
	memory_fail_at(0);
	for (uint64_t i = 0; i < 100000; i++) {
		const struct address_map map = {.start = i, .end = i + 1, .module = 1};

		if (!(i % 100))
			kept[i / 100] = address_maps_share(&maps);
		assert_int_equal(address_maps_put(&maps, &map), 0);
	}
	/* a node each, and one path of some nodes for each time that they were shared */
	assert_true(memory_fail_at(0) < 100000 + 1000 * 2 * 20);
	for (unsigned i = 0; i < 1000; i++)
		address_maps_deinit(&kept[i]);
	memory_free(kept);
	address_maps_deinit(&maps);
}

static void maps_end_without_memory(void **state)
{
	(void)state;
	for (size_t n = 1, made = n; made >= n; n++) {
		struct address_maps maps = {0}, shared = {0};
		int rc = 0;

		srand(1);
		memory_fail_at(n);
		for (unsigned i = 0; i < 60 && !rc; i++) {
			struct address_map map = random_map(40);

			if (i == 30)
				shared = address_maps_share(&maps);
			rc = address_maps_put(&maps, &map);
		}
		made = memory_fail_at(0);
		assert_int_equal(rc, made >= n ? -1 : 0);
		address_maps_deinit(&maps);
		address_maps_deinit(&shared);
	}
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(maps_are_what_was_laid_over_them),
		cmocka_unit_test(maps_are_balanced),
		cmocka_unit_test(maps_end_without_memory),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
