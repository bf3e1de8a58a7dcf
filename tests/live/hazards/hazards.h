/* SPDX-License-Identifier: MIT */
/* Hostile programs: each does what makes a guest's life hard, checks itself, and prints what does
 * not depend on addresses, times and process ids. */
#pragma once

#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>

#include "../busy.h"

/* Status 75: not to be had here. */
#define NOT_HERE 75

struct hazard {
	const char *name;
	int (*run)(char **argv); /* argv[2] and on are its own */
};

extern const struct hazard hazards_processes[], hazards_threads[], hazards_memory[],
	hazards_signals[], hazards_system[], hazards_sandboxed[];

static inline void hazard_expect(const char *what, long found, long wanted)
{
	if (found != wanted)
		printf("%s: %ld, not %ld\n", what, found, wanted);
}
