/* SPDX-License-Identifier: MIT */
/*
 * The patterns, with any instructions between:
 *
 *	cmp i,#N ; b.hi default				(GCC, clang)
 *	adrp t,T ; add t,t,:lo12:T			or adr t,T; may be far away, out of a loop
 *	ldrb w,[t,i]					or ldrh, ldr, ldrsw, scaled
 *	adr a,A
 *	add x,a,w,sxtb #2				or lsl #2, sxth #2, sxtw #2, or as it is
 *	br x
 *
 * and of absolute addresses: ldr x,[t,i,lsl #3] ; br x. Source of the encodings: Arm Architecture
 * Reference Manual, C4.1.
 */
#include "isa/decoder.h"

/* How far the parts of a pattern but the table's address may be from the jump, in instructions. */
#define PATTERN_REACH 32

#define NO_REGISTER 31 /* the zero register, or the stack pointer */

/* Conditions of b.cond. */
enum { CONDITION_HS = 2, CONDITION_HI = 8 };

struct view {
	const struct isa_insn *insns;
	const uint8_t *bytes;
	size_t count;
};

static uint32_t word_at(const struct view *v, size_t i)
{
	const uint8_t *b = v->bytes + (v->insns[i].address - v->insns[0].address);

	return (uint32_t)b[0] | (uint32_t)b[1] << 8 | (uint32_t)b[2] << 16 | (uint32_t)b[3] << 24;
}

static uint8_t rd_of(uint32_t word)
{
	return word & 31;
}

static uint8_t rn_of(uint32_t word)
{
	return word >> 5 & 31;
}

static uint8_t rm_of(uint32_t word)
{
	return word >> 16 & 31;
}

static bool is_store(uint32_t word)
{
	return (word & 0x3b400000) == 0x39000000 || (word & 0x3b400000) == 0x38000000 ||
	       (word & 0x3a400000) == 0x28000000;
}

/* ---- addresses ---- */

/* adr, or the page of adrp. */
static bool is_adr(const struct view *v, size_t i, uint8_t reg, uint64_t *address)
{
	uint32_t word = word_at(v, i);
	uint64_t field = (word >> 5 & 0x7ffff) << 2 | (word >> 29 & 3);

	if ((word & 0x1f000000) != 0x10000000 || rd_of(word) != reg)
		return false;
	field = (uint64_t)((int64_t)(field << 43) >> 43);
	*address = word >> 31 ? (v->insns[i].address & ~UINT64_C(0xfff)) + (field << 12)
			      : v->insns[i].address + field;
	return true;
}

/* add reg,from,#immediate */
static bool is_add_immediate(uint32_t word, uint8_t reg, uint8_t *from, uint64_t *immediate)
{
	if ((word & 0xff800000) != 0x91000000 || rd_of(word) != reg)
		return false;
	*from = rn_of(word);
	*immediate = (uint64_t)(word >> 10 & 0xfff) << (word >> 22 & 1 ? 12 : 0);
	return true;
}

/* The address that instruction @i completes in @reg: adr, adrp, or add on the nearest of these. */
static bool makes_address(const struct view *v, size_t i, uint8_t reg, uint64_t *address)
{
	uint64_t immediate;
	uint8_t from;

	if (is_adr(v, i, reg, address))
		return true;
	if (!is_add_immediate(word_at(v, i), reg, &from, &immediate))
		return false;
	for (size_t k = i; k-- > 0;)
		if (is_adr(v, k, from, address)) {
			*address += immediate;
			return true;
		}
	return false;
}

/* The nearest such before @from, else the first behind it. */
static bool find_address(const struct view *v, size_t from, uint8_t reg, uint64_t *address)
{
	for (size_t i = from; i-- > 0;)
		if (makes_address(v, i, reg, address))
			return true;
	for (size_t i = from + 1; i < v->count; i++)
		if (makes_address(v, i, reg, address))
			return true;
	return false;
}

/* ---- the index and its check ---- */

/* mov, uxtw: @reg is what @from was. */
static bool is_move(uint32_t word, uint8_t *from)
{
	if ((word & 0x7fe0ffe0) == 0x2a0003e0) { /* orr d,zr,m */
		*from = rm_of(word);
		return true;
	}
	if ((word & 0xfffffc00) == 0xd3407c00 || (word & 0xfffffc00) == 0x92407c00) {
		*from = rn_of(word); /* ubfx d,n,#0,#32; and d,n,#0xffffffff */
		return true;
	}
	return false;
}

