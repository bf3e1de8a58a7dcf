/* SPDX-License-Identifier: MIT */
/*
 * The patterns, with any instructions between:
 *
 *	absolute:  jmp *T(,i,8)				mov T(,i,8),r ; jmp *r
 *	relative:  lea T(%rip),b ; movslq (b,i,4),x ; add b,x (or x,b) ; jmp *x (or *b)
 *
 * The lea may be far away, hoisted out of a loop. Before it, nearly always: cmp $N,i ; ja default.
 */
#include <string.h>

#include "isa/decoder.h"
#include "isa/x86_64/decode/opcode.h"

/* How far the parts of a pattern but the lea may be from the jump, in instructions. */
#define PATTERN_REACH 16

struct operands {
	struct x86_opcode o;
	uint8_t mod, reg, rm; /* registers with their REX bit */
	bool sib, has_base;
	uint8_t base, index, scale_log2;
	int32_t displacement;
};

struct view {
	const struct isa_insn *insns;
	const uint8_t *bytes;
};

/* ModRM, SIB and displacement of an instruction of the one-byte opcode map. */
static bool read_operands(const struct view *v, size_t i, struct operands *x)
{
	const struct isa_insn *insn = &v->insns[i];
	const uint8_t *bytes = v->bytes + (insn->address - v->insns[0].address);
	size_t at;
	uint8_t modrm;

	*x = (struct operands){0};
	if (!x86_opcode_scan(bytes, insn->length, &x->o) || x->o.encoding != X86_LEGACY ||
	    x->o.map != X86_MAP_LEGACY)
		return false;
	at = x->o.at + 1u;
	if (at >= insn->length)
		return false;
	modrm = bytes[at++];
	x->mod = modrm >> 6;
	x->reg = (uint8_t)((modrm >> 3 & 7) | (x->o.rex & 4) << 1);
	x->rm = (uint8_t)((modrm & 7) | (x->o.rex & 1) << 3);
	x->sib = x->mod != 3 && (modrm & 7) == 4;
	if (x->sib) {
		if (at >= insn->length)
			return false;
		x->scale_log2 = bytes[at] >> 6;
		x->index = (uint8_t)((bytes[at] >> 3 & 7) | (x->o.rex & 2) << 2);
		x->has_base = x->mod != 0 || (bytes[at] & 7) != 5;
		x->base = (uint8_t)((bytes[at] & 7) | (x->o.rex & 1) << 3);
		at++;
	}
	if (x->mod == 1 && at < insn->length)
		x->displacement = (int8_t)bytes[at];
	else if (x->mod != 3 && at + 4u <= insn->length)
		memcpy(&x->displacement, bytes + at, 4);
	return true;
}

/* ---- the check of the index ---- */

/* cmp $N,register; *most = N */
static bool is_compare(const struct view *v, size_t i, uint8_t *reg, uint32_t *most)
{
	const struct isa_insn *insn = &v->insns[i];
	const uint8_t *end = v->bytes + (insn->address - v->insns[0].address) + insn->length;
	struct x86_opcode o;
	struct operands x;

	if (!x86_opcode_scan(end - insn->length, insn->length, &o) || o.encoding != X86_LEGACY ||
	    o.map != X86_MAP_LEGACY || o.operand16)
		return false;
	if (o.opcode == 0x3c || o.opcode == 0x3d) { /* al, eax */
		*reg = 0;
	} else {
		if (!read_operands(v, i, &x) || x.mod != 3 || (x.reg & 7) != 7 ||
		    (o.opcode != 0x80 && o.opcode != 0x81 && o.opcode != 0x83))
			return false;
		*reg = x.rm;
	}
	*most = end[-1];
	if (o.opcode == 0x81 || o.opcode == 0x3d)
		memcpy(most, end - 4, 4);
	return !(o.opcode == 0x83 && *most > 0x7f); /* sign-extended: no table is that long */
}

/* Does it write @reg? A mov or movzx from another register makes that one of interest. */
enum write { WRITE_NONE, WRITE_MOVE, WRITE_OTHER };

static enum write write_of(const struct view *v, size_t i, uint8_t *reg)
{
	const struct isa_insn *insn = &v->insns[i];
	const uint8_t *bytes = v->bytes + (insn->address - v->insns[0].address);
	struct x86_opcode o;
	struct operands x;
	uint8_t modrm, to, from;

	if (!x86_opcode_scan(bytes, insn->length, &o) || o.encoding != X86_LEGACY)
		return WRITE_OTHER;
	if (o.map == X86_MAP_0F && (o.opcode == 0xb6 || o.opcode == 0xb7)) {
		modrm = bytes[o.at + 1u];
		to = (uint8_t)((modrm >> 3 & 7) | (o.rex & 4) << 1);
		from = (uint8_t)((modrm & 7) | (o.rex & 1) << 3);
		if (to != *reg)
			return WRITE_NONE;
		*reg = from;
		return modrm >> 6 == 3 ? WRITE_MOVE : WRITE_OTHER;
	}
	if (o.map != X86_MAP_LEGACY)
		return WRITE_OTHER;
	if (!read_operands(v, i, &x)) /* no ModRM */
		return o.opcode >= 0x50 && o.opcode <= 0x57 ? WRITE_NONE : WRITE_OTHER;
	switch (o.opcode) {
	case 0x89: /* mov to rm */
		if (x.mod != 3 || x.rm != *reg)
			return WRITE_NONE;
		*reg = x.reg;
		return WRITE_MOVE;
	case 0x8b: /* mov to reg */
		if (x.reg != *reg)
			return WRITE_NONE;
		*reg = x.rm;
		return x.mod == 3 ? WRITE_MOVE : WRITE_OTHER;
	case 0x8d: /* lea */
	case 0x63: /* movslq */
		return x.reg == *reg ? WRITE_OTHER : WRITE_NONE;
	case 0xc7: /* mov $n */
		return x.mod == 3 && x.rm == *reg ? WRITE_OTHER : WRITE_NONE;
	}
	return WRITE_OTHER;
}

