/* SPDX-License-Identifier: MIT */
/* Arenas: items that threads ask for at the same time, each at one address for all, and found by it
 * again; no memory is no item. */
#include "collector/inside/handler/arena.h"

#include <pthread.h>
#include <setjmp.h>
#include <stdarg.h>
#include <stdbool.h>
#include <string.h>
#include <sys/mman.h>
#include <sys/resource.h>
#include <sys/wait.h>
#include <unistd.h>
/* cmocka needs the above first */
#include <cmocka.h>

#define ITEM_BYTES 96u
#define SEGMENT	   8u
#define ITEMS	   2000u
#define THREADS	   4u

static struct arena arena;

static void *make_all(void *items)
{
	for (uint32_t i = 0; i < ITEMS; i++)
		((void **)items)[i] = arena_make(&arena, i);
	return NULL;
}

static void items_have_one_address(void **state)
{
	static void *items[THREADS][ITEMS];
	pthread_t threads[THREADS];

	(void)state;
	arena_init(&arena, ITEM_BYTES, SEGMENT);
	assert_null(arena_at(&arena, 0));
	assert_int_equal(arena_find(&arena, (uintptr_t)&arena), ARENA_NONE);
	for (unsigned t = 0; t < THREADS; t++)
		assert_int_equal(pthread_create(&threads[t], NULL, make_all, items[t]), 0);
	for (unsigned t = 0; t < THREADS; t++)
		pthread_join(threads[t], NULL);
	for (uint32_t i = 0; i < ITEMS; i++) {
		uint8_t *item = items[0][i];

		assert_non_null(item);
		for (unsigned t = 1; t < THREADS; t++)
			assert_ptr_equal(items[t][i], item);
		assert_ptr_equal(arena_at(&arena, i), item);
		assert_int_equal(arena_find(&arena, (uintptr_t)item), i);
		assert_int_equal(arena_find(&arena, (uintptr_t)item + ITEM_BYTES - 1), i);
		assert_int_equal(item[0] | item[ITEM_BYTES - 1], 0);
		memset(item, 255, ITEM_BYTES);
	}
	/* behind a segment's items there is the rest of a page, or another mapping */
	assert_int_not_equal(arena_find(&arena, (uintptr_t)items[0][SEGMENT - 1] + ITEM_BYTES),
			     SEGMENT - 1);
}

static void no_more_than_there_are(void **state)
{
	(void)state;
	assert_null(arena_make(&arena, SEGMENT * ARENA_SEGMENTS));
	assert_null(arena_at(&arena, SEGMENT * ARENA_SEGMENTS));
	assert_null(arena_at(&arena, ARENA_NONE));
}

static void no_memory_is_no_item(void **state)
{
	struct rlimit before, none;
	struct arena large = {0};
	void *refused, *first;

	(void)state;
	arena_init(&large, 16u << 20, 4);
	first = arena_make(&large, 0);
	assert_int_equal(getrlimit(RLIMIT_AS, &before), 0);
	none = (struct rlimit){.rlim_cur = 1 << 20, .rlim_max = before.rlim_max};
	assert_int_equal(setrlimit(RLIMIT_AS, &none), 0);
	refused = arena_make(&large, 4);
	assert_int_equal(setrlimit(RLIMIT_AS, &before), 0);
	assert_non_null(first);
	assert_null(refused);
	assert_null(arena_at(&large, 4));
	assert_non_null(arena_make(&large, 4));
	assert_ptr_equal(arena_at(&large, 0), first);
}

static void unmapped_is_as_new(void **state)
{
	uintptr_t item = (uintptr_t)arena_at(&arena, ITEMS - 1);

	(void)state;
	assert_int_equal(arena_find(&arena, item), ITEMS - 1);
	arena_unmap(&arena);
	assert_null(arena_at(&arena, 0));
	assert_null(arena_at(&arena, ITEMS - 1));
	assert_int_equal(arena_find(&arena, item), ARENA_NONE);
	/* ENOMEM: nothing is mapped there */
	assert_int_equal(msync((void *)(item & ~(uintptr_t)4095), 1, MS_ASYNC), -1);
	assert_int_equal(*(uint8_t *)arena_make(&arena, 0), 0);
}

static void children_find_nothing(void **state)
{
	struct arena wiped = {0};
	uint8_t *item;
	int status;
	pid_t child;

	(void)state;
	arena_init(&wiped, ITEM_BYTES, SEGMENT);
	wiped.wiped = true;
	item = arena_make(&wiped, 0);
	assert_non_null(item);
	memset(item, 255, ITEM_BYTES);
	child = fork();
	if (!child)
		_exit(wiped.wiped ? item[0] | item[ITEM_BYTES - 1] : 0);
	assert_int_equal(waitpid(child, &status, 0), child);
	assert_int_equal(status, 0);
	assert_int_equal(item[0], 255);
	arena_unmap(&wiped);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(items_have_one_address), cmocka_unit_test(no_more_than_there_are),
		cmocka_unit_test(no_memory_is_no_item),	  cmocka_unit_test(unmapped_is_as_new),
		cmocka_unit_test(children_find_nothing),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
