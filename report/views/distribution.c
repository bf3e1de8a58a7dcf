/* SPDX-License-Identifier: MIT */
#include "report/views/distribution.h"

#include <inttypes.h>
#include <stdio.h>

#define PEAK_SHARE 0.05

void distribution_deinit(struct distribution *d)
{
	vector_deinit(&d->points);
	*d = (struct distribution){0};
}

int distribution_add(struct distribution *d, uint64_t value, uint64_t n)
{
	struct distribution_point *last = d->points.count ? &d->points.items[d->points.count - 1]
							  : NULL;

	if (!last || last->value != value) {
		last = vector_push(&d->points);
		if (!last)
			return -1;
		*last = (struct distribution_point){value, 0};
	}
	last->n += n;
	d->count += n;
	d->sum += n * value;
	return 0;
}

uint64_t distribution_quantile(const struct distribution *d, double q)
{
	const struct distribution_point *p;
	uint64_t below = 0;

	vector_each (&d->points, p) {
		below += p->n;
		if ((double)below >= q * (double)d->count)
			return p->value;
	}
	return 0;
}

double distribution_mean(const struct distribution *d)
{
	return d->count ? (double)d->sum / (double)d->count : 0;
}

static unsigned bin_of(uint64_t value)
{
	unsigned bin = value ? 63 - (unsigned)__builtin_clzll(value) : 0;

	return bin < DISTRIBUTION_BINS ? bin : DISTRIBUTION_BINS - 1;
}

/* Is there no valley between the peak at @before and the bin at @at? Then they are one. */
static bool is_same_peak(const uint64_t *bins, unsigned before, unsigned at)
{
	uint64_t smaller = bins[before] < bins[at] ? bins[before] : bins[at];

	for (unsigned i = before + 1; i < at; i++)
		if (2 * bins[i] < smaller)
			return false;
	return true;
}

static bool is_local_maximum(const struct distribution_histogram *h, unsigned i)
{
	return (!i || h->bins[i - 1] <= h->bins[i]) &&
	       (i + 1 == DISTRIBUTION_BINS || h->bins[i + 1] <= h->bins[i]);
}

void distribution_bin(const struct distribution *d, struct distribution_histogram *h)
{
	uint64_t modes[DISTRIBUTION_BINS] = {0}, most[DISTRIBUTION_BINS] = {0};
	const struct distribution_point *p;
	int before = -1;

	*h = (struct distribution_histogram){{0}, {0}};
	vector_each (&d->points, p) {
		unsigned bin = bin_of(p->value);

		h->bins[bin] += p->n;
		if (p->n <= most[bin])
			continue;
		most[bin] = p->n;
		modes[bin] = p->value;
	}
	for (unsigned i = 0; i < DISTRIBUTION_BINS; i++) {
		if (!is_local_maximum(h, i) ||
		    !((double)h->bins[i] > PEAK_SHARE * (double)d->count))
			continue;
		if (before >= 0 && is_same_peak(h->bins, (unsigned)before, i)) {
			if (h->bins[i] <= h->bins[before])
				continue;
			h->peaks[before] = 0;
		}
		h->peaks[i] = modes[i];
		before = (int)i;
	}
}

void distribution_peaks_text(const struct distribution *d, char *room, size_t size)
{
	struct distribution_histogram h;
	size_t used = 0;

	room[0] = '\0';
	distribution_bin(d, &h);
	for (unsigned i = 0; i < DISTRIBUTION_BINS && used < size; i++)
		if (h.peaks[i])
			used += (size_t)snprintf(room + used, size - used, "%s%" PRIu64,
						 used ? ", " : "", h.peaks[i]);
}
