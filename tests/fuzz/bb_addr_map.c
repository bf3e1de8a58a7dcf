/* SPDX-License-Identifier: MIT */
/* A section of block addresses through its reader, of either width of addresses. */
#include <stdlib.h>

#include "formats/bb_addr_map.h"

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size);

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
	for (unsigned bytes = 4; bytes <= 8; bytes += 4) {
		const struct bb_addr_map_section section = {{data, size}, bytes == 4, bytes};
		struct softlbr_error e = {0};
		struct block_map map = {0};
		int rc = bb_addr_map_read(&map, &section, "fuzz", &e);
		size_t blocks = 0;

		if (rc != -e.code || (rc && !e.text[0]))
			abort(); /* an error without a message, or the other way round */
		for (size_t i = 0; i < map.functions.count; i++) {
			if (map.functions.items[i].first != blocks)
				abort();
			blocks += map.functions.items[i].blocks;
		}
		for (size_t i = 0; i < blocks; i++)
			if (map.blocks.items[i].end < map.blocks.items[i].begin)
				abort();
		if (blocks > map.blocks.count || blocks > size)
			abort();
		block_map_deinit(&map);
	}
	return 0;
}
