/* SPDX-License-Identifier: MIT */
/*
 * The objects in this process, as the dynamic linker's list for debuggers has them (<link.h>,
 * struct r_debug): new ones are appended, so that a look is one word if there are none. The list
 * belongs to other threads, or to what the handler interrupts: it is read as what may be gone.
 */
#pragma once

#include "collector/shared/restartable_file.h"

struct link_map; /* <link.h> */

struct restartable_scan {
	uint32_t looking; /* one at a time; atomic */
	/* what was found in the list */
	uint32_t pid;
	const struct link_map *last; /* the last that was seen; NULL: none */
	uint32_t pid_threads;	     /* the process that began threads; atomic */
	unsigned count;
	struct restartable_object {
		const struct link_map *entry;
		uint64_t bias, dynamic; /* where it was loaded: which one it is */
		uint64_t begin, end;	/* its code is between */
		unsigned looks;
		bool looked; /* and all was found */
		bool there;  /* at this walk */
	} objects[RESTARTABLE_RANGES];
	struct restartable_file file; /* of the object that is looked at */
};

/* Have @r know this process's objects, also those that it will load; @pid is its own. One is
 * looked at when the first breakpoint is to be set in it: many processes end before, and a file
 * that is opened has the number for a moment that another thread would get. Not in handlers. */
void restartable_scan_watch(struct restartable *r, uint32_t pid);

/* The process is about to have a second thread: while no other could open one, look at the files of
 * all objects. Not in handlers. */
void restartable_scan_before_thread(struct restartable *r);
