/* SPDX-License-Identifier: MIT */
/*
 * The Wilson score interval (E. B. Wilson, 1927): what a probability may be, at 95 % confidence,
 * where @part of @whole independent trials succeeded. Unlike p +- 2 s it stays in [0, 1], and holds
 * for few trials and for shares near 0 and 1.
 */
#ifndef REPORT_VIEWS_WILSON_H
#define REPORT_VIEWS_WILSON_H

#include <stdint.h>

/* @whole is not 0. */
void wilson_interval(uint64_t part, uint64_t whole, double *low, double *high);

#endif
