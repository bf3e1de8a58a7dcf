/* SPDX-License-Identifier: MIT */
#include "base/compress.h"

#include <errno.h>
#include <lzma.h>
#include <string.h>
#include <unistd.h>
#include <zlib.h>
#include <zstd.h>

#include "base/error.h"
#include "base/memory.h"

#define CHUNK_BYTES	 (256u << 10)
#define XZ_MEMORY_BYTES	 (256u << 20) /* xz -9 needs 65 MiB */
#define ZSTD_WINDOW_LOG2 27	      /* 128 MiB, as the zstd program allows by default */

enum compress_kind { COMPRESS_NONE, COMPRESS_GZIP, COMPRESS_ZSTD, COMPRESS_XZ };

static enum compress_kind compress_kind_of(const uint8_t *data, size_t size)
{
	if (size >= 3 && !memcmp(data, "\x1f\x8b\x08", 3))
		return COMPRESS_GZIP;
	if (size >= 4 && !memcmp(data, "\x28\xb5\x2f\xfd", 4))
		return COMPRESS_ZSTD;
	if (size >= 6 && !memcmp(data,
				 "\xfd"
				 "7zXZ",
				 6))
		return COMPRESS_XZ;
	return COMPRESS_NONE;
}

struct compress_stream {
	ZSTD_DCtx *context;
	size_t wanted; /* what zstd expects: 0 at the end of a frame */
};

struct compress_stream *compress_stream_new(void)
{
	struct compress_stream *s = memory_alloc(sizeof(*s));

	if (!s)
		return NULL;
	s->context = ZSTD_createDCtx();
	if (!s->context) {
		memory_free(s);
		return NULL;
	}
	ZSTD_DCtx_setParameter(s->context, ZSTD_d_windowLogMax, ZSTD_WINDOW_LOG2);
	return s;
}

void compress_stream_free(struct compress_stream *s)
{
	if (!s)
		return;
	ZSTD_freeDCtx(s->context);
	memory_free(s);
}

int compress_stream_expand(struct compress_stream *s, const uint8_t **in, size_t *in_size,
			   uint8_t *out, size_t out_size, size_t *out_bytes)
{
	ZSTD_inBuffer from = {*in, *in_size, 0};
	ZSTD_outBuffer to = {out, out_size, 0};

	size_t wanted = ZSTD_decompressStream(s->context, &to, &from);

	if (ZSTD_isError(wanted))
		return -1;
	if (from.pos || to.pos) /* else it says what a next frame would need */
		s->wanted = wanted;
	*in += from.pos;
	*in_size -= from.pos;
	*out_bytes = to.pos;
	return 0;
}

/* No file fills the disk: so much each may expand to, and so many times its size beyond. A deflated
 * one can't reach that; tables of equal records that zstd and xz make very small do not. */
#define EXPANDED_BYTES (64u << 20)
#define EXPANDED_RATIO 1100u

struct expansion {
	const uint8_t *data; /* of the input, what is left of it */
	size_t size;
	uint64_t most; /* bytes that it may still expand to */
	int fd;	       /* to be written to */
	uint8_t *chunk;
	const char *name;
	struct softlbr_error *e;
};

static int damaged(const struct expansion *x, const char *what)
{
	return error_set(x->e, SOFTLBR_E_INPUT, x->name,
			 "%s is damaged or cut off: %s; copy it again, or expand it yourself",
			 x->name, what);
}

static int spool_chunk(struct expansion *x, size_t bytes)
{
	const uint8_t *at = x->chunk;

	if (bytes > x->most)
		return error_set(x->e, SOFTLBR_E_INPUT, x->name,
				 "%s expands to more than %u times its size, which no recording "
				 "or program does; if it is one, expand it yourself, and give that",
				 x->name, EXPANDED_RATIO);
	x->most -= bytes;
	while (bytes) {
		ssize_t written = write(x->fd, at, bytes);

		if (written < 0 && errno == EINTR)
			continue;
		if (written <= 0)
			return error_set_errno(x->e, x->name, "cannot spool %s to a temporary file",
					       x->name);
		at += written;
		bytes -= (size_t)written;
	}
	return 0;
}

/* One member after another, as gzip itself reads them. */
static int expand_gzip(struct expansion *x)
{
	z_stream z = {0};
	int rc = 0, state = Z_OK;

	if (inflateInit2(&z, 15 + 16) != Z_OK)
		return error_set_nomem(x->e);
	while (!rc && (x->size || state != Z_STREAM_END)) {
		size_t in = x->size < (1u << 30) ? x->size : 1u << 30;

		z.next_in = (Bytef *)x->data;
		z.avail_in = (uInt)in;
		z.next_out = x->chunk;
		z.avail_out = CHUNK_BYTES;
		state = inflate(&z, Z_NO_FLUSH);
		x->data += in - z.avail_in;
		x->size -= in - z.avail_in;
		if (state == Z_OK || state == Z_STREAM_END)
			rc = spool_chunk(x, CHUNK_BYTES - z.avail_out);
		else
			rc = damaged(x, z.msg ? z.msg : "its gzip stream ends too early");
		if (state == Z_STREAM_END)
			inflateReset(&z);
	}
	inflateEnd(&z);
	return rc;
}

