/* SPDX-License-Identifier: MIT */
/*
 * SIGTRAP blocked by the program. Many programs block all signals in some threads, and have nothing
 * to do with SIGTRAP; blocked, ours would come late, with a pc that says nothing. So a thread that
 * blocks SIGTRAP among many signals is only noted to block it (VIRTUAL): the kernel's mask has it
 * open. When a SIGTRAP comes that is the program's own, it is sent again and really blocked, and
 * from there on all is the kernel's (REAL); the thread is not sampled until it unblocks SIGTRAP.
 * sigpending, sigwaitinfo and signalfd find it, as they would. virtual_mask.h has how virtual masks
 * end.
 *
 * A thread that blocks SIGTRAP in particular, or whose program handles it, is REAL at once: masks
 * that libc saves and brings back itself (siglongjmp, swapcontext) are then right too. Its samples
 * go on where the kernel keeps them (struct trap), until SIGTRAP matters to the program: at most
 * one is pending, which is taken away before the program waits or runs another program.
 *
 * A mask may change behind our back: at a handler's entry and return, by siglongjmp, by a bare
 * system call. What SIGTRAP was blocked together with tells: without these, the virtual mask is
 * void.
 */
#pragma once

#include <signal.h>
#include <string.h>

#include "collector/inside/handler/pending_trap.h"
#include "collector/inside/handler/virtual_mask.h"

/* A temporary mask's call, from trap_mask_wait_begin to _end. */
struct trap_mask_wait {
	struct trap_mask *mask; /* NULL: nothing was to be done */
	bool lifted, suspended;
	enum trap_mask_state state; /* before it was lifted */
};

/* What an exec changes, from trap_mask_exec_begin to _end. */
struct trap_mask_exec {
	bool was_virtual, suspended;
};

/* Has @set SIGTRAP? As sigismember(3), which calls do without that are made often. */
static inline bool trap_mask_has(const sigset_t *set)
{
	uint64_t word;

	memcpy(&word, set, sizeof(word));
	return word & PENDING_TRAP_BIT;
}

typedef int trap_mask_call(int, const sigset_t *, sigset_t *);
/* sigprocmask(2) by @next, libc's, as the program should see it. */
int trap_mask_change(trap_mask_call *next, int how, const sigset_t *set, sigset_t *old);

/* The calling thread makes a child that has its memory and its thread-local data, and @waits until
 * that runs another program or ends. */
void trap_mask_before_child(bool waits);

/* The calling thread begins, or we come to it: what it inherited. */
void trap_mask_begin(void);
/* The same for a thread with no stack of ours, where nothing can be noted, once it is sampled. */
void trap_mask_begin_unnoted(void);
/* Will the former do anything? */
bool trap_mask_is_inherited(void);
/* We leave the calling thread: the kernel is to have it as the program does. */
void trap_mask_leave(void);
/* Does another thread block it virtually? */
bool trap_mask_others_are_virtual(void);

/* SIGTRAP is about to matter to the program: it sends one to itself, or waits for signals of @set.
 * From there on no thread blocks it virtually (virtual_mask.h), unless @set has many, and no sample
 * is kept for a thread that blocks it. True: one may be kept for another thread
 * (process_trap_matters). */
bool trap_mask_matters(const sigset_t *set);

/* Around a call that waits for signals of @set (NULL: looks for any) */
void trap_mask_await_begin(struct trap_mask_wait *w, const sigset_t *set);
/* or that has @mask while it waits (NULL: none). */
void trap_mask_wait_begin(struct trap_mask_wait *w, const sigset_t *mask);
void trap_mask_wait_end(const struct trap_mask_wait *w);

/* Around an exec, or a call that starts another program: SIGTRAP is blocked as the program wants,
 * and none of ours is pending, for that would reach the next program. In the child of a vfork
 * too. */
void trap_mask_exec_begin(struct trap_mask_exec *e);
void trap_mask_exec_end(const struct trap_mask_exec *e);
/* The same before a thread is made, which inherits the mask unless it is given its own: nothing
 * that comes before it has its virtual mask may find SIGTRAP open. Then _end. */
void trap_mask_create_begin(struct trap_mask_exec *e, bool own_mask);
