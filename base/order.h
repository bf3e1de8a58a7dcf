/* SPDX-License-Identifier: MIT */
/* For comparisons that sort. */
#ifndef BASE_ORDER_H
#define BASE_ORDER_H

#include <stdint.h>

/* As strcmp. */
static inline int order_numbers(uint64_t a, uint64_t b)
{
	return a < b ? -1 : a > b;
}

#endif
