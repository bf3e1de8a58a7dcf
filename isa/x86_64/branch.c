/* SPDX-License-Identifier: MIT */
/*
 * Branches: their operands as records, and their evaluation.
 * Source: Intel SDM volume 2 (Jcc, LOOP, JMP, CALL, RET; ModRM tables 2-2 and 2-3).
 */
#include <string.h>
#include <elf.h>

#include "isa/evaluate.h"
#include "isa/x86_64/opcode.h"

/* ModRM (and SIB) as a register or a memory operand. */
static void decode_operand(struct isa_record *r, const uint8_t *bytes, const struct x86_opcode *o)
{
	const uint8_t *p = bytes + o->at + 1;
	uint8_t mod = *p >> 6, rm = *p & 7, extend_b = (o->rex & 1) << 3;
	struct x86_memory_operand *m = &r->memory;
	bool wide;

	r->reg = X86_NO_REGISTER;
	m->base = m->index = X86_NO_REGISTER;
	m->segment = o->segment;
	if (mod == 3) {
		r->reg = rm | extend_b;
		return;
	}
	p++;
	wide = mod == 2;
	if (rm == 4) {
		uint8_t sib = *p++, index = (sib >> 3 & 7) | (o->rex & 2) << 2;

		if (index != 4)
			m->index = index;
		m->scale = sib >> 6;
		m->base = (sib & 7) | extend_b;
		if (mod == 0 && (sib & 7) == 5) {
			m->base = X86_NO_REGISTER;
			wide = true;
		}
	} else if (mod == 0 && rm == 5) {
		m->base = X86_RIP;
		wide = true;
	} else {
		m->base = rm | extend_b;
	}
	if (wide)
		memcpy(&m->displacement, p, 4);
	else if (mod == 1)
		m->displacement = (int8_t)*p;
}

static void decode_branch(struct isa_record *r, const uint8_t *bytes, const struct x86_opcode *o)
{
	switch (r->kind) {
	case ISA_JUMP_CONDITIONAL:
		r->condition = o->opcode & 0x0f;
		if (o->map == X86_MAP_LEGACY && (o->opcode & 0xf0) == 0xe0)
			r->condition |= 0x10; /* e0 to e3: enum x86_loop */
		break;
	case ISA_JUMP_INDIRECT:
	case ISA_CALL_INDIRECT:
		decode_operand(r, bytes, o);
		r->far_transfer = bytes[o->at + 1] >> 3 & 1; /* /3 and /5 */
		break;
	case ISA_RETURN:
		r->far_transfer = (o->opcode & 0xf8) == 0xc8; /* retf, iret */
		if (o->opcode == 0xc2)
			memcpy(&r->pop, bytes + o->at + 1, 2);
		break;
	}
}

bool isa_record_decode(struct isa_decoder *d, const uint8_t *bytes, size_t size, uint64_t address,
		       struct isa_record *out)
{
	struct isa_insn insn;
	struct x86_opcode o;

	if (!isa_decode(d, bytes, size, address, &insn) || !x86_opcode_scan(bytes, size, &o))
		return false;
	*out = (struct isa_record){
		.target = insn.target,
		.length = insn.length,
		.kind = insn.kind,
		.address32 = o.address32,
	};
	decode_branch(out, bytes, &o);
	return true;
}

static bool condition_holds(uint8_t condition, uint64_t flags)
{
	bool cf = flags & X86_CF, zf = flags & X86_ZF, sf = flags & X86_SF, of = flags & X86_OF;
	bool holds = false;

	switch (condition >> 1) {
	case 0:
		holds = of;
		break;
	case 1:
		holds = cf;
		break;
	case 2:
		holds = zf;
		break;
	case 3:
		holds = cf || zf;
		break;
	case 4:
		holds = sf;
		break;
	case 5:
		holds = flags & X86_PF;
		break;
	case 6:
		holds = sf != of;
		break;
	case 7:
		holds = zf || sf != of;
		break;
	}
	return holds != (condition & 1);
}

static bool conditional_taken(const struct isa_record *r, struct isa_state *s)
{
	uint64_t mask = r->address32 ? UINT32_MAX : UINT64_MAX, count;

	if (r->condition < X86_LOOPNE)
		return condition_holds(r->condition, s->flags);
	if (r->condition == X86_JRCXZ)
		return !(s->gpr[X86_RCX] & mask);
	count = (s->gpr[X86_RCX] - 1) & mask; /* a 32-bit write clears the upper half */
	s->gpr[X86_RCX] = count;
	if (!count)
		return false;
	return r->condition == X86_LOOP ||
	       (r->condition == X86_LOOPE) == ((s->flags & X86_ZF) != 0);
}

static uint64_t operand_address(const struct isa_record *r, const struct isa_state *s)
{
	const struct x86_memory_operand *m = &r->memory;
	uint64_t address = (uint64_t)(int64_t)m->displacement;

	if (m->base == X86_RIP)
		address += s->pc + r->length;
	else if (m->base != X86_NO_REGISTER)
		address += s->gpr[m->base];
	if (m->index != X86_NO_REGISTER)
		address += s->gpr[m->index] << m->scale;
	if (r->address32)
		address = (uint32_t)address;
	if (m->segment)
		address += m->segment == 0x64 ? s->fs_base : s->gs_base;
	return address;
}

static bool indirect_target(const struct isa_record *r, const struct isa_state *s,
			    const struct isa_memory *m, uint64_t *target)
{
	if (r->far_transfer)
		return false;
	if (r->reg != X86_NO_REGISTER) {
		*target = s->gpr[r->reg];
		return true;
	}
	return m->read(m->context, operand_address(r, s), target, sizeof(*target));
}

enum isa_outcome isa_evaluate_branch(const struct isa_record *r, struct isa_state *s,
				     const struct isa_memory *m)
{
	uint64_t target = r->target, next = s->pc + r->length;

	switch (r->kind) {
	case ISA_JUMP_CONDITIONAL:
		if (!conditional_taken(r, s)) {
			s->pc = next;
			return ISA_NEXT;
		}
		break;
	case ISA_JUMP_INDIRECT:
		if (!indirect_target(r, s, m, &target))
			return ISA_UNRESOLVED;
		break;
	case ISA_CALL_INDIRECT:
		if (!indirect_target(r, s, m, &target))
			return ISA_UNRESOLVED;
		s->gpr[X86_RSP] -= 8;
		break;
	case ISA_CALL:
		s->gpr[X86_RSP] -= 8;
		break;
	case ISA_RETURN:
		if (r->far_transfer ||
		    !m->read(m->context, s->gpr[X86_RSP], &target, sizeof(target)))
			return ISA_UNRESOLVED;
		s->gpr[X86_RSP] += 8u + r->pop;
		break;
	}
	s->pc = target;
	return ISA_TAKEN;
}
