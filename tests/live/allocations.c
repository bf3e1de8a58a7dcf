/* SPDX-License-Identifier: MIT */
/*
 * Preloaded: allocation number $FAIL_AT of the program fails, and all after it with FAIL_ON; how
 * many there were goes to the file $FAIL_COUNT. softlbr's own allocators (cli/allocations.c) ask
 * glibc's by these names.
 */
#include <dlfcn.h>
#include <errno.h>
#include <stdio.h>
#include <stdlib.h>

static long number, fail_at = -1;
static int on;

static int fails(void)
{
	long k = __atomic_add_fetch(&number, 1, __ATOMIC_RELAXED);

	if (fail_at < 0 || (on ? k < fail_at : k != fail_at))
		return 0;
	errno = ENOMEM;
	return 1;
}

/* What this one is in glibc. */
#define NEXT(name)                                                  \
	__extension__({                                             \
		static __typeof__(name) *next_;                     \
                                                                    \
		if (!next_)                                         \
			*(void **)&next_ = dlsym(RTLD_NEXT, #name); \
		next_;                                              \
	})

void *__libc_malloc(size_t bytes)
{
	return fails() ? NULL : NEXT(__libc_malloc)(bytes);
}

void *__libc_calloc(size_t count, size_t bytes)
{
	return fails() ? NULL : NEXT(__libc_calloc)(count, bytes);
}

void *__libc_realloc(void *old, size_t bytes)
{
	return fails() ? NULL : NEXT(__libc_realloc)(old, bytes);
}

__attribute__((constructor)) static void allocations_begin(void)
{
	const char *at = getenv("FAIL_AT");

	on = getenv("FAIL_ON") != NULL;
	number = 0;
	fail_at = at ? atol(at) : -1;
}

__attribute__((destructor)) static void allocations_end(void)
{
	const char *path = getenv("FAIL_COUNT");
	FILE *out = path ? fopen(path, "we") : NULL;

	if (out) {
		fprintf(out, "%ld\n", number);
		fclose(out);
	}
}
