/* SPDX-License-Identifier: MIT */
/* Records of block address maps that were encoded by hand, as llvm/docs/Extensions.rst has them. */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <cmocka.h>

#include "formats/bb_addr_map.h"

#define ADDRESS(low, high) low, high, 0, 0, 0, 0, 0, 0
#define HASH		   1, 2, 3, 4, 5, 6, 7, 8

static int read_bytes(struct block_map *map, const uint8_t *data, size_t size,
		      struct softlbr_error *e)
{
	const struct bb_addr_map_section section = {{data, size}, false, 8};

	return bb_addr_map_read(map, &section, "program", e);
}

static void assert_block(const struct block_map *map, size_t at, uint32_t function, uint32_t id,
			 uint64_t begin, uint64_t end)
{
	const struct mapped_block *b = &map->blocks.items[at];

	assert_int_equal(b->function, function);
	assert_int_equal(b->id, id);
	assert_int_equal(b->begin, begin);
	assert_int_equal(b->end, end);
}

/* What is between two blocks, a padding of two bytes here, is of neither. */
static void test_plain(void **state)
{
	const uint8_t data[] = {2, 0, ADDRESS(0x00, 0x10), 3, 0, 0, 16, 8, 7, 0, 4, 0, 3, 2, 0x90,
				1, 1, /* 144 bytes */
				2, 0, ADDRESS(0x00, 0x20), 1, 0, 0, 1,	1};
	struct block_map map = {0};

	(void)state;
	assert_int_equal(read_bytes(&map, data, sizeof(data), NULL), 0);
	assert_int_equal(map.functions.count, 2);
	assert_int_equal(map.functions.items[0].entry, 0x1000);
	assert_int_equal(map.functions.items[0].blocks, 3);
	assert_int_equal(map.functions.items[1].entry, 0x2000);
	assert_int_equal(map.functions.items[1].first, 3);
	assert_block(&map, 0, 0, 0, 0x1000, 0x1010);
	assert_block(&map, 1, 0, 7, 0x1010, 0x1014);
	assert_block(&map, 2, 0, 3, 0x1016, 0x1016 + 144);
	assert_block(&map, 3, 1, 0, 0x2000, 0x2001);
	block_map_deinit(&map);
}

/* Blocks have no ids. */
static void test_numbers(void **state)
{
	const uint8_t data[] = {1, 0, ADDRESS(0x00, 0x10), 2, 0, 16, 8, 2, 4, 0};
	struct block_map map = {0};

	(void)state;
	assert_int_equal(read_bytes(&map, data, sizeof(data), NULL), 0);
	assert_block(&map, 0, 0, 0, 0x1000, 0x1010);
	assert_block(&map, 1, 0, 1, 0x1012, 0x1016);
	block_map_deinit(&map);
}

/* Two calls end 3 and 7 bytes into the block, and 5 bytes follow. */
static void test_calls(void **state)
{
	const uint8_t data[] = {3, 0x20, ADDRESS(0x00, 0x10), 2, 0, 0, 2, 3, 4, 5, 0, 1, 2, 0,
				7, 1};
	struct block_map map = {0};

	(void)state;
	assert_int_equal(read_bytes(&map, data, sizeof(data), NULL), 0);
	assert_block(&map, 0, 0, 0, 0x1000, 0x100c);
	assert_block(&map, 1, 0, 1, 0x100e, 0x1015);
	block_map_deinit(&map);
}

static void test_ranges_hashes(void **state)
{
	const uint8_t data[] = {4,  0x48, 2,	ADDRESS(0x00, 0x10), 1, 0, 0,
				16, 8,	  HASH, ADDRESS(0x00, 0x20), 1, 3, 0,
				5,  1,	  HASH};
	struct block_map map = {0};

	(void)state;
	assert_int_equal(read_bytes(&map, data, sizeof(data), NULL), 0);
	assert_int_equal(map.functions.count, 1);
	assert_int_equal(map.functions.items[0].entry, 0x1000);
	assert_block(&map, 0, 0, 0, 0x1000, 0x1010);
	assert_block(&map, 1, 0, 3, 0x2000, 0x2005);
	block_map_deinit(&map);
}

/* Version 5 has features of 16 bits; what clang expected is behind the blocks. */
static void test_analysis(void **state)
{
	const uint8_t data[] = {5,  0x87,
				0,  ADDRESS(0x00, 0x10),
				2,  0,
				0,  4,
				8,  2,
				0,  6,
				1,  100,
				50, 51,
				1,  2,
				64, 52,
				10, 11,
				0,  2,
				0,  ADDRESS(0x00, 0x20),
				1,  0,
				0,  1,
				1};
	struct block_map map = {0};

	(void)state;
	assert_int_equal(read_bytes(&map, data, sizeof(data), NULL), 0);
	assert_int_equal(map.functions.count, 2);
	assert_block(&map, 1, 0, 2, 0x1004, 0x100a);
	assert_block(&map, 2, 1, 0, 0x2000, 0x2001);
	block_map_deinit(&map);
}

static void assert_refused(const uint8_t *data, size_t size, const char *text)
{
	struct softlbr_error e = {0};
	struct block_map map = {0};

	assert_int_equal(read_bytes(&map, data, size, &e), -SOFTLBR_E_INPUT);
	assert_non_null(strstr(e.text, text));
	block_map_deinit(&map);
}

static void test_refused(void **state)
{
	const uint8_t old[] = {0, 0, ADDRESS(0, 0x10), 1, 0, 16, 8},
		      new[] = {6, 0, 0, ADDRESS(0, 0x10), 1, 0, 0, 16, 8},
		      features[] = {5, 0, 1, ADDRESS(0, 0x10), 1, 0, 0, 16, 8}, none[] = {4, 8, 0},
		      cut[] = {2, 0, ADDRESS(0, 0x10), 2, 0, 0, 16, 8, 1, 0},
		      many[] = {2, 0, ADDRESS(0, 0x10), 0xff, 0xff, 0xff, 0xff, 0x0f, 0, 0, 1, 8},
		      round[] = {2,    0,    0xff, 0xff, 0xff, 0xff, 0xff, 0xff,
				 0xff, 0xff, 1,	   0,	 0x7f, 0,    8};

	(void)state;
	assert_refused(old, sizeof(old), "clang 16 or later");
	assert_refused(new, sizeof(new), "version 6");
	assert_refused(features, sizeof(features), "features 0x100");
	assert_refused(none, sizeof(none), "damaged");
	assert_refused(cut, sizeof(cut), "damaged");
	assert_refused(many, sizeof(many), "damaged");
	assert_refused(round, sizeof(round), "damaged");
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(test_plain),	 cmocka_unit_test(test_numbers),
		cmocka_unit_test(test_calls),	 cmocka_unit_test(test_ranges_hashes),
		cmocka_unit_test(test_analysis), cmocka_unit_test(test_refused),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
