/* SPDX-License-Identifier: MIT */
/*
 * Vector instructions that are not modelled: which registers, flags or bytes of memory they make
 * unknown. Source: Intel SDM volume 2; AMD APM volume 4 (SSE4a).
 */
#include "isa/x86_64/state/flags.h"
#include "isa/x86_64/op.h"

static bool op(struct isa_record *r, enum x86_op which, unsigned variant)
{
	r->op = (uint16_t)which;
	r->variant = (uint16_t)variant;
	return true;
}

static bool nothing(struct isa_record *r)
{
	return op(r, X86_OP_NOTHING, 0);
}

/* `variant` and `element` are the registers that become unknown. */
static bool vector(struct isa_record *r, unsigned reg)
{
	r->element = (uint8_t)reg;
	return op(r, X86_OP_FORGET_VECTOR, reg);
}

static bool opmask(struct isa_record *r, unsigned reg)
{
	r->element = reg & 7;
	return op(r, X86_OP_FORGET_OPMASK, reg & 7);
}

static bool general(struct isa_record *r, unsigned reg, unsigned bytes)
{
	r->size = (uint8_t)bytes;
	return op(r, X86_OP_CLOBBER, 1u << (reg & 15));
}

static bool flags(struct isa_record *r, uint64_t unknown, uint64_t zero)
{
	r->size = 8;
	r->immediate = zero << 32 | unknown;
	return op(r, X86_OP_CLOBBER, 0);
}

/* Writes rm: a vector register or at most @bytes of memory. */
static bool rm(struct isa_record *r, unsigned bytes)
{
	if (r->rm != X86_MEMORY)
		return vector(r, r->rm);
	return op(r, X86_OP_STORE_UNKNOWN, bytes);
}

static unsigned scalar_or(const struct x86_opcode *o, unsigned bytes)
{
	return o->repeat == 0xf3 ? 4 : o->repeat == 0xf2 ? 8 : bytes;
}

static unsigned general_bytes(const struct x86_layout *l)
{
	return l->opcode.rex & 8 ? 8 : 4;
}

/* Of these opcodes the form without a prefix works on MMX registers, which are not tracked. */
static bool is_mmx(const struct x86_opcode *o)
{
	if (o->encoding != X86_LEGACY || o->operand16 || o->repeat)
		return false;
	if (o->map == X86_MAP_0F38)
		return o->opcode < 0x0c || (o->opcode >= 0x1c && o->opcode <= 0x1e);
	if (o->map == X86_MAP_0F3A)
		return o->opcode == 0x0f;
	return (o->opcode >= 0x60 && o->opcode <= 0x76) || o->opcode == 0x0f || o->opcode == 0xc4 ||
	       o->opcode >= 0xd0;
}

static bool select_mmx(const struct x86_layout *l, struct isa_record *r)
{
	if (l->opcode.map != X86_MAP_0F)
		return nothing(r);
	if (l->opcode.opcode == 0xd7 || l->opcode.opcode == 0xc5)
		return general(r, r->reg, 4);
	if (l->opcode.opcode == 0xe7)
		return op(r, X86_OP_STORE_UNKNOWN, 8);
	if (l->opcode.opcode == 0xf7) /* maskmovq: to rdi */
		return op(r, X86_OP_STORE_UNKNOWN, 0);
	return nothing(r);
}

/* 7e, 7f, d6: moves whose direction depends on the prefix */
static bool select_move_out(const struct x86_layout *l, struct isa_record *r)
{
	const struct x86_opcode *o = &l->opcode;
	bool mmx = o->encoding == X86_LEGACY && !o->operand16;

	if (o->opcode == 0x7e && o->repeat == 0xf3)
		return vector(r, r->reg);
	if (o->opcode == 0x7e && r->rm != X86_MEMORY)
		return general(r, r->rm, general_bytes(l));
	if (o->opcode == 0x7e)
		return op(r, X86_OP_STORE_UNKNOWN, general_bytes(l));
	if (o->opcode == 0xd6 && o->repeat) /* movq2dq; movdq2q */
		return o->repeat == 0xf3 ? vector(r, r->reg) : nothing(r);
	if (o->opcode == 0x7f && mmx && !o->repeat)
		return r->rm == X86_MEMORY ? op(r, X86_OP_STORE_UNKNOWN, 8) : nothing(r);
	return rm(r, o->opcode == 0xd6 ? 8 : r->size);
}

