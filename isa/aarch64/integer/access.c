/* SPDX-License-Identifier: MIT */
/* Loads and stores of general registers: Arm ARM, C6.2 (LDR, LDP, STR, STP and their kin, DC ZVA).
 */
#include "isa/aarch64/operand.h"

/* A loaded value as the register gets it. */
static struct isa_value extended(const struct isa_record *r, struct isa_value v)
{
	return r->attributes & AARCH64_SIGNED ? aarch64_extend_sign(v, r->bytes)
					      : aarch64_cut(v, r->bytes);
}

AARCH64_EVALUATOR(access_load)
{
	struct aarch64_place p = aarch64_place(r, s);
	struct isa_value v = ISA_UNKNOWN;

	if (p.known)
		v = isa_load(s, m, p.address, r->bytes);
	aarch64_place_done(r, s, &p);
	aarch64_register_set(s, r->rd, r->size, extended(r, v));
	return ISA_NEXT;
}

AARCH64_EVALUATOR(access_store)
{
	struct aarch64_place p = aarch64_place(r, s);
	struct isa_value v = {s->gpr[r->rd], s->gpr_known[r->rd]};

	if (!p.known)
		isa_shadow_forget(&s->shadow);
	else if (!isa_store(s, p.address, r->bytes, v))
		return ISA_UNMODELLED;
	aarch64_place_done(r, s, &p);
	return ISA_NEXT;
}

AARCH64_EVALUATOR(access_load_pair)
{
	struct aarch64_place p = aarch64_place(r, s);
	struct isa_value first = ISA_UNKNOWN, second = ISA_UNKNOWN;

	if (p.known) {
		first = isa_load(s, m, p.address, r->bytes);
		second = isa_load(s, m, p.address + r->bytes, r->bytes);
	}
	aarch64_place_done(r, s, &p);
	aarch64_register_set(s, r->rd, r->size, extended(r, first));
	aarch64_register_set(s, r->ra, r->size, extended(r, second));
	return ISA_NEXT;
}

AARCH64_EVALUATOR(access_store_pair)
{
	struct aarch64_place p = aarch64_place(r, s);
	struct isa_value first = {s->gpr[r->rd], s->gpr_known[r->rd]};
	struct isa_value second = {s->gpr[r->ra], s->gpr_known[r->ra]};

	if (!p.known)
		isa_shadow_forget(&s->shadow);
	else if (!isa_store(s, p.address, r->bytes, first) ||
		 !isa_store(s, p.address + r->bytes, r->bytes, second))
		return ISA_UNMODELLED;
	aarch64_place_done(r, s, &p);
	return ISA_NEXT;
}

/* dc zva: zeroes the block of memory around the address; DCZID_EL0 has log2 of its words, and
 * whether it is allowed at all */
AARCH64_EVALUATOR(access_zero_block)
{
	struct isa_value at = aarch64_register(s, r->rd, 8);
	uint64_t bytes = UINT64_C(4) << (s->zero_block & 15), address;

	if (!s->machine_known || s->zero_block & 16 || !aarch64_is_address(at)) {
		isa_shadow_forget(&s->shadow);
		return ISA_NEXT;
	}
	address = aarch64_untagged(at.bits) & ~(bytes - 1);
	for (uint64_t done = 0; done < bytes; done += 8) {
		if (!isa_store(s, address + done, 8, aarch64_known(0)))
			return ISA_UNMODELLED;
	}
	return ISA_NEXT;
}
