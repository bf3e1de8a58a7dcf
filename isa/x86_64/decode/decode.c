/* SPDX-License-Identifier: MIT */
/*
 * Decoding x86-64, and i386, whose opcodes are nearly the same: Capstone measures an instruction
 * unless it is one of the commonest (isa/x86_64/decode/length.c), its opcode bytes tell what it
 * does to control. Encodings that Capstone 4.0.2 refuses or measures wrongly are
 * isa/x86_64/decode/opcode.c's.
 */
#include "isa/decoder.h"

#include <string.h>

#include "base/memory.h"
#include "isa/x86_64/decode/capstone.h"
#include "isa/x86_64/decode/length.h"
#include "isa/x86_64/decode/opcode.h"

struct x86_decoder {
	bool i386;
	csh capstone;
	cs_insn *insn;
};

/* Capstone allocates a table at its first decode: spend it here, so that later ones never do. */
static bool warm_up(struct x86_decoder *d)
{
	static const uint8_t ret = 0xc3;
	const uint8_t *code = &ret;
	uint64_t address = 0;
	size_t left = sizeof(ret);

	/* by Capstone itself: x86_decode measures this one without it */
	return cs_disasm_iter(d->capstone, &code, &left, &address, d->insn);
}

struct x86_decoder *x86_decode_new(bool i386)
{
	struct x86_decoder *d;

	d = memory_alloc(sizeof(*d));
	if (!d)
		return NULL;
	d->i386 = i386;
	capstone_be_silent();
	if (capstone_open(i386, &d->capstone) != CS_ERR_OK) {
		memory_free(d);
		return NULL;
	}
	d->insn = cs_malloc(d->capstone);
	if (!d->insn || !warm_up(d)) {
		x86_decode_free(d);
		return NULL;
	}
	return d;
}

void x86_decode_free(struct x86_decoder *d)
{
	if (!d)
		return;
	if (d->insn)
		cs_free(d->insn, 1);
	cs_close(&d->capstone);
	memory_free(d);
}

/* What is common on x86-64 is not always so here, and 66 makes a near branch's distance short. */
static unsigned measure_i386(struct x86_decoder *d, const uint8_t *bytes, size_t size,
			     uint64_t address, const struct x86_opcode *o)
{
	const uint8_t *code = bytes;
	size_t left = size;

	if (cs_disasm_iter(d->capstone, &code, &left, &address, d->insn))
		return d->insn->size;
	return o->address32 ? 0 : x86_opcode_extra_length(bytes, size, o);
}

static unsigned measure(struct x86_decoder *d, const uint8_t *bytes, size_t size, uint64_t address,
			const struct x86_opcode *o)
{
	bool near_branch_66 = o->operand16 && o->encoding == X86_LEGACY &&
			      ((o->map == X86_MAP_LEGACY && (o->opcode & 0xfe) == 0xe8) ||
			       (o->map == X86_MAP_0F && (o->opcode & 0xf0) == 0x80));
	bool undefined = o->map == X86_MAP_0F && (o->opcode == 0xb9 || o->opcode == 0xff);
	unsigned common = x86_length_common(bytes, size, o);
	const uint8_t *code = bytes;
	size_t left = size;

	if (common)
		return common;
	if (near_branch_66 || undefined)
		return x86_opcode_extra_length(bytes, size, o);
	if (cs_disasm_iter(d->capstone, &code, &left, &address, d->insn))
		return d->insn->size;
	return x86_opcode_extra_length(bytes, size, o);
}

static uint8_t kind_legacy(uint8_t opcode, uint8_t modrm)
{
	if (opcode >= 0x70 && opcode <= 0x7f)
		return ISA_JUMP_CONDITIONAL;
	switch (opcode) {
	case 0xe0: /* loopne */
	case 0xe1: /* loope */
	case 0xe2: /* loop */
	case 0xe3: /* jrcxz */
		return ISA_JUMP_CONDITIONAL;
	case 0xe8:
		return ISA_CALL;
	case 0xe9:
	case 0xeb:
		return ISA_JUMP;
	case 0x9a: /* to another segment; i386 only, as is ea */
		return ISA_CALL_INDIRECT;
	case 0xea:
		return ISA_JUMP_INDIRECT;
	case 0xc2:
	case 0xc3:
	case 0xca:
	case 0xcb:
	case 0xcf: /* iret */
		return ISA_RETURN;
	case 0xcd: /* int n */
		return ISA_SYSCALL;
	case 0xcc: /* int3 */
	case 0xf4: /* hlt */
		return ISA_STOP;
	case 0xff:
		switch (modrm >> 3 & 7) {
		case 2:
		case 3:
			return ISA_CALL_INDIRECT;
		case 4:
		case 5:
			return ISA_JUMP_INDIRECT;
		}
	}
	return ISA_OTHER;
}