/* 78 to 7b: SSE4a's bit fields, AVX-512's conversions to and from unsigned */
static bool select_78(const struct x86_layout *l, struct isa_record *r)
{
	const struct x86_opcode *o = &l->opcode;

	if (o->encoding == X86_EVEX && o->opcode < 0x7a && o->repeat)
		return general(r, r->reg, general_bytes(l));
	if (o->encoding != X86_LEGACY)
		return vector(r, r->reg);
	if (!o->operand16 && o->repeat != 0xf2)
		return op(r, X86_OP_UNMODELLED, X86_CAUSE_TRANSFER); /* vmread, vmwrite */
	return vector(r, o->operand16 && o->opcode == 0x78 ? r->rm : r->reg);
}

static bool select_0f(const struct x86_layout *l, struct isa_record *r)
{
	const struct x86_opcode *o = &l->opcode;

	switch (o->opcode) {
	case 0x11:
	case 0x2b: /* with a prefix movntss, movntsd of SSE4a */
		return rm(r, scalar_or(o, r->size));
	case 0x13:
	case 0x17:
		return rm(r, 8);
	case 0x29:
	case 0xe7:
		return rm(r, r->size);
	case 0x7e:
	case 0x7f:
	case 0xd6:
		return select_move_out(l, r);
	case 0x2c: /* without a prefix to MMX */
	case 0x2d:
		return o->repeat ? general(r, r->reg, general_bytes(l)) : flags(r, 0, 0);
	case 0x2e:
	case 0x2f:
		return flags(r, X86_ZF | X86_PF | X86_CF, X86_OF | X86_SF | X86_AF);
	case 0x50:
	case 0xc5:
	case 0xd7:
		return general(r, r->reg, 4);
	case 0x64 ... 0x66:
	case 0x74 ... 0x76:
	case 0xc2:
		return o->encoding == X86_EVEX ? opmask(r, r->reg) : vector(r, r->reg);
	case 0x71 ... 0x73:
		return vector(r, o->encoding == X86_LEGACY ? r->rm : r->reg2);
	case 0x77: /* emms */
		return nothing(r);
	case 0x78 ... 0x7b:
		return select_78(l, r);
	case 0xf7: /* maskmovdqu: to rdi */
		return op(r, X86_OP_STORE_UNKNOWN, 0);
	case 0x41 ... 0x4b:
	case 0x90:
	case 0x92:
		return opmask(r, r->reg);
	case 0x91:
		return op(r, X86_OP_STORE_UNKNOWN, 8);
	case 0x93:
		return general(r, r->reg, 8);
	case 0x98:
	case 0x99:
		return flags(r, X86_ZF | X86_CF, X86_OF | X86_SF | X86_AF | X86_PF);
	}
	if (o->opcode < 0x10 || (o->opcode >= 0x18 && o->opcode < 0x28) ||
	    (o->opcode >= 0x30 && o->opcode < 0x50) || (o->opcode >= 0x80 && o->opcode < 0xc2))
		return false;
	return vector(r, r->reg);
}

static bool select_0f38_evex(const struct x86_layout *l, struct isa_record *r)
{
	const struct x86_opcode *o = &l->opcode;
	bool f3 = o->repeat == 0xf3;

	switch (o->opcode) {
	case 0x26:
	case 0x27:
	case 0x37:
	case 0x8f:
		return opmask(r, r->reg);
	case 0x29:
	case 0x39:
		return o->opcode == 0x29 || f3 ? opmask(r, r->reg) : vector(r, r->reg);
	case 0x28:
	case 0x38:
		return vector(r, r->reg);
	case 0x68: /* vp2intersect: two opmasks */
		opmask(r, r->reg & 6);
		r->element = (r->reg & 6) + 1;
		return true;
	case 0x63: /* compress */
	case 0x8a:
	case 0x8b:
		return rm(r, r->size);
	case 0x90 ... 0x93: /* gather: clears its opmask */
		r->variant = r->reg;
		r->element = r->reg;
		r->reg2 = r->mask;
		return op(r, X86_OP_FORGET_GATHER, r->reg);
	case 0xa0 ... 0xa3:
		return op(r, X86_OP_SCATTER, 0);
	case 0xc6: /* prefetching for gather and scatter */
	case 0xc7:
		return opmask(r, r->mask);
	}
	if (f3 && o->opcode >= 0x10 && o->opcode <= 0x35 && o->opcode != 0x2a) /* vpbroadcastm */
		return rm(r, r->size / 2);				       /* narrowing moves */
	return vector(r, r->reg);
}

