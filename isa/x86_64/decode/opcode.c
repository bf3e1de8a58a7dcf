/* SPDX-License-Identifier: MIT */
#include "isa/x86_64/decode/opcode.h"

static bool is_legacy_prefix(uint8_t byte, struct x86_opcode *o)
{
	switch (byte) {
	case 0x66:
		o->operand16 = true;
		return true;
	case 0x67:
		o->address32 = true;
		return true;
	case 0xf0:
		o->lock = true;
		return true;
	case 0xf2:
	case 0xf3:
		o->repeat = byte;
		return true;
	case 0x64:
	case 0x65:
		o->segment = byte;
		return true;
	case 0x26:
	case 0x2e:
	case 0x36:
	case 0x3e:
		return true;
	}
	return false;
}

static uint8_t map_of_field(unsigned field)
{
	switch (field) {
	case 1:
		return X86_MAP_0F;
	case 2:
		return X86_MAP_0F38;
	case 3:
		return X86_MAP_0F3A;
	}
	return X86_MAP_OTHER;
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

static void scan_vex3(const uint8_t *p, struct x86_opcode *o)
{
	o->encoding = X86_VEX;
	o->map = map_of_field(p[1] & 0x1f);
	o->rex = rex_of_payload(p[1]) | (p[2] & 0x80 ? 8 : 0);
	o->register2 = ~(p[2] >> 3) & 15;
	o->vector_length = p[2] >> 2 & 1;
	set_prefix_field(o, p[2]);
}

static void scan_evex(const uint8_t *p, struct x86_opcode *o)
{
	o->encoding = X86_EVEX;
	o->map = map_of_field(p[1] & 0x07);
	o->rex = rex_of_payload(p[1]) | (p[2] & 0x80 ? 8 : 0);
	o->register_high = !(p[1] & 0x10);
	o->register2 = (~(p[2] >> 3) & 15) | (p[3] & 8 ? 0 : 16);
	o->vector_length = p[3] >> 5 & 3;
	o->opmask = p[3] & 7;
	o->zeroing = p[3] >> 7;
	o->broadcast = p[3] >> 4 & 1;
	set_prefix_field(o, p[2]);
}

/* VEX (c5, c4) and EVEX (62) hold the map in the prefix. */
static bool scan_vector_prefix(const uint8_t *bytes, size_t size, size_t i, struct x86_opcode *o)
{
	size_t payload = bytes[i] == 0xc5 ? 1 : bytes[i] == 0xc4 ? 2 : 3;

	if (i + payload + 1 >= size)
		return false;
	if (payload == 1)
		scan_vex2(bytes + i, o);
	else if (payload == 2)
		scan_vex3(bytes + i, o);
	else
		scan_evex(bytes + i, o);
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

static bool scan(const uint8_t *bytes, size_t size, bool i386, struct x86_opcode *o)
{
	size_t i = 0;

	*o = (struct x86_opcode){0};
	if (size > X86_LENGTH_MAX)
		size = X86_LENGTH_MAX;
	for (; i < size; i++) {
		if (is_legacy_prefix(bytes[i], o))
			o->rex = 0; /* REX counts only right before the opcode */
		else if (!i386 && (bytes[i] & 0xf0) == 0x40)
			o->rex = bytes[i];
		else
			break;
	}
	if (i >= size)
		return false;
	if ((bytes[i] == 0xc4 || bytes[i] == 0xc5 || bytes[i] == 0x62) &&
	    !(i386 && i + 1 < size && bytes[i + 1] < 0xc0)) /* a ModRM byte of memory */
		return scan_vector_prefix(bytes, size, i, o);
	if (bytes[i] == 0x0f)
		return scan_escape(bytes, size, i, o);
	o->at = (uint8_t)i;
	o->opcode = bytes[i];
	return true;
}

bool x86_opcode_scan(const uint8_t *bytes, size_t size, struct x86_opcode *o)
{
	return scan(bytes, size, false, o);
}

bool x86_opcode_scan_i386(const uint8_t *bytes, size_t size, struct x86_opcode *o)
{
	return scan(bytes, size, true, o);
}

unsigned x86_opcode_modrm_length(const uint8_t *bytes, size_t size, const struct x86_opcode *o,
				 unsigned immediate)
{
	size_t at = o->at + 1u, length;
	uint8_t modrm, mod, rm;

	if (size > X86_LENGTH_MAX)
		size = X86_LENGTH_MAX;
	if (at >= size)
		return 0;
	modrm = bytes[at];
	mod = modrm >> 6;
	rm = modrm & 7;
	length = at + 1;
	if (mod != 3) {
		bool sib = rm == 4;

		if (sib && length >= size)
			return 0;
		if (mod == 1)
			length += 1;
		else if (mod == 2 || rm == 5 || (sib && (bytes[length] & 7) == 5))
			length += 4;
		length += sib;
	}
	length += immediate;
	return length <= size ? (unsigned)length : 0;
}

/* Bytes of immediate in VEX and EVEX instructions of map 0F. */
static unsigned vector_0f_immediate(uint8_t opcode)
{
	if (opcode >= 0x70 && opcode <= 0x73)
		return 1; /* shuffles and shifts by immediate */
	return opcode == 0xc2 || opcode == 0xc4 || opcode == 0xc5 || opcode == 0xc6;
}

static unsigned vector_length(const uint8_t *bytes, size_t size, const struct x86_opcode *o)
{
	if (o->encoding == X86_VEX && o->map == X86_MAP_0F && o->opcode == 0x77)
		return o->at + 1u; /* vzeroupper, vzeroall */
	if (o->map == X86_MAP_0F)
		return x86_opcode_modrm_length(bytes, size, o, vector_0f_immediate(o->opcode));
	return x86_opcode_modrm_length(bytes, size, o, o->map == X86_MAP_0F3A);
}

unsigned x86_opcode_extra_length(const uint8_t *bytes, size_t size, const struct x86_opcode *o)
{
	bool near_branch = (o->map == X86_MAP_LEGACY && (o->opcode == 0xe8 || o->opcode == 0xe9)) ||
			   (o->map == X86_MAP_0F && (o->opcode & 0xf0) == 0x80);
	size_t length = o->at + 5u;

	if (o->encoding != X86_LEGACY)
		return vector_length(bytes, size, o);
	if (near_branch && o->operand16)
		return length <= size && length <= X86_LENGTH_MAX ? (unsigned)length : 0;
	switch (o->map) {
	case X86_MAP_0F:
		if (o->opcode == 0x01 || o->opcode == 0x1e || o->opcode == 0xae ||
		    o->opcode == 0xb9 || o->opcode == 0xff || o->opcode == 0xc7)
			return x86_opcode_modrm_length(bytes, size, o, 0);
		return 0;
	case X86_MAP_0F38:
		return x86_opcode_modrm_length(bytes, size, o, 0);
	case X86_MAP_0F3A:
		return x86_opcode_modrm_length(bytes, size, o, 1);
	}
	return 0;
}
