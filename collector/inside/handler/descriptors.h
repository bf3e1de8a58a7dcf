/* SPDX-License-Identifier: MIT */
/*
 * Our descriptors in the program's table. The program is to see the table as if they were not
 * there:
 *
 *   - they stand above the numbers that it can get (its soft limit) if its hard limit leaves room,
 *     else from 1000 on, or in the last quarter of what a lower limit allows;
 *   - they are closed by exec(2);
 *   - for its calls that name such a number there is nothing
 * (collector/inside/interpose/interpose_descriptors.c).
 *
 * What still shows them is /proc/self/fd, and calls that go around libc.
 */
#pragma once

#include <stdbool.h>

#include "collector/inside/handler/rwlock.h"

/* Numbers that are looked at: two descriptors per thread. */
#define DESCRIPTORS_MAX	      8192u
#define DESCRIPTORS_WORD_BITS 64u

struct descriptors {
	uint64_t ours[DESCRIPTORS_MAX / DESCRIPTORS_WORD_BITS]; /* a bit per number; atomic */
	struct rwlock limit;					/* written: it is raised */
};

/* Move @fd, which was just opened, to where ours are. Its number, or a negative errno (@fd is
 * closed then): the program keeps its room. */
int descriptors_take(int fd);
/* Leave the number @fd, which is the program's from here on, for another: which, or a negative
 * errno. */
int descriptors_move(int fd);
/* In the child of a fork, which has no other thread. */
void descriptors_after_fork(void);
/* @fd is none of ours any more: closed, or the program's by now. */
void descriptors_forget(int fd);
/* Is @fd one of ours? */
bool descriptors_contain(int fd);
/* The first of ours in [@fd,@last], or a negative number. */
int descriptors_next(int fd, unsigned last);
