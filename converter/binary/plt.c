/* SPDX-License-Identifier: MIT */
/*
 * Names of PLT stubs: each stub jumps through a GOT slot, and the dynamic relocation of that slot
 * names the symbol (System V ABI, AMD64 supplement, 5.2; ELF for the Arm 64-bit Architecture).
 * Stubs whose slot has no symbol (the resolver's own, IRELATIVE ones) stay without a name, as in
 * BOLT.
 */
#include <endian.h>
#include <gelf.h>
#include <string.h>

#include "base/error.h"
#include "base/map.h"
#include "base/order.h"
#include "converter/binary/binary_private.h"

#define AARCH64_BTI_C  0xd503245f
#define AARCH64_BR_X17 0xd61f0220

/* With or without an addend, which is in the slot then. */
static bool get_relocation(Elf_Data *data, int i, GElf_Rela *out)
{
	GElf_Rel r;

	if (data->d_type == ELF_T_RELA)
		return gelf_getrela(data, i, out);
	if (!gelf_getrel(data, i, &r))
		return false;
	*out = (GElf_Rela){r.r_offset, r.r_info, 0};
	return true;
}

/* GOT slot -> n = number of the symbol's name. */
static int read_slots_of(struct binary *b, Elf *elf, Elf_Scn *scn, const GElf_Shdr *header,
			 struct map *slots)
{
	Elf_Data *relocations = elf_getdata(scn, NULL);
	Elf_Scn *symbols_scn = elf_getscn(elf, header->sh_link);
	Elf_Data *symbols = elf_getdata(symbols_scn, NULL);
	GElf_Shdr symbols_header;
	size_t count;

	if (!relocations || !relocations->d_buf ||
	    (relocations->d_type != ELF_T_RELA && relocations->d_type != ELF_T_REL) || !symbols ||
	    !symbols->d_buf || !gelf_getshdr(symbols_scn, &symbols_header) ||
	    symbols_header.sh_type != SHT_DYNSYM)
		return 0;
	count = relocations->d_size / gelf_fsize(elf, relocations->d_type, 1, EV_CURRENT);
	for (size_t i = 0; i < count && i <= INT32_MAX; i++) {
		struct map_entry *slot;
		const char *name;
		GElf_Rela r;
		GElf_Sym s;

		if (!get_relocation(relocations, (int)i, &r) || !GELF_R_SYM(r.r_info) ||
		    GELF_R_SYM(r.r_info) > INT32_MAX ||
		    !gelf_getsym(symbols, (int)GELF_R_SYM(r.r_info), &s))
			continue;
		name = elf_strptr(elf, symbols_header.sh_link, s.st_name);
		if (!name || !*name)
			continue;
		slot = map_at(slots, r.r_offset, 0);
		if (!slot)
			return -1;
		slot->n = strings_add_text(b->names, name);
		if (slot->n == STRINGS_NONE)
			return -1;
	}
	return 0;
}

static int read_slots(struct binary *b, Elf *elf, struct map *slots)
{
	Elf_Scn *scn = NULL;
	GElf_Shdr header;

	while ((scn = elf_nextscn(elf, scn)))
		if (gelf_getshdr(scn, &header) &&
		    (header.sh_type == SHT_RELA || header.sh_type == SHT_REL) &&
		    header.sh_flags & SHF_ALLOC && read_slots_of(b, elf, scn, &header, slots))
			return -1;
	return 0;
}

/* Where i386's %ebx points to in position-independent code: _GLOBAL_OFFSET_TABLE_. */
static uint64_t offset_table(const struct binary *b)
{
	const struct binary_section *s = binary_section_named(b, ".got.plt");

	if (!s)
		s = binary_section_named(b, ".got");
	return s ? s->begin : 0;
}

/*
 * The slot that an indirect jump reads, behind any prefixes: `jmp *disp(%rip)`, ff 25 disp32. On
 * i386 that is `jmp *address`, and `jmp *disp(%ebx)`, ff a3 disp32, is the position-independent
 * one.
 */
static bool slot_of_jump(const struct binary *b, const struct isa_insn *insn, uint64_t *slot)
{
	const uint8_t *bytes = binary_bytes(b, insn->address, insn->length);
	const uint8_t *opcode;
	int32_t displacement;

	if (insn->kind != ISA_JUMP_INDIRECT || !bytes || insn->length < 6)
		return false;
	opcode = bytes + insn->length - 6;
	if (opcode[0] != 0xff || (opcode[1] != 0x25 && opcode[1] != 0xa3))
		return false;
	memcpy(&displacement, opcode + 2, 4);
	if (b->machine == EM_386) {
		*slot = opcode[1] == 0x25 ? (uint32_t)displacement
					  : offset_table(b) + (uint64_t)(int64_t)displacement;
		return true;
	}
	if (opcode[1] != 0x25)
		return false;
	*slot = insn->address + insn->length + (uint64_t)(int64_t)displacement;
	return true;
}

