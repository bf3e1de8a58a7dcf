/* SPDX-License-Identifier: MIT */
#include "isa/x86_64/decode/layout.h"

#include <string.h>

#include "isa/x86_64/decode/record.h"

/* ---- prefixes ------------------------------------------------------------------------------ */

/* What a byte before the opcode may be. */
enum prefix {
	PREFIX_NONE,
	PREFIX_LEGACY,
	PREFIX_REX,
	PREFIX_LONG,   /* holds the map: VEX (c5, c4), EVEX (62), XOP (8f) and REX2 (d5) */
	PREFIX_ESCAPE, /* to the map 0f */
};

static const uint8_t prefixes[256] = {
	[0x0f] = PREFIX_ESCAPE,
	[0x26] = PREFIX_LEGACY,
	[0x2e] = PREFIX_LEGACY,
	[0x36] = PREFIX_LEGACY,
	[0x3e] = PREFIX_LEGACY,
	[0x40 ... 0x4f] = PREFIX_REX,
	[0x62] = PREFIX_LONG,
	[0x64 ... 0x67] = PREFIX_LEGACY,
	[0x8f] = PREFIX_LONG,
	[0xc4 ... 0xc5] = PREFIX_LONG,
	[0xd5] = PREFIX_LONG,
	[0xf0] = PREFIX_LEGACY,
	[0xf2 ... 0xf3] = PREFIX_LEGACY,
};

static void note_legacy_prefix(uint8_t byte, struct x86_opcode *o)
{
	o->prefixed = true;
	o->rex = 0; /* REX counts only right before the opcode */
	switch (byte) {
	case 0x66:
		o->operand16 = true;
		break;
	case 0x67:
		o->address32 = true;
		break;
	case 0xf0:
		o->lock = true;
		break;
	case 0xf2:
	case 0xf3:
		o->repeat = byte;
		break;
	case 0x64:
	case 0x65:
		o->segment = byte;
	}
}

static void set_prefix_field(struct x86_opcode *o, uint8_t field)
{
	o->operand16 = (field & 3) == 1;
	o->repeat = (field & 3) == 2 ? 0xf3 : (field & 3) == 3 ? 0xf2 : 0;
}

/* The payload's inverted R, X, B as REX has them. */
static uint8_t rex_of_payload(uint8_t byte)
{
	return 0x40 | (byte & 0x80 ? 0 : 4) | (byte & 0x40 ? 0 : 2) | (byte & 0x20 ? 0 : 1);
}

static void scan_vex2(const uint8_t *p, struct x86_opcode *o)
{
	o->encoding = X86_VEX;
	o->map = X86_MAP_0F;
	o->rex = 0x40 | (p[1] & 0x80 ? 0 : 4);
	o->register2 = ~(p[1] >> 3) & 15;
	o->vector_length = p[1] >> 2 & 1;
	set_prefix_field(o, p[1]);
}

/* VEX of three bytes, and XOP, which is the same with other maps. */
static void scan_vex3(const uint8_t *p, struct x86_opcode *o)
{
	o->encoding = p[0] == 0x8f ? X86_XOP : X86_VEX;
	o->map = p[1] & 0x1f;
	o->rex = rex_of_payload(p[1]) | (p[2] & 0x80 ? 8 : 0);
	o->register2 = ~(p[2] >> 3) & 15;
	o->vector_length = p[2] >> 2 & 1;
	set_prefix_field(o, p[2]);
}

static void scan_evex(const uint8_t *p, struct x86_opcode *o)
{
	o->encoding = X86_EVEX;
	o->map = p[1] & 0x07;
	o->rex = rex_of_payload(p[1]) | (p[2] & 0x80 ? 8 : 0);
	o->register_high = !(p[1] & 0x10);
	o->register2 = (~(p[2] >> 3) & 15) | (p[3] & 8 ? 0 : 16);
	o->vector_length = p[3] >> 5 & 3;
	o->opmask = p[3] & 7;
	o->zeroing = p[3] >> 7;
	o->broadcast = p[3] >> 4 & 1;
	o->apx = o->map == X86_MAP_EVEX4 || p[1] & 8 || !(p[2] & 4); /* B4 or X4 */
	set_prefix_field(o, p[2]);
}

