/* SPDX-License-Identifier: MIT */
/*
 * What can be said of counters for gcc by themselves, and beside keys: whether they contradict each
 * other, what they cover, and which functions have changed since.
 */
#pragma once

#include "base/strings.h"
#include "converter/binary/binary.h"
#include "converter/gcc/files/counter_keys.h"

/* Why gcc refuses the counters of a function ("corrupted profile info", "corrupted value profile"),
 * or takes them for less than they were. */
enum counter_fault {
	COUNTER_FAULT_NONE,
	COUNTER_FAULT_FLOW,  /* less than nothing would flow somewhere */
	COUNTER_FAULT_VALUE, /* a site has seen more or fewer values than its block ran */
	COUNTER_FAULT_FULL,  /* a counter is as great as it can be */
};

struct counter_verdict {
	const char *name; /* in names; NULL: not known */
	uint32_t ident;
	uint64_t total; /* of its arcs' counters */
	enum counter_match match;
	enum counter_fault fault;
};

struct counter_check {
	struct strings *names;
	VECTOR(struct counter_verdict) functions; /* by falling total */
	bool has_keys;
	bool instrumented; /* of an instrumented program: exact */
	struct counter_note note;
	uint64_t total, executed, blocks, blocks_run; /* blocks: of functions that ran */
	uint64_t untrue;			      /* of total, in functions with a fault */
	uint64_t matched[COUNTER_MATCHES];	      /* of total */
	uint64_t keyed, covered; /* functions of the keys; those that have counters */
	uint64_t objects, runs;
};

/*
 * @keys: of the counters, as counter_keys_open has it; @now: keys of the build that is to use them,
 * NULL: the same. @binary: for names, or NULL. @out is initialised by the call, to be ended with
 * counter_check_deinit.
 */
int counter_check_make(struct counter_check *out, const struct counter_directory *d,
		       const char *keys, const char *now, const struct binary *binary,
		       struct softlbr_error *e);
void counter_check_deinit(struct counter_check *c);
const char *counter_fault_name(enum counter_fault fault);
/* "unchanged", "moved", "changed", "gone" */
const char *counter_match_name(enum counter_match match);
