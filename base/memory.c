/* SPDX-License-Identifier: MIT */
#include "base/memory.h"

#include <stdbool.h>
#include <stdint.h>
#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>
#include <unistd.h>

/* From here on, tables are as large as what a processor's address cache spans by small pages. */
#define HUGE_FROM_BYTES (4u << 20)

/* For tests, which want the n-th allocation of whatever is called to fail; memory_fail_at writes
 * it, and every allocation counts. */
static struct {
	size_t allocations; /* since; atomic */
	size_t fail_at;	    /* 0: none fails */
} failing;

/* Set once, by whoever fails first; atomic. */
static bool has_failed;

void memory_note_failure(void)
{
	__atomic_store_n(&has_failed, true, __ATOMIC_RELAXED);
}

bool memory_has_failed(void)
{
	return __atomic_load_n(&has_failed, __ATOMIC_RELAXED);
}

static bool should_fail(void)
{
	size_t n = __atomic_add_fetch(&failing.allocations, 1, __ATOMIC_RELAXED);

	return failing.fail_at && n == failing.fail_at;
}

void *memory_alloc(size_t bytes)
{
	return should_fail() ? NULL : calloc(1, bytes ? bytes : 1);
}

/* Ask for huge pages: a large table is cleared faster then, and random reads find it faster. */
static void prefer_huge_pages(void *p, size_t bytes)
{
	uintptr_t page = (uintptr_t)sysconf(_SC_PAGESIZE);
	uintptr_t begin = ((uintptr_t)p + page - 1) & ~(page - 1);
	uintptr_t end = ((uintptr_t)p + bytes) & ~(page - 1);

	madvise((void *)begin, end - begin, MADV_HUGEPAGE); /* it goes without as well */
}

void *memory_alloc_array(size_t count, size_t item_bytes)
{
	void *p;

	if (should_fail())
		return NULL;
	/* calloc checks the product; one byte at least, so that NULL always means failure */
	p = calloc(count ? count : 1, item_bytes ? item_bytes : 1);
	if (p && count && item_bytes >= HUGE_FROM_BYTES / count)
		prefer_huge_pages(p, count * item_bytes);
	return p;
}

void *memory_resize_array(void *old, size_t count, size_t item_bytes)
{
	size_t bytes;

	if (should_fail() || __builtin_mul_overflow(count, item_bytes, &bytes))
		return NULL;
	return realloc(old, bytes ? bytes : 1);
}

void *memory_shrink_array(void *old, size_t count, size_t item_bytes)
{
	void *items = realloc(old, count * item_bytes);

	return items ? items : old;
}

char *memory_copy_string(const char *text)
{
	size_t bytes = strlen(text) + 1;
	char *copy = memory_alloc(bytes);

	if (copy)
		memcpy(copy, text, bytes);
	return copy;
}

char *memory_format(const char *format, ...)
{
	char *text = NULL;
	va_list list;

	if (should_fail())
		return NULL;
	va_start(list, format);
	if (vasprintf(&text, format, list) < 0)
		text = NULL;
	va_end(list);
	return text;
}

void memory_free(void *p)
{
	free(p);
}

size_t memory_fail_at(size_t n)
{
	size_t made = failing.allocations;

	failing.allocations = 0;
	failing.fail_at = n;
	return made;
}
