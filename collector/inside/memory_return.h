/* SPDX-License-Identifier: MIT */
/*
 * The memory of a process that was left for good: its addresses count where the program has a limit
 * (ulimit -v, mlockall). What following needs is unmapped: decoded code, workspaces, the
 * chunks of the session's file. What a late signal or a call of the program's may still look at
 * stays: slots, alternate stacks, the file's header.
 */
#ifndef COLLECTOR_INSIDE_MEMORY_RETURN_H
#define COLLECTOR_INSIDE_MEMORY_RETURN_H

struct process; /* collector/inside/process.h */

/* No thread has a slot, nor gets one any more. */
void memory_return(struct process *p);

#endif
