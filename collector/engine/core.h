/* SPDX-License-Identifier: MIT */
/*
 * The tracing core: pure logic that turns stops of a thread into a trace of taken branches. It is
 * given a thread's registers and a memory reader and says what to do next; backends (signal
 * handler, ptrace, replay in a test) do it. No system call, no allocation.
 *
 * Break Dancing (LCTES 2021), Algorithm 1, is what CORE_STATIC does: only unconditional direct
 * branches are resolved by decoding, every other branch needs a breakpoint. CORE_FULL evaluates
 * ahead, which the paper's section 3.3 names as future work: a breakpoint only where something is
 * not known.
 */
#pragma once

#include "collector/engine/decode_cache.h"
#include "collector/engine/first_touch.h"
#include "collector/engine/restartable.h"
#include "collector/engine/site_values.h"
#include "collector/engine/trace.h"
#include "collector/engine/waypoints.h"
#include "isa/path.h"

enum core_lookahead {
	CORE_FULL,   /* evaluate instructions on a copy of the registers */
	CORE_STATIC, /* resolve unconditional direct branches and calls: the paper's algorithm */
	CORE_OFF,    /* stop at every branch */
};

struct core_options {
	unsigned depth; /* taken branches per trace, 1 to TRACE_DEPTH_MAX */
	/* Where a path with first-touch points has come so far without a stop, it goes on to these:
	 * the longer, the better it is timed. 0: the same. */
	unsigned depth_most;
	enum core_lookahead lookahead;
	/* Without evaluation, a walk ends at system calls: what they change is not seen. */
	bool end_at_system_calls;
	unsigned audit;	    /* check the end of one trace in so many; 0 = none */
	bool audit_untimed; /* and of every one in which no segment can be timed */
	/* Code where no breakpoint may be set: the collector's own. */
	uint64_t exclude_begin, exclude_end;
	struct restartable *restartable; /* nor there; or NULL */
	bool ends_early; /* where more of a path would tell nothing (CORE_REPEATS, CORE_SLOW_*) */
	const struct rate_machine *machine; /* with first-touch points and waypoints; else NULL */
};

/* Why a trace ended early: X(CORE_..., its name in statistics, core_reason_text). */
/* clang-format off */
#define CORE_REASONS(X) \
	X(NONE, "none", "none") \
	X(UNREADABLE, "unreadable", "code could not be read") \
	X(UNDECODABLE, "undecodable", "not an instruction") \
	X(EXCLUDED, "excluded", "entered the collector") \
	X(NO_SUCCESSOR, "no_successor", "no successor") /* ud2, hlt */ \
	X(TOO_FAR, "too_far", "no taken branch in reach") /* within CORE_WALK_LIMIT instructions */ \
	X(UNEVALUATED, "unevaluated", "target could not be read") \
	X(SYSTEM_CALL, "system_call", "came to a system call") /* that the backend does not follow */ \
	X(TOO_OFTEN, "too_often", "a breakpoint would be hit too often before") \
	X(MISPREDICTED, "mispredicted", "not as look-ahead claimed") /* the trace is dropped */ \
	X(RESTARTABLE, "restartable", "in a restartable sequence") /* where no breakpoint may stand */ \
	X(EXCLUSIVE, "exclusive", "behind a load-exclusive") /* whose store would fail */ \
	X(CROSSED, "crossed", "a signal came where hits were counted") /* perhaps one twice */
/* clang-format on */

enum core_reason {
#define X(reason, name, text) CORE_##reason,
	CORE_REASONS(X)
#undef X
		CORE_REASON_COUNT,
};

enum core_verdict {
	CORE_BREAK,    /* set a breakpoint at `address`; core_resume when it is hit */
	CORE_COMPLETE, /* the trace has its depth */
	CORE_ABANDON,  /* the trace ends early, see `reason`; what it holds is right */
	CORE_DROP,     /* what the trace holds is not what happened */
};

struct core_action {
	enum core_verdict verdict;
	enum core_reason reason;
	uint64_t address;
	unsigned skip; /* hits to let pass first: the predicted path passes before */
	/* Where the thread is to be stopped first, as it stands at `address` and would be stopped
	 * there again at once: a stepping breakpoint; 0: nowhere. */
	uint64_t stepping;
};

