/* SPDX-License-Identifier: MIT */
#include "collector/recorder/executable_bytes.h"

#include <string.h>

static size_t read_view(void *context, uint64_t at, void *out, size_t bytes)
{
	const struct file_view *v = context;

	if (at >= v->size)
		return 0;
	if (bytes > v->size - at)
		bytes = v->size - (size_t)at;
	memcpy(out, v->data + at, bytes);
	return bytes;
}

void executable_bytes_look(const struct file_view *v, struct program_file *out)
{
	struct program_file_source from = {read_view, (void *)v};

	program_file_look(&from, out);
}
