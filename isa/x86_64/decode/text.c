/* SPDX-License-Identifier: MIT */
/* Instructions of x86-64 and i386 as Capstone prints them, in AT&T's syntax. */
#include "isa/text.h"

#include <elf.h>
#include <stdio.h>
#include <stdlib.h>

#include "base/memory.h"
#include "isa/x86_64/decode/capstone.h"

struct isa_text {
	csh capstone;
	cs_insn *insn;
};

struct isa_text *isa_text_new(uint16_t elf_machine)
{
	struct isa_text *t;

	if (elf_machine != EM_X86_64 && elf_machine != EM_386)
		return NULL;
	t = memory_alloc(sizeof(*t));
	if (!t)
		return NULL;
	capstone_be_silent();
	if (capstone_open(elf_machine == EM_386, &t->capstone) != CS_ERR_OK) {
		memory_free(t);
		return NULL;
	}
	cs_option(t->capstone, CS_OPT_SYNTAX, CS_OPT_SYNTAX_ATT);
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

/* Decoders share Capstone's way of printing, and print nothing. */
static bool print(struct isa_text *t, const uint8_t *bytes, size_t size, uint64_t address)
{
	static const cs_opt_mem printing = {malloc, calloc, realloc, free, vsnprintf};
	bool good;

	cs_option(0, CS_OPT_MEM, (size_t)&printing);
	good = cs_disasm_iter(t->capstone, &bytes, &size, &address, t->insn);
	capstone_be_silent();
	return good;
}

bool isa_text_write(struct isa_text *t, const uint8_t *bytes, size_t size, uint64_t address,
		    char *room, size_t room_bytes)
{
	if (!print(t, bytes, size, address))
		return false;
	snprintf(room, room_bytes, "%s%s%s", t->insn->mnemonic, t->insn->op_str[0] ? " " : "",
		 t->insn->op_str);
	return true;
}