static bool select_0f38(const struct x86_layout *l, struct isa_record *r)
{
	const struct x86_opcode *o = &l->opcode;

	if (o->encoding == X86_EVEX)
		return select_0f38_evex(l, r);
	if (o->opcode == 0x17 ||
	    (o->encoding == X86_VEX && (o->opcode == 0x0e || o->opcode == 0x0f)))
		return flags(r, X86_ZF | X86_CF, X86_OF | X86_SF | X86_AF | X86_PF);
	if (o->encoding == X86_VEX) {
		switch (o->opcode) {
		case 0x2e:
		case 0x2f:
		case 0x8e: /* masked stores */
			return op(r, X86_OP_STORE_UNKNOWN, r->size);
		case 0x90 ... 0x93: /* gather: clears its mask register */
			vector(r, r->reg);
			r->element = r->reg2;
			return true;
		case 0x49: /* tiles */
		case 0x5c:
		case 0x5e:
		case 0x6c:
			return nothing(r);
		case 0x4b:
			return o->repeat == 0xf3 ? op(r, X86_OP_STORE_UNKNOWN, 0) : nothing(r);
		}
	}
	if (o->encoding == X86_LEGACY && (o->opcode == 0xf5 || o->opcode == 0xf6))
		return op(r, X86_OP_STORE_UNKNOWN, general_bytes(l)); /* shadow stack */
	if (o->encoding == X86_LEGACY && o->repeat == 0xf3)	      /* Key Locker */
		return op(r, X86_OP_UNMODELLED, X86_CAUSE_UNMODELLED);
	return vector(r, r->reg);
}

static bool select_0f3a(const struct x86_layout *l, struct isa_record *r)
{
	const struct x86_opcode *o = &l->opcode;
	bool evex = o->encoding == X86_EVEX;

	switch (o->opcode) {
	case 0x14 ... 0x17: /* extract an element */
		if (r->rm != X86_MEMORY)
			return general(r, r->rm, general_bytes(l));
		return op(r, X86_OP_STORE_UNKNOWN, 8);
	case 0x19:
	case 0x39:
		return rm(r, 16);
	case 0x1b:
	case 0x3b:
		return rm(r, 32);
	case 0x1d:
		return rm(r, r->size / 2);
	case 0x1e:
	case 0x1f:
	case 0x3e:
	case 0x3f:
	case 0x66:
	case 0x67:
	case 0xc2:
		return evex ? opmask(r, r->reg) : vector(r, r->reg);
	case 0x30 ... 0x33:
		return o->encoding == X86_VEX ? opmask(r, r->reg) : vector(r, r->reg);
	case 0x60: /* pcmpestrm, pcmpistrm: to xmm0; pcmpestri, pcmpistri: to ecx */
	case 0x62:
	case 0x61:
	case 0x63:
		return op(r, X86_OP_UNMODELLED, X86_CAUSE_UNMODELLED);
	}
	return vector(r, r->reg);
}

bool x86_select_unmodelled(const struct x86_layout *l, struct isa_record *r)
{
	bool known = false;

	if (is_mmx(&l->opcode))
		return select_mmx(l, r);
	switch (l->opcode.map) {
	case X86_MAP_0F:
		known = select_0f(l, r);
		break;
	case X86_MAP_0F38:
		known = select_0f38(l, r);
		break;
	case X86_MAP_0F3A:
		known = select_0f3a(l, r);
		break;
	}
	/* the scale of an EVEX displacement is not known here */
	if (known && r->op == X86_OP_STORE_UNKNOWN && l->opcode.encoding == X86_EVEX &&
	    l->displacement8)
		r->variant = 0;
	return known;
}
