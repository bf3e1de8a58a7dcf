/* SPDX-License-Identifier: MIT */
/* BOLT's pre-aggregated text through its reader. */
#include <stdlib.h>

#include "formats/preagg.h"

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size);

static FILE *nowhere(void)
{
	static FILE *stream;

	if (!stream)
		stream = fopen("/dev/null", "w");
	return stream ? stream : stdout;
}

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
	struct branch_profile p = {0}, own = {0};
	struct build_tags tags = {0};
	struct softlbr_error e = {0};

	if (preagg_read_bytes(&p, data, size, "fuzz", &tags, &e) != -e.code)
		abort();
	if (!e.code && !build_tags_select(&tags, &p, 0, &own, NULL) &&
	    preagg_write_to(&own, NULL, NULL, size % 2 ? 21 : 23, nowhere(), &e))
		abort();
	branch_profile_deinit(&own);
	build_tags_deinit(&tags);
	branch_profile_deinit(&p);
	return 0;
}
