/* SPDX-License-Identifier: MIT */
/*
 * Samples that tell values (docs/values.md): those of softlbr's event of values, and any others
 * that carry the registers of a thread in user space (perf record --intr-regs, --user-regs).
 */
#pragma once

#include "base/map.h"
#include "base/vector.h"
#include "formats/perfdata.h"

struct address_space;
struct aggregate_recording;
struct aggregate_result;

struct value_sample {
	const struct address_space *space; /* where its addresses mean something */
	uint64_t ip;
	uint64_t address; /* of an evaluated one: a call's target, a division's divisor */
	uint64_t runs;	  /* of the site, that it stands for */
	uint64_t register_mask;
	size_t registers; /* the first one, among all */
	bool evaluated;	  /* by softlbr at the site itself, else sampled anywhere */
};

struct value_samples {
	VECTOR(struct value_sample) items;
	VECTOR(uint64_t) registers;
	struct map traces; /* (tid, 0) -> n = branches of the thread's last trace, m = its time */
};

/* Start zeroed; frees. */
void value_samples_deinit(struct value_samples *v);
/* Take note of a sample in its space; in the order of the recording. 0, or -1 without memory. */
int value_samples_add(struct value_samples *v, const struct address_space *space,
		      const struct perfdata_info *info, const struct perfdata_record *record);

/* Register @number of a sample; false if it does not have it. */
static inline bool value_samples_register(const struct value_samples *v,
					  const struct value_sample *s, unsigned number,
					  uint64_t *value)
{
	uint64_t below;

	if (number >= 64 || !(s->register_mask >> number & 1))
		return false;
	below = s->register_mask & ((UINT64_C(1) << number) - 1);
	*value = v->registers.items[s->registers + (unsigned)__builtin_popcountll(below)];
	return true;
}

/* Add a recording's values to result->values; 0, or -1 without memory. */
int value_resolve_recording(struct aggregate_result *result, struct aggregate_recording *recording);
