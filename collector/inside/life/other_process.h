/* SPDX-License-Identifier: MIT */
/*
 * A process that traces another by ptrace sees each of its signals, so also ours. If both are
 * recorded, the tracer silences the other one's events before it attaches: that one may sleep, and
 * can't be asked.
 */
#ifndef COLLECTOR_INSIDE_LIFE_OTHER_PROCESS_H
#define COLLECTOR_INSIDE_LIFE_OTHER_PROCESS_H

#include <stdint.h>

struct process; /* collector/inside/handler/process.h: of this process */

/* The process that thread @tid belongs to is recorded no more: on return none of its threads has a
 * SIGTRAP of ours under way, nor gets one. Not in handlers. */
void other_process_silence(const struct process *p, uint32_t tid);

#endif
