/* SPDX-License-Identifier: MIT */
#include "converter/gcc/counters/goto_evidence.h"

#include <string.h>

#include "base/memory.h"

#define WEIGHT_GOTO  10.0
#define WEIGHT_LABEL 10.0
/* A label may have another one's count; one without code of its own has lost its own. */
#define WEIGHT_MERGED 2.0
#define WEIGHT_ABSENT 0.5

/* The label that the code at @address is of: the one that most of its statements name, each shared
 * out among the labels that have it. KEY_NONE if none does. */
static uint32_t label_at(const struct key_function *f, const struct observations *o,
			 uint64_t address, const uint32_t *arc_of, double *score)
{
	const struct observed_instruction *code;
	uint32_t best = KEY_NONE;
	size_t n, blocks = f->graph->block_count;

	memset(score, 0, blocks * sizeof(*score));
	code = observations_code_at(o, address, &n);
	if (!code)
		return KEY_NONE;
	for (size_t i = 0; i < n; i++) {
		const struct key_at *at;
		size_t several;

		at = key_function_at(f, code[i].place, &several);
		for (size_t k = 0; k < several; k++)
			if (arc_of[at[k].block] != KEY_NONE)
				score[at[k].block] += 1.0 / (double)several;
	}
	for (uint32_t b = 0; b < blocks; b++)
		if (score[b] > 0 && (best == KEY_NONE || score[b] > score[best]))
			best = b;
	return best;
}

/* Labels that have code of their own: the others' was merged with them, as a whole. */
static void find_present(const struct key_function *f, const struct observations *o,
			 const uint32_t *arc_of, double *score, bool *present)
{
	uint32_t last = KEY_NONE, label;
	size_t n;

	for (size_t i = 0; i < o->code.count; i++) {
		const struct observed_instruction *code = &o->code.items[i];

		if (code->block == last)
			continue;
		last = code->block;
		key_function_at(f, code->place, &n);
		if (!n)
			continue;
		label = label_at(f, o, code->address, arc_of, score);
		if (label != KEY_NONE)
			present[label] = true;
	}
}

int goto_evidence_add(const struct key_index *keys, const struct observations *o, uint32_t function,
		      struct evidence *out)
{
	const struct key_function *f = &keys->functions.items[function];
	const struct observed_function *seen = &o->functions.items[function];
	size_t blocks = f->graph->block_count;
	uint32_t *arc_of = memory_alloc_array(blocks + 1, sizeof(*arc_of));
	double *score = memory_alloc_array(blocks + 1, sizeof(*score));
	uint64_t *counts = memory_alloc_array(blocks + 1, sizeof(*counts)), sum = 0;
	bool *present = memory_alloc_array(blocks + 1, sizeof(*present));
	int rc = arc_of && score && counts && present ? 0 : -1;

	for (size_t b = 0; b < blocks && !rc; b++)
		arc_of[b] = KEY_NONE;
	/* arcs from the entry stand for those from the goto to its labels */
	for (uint32_t i = 0; i < f->graph->arcs.count && !rc; i++) {
		const struct gcc_arc *a = &f->graph->arcs.items[i];

		if (!a->from && a->flags & GCC_ARC_FAKE)
			arc_of[a->to] = i;
	}
	for (size_t i = 0; i < seen->gotos && !rc; i++) {
		const struct observed_goto *g = &o->gotos.items[seen->first_goto + i];
		uint32_t label = label_at(f, o, g->target, arc_of, score);

		sum += g->count;
		if (label != KEY_NONE)
			counts[label] += g->count;
	}
	if (!rc && sum)
		find_present(f, o, arc_of, score, present);
	for (uint32_t b = 0; b < blocks && !rc && sum; b++) {
		double above = present[b] ? WEIGHT_LABEL : WEIGHT_ABSENT;

		if (b < f->blocks.count && f->blocks.items[b].computed_goto)
			rc = evidence_wish(out, CIRCULATION_NODE + b, sum, WEIGHT_GOTO,
					   WEIGHT_GOTO);
		if (!rc && arc_of[b] != KEY_NONE)
			rc = evidence_wish(out, arc_of[b], counts[b], WEIGHT_MERGED, above);
	}
	memory_free(arc_of);
	memory_free(score);
	memory_free(counts);
	memory_free(present);
	return rc;
}
