/* SPDX-License-Identifier: MIT */
/*
 * What the collector costs a process beside its handlers: what calls that stand before libc's take
 * above libc's own (COUNTER_CALL_TICKS), and threads and processes that come into the recording or
 * leave it (COUNTER_START_NS).
 *
 * Timing must not make calls dearer: of the later ones of a kind one in CALL_COST_PART is timed,
 * and stands for all.
 */
#pragma once

#include <stdint.h>

/* A prime: calls come in pairs. */
#define CALL_COST_PART 61u

enum call_cost_kind {
	CALL_COST_MASK,	  /* of signals: one system call without us */
	CALL_COST_CREATE, /* of a thread, without libc's part */
	CALL_COST_BEGIN,  /* of a thread */
	CALL_COST_END,	  /* the same, or of a process */
	CALL_COST_JOIN,	  /* of a process */
	CALL_COST_KINDS
};

struct call_cost {
	enum call_cost_kind kind;
	uint32_t weight; /* this call stands for so many; 0: it is not timed */
	uint64_t begun;	 /* ticks of a mask's, else ns of the thread's processor time */
};

/* A call's own work begins; it is over. In handlers of the program's too. */
struct call_cost call_cost_begin(enum call_cost_kind kind);
void call_cost_end(const struct call_cost *c);

/* A call took @ticks. Where that is many times what the last ones took, @usual, others had the
 * processor meanwhile: then the usual. */
static inline uint64_t call_cost_clip(uint64_t *usual, uint64_t ticks)
{
	uint64_t most = *usual * 8;

	if (*usual && ticks > most) {
		*usual += *usual / 8 + 1; /* or calls have come to take longer */
		return *usual;
	}
	*usual = *usual ? (7 * *usual + ticks) / 8 : ticks;
	return ticks;
}
