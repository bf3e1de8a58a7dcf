/* SPDX-License-Identifier: MIT */
/*
 * Branch stacks to counts of branches and ranges at raw addresses. The inner loop of every
 * conversion: one look-up per entry in a hash table, nothing else.
 *
 * Stacks that softlbr copied where a trace begins (record --stack-copy): of each thread the last
 * one, until the trace that belongs to it comes.
 */
#pragma once

#include "base/map.h"
#include "base/vector.h"
#include "converter/samples/address_space.h"
#include "converter/samples/funnel.h"
#include "converter/samples/sample_events.h"
#include "converter/samples/steps.h"
#include "converter/samples/traces.h"
#include "formats/perfdata.h"

/* ---- counting by threads (step_counter.c) -------------------------------------------------- */

/* So many distinct steps of a space are counted by the caller; a step takes 40 bytes, its table up
 * to twice that. */
#define STEP_COUNTER_ALONE	16384
#define STEP_COUNTER_ALONE_TOLD 64

struct step_counter;

/* For @threads threads, the calling one included; NULL without memory. */
struct step_counter *step_counter_new(unsigned threads);
/* Count @count steps of @space and, unless @told is NULL, what is told of each, none of which has
 * an n of 0 then. Returns 0, or -1 without memory. */
int step_counter_add(struct step_counter *c, struct address_space *space, const struct step *items,
		     const struct step_told *told, size_t count);
/* Wait until all that was added is in the `steps` and `details` of its space: 0, or -1 without
 * memory. */
int step_counter_finish(struct step_counter *c);
/* Ends the threads; what is not finished is lost. NULL is fine. */
void step_counter_free(struct step_counter *c);

struct stack_sample {
	const struct address_space *space; /* where its addresses mean something */
	uint64_t time;			   /* that of its trace, too */
	uint64_t register_mask;
	uint64_t left;		/* callers that a recorded call stack went back to */
	uint64_t registers[64]; /* as in struct perfdata_sample */
	VECTOR(uint8_t) stack;	/* from the stack pointer on */
};

struct stack_samples {
	VECTOR(struct stack_sample) items;
	struct map threads; /* (tid, 0) -> n = number of the item + 1 */
};

/* The last stack of a thread, to find where softlbr cut a trace. */
struct stack_ends {
	uint64_t time;
	struct perfdata_branch newest, oldest;
	size_t trace; /* it is part of, as a number from 1 on; 0: not known */
	size_t count; /* entries of the softlbr trace up to its newest */
};

struct branch_stacks {
	struct funnel *funnel;
	struct step_counter *counter;
	uint64_t stride;
	struct traces *traces; /* NULL = counts will do */
	const struct trace_watcher
		*watcher;   /* is handed the traces, which are not kept then; NULL */
	bool predictions;   /* sum up which entries were predicted */
	bool first_runs;    /* note when code ran first */
	bool details;	    /* note what the entries say beside that they were taken */
	struct map threads; /* tid to its number in ends, from 1 on: softlbr's recordings only */
	VECTOR(struct stack_ends) ends;
	size_t last;			    /* whose stack came before, as a number in ends */
	const struct perf_event_attr *attr; /* of the record before, and what event that is */
	enum sample_event event;
	struct stack_samples copies;	 /* of user stacks, for the watcher */
	const struct stack_sample *copy; /* that of the record at hand */
};

/* Does the event leave branches out of its stacks? */
bool branch_stacks_are_filtered(const struct perf_event_attr *attr);
/* Are its entries the calls that have not returned yet (perf record --call-graph lbr)? */
bool branch_stacks_are_calls(const struct perf_event_attr *attr);
/* All are borrowed; @traces may be NULL, and nothing is noted beside. branch_stacks_deinit undoes
 * it, and is fine zeroed. */
void branch_stacks_init(struct branch_stacks *s, struct funnel *funnel,
			struct step_counter *counter, uint64_t stride, struct traces *traces);
void branch_stacks_deinit(struct branch_stacks *s);
/* The last trace is complete: hand it to the watcher, if there is one. 0, or what it returned. */
int branch_stacks_finish(struct branch_stacks *s);
/* A copied stack, whose trace is to come; the one before is complete. 0, or -1 without memory. */
int branch_stacks_add_copy(struct branch_stacks *s, const struct address_space *space,
			   const struct perfdata_record *record);
/* Count one record into @space; a later part of a trace is no sample of its own. 0, or -1 without
 * memory. */
int branch_stacks_add(struct branch_stacks *s, struct address_space *space,
		      const struct perfdata_info *info, const struct perfdata_record *record);
