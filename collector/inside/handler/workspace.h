/* SPDX-License-Identifier: MIT */
/*
 * What following a trace needs: a core with its states, the memory that was read, the trace. It is
 * some 830 KB of addresses, so threads do not have one each: one is taken when a trace begins, and
 * given back when it is done, and memory is touched for as many as are in use at once. Each slot of
 * a thread comes with one, so that one is always free.
 */
#pragma once

#include "collector/engine/core.h"
#include "collector/engine/cache_lines.h"
#include "collector/engine/memory_reader.h"
#include "collector/engine/stack_copy.h"

struct process; /* collector/inside/handler/process.h */
struct arena;	/* collector/inside/handler/arena.h */

enum workspace_state {
	WORKSPACE_NONE, /* not made yet */
	WORKSPACE_FREE,
	WORKSPACE_TAKEN,
};

struct workspace {
	uint32_t state;	  /* enum workspace_state; atomic */
	uint32_t session; /* of the process, that the options are of */
	uint32_t number;
	struct core core;
	struct core_counters seen; /* of the core, as last added to the process's */
	struct memory_reader reader;
	struct cache_lines lines;
	struct first_touches first_touches;
	struct waypoints waypoints;
	struct site_values values;
	struct load_times times;
	struct stack_copy copy;
};

/* The arena of workspaces. */
void workspace_init(struct arena *workspaces);
/* A place for number @number: not in handlers. 0 or -1 without memory. */
int workspace_make(struct process *p, uint32_t number);
/* Take one, @wanted if it is free; NULL if there is none. */
struct workspace *workspace_take(struct process *p, uint32_t wanted);
/* What was counted in the trace that ends now is the process's. */
void workspace_count(struct workspace *w, struct process *p);
void workspace_give_back(struct workspace *w);
/* In the child of a fork: nobody has any. */
void workspace_forget(struct process *p);
