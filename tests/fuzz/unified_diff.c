/* SPDX-License-Identifier: MIT */
/* A unified diff through its reader, and applied both ways to what is in front of it: the input is
 * a text, a zero byte, and a diff. */
#include <stdint.h>
#include <stdlib.h>

#include "formats/unified_diff.h"

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size);

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
	const char *text = (const char *)data, *zero = size ? memchr(data, 0, size) : NULL;
	struct text diff = {zero ? zero + 1 : text, text + size},
		    whole = {text, zero ? zero : text};
	struct unified_diff d = {0};
	struct softlbr_error e = {0}, applying = {0};
	const struct unified_diff_file *file;

	if (unified_diff_read(&d, diff, "fuzz", &e) != -e.code)
		abort();
	vector_each (&d.files, file)
		for (int reverse = 0; !e.code && reverse < 2; reverse++) {
			size_t made_size;
			char *made = unified_diff_apply(&d, file, whole, reverse, &made_size,
							&applying);

			if (!made && !applying.code)
				abort();
			memory_free(made);
		}
	unified_diff_deinit(&d);
	return 0;
}
