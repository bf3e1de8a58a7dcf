/* SPDX-License-Identifier: MIT */
/* Session directories of recorders that were killed: their memory is given back at the next
 * recording. */
#ifndef COLLECTOR_RECORDER_LEFTOVERS_H
#define COLLECTOR_RECORDER_LEFTOVERS_H

/* Remove those of this user in the places where sessions have theirs. */
void leftovers_remove(void);

#endif
