/* SPDX-License-Identifier: MIT */
/*
 * Which pages of this process are in memory, where not the kernel but a program brings those that
 * are not (userfaultfd(2)).
 *
 * Look-ahead is ahead of the program: in its copy a lock is released that the program still holds.
 * If it then read a page that a thread brings which waits for this lock, both would wait for ever.
 * What is there is read without a fault. Nothing is asked of the kernel before the process has
 * begun to serve faults; the children of its forks have its answer.
 */
#ifndef COLLECTOR_INSIDE_OWN_PAGES_H
#define COLLECTOR_INSIDE_OWN_PAGES_H

#include <stdbool.h>
#include <stdint.h>

struct own_pages {
	uint32_t served; /* atomic; stays once it is 1 */
};

/* The program is about to make the system call @number: is it one that begins to serve? */
void own_pages_before(struct own_pages *o, long number, uint64_t second);
/* Is the page there, by its address / 4096? struct memory_reader's question. */
bool own_pages_are_there(void *own_pages, uint64_t number);

#endif