static uint8_t kind_0f(uint8_t opcode)
{
	if (opcode >= 0x80 && opcode <= 0x8f)
		return ISA_JUMP_CONDITIONAL;
	switch (opcode) {
	case 0x05: /* syscall */
	case 0x34: /* sysenter */
		return ISA_SYSCALL;
	case 0x0b: /* ud2 */
	case 0xb9: /* ud1 */
	case 0xff: /* ud0 */
		return ISA_STOP;
	}
	return ISA_OTHER;
}

static uint64_t direct_target(const struct x86_decoder *d, const uint8_t *bytes,
			      const struct isa_insn *insn, const struct x86_opcode *o)
{
	uint64_t next = insn->address + insn->length;
	bool is_short = d->i386 && o->operand16;
	int32_t displacement;
	int16_t word;

	if (o->map == X86_MAP_LEGACY && o->opcode != 0xe8 && o->opcode != 0xe9) {
		displacement = (int8_t)bytes[insn->length - 1];
	} else if (is_short) {
		memcpy(&word, bytes + insn->length - 2, 2);
		displacement = word;
	} else {
		memcpy(&displacement, bytes + insn->length - 4, 4);
	}
	next += (uint64_t)(int64_t)displacement;
	return is_short ? next & 0xffff : d->i386 ? next & UINT32_MAX : next;
}

/* lea 0(%esi),%esi in any length: what assemblers pad i386 code with. */
static bool is_lea_nop(const uint8_t *bytes, size_t length, const struct x86_opcode *o)
{
	size_t at = o->at + 1u;
	uint8_t modrm = bytes[at], base = modrm & 7;

	if (o->opcode != 0x8d || o->operand16 || o->address32 || modrm >> 6 == 3)
		return false;
	if (base == 4) { /* SIB: no index */
		at++;
		if (at >= length || (bytes[at] >> 3 & 7) != 4)
			return false;
		base = bytes[at] & 7;
	}
	for (at++; at < length; at++)
		if (bytes[at])
			return false;
	return (modrm >> 3 & 7) == base && !(modrm >> 6 == 0 && base == 5);
}

/* 90 (but not xchg r8,rax), 0f 1f, endbr64 are what compilers and linkers pad with. */
static bool is_nop(const uint8_t *bytes, const struct x86_opcode *o)
{
	if (o->encoding != X86_LEGACY)
		return false;
	if (o->map == X86_MAP_LEGACY)
		return o->opcode == 0x90 && !(o->rex & 1) && o->repeat != 0xf3;
	return o->map == X86_MAP_0F && o->opcode == 0x1f && (bytes[o->at + 1] >> 3 & 7) == 0;
}

bool x86_decode(struct x86_decoder *d, const uint8_t *bytes, size_t size, uint64_t address,
		struct isa_insn *out)
{
	struct x86_opcode o;
	unsigned length;

	if (!(d->i386 ? x86_opcode_scan_i386 : x86_opcode_scan)(bytes, size, &o))
		return false;
	length = (d->i386 ? measure_i386 : measure)(d, bytes, size, address, &o);
	if (!length || length > size)
		return false;
	*out = (struct isa_insn){.address = address, .length = (uint8_t)length};
	if (o.encoding == X86_LEGACY && o.map == X86_MAP_LEGACY)
		out->kind = kind_legacy(o.opcode, length > o.at + 1u ? bytes[o.at + 1] : 0);
	else if (o.encoding == X86_LEGACY && o.map == X86_MAP_0F)
		out->kind = kind_0f(o.opcode);
	if (out->kind == ISA_JUMP || out->kind == ISA_JUMP_CONDITIONAL || out->kind == ISA_CALL)
		out->target = direct_target(d, bytes, out, &o);
	else
		out->nop = (length > o.at + 0u && is_nop(bytes, &o)) ||
			   (d->i386 && length > o.at + 1u && is_lea_nop(bytes, length, &o));
	return true;
}
