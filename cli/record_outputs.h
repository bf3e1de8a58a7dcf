/* SPDX-License-Identifier: MIT */
/* What softlbr record writes, compared with what it runs. */
#ifndef CLI_RECORD_OUTPUTS_H
#define CLI_RECORD_OUTPUTS_H

#include <stdbool.h>

#include "collector/recorder/recorder.h"
#include "softlbr/error.h"

/*
 * Before anything is run: neither the recording, nor FILE.old, which it replaces, nor @stats (may
 * be NULL) nor the control socket is the command's file, or a file among its arguments; without
 * @force, what is there is of their kinds.
 */
int record_outputs_check(const struct recorder_options *o, const char *stats, bool force,
			 struct softlbr_error *e);

#endif
