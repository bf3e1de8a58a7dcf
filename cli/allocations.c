/* SPDX-License-Identifier: MIT */
/*
 * Out of memory is never a good end: the program's allocations, those of libraries too, which go on
 * without what they did not get (libelf finds no symbols then, and libdw no lines), are noted when
 * they fail. What was made until then is not written (base/file_output.c), and the status is 1
 * (cli/terminal.c). glibc lets a program have allocators of its own, "Replacing malloc"; these ask
 * glibc's, so that whatever else belongs to them stays as it is.
 */
#include <stdlib.h>

#include "base/memory.h"

void *__libc_malloc(size_t bytes);
void *__libc_calloc(size_t count, size_t bytes);
void *__libc_realloc(void *old, size_t bytes);

static void *noted(void *p)
{
	if (!p)
		memory_note_failure();
	return p;
}

__attribute__((visibility("default"))) void *malloc(size_t bytes)
{
	return noted(__libc_malloc(bytes));
}

__attribute__((visibility("default"))) void *calloc(size_t count, size_t bytes)
{
	return noted(__libc_calloc(count, bytes));
}

__attribute__((visibility("default"))) void *realloc(void *old, size_t bytes)
{
	void *p = __libc_realloc(old, bytes);

	return p || !bytes ? p : noted(p);
}
