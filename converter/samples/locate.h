/* SPDX-License-Identifier: MIT */
/*
 * Where a raw address of a recording is: in the binary, and at which of its virtual addresses, or
 * in what else. Remembers the code that it found last, where most of the next addresses are.
 */
#ifndef CONVERTER_SAMPLES_LOCATE_H
#define CONVERTER_SAMPLES_LOCATE_H

#include <stdint.h>

#include "converter/samples/address_space.h"
#include "converter/samples/aggregate.h"

enum where { IN_BINARY, IN_OTHER, IN_KERNEL, IN_NOTHING };

struct place {
	enum where where;
	int64_t module; /* -1 = none */
	uint64_t va;	/* in the binary */
};

struct place_finder {
	const struct aggregate *a; /* its binary is known among its modules */
	struct address_history *history;
	const struct address_space *space;
	/* Code that lies in one piece in memory and in the binary; none at first. */
	uint64_t begin, bytes; /* at run time */
	struct place at_begin;
};

/* For addresses of @space. */
void place_finder_init(struct place_finder *f, const struct aggregate *a,
		       struct address_history *history, const struct address_space *space);
struct place place_find(struct place_finder *f, uint64_t address);

#endif
