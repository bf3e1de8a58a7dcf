/* SPDX-License-Identifier: MIT */
/*
 * A debugger that attaches to a process which is recorded sees each of the collector's signals, and
 * stops at it: the process is told to stop sampling. Until then it may see a few.
 */
#ifndef COLLECTOR_RECORDER_DEBUGGER_WATCH_H
#define COLLECTOR_RECORDER_DEBUGGER_WATCH_H

#include "collector/recorder/journal.h"

struct debugger_watch {
	unsigned looks;
};

/* At each look at the buffers; every tenth looks for debuggers. */
void debugger_watch_look(struct debugger_watch *w, struct journal *j);

#endif
