/* SPDX-License-Identifier: MIT */
/*
 * The patterns, with any instructions between:
 *
 *	absolute:  jmp *T(,i,8)				mov T(,i,8),r ; jmp *r
 *	relative:  lea T(%rip),b ; movslq (b,i,4),x ; add b,x (or x,b) ; jmp *x (or *b)
 *
 * The lea may be far away, hoisted out of a loop. Before it, nearly always: cmp $N,i ; ja default.
 */
#include "isa/decoder.h"
#include "isa/x86_64/decode/record.h"
#include "isa/x86_64/op.h"

/* How far the parts of a pattern but the lea may be from the jump, in instructions. */
#define PATTERN_REACH 16

struct view {
	const struct isa_insn *insns;
	const uint8_t *bytes;
};

/* The layout of a legacy-encoded instruction. */
static bool read_layout(const struct view *v, size_t i, struct x86_layout *l)
{
	const struct isa_insn *insn = &v->insns[i];
	const uint8_t *bytes = v->bytes + (insn->address - v->insns[0].address);

	return x86_layout_decode(bytes, insn->length, false, l) &&
	       l->opcode.encoding == X86_LEGACY && !l->opcode.apx;
}

/* ... of the one-byte opcode map, with a ModRM byte. */
static bool read_operands(const struct view *v, size_t i, struct x86_layout *l)
{
	return read_layout(v, i, l) && l->opcode.map == X86_MAP_ONE_BYTE && l->has_modrm;
}

static bool has_sib(const struct x86_layout *l)
{
	return l->rm == X86_MEMORY && (l->modrm & 7) == 4;
}

/* ---- the check of the index ---- */

/* cmp $N,register; *most = N */
static bool is_compare(const struct view *v, size_t i, uint8_t *reg, uint32_t *most)
{
	struct x86_layout l;
	uint8_t opcode;

	if (!read_layout(v, i, &l) || l.opcode.map != X86_MAP_ONE_BYTE || l.opcode.operand16)
		return false;
	opcode = l.opcode.opcode;
	if (opcode == 0x3c || opcode == 0x3d) { /* al, eax */
		*reg = 0;
	} else {
		if (!l.has_modrm || l.rm == X86_MEMORY || x86_layout_digit(&l) != 7 ||
		    (opcode != 0x80 && opcode != 0x81 && opcode != 0x83))
			return false;
		*reg = l.rm;
	}
	*most = l.immediate_bytes == 1 ? (uint8_t)l.immediate : (uint32_t)l.immediate;
	return !(opcode == 0x83 && *most > 0x7f); /* sign-extended: no table is that long */
}

/* Does it write @reg? A mov or movzx from another register makes that one of interest. */
enum write { WRITE_NONE, WRITE_MOVE, WRITE_OTHER };

/* A move to register @to from @from. */
static enum write write_of_move(const struct x86_layout *l, uint8_t to, uint8_t from, uint8_t *reg)
{
	if (to != *reg)
		return WRITE_NONE;
	*reg = from;
	return l->rm == X86_MEMORY ? WRITE_OTHER : WRITE_MOVE;
}

static enum write write_of(const struct view *v, size_t i, uint8_t *reg)
{
	struct x86_layout l;
	uint8_t opcode;

	if (!read_layout(v, i, &l))
		return WRITE_OTHER;
	opcode = l.opcode.opcode;
	if (l.opcode.map == X86_MAP_0F)
		return opcode == 0xb6 || opcode == 0xb7 ? write_of_move(&l, l.reg, l.rm, reg)
							: WRITE_OTHER;
	if (l.opcode.map != X86_MAP_ONE_BYTE)
		return WRITE_OTHER;
	switch (opcode) {
	case 0x50 ... 0x57: /* push */
		return WRITE_NONE;
	case 0x89: /* mov to rm */
		return l.rm == X86_MEMORY ? WRITE_NONE : write_of_move(&l, l.rm, l.reg, reg);
	case 0x8b: /* mov to reg */
		return write_of_move(&l, l.reg, l.rm, reg);
	case 0x8d: /* lea */
	case 0x63: /* movslq */
		return l.reg == *reg ? WRITE_OTHER : WRITE_NONE;
	case 0xc7: /* mov $n */
		return l.rm == *reg ? WRITE_OTHER : WRITE_NONE;
	}
	return WRITE_OTHER;
}

