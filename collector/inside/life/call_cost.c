/* SPDX-License-Identifier: MIT */
#include "collector/inside/life/call_cost.h"

#include <signal.h>

#include "base/atomics.h"
#include "collector/inside/handler/handler_state.h"
#include "collector/kernel/clock.h"
#include "isa/host.h"

/* Calls so far, nearly: those of two threads at once may count as one. */
static uint32_t calls[CALL_COST_KINDS];

/* The ticks of the last mask's that were timed, on average. */
static uint64_t usual_ticks;

/* A system call is more than a change of the mask may be disturbed by. */
static uint64_t now(enum call_cost_kind kind)
{
	return kind == CALL_COST_MASK ? isa_ticks() : clock_handler_ns(CLOCK_THREAD_CPUTIME_ID);
}

struct call_cost call_cost_begin(enum call_cost_kind kind)
{
	uint32_t number = atomic_read_relaxed(&calls[kind]);
	struct call_cost c = {.kind = kind};

	atomic_write_relaxed(&calls[kind], number + 1);
	/* of a process that was left no system call is made */
	if ((number >= CALL_COST_PART && number % CALL_COST_PART) ||
	    process_is_excluded(&handler_state.process))
		return c;
	c.weight = number < CALL_COST_PART ? 1 : CALL_COST_PART;
	c.begun = now(kind);
	return c;
}

/* Of the signal by which libc cancels threads: no program blocks it, and it may come later. */
#define CANCEL_BIT (1ull << 31)

/* What libc's own call would have taken is measured behind ours: by two that change something. */
static uint64_t mask_ticks(uint64_t ours)
{
	uint64_t usual = atomic_read_relaxed(&usual_ticks), mask, begun, reading, plain;

	begun = isa_ticks();
	reading = isa_ticks() - begun;
	mask = syscall_signal_mask(SIG_BLOCK, CANCEL_BIT);
	syscall_signal_mask(SIG_SETMASK, mask);
	plain = (isa_ticks() - begun - 2 * reading) / 2 + reading;
	ours = call_cost_clip(&usual, ours > plain ? ours - plain : 0);
	atomic_write_relaxed(&usual_ticks, usual);
	return ours;
}

void call_cost_end(const struct call_cost *c)
{
	struct process *p = &handler_state.process;
	uint64_t ended;

	/* one that did not join, or was left meanwhile, has nothing to count with */
	if (!c->weight || process_is_excluded(p))
		return;
	ended = now(c->kind);
	if (!p->file.header || handler_state_is_borrowed())
		return;
	if (c->kind == CALL_COST_MASK)
		process_count(p, COUNTER_CALL_TICKS, mask_ticks(ended - c->begun) * c->weight);
	else
		process_count(p, COUNTER_START_NS, (ended - c->begun) * c->weight);
}
