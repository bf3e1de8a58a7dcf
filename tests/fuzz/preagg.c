/* SPDX-License-Identifier: MIT */
/* BOLT's pre-aggregated text through its reader. */
#include <stdlib.h>

#include "formats/preagg.h"

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size);

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
	struct branch_profile p = {0};
	struct softlbr_error e = {0};

	if (preagg_read_bytes(&p, data, size, "fuzz", &e) != -e.code)
		abort();
	branch_profile_deinit(&p);
	return 0;
}
