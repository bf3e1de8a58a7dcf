/* SPDX-License-Identifier: MIT */
/* A just-in-time compiler's map through its reader, and addresses looked up in it. */
#include <stdlib.h>

#include "formats/perf_map.h"

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size);

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
	struct softlbr_error e = {0};
	struct perf_map m = {0};

	if (perf_map_read_bytes(&m, data, size, &e))
		abort(); /* what is no map is passed over */
	for (size_t i = 0; i < m.entries.count && i < 100; i++)
		if (!perf_map_find(&m, m.entries.items[i].begin))
			abort();
	perf_map_find(&m, UINT64_MAX);
	perf_map_deinit(&m);
	return 0;
}
