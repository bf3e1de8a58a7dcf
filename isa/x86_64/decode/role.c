/* SPDX-License-Identifier: MIT */
/* Roles by opcode (Intel SDM volume 2, appendix A). */
#include "isa/decoder.h"
#include "isa/x86_64/decode/opcode.h"

#define RSP 4

struct operands {
	bool memory; /* the ModRM byte names memory */
	bool stack;  /* at rsp */
	bool same;   /* the ModRM byte names one register twice */
	uint8_t reg, rm;
};

static struct operands operands_of(const uint8_t *bytes, size_t size, const struct x86_opcode *o)
{
	struct operands p = {0};
	uint8_t modrm;

	if (o->at + 1u >= size)
		return p;
	modrm = bytes[o->at + 1];
	p.memory = modrm >> 6 != 3;
	p.reg = modrm >> 3 & 7;
	p.rm = modrm & 7;
	p.same = !p.memory && p.reg == p.rm && !(o->rex & 4) == !(o->rex & 1);
	if (p.memory && p.rm == 4 && o->at + 2u < size)
		p.stack = (bytes[o->at + 2] & 7) == RSP && !(o->rex & 1);
	return p;
}

/* Something is moved from, or with @store to, what ModRM names. */
static uint8_t moved(const struct operands *p, bool store)
{
	if (!p->memory || (store && p->stack))
		return ISA_ROLE_SHUFFLE;
	return store ? ISA_ROLE_STORE : ISA_ROLE_COMPUTE;
}

/* Something is computed with what ModRM names, and written there. */
static uint8_t updated(const struct operands *p)
{
	return p->memory && !p->stack ? ISA_ROLE_STORE : ISA_ROLE_COMPUTE;
}

/* add, or, adc, sbb, and, sub, xor, cmp by number, as in opcodes and ModRM bytes. */
enum { ADC = 2, SBB = 3, XOR = 6, CMP = 7 };

static uint8_t role_arithmetic(uint8_t opcode, const struct operands *p)
{
	uint8_t which = opcode >> 3 & 7;

	/* sbb of a register and itself: -1 or 0, as the carry is */
	if (which == SBB && (opcode & 4) == 0 && p->same)
		return ISA_ROLE_SELECT;
	/* xor of a register and itself: a constant */
	if (which == XOR && (opcode & 4) == 0 && p->same)
		return ISA_ROLE_SHUFFLE;
	return which != CMP && (opcode & 7) < 2 ? updated(p) : ISA_ROLE_COMPUTE;
}

/* adc and sbb of 0 or -1 to a register: one more or less, as the carry is. */
static bool adds_carry(const uint8_t *bytes, size_t size, const struct x86_opcode *o,
		       const struct operands *p)
{
	uint8_t constant = o->at + 2u < size ? bytes[o->at + 2] : 1;

	return o->opcode == 0x83 && !p->memory && (p->reg == ADC || p->reg == SBB) &&
	       (constant == 0 || constant == 0xff);
}

static uint8_t role_one_byte(uint8_t opcode, const struct operands *p)
{
	if (opcode < 0x40 && (opcode & 7) < 6)
		return role_arithmetic(opcode, p);
	if ((opcode & 0xf0) == 0x50 || (opcode & 0xf0) == 0xb0) /* push, pop; mov of constants */
		return ISA_ROLE_SHUFFLE;
	switch (opcode) {
	case 0x80: /* arithmetic with a constant */
	case 0x81:
	case 0x83:
		return p->reg == CMP ? ISA_ROLE_COMPUTE : updated(p);
	case 0xc0: /* shifts */
	case 0xc1:
	case 0xd0:
	case 0xd1:
	case 0xd2:
	case 0xd3:
		return updated(p);
	case 0xf6: /* test, not, neg, mul ... */
	case 0xf7:
		return p->reg == 2 || p->reg == 3 ? updated(p) : ISA_ROLE_COMPUTE;
	case 0xfe: /* inc, dec */
	case 0xff:
		return p->reg < 2 ? updated(p) : ISA_ROLE_SHUFFLE;
	case 0x86: /* xchg */
	case 0x87:
		return updated(p);
	case 0x88: /* mov */
	case 0x89:
	case 0xc6:
	case 0xc7:
		return moved(p, true);
	case 0x63: /* movslq */
	case 0x8a:
	case 0x8b:
		return moved(p, false);
	case 0x68: /* push */
	case 0x6a:
	case 0x8d: /* lea */
	case 0x8f: /* pop */
	case 0x90: /* nop */
	case 0x98: /* cltq */
	case 0xc2: /* ret */
	case 0xc3:
	case 0xc9: /* leave */
		return ISA_ROLE_SHUFFLE;
	}
	return ISA_ROLE_COMPUTE;
}

static uint8_t role_two_bytes(uint8_t opcode, const struct x86_opcode *o, const struct operands *p)
{
	bool vex = o->encoding !=
		   X86_LEGACY; /* cmov's and set's opcodes are those of masks there */

	if (!vex && ((opcode & 0xf0) == 0x40 || (opcode & 0xf0) == 0x90)) /* cmov, set */
		return ISA_ROLE_SELECT;
	switch (opcode) {
	case 0x57: /* xorps, pxor: of a register and itself a constant */
	case 0xef:
		return !vex && p->same ? ISA_ROLE_SHUFFLE : ISA_ROLE_COMPUTE;
	case 0xb0: /* cmpxchg, xadd */
	case 0xb1:
	case 0xc0:
	case 0xc1:
		return updated(p);
	case 0x1e: /* endbr64 */
	case 0x1f: /* nop */
		return ISA_ROLE_SHUFFLE;
	case 0x11: /* movups, movss ... */
	case 0x13:
	case 0x17:
	case 0x29:
	case 0x2b:
	case 0x7f:
	case 0xd6:
	case 0xe7:
		return moved(p, true);
	case 0x7e: /* movd, movq: from memory behind f3 */
		return moved(p, o->repeat != 0xf3);
	case 0x10:
	case 0x12:
	case 0x16:
	case 0x28:
	case 0x6e:
	case 0x6f:
	case 0xb6: /* movzx, movsx */
	case 0xb7:
	case 0xbe:
	case 0xbf:
		return moved(p, false);
	}
	return ISA_ROLE_COMPUTE;
}

struct isa_role_of x86_role_find(const uint8_t *bytes, size_t size)
{
	struct isa_role_of r = {.role = ISA_ROLE_COMPUTE};
	struct x86_opcode o;
	struct operands p;
	bool grouped;

	if (!x86_opcode_scan(bytes, size, &o))
		return r;
	p = operands_of(bytes, size, &o);
	if (o.map == X86_MAP_LEGACY && !o.repeat)
		r.role = adds_carry(bytes, size, &o, &p) ? ISA_ROLE_SELECT
							 : role_one_byte(o.opcode, &p);
	else if (o.map == X86_MAP_0F)
		r.role = role_two_bytes(o.opcode, &o, &p);
	/* opcodes whose ModRM byte says what they do */
	grouped = o.map == X86_MAP_LEGACY &&
		  ((o.opcode & 0xfc) == 0x80 || (o.opcode & 0xfe) == 0xc0 ||
		   (o.opcode & 0xfc) == 0xd0 || (o.opcode & 0xf6) == 0xf6);
	r.operation = (uint32_t)o.map << 24 | (uint32_t)o.opcode << 16 |
		      (uint32_t)(o.rex & 8) << 8 | (uint32_t)o.operand16 << 10 |
		      (uint32_t)(o.repeat & 3) << 8 | (uint32_t)p.memory << 7 |
		      (grouped ? p.reg : 0u);
	return r;
}
