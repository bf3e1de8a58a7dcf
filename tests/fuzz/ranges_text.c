/* SPDX-License-Identifier: MIT */
/* The ranges text of autofdo and llvm-profgen through its reader. */
#include <stdlib.h>

#include "formats/ranges_text.h"

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size);

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
	struct branch_profile p = {0}, own = {0};
	struct build_tags tags = {0};
	struct softlbr_error e = {0};

	ranges_text_is(data, size);
	if (ranges_text_read_bytes(&p, data, size, "fuzz", &tags, &e) != -e.code)
		abort();
	if (!e.code)
		build_tags_select(&tags, &p, 0, &own, NULL);
	branch_profile_deinit(&own);
	build_tags_deinit(&tags);
	branch_profile_deinit(&p);
	return 0;
}
