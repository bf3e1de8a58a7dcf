/* SPDX-License-Identifier: MIT */
#include "converter/object_file.h"

#include <endian.h>
#include <libelf.h>
#include <string.h>

#include "base/memory.h"

/* Where symbols of other files are taken to be: behind everything that is here. */
#define ELSEWHERE_BYTES (64u << 20)

struct object {
	uint8_t *bytes;
	size_t size;
	uint16_t machine;
	uint64_t table; /* offset of the section headers */
	size_t sections;
};

/* How a relocation's field is filled in. */
enum field { FIELD_NONE, FIELD_64, FIELD_32, FIELD_RELATIVE_64, FIELD_RELATIVE_32, FIELD_CALL_26 };

bool object_file_is(const uint8_t *bytes, size_t size)
{
	Elf64_Ehdr h;

	if (size < sizeof(h))
		return false;
	memcpy(&h, bytes, sizeof(h));
	return !memcmp(h.e_ident, ELFMAG, SELFMAG) && h.e_ident[EI_CLASS] == ELFCLASS64 &&
	       h.e_ident[EI_DATA] == ELFDATA2LSB && le16toh(h.e_type) == ET_REL;
}

/* Bytes of the file, or NULL. */
static uint8_t *at(const struct object *o, uint64_t offset, uint64_t size)
{
	return offset <= o->size && size <= o->size - offset ? o->bytes + offset : NULL;
}

static bool section(const struct object *o, size_t number, Elf64_Shdr *out)
{
	const uint8_t *p = number < o->sections
				   ? at(o, o->table + number * sizeof(*out), sizeof(*out))
				   : NULL;

	if (p)
		memcpy(out, p, sizeof(*out));
	return p;
}

/* Sections get addresses; those without bytes come behind the file. */
static void place_sections(struct object *o)
{
	uint64_t behind = (o->size | 0xfff) + 1;

	for (size_t i = 1; i < o->sections; i++) {
		Elf64_Shdr h;

		if (!section(o, i, &h) || !(h.sh_flags & SHF_ALLOC))
			continue;
		h.sh_addr = h.sh_offset;
		if (h.sh_type == SHT_NOBITS) {
			h.sh_addr = behind;
			behind += h.sh_size < o->size ? (h.sh_size | 0xf) + 1 : 0;
		}
		memcpy(o->bytes + o->table + i * sizeof(h), &h, sizeof(h));
	}
}

static uint64_t elsewhere(const struct object *o)
{
	return o->size + ELSEWHERE_BYTES;
}

/* Symbols of sections in memory become addresses. */
static void place_symbols(struct object *o, const Elf64_Shdr *table)
{
	for (uint64_t i = 1; i < table->sh_size / sizeof(Elf64_Sym); i++) {
		uint8_t *p = at(o, table->sh_offset + i * sizeof(Elf64_Sym), sizeof(Elf64_Sym));
		Elf64_Shdr its;
		Elf64_Sym s;

		if (!p)
			return;
		memcpy(&s, p, sizeof(s));
		if (s.st_shndx == SHN_UNDEF || s.st_shndx >= SHN_LORESERVE ||
		    !section(o, s.st_shndx, &its) || !(its.sh_flags & SHF_ALLOC))
			continue;
		s.st_value += its.sh_addr;
		memcpy(p, &s, sizeof(s));
	}
}

static enum field field_x86_64(uint32_t type)
{
	switch (type) {
	case R_X86_64_64:
		return FIELD_64;
	case R_X86_64_32:
	case R_X86_64_32S:
		return FIELD_32;
	case R_X86_64_PC64:
		return FIELD_RELATIVE_64;
	case R_X86_64_PC32:
	case R_X86_64_PLT32:
		return FIELD_RELATIVE_32;
	}
	return FIELD_NONE;
}

static enum field field_aarch64(uint32_t type)
{
	switch (type) {
	case R_AARCH64_ABS64:
		return FIELD_64;
	case R_AARCH64_ABS32:
		return FIELD_32;
	case R_AARCH64_PREL64:
		return FIELD_RELATIVE_64;
	case R_AARCH64_PREL32:
		return FIELD_RELATIVE_32;
	case R_AARCH64_CALL26:
	case R_AARCH64_JUMP26:
		return FIELD_CALL_26;
	}
	return FIELD_NONE;
}

static void fill(uint8_t *p, size_t room, enum field how, uint64_t value, uint64_t place)
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
	const uint8_t *p = NULL;
	Elf64_Sym s;

	if (number < symbols->sh_size / sizeof(s))
		p = at(o, symbols->sh_offset + number * sizeof(s), sizeof(s));
	if (!p)
		return elsewhere(o);
	memcpy(&s, p, sizeof(s));
	return s.st_shndx == SHN_UNDEF || s.st_shndx == SHN_COMMON ? elsewhere(o) : s.st_value;
}

static void relocate(struct object *o, const Elf64_Shdr *relocations)
{
	Elf64_Shdr target, symbols;
	uint8_t *bytes;

	if (!section(o, relocations->sh_info, &target) ||
	    !section(o, relocations->sh_link, &symbols) || target.sh_flags & SHF_COMPRESSED ||
	    target.sh_type == SHT_NOBITS)
		return;
	bytes = at(o, target.sh_offset, target.sh_size);
	for (uint64_t i = 0; bytes && i < relocations->sh_size / sizeof(Elf64_Rela); i++) {
		const uint8_t *p = at(o, relocations->sh_offset + i * sizeof(Elf64_Rela),
				      sizeof(Elf64_Rela));
		enum field how;
		uint32_t type;
		Elf64_Rela r;

		if (!p)
			return;
		memcpy(&r, p, sizeof(r));
		type = (uint32_t)ELF64_R_TYPE(r.r_info);
		how = o->machine == EM_AARCH64 ? field_aarch64(type) : field_x86_64(type);
		if (how == FIELD_NONE || r.r_offset >= target.sh_size)
			continue;
		fill(bytes + r.r_offset, target.sh_size - r.r_offset, how,
		     value_of(o, &symbols, ELF64_R_SYM(r.r_info)) + (uint64_t)r.r_addend,
		     target.sh_addr + r.r_offset);
	}
}

uint8_t *object_file_link(const uint8_t *bytes, size_t size)
{
	struct object o = {.size = size};
	Elf64_Ehdr header;
	Elf64_Shdr h;

	memcpy(&header, bytes, sizeof(header));
	o.bytes = memory_resize_array(NULL, size, 1);
	if (!o.bytes)
		return NULL;
	memcpy(o.bytes, bytes, size);
	o.machine = header.e_machine;
	o.table = header.e_shoff;
	o.sections = header.e_shnum;
	if (header.e_shentsize != sizeof(h) || o.table > size)
		return o.bytes;
	if (!o.sections && at(&o, o.table, sizeof(h))) { /* too many for the header */
		memcpy(&h, o.bytes + o.table, sizeof(h));
		o.sections = h.sh_size < size / sizeof(h) ? (size_t)h.sh_size : 0;
	}
	place_sections(&o);
	for (size_t i = 1; i < o.sections; i++)
		if (section(&o, i, &h) && h.sh_type == SHT_SYMTAB)
			place_symbols(&o, &h);
	for (size_t i = 1; i < o.sections; i++)
		if (section(&o, i, &h) && h.sh_type == SHT_RELA)
			relocate(&o, &h);
	return o.bytes;
}
