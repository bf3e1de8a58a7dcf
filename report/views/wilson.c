/* SPDX-License-Identifier: MIT */
#include "report/views/wilson.h"

#include <math.h>

/* Of 95 % of a normal distribution, in standard deviations. */
#define Z 1.959964

void wilson_interval(uint64_t part, uint64_t whole, double *low, double *high)
{
	double n = (double)whole, p = (double)part / n;
	double centre = p + Z * Z / (2 * n);
	double half = Z * sqrt(p * (1 - p) / n + Z * Z / (4 * n * n));
	double scale = 1 + Z * Z / n;

	*low = part ? fmax(0, (centre - half) / scale) : 0;
	*high = part < whole ? fmin(1, (centre + half) / scale) : 1;
}
