/* SPDX-License-Identifier: MIT */
/*
 * The tracing core: pure logic that turns stops of a thread into a trace of taken branches. It is
 * given a thread's registers and a memory reader and says what to do next; backends (signal
 * handler, ptrace, replay in a test) do it. No system call, no allocation after core_init.
 *
 * Break Dancing (LCTES 2021), Algorithm 1, is what CORE_STATIC does: only unconditional direct
 * branches are resolved by decoding, every other branch needs a breakpoint.
 */
#ifndef COLLECTOR_CORE_H
#define COLLECTOR_CORE_H

#include <stddef.h>
#include <stdint.h>

#include "collector/trace.h"
#include "isa/evaluate.h"

enum core_lookahead {
	CORE_STATIC, /* resolve unconditional direct branches and calls: the paper's algorithm */
	CORE_OFF,    /* stop at every branch */
};

struct core_options {
	unsigned depth; /* taken branches per trace, 1 to TRACE_DEPTH_MAX */
	enum core_lookahead lookahead;
	/* Code where no breakpoint may be set: the collector's own. */
	uint64_t exclude_begin, exclude_end;
};

/* Why a trace ended early. */
enum core_reason {
	CORE_NONE,
	CORE_UNREADABLE,   /* code memory could not be read */
	CORE_UNDECODABLE,  /* no instruction there */
	CORE_EXCLUDED,	   /* entered the collector itself */
	CORE_NO_SUCCESSOR, /* ud2, hlt */
	CORE_TOO_FAR,	   /* no branch within CORE_WALK_LIMIT instructions */
	CORE_UNEVALUATED,  /* the branch's target could not be read */
	CORE_REASON_COUNT,
};

enum core_verdict {
	CORE_BREAK,    /* set a breakpoint at `address`; core_resume when it is hit */
	CORE_COMPLETE, /* the trace has its depth */
	CORE_ABANDON,  /* the trace ends early, see `reason`; what it holds is right */
};

struct core_action {
	enum core_verdict verdict;
	enum core_reason reason;
	uint64_t address;
};

struct core_counters {
	uint64_t resolved;   /* branches resolved without a stop */
	uint64_t unresolved; /* branches that needed one */
	uint64_t taken;	     /* of the unresolved ones */
	uint64_t decoded;    /* instructions decoded (cache misses) */
};

/* Straight-line instructions without a branch before the core gives up. */
#define CORE_WALK_LIMIT 65536u
/* Instructions that the decode cache holds (direct mapped by address). */
#define CORE_CACHE_SLOTS 1024u

struct core_cached {
	uint64_t address; /* 0 = free */
	struct isa_record record;
};

struct core {
	struct core_options options;
	struct isa_decoder *decoder;
	struct trace trace;
	struct isa_record pending; /* the branch that a breakpoint waits at */
	uint64_t pending_address;
	struct core_counters counters;
	struct core_cached *cache; /* CORE_CACHE_SLOTS */
};

/*
 * @entries has room for options->depth entries and @cache for CORE_CACHE_SLOTS, both zeroed and the
 * caller's. 0, or -1 without memory for the decoder.
 */
int core_init(struct core *c, const struct core_options *options, struct trace_entry *entries,
	      struct core_cached *cache);
void core_deinit(struct core *c);

/* A sample: start a trace where the thread is. */
struct core_action core_begin(struct core *c, struct isa_state *s, const struct isa_memory *m);
/* The breakpoint that the last action asked for was hit; the state's pc is its address. */
struct core_action core_resume(struct core *c, struct isa_state *s, const struct isa_memory *m);

const char *core_reason_text(enum core_reason reason);

#endif
