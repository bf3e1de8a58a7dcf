/* SPDX-License-Identifier: MIT */
/* The in-process backend: what one profiled process shares between its threads. */
#pragma once

#include "base/atomics.h"
#include "collector/shared/buffer.h"
#include "collector/shared/session.h"
#include "collector/shared/trusted.h"
#include "collector/engine/shared_depth.h"
#include "collector/inside/handler/arena.h"
#include "collector/inside/handler/own_pages.h"
#include "collector/inside/handler/rwlock.h"
#include "collector/inside/handler/thread.h"

#define PROCESS_THREADS_MAX 2048u
/* Of the decode cache, for most programs. */
#define PROCESS_CACHE_BYTES (2u << 20)

/* A sample that a thread was to have at @moment of its life, ns, but for which it had no clock. */
struct missed_sample {
	uint64_t moment;
	uintptr_t kind; /* its start routine */
	uint32_t tries; /* threads that had it to take */
};

#define MISSED_SAMPLES_MOST 16u

/* Who looks for threads that wait. */
enum late_clocks_state {
	LATE_CLOCKS_NONE,
	LATE_CLOCKS_STARTED, /* a thread is being started for it */
	LATE_CLOCKS_AWAKE,
};

/* Threads without a clock, as yet, and the thread of ours that gives them one (late_clock.c). */
struct late_clocks {
	uint32_t tid;	  /* the kernel's word: of that thread; 0: none */
	uint32_t awake;	  /* enum late_clocks_state; atomic */
	uint32_t wanted;  /* a thread was left without since it looked; atomic */
	uint32_t begun;	  /* threads so far; atomic */
	uint32_t waiting; /* threads without a clock; atomic */
	char *stack;
	void (*open)(struct thread *t, uint64_t period); /* gives a clock */
	struct rwlock lock;				 /* of these: */
	uint32_t count;					 /* also atomic */
	struct missed_sample missed[MISSED_SAMPLES_MOST];
};

struct process {
	uint32_t pid; /* 0 = not profiling */
	struct session_control *control;
	struct session_file file;	/* its beginning */
	struct buffer_pieces pieces;	/* and what was added for more threads */
	bool lent;			/* it is a fork's parent's, as yet; atomic */
	struct process_header *lender;	/* the parent's, when there is one of its own; else NULL */
	unsigned file_number;		/* of its name */
	uint32_t growing;		/* a thread makes it, or makes it longer; atomic */
	uint32_t traced;		/* as in the file's header, which may be lent; atomic */
	struct session_options options; /* a copy: the file is another process's to change */
	struct memory_known known;
	struct own_pages pages;
	struct shared_depth shared_depth;
	uint32_t lag;	/* its samples: budget.h; atomic */
	uint32_t share; /* of traces: the same */
	struct restartable restartable;
	struct decode_cache cache; /* lives as long as the process, as do the slots */
	struct arena slots;	   /* PROCESS_THREADS_MAX at most; live as long as the process */
	struct arena workspaces;   /* one per slot; live as long */
	bool made;		   /* these; atomic */
	uint32_t session;	   /* counts those that were joined, a fork's child's included */
	uint32_t slots_used;	   /* slots that were ever taken are the first ones */
	uint64_t text_begin, text_end; /* this library's code */
	uint32_t paused;	       /* switched off */
	struct rwlock switching;       /* write: `paused`, `pid`; read: a thread begins */
	uint32_t switch_tid;	       /* of the thread that switches the recording; 0: none */
	struct late_clocks late;
	uint32_t has_writer; /* a thread of a linked collector writes the recording; atomic */
	uint32_t cold;	     /* no trace yet since the program began; atomic */
	uint32_t excluded;   /* 1 << enum exclusion, of each reason to stay out; atomic */
	uint32_t leaving;    /* a thread is in process_exclude; atomic */
	uint32_t without_breakpoints; /* the program wants them all; atomic */
	char directory[200];
	char program[256]; /* the path of its executable; may be cut */
};

static inline void process_count(struct process *p, unsigned counter, uint64_t n)
{
	__atomic_fetch_add(&p->file.header->counters[counter], n, __ATOMIC_RELAXED);
}

/* Of budget.h: all of it until the first trace is over. */
static inline uint32_t process_share(const struct process *p)
{
	uint32_t share = atomic_read_relaxed(&p->share);

	return share ? share : budget_full_share(p->options.budget);
}

/* The program blocked SIGTRAP. In a process that was left, too, which has no file. */
static inline void process_count_masked(struct process *p)
{
	if (p->file.header)
		process_count(p, COUNTER_TRAP_MASKED, 1);
}

/* Left for good: calls that stand before libc's add no system call to it. */
static inline bool process_is_excluded(const struct process *p)
{
	return atomic_read_acquire(&p->excluded) != 0;
}

/* Has a tracer of the session told so? */
static inline bool process_is_traced(const struct process *p)
{
	return atomic_read_relaxed(&p->traced) ||
	       (p->file.header && atomic_read_relaxed(&p->file.header->traced));
}

/* What it runs by exec(2) must not be entered either: filters and tracers stay. */
static inline enum exclusion process_exclusion(const struct process *p)
{
	uint32_t excluded = atomic_read_acquire(&p->excluded);

	if (process_is_traced(p))
		excluded |= 1u << EXCLUSION_TRACED;
	return excluded & 1u << EXCLUSION_SECCOMP  ? EXCLUSION_SECCOMP
	       : excluded & 1u << EXCLUSION_TRACED ? EXCLUSION_TRACED
						   : EXCLUSION_NONE;
}

static inline uint32_t process_state(const struct process *p)
{
	if (trusted_is_orphaned(p->control) || process_is_traced(p))
		return SESSION_STOP;
	return __atomic_load_n(&p->control->state, __ATOMIC_RELAXED);
}
