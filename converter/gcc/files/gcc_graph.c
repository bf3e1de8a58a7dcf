/* SPDX-License-Identifier: MIT */
#include "converter/gcc/files/gcc_graph.h"

int gcc_graph_init(struct gcc_graph *g)
{
	*g = (struct gcc_graph){.strings = strings_new()};
	return g->strings ? 0 : -1;
}

void gcc_graph_reduce(struct gcc_graph *g)
{
	struct gcc_function *f;

	vector_each (&g->functions, f) {
		vector_deinit(&f->lines);
		vector_deinit(&f->blocks);
		vector_deinit(&f->statements);
		vector_deinit(&f->calls);
	}
	strings_free(g->strings);
	g->strings = NULL;
}

void gcc_graph_deinit(struct gcc_graph *g)
{
	struct gcc_function *f;

	gcc_graph_reduce(g);
	vector_each (&g->functions, f) {
		vector_deinit(&f->arcs);
		vector_deinit(&f->guesses);
		vector_deinit(&f->loops);
		vector_deinit(&f->values);
	}
	vector_deinit(&g->functions);
}

const struct gcc_function *gcc_graph_function(const struct gcc_graph *g, uint32_t ident)
{
	const struct gcc_function *f;

	vector_each (&g->functions, f)
		if (f->ident == ident)
			return f;
	return NULL;
}
