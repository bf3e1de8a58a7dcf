/* SPDX-License-Identifier: MIT */
/* The text of perf script through its reader. */
#include <stdlib.h>

#include "formats/perfscript.h"

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size);

static int add_up(void *context, const struct perfdata_info *info,
		  const struct perfdata_record *record, struct softlbr_error *e)
{
	uint64_t *sum = context;

	(void)e;
	if (record->type == PERF_RECORD_SAMPLE) {
		if (record->sample.event >= info->event_count)
			abort();
		for (size_t i = 0; i < record->sample.branch_count; i++)
			*sum += record->sample.branches[i].from;
	}
	return 0;
}

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
	struct softlbr_error e = {0};
	struct perfscript *s = perfscript_open(data, size, "fuzz", &e);
	uint64_t sum = 0;

	perfscript_is(data, size);
	if (!s != !!e.code)
		abort();
	if (s)
		perfscript_each(s, add_up, &sum, &e);
	perfscript_close(s);
	return 0;
}