static bool is_above(const struct view *v, size_t i, bool *equal_too)
{
	struct x86_layout l;
	uint8_t condition;

	if (v->insns[i].kind != ISA_JUMP_CONDITIONAL || !read_layout(v, i, &l) ||
	    l.entry->op != X86_OP_JUMP_CONDITIONAL)
		return false;
	condition = l.opcode.opcode & 15;
	*equal_too = condition == 3; /* jae */
	return condition == 7 || *equal_too;
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
static bool is_absolute_table(const struct view *v, size_t i, const struct x86_layout *l,
			      struct isa_table *out)
{
	if (!has_sib(l) || l->base != X86_NONE || l->scale != 3)
		return false;
	*out = (struct isa_table){.base = (uint64_t)(int64_t)l->displacement,
				  .entries = find_entries(v, i, l->index),
				  .entry_bytes = 8,
				  .absolute = true};
	return true;
}

static bool is_lea_rip(const struct view *v, size_t i, uint8_t reg, uint64_t *address)
{
	struct x86_layout l;

	if (!read_operands(v, i, &l) || l.opcode.opcode != 0x8d || l.base != X86_RIP ||
	    l.reg != reg)
		return false;
	*address = v->insns[i].address + v->insns[i].length + (uint64_t)(int64_t)l.displacement;
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

static bool is_add(const struct x86_layout *l)
{
	return (l->opcode.opcode == 0x01 || l->opcode.opcode == 0x03) && l->rm != X86_MEMORY &&
	       l->opcode.rex & 8;
}

/* movslq (base,index,4),reg */
static bool is_table_load(const struct x86_layout *l)
{
	return l->opcode.opcode == 0x63 && l->opcode.rex & 8 && has_sib(l) && l->base != X86_NONE &&
	       l->scale == 2 && !l->displacement;
}

static bool find_relative(const struct view *v, size_t count, size_t jump, uint8_t target,
			  struct isa_table *out)
{
	size_t stop = jump > PATTERN_REACH ? jump - PATTERN_REACH : 0;
	struct x86_layout l, add = {0};
	bool added = false;

	for (size_t i = jump; i-- > stop;) {
		if (!read_operands(v, i, &l))
			continue;
		if (!added && is_add(&l) && (l.reg == target || l.rm == target)) {
			add = l;
			added = true;
		} else if (added && is_table_load(&l) &&
			   ((l.reg == add.reg && l.base == add.rm) ||
			    (l.reg == add.rm && l.base == add.reg))) {
			*out = (struct isa_table){.entries = find_entries(v, i, l.index),
						  .entry_bytes = 4,
						  .is_signed = true};
			if (!find_lea(v, count, i, l.base, &out->base))
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
	struct x86_layout l;

	for (size_t i = jump; i-- > stop;)
		if (read_operands(v, i, &l) && l.opcode.opcode == 0x8b && l.opcode.rex & 8 &&
		    l.reg == target && l.rm == X86_MEMORY)
			return is_absolute_table(v, i, &l, out);
	return false;
}

bool x86_jump_table_find(const struct isa_insn *insns, size_t count, size_t jump,
			 const uint8_t *bytes, struct isa_table *out)
{
	struct view v = {insns, bytes};
	struct x86_layout l;

	if (insns[jump].kind != ISA_JUMP_INDIRECT || !read_operands(&v, jump, &l) ||
	    l.opcode.opcode != 0xff)
		return false;
	if (l.rm == X86_MEMORY)
		return is_absolute_table(&v, jump, &l, out);
	return find_relative(&v, count, jump, l.rm, out) || find_loaded(&v, jump, l.rm, out);
}
