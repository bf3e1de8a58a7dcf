/* SPDX-License-Identifier: MIT */
/*
 * What an x86-64 or i386 instruction does to control, its role, and which of its bytes are a
 * distance: from its layout and its entry in the opcode table. Source: Intel SDM volume 2.
 */
#include "isa/decoder.h"

#include <string.h>

#include "isa/x86_64/decode/record.h"

#define DISPLACEMENT 4 /* bytes of one that is relative to the instruction */

static bool is_direct(uint8_t kind)
{
	return kind == ISA_JUMP || kind == ISA_JUMP_CONDITIONAL || kind == ISA_CALL;
}

uint64_t x86_decode_target(const struct x86_layout *l, uint64_t address)
{
	uint64_t target = address + l->length + (uint64_t)l->immediate;

	if (!is_direct(l->entry->kind))
		return 0;
	if (l->entry->form & X86_ADDRESS) /* jmpabs */
		return (uint64_t)l->immediate;
	if (!l->opcode.i386)
		return target;
	return l->immediate_bytes == 2 ? target & 0xffff : target & UINT32_MAX;
}

/* lea 0(%esi),%esi in any length: what assemblers pad i386 code with. */
static bool is_lea_nop(const struct x86_layout *l)
{
	const struct x86_opcode *o = &l->opcode;

	return o->i386 && o->opcode == 0x8d && !o->operand16 && !o->address32 &&
	       l->index == X86_NONE && l->reg == l->base && !l->displacement;
}

/* 90 (but not xchg r8,rax) and 0f 1f are what compilers and linkers pad with. */
static bool is_nop(const struct x86_layout *l)
{
	const struct x86_opcode *o = &l->opcode;

	if (o->encoding != X86_LEGACY)
		return false;
	if (o->map == X86_MAP_ONE_BYTE)
		return (o->opcode == 0x90 && !(o->rex & 1) && o->repeat != 0xf3) || is_lea_nop(l);
	return o->map == X86_MAP_0F && o->opcode == 0x1f && x86_layout_digit(l) == 0;
}

bool x86_decode(const uint8_t *bytes, size_t size, uint64_t address, bool i386,
		struct isa_insn *out)
{
	struct x86_layout l;

	if (!x86_layout_decode(bytes, size, i386, &l))
		return false;
	*out = (struct isa_insn){.address = address,
				 .target = x86_decode_target(&l, address),
				 .length = l.length,
				 .kind = l.entry->kind,
				 .nop = is_nop(&l)};
	return true;
}

/* ---- roles --------------------------------------------------------------------------------- */

static bool is_on_stack(const struct x86_layout *l)
{
	return l->rm == X86_MEMORY && l->base == X86_RSP;
}

/* Something is moved from, or with @store to, what ModRM names. */
static uint8_t role_of_move(const struct x86_layout *l, bool store)
{
	if (l->rm != X86_MEMORY || (store && is_on_stack(l)))
		return ISA_ROLE_SHUFFLE;
	return store ? ISA_ROLE_STORE : ISA_ROLE_COMPUTE;
}

static uint8_t role_by_rule(const struct x86_layout *l)
{
	switch (l->entry->role & X86_ROLE_RULE) {
	case X86_ROLE_SHUFFLE:
		return ISA_ROLE_SHUFFLE;
	case X86_ROLE_SELECT:
		return ISA_ROLE_SELECT;
	case X86_ROLE_LOAD:
		return role_of_move(l, false);
	case X86_ROLE_STORE:
		return role_of_move(l, true);
	case X86_ROLE_LOAD_F3:
		return role_of_move(l, l->opcode.repeat != 0xf3);
	case X86_ROLE_UPDATE:
		return l->rm == X86_MEMORY && !is_on_stack(l) ? ISA_ROLE_STORE : ISA_ROLE_COMPUTE;
	}
	return ISA_ROLE_COMPUTE;
}

static uint8_t role_of(const struct x86_layout *l)
{
	unsigned exceptions = l->entry->role;
	bool same = l->opcode.encoding == X86_LEGACY && l->reg == l->rm;

	if (l->opcode.map == X86_MAP_ONE_BYTE && l->opcode.repeat) /* string instructions, say */
		return ISA_ROLE_COMPUTE;
	if (exceptions & X86_ROLE_CONSTANT && same)
		return ISA_ROLE_SHUFFLE;
	if (exceptions & X86_ROLE_CARRY && same)
		return ISA_ROLE_SELECT;
	if (exceptions & X86_ROLE_ADDS_CARRY && l->rm != X86_MEMORY &&
	    (l->immediate == 0 || l->immediate == -1))
		return ISA_ROLE_SELECT;
	return role_by_rule(l);
}

struct isa_role_of x86_decode_role(const uint8_t *bytes, size_t size)
{
	struct isa_role_of r = {.role = ISA_ROLE_COMPUTE};
	const struct x86_opcode *o;
	struct x86_layout l;
	bool memory, grouped;

	if (!x86_layout_decode(bytes, size, false, &l))
		return r;
	o = &l.opcode;
	/* by the byte behind the opcode, which is ModRM or begins a constant */
	memory = o->at + 1u < size && bytes[o->at + 1] < 0xc0;
	/* opcodes whose ModRM byte says what they do */
	grouped = o->map == X86_MAP_ONE_BYTE &&
		  ((o->opcode & 0xfc) == 0x80 || (o->opcode & 0xfe) == 0xc0 ||
		   (o->opcode & 0xfc) == 0xd0 || (o->opcode & 0xf6) == 0xf6);
	r.role = role_of(&l);
	r.operation = (uint32_t)o->map << 24 | (uint32_t)o->opcode << 16 |
		      (uint32_t)(o->rex & 8) << 8 | (uint32_t)o->operand16 << 10 |
		      (uint32_t)(o->repeat & 3) << 8 | (uint32_t)memory << 7 |
		      (grouped ? x86_layout_digit(&l) : 0u);
	return r;
}

/* ---- place --------------------------------------------------------------------------------- */

void x86_decode_forget_place(uint8_t *bytes, size_t size, bool i386)
{
	struct x86_layout l;
	size_t tail;

	if (!x86_layout_decode(bytes, size, i386, &l))
		return;
	tail = l.immediate_bytes;
	if (is_direct(l.entry->kind))
		memset(bytes + l.length - tail, 0, tail);
	/* of i386 the addresses of data stay: without relocations nothing tells them from numbers
	 */
	if (l.base == X86_RIP)
		memset(bytes + l.length - tail - DISPLACEMENT, 0, DISPLACEMENT);
}
