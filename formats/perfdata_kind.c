/* SPDX-License-Identifier: MIT */
#include "formats/perfdata_kind.h"

#include <string.h>

bool perfdata_is(const uint8_t *data, size_t size)
{
	return size >= 8 && (!memcmp(data, "PERFILE2", 8) || !memcmp(data, "2ELIFREP", 8) ||
			     !memcmp(data, "PERFFILE", 8) || !memcmp(data, "ELIFREPF", 8));
}

static bool is_recording(const struct file_guard_kind *kind, const uint8_t *data, size_t size)
{
	(void)kind;
	return perfdata_is(data, size);
}

const struct file_guard_kind perfdata_kind = {.name = "perf.data", .is = is_recording};
