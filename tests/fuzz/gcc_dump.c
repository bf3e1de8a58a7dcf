/* SPDX-License-Identifier: MIT */
/* gcc's dumps through their reader. The input is the size of a .gcno file in two bytes, this file,
 * and the dump. */
#include <stdlib.h>

#include "converter/gcc/files/gcc_graph.h"

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size);

static void check(const struct gcc_graph *g)
{
	const struct gcc_value_site *site;
	const struct gcc_statement *s;
	const struct gcc_function *f;

	vector_each (&g->functions, f) {
		if (f->blocks.count && f->blocks.count != f->block_count)
			abort();
		vector_each (&f->statements, s)
			if (s->block >= f->blocks.count)
				abort();
		vector_each (&f->values, site)
			if (site->block >= f->blocks.count || !site->count)
				abort();
	}
}

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
	struct softlbr_error e = {0};
	struct gcc_graph g;
	size_t graph;

	if (size < 2)
		return 0;
	graph = data[0] | (size_t)data[1] << 8;
	data += 2;
	size -= 2;
	graph = graph < size ? graph : size;
	if (!gcno_read_bytes(data, graph, "fuzz", &g, &e)) {
		if (gcc_dump_read_bytes(data + graph, size - graph, "fuzz", &g, &e) != -e.code)
			abort();
		check(&g);
	}
	gcc_graph_deinit(&g);
	return 0;
}
