/* SPDX-License-Identifier: MIT */
/*
 * Relocatable objects (kernel modules, .o files) as if they were linked: every section that is in
 * memory at the address that equals its offset in the file, which is how recordings and their text
 * forms name places in such a file. ELF-64 Object File Format 1.5, ELF 1.2; relocations of the
 * System V ABI for AMD64 and i386, and of ELF for the Arm 64-bit and 32-bit Architectures.
 */
#include "converter/elf/elf_file.h"

#include <endian.h>
#include <libelf.h>
#include <string.h>

#include "base/memory.h"

/* Where symbols of other files are taken to be: behind everything that is here. */
#define ELSEWHERE_BYTES (64u << 20)

struct object {
	uint8_t *bytes;
	size_t size;
	bool elf32;
	uint16_t machine;
	uint64_t table; /* offset of the section headers */
	size_t sections;
};

/* The used parts of a relocation; its addend is in the field if the section has none. */
struct relocation {
	uint64_t offset, symbol, addend;
	uint32_t type;
};

/* How a relocation's field is filled in. */
enum field { FIELD_NONE, FIELD_64, FIELD_32, FIELD_RELATIVE_64, FIELD_RELATIVE_32, FIELD_CALL_26 };

bool relocate_is_needed(const uint8_t *bytes, size_t size)
{
	Elf32_Ehdr h; /* begins as Elf64_Ehdr does */

	if (size < sizeof(h))
		return false;
	memcpy(&h, bytes, sizeof(h));
	return !memcmp(h.e_ident, ELFMAG, SELFMAG) &&
	       (h.e_ident[EI_CLASS] == ELFCLASS64 || h.e_ident[EI_CLASS] == ELFCLASS32) &&
	       h.e_ident[EI_DATA] == ELFDATA2LSB && le16toh(h.e_type) == ET_REL;
}

/* Bytes of the file, or NULL. */
static uint8_t *at(const struct object *o, uint64_t offset, uint64_t size)
{
	return offset <= o->size && size <= o->size - offset ? o->bytes + offset : NULL;
}

static size_t header_bytes(const struct object *o)
{
	return o->elf32 ? sizeof(Elf32_Shdr) : sizeof(Elf64_Shdr);
}

static size_t symbol_bytes(const struct object *o)
{
	return o->elf32 ? sizeof(Elf32_Sym) : sizeof(Elf64_Sym);
}

static bool section(const struct object *o, size_t number, Elf64_Shdr *out)
{
	size_t size = header_bytes(o);
	const uint8_t *p = number < o->sections ? at(o, o->table + number * size, size) : NULL;
	Elf32_Shdr h;

	if (!p)
		return false;
	if (!o->elf32) {
		memcpy(out, p, sizeof(*out));
		return true;
	}
	memcpy(&h, p, sizeof(h));
	*out = (Elf64_Shdr){.sh_type = h.sh_type,
			    .sh_flags = h.sh_flags,
			    .sh_addr = h.sh_addr,
			    .sh_offset = h.sh_offset,
			    .sh_size = h.sh_size,
			    .sh_link = h.sh_link,
			    .sh_info = h.sh_info};
	return true;
}

/* Write a field of 4 or 8 bytes, as the class has it. */
static void relocate_put(const struct object *o, uint64_t where, uint64_t value)
{
	uint8_t *p = at(o, where, o->elf32 ? 4 : 8);

	if (p)
		memcpy(p, &value, o->elf32 ? 4 : 8);
}

/* Sections get addresses; those without bytes come behind the file. */
static void place_sections(struct object *o)
{
	uint64_t behind = (o->size | 0xfff) + 1;
	size_t field = o->elf32 ? offsetof(Elf32_Shdr, sh_addr) : offsetof(Elf64_Shdr, sh_addr);

	for (size_t i = 1; i < o->sections; i++) {
		Elf64_Shdr h;

		if (!section(o, i, &h) || !(h.sh_flags & SHF_ALLOC))
			continue;
		h.sh_addr = h.sh_offset;
		if (h.sh_type == SHT_NOBITS) {
			h.sh_addr = behind;
			behind += h.sh_size < o->size ? (h.sh_size | 0xf) + 1 : 0;
		}
		relocate_put(o, o->table + i * header_bytes(o) + field, h.sh_addr);
	}
}

