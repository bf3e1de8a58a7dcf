/* SPDX-License-Identifier: MIT */
/*
 * Where no breakpoint may stand: restartable sequences (rseq(2)). The kernel takes a thread that a
 * signal stops in one back to its beginning, so a breakpoint there would change the program's way,
 * and be hit again for ever. Their places are told by the section __rseq_cs of the programs and
 * libraries, whose entries are struct rseq_cs (include/uapi/linux/rseq.h); where a breakpoint came
 * out elsewhere than it stood, that address is remembered too, so that what no section tells is met
 * once.
 */
#ifndef COLLECTOR_RESTARTABLE_H
#define COLLECTOR_RESTARTABLE_H

#include <stdbool.h>
#include <stdint.h>

#define RESTARTABLE_RANGES 512u
#define RESTARTABLE_LEARNT 256u

struct restartable_range {
	uint64_t begin, end;
};

struct restartable {
	uint32_t count; /* of ranges; atomic */
	struct restartable_range ranges[RESTARTABLE_RANGES];
	uint64_t learnt[RESTARTABLE_LEARNT]; /* atomic; 0 = free */
};

/* May be called in handlers, as restartable_learn. */
bool restartable_contains(const struct restartable *r, uint64_t address);
void restartable_learn(struct restartable *r, uint64_t address);

/* Add a range; for one caller at a time. */
void restartable_add(struct restartable *r, uint64_t begin, uint64_t end);

/* Look at this process's objects, if there are others than at the last look. Not in handlers. */
void restartable_scan(struct restartable *r);

#endif
