/* SPDX-License-Identifier: MIT */
/* Quicksort with a median of three; short runs are finished by insertion. */
#include "sort.h"

#define SHORT_RUN 10

static int ascending(const int64_t *a, const int64_t *b)
{
	if (*a < *b)
		return -1;
	return *a > *b;
}

static int descending(const int64_t *a, const int64_t *b)
{
	return ascending(b, a);
}

static int digit_sum(int64_t number)
{
	int sum = 0;

	while (number > 0) {
		sum += (int)(number % 10);
		number /= 10;
	}
	return sum;
}

static int by_digit_sum(const int64_t *a, const int64_t *b)
{
	int difference = digit_sum(*a) - digit_sum(*b);

	if (difference)
		return difference;
	return ascending(a, b);
}

sort_compare *const sort_orders[3] = {ascending, descending, by_digit_sum};

static void exchange(int64_t *a, int64_t *b)
{
	int64_t kept = *a;

	*a = *b;
	*b = kept;
}

static void insert_all(int64_t *items, size_t count, sort_compare *compare)
{
	for (size_t i = 1; i < count; i++) {
		int64_t item = items[i];
		size_t at = i;

		while (at > 0 && compare(&items[at - 1], &item) > 0) {
			items[at] = items[at - 1];
			at--;
		}
		items[at] = item;
	}
}

static int64_t median(int64_t *items, size_t count, sort_compare *compare)
{
	int64_t *low = items;
	int64_t *middle = items + count / 2;
	int64_t *high = items + count - 1;

	if (compare(low, middle) > 0)
		exchange(low, middle);
	if (compare(middle, high) > 0)
		exchange(middle, high);
	if (compare(low, middle) > 0)
		exchange(low, middle);
	return *middle;
}

void sort_numbers(int64_t *items, size_t count, sort_compare *compare)
{
	while (count > SHORT_RUN) {
		int64_t pivot = median(items, count, compare);
		int64_t *low = items;
		int64_t *high = items + count - 1;
		size_t left;

		while (low <= high) {
			while (compare(low, &pivot) < 0)
				low++;
			while (compare(high, &pivot) > 0)
				high--;
			if (low <= high) {
				exchange(low, high);
				low++;
				high--;
			}
		}
		left = (size_t)(high - items) + 1;
		if (left < count / 2) {
			sort_numbers(items, left, compare);
			count -= (size_t)(low - items);
			items = low;
		} else {
			sort_numbers(low, count - (size_t)(low - items), compare);
			count = left;
		}
	}
	insert_all(items, count, compare);
}
