/* SPDX-License-Identifier: MIT */
/*
 * When may SIGTRAP be given back? An event that is closed may have its signal under way still: to a
 * thread that was interrupted by it and lost its processor before it came back to its code. A
 * thread that sleeps, or that has run since, has had all its signals.
 */
#pragma once

#include <stdbool.h>
#include <stdint.h>

/* Wait, for a second at most, until no thread of process @pid can have a SIGTRAP of ours under way;
 * 0: of this process, but for the calling thread. False if one still may. Not in handlers. */
bool quiescence_wait(uint32_t pid);
/* The threads of process @pid, as the kernel lists them; 0: of this one. No call of libc's. */
void quiescence_each_thread(uint32_t pid, void (*each)(uint32_t tid, void *context), void *context);
/* A millisecond. */
void quiescence_sleep(void);
