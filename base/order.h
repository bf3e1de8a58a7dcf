/* SPDX-License-Identifier: MIT */
/*
 * Comparisons for qsort(3) and bsearch(3). ORDER_BY defines one: the first of the members that
 * differs between a and b, which are of @type, decides.
 *
 *	ORDER_BY(longest_first, struct range, ORDER_DOWN(length) ?: ORDER_UP(begin));
 */
#pragma once

#include <stdint.h>
#include <string.h>

#define ORDER_UP(member)   ((a->member > b->member) - (a->member < b->member))
#define ORDER_DOWN(member) ((a->member < b->member) - (a->member > b->member))
#define ORDER_BY(name, type, ...)                     \
	static int name(const void *x, const void *y) \
	{                                             \
		const type *a = x;                    \
		const type *b = y;                    \
                                                      \
		return __VA_ARGS__;                   \
	}                                             \
	static int name(const void *x, const void *y)

/* As strcmp. */
static inline int order_numbers(uint64_t a, uint64_t b)
{
	return a < b ? -1 : a > b;
}

/* The smaller of two numbers of which 0 says that it is not known. */
static inline uint64_t order_least_known(uint64_t a, uint64_t b)
{
	return b - 1 < a - 1 ? b : a; /* 0 becomes the greatest */
}

static inline int order_reals(double a, double b)
{
	return (a > b) - (a < b);
}

/* Of two texts in an array of them. */
static inline int order_texts(const void *x, const void *y)
{
	return strcmp(*(const char *const *)x, *(const char *const *)y);
}