/* False if the table ends before it. */
static bool symbol(const struct object *o, const Elf64_Shdr *table, uint64_t number, Elf64_Sym *out)
{
	size_t size = symbol_bytes(o);
	const uint8_t *p = NULL;
	Elf32_Sym s;

	if (number < table->sh_size / size)
		p = at(o, table->sh_offset + number * size, size);
	if (!p)
		return false;
	if (!o->elf32) {
		memcpy(out, p, sizeof(*out));
		return true;
	}
	memcpy(&s, p, sizeof(s));
	*out = (Elf64_Sym){.st_shndx = s.st_shndx, .st_value = s.st_value};
	return true;
}

/* Symbols of sections in memory become addresses. */
static void place_symbols(struct object *o, const Elf64_Shdr *table)
{
	size_t field = o->elf32 ? offsetof(Elf32_Sym, st_value) : offsetof(Elf64_Sym, st_value);
	Elf64_Sym s;

	for (uint64_t i = 1; symbol(o, table, i, &s); i++) {
		Elf64_Shdr its;

		if (s.st_shndx == SHN_UNDEF || s.st_shndx >= SHN_LORESERVE ||
		    !section(o, s.st_shndx, &its) || !(its.sh_flags & SHF_ALLOC))
			continue;
		relocate_put(o, table->sh_offset + i * symbol_bytes(o) + field,
			     s.st_value + its.sh_addr);
	}
}

static const struct {
	uint16_t machine;
	uint16_t type;
	enum field field;
} known[] = {
	{EM_X86_64, R_X86_64_64, FIELD_64},
	{EM_X86_64, R_X86_64_32, FIELD_32},
	{EM_X86_64, R_X86_64_32S, FIELD_32},
	{EM_X86_64, R_X86_64_PC64, FIELD_RELATIVE_64},
	{EM_X86_64, R_X86_64_PC32, FIELD_RELATIVE_32},
	{EM_X86_64, R_X86_64_PLT32, FIELD_RELATIVE_32},
	{EM_AARCH64, R_AARCH64_ABS64, FIELD_64},
	{EM_AARCH64, R_AARCH64_ABS32, FIELD_32},
	{EM_AARCH64, R_AARCH64_PREL64, FIELD_RELATIVE_64},
	{EM_AARCH64, R_AARCH64_PREL32, FIELD_RELATIVE_32},
	{EM_AARCH64, R_AARCH64_CALL26, FIELD_CALL_26},
	{EM_AARCH64, R_AARCH64_JUMP26, FIELD_CALL_26},
	{EM_386, R_386_32, FIELD_32},
	{EM_386, R_386_PC32, FIELD_RELATIVE_32},
	{EM_386, R_386_PLT32, FIELD_RELATIVE_32},
	{EM_ARM, R_ARM_ABS32, FIELD_32},
};

static enum field field_of(uint16_t machine, uint32_t type)
{
	for (size_t i = 0; i < sizeof(known) / sizeof(known[0]); i++)
		if (known[i].machine == machine && known[i].type == type)
			return known[i].field;
	return FIELD_NONE;
}

static void relocate_fill(uint8_t *p, size_t room, enum field how, uint64_t value, uint64_t place)
{
	uint32_t word;

	if (how == FIELD_RELATIVE_64 || how == FIELD_RELATIVE_32 || how == FIELD_CALL_26)
		value -= place;
	if (how == FIELD_64 || how == FIELD_RELATIVE_64) {
		if (room >= 8)
			memcpy(p, &value, 8);
		return;
	}
	if (room < 4)
		return;
	memcpy(&word, p, 4);
	word = how == FIELD_CALL_26 ? (word & 0xfc000000) | (value >> 2 & 0x03ffffff)
				    : (uint32_t)value;
	memcpy(p, &word, 4);
}

static uint64_t value_of(const struct object *o, const Elf64_Shdr *symbols, uint64_t number)
{
	Elf64_Sym s;

	if (!symbol(o, symbols, number, &s) || s.st_shndx == SHN_UNDEF || s.st_shndx == SHN_COMMON)
		return o->size + ELSEWHERE_BYTES;
	return s.st_value;
}

static size_t relocation_bytes(const struct object *o, bool addends)
{
	if (o->elf32)
		return addends ? sizeof(Elf32_Rela) : sizeof(Elf32_Rel);
	return addends ? sizeof(Elf64_Rela) : sizeof(Elf64_Rel);
}

