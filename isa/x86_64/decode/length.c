/* SPDX-License-Identifier: MIT */
#include "isa/x86_64/decode/length.h"

/* What follows the opcode. No bit at all: not a common instruction. */
enum {
	PLAIN = 1, /* nothing */
	MODRM = 2,
	BYTE = 4,	    /* an immediate of one byte */
	WIDE = 8,	    /* of two (behind 66) or four */
	FULL = 16,	    /* of two, four, or eight (REX.W) */
	BRANCH = 32,	    /* of four, and not behind 66 */
	NO_66 = 64,	    /* not common behind 66 */
	MEMORY = 128,	    /* ModRM must be memory */
	DIGITS_SHIFT = 256, /* ModRM.reg must not be 6 */
	DIGIT_0 = 512,	    /* ModRM.reg must be 0 */
	TEST = 1024,	    /* f6, f7: /0 has an immediate, /1 is not common */
	DIGITS_FF = 2048,   /* ff: /0 and /1; /2, /4 and /6, not behind 66 */
	DIGITS_FE = 4096,   /* fe: /0 and /1 */
	DIGITS_BT = 8192,   /* 0f ba: /4 to /7 */
};

/* In map 0F: which of no prefix, 66, f3 and f2 may precede. */
enum { P_NONE = 1 << 16, P_66 = 1 << 17, P_F3 = 1 << 18, P_F2 = 1 << 19 };

#define P_WORD (P_NONE | P_66)
#define P_ALL  (P_NONE | P_66 | P_F3 | P_F2)

#define ARITHMETIC(base)                                                                    \
	[(base)] = MODRM, [(base) + 1] = MODRM, [(base) + 2] = MODRM, [(base) + 3] = MODRM, \
	[(base) + 4] = PLAIN | BYTE, [(base) + 5] = PLAIN | WIDE

static const uint32_t legacy[256] = {
	ARITHMETIC(0x00),
	ARITHMETIC(0x08),
	ARITHMETIC(0x10),
	ARITHMETIC(0x18),
	ARITHMETIC(0x20),
	ARITHMETIC(0x28),
	ARITHMETIC(0x30),
	ARITHMETIC(0x38),
	[0x50 ... 0x5f] = PLAIN,
	[0x63] = MODRM | NO_66,
	[0x68] = PLAIN | WIDE | NO_66,
	[0x69] = MODRM | WIDE,
	[0x6a] = PLAIN | BYTE,
	[0x6b] = MODRM | BYTE,
	[0x70 ... 0x7f] = PLAIN | BYTE | NO_66,
	[0x80] = MODRM | BYTE,
	[0x81] = MODRM | WIDE,
	[0x83] = MODRM | BYTE,
	[0x84 ... 0x8b] = MODRM,
	[0x8d] = MODRM | MEMORY,
	[0x90] = PLAIN,
	[0x98 ... 0x99] = PLAIN,
	[0xa8] = PLAIN | BYTE,
	[0xa9] = PLAIN | WIDE,
	[0xb0 ... 0xb7] = PLAIN | BYTE,
	[0xb8 ... 0xbf] = PLAIN | FULL,
	[0xc0 ... 0xc1] = MODRM | BYTE | DIGITS_SHIFT,
	[0xc3] = PLAIN | NO_66,
	[0xc6] = MODRM | BYTE | DIGIT_0,
	[0xc7] = MODRM | WIDE | DIGIT_0,
	[0xc9] = PLAIN | NO_66,
	[0xcc] = PLAIN | NO_66,
	[0xd0 ... 0xd3] = MODRM | DIGITS_SHIFT,
	[0xe8 ... 0xe9] = PLAIN | BRANCH | NO_66,
	[0xeb] = PLAIN | BYTE | NO_66,
	[0xf6] = MODRM | TEST | BYTE,
	[0xf7] = MODRM | TEST | WIDE,
	[0xfe] = MODRM | DIGITS_FE,
	[0xff] = MODRM | DIGITS_FF,
};

