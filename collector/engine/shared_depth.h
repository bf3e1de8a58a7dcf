/* SPDX-License-Identifier: MIT */
/*
 * How far look-ahead goes in a process of several threads. What they write meanwhile it can't
 * foresee; how often that matters depends on the program, and is seen where an audit finds a thread
 * elsewhere than it was claimed to be, or where what was read has changed already. Such a trace is
 * dropped, and the next ones are shorter, until many in a row were right.
 */
#pragma once

#include <stdbool.h>
#include <stdint.h>

/* Taken branches of the shortest traces, where threads write what others are about to read. */
#define SHARED_DEPTH_LEAST 64u

/* What a process learnt; atomic. Zeroed, it goes as deep as anywhere. */
struct shared_depth {
	uint32_t halvings;
	uint32_t streak; /* traces that were right since it last changed */
};

/* Taken branches of a trace, where @whole are wanted. */
unsigned shared_depth_of(const struct shared_depth *s, unsigned whole);
/* A trace of @whole, or fewer, was found @right or not. */
void shared_depth_learn(struct shared_depth *s, bool right, unsigned whole);
