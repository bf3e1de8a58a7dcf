/* SPDX-License-Identifier: MIT */
/*
 * Alternate signal stacks. Our signals come while a thread runs on any stack, also one of a few KB
 * (a coroutine's), so each profiled thread has an alternate stack of ours in the kernel. What the
 * program sets and asks for by sigaltstack(2) is kept beside it, and its own handlers run where
 * they would without us (collector/inside/handler/signal_delivery.h).
 *
 * An alternate stack belongs to its thread until the thread ends, also while it is not profiled:
 * nobody else can take it from the thread. Threads that have one of the program's making, set
 * before we came or by a bare system call, keep it.
 */
#pragma once

#include <signal.h>
#include <ucontext.h>

#include "collector/inside/handler/arena.h"
#include "collector/inside/handler/virtual_mask.h"

#define ALTSTACK_MAX 2048u /* threads */
/* Of each; its lowest page is not accessible. Pages come as they are used. */
#define ALTSTACK_BYTES 65536u

struct altstack_owner {
	uint32_t tid; /* 0 = free; atomic */
	bool guarded;
	stack_t program; /* what the program set for the thread */
	struct trap_mask trap;
};

struct altstacks {
	struct arena stacks; /* of the owners, in their order */
	uint32_t used;	     /* owners that were ever taken are the first ones; atomic */
	struct altstack_owner owners[ALTSTACK_MAX];
};

void altstack_init(void);
/* Give the calling thread one, or take it back from it. */
void altstack_enter(void);
void altstack_leave(void);
/* In a signal handler: the interrupted thread has one when it goes on. */
void altstack_enter_at_return(ucontext_t *context);
/* In the child of a fork: only its one thread has one. */
void altstack_after_fork(void);

/* Whose stack @address is on; NULL if it is on none of ours. */
struct altstack_owner *altstack_at(uintptr_t address);
/* Is @address on one of ours, of which most is full? */
bool altstack_is_low(uintptr_t address);
/* The calling thread's, or NULL; in the child of a vfork its parent's. */
struct altstack_owner *altstack_current(void);
/* Thread @tid's, or NULL. */
const struct altstack_owner *altstack_of(uint32_t tid);
/* A thread other than the calling one whose mask of SIGTRAP is noted to be in @state: the next
 * owner from number @i on, which becomes its number. NULL: there is none. */
struct altstack_owner *altstack_other_in(enum trap_mask_state state, uint32_t *i);
/* Is @address on the stack that the program set? */
bool altstack_on_program(const struct altstack_owner *o, uintptr_t address);
/* Does a thread other than the calling one have a stack of the program's beside ours? */
bool altstack_others_matter(void);
