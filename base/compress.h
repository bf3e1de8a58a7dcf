/* SPDX-License-Identifier: MIT */
/*
 * Compressed input: whole files as gzip, zstd and xz make them, and the zstd stream inside of
 * perf.data files; and zlib streams out, as LLVM's profiles have them.
 */
#pragma once

#include "base/file.h"
#include "softlbr/error.h"

/*
 * Like file_view_open, but the bytes of a compressed file are the expanded ones. They are spooled
 * to an unnamed file, so that memory does not grow with them. A file that is cut off or damaged, or
 * expands to very much more than it is, is an error (SOFTLBR_E_INPUT).
 */
int compress_view_open(struct file_view *v, const char *path, struct softlbr_error *e);
/* The same of what file_view_open gave, which is taken over in any case. */
int compress_view_take(struct file_view *v, struct file_view *packed, const char *path,
		       struct softlbr_error *e);

/* @data as a zlib stream of level 9, to be freed with memory_free; NULL without memory. */
uint8_t *compress_zlib(const uint8_t *data, size_t size, size_t *packed_size);
/* @data as a gzip file, to be freed with memory_free; NULL without memory. */
uint8_t *compress_gzip(const uint8_t *data, size_t size, size_t *packed_size);

/* A zstd stream that comes in pieces. */
struct compress_stream;

struct compress_stream *compress_stream_new(void); /* NULL without memory */
void compress_stream_free(struct compress_stream *s);
/*
 * Expand *@in (of *@in_size bytes, both are moved on) into @out: as much as there is room for.
 * *@out_bytes = how many were written. 0, or -1 if the bytes are no zstd stream.
 */
int compress_stream_expand(struct compress_stream *s, const uint8_t **in, size_t *in_size,
			   uint8_t *out, size_t out_size, size_t *out_bytes);

/* ---- what lies in memory as a whole: sections of ELF files --------------------------------- */

/* Decompress @in to exactly @size bytes at @out. False if it is not that. */
bool compress_inflate_zlib(const void *in, size_t in_size, void *out, size_t size);
bool compress_inflate_zstd(const void *in, size_t in_size, void *out, size_t size);
/* Decompress an .xz stream of unknown size, at most @most bytes, into memory that the caller frees
 * with memory_free. NULL if it is damaged, larger, or without memory. */
uint8_t *compress_inflate_xz(const void *in, size_t in_size, size_t most, size_t *size);
/* The CRC-32 of zlib, which .gnu_debuglink uses too. */
uint32_t compress_crc32(const void *bytes, size_t size);
