/* SPDX-License-Identifier: MIT */
#include "converter/gcc/counters/evidence.h"

#include "base/memory.h"

void evidence_deinit(struct evidence *v)
{
	vector_deinit(&v->wishes);
	vector_deinit(&v->sums);
	vector_deinit(&v->blocks);
}

int evidence_wish(struct evidence *v, uint32_t of, uint64_t at, double below, double above)
{
	struct circulation_wish *w = vector_push(&v->wishes);

	if (!w)
		return -1;
	*w = (struct circulation_wish){.of = of,
				       .at = at,
				       .below = (uint32_t)(below * EVIDENCE_ONE),
				       .above = (uint32_t)(above * EVIDENCE_ONE)};
	return 0;
}
