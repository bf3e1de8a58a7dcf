/* SPDX-License-Identifier: MIT */
/* Any bytes as a program's file. */
#include <stdlib.h>
#include <string.h>

#include "collector/shared/program_file.h"

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size);

struct bytes {
	const uint8_t *data;
	size_t size;
};

static size_t read_bytes(void *context, uint64_t at, void *out, size_t bytes)
{
	const struct bytes *b = context;

	if (at >= b->size)
		return 0;
	if (bytes > b->size - at)
		bytes = b->size - (size_t)at;
	memcpy(out, b->data + at, bytes);
	return bytes;
}

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
	struct bytes bytes = {data, size};
	struct program_file_source from = {read_bytes, &bytes};
	struct program_file f;

	program_file_look(&from, &f);
	if (strnlen(f.script, sizeof(f.script)) == sizeof(f.script))
		abort();
	if (program_file_exclusion(&f) &&
	    (!f.is_elf || !exclusion_text(program_file_exclusion(&f))))
		abort();
	if (strnlen(f.linker, sizeof(f.linker)) == sizeof(f.linker) ||
	    program_file_glibc(&from) > 99999)
		abort();
	if (program_file_has_go_note(data, size) && size < 16)
		abort();
	return 0;
}
