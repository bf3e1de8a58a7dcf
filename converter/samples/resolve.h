/* SPDX-License-Identifier: MIT */
/* What aggregate.c (reading) and aggregate_resolve.c share. */
#ifndef CONVERTER_SAMPLES_RESOLVE_H
#define CONVERTER_SAMPLES_RESOLVE_H

#include "converter/samples/aggregate.h"

/* @n times the weight of the recording at hand; saturates. */
uint64_t resolve_weighed(const struct aggregate *a, uint64_t n);
/* Add what was counted with @h; the @last time it is freed meanwhile. 0, or -1 without memory. */
int resolve_history(struct aggregate *a, struct address_history *h, bool last);

#endif
