/* SPDX-License-Identifier: MIT */
/*
 * The control-flow graph of a function, with the counts that were seen (not smoothed), as it is
 * shown: its basic blocks that were executed, and the edges that were taken. Unlike segments
 * (converter/cfg/cfg.h), blocks do not end at calls.
 */
#ifndef REPORT_VIEWS_CODE_GRAPH_H
#define REPORT_VIEWS_CODE_GRAPH_H

#include "base/vector.h"
#include "converter/cfg/cfg.h"

#define CODE_GRAPH_OUTSIDE UINT32_MAX

struct code_graph_block {
	uint32_t number;      /* among all of the function, from 1, by address */
	uint64_t begin, last; /* addresses of the first and the last instruction */
	uint64_t instructions, count;
};

struct code_graph_edge {
	uint32_t from, to; /* numbers of blocks, or CODE_GRAPH_OUTSIDE */
	uint8_t kind;	   /* enum cfg_edge_kind */
	uint64_t count;
};

struct code_graph {
	VECTOR(struct code_graph_block) blocks; /* ascending */
	VECTOR(struct code_graph_edge) edges;	/* ascending by (from, to, kind) */
};

/* @graph starts zeroed, to be ended with code_graph_deinit also on failure; -1 without memory. */
int code_graph_make(struct code_graph *graph, struct binary *b, const struct cfg *cfg);
void code_graph_deinit(struct code_graph *graph);
/* "falls through", "jump"... of an enum cfg_edge_kind. */
const char *code_graph_kind(uint8_t kind);

#endif
