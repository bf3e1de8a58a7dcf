/* SPDX-License-Identifier: MIT */
#include "isa/x86_64/decode/layout.h"

#include <string.h>

#include "isa/x86_64/decode/record.h"

/* Opcodes of the one-byte map that 64-bit mode does not have (62, c4, c5 are prefixes there). */
static bool legacy_exists(uint8_t opcode)
{
	static const uint8_t missing[] = {0x06, 0x07, 0x0e, 0x16, 0x17, 0x1e, 0x1f, 0x27,
					  0x2f, 0x37, 0x3f, 0x60, 0x61, 0x62, 0x82, 0x9a,
					  0xc4, 0xc5, 0xce, 0xd4, 0xd5, 0xd6, 0xea};

	return !memchr(missing, opcode, sizeof(missing));
}

static bool legacy_has_modrm(uint8_t opcode)
{
	if (opcode < 0x40)
		return (opcode & 7) < 4;
	switch (opcode) {
	case 0x63:
	case 0x69:
	case 0x6b:
	case 0x80 ... 0x8f:
	case 0xc0:
	case 0xc1:
	case 0xc6:
	case 0xc7:
	case 0xd0 ... 0xd3:
	case 0xd8 ... 0xdf:
	case 0xf6:
	case 0xf7:
	case 0xfe:
	case 0xff:
		return true;
	}
	return false;
}

static bool map_0f_has_modrm(uint8_t opcode)
{
	switch (opcode) {
	case 0x05 ... 0x09:
	case 0x0b:
	case 0x0e:
	case 0x30 ... 0x37:
	case 0x77:
	case 0x80 ... 0x8f:
	case 0xa0 ... 0xa2:
	case 0xa8 ... 0xaa:
	case 0xc8 ... 0xcf:
		return false;
	}
	return true;
}

static bool has_modrm(const struct x86_opcode *o)
{
	if (o->map == X86_MAP_LEGACY)
		return legacy_has_modrm(o->opcode);
	if (o->map == X86_MAP_0F && o->encoding == X86_LEGACY)
		return map_0f_has_modrm(o->opcode);
	if (o->map == X86_MAP_0F && o->encoding == X86_VEX)
		return o->opcode != 0x77; /* vzeroupper, vzeroall */
	return true;
}

/* @wide is the size of an immediate of the operand's size, at most 4. */
static unsigned legacy_immediate(const struct x86_layout *l, unsigned wide)
{
	uint8_t opcode = l->opcode.opcode;

	if (opcode < 0x40)
		return (opcode & 7) == 4 ? 1 : (opcode & 7) == 5 ? wide : 0;
	switch (opcode) {
	case 0x68:
	case 0x69:
	case 0x81:
	case 0xa9:
	case 0xc7:
		return wide;
	case 0x6a:
	case 0x6b:
	case 0x70 ... 0x7f:
	case 0x80:
	case 0x83:
	case 0xa8:
	case 0xb0 ... 0xb7:
	case 0xc0:
	case 0xc1:
	case 0xc6:
	case 0xcd:
	case 0xe0 ... 0xe7:
	case 0xeb:
		return 1;
	case 0xa0 ... 0xa3:
		return l->opcode.address32 ? 4 : 8;
	case 0xb8 ... 0xbf:
		return l->opcode.rex & 8 ? 8 : wide;
	case 0xc2:
	case 0xca:
		return 2;
	case 0xc8:
		return 3;
	case 0xe8:
	case 0xe9:
		return 4; /* 32 bits behind 66 too, on Intel */
	case 0xf6:
		return x86_layout_digit(l) < 2 ? 1 : 0;
	case 0xf7:
		return x86_layout_digit(l) < 2 ? wide : 0;
	}
	return 0;
}

