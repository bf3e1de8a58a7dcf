/* SPDX-License-Identifier: MIT */
/* Counters for gcc -fprofile-use through their reader; what was read is added up and written. */
#include <stdlib.h>

#include "converter/gcc/files/counter_profile.h"

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size);

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
	struct counter_profile p, sum = {0};
	struct softlbr_error e = {0};
	const struct counter_function *clash = NULL;
	FILE *null = fopen("/dev/null", "w");
	int rc = gcda_read_bytes(data, size, "fuzz", &p, &e);

	if (rc != -e.code)
		abort();
	if (!rc && !counter_merge_add(&sum, &p, 3, "fuzz", &clash, &e) &&
	    !counter_merge_add(&sum, &p, 1, "fuzz", &clash, &e) && null)
		gcda_write_to(&sum, null);
	if (null)
		fclose(null);
	counter_profile_deinit(&sum);
	counter_profile_deinit(&p);
	return 0;
}
