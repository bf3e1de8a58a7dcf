/* SPDX-License-Identifier: MIT */
/* BOLT's fdata through its reader; what is read can be written. */
#include <stdlib.h>

#include "formats/fdata.h"

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size);

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
	struct softlbr_error e = {0};
	struct bolt_profile p;
	int rc;

	if (bolt_profile_init(&p))
		return 0;
	rc = fdata_read_bytes((const char *)data, size, "fuzz", &p, &e);
	if (rc != -e.code || (rc && !e.text[0]))
		abort(); /* an error without a message, or the other way round */
	if (!rc && p.branches.count && fdata_write(&p, "/dev/null", &e))
		abort();
	bolt_profile_deinit(&p);
	return 0;
}