/* The addend of a relocation that has none of its own. */
static uint64_t addend_in_place(const uint8_t *p, size_t room, enum field how)
{
	int32_t word = 0;
	uint64_t wide = 0;

	if (how == FIELD_64 || how == FIELD_RELATIVE_64) {
		if (room >= 8)
			memcpy(&wide, p, 8);
		return wide;
	}
	if (room >= 4 && how != FIELD_CALL_26)
		memcpy(&word, p, 4);
	return (uint64_t)(int64_t)word;
}

static struct relocation read_relocation(const struct object *o, const uint8_t *p, bool addends)
{
	Elf64_Rela r = {0};
	Elf32_Rela small = {0};

	if (!o->elf32) {
		memcpy(&r, p, relocation_bytes(o, addends));
		return (struct relocation){r.r_offset, ELF64_R_SYM(r.r_info), (uint64_t)r.r_addend,
					   (uint32_t)ELF64_R_TYPE(r.r_info)};
	}
	memcpy(&small, p, relocation_bytes(o, addends));
	return (struct relocation){small.r_offset, ELF32_R_SYM(small.r_info),
				   (uint64_t)(int64_t)small.r_addend, ELF32_R_TYPE(small.r_info)};
}

static void relocate(struct object *o, const Elf64_Shdr *relocations)
{
	bool addends = relocations->sh_type == SHT_RELA;
	size_t size = relocation_bytes(o, addends);
	Elf64_Shdr target, symbols;
	uint8_t *bytes;

	if (!section(o, relocations->sh_info, &target) ||
	    !section(o, relocations->sh_link, &symbols) || target.sh_flags & SHF_COMPRESSED ||
	    target.sh_type == SHT_NOBITS)
		return;
	bytes = at(o, target.sh_offset, target.sh_size);
	for (uint64_t i = 0; bytes && i < relocations->sh_size / size; i++) {
		const uint8_t *p = at(o, relocations->sh_offset + i * size, size);
		struct relocation r;
		enum field how;
		uint64_t room;

		if (!p)
			return;
		r = read_relocation(o, p, addends);
		how = field_of(o->machine, r.type);
		if (how == FIELD_NONE || r.offset >= target.sh_size)
			continue;
		room = target.sh_size - r.offset;
		if (!addends)
			r.addend = addend_in_place(bytes + r.offset, room, how);
		relocate_fill(bytes + r.offset, room, how,
			      value_of(o, &symbols, r.symbol) + r.addend,
			      target.sh_addr + r.offset);
	}
}

/* False if there are no sections to be found. */
static bool read_header(struct object *o)
{
	Elf64_Shdr h;
	size_t entry;

	o->elf32 = o->bytes[EI_CLASS] == ELFCLASS32;
	if (o->elf32) {
		Elf32_Ehdr header;

		memcpy(&header, o->bytes, sizeof(header));
		o->machine = header.e_machine;
		o->table = header.e_shoff;
		o->sections = header.e_shnum;
		entry = header.e_shentsize;
	} else {
		Elf64_Ehdr header;

		if (o->size < sizeof(header))
			return false;
		memcpy(&header, o->bytes, sizeof(header));
		o->machine = header.e_machine;
		o->table = header.e_shoff;
		o->sections = header.e_shnum;
		entry = header.e_shentsize;
	}
	if (entry != header_bytes(o) || o->table > o->size)
		return false;
	if (o->sections)
		return true;
	o->sections = 1; /* too many for the header: the first section says */
	if (section(o, 0, &h))
		o->sections = h.sh_size < o->size / entry ? (size_t)h.sh_size : 0;
	return o->sections;
}

uint8_t *relocate_object(const uint8_t *bytes, size_t size)
{
	struct object o = {.size = size};
	Elf64_Shdr h;

	o.bytes = memory_resize_array(NULL, size, 1);
	if (!o.bytes)
		return NULL;
	memcpy(o.bytes, bytes, size);
	if (!read_header(&o))
		return o.bytes;
	place_sections(&o);
	for (size_t i = 1; i < o.sections; i++)
		if (section(&o, i, &h) && h.sh_type == SHT_SYMTAB)
			place_symbols(&o, &h);
	for (size_t i = 1; i < o.sections; i++)
		if (section(&o, i, &h) && (h.sh_type == SHT_RELA || h.sh_type == SHT_REL))
			relocate(&o, &h);
	return o.bytes;
}
