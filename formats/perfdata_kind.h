/* SPDX-License-Identifier: MIT */
/* What a perf.data looks like, for those who need not read one. */
#ifndef FORMATS_PERFDATA_KIND_H
#define FORMATS_PERFDATA_KIND_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "base/file_guard.h"

/* Do the bytes begin like a perf.data? */
bool perfdata_is(const uint8_t *data, size_t size);

extern const struct file_guard_kind perfdata_kind;

#endif
