/* SPDX-License-Identifier: MIT */
/* perf.data bytes through the reader and the aggregation, with a binary that maps all offsets. */
#include <stdlib.h>

#include "converter/samples/aggregate.h"
#include "../unit/fake_binary.h"

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size);

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
	static struct binary binary = {.path = "/bin/program", .size = 1u << 30};
	struct softlbr_error e = {0};
	struct aggregate a;
	int rc;

	if (aggregate_init(&a, &binary, NULL, &e))
		abort();
	rc = aggregate_add_bytes(&a, data, size, "fuzz", 1, &e);
	if (rc != -e.code || (rc && !e.text[0]))
		abort(); /* an error without a message, or the other way round */
	if (!funnel_adds_up(&a.result.funnel))
		abort();
	aggregate_deinit(&a);
	return 0;
}
