/* SPDX-License-Identifier: MIT */
/*
 * Which pages of a traced process are in memory.
 *
 * Reading one that is not is a page fault, which the kernel may leave to a program to serve
 * (userfaultfd(2), FUSE): to a thread that stands still as long as we wait for its page, and so for
 * ever. What is there is read without a fault.
 *
 * Asking costs as much as reading. A page of no file that was seen to be there is read without, as
 * long as the process has no descriptor by which faults are served: neither a userfaultfd nor
 * /dev/fuse. (Who has given its own to another process is served by that one, which does not stand
 * still.)
 */
#pragma once

#include <stdbool.h>
#include <stdint.h>

/* Pages that are asked for at once: neighbours cost next to nothing. */
#define TRACEE_PAGES_GROUP  16u
#define TRACEE_PAGES_GROUPS 16u /* remembered in one stop, direct mapped */
#define TRACEE_PAGES_KNOWN  4096u

struct tracee_pages {
	int file; /* /proc/PID/pagemap, or -1: any page may be there */
	uint32_t stop;
	int descriptors; /* /proc/PID/fd, whose size is their number (Linux 6.2), or -1 */
	struct {
		uint32_t stop;	 /* in which it was asked */
		uint64_t number; /* of descriptors, at the last stop */
		uint32_t looked; /* the stop of the last look at what they are; 0: none since there
				    are as many */
		bool serves;	 /* faults by one of them, perhaps */
	} faults;
	uint64_t known[TRACEE_PAGES_KNOWN]; /* seen to be there; direct mapped, 0 = none */
	struct {
		uint32_t stop; /* in which it was read */
		uint64_t number;
		uint64_t pages[TRACEE_PAGES_GROUP];
	} groups[TRACEE_PAGES_GROUPS];
};

/* Of the program that the process runs now; @starts: since a moment ago. */
void tracee_pages_open(struct tracee_pages *p, uint32_t pid, bool starts);
void tracee_pages_close(struct tracee_pages *p);
/* A stop begins: what was seen before may have changed. */
void tracee_pages_forget(struct tracee_pages *p);
/* The process has mapped something. */
void tracee_pages_forget_known(struct tracee_pages *p);
/* Are those pages from @begin to @end that are there pages of files? */
bool tracee_pages_are_of_files(const struct tracee_pages *p, uint64_t begin, uint64_t end);
/* How many descriptors the process has; 0: that is not known. */
uint64_t tracee_pages_descriptors(const struct tracee_pages *p);
/* Is the page there, by its address / 4096? struct memory_reader's question. */
bool tracee_pages_are_there(void *pages, uint64_t number);