static bool is_above(const struct view *v, size_t i, bool *equal_too)
{
	const struct isa_insn *insn = &v->insns[i];
	const uint8_t *bytes = v->bytes + (insn->address - v->insns[0].address);
	struct x86_opcode o;

	if (insn->kind != ISA_JUMP_CONDITIONAL || !x86_opcode_scan(bytes, insn->length, &o))
		return false;
	*equal_too = (o.opcode & 15) == 3; /* jae */
	return (o.map == X86_MAP_0F ? (o.opcode & 0xf0) == 0x80 : (o.opcode & 0xf0) == 0x70) &&
	       ((o.opcode & 15) == 7 || *equal_too);
}

/*
 * How many entries the check before instruction @at lets pass for index @reg; 0 if none is seen.
 * Between the check and @at there is no other branch.
 */
static uint32_t find_entries(const struct view *v, size_t at, uint8_t reg)
{
	size_t stop = at > PATTERN_REACH ? at - PATTERN_REACH : 0;
	bool checked = false, equal_too = false;
	uint32_t most;
	uint8_t compared;

	for (size_t i = at; i-- > stop;) {
		if (isa_is_branch(v->insns[i].kind)) {
			if (checked || !is_above(v, i, &equal_too))
				return 0;
			checked = true;
			continue;
		}
		if (checked && is_compare(v, i, &compared, &most))
			return compared != reg || most >= UINT32_MAX ? 0 : most + !equal_too;
		if (v->insns[i].nop || write_of(v, i, &reg) != WRITE_OTHER)
			continue;
		return 0;
	}
	return 0;
}

/* ---- the table ---- */

/* Does instruction @i use T(,index,8)? The operand size is the caller's to know. */
static bool is_absolute_table(const struct view *v, size_t i, const struct operands *x,
			      struct isa_table *out)
{
	if (!x->sib || x->has_base || x->scale_log2 != 3)
		return false;
	*out = (struct isa_table){.base = (uint64_t)(int64_t)x->displacement,
				  .entries = find_entries(v, i, x->index),
				  .entry_bytes = 8,
				  .absolute = true};
	return true;
}

static bool is_lea_rip(const struct view *v, size_t i, uint8_t reg, uint64_t *address)
{
	struct operands x;

	if (!read_operands(v, i, &x) || x.o.opcode != 0x8d || x.mod != 0 || (x.rm & 7) != 5 ||
	    x.reg != reg)
		return false;
	*address = v->insns[i].address + v->insns[i].length + (uint64_t)(int64_t)x.displacement;
	return true;
}

/* The nearest lea of @reg before @from, else the first behind it. */
static bool find_lea(const struct view *v, size_t count, size_t from, uint8_t reg,
		     uint64_t *address)
{
	for (size_t i = from; i-- > 0;)
		if (is_lea_rip(v, i, reg, address))
			return true;
	for (size_t i = from + 1; i < count; i++)
		if (is_lea_rip(v, i, reg, address))
			return true;
	return false;
}

static bool is_add(const struct operands *x)
{
	return (x->o.opcode == 0x01 || x->o.opcode == 0x03) && x->mod == 3 && x->o.rex & 8;
}

/* movslq (base,index,4),reg */
static bool is_table_load(const struct operands *x)
{
	return x->o.opcode == 0x63 && x->o.rex & 8 && x->sib && x->has_base && x->scale_log2 == 2 &&
	       (x->mod == 0 || !x->displacement);
}

static bool find_relative(const struct view *v, size_t count, size_t jump, uint8_t target,
			  struct isa_table *out)
{
	size_t stop = jump > PATTERN_REACH ? jump - PATTERN_REACH : 0;
	struct operands x, add = {0};
	bool added = false;

	for (size_t i = jump; i-- > stop;) {
		if (!read_operands(v, i, &x))
			continue;
		if (!added && is_add(&x) && (x.reg == target || x.rm == target)) {
			add = x;
			added = true;
		} else if (added && is_table_load(&x) &&
			   ((x.reg == add.reg && x.base == add.rm) ||
			    (x.reg == add.rm && x.base == add.reg))) {
			*out = (struct isa_table){.entries = find_entries(v, i, x.index),
						  .entry_bytes = 4,
						  .is_signed = true};
			if (!find_lea(v, count, i, x.base, &out->base))
				return false;
			out->anchor = out->base;
			return true;
		}
	}
	return false;
}

static bool find_loaded(const struct view *v, size_t jump, uint8_t target, struct isa_table *out)
{
	size_t stop = jump > PATTERN_REACH ? jump - PATTERN_REACH : 0;
	struct operands x;

	for (size_t i = jump; i-- > stop;)
		if (read_operands(v, i, &x) && x.o.opcode == 0x8b && x.o.rex & 8 &&
		    x.reg == target && x.mod != 3)
			return is_absolute_table(v, i, &x, out);
	return false;
}

bool x86_jump_table_find(const struct isa_insn *insns, size_t count, size_t jump,
			 const uint8_t *bytes, struct isa_table *out)
{
	struct view v = {insns, bytes};
	struct operands x;

	if (insns[jump].kind != ISA_JUMP_INDIRECT || !read_operands(&v, jump, &x) ||
	    x.o.opcode != 0xff)
		return false;
	if (x.mod != 3)
		return is_absolute_table(&v, jump, &x, out);
	return find_relative(&v, count, jump, x.rm, out) || find_loaded(&v, jump, x.rm, out);
}
