/* SPDX-License-Identifier: MIT */
#include "formats/bb_addr_map.h"

#include "base/error.h"

#define OLDEST_VERSION 1
#define NEWEST_VERSION 5

enum features {
	FUNC_ENTRY_COUNT = 1 << 0,
	BB_FREQ = 1 << 1,
	BR_PROB = 1 << 2,
	MULTI_BB_RANGE = 1 << 3,
	OMIT_BB_ENTRIES = 1 << 4,
	CALLSITE_END_OFFSETS = 1 << 5,
	BB_HASH = 1 << 6,
	POST_LINK_CFG = 1 << 7,
	ALL_FEATURES = (1 << 8) - 1,
};

struct reader {
	struct block_map *map;
	struct cursor at;
	unsigned address_bytes;
	unsigned version, features;
	const char *name;
};

static uint64_t read_address(struct reader *r)
{
	return r->address_bytes == 4 ? cursor_u32(&r->at) : cursor_u64(&r->at);
}

/* *at moves on by what is read; past the last address the record is damaged. */
static void move(struct reader *r, uint64_t *at)
{
	if (__builtin_add_overflow(*at, cursor_uleb128(&r->at), at))
		r->at.failed = true;
}

/* @number: the block's in its function. */
static int read_block(struct reader *r, uint64_t number, uint64_t *at)
{
	struct mapped_block b = {.function = (uint32_t)r->map->functions.count};
	uint64_t id = r->version > 1 ? cursor_uleb128(&r->at) : number, calls = 0;

	move(r, at);
	b.begin = *at;
	if (r->features & CALLSITE_END_OFFSETS)
		calls = cursor_uleb128(&r->at);
	for (; calls && !r->at.failed; calls--)
		move(r, at);
	move(r, at);
	b.end = *at;
	cursor_uleb128(&r->at);
	if (r->features & BB_HASH)
		cursor_u64(&r->at);
	b.id = (uint32_t)id;
	r->at.failed |= id > UINT32_MAX;
	return r->at.failed ? 0 : vector_add(&r->map->blocks, b);
}

/* @begin, which may be NULL, becomes where the range begins. */
static int read_range(struct reader *r, uint64_t *begin)
{
	uint64_t at = read_address(r), blocks = cursor_uleb128(&r->at);
	int rc = 0;

	if (begin)
		*begin = at;
	if (r->features & OMIT_BB_ENTRIES)
		return 0;
	for (uint64_t i = 0; i < blocks && !r->at.failed && !rc; i++)
		rc = read_block(r, i, &at);
	return rc;
}

/* What clang expected of its blocks, which nobody here asks for. */
static void skip_analysis(struct reader *r, uint64_t blocks)
{
	const bool twice = r->features & POST_LINK_CFG;

	if (r->features & FUNC_ENTRY_COUNT)
		cursor_uleb128(&r->at);
	for (; (r->features & (BB_FREQ | BR_PROB)) && blocks && !r->at.failed; blocks--) {
		uint64_t successors = 0;

		if (r->features & BB_FREQ)
			cursor_uleb128(&r->at);
		if (twice)
			cursor_uleb128(&r->at);
		if (r->features & BR_PROB)
			successors = cursor_uleb128(&r->at);
		for (; successors && !r->at.failed; successors--)
			for (int numbers = twice ? 3 : 2; numbers; numbers--)
				cursor_uleb128(&r->at);
	}
}

static int check_version(struct reader *r, struct softlbr_error *e)
{
	size_t begin = r->at.at;

	r->version = cursor_u8(&r->at);
	r->features = r->version < 5 ? cursor_u8(&r->at) : cursor_u16(&r->at);
	if (r->version < OLDEST_VERSION)
		return error_set_at(
			e, SOFTLBR_E_INPUT, r->name, begin,
			"%s: the block address map is of version %u, which is not known: "
			"compile with clang 16 or later",
			r->name, r->version);
	if (r->version > NEWEST_VERSION || r->features > ALL_FEATURES)
		return error_set_at(e, SOFTLBR_E_INPUT, r->name, begin,
				    "%s: the block address map is of version %u with features "
				    "0x%x, and softlbr knows versions up to %u: compile with an "
				    "older clang, or ask for a newer softlbr",
				    r->name, r->version, r->features, NEWEST_VERSION);
	return 0;
}

static int read_function(struct reader *r, struct softlbr_error *e)
{
	struct mapped_function f = {.first = (uint32_t)r->map->blocks.count};
	size_t begin = r->at.at;
	uint64_t ranges = 1;
	int rc = check_version(r, e);

	if (rc)
		return rc;
	if (r->features & MULTI_BB_RANGE)
		ranges = cursor_uleb128(&r->at);
	for (uint64_t i = 0; i < ranges && !r->at.failed && !rc; i++)
		rc = read_range(r, i ? NULL : &f.entry);
	f.blocks = (uint32_t)r->map->blocks.count - f.first;
	if (rc || vector_add(&r->map->functions, f))
		return error_set_nomem(e);
	skip_analysis(r, f.blocks);
	if (r->at.failed || !ranges)
		return error_set_at(e, SOFTLBR_E_INPUT, r->name, begin,
				    "%s: the block address map's record at byte %zu is damaged or "
				    "cut off; link the program again",
				    r->name, begin);
	return 0;
}

int bb_addr_map_read(struct block_map *map, const struct bb_addr_map_section *section,
		     const char *name, struct softlbr_error *e)
{
	struct reader r = {.map = map, .address_bytes = section->address_bytes, .name = name};
	int rc = 0;

	cursor_init(&r.at, section->bytes.data, section->bytes.size, section->big_endian);
	while (cursor_left(&r.at) && !rc)
		rc = read_function(&r, e);
	return rc;
}