static unsigned map_0f_immediate(const struct x86_layout *l)
{
	uint8_t opcode = l->opcode.opcode;

	switch (opcode) {
	case 0x70 ... 0x73: /* shuffles, and shifts by immediate */
	case 0xc2:
	case 0xc4 ... 0xc6:
		return 1;
	}
	if (l->opcode.encoding != X86_LEGACY)
		return 0;
	if ((opcode & 0xf0) == 0x80)
		return 4;
	if (opcode == 0x78 && (l->opcode.operand16 || l->opcode.repeat == 0xf2))
		return 2; /* extrq, insertq of SSE4a */
	return opcode == 0x0f || opcode == 0xa4 || opcode == 0xac || opcode == 0xba;
}

static unsigned immediate_bytes(const struct x86_layout *l)
{
	unsigned wide = l->opcode.rex & 8 ? 4 : l->opcode.operand16 ? 2 : 4;

	switch (l->opcode.map) {
	case X86_MAP_LEGACY:
		return legacy_immediate(l, wide);
	case X86_MAP_0F:
		return map_0f_immediate(l);
	case X86_MAP_0F3A:
		return 1;
	}
	return 0;
}

static void decode_register(struct x86_layout *l, unsigned rm)
{
	const struct x86_opcode *o = &l->opcode;

	l->rm = (uint8_t)(rm | (o->rex & 1) << 3);
	if (o->encoding == X86_EVEX)
		l->rm |= (o->rex & 2) << 3; /* X extends a vector register */
}

static bool decode_memory(struct x86_layout *l, const uint8_t *bytes, size_t size, size_t *at,
			  unsigned mod, unsigned rm)
{
	uint8_t rex = l->opcode.rex;
	bool wide = mod == 2;

	l->rm = X86_MEMORY;
	if (rm == 4) {
		uint8_t sib;

		if (*at >= size)
			return false;
		sib = bytes[(*at)++];
		l->scale = sib >> 6;
		l->index = (uint8_t)((sib >> 3 & 7) | (rex & 2) << 2);
		if (l->index == 4)
			l->index = X86_NONE;
		l->base = (uint8_t)((sib & 7) | (rex & 1) << 3);
		if (mod == 0 && (sib & 7) == 5) {
			l->base = X86_NONE;
			wide = true;
		}
	} else if (mod == 0 && rm == 5) {
		l->base = X86_RIP;
		wide = true;
	} else {
		l->base = (uint8_t)(rm | (rex & 1) << 3);
	}
	if (*at + (wide ? 4 : mod) > size)
		return false;
	if (wide)
		memcpy(&l->displacement, bytes + *at, 4);
	else if (mod == 1)
		l->displacement = (int8_t)bytes[*at];
	l->displacement8 = mod == 1;
	*at += wide ? 4 : mod;
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
	if (mod == 3) {
		decode_register(l, rm);
		return true;
	}
	return decode_memory(l, bytes, size, at, mod, rm);
}

static int64_t read_immediate(const uint8_t *p, unsigned bytes)
{
	uint64_t value = 0;

	if (!bytes)
		return 0;
	memcpy(&value, p, bytes);
	return (int64_t)(value << (64 - bytes * 8)) >> (64 - bytes * 8);
}

bool x86_layout_decode(const uint8_t *bytes, size_t size, struct x86_layout *out)
{
	size_t at;

	if (size > X86_LENGTH_MAX)
		size = X86_LENGTH_MAX;
	*out = (struct x86_layout){.base = X86_NONE, .index = X86_NONE};
	if (!x86_opcode_scan(bytes, size, &out->opcode))
		return false;
	if (out->opcode.map == X86_MAP_LEGACY && !legacy_exists(out->opcode.opcode))
		return false;
	at = out->opcode.at + 1u;
	out->has_modrm = has_modrm(&out->opcode);
	if (!out->has_modrm)
		out->rm = (uint8_t)((out->opcode.opcode & 7) | (out->opcode.rex & 1) << 3);
	else if (!decode_modrm(out, bytes, size, &at))
		return false;
	out->immediate_bytes = (uint8_t)immediate_bytes(out);
	if (at + out->immediate_bytes > size)
		return false;
	out->immediate = read_immediate(bytes + at, out->immediate_bytes);
	out->length = (uint8_t)(at + out->immediate_bytes);
	return true;
}
