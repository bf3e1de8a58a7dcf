/* SPDX-License-Identifier: MIT */
/*
 * Exchanges, conditional moves, conversions and flags: what is left of the integer instructions.
 * Source: Intel SDM volume 2.
 */
#include "isa/x86_64/operand.h"
#include "isa/x86_64/state/status.h"

X86_EVALUATOR(exchange_xchg)
{
	struct isa_value rm = x86_rm_read(r, s, m, r->size), reg = x86_register(s, r->reg, r->size);

	if (!x86_rm_write(r, s, r->size, reg))
		return ISA_UNMODELLED;
	x86_register_set(s, r->reg, r->size, rm);
	return ISA_NEXT;
}

/* xadd: add, but reg gets what rm was; the sum wins if both are one register */
X86_EVALUATOR(exchange_add)
{
	struct isa_value old = x86_rm_read(r, s, m, r->size);
	enum isa_outcome outcome;

	outcome = x86_integer_add(r, s, m);
	if (outcome == ISA_NEXT && r->rm != r->reg)
		x86_register_set(s, r->reg, r->size, old);
	return outcome;
}

/* cmpxchg: the accumulator is compared with rm; the flags are those of cmp accumulator, rm. */
X86_EVALUATOR(exchange_compare_exchange)
{
	struct isa_value rm = x86_rm_read(r, s, m, r->size),
			 accumulator = x86_register(s, X86_RAX, r->size);
	struct isa_value reg = x86_register(s, r->reg, r->size);

	x86_integer_flags_compare(s, accumulator, rm, r->size);
	if (!(s->flags_known & X86_ZF)) {
		if (!x86_rm_write(r, s, r->size, isa_either(rm, reg)))
			return ISA_UNMODELLED;
		x86_register_set(s, X86_RAX, r->size, isa_either(rm, accumulator));
	} else if (s->flags & X86_ZF) {
		if (!x86_rm_write(r, s, r->size, reg))
			return ISA_UNMODELLED;
	} else {
		x86_register_set(s, X86_RAX, r->size, rm);
	}
	return ISA_NEXT;
}

/* cmpxchg8b, cmpxchg16b: rdx:rax against memory, rcx:rbx into it; only ZF changes. */
X86_EVALUATOR(exchange_compare_exchange_pair)
{
	unsigned half = r->size;
	struct isa_value low, high, a = x86_register(s, X86_RAX, half),
				    d = x86_register(s, X86_RDX, half);
	uint64_t address;
	bool known, equal;

	if (!x86_address(r, s, &address)) {
		isa_shadow_forget(&s->shadow);
		low = high = ISA_UNKNOWN;
	} else {
		low = isa_load(s, m, address, half);
		high = isa_load(s, m, address + half, half);
	}
	known = x86_is_known(low, half) && x86_is_known(high, half) && x86_is_known(a, half) &&
		x86_is_known(d, half);
	equal = known && low.bits == a.bits && high.bits == d.bits;
	x86_flag_assign(s, X86_ZF, equal, known);
	if (!known || equal) {
		struct isa_value b = x86_register(s, X86_RBX, half);
		struct isa_value c = x86_register(s, X86_RCX, half);

		if (!known) {
			b = isa_either(b, low);
			c = isa_either(c, high);
		}
		if (x86_address(r, s, &address) &&
		    (!isa_store(s, address, half, b) || !isa_store(s, address + half, half, c)))
			return ISA_UNMODELLED;
	}
	if (!equal) {
		x86_register_set(s, X86_RAX, half, known ? low : isa_either(low, a));
		x86_register_set(s, X86_RDX, half, known ? high : isa_either(high, d));
	}
	return ISA_NEXT;
}

X86_EVALUATOR(exchange_cmov)
{
	int holds = x86_flags_condition(s, r->variant);
	struct isa_value v = x86_rm_read(r, s, m, r->size), reg = x86_register(s, r->reg, r->size);

	if (holds < 0)
		v = isa_either(v, reg);
	else if (!holds)
		v = reg; /* a 32-bit one clears the upper half even then */
	x86_register_set(s, r->reg, r->size, v);
	return ISA_NEXT;
}

