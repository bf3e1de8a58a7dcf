/* SPDX-License-Identifier: MIT */
/* Hand-made perf.data files of either byte order, for the tests of what reads them. */
#pragma once

#include <linux/perf_event.h>
#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>
#include <string.h>

struct perfdata_bytes {
	uint8_t data[1 << 16];
	size_t size;
	bool big;
	size_t record; /* where the open record began */
	size_t data_begin;
};

static inline void put(struct perfdata_bytes *b, uint64_t value, unsigned bytes)
{
	for (unsigned i = 0; i < bytes; i++)
		b->data[b->size++] = (uint8_t)(value >> 8 * (b->big ? bytes - 1 - i : i));
}

static inline void put_at(struct perfdata_bytes *b, size_t at, uint64_t value, unsigned bytes)
{
	size_t size = b->size;

	b->size = at;
	put(b, value, bytes);
	b->size = size;
}

static inline void put_text(struct perfdata_bytes *b, const char *text)
{
	size_t n = strlen(text) + 1, padded = (n + 7) & ~(size_t)7;

	memset(b->data + b->size, 0, padded);
	memcpy(b->data + b->size, text, n);
	b->size += padded;
}

/* Attribute bits by their number in linux/perf_event.h, wherever the byte order puts them. */
static inline uint64_t attr_bit(const struct perfdata_bytes *b, unsigned bit)
{
	return 1ull << (b->big ? 63 - bit : bit);
}

#define ATTR_BIT_SAMPLE_ID_ALL 18

static inline void put_attr(struct perfdata_bytes *b, unsigned bytes, uint64_t sample_type,
			    uint64_t read_format, uint64_t branch_type)
{
	size_t begin = b->size;

	put(b, PERF_TYPE_HARDWARE, 4);
	put(b, bytes, 4);
	put(b, 4, 8); /* branches */
	put(b, 1000, 8);
	put(b, sample_type, 8);
	put(b, read_format, 8);
	put(b, attr_bit(b, ATTR_BIT_SAMPLE_ID_ALL), 8);
	put(b, 0, 8); /* wakeup, bp_type */
	put(b, 0, 8); /* config1 */
	if (bytes > 64)
		put(b, 0, 8); /* config2 */
	if (bytes > 72)
		put(b, branch_type, 8);
	if (bytes > 80)
		put(b, 3, 8); /* sample_regs_user: two registers */
	memset(b->data + b->size, 0, 256);
	b->size = begin + bytes;
}

static inline void begin_record(struct perfdata_bytes *b, uint32_t type, uint16_t misc)
{
	b->record = b->size;
	put(b, type, 4);
	put(b, misc, 2);
	put(b, 0, 2);
}

static inline void end_record(struct perfdata_bytes *b)
{
	put_at(b, b->record + 6, b->size - b->record, 2);
}

/*
 * A file whose events are of one shape, with ids 1, 2, ... Records follow; finish_file ends it.
 */
static inline void begin_file(struct perfdata_bytes *b, bool big, unsigned events,
			      unsigned attr_bytes, uint64_t sample_type, uint64_t read_format,
			      uint64_t branch_type)
{
	size_t ids, attrs;

	memset(b, 0, sizeof(*b));
	b->big = big;
	put(b, 0x32454c4946524550, 8); /* PERFILE2 to little-endian machines */
	put(b, 104, 8);
	put(b, attr_bytes + 16, 8);
	b->size = 104;
	ids = b->size;
	for (unsigned i = 0; i < events; i++)
		put(b, i + 1, 8);
	attrs = b->size;
	for (unsigned i = 0; i < events; i++) {
		put_attr(b, attr_bytes, sample_type, read_format, branch_type);
		put(b, ids + 8 * i, 8);
		put(b, 8, 8);
	}
	put_at(b, 24, attrs, 8);
	put_at(b, 32, b->size - attrs, 8);
	put_at(b, 40, b->size, 8);
	b->data_begin = b->size;
}

static inline void finish_file(struct perfdata_bytes *b)
{
	put_at(b, 48, b->size - b->data_begin, 8);
}
