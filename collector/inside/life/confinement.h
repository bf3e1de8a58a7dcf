/* SPDX-License-Identifier: MIT */
/*
 * Steps after which a program would notice our events, or be broken by them: a system call filter,
 * a tracer, a fault at reading the clock. The collector leaves the process before such a step is
 * made, and stays out from there on, also if the step then fails.
 *
 * A filter is asked about each system call, ours too. So what stands before libc's calls makes none
 * of its own in a process that was left (process_is_refused).
 */
#pragma once

#include <stdint.h>

#include "collector/shared/refusal.h"

/* The program is about to make the system call @number: leave first, if it is such a step. */
void confinement_before(long number, const uint64_t arguments[6]);
/* It has made it, and it did not fail. */
void confinement_after(long number, const uint64_t arguments[6]);
/* It is about to make one because of which @reason holds. */
void confinement_begin(enum refusal reason);