X86_EVALUATOR(exchange_setcc)
{
	int holds = x86_flags_condition(s, r->variant);
	struct isa_value v = {holds > 0, holds < 0 ? 0xfe : 0xff};

	return x86_rm_write(r, s, 1, v) ? ISA_NEXT : ISA_UNMODELLED;
}

/* cbw, cwde, cdqe */
X86_EVALUATOR(exchange_convert)
{
	struct isa_value v = x86_register(s, X86_RAX, r->size / 2u);

	v.bits = (uint64_t)x86_sign_extend(v.bits, r->size / 2u) & isa_mask(r->size);
	v.known = (uint64_t)x86_sign_extend(v.known, r->size / 2u) & isa_mask(r->size);
	x86_register_set(s, X86_RAX, r->size, v);
	return ISA_NEXT;
}

/* cwd, cdq, cqo */
X86_EVALUATOR(exchange_convert_double)
{
	struct isa_value v = x86_register(s, X86_RAX, r->size);
	uint64_t sign = isa_sign(r->size);

	v.bits = v.bits & sign ? isa_mask(r->size) : 0;
	v.known = v.known & sign ? isa_mask(r->size) : 0;
	x86_register_set(s, X86_RDX, r->size, v);
	return ISA_NEXT;
}

static struct isa_value byte_swap(struct isa_value v, unsigned bytes)
{
	unsigned shift = 64 - bytes * 8;

	return (struct isa_value){__builtin_bswap64(v.bits) >> shift,
				  __builtin_bswap64(v.known) >> shift};
}

X86_EVALUATOR(exchange_byte_swap)
{
	struct isa_value v = x86_register(s, r->rm, r->size);

	/* of 16 bits: undefined */
	x86_register_set(s, r->rm, r->size, r->size == 2 ? ISA_UNKNOWN : byte_swap(v, r->size));
	return ISA_NEXT;
}

/* movbe: variant 1 stores */
X86_EVALUATOR(exchange_move_swapped)
{
	struct isa_value v;

	if (r->variant) {
		v = byte_swap(x86_register(s, r->reg, r->size), r->size);
		return x86_memory_write(r, s, r->size, v) ? ISA_NEXT : ISA_UNMODELLED;
	}
	v = x86_memory_read(r, s, m, r->size);
	x86_register_set(s, r->reg, r->size, byte_swap(v, r->size));
	return ISA_NEXT;
}

/* xlat */
X86_EVALUATOR(exchange_translate)
{
	struct isa_value v = ISA_UNKNOWN;
	uint64_t address = s->gpr[X86_RBX] + (uint8_t)s->gpr[X86_RAX];

	if (r->attributes & X86_ADDRESS32)
		address = (uint32_t)address;
	address += s->segment_base[r->segment];
	if (s->gpr_known[X86_RBX] == UINT64_MAX && (uint8_t)s->gpr_known[X86_RAX] == 0xff)
		v = isa_load(s, m, address, 1);
	x86_register_set(s, X86_RAX, 1, v);
	return ISA_NEXT;
}

/* clc, stc, cmc, cld, std: by opcode */
X86_EVALUATOR(exchange_flag)
{
	switch (r->variant) {
	case 0xf5:
		x86_flags_set(s, X86_CF, ~s->flags & X86_CF, s->flags_known & X86_CF);
		break;
	case 0xf8:
	case 0xf9:
		x86_flag_assign(s, X86_CF, r->variant & 1, true);
		break;
	default:
		x86_flag_assign(s, X86_DF, r->variant & 1, true);
		break;
	}
	return ISA_NEXT;
}

/* lahf; bit 1 is always set, 3 and 5 never */
X86_EVALUATOR(exchange_load_flags)
{
	struct isa_value v = {(s->flags & X86_AH_FLAGS) | 2,
			      (s->flags_known & X86_AH_FLAGS) | 0x2a};

	x86_register_set(s, X86_HIGH | X86_RAX, 1, v);
	return ISA_NEXT;
}

X86_EVALUATOR(exchange_store_flags)
{
	struct isa_value v = x86_register(s, X86_HIGH | X86_RAX, 1);

	x86_flags_set(s, X86_AH_FLAGS, v.bits & X86_AH_FLAGS, v.known & X86_AH_FLAGS);
	return ISA_NEXT;
}
