/* SPDX-License-Identifier: MIT */
/*
 * What of an instruction's bytes is a distance. x86-64: Intel SDM volume 2, 2.2.1.6 (RIP-relative
 * addressing) and the immediates of near branches. AArch64: Arm ARM, C4.1 (PC-relative addressing,
 * literal loads, branches).
 */
#include <elf.h>
#include <endian.h>
#include <string.h>

#include "isa/isa.h"
#include "isa/x86_64/decode/layout.h"

#define RIP_RELATIVE 0x05 /* ModRM: mod 0, rm 5 */
#define DISPLACEMENT 4

static bool is_near_branch(const struct x86_opcode *o)
{
	if (o->encoding != X86_LEGACY)
		return false;
	if (o->map == X86_MAP_0F)
		return (o->opcode & 0xf0) == 0x80;
	return o->map == X86_MAP_LEGACY &&
	       ((o->opcode & 0xf0) == 0x70 || (o->opcode >= 0xe0 && o->opcode <= 0xe3) ||
		(o->opcode >= 0xe8 && o->opcode <= 0xeb && o->opcode != 0xea));
}

static void forget_x86(uint8_t *bytes, size_t size)
{
	struct x86_layout l;
	size_t tail;

	if (!x86_layout_decode(bytes, size, &l) || l.length > size)
		return;
	tail = l.immediate_bytes;
	if (is_near_branch(&l.opcode) && tail <= l.length)
		memset(bytes + l.length - tail, 0, tail);
	if (l.has_modrm && (l.modrm & 0xc7) == RIP_RELATIVE && tail + DISPLACEMENT <= l.length)
		memset(bytes + l.length - tail - DISPLACEMENT, 0, DISPLACEMENT);
}

/* Data's addresses stay: without relocations nothing tells them from numbers. */
static void forget_i386(uint8_t *bytes, size_t size)
{
	struct x86_opcode o;

	if (x86_opcode_scan_i386(bytes, size, &o) && is_near_branch(&o))
		memset(bytes + o.at + 1, 0, size - o.at - 1);
}

static void forget_aarch64(uint8_t *bytes, size_t size)
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

void isa_place_forget(uint16_t elf_machine, uint8_t *bytes, size_t size)
{
	if (elf_machine == EM_X86_64)
		forget_x86(bytes, size);
	else if (elf_machine == EM_386)
		forget_i386(bytes, size);
	else if (elf_machine == EM_AARCH64)
		forget_aarch64(bytes, size);
}
