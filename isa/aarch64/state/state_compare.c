/* SPDX-License-Identifier: MIT */
/* Whether what look-ahead claims to know of the registers is so. */
#include "isa/evaluate.h"

static bool differs(struct isa_difference *d, const char *kind, unsigned number, uint64_t claimed,
		    uint64_t real, uint64_t known)
{
	if (!((claimed ^ real) & known))
		return false;
	if (d)
		*d = (struct isa_difference){kind, number, claimed, real, known};
	return true;
}

static bool vectors_agree(const struct isa_state *claimed, const struct isa_state *real,
			  struct isa_difference *d)
{
	for (unsigned i = 0; i < 32; i++) {
		for (unsigned lane = 0; lane < 2; lane++) {
			uint64_t known = claimed->vector_known[i] >> lane & 1 ? UINT64_MAX : 0;

			if (differs(d, "vector", i * 2 + lane, claimed->vector[i].u64[lane],
				    real->vector[i].u64[lane], known))
				return false;
		}
	}
	return true;
}

bool isa_state_compare(const struct isa_state *claimed, const struct isa_state *real,
		       struct isa_difference *d)
{
	if (differs(d, "pc", 0, claimed->pc, real->pc, UINT64_MAX))
		return false;
	for (unsigned i = 0; i <= AARCH64_SP; i++) {
		if (differs(d, "register", i, claimed->gpr[i], real->gpr[i], claimed->gpr_known[i]))
			return false;
	}
	if (differs(d, "flags", 0, claimed->flags, real->flags, claimed->flags_known) ||
	    differs(d, "thread pointer", 0, claimed->thread_pointer, real->thread_pointer,
		    claimed->thread_pointer_known) ||
	    differs(d, "fpcr", 0, claimed->fpcr, real->fpcr, claimed->fpcr_known ? UINT64_MAX : 0))
		return false;
	return vectors_agree(claimed, real, d);
}
