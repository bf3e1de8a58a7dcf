/* SPDX-License-Identifier: MIT */
/*
 * The plan of a recording: from what is asked for, and what the machine can do, to how a session
 * records. `softlbr record` and a program that records itself (collector.h) record by the same one.
 *
 *	struct plan_request + struct plan_machine --plan_make--> struct plan
 *
 * The plan asks the machine by struct plan_machine alone, so that a test can be any machine.
 */
#pragma once

#include "collector/engine/rate.h"
#include "collector/kernel/event.h"
#include "collector/shared/session.h"
#include "softlbr/error.h"

/* From where the program may be recorded. */
enum plan_side { PLAN_EITHER, PLAN_INSIDE, PLAN_OUTSIDE };

/* One trace in so many is audited, if nothing else is asked for. */
#define PLAN_AUDIT 64u

/* So much of the stack is copied with each call stack, if nothing else is asked for. */
#define PLAN_STACK_BYTES 8192u

/* What is asked for. */
struct plan_request {
	/* A depth or period of 0 gets its default, and the correction may be CORRECTION_AUTO. The
	 * other members are kept as they are, but for the event, depth_most, filters, timers and
	 * machine, which the plan fills. */
	struct session_options session;
	const char *event; /* its name; "auto": the best one */
	/* As text, at most one of them; NULL: as session.period says */
	const char *period, *frequency;
	enum plan_side side;
	bool runs;	       /* it is a running process, or several */
	bool stack_copy_given; /* session.stack_copy is asked for, 0 too: else call stacks are
				  copied */
	bool counts_only;      /* branches are counted, and no trace is kept: --aggregate */
	bool ends;	       /* the recording ends when there is enough: --until */
};

/* What a plan asks of the machine. */
struct plan_machine {
	/* The seccomp filters that the caller is under. */
	uint32_t (*filters)(void);
	/* Does a filter end who opens an event? A child tries that; NULL: nothing may be forked. */
	bool (*kills)(void);
	/* As event_parse: "auto" is the best event that can be opened. */
	int (*find_event)(const char *name, struct event *out, struct softlbr_error *e);
	/* 0, or the errno of an event and of a breakpoint that can't be had. */
	int (*try_event)(struct event *event);
	int (*try_breakpoint)(bool asynchronous);
	/* Are there timers of a thread's processor time that interrupt no system call? */
	bool (*has_timers)(void);
	/* What memory costs; 0, or -1 without memory. */
	int (*measure)(struct rate_machine *out);
	/* How many branches look-ahead follows in the time that a sample of @event costs; 0 or
	 * SYSTEM. NULL: nobody asks. */
	int (*find_depth)(const struct event *event, uint32_t *depth, struct softlbr_error *e);
};

/* This machine, without find_depth. */
extern const struct plan_machine plan_machine_own;

struct plan {
	struct session_options session; /* complete */
	bool outside;			/* the program is recorded by ptrace */
	bool thins;			/* samples get rarer where there is enough */
	/* Why the program is recorded from outside, though it might have been recorded from inside;
	 * its code is 0 if nothing is to be said. */
	struct softlbr_error refused;
};

/* The correction of that name ("auto", "model", "probe", "off"); false: there is none. */
bool plan_find_correction(const char *name, uint32_t *correction);
/* Do the things that are asked for go together? No machine is asked. 0 or USAGE. */
int plan_check(const struct plan_request *r, struct softlbr_error *e);

/*
 * Make the plan of @r, which plan_check has passed. 0; USAGE for what can't be recorded on this
 * side or by this event; SYSTEM if the machine refuses, and there is no other side to record from.
 */
int plan_make(struct plan *plan, const struct plan_request *r, const struct plan_machine *m,
	      struct softlbr_error *e);