static int expand_zstd(struct expansion *x)
{
	struct compress_stream *s = compress_stream_new();
	bool more = true;
	int rc = 0;

	if (!s)
		return error_set_nomem(x->e);
	while (!rc && more) {
		size_t bytes;

		if (compress_stream_expand(s, &x->data, &x->size, x->chunk, CHUNK_BYTES, &bytes)) {
			rc = damaged(x, "its zstd stream is not one");
		} else {
			more = x->size || bytes;
			rc = spool_chunk(x, bytes);
		}
	}
	if (!rc && s->wanted)
		rc = damaged(x, "its zstd stream ends too early");
	compress_stream_free(s);
	return rc;
}

static int expand_xz(struct expansion *x)
{
	lzma_stream z = LZMA_STREAM_INIT;
	lzma_ret state = LZMA_OK;
	int rc = 0;

	if (lzma_stream_decoder(&z, XZ_MEMORY_BYTES, LZMA_CONCATENATED) != LZMA_OK)
		return error_set_nomem(x->e);
	z.next_in = x->data;
	z.avail_in = x->size;
	while (!rc && state == LZMA_OK) {
		z.next_out = x->chunk;
		z.avail_out = CHUNK_BYTES;
		state = lzma_code(&z, LZMA_FINISH);
		if (state == LZMA_OK || state == LZMA_STREAM_END)
			rc = spool_chunk(x, CHUNK_BYTES - z.avail_out);
		else
			rc = damaged(x, "its xz stream is not complete");
	}
	lzma_end(&z);
	return rc;
}

static int expand(struct expansion *x, enum compress_kind kind)
{
	int rc;

	x->chunk = memory_alloc(CHUNK_BYTES);
	if (!x->chunk)
		return error_set_nomem(x->e);
	if (kind == COMPRESS_GZIP)
		rc = expand_gzip(x);
	else if (kind == COMPRESS_ZSTD)
		rc = expand_zstd(x);
	else
		rc = expand_xz(x);
	memory_free(x->chunk);
	return rc;
}

int compress_view_take(struct file_view *v, struct file_view *packed, const char *path,
		       struct softlbr_error *e)
{
	enum compress_kind kind = compress_kind_of(packed->data, packed->size);
	struct softlbr_error own = {0};
	struct expansion x;
	int rc;

	if (kind == COMPRESS_NONE) {
		*v = *packed;
		return 0;
	}
	*v = (struct file_view){0};
	x = (struct expansion){.data = packed->data,
			       .size = packed->size,
			       .most = EXPANDED_BYTES + EXPANDED_RATIO * (uint64_t)packed->size,
			       .name = path,
			       .e = e ? e : &own};
	x.fd = file_spool_open(path, x.e);
	rc = x.fd < 0 ? -x.e->code : expand(&x, kind);
	if (!rc)
		rc = file_view_take(v, x.fd, path, x.e);
	else if (x.fd >= 0)
		close(x.fd);
	file_view_close(packed);
	return rc;
}

int compress_view_open(struct file_view *v, const char *path, struct softlbr_error *e)
{
	struct file_view packed;
	int rc = file_view_open(&packed, path, e);

	return rc ? rc : compress_view_take(v, &packed, path, e);
}

uint8_t *compress_zlib(const uint8_t *data, size_t size, size_t *packed_size)
{
	uLongf bytes = compressBound(size);
	uint8_t *packed = memory_alloc(bytes);

	if (packed && compress2(packed, &bytes, data, size, 9) != Z_OK) {
		memory_free(packed);
		packed = NULL;
	}
	*packed_size = bytes;
	return packed;
}

uint8_t *compress_gzip(const uint8_t *data, size_t size, size_t *packed_size)
{
	z_stream z = {.next_in = (Bytef *)(uintptr_t)data};
	uint8_t *packed = NULL;
	uLong most;

	/* 15 + 16: the largest window, and a header of gzip's instead of zlib's */
	if (size > UINT32_MAX ||
	    deflateInit2(&z, 9, Z_DEFLATED, 15 + 16, 8, Z_DEFAULT_STRATEGY) != Z_OK)
		return NULL;
	z.avail_in = (uInt)size;
	most = deflateBound(&z, size);
	packed = most <= UINT32_MAX ? memory_alloc(most) : NULL;
	z.next_out = packed;
	z.avail_out = (uInt)most;
	if (packed && deflate(&z, Z_FINISH) != Z_STREAM_END) {
		memory_free(packed);
		packed = NULL;
	}
	*packed_size = z.total_out;
	deflateEnd(&z);
	return packed;
}

/* The memory that decoding an .xz may use; `xz -9` asks for 65 MiB. */
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
