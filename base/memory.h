/* SPDX-License-Identifier: MIT */
/*
 * Checked memory: sizes are multiplied with overflow checks, and a test can make the n-th
 * allocation fail. Everything returns NULL on failure; memory_free(NULL) is fine.
 * Not for signal handlers.
 */
#pragma once

#include <stdbool.h>
#include <stddef.h>

void *memory_alloc(size_t bytes);			   /* zeroed */
void *memory_alloc_array(size_t count, size_t item_bytes); /* zeroed */
void *memory_resize_array(void *old, size_t count, size_t item_bytes);
/* Give back room that is not needed. Returns the memory with room for @count items (at least
 * one), or @old if that fails. */
void *memory_shrink_array(void *old, size_t count, size_t item_bytes);
char *memory_copy_string(const char *text);
/* The text as printf(3) makes it. */
char *memory_format(const char *format, ...) __attribute__((format(printf, 1, 2)));
void memory_free(void *p);

/* Note that somebody got no memory, here or in a library. */
void memory_note_failure(void);
/* Has that been so at any time? Then what was made without an error may be less than it should. */
bool memory_has_failed(void);

/*
 * For tests: let the @n-th allocation from now on fail (1 = the next); 0 switches it off. Returns
 * how many allocations were made since the last call. Not for use with threads.
 */
size_t memory_fail_at(size_t n);
