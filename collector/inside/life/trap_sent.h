/* SPDX-License-Identifier: MIT */
/*
 * SIGTRAPs that threads sent to themselves, and which they block. What a program that is started
 * inherits is the kernel's disposition: if the program ignores SIGTRAP, so has the kernel to, for a
 * moment, and then forgets what is pending in all threads. Nobody can read another thread's pending
 * signals; so what is sent is noted, and sent once more.
 */
#ifndef COLLECTOR_INSIDE_TRAP_SENT_H
#define COLLECTOR_INSIDE_TRAP_SENT_H

#include <signal.h>
#include <stdbool.h>
#include <stdint.h>

#define TRAP_SENT_THREADS 16u /* more are not kept at once */

/* The calling thread is about to send SIGTRAP to itself, as @code says, with @value. */
void trap_sent_note(int code, union sigval value);

/* The other threads that have one pending, which are to have it once more. */
struct trap_sent {
	uint32_t count, tids[TRAP_SENT_THREADS];
};
void trap_sent_find(struct trap_sent *out);
void trap_sent_again(const struct trap_sent *s);

#endif
