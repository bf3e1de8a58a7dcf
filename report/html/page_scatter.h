/* SPDX-License-Identifier: MIT */
/* Shares of two sides against each other, as SVG with logarithmic axes. */
#ifndef REPORT_HTML_PAGE_SCATTER_H
#define REPORT_HTML_PAGE_SCATTER_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>
#include <stdio.h>

struct page_point {
	double share[2];   /* of A and B, in [0,1] */
	const char *name;  /* of a function */
	uint64_t from, to; /* of an edge; 0 of none */
};

/* Points in the order given, demangled unless @mangled where the pointer rests on one. */
void page_scatter_put(const struct page_point *points, size_t count, bool mangled, FILE *out);

#endif
