/* SPDX-License-Identifier: MIT */
/* How often each value of something was seen: its median and mean, and where its peaks are. */
#pragma once

#include <stdbool.h>
#include <stdint.h>

#include "base/vector.h"

struct distribution_point {
	uint64_t value, n;
};

struct distribution {
	VECTOR(struct distribution_point) points; /* ascending by value, as they are added */
	uint64_t count, sum;			  /* of n, of n * value */
};

/* Values from 2^i to 2^(i + 1) - 1, the last bin's upwards; 0 is in the first one. */
#define DISTRIBUTION_BINS 24

struct distribution_histogram {
	uint64_t bins[DISTRIBUTION_BINS];
	/* of a bin that is a peak its most frequent value, else 0: more than 5 % of all are in it,
	 * no bin beside it has more, and between it and the next peak there is one with less than
	 * half of the smaller of both */
	uint64_t peaks[DISTRIBUTION_BINS];
};

/* Start zeroed; frees. */
void distribution_deinit(struct distribution *d);
/* Add @n of @value, which is not below the last one; 0, or -1 without memory. */
int distribution_add(struct distribution *d, uint64_t value, uint64_t n);
/* The least value that a share @q of all are not above, as the median is of 0.5; 0 of nothing. */
uint64_t distribution_quantile(const struct distribution *d, double q);
double distribution_mean(const struct distribution *d);
void distribution_bin(const struct distribution *d, struct distribution_histogram *h);

#define DISTRIBUTION_PEAKS_BYTES 400
/* "1, 22": the most frequent value of each peak. */
void distribution_peaks_text(const struct distribution *d, char *room, size_t size);
