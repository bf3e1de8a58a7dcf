/* SPDX-License-Identifier: MIT */
#include "base/compress_whole.h"

#include <lzma.h>
#include <zlib.h>
#include <zstd.h>

#include "base/memory.h"

/* What decoding an .xz may use; `xz -9` asks for 65 MiB. */
#define XZ_MEMORY (256u << 20)

bool compress_inflate_zlib(const void *in, size_t in_size, void *out, size_t size)
{
	uLongf written = size;

	return uncompress(out, &written, in, in_size) == Z_OK && written == size;
}

bool compress_inflate_zstd(const void *in, size_t in_size, void *out, size_t size)
{
	return ZSTD_decompress(out, size, in, in_size) == size;
}

uint8_t *compress_inflate_xz(const void *in, size_t in_size, size_t most, size_t *size)
{
	size_t capacity = in_size < most / 8 ? in_size * 8 : most;

	for (;;) {
		uint64_t memory = XZ_MEMORY;
		size_t at = 0, written = 0;
		uint8_t *out = memory_resize_array(NULL, capacity ? capacity : 1, 1);
		lzma_ret rc;

		if (!out)
			return NULL;
		rc = lzma_stream_buffer_decode(&memory, LZMA_CONCATENATED, NULL, in, &at, in_size,
					       out, &written, capacity);
		if (rc == LZMA_OK) {
			*size = written;
			return out;
		}
		memory_free(out);
		if (rc != LZMA_BUF_ERROR || capacity >= most)
			return NULL;
		capacity = capacity < most / 4 ? capacity * 4 : most;
	}
}

uint32_t compress_crc32(const void *bytes, size_t size)
{
	return (uint32_t)crc32_z(0, bytes, size);
}
