/* SPDX-License-Identifier: MIT */
/*
 * list_blocks BINARY: each function's address, how many instructions it has, and the numbers of
 * those that its basic blocks begin with, by converter/cfg/blocks.h, for blocks.sh.
 */
#include <stdio.h>

#include "converter/cfg/blocks.h"

int main(int argc, char **argv)
{
	struct branch_profile none = {0};
	struct binary *binary = argc == 2 ? binary_open(argv[1], NULL) : NULL;
	struct block_finder *finder = binary ? block_finder_new(binary, &none) : NULL;
	const struct binary_function *f;
	size_t count = 0;

	if (!finder)
		return 1;
	f = binary_functions(binary, &count);
	for (size_t i = 0; i < count; i++) {
		const struct blocks *blocks = block_finder_get(finder, &f[i]);
		const struct block *b;

		if (!blocks)
			return 1;
		printf("%llx %zu", (unsigned long long)f[i].begin, blocks->code->count);
		vector_each (&blocks->items, b)
			printf(" %u", b->first);
		putchar('\n');
	}
	block_finder_free(finder);
	binary_close(binary);
	return 0;
}
