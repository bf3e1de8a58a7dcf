/* SPDX-License-Identifier: MIT */
/* pprof's message as its files have it: packed, and compressed by gzip. */
#pragma once

#include <stdio.h>

#include "base/compress.h"
#include "base/memory.h"
#include "pprof.pb-c.h"

/* 0, or -1 without memory; who closes the stream reports its errors. */
static inline int pprof_pack(const Pprof__Profile *p, FILE *stream)
{
	size_t size = pprof__profile__get_packed_size(p), packed_size = 0;
	uint8_t *bytes = memory_alloc_array(size + 1, 1), *packed = NULL;

	if (bytes)
		packed = compress_gzip(bytes, pprof__profile__pack(p, bytes), &packed_size);
	if (packed)
		fwrite(packed, 1, packed_size, stream);
	memory_free(bytes);
	memory_free(packed);
	return packed ? 0 : -1;
}
