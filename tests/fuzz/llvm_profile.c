/* SPDX-License-Identifier: MIT */
/* LLVM's sample profiles, text and binary, through their readers; what is read can be written. */
#include <stdlib.h>

#include "formats/llvm_profile.h"

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size);

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
	struct softlbr_error e = {0};
	struct source_profile p;
	int rc = llvm_binary_is(data, size) ? llvm_binary_read_bytes(data, size, "fuzz", &p, &e)
					    : llvm_text_read_bytes(data, size, "fuzz", &p, &e);

	if (rc != -e.code || (rc && !e.text[0]))
		abort(); /* an error without a message, or the other way round */
	if (!rc && llvm_text_write(&p, "/dev/null", &e))
		abort();
	source_profile_deinit(&p);
	return 0;
}