static int add_stub(struct binary *b, uint64_t begin, uint64_t end, const char *name)
{
	struct binary_plt_stub *stub = vector_push(&b->plt_stubs);
	uint32_t number;
	char *text = memory_format("%s@PLT", name);

	if (!stub || !text) {
		memory_free(text);
		return -1;
	}
	number = strings_add_text(b->names, text);
	memory_free(text);
	if (number == STRINGS_NONE)
		return -1;
	*stub = (struct binary_plt_stub){begin, end, strings_text(b->names, number)};
	return 0;
}

/*
 * AArch64: `[bti c] adrp x16,page; ldr x17,[x16,#slot]; add x16,x16,#slot; ...; br x17`, of 16
 * bytes or more. The table's own head has no symbol at its slot.
 */
static int read_aarch64_stubs(struct binary *b, const struct binary_section *s,
			      const struct map *slots)
{
	uint64_t begin = 0, slot = 0;

	for (uint64_t at = s->begin; at + 8 <= s->end; at += 4) {
		const uint8_t *bytes = binary_bytes(b, at, 8);
		uint32_t word, next;
		uint64_t page;

		if (!bytes)
			break;
		memcpy(&word, bytes, 4);
		memcpy(&next, bytes + 4, 4);
		word = le32toh(word);
		next = le32toh(next);
		if (word == AARCH64_BTI_C)
			begin = at;
		if ((word & 0x9f00001f) == 0x90000010 && (next & 0xffc003ff) == 0xf9400211) {
			page = (uint64_t)(word >> 5 & 0x7ffff) << 2 | (word >> 29 & 3);
			page = (uint64_t)((int64_t)(page << 43) >> 43) << 12;
			slot = (at & ~0xfffull) + page + (next >> 10 & 0xfff) * 8;
			if (begin + 4 != at || !begin)
				begin = at;
		}
		if (slot && next == AARCH64_BR_X17) {
			const struct map_entry *named = map_find(slots, slot, 0);

			if (named &&
			    add_stub(b, begin, at + 8, strings_text(b->names, (uint32_t)named->n)))
				return -1;
			slot = begin = 0;
		}
	}
	return 0;
}

/* One stub per entry of @entry bytes; it ends with its jump. */
static int read_stubs(struct binary *b, const struct binary_section *s, const struct map *slots,
		      uint64_t entry)
{
	for (uint64_t begin = s->begin; begin < s->end; begin += entry) {
		uint64_t at = begin, slot;
		struct isa_insn insn;

		while (at < begin + entry && binary_decode(b, at, &insn) &&
		       !isa_is_branch(insn.kind))
			at += insn.length;
		if (at < begin + entry && binary_decode(b, at, &insn) &&
		    slot_of_jump(b, &insn, &slot)) {
			const struct map_entry *named = map_find(slots, slot, 0);

			if (named && add_stub(b, begin, begin + entry,
					      strings_text(b->names, (uint32_t)named->n)))
				return -1;
		}
	}
	return 0;
}

/* .plt.got and .plt.sec hold 8-byte entries, or 16-byte ones where they begin with endbr64. */
static uint64_t entry_bytes(struct binary *b, const struct binary_section *s)
{
	struct isa_insn insn;

	if (strcmp(s->name, ".plt") && binary_decode(b, s->begin, &insn) &&
	    insn.kind == ISA_JUMP_INDIRECT)
		return 8;
	return 16;
}

ORDER_BY(compare_stubs, struct binary_plt_stub, ORDER_UP(begin));

int plt_read(struct binary *b, Elf *elf, struct softlbr_error *e)
{
	static const char *const sections[] = {".plt", ".plt.sec", ".plt.got"};
	struct map slots = {0};
	int rc = isa_decoder_is_known(b->machine) ? read_slots(b, elf, &slots) : 0;

	for (size_t i = 0; i < sizeof(sections) / sizeof(*sections) && !rc && slots.count; i++) {
		const struct binary_section *s = binary_section_named(b, sections[i]);

		if (s && s->code && s->end - s->begin <= b->view.size && s->end < UINT64_MAX - 16)
			rc = b->machine == EM_AARCH64 ? read_aarch64_stubs(b, s, &slots)
						      : read_stubs(b, s, &slots, entry_bytes(b, s));
	}
	map_deinit(&slots);
	vector_sort(&b->plt_stubs, compare_stubs);
	return rc ? error_set_nomem(e) : 0;
}
