/* SPDX-License-Identifier: MIT */
/*
 * The end of claims to block SIGTRAP (trap_mask.h), once it matters to the program. The kernel
 * gives a SIGTRAP that is sent to the process to any thread that has it open. One that only claims
 * to block it sends it again, and so it may go from thread to thread, where sigpending, sigwait and
 * signalfd don't find it, or run a handler late. So all claims end for good, before that takes
 * effect, when the program blocks SIGTRAP in particular, waits for it, or sends it to itself, or
 * when one has come to a thread that claims to block it: each thread with a claim gets a message, a
 * SIGTRAP too, in whose handler it blocks SIGTRAP really. Where a thread sleeps in a system call
 * that is not restarted (signal(7)), that ends with EINTR, as by the program's SIGTRAP today.
 */
#ifndef COLLECTOR_INSIDE_HANDLER_TRAP_CLAIM_H
#define COLLECTOR_INSIDE_HANDLER_TRAP_CLAIM_H

#include <signal.h>
#include <stdbool.h>
#include <stdint.h>

/* The two signals that libc keeps for itself: no mask of the program's has them. */
#define TRAP_MASK_LIBC (UINT64_C(3) << 31)

enum trap_mask_state {
	TRAP_MASK_OPEN, /* or blocked without our knowledge */
	TRAP_MASK_CLAIMED,
	TRAP_MASK_REAL,
};

/* A thread's: in its struct altstack_owner. */
struct trap_mask {
	enum trap_mask_state state;
	uint64_t with;	   /* CLAIMED: the other signals that were blocked */
	uint32_t ask_from; /* the round in which it is asked to end its claim: trap_claim.c */
	uint32_t child; /* of a vfork, on this memory, whose kernel has the mask as it should be */
	/* in a call that waits with another mask: that one, and the one before */
	bool waits;
	uint64_t waiting, before;
};

enum trap_claim_state {
	TRAP_CLAIM_ALLOWED,
	TRAP_CLAIM_ENDING, /* a thread sends messages, and waits for what they do */
	TRAP_CLAIM_OVER,
};

/* Does the thread block SIGTRAP by its claim, if the kernel's mask is @real? Also where it blocked
 * it really, but a mask from before came back (a handler's return, siglongjmp, swapcontext). */
bool trap_claim_holds(const struct trap_mask *m, uint64_t real);
/* Do they end, or did they? */
bool trap_claim_is_over(void);
/* The calling thread blocks SIGTRAP really from here on, and no message to it is left pending. */
void trap_claim_take(struct trap_mask *m);
/* End all claims of other threads; the calling one has none. In handlers too. */
void trap_claim_end_others(void);

/* In the handler: is it a message? Then the claim of the thread that it came to ends; @blocked is
 * the mask on return. */
bool trap_claim_is_message(const siginfo_t *info);
void trap_claim_answer(struct trap_mask *m, uint64_t *blocked);
/* The same where it came in code of ours: it comes again when that is over. */
void trap_claim_answer_later(uint64_t *blocked);
/* In the handler: a SIGTRAP of the program's own came to a thread that blocks it by its claim. Keep
 * it for later, blocked in @blocked, which is to be the mask on return. */
void trap_claim_keep(struct trap_mask *m, const siginfo_t *info, uint64_t *blocked);
/* The mask that a handler finds, if the interrupted code had @blocked. */
uint64_t trap_claim_at_handler(const struct trap_mask *m, uint64_t blocked);
/* In the child of a fork. */
void trap_claim_after_fork(void);

#endif
