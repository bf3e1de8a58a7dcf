/* SPDX-License-Identifier: MIT */
/* callgrind.out through its reader. */
#include <stdlib.h>

#include "formats/callgrind.h"

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size);

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
	struct softlbr_error e = {0};
	struct callgrind c = {0};

	callgrind_is(data, size);
	if (callgrind_read_bytes(&c, data, size, "fuzz", &e) != -e.code)
		abort();
	callgrind_deinit(&c);
	return 0;
}
