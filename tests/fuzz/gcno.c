/* SPDX-License-Identifier: MIT */
/* gcc's control-flow graphs through their reader. */
#include <stdlib.h>

#include "converter/gcc/files/gcc_graph.h"

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size);

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
	struct softlbr_error e = {0};
	struct gcc_graph g;

	if (gcno_read_bytes(data, size, "fuzz", &g, &e) != -e.code)
		abort();
	gcc_graph_deinit(&g);
	return 0;
}
