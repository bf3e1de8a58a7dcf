/* SPDX-License-Identifier: MIT */
/*
 * The few libc functions that code in a signal handler (ours, and the compiler's own calls) needs,
 * local to this library: a breakpoint may stand in libc's. They bind here because the symbols are
 * hidden.
 */
#include <stddef.h>
#include <stdint.h>

#include "isa/host.h"

/* Built without the compiler's turning of loops into calls: they would call themselves. */
#define HIDDEN __attribute__((visibility("hidden"), used))

HIDDEN void *memcpy(void *restrict to, const void *restrict from, size_t n);
HIDDEN void *memmove(void *to, const void *from, size_t n);
HIDDEN void *memset(void *to, int byte, size_t n);
HIDDEN int memcmp(const void *a, const void *b, size_t n);
HIDDEN size_t strlen(const char *s);
HIDDEN int strcmp(const char *a, const char *b);
HIDDEN int strncmp(const char *a, const char *b, size_t n);
HIDDEN char *strcpy(char *restrict to, const char *restrict from);
HIDDEN char *strchr(const char *s, int c);
HIDDEN char *strrchr(const char *s, int c);
HIDDEN char *strstr(const char *s, const char *part);

/* Nearly all that look-ahead copies are a few bytes: those go by two pieces, which may overlap, or
 * by pieces of 16. */
#define BY_PIECES_MOST 64u

typedef uint16_t piece_2 __attribute__((may_alias, aligned(1)));
typedef uint32_t piece_4 __attribute__((may_alias, aligned(1)));
typedef uint64_t piece_8 __attribute__((may_alias, aligned(1)));
typedef uint64_t aligned_16 __attribute__((vector_size(16)));
typedef aligned_16 piece_16 __attribute__((may_alias, aligned(1)));

/* The first and the last piece of @n bytes; both are read before one is written. */
#define COPY_ENDS(type, to, from, n)                                               \
	do {                                                                       \
		const char *last_of = (const char *)(from) + (n) - sizeof(type);   \
		type first = *(const type *)(from), last = *(const type *)last_of; \
                                                                                   \
		*(type *)(to) = first;                                             \
		*(type *)((char *)(to) + (n) - sizeof(type)) = last;               \
	} while (0)

static inline void copy_few(char *to, const char *from, size_t n)
{
	if (n >= 8)
		COPY_ENDS(piece_8, to, from, n);
	else if (n >= 4)
		COPY_ENDS(piece_4, to, from, n);
	else if (n >= 2)
		COPY_ENDS(piece_2, to, from, n);
	else if (n)
		*to = *from;
}

/* Of memmove too, from higher to lower addresses: the end is read before it is reached. */
static inline void copy_some(char *to, const char *from, size_t n)
{
	piece_16 last = *(const piece_16 *)(from + n - 16);

	for (size_t i = 0; i + 16 < n; i += 16)
		*(piece_16 *)(to + i) = *(const piece_16 *)(from + i);
	*(piece_16 *)(to + n - 16) = last;
}

static void *copy(void *to, const void *from, size_t n)
{
	if (n < 16)
		copy_few(to, from, n);
	else if (n <= BY_PIECES_MOST)
		copy_some(to, from, n);
	else
		isa_host_copy(to, from, n);
	return to;
}

void *memset(void *to, int byte, size_t n)
{
	uint64_t eight = (uint8_t)byte * UINT64_C(0x0101010101010101);

	if (n < 4) {
		for (size_t i = 0; i < n; i++)
			((char *)to)[i] = (char)byte;
	} else if (n < 8) {
		*(piece_4 *)to = (uint32_t)eight;
		*(piece_4 *)((char *)to + n - 4) = (uint32_t)eight;
	} else if (n <= BY_PIECES_MOST) {
		for (size_t i = 0; i + 8 < n; i += 8)
			*(piece_8 *)((char *)to + i) = eight;
		*(piece_8 *)((char *)to + n - 8) = eight;
	} else {
		isa_host_fill(to, byte, n);
	}
	return to;
}

void *memcpy(void *restrict to, const void *restrict from, size_t n)
{
	return copy(to, from, n);
}

void *memmove(void *to, const void *from, size_t n)
{
	char *a = to;
	const char *b = from;

	if ((uintptr_t)to - (uintptr_t)from >= n)
		return copy(to, from, n);
	while (n--)
		a[n] = b[n];
	return to;
}

int memcmp(const void *a, const void *b, size_t n)
{
	const unsigned char *x = a, *y = b;

	for (size_t i = 0; i < n; i++)
		if (x[i] != y[i])
			return x[i] < y[i] ? -1 : 1;
	return 0;
}

size_t strlen(const char *s)
{
	size_t n = 0;

	while (s[n])
		n++;
	return n;
}

int strncmp(const char *a, const char *b, size_t n)
{
	for (; n; a++, b++, n--)
		if (*a != *b || !*a)
			return (unsigned char)*a - (unsigned char)*b;
	return 0;
}

int strcmp(const char *a, const char *b)
{
	return strncmp(a, b, PTRDIFF_MAX);
}

char *strcpy(char *restrict to, const char *restrict from)
{
	return memcpy(to, from, strlen(from) + 1);
}

char *strchr(const char *s, int c)
{
	for (; *s != (char)c; s++)
		if (!*s)
			return NULL;
	return (char *)s;
}

char *strrchr(const char *s, int c)
{
	const char *found = NULL;

	do {
		if (*s == (char)c)
			found = s;
	} while (*s++);
	return (char *)found;
}

char *strstr(const char *s, const char *part)
{
	size_t n = strlen(part);

	for (; strncmp(s, part, n); s++)
		if (!*s)
			return NULL;
	return (char *)s;
}
