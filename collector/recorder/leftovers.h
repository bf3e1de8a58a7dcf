/* SPDX-License-Identifier: MIT */
/* Session directories of recorders that were killed: their memory is given back at the next
 * recording. */
#ifndef COLLECTOR_RECORDER_LEFTOVERS_H
#define COLLECTOR_RECORDER_LEFTOVERS_H

#include "collector/recorder/session_directory.h"

/* Remove those of this user, in the places up to the one where @own is: others are for those who
 * find no room before them, and may have names by the thousand. */
void leftovers_remove(const struct session_directory *own);

#endif
