/* SPDX-License-Identifier: MIT */
/*
 * The name that was probably meant, among those that there are. The distance is the number of
 * letters put in, left out, replaced, or swapped with their neighbour (optimal string alignment).
 */
#pragma once

#include <stddef.h>

struct suggestion {
	const char *word;    /* as it was written, borrowed */
	const char *nearest; /* of the names offered so far; NULL: none is near */
	size_t distance;     /* of nearest; without one, what is too far */
};

/* @word is borrowed. A third of its letters may be wrong, and at least one. */
void suggestion_begin(struct suggestion *s, const char *word);
/* @name is borrowed; of equally near ones the first stays. */
void suggestion_offer(struct suggestion *s, const char *name);
