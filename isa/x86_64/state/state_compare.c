/* SPDX-License-Identifier: MIT */
/* Whether what look-ahead claims to know of the registers is so. */
#include <string.h>

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
		if (claimed->vector_known[i] == 0xff &&
		    !memcmp(&claimed->vector[i], &real->vector[i], sizeof(real->vector[i])))
			continue;
		for (unsigned lane = 0; lane < 8; lane++) {
			uint64_t known = claimed->vector_known[i] >> lane & 1 ? UINT64_MAX : 0;

			if (differs(d, "vector", i * 8 + lane, claimed->vector[i].u64[lane],
				    real->vector[i].u64[lane], known))
				return false;
		}
	}
	return true;
}

bool isa_state_compare(const struct isa_state *claimed, const struct isa_state *real,
		       struct isa_difference *d)
{
	uint64_t flags = X86_STATUS_FLAGS | X86_DF;

	if (differs(d, "pc", 0, claimed->pc, real->pc, UINT64_MAX))
		return false;
	for (unsigned i = 0; i < 16; i++) {
		if (differs(d, "register", i, claimed->gpr[i], real->gpr[i], claimed->gpr_known[i]))
			return false;
	}
	if (differs(d, "flags", 0, claimed->flags, real->flags, claimed->flags_known & flags))
		return false;
	for (unsigned i = 0; i < 8; i++) {
		if (differs(d, "opmask", i, claimed->opmask[i], real->opmask[i],
			    claimed->opmask_known[i]))
			return false;
	}
	if (differs(d, "mxcsr", 0, claimed->mxcsr, real->mxcsr, claimed->mxcsr_known))
		return false;
	if (differs(d, "x87 control", 0, claimed->x87_control, real->x87_control,
		    claimed->x87_control_known))
		return false;
	return vectors_agree(claimed, real, d);
}
