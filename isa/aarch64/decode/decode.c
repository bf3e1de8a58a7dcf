/* SPDX-License-Identifier: MIT */
/*
 * Decoding AArch64 (Arm Architecture Reference Manual, C4.1.65: branches, exceptions and system
 * instructions; PC-relative addressing, literal loads). Every instruction is one little-endian
 * word.
 */
#include "isa/decoder.h"

#include <endian.h>
#include <string.h>

/* A signed distance in words, in bits [low, low + width). */
static uint64_t distance(uint32_t word, unsigned low, unsigned width)
{
	uint64_t field = (uint64_t)(word >> low) << (64 - width);

	return (uint64_t)((int64_t)field >> (64 - width)) * 4;
}

/* Branches to a register: 1101011 opc op2 op3 Rn op4; pointer authentication is in opc's top bit
 * and in op3. */
static uint8_t kind_of_register_branch(uint32_t word)
{
	switch (word >> 21 & 15) {
	case 0:
	case 8:
		return ISA_JUMP_INDIRECT; /* br, braa */
	case 1:
	case 9:
		return ISA_CALL_INDIRECT; /* blr, blraa */
	case 2:				  /* ret, retaa */
	case 4:				  /* eret */
	case 5:				  /* drps */
	case 10:			  /* of no instruction yet; like their neighbours */
		return ISA_RETURN;
	}
	return ISA_OTHER;
}

/* 11010100 opc imm16 op2 LL */
static uint8_t kind_of_exception(uint32_t word)
{
	switch (word & 0xffe0001f) {
	case 0xd4000001: /* svc */
	case 0xd4000002: /* hvc */
	case 0xd4000003: /* smc */
		return ISA_SYSCALL;
	case 0xd4200000: /* brk */
	case 0xd4400000: /* hlt */
		return ISA_STOP;
	}
	return ISA_OTHER;
}

static uint8_t kind_of(uint32_t word, uint64_t *offset)
{
	*offset = 0;
	switch (word >> 24) {
	case 0x14 ... 0x17:
		*offset = distance(word, 0, 26);
		return ISA_JUMP;
	case 0x94 ... 0x97:
		*offset = distance(word, 0, 26);
		return ISA_CALL;
	case 0x54: /* b.cond, bc.cond; conditions 14 and 15 are always true */
		*offset = distance(word, 5, 19);
		return (word & 14) == 14 ? ISA_JUMP : ISA_JUMP_CONDITIONAL;
	case 0x34: /* cbz, cbnz */
	case 0x35:
	case 0xb4:
	case 0xb5:
		*offset = distance(word, 5, 19);
		return ISA_JUMP_CONDITIONAL;
	case 0x36: /* tbz, tbnz */
	case 0x37:
	case 0xb6:
	case 0xb7:
		*offset = distance(word, 5, 14);
		return ISA_JUMP_CONDITIONAL;
	case 0x55: /* retaasppc, retabsppc */
		return (word & 0xffc0001f) == 0x5500001f ? ISA_RETURN : ISA_OTHER;
	case 0xd4:
		return kind_of_exception(word);
	case 0xd6:
	case 0xd7:
		return kind_of_register_branch(word);
	case 0x00: /* udf */
		return word >> 16 ? ISA_OTHER : ISA_STOP;
	}
	return ISA_OTHER;
}

bool aarch64_decode(const uint8_t *bytes, size_t size, uint64_t address, struct isa_insn *out)
{
	uint64_t offset;
	uint32_t word;

	if (size < 4)
		return false;
	word = (uint32_t)bytes[0] | (uint32_t)bytes[1] << 8 | (uint32_t)bytes[2] << 16 |
	       (uint32_t)bytes[3] << 24;
	*out = (struct isa_insn){
		.address = address,
		.length = 4,
		.kind = kind_of(word, &offset),
		.nop = word == 0xd503201f,
	};
	if (out->kind == ISA_JUMP || out->kind == ISA_JUMP_CONDITIONAL || out->kind == ISA_CALL)
		out->target = address + offset;
	return true;
}

void aarch64_decode_forget_place(uint8_t *bytes, size_t size)
{
	uint32_t word;

	if (size != sizeof(word))
		return;
	memcpy(&word, bytes, sizeof(word));
	word = le32toh(word);
	if ((word & 0x1f000000) == 0x10000000) /* adr, adrp */
		word &= ~UINT32_C(0x60ffffe0);
	else if ((word & 0x3b000000) == 0x18000000 || (word & 0xff000000) == 0x54000000 ||
		 (word & 0x7e000000) == 0x34000000) /* ldr literal, b.cond, cbz */
		word &= ~UINT32_C(0x00ffffe0);
	else if ((word & 0x7e000000) == 0x36000000) /* tbz */
		word &= ~UINT32_C(0x0007ffe0);
	else if ((word & 0x7c000000) == 0x14000000) /* b, bl */
		word &= ~UINT32_C(0x03ffffff);
	word = htole32(word);
	memcpy(bytes, &word, sizeof(word));
}
