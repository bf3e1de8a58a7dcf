/* SPDX-License-Identifier: MIT */
/*
 * Virtual masks: threads that the program has SIGTRAP blocked in, and the kernel has not
 * (trap_mask.h). They end once SIGTRAP matters to the program. The kernel gives a SIGTRAP that is
 * sent to the process to any thread that has it open. A thread that blocks it virtually sends it
 * again, and so it may go from thread to thread, where sigpending, sigwait and signalfd don't find
 * it, or run a handler late. So all virtual masks are made real for good, before that takes effect,
 * when the program blocks SIGTRAP in particular, waits for it, or sends it to itself, or when one
 * has come to a thread that blocks it virtually: each such thread gets a message, a SIGTRAP too, in
 * whose handler it blocks SIGTRAP in the kernel. Where a thread sleeps in a system call that is not
 * restarted (signal(7)), that ends with EINTR, as by the program's SIGTRAP today.
 */
#pragma once

#include <signal.h>
#include <stdbool.h>
#include <stdint.h>

/* The two signals that libc keeps for itself: no mask of the program's has them. */
#define TRAP_MASK_LIBC (UINT64_C(3) << 31)

enum trap_mask_state {
	TRAP_MASK_OPEN, /* or blocked without our knowledge */
	TRAP_MASK_VIRTUAL,
	TRAP_MASK_REAL,
};

/* A thread's: in its struct altstack_owner. */
struct trap_mask {
	enum trap_mask_state state;
	uint64_t with; /* VIRTUAL: the other signals that were blocked */
	uint32_t
		ask_from; /* the round in which it is asked to make its mask real: virtual_mask.c */
	uint32_t child; /* of a vfork, on this memory, whose kernel has the mask as it should be */
	/* in a call that waits with another mask: that one, and the one before */
	bool waits;
	uint64_t waiting, before;
};

enum virtual_mask_state {
	VIRTUAL_MASKS_ALLOWED,
	VIRTUAL_MASKS_ENDING, /* a thread sends messages, and waits for what they do */
	VIRTUAL_MASKS_OVER,
};

/* Does the thread block SIGTRAP virtually, if the kernel's mask is @real? Also where it blocked
 * it really, but a mask from before came back (a handler's return, siglongjmp, swapcontext). */
bool virtual_mask_holds(const struct trap_mask *m, uint64_t real);
/* Do they end, or did they? */
bool virtual_mask_is_over(void);
/* The calling thread blocks SIGTRAP really from here on, and no message to it is left pending. */
void virtual_mask_make_real(struct trap_mask *m);
/* Make the virtual masks of all other threads real; the calling one has none. In handlers too. */
void virtual_mask_end_others(void);

/* In the handler: is it a message? Then the mask of the thread that it came to is made real;
 * @blocked is the mask on return. */
bool virtual_mask_is_message(const siginfo_t *info);
void virtual_mask_answer(struct trap_mask *m, uint64_t *blocked);
/* The same where it came in code of ours: it comes again when that is over. */
void virtual_mask_answer_later(uint64_t *blocked);
/* In the handler: a SIGTRAP of the program's own came to a thread that blocks it virtually. Keep
 * it for later, blocked in @blocked, which is to be the mask on return. */
void virtual_mask_keep(struct trap_mask *m, const siginfo_t *info, uint64_t *blocked);
/* The mask that a handler finds, if the interrupted code had @blocked. */
uint64_t virtual_mask_at_handler(const struct trap_mask *m, uint64_t blocked);
/* In the child of a fork. */
void virtual_mask_after_fork(void);
