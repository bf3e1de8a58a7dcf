/* SPDX-License-Identifier: MIT */
#include "base/memory.h"

#include <stdbool.h>
#include <stdint.h>
#include <stdlib.h>
#include <string.h>

static size_t allocations;
static size_t fail_at;

static bool should_fail(void)
{
	size_t n = __atomic_add_fetch(&allocations, 1, __ATOMIC_RELAXED);

	return fail_at && n == fail_at;
}

void *memory_alloc(size_t bytes)
{
	return memory_alloc_array(1, bytes);
}

void *memory_alloc_array(size_t count, size_t item_bytes)
{
	if (should_fail())
		return NULL;
	/* calloc checks the product; one byte at least, so that NULL always means failure */
	return calloc(count ? count : 1, item_bytes ? item_bytes : 1);
}

void *memory_resize_array(void *old, size_t count, size_t item_bytes)
{
	size_t bytes;

	if (should_fail() || __builtin_mul_overflow(count, item_bytes, &bytes))
		return NULL;
	return realloc(old, bytes ? bytes : 1);
}

char *memory_copy_string(const char *text)
{
	size_t bytes = strlen(text) + 1;
	char *copy = memory_alloc(bytes);

	if (copy)
		memcpy(copy, text, bytes);
	return copy;
}

void memory_free(void *p)
{
	free(p);
}

size_t memory_fail_at(size_t n)
{
	size_t made = allocations;

	allocations = 0;
	fail_at = n;
	return made;
}