struct core_counters {
	uint64_t resolved;	  /* branches resolved without a stop */
	uint64_t resolved_static; /* of them by decoding alone: direct jumps and calls */
	uint64_t resolved_taken;  /* of them taken, static ones included */
	uint64_t unresolved;	  /* branches that needed one */
	uint64_t taken;		  /* of the unresolved ones */
	uint64_t standing;	  /* of them, where a stop for something else found the thread */
	uint64_t unmodelled;	  /* stops behind what can't be evaluated (system calls) */
	uint64_t decoded;	  /* instructions decoded */
	uint64_t decode_ticks;	  /* time spent on that (isa/host.h) */
	uint64_t evaluated;	  /* instructions evaluated */
	uint64_t audits;	  /* trace ends checked */
	uint64_t audits_wrong;	  /* of them not as claimed */
	uint64_t breakpoint_free; /* traces completed without any breakpoint */
};

/* A path that came to no code and no word of memory for the first time in so many taken branches is
 * a loop that more of them say nothing of; it ends, where it is timed all the same. */
#define CORE_REPEATS 1024u
/* One of so many branches that takes so long by the model is timed well enough. */
#define CORE_SLOW_BRANCHES 2048u
#define CORE_SLOW_PS	   50000000u

/* Instructions without a taken branch before the core gives up. */
#define CORE_WALK_LIMIT 65536u

/* What the breakpoint that is awaited is for. */
enum core_pending {
	PENDING_BRANCH, /* evaluate the branch there */
	PENDING_BEHIND, /* something that can't be evaluated is over: go on from there */
	PENDING_AUDIT,	/* the trace is complete: compare */
};

/* What a backend lends to a core: see core_init. */
struct core_memory {
	struct isa_taken *entries;
	uint8_t *kinds;		    /* as many */
	struct isa_state *states;   /* two */
	struct decode_cache *cache; /* may be shared by many cores */
};

struct core {
	struct core_options options;
	struct decode_cache *cache;
	struct trace trace;
	struct isa_state
		*now; /* being evaluated, or what was claimed when the breakpoint was set */
	struct isa_state *stop; /* the thread as it stopped: core_state */
	enum core_pending pending;
	struct isa_record pending_record; /* PENDING_BRANCH */
	uint64_t pending_address;
	/* the path since the last stop, to count visits in */
	uint64_t path_begin;
	unsigned path_entry;	   /* of the trace */
	bool path_from_breakpoint; /* which stands where it begins */
	uint64_t at_breakpoint;	   /* the one that the thread stands at; 0: none */
	bool stopped;		   /* this trace needed a breakpoint */
	unsigned met_new;	   /* branches of it when it last came to something new */
	unsigned counted_taken;	   /* of them: in counters */
	unsigned limit;		   /* of this trace: options.depth, or depth_most */
	uint64_t until_audit;
	struct core_counters counters;
	struct first_touches *first_touches; /* of the path; NULL: not wanted */
	struct waypoints *waypoints;	     /* of the path, with first_touches; NULL: not wanted */
	struct site_values *values;	     /* of the path; NULL: not wanted */
	struct isa_path path;		     /* what is evaluated of the trace */
	struct isa_tally counted;	     /* of it: in counters */
	struct isa_block scratch;	     /* the block that is being decoded */
};

/*
 * @lent: room for options->depth entries, two states and a decode cache, all zeroed and the
 * caller's.
 */
void core_init(struct core *c, const struct core_options *options, const struct core_memory *lent);

/* Where the backend loads the registers of a stop, before core_begin and core_resume. */
static inline struct isa_state *core_state(struct core *c)
{
	return c->stop;
}

/* A sample: start a trace where the thread is. */
struct core_action core_begin(struct core *c, const struct isa_memory *m);
/* The breakpoint that the last action asked for was hit (after its skips); the loaded state's pc is
 * its address. */
struct core_action core_resume(struct core *c, const struct isa_memory *m);

/* What the trace took so far, with the lines that it loaded. */
struct rate_work core_work(const struct core *c, const struct cache_lines *lines);
/* Is the thread's stack pointer, as loaded, the one that was claimed for its breakpoint? False
 * where nothing is claimed. */
bool core_stack_agrees(const struct core *c);
/* Is it an audit that the breakpoint is for? */
bool core_audits(const struct core *c);
/* May a breakpoint stand there? */
bool core_may_stand(const struct core *c, uint64_t address);
/* How often the path since the last stop runs over @address before the trace has @branches. */
unsigned core_visits(const struct core *c, uint64_t address, unsigned branches);

/* The block at @address, which is reached behind @before (NULL: from elsewhere) by a branch that is
 * @taken or not, decoded if it is new; NULL and why if there is none to follow. */
const struct isa_block *core_block_behind(struct core *c, const struct isa_block *before,
					  bool taken, uint64_t address, const struct isa_memory *m,
					  enum core_reason *why);
/* The stopped thread's registers become those that are evaluated, and the other way round. */
void core_take_stop(struct core *c);

const char *core_reason_text(enum core_reason reason);
const char *core_lookahead_text(enum core_lookahead lookahead);
