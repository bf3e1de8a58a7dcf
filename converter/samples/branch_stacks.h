/* SPDX-License-Identifier: MIT */
/*
 * Branch stacks to counts of branches and ranges at raw addresses. The inner loop of every
 * conversion: one look-up per entry in a hash table, nothing else.
 */
#ifndef CONVERTER_SAMPLES_BRANCH_STACKS_H
#define CONVERTER_SAMPLES_BRANCH_STACKS_H

#include "converter/samples/address_space.h"
#include "converter/samples/funnel.h"
#include "converter/samples/step_counter.h"
#include "converter/samples/traces.h"
#include "formats/perfdata.h"

struct branch_stacks {
	struct funnel *funnel;
	struct step_counter *counter;
	uint64_t stride;
	struct traces *traces; /* NULL = counts will do */
	/* The stack before, to find where softlbr cut a trace. */
	uint64_t time;
	uint32_t tid;
	struct perfdata_branch newest, oldest;
};

/* Does the event leave branches out of its stacks? */
bool branch_stacks_are_filtered(const struct perf_event_attr *attr);
/* All are borrowed; @traces may be NULL. */
void branch_stacks_init(struct branch_stacks *s, struct funnel *funnel,
			struct step_counter *counter, uint64_t stride, struct traces *traces);
/* Count one sample into @space; 0, or -1 without memory. */
int branch_stacks_add(struct branch_stacks *s, struct address_space *space,
		      const struct perfdata_info *info, const struct perfdata_record *record);

#endif
