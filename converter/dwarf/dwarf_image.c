/* SPDX-License-Identifier: MIT */
/*
 * ELF-64 Object File Format 1.5: a header, the section headers, their names, their bytes. Libraries
 * tell 32-bit code from 64-bit code by the headers of the units, so that the class is always
 * ELF-64.
 */
#include "converter/dwarf/dwarf_image.h"

#include <libelf.h>
#include <stdio.h>
#include <string.h>

#include "base/memory.h"

#define NAME_BYTES 32 /* per section: ".debug_str_offsets" and a NUL fit */
/* The section without a number, then ours, then their names. */
#define HEADERS	    (DWARF_SECTIONS + 2)
#define NAMES	    (DWARF_SECTIONS + 1)
#define NAMES_BYTES ((size_t)HEADERS * NAME_BYTES)
#define NAMES_AT    (sizeof(Elf64_Ehdr) + HEADERS * sizeof(Elf64_Shdr))
#define BYTES_AT    (NAMES_AT + NAMES_BYTES)

/* So that every section begins where an address may. */
static size_t aligned(size_t bytes)
{
	return (bytes + 15) & ~(size_t)15;
}

static void image_put(struct dwarf_image *image, size_t offset, void *what, size_t bytes,
		      Elf_Type type)
{
	unsigned order = image->bytes[EI_DATA];
	Elf_Data from = {.d_buf = what, .d_size = bytes, .d_type = type, .d_version = EV_CURRENT};
	Elf_Data to = from;

	to.d_buf = image->bytes + offset;
	elf64_xlatetof(&to, &from, order);
}

static void put_section(struct dwarf_image *image, size_t number, Elf64_Shdr h)
{
	h.sh_name = (Elf64_Word)(number * NAME_BYTES);
	h.sh_addralign = 1;
	image_put(image, sizeof(Elf64_Ehdr) + number * sizeof(h), &h, sizeof(h), ELF_T_SHDR);
}

static void put_header(struct dwarf_image *image, bool big_endian)
{
	Elf64_Ehdr h = {
		.e_type = ET_EXEC,
		.e_version = EV_CURRENT,
		.e_shoff = sizeof(Elf64_Ehdr),
		.e_ehsize = sizeof(Elf64_Ehdr),
		.e_shentsize = sizeof(Elf64_Shdr),
		.e_shnum = HEADERS,
		.e_shstrndx = NAMES,
	};

	memcpy(h.e_ident, ELFMAG, SELFMAG);
	h.e_ident[EI_CLASS] = ELFCLASS64;
	h.e_ident[EI_DATA] = big_endian ? ELFDATA2MSB : ELFDATA2LSB;
	h.e_ident[EI_VERSION] = EV_CURRENT;
	image->bytes[EI_DATA] = h.e_ident[EI_DATA];
	image_put(image, 0, &h, sizeof(h), ELF_T_EHDR);
}

int dwarf_image_init(struct dwarf_image *image, const size_t sizes[DWARF_SECTIONS], bool big_endian)
{
	size_t at = BYTES_AT;

	*image = (struct dwarf_image){.size = BYTES_AT};
	for (int i = 0; i < DWARF_SECTIONS; i++)
		if (sizes[i] > SIZE_MAX / 2 - image->size - 16)
			return -1;
		else
			image->size += aligned(sizes[i]);
	image->bytes = memory_resize_array(NULL, image->size, 1);
	if (!image->bytes)
		return -1;
	memset(image->bytes, 0, BYTES_AT);
	elf_version(EV_CURRENT);
	put_header(image, big_endian);
	for (size_t i = 0; i < DWARF_SECTIONS; i++) {
		Elf64_Shdr h = {.sh_type = sizes[i] ? SHT_PROGBITS : SHT_NOBITS,
				.sh_offset = at,
				.sh_size = sizes[i]};

		put_section(image, i + 1, h);
		snprintf((char *)image->bytes + NAMES_AT + (i + 1) * NAME_BYTES, NAME_BYTES,
			 ".debug_%s", dwarf_section_name((enum dwarf_section)i));
		image->at[i] = image->bytes + at;
		at += aligned(sizes[i]);
	}
	put_section(
		image, NAMES,
		(Elf64_Shdr){.sh_type = SHT_STRTAB, .sh_offset = NAMES_AT, .sh_size = NAMES_BYTES});
	return 0;
}

void dwarf_image_drop(struct dwarf_image *image, enum dwarf_section s)
{
	put_section(image, (size_t)s + 1, (Elf64_Shdr){.sh_type = SHT_NOBITS});
}
