/* SPDX-License-Identifier: MIT */
/* Decompressing what lies in memory as a whole: sections of ELF files. */
#ifndef BASE_COMPRESS_WHOLE_H
#define BASE_COMPRESS_WHOLE_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

/* Decompress @in to exactly @size bytes at @out. False if it is not that. */
bool compress_inflate_zlib(const void *in, size_t in_size, void *out, size_t size);
bool compress_inflate_zstd(const void *in, size_t in_size, void *out, size_t size);
/* Decompress an .xz stream of unknown size, at most @most bytes, into memory that the caller frees
 * with memory_free. NULL if it is damaged, larger, or without memory. */
uint8_t *compress_inflate_xz(const void *in, size_t in_size, size_t most, size_t *size);
/* The CRC-32 of zlib, which .gnu_debuglink uses too. */
uint32_t compress_crc32(const void *bytes, size_t size);

#endif
