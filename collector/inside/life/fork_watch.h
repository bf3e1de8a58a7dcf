/* SPDX-License-Identifier: MIT */
/* Forks, which the child is to hear of. */
#ifndef COLLECTOR_INSIDE_FORK_WATCH_H
#define COLLECTOR_INSIDE_FORK_WATCH_H

/* Is this glibc's process? The collector can be loaded with another libc, but only to stay out. */
int fork_watch_is_possible(void);
/* Have @after called in the child of each fork. 0, or -1 if that can't be. */
int fork_watch_begin(void (*after)(void));

#endif
