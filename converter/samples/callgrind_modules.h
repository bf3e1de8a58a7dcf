/* SPDX-License-Identifier: MIT */
/* The modules of callgrind's exact counts: its objects. */
#ifndef CONVERTER_SAMPLES_CALLGRIND_MODULES_H
#define CONVERTER_SAMPLES_CALLGRIND_MODULES_H

#include "converter/samples/modules.h"
#include "softlbr/error.h"

/* Add the objects that ran to @modules, and the branches that begin in each to @taken (zeroed):
 * (module, 0) -> n. 0 or a negative code. */
int callgrind_modules_read(const uint8_t *data, size_t size, const char *name,
			   struct modules *modules, struct map *taken, struct softlbr_error *e);

#endif
