/* SPDX-License-Identifier: MIT */
/*
 * The traces of a recording as they were, oldest branch first: what counting steps alone forgets,
 * and what estimating frequencies needs. A branch is a number, 4 bytes; a trace that softlbr cut
 * into several records is one trace again, or several if those of other threads stand in between.
 */
#pragma once

#include <stdbool.h>
#include <stdint.h>

#include "base/vector.h"

struct address_space;
struct stack_sample;

struct trace_branch {
	const struct address_space *space; /* where its addresses mean something */
	uint64_t from, to;
};

struct traces {
	VECTOR(struct trace_branch) branches; /* distinct ones, in the order of their first trace */
	VECTOR(uint32_t) after;		      /* by branch: which was added behind it last */
	uint32_t last;			      /* the branch that was added last */
	VECTOR(uint32_t) entries;	      /* branch numbers, trace after trace */
	VECTOR(size_t) begins;		      /* of each trace, among the entries */
	VECTOR(size_t) firsts;		  /* of each, the trace that it goes on with, or itself */
	VECTOR(uint64_t) weights;	  /* of each trace; 0 = not known */
	VECTOR(uint64_t) times;		  /* each trace was seen */
	uint64_t seen;			  /* their sum, of whole traces */
	const struct stack_sample *stack; /* of the only trace that is to be handed on */
};

/* One trace, for those who look at each while it is read. */
struct trace {
	const uint32_t *entries; /* branch numbers, oldest first; at least one */
	size_t count;
	uint64_t weight, times;
	/* A recorded call stack: calls that have not returned, the outermost first, and behind them
	 * where the sample was, as a branch from there to there */
	bool is_call_stack;
	/* as it was where the trace began, or before what a call stack has; NULL: not known */
	const struct stack_sample *stack;
};

/* Who is handed each trace of a recording; @all has the branches that were met so far. 0, or -1
 * without memory. */
struct trace_watcher {
	int (*take)(void *context, const struct traces *all, const struct trace *t);
	void *context;
};

/* Start zeroed; frees, and may then be used again. */
void traces_deinit(struct traces *t);
/* Add a branch; 0, or -1 without memory. */
int traces_add(struct traces *t, struct address_space *space, uint64_t from, uint64_t to);
/* The entries from number @first on were added newest first: put them right. */
void traces_reverse(struct traces *t, size_t first);
/* With entry number @first a trace begins, the last so far, which goes on with trace number
 * @part_of or is that itself; 0, or -1 without memory. */
int traces_begin(struct traces *t, size_t first, size_t part_of, uint64_t weight, uint64_t times);
/* Hand the only trace, whose last entry is before number @end, to @w and forget it; what follows is
 * the first entry then. 0, or what @w returned. */
int traces_hand_on(struct traces *t, size_t end, const struct trace_watcher *w);