/* REX2: M0 R4 X4 B4 W R X B. */
static void scan_rex2(const uint8_t *p, struct x86_opcode *o)
{
	o->map = p[1] & 0x80 ? X86_MAP_0F : X86_MAP_ONE_BYTE;
	o->rex = 0x40 | (p[1] & 15);
	o->apx = true;
}

static bool scan_long_prefix(const uint8_t *bytes, size_t size, size_t i, struct x86_opcode *o)
{
	const uint8_t *p = bytes + i;
	size_t payload = *p == 0xc5 || *p == 0xd5 ? 1 : *p == 0x62 ? 3 : 2;

	if (i + payload + 1 >= size)
		return false;
	o->prefixed = true;
	if (*p == 0xc5)
		scan_vex2(p, o);
	else if (*p == 0xd5)
		scan_rex2(p, o);
	else if (*p == 0x62)
		scan_evex(p, o);
	else
		scan_vex3(p, o);
	o->at = (uint8_t)(i + payload + 1);
	o->opcode = bytes[o->at];
	return true;
}

static bool scan_escape(const uint8_t *bytes, size_t size, size_t i, struct x86_opcode *o)
{
	if (i + 1 >= size)
		return false;
	o->map = X86_MAP_0F;
	i++;
	if (bytes[i] == 0x38 || bytes[i] == 0x3a) {
		o->map = bytes[i] == 0x38 ? X86_MAP_0F38 : X86_MAP_0F3A;
		if (++i >= size)
			return false;
	}
	o->at = (uint8_t)i;
	o->opcode = bytes[i];
	return true;
}

/* In 32-bit mode les, lds and bound, whose ModRM byte names memory, share bytes with VEX and EVEX;
 * in both modes pop, whose ModRM.reg is 0, with XOP. */
static bool begins_long_prefix(uint8_t byte, uint8_t next, bool i386)
{
	switch (byte) {
	case 0x62:
	case 0xc4:
	case 0xc5:
		return !i386 || next >= 0xc0;
	case 0x8f:
		return next >> 3 & 7;
	case 0xd5:
		return !i386;
	}
	return false;
}

/* Find the opcode; false if @size ends before it. */
static bool scan(const uint8_t *bytes, size_t size, struct x86_opcode *o)
{
	uint8_t what = PREFIX_NONE;
	size_t i = 0;

	for (; i < size; i++) {
		what = prefixes[bytes[i]];
		if (what == PREFIX_REX && !o->i386)
			o->rex = bytes[i];
		else if (what == PREFIX_LEGACY)
			note_legacy_prefix(bytes[i], o);
		else
			break;
	}
	if (i >= size)
		return false;
	if (what == PREFIX_ESCAPE)
		return scan_escape(bytes, size, i, o);
	if (what == PREFIX_LONG && i + 1 < size &&
	    begins_long_prefix(bytes[i], bytes[i + 1], o->i386))
		return scan_long_prefix(bytes, size, i, o);
	o->at = (uint8_t)i;
	o->opcode = bytes[i];
	return true;
}

/* ---- what follows the opcode --------------------------------------------------------------- */

static void decode_register(struct x86_layout *l, unsigned rm)
{
	const struct x86_opcode *o = &l->opcode;

	l->rm = (uint8_t)(rm | (o->rex & 1) << 3);
	if (o->encoding == X86_EVEX)
		l->rm |= (o->rex & 2) << 3; /* X extends a vector register */
}

static void decode_sib(struct x86_layout *l, uint8_t sib)
{
	uint8_t rex = l->opcode.rex;

	l->scale = sib >> 6;
	l->index = (uint8_t)((sib >> 3 & 7) | (rex & 2) << 2);
	if (l->index == 4)
		l->index = X86_NONE;
	l->base = (uint8_t)((sib & 7) | (rex & 1) << 3);
}

