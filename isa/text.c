/* SPDX-License-Identifier: MIT */
/* Instructions as Capstone prints them: those of x86-64 and i386 in AT&T's syntax. */
#include "isa/text.h"

#include <capstone/capstone.h>
#include <elf.h>
#include <stdio.h>

#include "base/memory.h"
#include "isa/isa.h"

struct isa_text {
	csh capstone;
	cs_insn *insn;
	bool of_words; /* instructions are words of 4 bytes, little-endian */
};

static bool open_capstone(struct isa_text *t, uint16_t elf_machine)
{
	if (elf_machine == EM_AARCH64)
		return cs_open(CS_ARCH_ARM64, CS_MODE_LITTLE_ENDIAN, &t->capstone) == CS_ERR_OK;
	if (cs_open(CS_ARCH_X86, elf_machine == EM_386 ? CS_MODE_32 : CS_MODE_64, &t->capstone) !=
	    CS_ERR_OK)
		return false;
	cs_option(t->capstone, CS_OPT_SYNTAX, CS_OPT_SYNTAX_ATT);
	return true;
}

struct isa_text *isa_text_new(uint16_t elf_machine)
{
	struct isa_text *t;

	if (!isa_decoder_is_known(elf_machine))
		return NULL;
	t = memory_alloc(sizeof(*t));
	if (!t)
		return NULL;
	t->of_words = elf_machine == EM_AARCH64;
	if (!open_capstone(t, elf_machine)) {
		memory_free(t);
		return NULL;
	}
	t->insn = cs_malloc(t->capstone);
	if (!t->insn) {
		isa_text_free(t);
		return NULL;
	}
	return t;
}

void isa_text_free(struct isa_text *t)
{
	if (!t)
		return;
	if (t->insn)
		cs_free(t->insn, 1);
	cs_close(&t->capstone);
	memory_free(t);
}

/* What Capstone does not know still is an instruction, if all have the same length. */
static bool write_word(const uint8_t *bytes, size_t size, char *room, size_t room_bytes)
{
	if (size < 4)
		return false;
	snprintf(room, room_bytes, ".inst 0x%02x%02x%02x%02x", bytes[3], bytes[2], bytes[1],
		 bytes[0]);
	return true;
}

bool isa_text_write(struct isa_text *t, const uint8_t *bytes, size_t size, uint64_t address,
		    char *room, size_t room_bytes)
{
	if (!cs_disasm_iter(t->capstone, &bytes, &size, &address, t->insn))
		return t->of_words && write_word(bytes, size, room, room_bytes);
	snprintf(room, room_bytes, "%s%s%s", t->insn->mnemonic, t->insn->op_str[0] ? " " : "",
		 t->insn->op_str);
	return true;
}
