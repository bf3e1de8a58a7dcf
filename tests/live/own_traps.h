/* SPDX-License-Identifier: MIT */
/* What the parts of own_traps share. */
#pragma once

#include <signal.h>
#include <stdint.h>
#include <sys/types.h>

#include "busy.h"

extern volatile uint64_t sink;
extern volatile sig_atomic_t traps; /* that a handler has seen */

/* Long enough for several samples. */
void busy(void);
sigset_t only(int number);
sigset_t everything(void);
/* By a handler that counts them. */
void handle_traps(int flags);
/* The status of a child, 128 + the signal that ended it. */
int wait_for(pid_t child);

/* Instructions that raise SIGTRAP, blocked, ignored and handled, end the program or do not. */
void part_ends(void);
/* What a handler is told, and on which stack with what blocked it runs. */
void part_info(void);
/* A thread that gave itself a stack without telling libc: a timer's signals come at any moment. */
void part_bare(void);
/* SIGTRAP behind each instruction. */
void part_steps(void);
/* EFLAGS.AC, and handlers of the program's in which it stays. */
void part_alignment(void);
