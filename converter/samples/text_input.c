/* SPDX-License-Identifier: MIT */
/*
 * Branch profiles that come as text, with addresses of the binary: BOLT's pre-aggregated records
 * and the ranges of autofdo and llvm-profgen, which may say by build-ids which files they are of,
 * and exact counts of callgrind.
 */
#include "converter/samples/aggregate_private.h"

#include <string.h>

#include "base/error.h"
#include "base/file.h"

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

static bool is_binary(const struct binary *b, const struct build_tag *file)
{
	const struct build_id *ours = binary_build_id(b);

	if (ours->size && file->id.size)
		return branch_profile_same_build(ours, &file->id);
	return file->path && !strcmp(file_base_name(file->path), file_base_name(binary_path(b)));
}

/* The file with the most branches. */
static size_t most_of(const struct text_input *t)
{
	const struct map_entry *i, *most = NULL;

	map_each (&t->others, i)
		if (!most || i->n > most->n || (i->n == most->n && i->a < most->a))
			most = i;
	return most ? (size_t)most->a : BUILD_TAGS_NONE;
}

static void find_own(struct text_input *t, const struct binary *b)
{
	const struct build_tag *file = t->files.files.items;

	t->own = BUILD_TAGS_NONE;
	t->match = t->files.files.count ? MATCH_NONE : MATCH_UNNAMED;
	for (size_t i = 0; i < t->files.files.count && t->match == MATCH_NONE; i++)
		if (is_binary(b, &file[i])) {
			t->own = i;
			t->match = file[i].id.size && binary_build_id(b)->size ? MATCH_BUILD_ID
									       : MATCH_BASE_NAME;
		}
	/* nothing tells */
	if (t->files.files.count == 1 && t->match == MATCH_NONE &&
	    (!file->id.size || !binary_build_id(b)->size)) {
		t->own = 0;
		t->match = MATCH_UNNAMED;
	}
}

/* What @tagged has of the binary. -1 without memory. */
static int select_own(struct text_input *t, const struct binary *b,
		      const struct branch_profile *tagged, bool any_build,
		      struct branch_profile *out)
{
	find_own(t, b);
	if (t->match == MATCH_NONE && any_build) {
		struct branch_profile none = {0};
		int rc = build_tags_select(&t->files, tagged, BUILD_TAGS_NONE, &none, &t->others);

		branch_profile_deinit(&none);
		t->own = most_of(t);
		t->match = MATCH_OTHER_BUILD;
		map_deinit(&t->others);
		if (rc)
			return -1;
	}
	return build_tags_select(&t->files, tagged, t->own, out, &t->others);
}

void text_input_deinit(struct text_input *t)
{
	branch_profile_deinit(&t->profile);
	build_tags_deinit(&t->files);
	map_deinit(&t->others);
}

int text_input_read(struct binary *b, enum profile_kind kind, const uint8_t *data, size_t size,
		    const char *name, bool any_build, struct text_input *out,
		    struct softlbr_error *e)
{
	struct branch_profile tagged = {0}, own = {0};
	int rc;

	out->own = BUILD_TAGS_NONE;
	out->match = MATCH_BASE_NAME;
	if (kind == PROFILE_CALLGRIND)
		return callgrind_input_read(b, data, size, name, &out->profile, e);
	rc = profile_kind_read_counts(kind, data, size, name, &tagged, &out->files, e);
	if (!rc && select_own(out, b, &tagged, any_build, &own))
		rc = error_set_nomem(e);
	branch_profile_deinit(&tagged);
	if (!rc && kind == PROFILE_RANGES) {
		rc = place_ranges(b, &own, &out->profile, e);
		branch_profile_deinit(&own);
	} else {
		out->profile = own;
	}
	return rc;
}
