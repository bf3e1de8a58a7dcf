/* SPDX-License-Identifier: MIT */
/*
 * Which pages of this process are in memory, where not the kernel but a program brings those that
 * are not (userfaultfd(2), FUSE).
 *
 * Look-ahead is ahead of the program: in its copy a lock is released that the program still holds.
 * If it then read a page that a thread brings which waits for this lock, both would wait for ever.
 * What is there is read without a fault. Nothing is asked of the kernel before the process has
 * begun to serve faults, or has mapped a file that is served by whomever; the children of its forks
 * have its answer.
 */
#ifndef COLLECTOR_INSIDE_OWN_PAGES_H
#define COLLECTOR_INSIDE_OWN_PAGES_H

#include <stdbool.h>
#include <stdint.h>

#include "collector/kernel/served_file.h"

struct own_pages {
	uint32_t served; /* atomic; stays once it is 1 */
	struct served_file_mounts mounts;
};

/* The program is about to make the system call @number: is it one that begins to serve? */
void own_pages_before(struct own_pages *o, long number, uint64_t second);
/* It is about to map the file @fd. */
void own_pages_before_mapping(struct own_pages *o, int fd);
/* Is the page there, by its address / 4096? struct memory_reader's question. */
bool own_pages_are_there(void *own_pages, uint64_t number);

#endif
