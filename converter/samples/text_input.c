/* SPDX-License-Identifier: MIT */
#include "converter/samples/text_input.h"

#include "base/error.h"
#include "converter/samples/callgrind_input.h"

#define PAGE_BYTES 4096u

enum meaning { VIRTUAL_ADDRESS, FILE_OFFSET, SEGMENT_OFFSET, MEANINGS };

static uint64_t first_code(const struct binary *b)
{
	uint64_t offset = 0;

	/* segments are mapped by pages, so that one of these is in the first of them */
	while (offset < UINT64_C(1) << 32 && binary_offset_to_va(b, offset) == BRANCH_OUTSIDE)
		offset += 16;
	return binary_offset_to_va(b, offset) & ~(uint64_t)(PAGE_BYTES - 1);
}

static uint64_t translate(const struct binary *b, enum meaning meaning, uint64_t base,
			  uint64_t address)
{
	if (address == BRANCH_OUTSIDE || meaning == VIRTUAL_ADDRESS)
		return address;
	return meaning == FILE_OFFSET ? binary_offset_to_va(b, address) : base + address;
}

/* How many of its branches begin at a branch. */
static uint64_t fitting(struct binary *b, const struct branch_profile *p, enum meaning meaning,
			uint64_t base)
{
	const struct map_entry *i = NULL;
	struct isa_insn insn;
	uint64_t fit = 0;

	while ((i = map_next(&p->branches, (struct map_entry *)i)))
		if (i->a != BRANCH_OUTSIDE &&
		    binary_decode(b, translate(b, meaning, base, i->a), &insn))
			fit += isa_is_branch(insn.kind) || insn.kind == ISA_UNKNOWN;
	return fit;
}

static int copy_translated(const struct binary *b, const struct branch_profile *from,
			   enum meaning meaning, uint64_t base, struct branch_profile *to)
{
	const struct map_entry *i;

	for (i = NULL; (i = map_next(&from->branches, (struct map_entry *)i));) {
		uint64_t source = translate(b, meaning, base, i->a);
		uint64_t target = translate(b, meaning, base, i->b);

		if ((source != BRANCH_OUTSIDE || target != BRANCH_OUTSIDE) &&
		    branch_profile_add_branch(to, source, target, i->n, i->m))
			return -1;
	}
	for (i = NULL; (i = map_next(&from->ranges, (struct map_entry *)i));)
		if (branch_profile_add_range(to, translate(b, meaning, base, i->a),
					     translate(b, meaning, base, i->b), i->n))
			return -1;
	for (i = NULL; (i = map_next(&from->samples, (struct map_entry *)i));)
		if (branch_profile_add_sample(to, translate(b, meaning, base, i->a), i->n))
			return -1;
	return 0;
}

static int place_ranges(struct binary *b, const struct branch_profile *raw,
			struct branch_profile *out, struct softlbr_error *e)
{
	enum meaning best = VIRTUAL_ADDRESS;
	uint64_t base = first_code(b), most = 0;

	for (int m = VIRTUAL_ADDRESS; m < MEANINGS; m++) {
		uint64_t fit = fitting(b, raw, (enum meaning)m, base);

		if (fit > most) {
			most = fit;
			best = (enum meaning)m;
		}
	}
	return copy_translated(b, raw, best, base, out) ? error_set_nomem(e) : 0;
}

int text_input_read(struct binary *b, enum profile_kind kind, const uint8_t *data, size_t size,
		    const char *name, struct branch_profile *out, struct softlbr_error *e)
{
	struct branch_profile raw = {0};
	int rc;

	if (kind == PROFILE_CALLGRIND)
		return callgrind_input_read(b, data, size, name, out, e);
	if (kind != PROFILE_RANGES)
		return profile_kind_read_counts(kind, data, size, name, out, e);
	rc = profile_kind_read_counts(kind, data, size, name, &raw, e);
	if (!rc)
		rc = place_ranges(b, &raw, out, e);
	branch_profile_deinit(&raw);
	return rc;
}