static const uint32_t map_0f[256] = {
	[0x05] = P_NONE | PLAIN,
	[0x0b] = P_NONE | PLAIN,
	[0x10 ... 0x11] = P_ALL | MODRM,
	[0x12] = P_NONE | MODRM,
	[0x14 ... 0x15] = P_WORD | MODRM,
	[0x16] = P_NONE | MODRM,
	[0x1f] = P_WORD | MODRM | MEMORY | DIGIT_0,
	[0x28 ... 0x29] = P_WORD | MODRM,
	[0x2a] = P_F3 | P_F2 | MODRM,
	[0x2c ... 0x2d] = P_F3 | P_F2 | MODRM,
	[0x2e ... 0x2f] = P_WORD | MODRM,
	[0x40 ... 0x4f] = P_WORD | MODRM,
	[0x51] = P_ALL | MODRM,
	[0x54 ... 0x57] = P_WORD | MODRM,
	[0x58 ... 0x5a] = P_ALL | MODRM,
	[0x5b] = P_WORD | P_F3 | MODRM,
	[0x5c ... 0x5f] = P_ALL | MODRM,
	[0x60 ... 0x6b] = P_66 | MODRM,
	[0x6e] = P_66 | MODRM,
	[0x6f] = P_66 | P_F3 | MODRM,
	[0x70] = P_66 | P_F3 | P_F2 | MODRM | BYTE,
	[0x74 ... 0x76] = P_66 | MODRM,
	[0x7e ... 0x7f] = P_66 | P_F3 | MODRM,
	[0x80 ... 0x8f] = P_NONE | PLAIN | BRANCH,
	[0x90 ... 0x9f] = P_NONE | MODRM,
	[0xa2] = P_NONE | PLAIN,
	[0xa3] = P_WORD | MODRM,
	[0xa4] = P_WORD | MODRM | BYTE,
	[0xa5] = P_WORD | MODRM,
	[0xab] = P_WORD | MODRM,
	[0xac] = P_WORD | MODRM | BYTE,
	[0xad] = P_WORD | MODRM,
	[0xaf] = P_WORD | MODRM,
	[0xb0 ... 0xb1] = P_WORD | MODRM,
	[0xb3] = P_WORD | MODRM,
	[0xb6 ... 0xb7] = P_WORD | MODRM,
	[0xba] = P_WORD | MODRM | BYTE | DIGITS_BT,
	[0xbb ... 0xbd] = P_WORD | MODRM,
	[0xbe ... 0xbf] = P_WORD | MODRM,
	[0xc0 ... 0xc1] = P_WORD | MODRM,
	[0xc6] = P_WORD | MODRM | BYTE,
	[0xc8 ... 0xcf] = P_NONE | PLAIN,
	[0xd4] = P_66 | MODRM,
	[0xdb] = P_66 | MODRM,
	[0xdf] = P_66 | MODRM,
	[0xeb] = P_66 | MODRM,
	[0xef] = P_66 | MODRM,
	[0xf8 ... 0xfe] = P_66 | MODRM,
};

/* What follows in a legacy encoding, if it is common behind its prefixes; else 0. */
static uint32_t shape_of(const struct x86_opcode *o)
{
	uint32_t shape, prefix;

	if (o->encoding != X86_LEGACY || o->lock || o->address32)
		return 0;
	if (o->map == X86_MAP_LEGACY) {
		shape = legacy[o->opcode];
		return o->repeat || (o->operand16 && shape & NO_66) ? 0 : shape;
	}
	if (o->map != X86_MAP_0F || (o->repeat && o->operand16))
		return 0;
	shape = map_0f[o->opcode];
	prefix = o->operand16 ? P_66 : o->repeat == 0xf3 ? P_F3 : o->repeat ? P_F2 : P_NONE;
	return shape & prefix ? shape : 0;
}

static bool is_common(uint32_t shape, uint8_t modrm, const struct x86_opcode *o)
{
	unsigned digit = modrm >> 3 & 7;

	if (shape & MEMORY && modrm >= 0xc0)
		return false;
	if (shape & DIGITS_SHIFT)
		return digit != 6;
	if (shape & DIGIT_0)
		return digit == 0;
	if (shape & TEST)
		return digit != 1;
	if (shape & DIGITS_FE)
		return digit < 2;
	if (shape & DIGITS_FF)
		return digit < 2 || ((digit == 2 || digit == 4 || digit == 6) && !o->operand16);
	if (shape & DIGITS_BT)
		return digit >= 4;
	return true;
}

unsigned x86_length_common(const uint8_t *bytes, size_t size, const struct x86_opcode *o)
{
	uint32_t shape = shape_of(o);
	bool wide = o->rex & 8;
	unsigned immediate = 0;
	size_t length;

	if (shape & BYTE)
		immediate = 1;
	else if (shape & BRANCH)
		immediate = 4;
	else if (shape & FULL && wide)
		immediate = 8;
	else if (shape & (WIDE | FULL))
		immediate = o->operand16 && !wide ? 2 : 4;
	if (shape & PLAIN) {
		length = o->at + 1u + immediate;
		return length <= size && length <= X86_LENGTH_MAX ? (unsigned)length : 0;
	}
	if (!(shape & MODRM) || o->at + 1u >= size || !is_common(shape, bytes[o->at + 1], o))
		return 0;
	if (shape & TEST && bytes[o->at + 1] & 0x38)
		immediate = 0;
	return x86_opcode_modrm_length(bytes, size, o, immediate);
}
