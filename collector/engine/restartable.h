/* SPDX-License-Identifier: MIT */
/*
 * Where no breakpoint may stand: restartable sequences (rseq(2)). The kernel takes a thread that a
 * signal stops in one back to its beginning, so a breakpoint there would change the program's way,
 * and be hit again for ever. Their places are told by the section __rseq_cs of the programs and
 * libraries, whose entries are struct rseq_cs (include/uapi/linux/rseq.h); where a breakpoint came
 * out elsewhere than it stood, that address is remembered too, so that what no section tells is met
 * once.
 */
#pragma once

#include <stdbool.h>
#include <stdint.h>

#define RESTARTABLE_RANGES 512u
#define RESTARTABLE_LEARNT 256u

struct restartable_range {
	uint64_t begin, end;
};

struct restartable {
	/* Looks for what is not known yet, @address at least, each time that a breakpoint is to be
	 * set; false if that can't be told just now. NULL: there is nothing to find. */
	bool (*look)(struct restartable *r, uint64_t address);
	uint32_t pid;
	uint32_t unloaded; /* objects are gone since the last look; atomic */
	uint32_t count;	   /* of ranges; atomic */
	struct restartable_range ranges[RESTARTABLE_RANGES];
	uint64_t learnt[RESTARTABLE_LEARNT]; /* atomic; 0 = free */
};

/* All may be called in handlers. */

/* May a breakpoint stand at @address? Not if that can't be told just now. */
bool restartable_allows(struct restartable *r, uint64_t address);
void restartable_learn(struct restartable *r, uint64_t address);

/* Add a range; for one caller at a time. */
void restartable_add(struct restartable *r, uint64_t begin, uint64_t end);