static bool decode_memory(struct x86_layout *l, const uint8_t *bytes, size_t size, size_t *at,
			  unsigned mod, unsigned rm)
{
	unsigned wide = 4, displacement = mod == 1;

	l->rm = X86_MEMORY;
	if (l->opcode.i386 && l->opcode.address32) { /* bx + si, say: no registers are read */
		wide = 2;
		if (mod == 2 || (mod == 0 && rm == 6))
			displacement = wide;
	} else if (rm == 4) {
		if (*at >= size)
			return false;
		decode_sib(l, bytes[(*at)++]);
		if (mod == 0 && (l->base & 7) == 5)
			l->base = X86_NONE;
		if (mod == 2 || l->base == X86_NONE)
			displacement = wide;
	} else {
		l->base = (uint8_t)(rm | (l->opcode.rex & 1) << 3);
		if (mod == 0 && rm == 5)
			l->base = l->opcode.i386 ? X86_NONE : X86_RIP;
		if (mod == 2 || l->base >= X86_RIP)
			displacement = wide;
	}
	if (*at + displacement > size)
		return false;
	if (displacement == 4)
		memcpy(&l->displacement, bytes + *at, 4);
	else if (displacement == 1)
		l->displacement = (int8_t)bytes[*at];
	l->displacement8 = mod == 1;
	*at += displacement;
	return true;
}

static bool decode_modrm(struct x86_layout *l, const uint8_t *bytes, size_t size, size_t *at)
{
	const struct x86_opcode *o = &l->opcode;
	unsigned mod, rm;

	if (*at >= size)
		return false;
	l->modrm = bytes[(*at)++];
	mod = l->modrm >> 6;
	rm = l->modrm & 7;
	l->reg = (uint8_t)((l->modrm >> 3 & 7) | (o->rex & 4) << 1 | o->register_high << 4);
	if (l->entry->form & X86_GROUP)
		l->entry = x86_opcode_member(l->entry, x86_layout_digit(l));
	if (mod == 3 || l->entry->form & X86_REGISTER) {
		decode_register(l, rm);
		return !(l->entry->form & X86_MEMORY_ONLY);
	}
	return decode_memory(l, bytes, size, at, mod, rm);
}

static unsigned count_immediate(const struct x86_layout *l)
{
	const struct x86_opcode *o = &l->opcode;
	unsigned form = l->entry->form, bytes = 0;
	bool word = o->operand16 && !(o->rex & 8);

	if (!(form & X86_IMMEDIATES))
		return 0;
	if (form & X86_BYTE)
		bytes += 1;
	if (form & X86_WORD)
		bytes += 2;
	if (form & X86_WIDE)
		bytes += word ? 2 : 4;
	if (form & X86_FULL)
		bytes += o->rex & 8 ? 8 : word ? 2 : 4;
	if (form & X86_DWORD)
		bytes += o->i386 && o->operand16 ? 2 : 4;
	if (form & X86_ADDRESS)
		bytes += (o->i386 ? 4u : 8u) >> o->address32;
	/* extrq and insertq of SSE4a have two, vmread none */
	if (form & X86_BIT_FIELD && o->encoding == X86_LEGACY)
		bytes += o->operand16 || o->repeat == 0xf2 ? 2 : 0;
	return bytes;
}

static int64_t read_immediate(const uint8_t *p, unsigned bytes)
{
	uint64_t value = 0;
	int32_t four;

	switch (bytes) { /* nearly all */
	case 0:
		return 0;
	case 1:
		return (int8_t)*p;
	case 4:
		memcpy(&four, p, 4);
		return four;
	}
	memcpy(&value, p, bytes);
	return (int64_t)(value << (64 - bytes * 8)) >> (64 - bytes * 8);
}

bool x86_layout_decode(const uint8_t *bytes, size_t size, bool i386, struct x86_layout *out)
{
	struct x86_opcode *o = &out->opcode;
	size_t at;

	if (size > X86_LENGTH_MAX)
		size = X86_LENGTH_MAX;
	*out = (struct x86_layout){.opcode.i386 = i386, .base = X86_NONE, .index = X86_NONE};
	if (!scan(bytes, size, o))
		return false;
	out->entry = x86_opcode_find(o->map, o->encoding, o->opcode, o->apx);
	at = o->at + 1u;
	out->has_modrm = out->entry->form & X86_MODRM;
	if (!out->has_modrm)
		out->reg = out->rm = (uint8_t)((o->opcode & 7) | (o->rex & 1) << 3);
	else if (!decode_modrm(out, bytes, size, &at))
		return false;
	if (!out->entry->form || out->entry->form & (i386 ? X86_ONLY_64 : X86_ONLY_32))
		return false;
	out->immediate_bytes = (uint8_t)count_immediate(out);
	if (at + out->immediate_bytes > size)
		return false;
	out->immediate = read_immediate(bytes + at, out->immediate_bytes);
	out->length = (uint8_t)(at + out->immediate_bytes);
	return true;
}