/* What follows a comparison: b.hi, b.hs, or clang -O0's cset hi. */
static uint32_t entries_by(const struct view *v, size_t compare, size_t stop)
{
	uint32_t most = word_at(v, compare) >> 10 & 0xfff;

	if (word_at(v, compare) >> 22 & 1)
		most <<= 12;
	for (size_t i = compare + 1; i < stop; i++) {
		uint32_t word = word_at(v, i);

		if ((word & 0xff000010) == 0x54000000)
			return (word & 15) == CONDITION_HI   ? most + 1
			       : (word & 15) == CONDITION_HS ? most
							     : 0;
		if ((word & 0x7fffffe0) == (0x1a9f07e0 | (CONDITION_HI ^ 1) << 12))
			return most + 1;
	}
	return 0;
}

/* How many entries the check before the load @at lets pass; 0 if none is seen. */
static uint32_t find_entries(const struct view *v, size_t at, uint8_t reg)
{
	size_t stop = at > PATTERN_REACH ? at - PATTERN_REACH : 0;
	bool spilled = false;

	for (size_t i = at; i-- > stop;) {
		uint32_t word = word_at(v, i);

		if ((word & 0x7f800000) == 0x71000000 && (spilled || rn_of(word) == reg))
			return entries_by(v, i, at); /* cmp, subs with an immediate */
		if (isa_is_branch(v->insns[i].kind) || is_store(word) || spilled ||
		    rd_of(word) != reg || reg == NO_REGISTER)
			continue;
		if (is_move(word, &reg))
			continue;
		/* ldr from the stack */
		spilled = (word & 0xbf400000) == 0xb9400000 || (word & 0xbfe00c00) == 0xb8400000;
		spilled &= rn_of(word) == 31 || rn_of(word) == 29;
		if (!spilled)
			return 0;
	}
	return 0;
}

/* ---- the load and the addition ---- */

/* A load by register offset into @reg: fills in what it says of the table. */
static bool is_table_load(const struct view *v, size_t i, uint8_t reg, struct isa_table *out)
{
	uint32_t word = word_at(v, i);
	unsigned size = word >> 30, opcode = word >> 22 & 3;

	if ((word & 0x3f200c00) != 0x38200800 || !opcode || rd_of(word) != reg)
		return false;
	if (word >> 12 & 1 ? false : size != 0) /* not scaled by the entry's size */
		return false;
	*out = (struct isa_table){.entry_bytes = (uint8_t)(1u << size), .is_signed = opcode >= 2};
	out->entries = find_entries(v, i, rm_of(word));
	return find_address(v, i, rn_of(word), &out->base);
}

static bool find_load(const struct view *v, size_t jump, size_t from, uint8_t reg,
		      struct isa_table *out)
{
	size_t stop = jump > PATTERN_REACH ? jump - PATTERN_REACH : 0;

	for (size_t i = from; i-- > stop;)
		if (is_table_load(v, i, reg, out))
			return true;
	return false;
}

struct addition {
	uint8_t anchor, distance; /* registers */
	uint8_t shift;
	bool is_signed;
};

/* add reg,anchor,distance, shifted or extended */
static bool is_addition(uint32_t word, uint8_t reg, struct addition *out)
{
	unsigned extension = word >> 13 & 7;

	if (rd_of(word) != reg)
		return false;
	*out = (struct addition){.anchor = rn_of(word), .distance = rm_of(word)};
	if ((word & 0xffe00000) == 0x8b000000) {
		out->shift = word >> 10 & 63;
		return out->shift <= 3;
	}
	if ((word & 0xffe00000) != 0x8b200000)
		return false;
	out->shift = word >> 10 & 7;
	out->is_signed = extension >= 4;
	return true;
}

static bool find_relative(const struct view *v, size_t jump, uint8_t target, struct isa_table *out)
{
	size_t stop = jump > PATTERN_REACH ? jump - PATTERN_REACH : 0;
	struct addition a;

	for (size_t i = jump; i-- > stop;) {
		if (!is_addition(word_at(v, i), target, &a))
			continue;
		if (find_load(v, jump, i, a.distance, out)) {
			if (!find_address(v, i, a.anchor, &out->anchor))
				return false;
		} else if (a.shift || !find_load(v, jump, i, a.anchor, out) ||
			   !find_address(v, i, a.distance, &out->anchor)) {
			return false;
		}
		out->shift = a.shift;
		out->is_signed |= a.is_signed;
		return true;
	}
	return false;
}

bool aarch64_jump_table_find(const struct isa_insn *insns, size_t count, size_t jump,
			     const uint8_t *bytes, struct isa_table *out)
{
	struct view v = {insns, bytes, count};
	uint8_t target;

	if (insns[jump].kind != ISA_JUMP_INDIRECT)
		return false;
	target = rn_of(word_at(&v, jump));
	if (find_relative(&v, jump, target, out))
		return true;
	if (!find_load(&v, jump, jump, target, out) || out->entry_bytes != 8)
		return false;
	out->absolute = true;
	return true;
}
