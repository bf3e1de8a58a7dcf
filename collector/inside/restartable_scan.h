/* SPDX-License-Identifier: MIT */
/*
 * The objects in this process, as the dynamic linker's list for debuggers has them (<link.h>,
 * struct r_debug): new ones are appended, so that a look is one word if there are none. The list
 * belongs to other threads, or to what the handler interrupts: it is read as what may be gone.
 */
#ifndef COLLECTOR_INSIDE_RESTARTABLE_SCAN_H
#define COLLECTOR_INSIDE_RESTARTABLE_SCAN_H

#include "collector/session/restartable_file.h"

struct link_map; /* <link.h> */

struct restartable_scan {
	uint32_t looking; /* one at a time; atomic */
	/* what was found in the list */
	uint32_t pid;
	const struct link_map *last; /* the last that was looked at; NULL: none */
	unsigned looks;		     /* at the next one */
	unsigned count;
	struct restartable_object {
		uint64_t bias, dynamic; /* where it was loaded: which one it is */
		bool there;		/* at this walk */
	} objects[RESTARTABLE_RANGES];
	struct restartable_file file; /* of the object that is looked at */
};

/* Have @r know this process's objects, also those that it will load; @pid is its own. They are
 * looked at when the first breakpoint is to be set: many processes end before. Not in handlers. */
void restartable_scan_watch(struct restartable *r, uint32_t pid);

#endif
