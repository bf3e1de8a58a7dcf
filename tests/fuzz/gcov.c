/* SPDX-License-Identifier: MIT */
/* GCC's profile bytes through the reader; a refusal has its message. */
#include <stdlib.h>

#include "formats/gcov.h"

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size);

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
	struct softlbr_error e = {0};
	struct source_profile p;
	unsigned version = 0;
	int rc = gcov_read_bytes(data, size, "fuzz", &p, &version, &e);

	if (rc != -e.code || (rc && !e.text[0]))
		abort(); /* an error without a message, or the other way round */
	if (!rc && (version < 1 || version > 3))
		abort();
	source_profile_deinit(&p);
	return 0;
}
