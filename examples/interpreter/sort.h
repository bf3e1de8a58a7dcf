/* SPDX-License-Identifier: MIT */
/* Sorting of numbers by a comparison function. */
#ifndef SORT_H
#define SORT_H

#include <stddef.h>
#include <stdint.h>

typedef int sort_compare(const int64_t *a, const int64_t *b);

void sort_numbers(int64_t *items, size_t count, sort_compare *compare);

/* The orders that a program can ask for. */
extern sort_compare *const sort_orders[3];

#endif
