/* SPDX-License-Identifier: MIT */
/*
 * Where a raw address of a recording is: in the binary, and at which of its virtual addresses, or
 * in what else. Remembers the code that it found last, where most of the next addresses are.
 */
#pragma once

#include <stdint.h>

#include "converter/samples/address_space.h"
#include "converter/samples/aggregate.h"

struct locator {
	const struct aggregate_result *result; /* its binary is known among its modules */
	struct aggregate_recording *recording;
	const struct address_space *space;
	/* Code that lies in one piece in memory and in the binary; none at first. */
	uint64_t begin, bytes; /* at run time */
	struct location at_begin;
};

/* For addresses of @space. */
void locator_init(struct locator *f, const struct aggregate_result *result,
		  struct aggregate_recording *recording, const struct address_space *space);
struct location locator_find(struct locator *f, uint64_t address);
