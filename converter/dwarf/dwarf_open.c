/* SPDX-License-Identifier: MIT */
/*
 * Opening what dwarf.h describes: libdw's handle of a file, and the file's units (DWARF 5, 7.5.1).
 * Sections alone are put into an ELF file in memory, which holds nothing else, for libdw to read.
 */
#include "converter/dwarf/dwarf.h"

#include <dwarf.h>
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

/* The rest, from the unit's own DIE. */
static void read_top(struct dwarf_unit *u)
{
	struct die top;

	if (!die_at_top(u, &top))
		return;
	die_address(&top, DIE_LOW_PC, &u->low_pc);
	die_section_offset(&top, DIE_ADDR_BASE, &u->addr_base);
	die_section_offset(&top, DIE_RANGES_BASE, &u->ranges_base);
}

/*
 * Add the unit whose header was at @u->offset; 1 if it is damaged. libdw 0.188 believes any size of
 * an address: refused here, before it makes a unit of it.
 */
static int add_unit(struct dwarf_file *f, struct dwarf_unit *u)
{
	struct dwarf_unit *slot;
	uint8_t type;

	if (u->version < 2 || u->version > 5 || (u->address_size != 4 && u->address_size != 8) ||
	    u->end > f->sections.of[DWARF_INFO].size || u->entries >= u->end ||
	    !dwarf_offdie(f->handle, u->entries, &u->top))
		return 1;
	if (dwarf_cu_info(u->top.cu, NULL, &type, NULL, NULL, &u->id, NULL, NULL))
		return 1;
	if (type == DW_UT_type || type == DW_UT_split_type) /* no code's */
		return 0;
	slot = vector_push(&f->units);
	if (!slot)
		return -1;
	*slot = *u;
	read_top(slot);
	return 0;
}

static int read_units(void *context)
{
	struct dwarf_file *f = context;
	Dwarf_Off offset = 0, next;
	size_t header;
	int rc = 0;

	for (; !rc; offset = next) {
		struct dwarf_unit u = {.file = f, .offset = offset};

		if (dwarf_next_unit(f->handle, offset, &next, &header, &u.version, NULL,
				    &u.address_size, &u.offset_size, NULL, NULL) ||
		    next <= offset)
			return 0;
		u.entries = offset + header;
		u.end = next;
		rc = add_unit(f, &u);
	}
	return rc < 0 ? -1 : 0;
}

int dwarf_open(struct dwarf_file *f, Elf *elf, uint8_t *image)
{
	f->elf = elf;
	f->image = image;
	if (!f->sections.of[DWARF_INFO].size || !f->sections.of[DWARF_ABBREV].size)
		return 0;
	f->handle = dwarf_begin_elf(elf, DWARF_C_READ, NULL);
	if (!f->handle)
		return 0;
	dwarf_new_oom_handler(f->handle, dwarf_guard_leave);
	return dwarf_guard(read_units, f);
}

int dwarf_open_sections(struct dwarf_file *f)
{
	size_t sizes[DWARF_SECTIONS];
	struct dwarf_image image;
	Elf *elf;

	for (int i = 0; i < DWARF_SECTIONS; i++)
		sizes[i] = f->sections.of[i].size;
	if (dwarf_image_init(&image, sizes, f->sections.big_endian))
		return -1;
	for (int i = 0; i < DWARF_SECTIONS; i++) {
		if (sizes[i])
			memcpy(image.at[i], f->sections.of[i].data, sizes[i]);
		f->sections.of[i].data = image.at[i];
	}
	elf = elf_memory((char *)image.bytes, image.size);
	if (!elf) {
		memory_free(image.bytes);
		return -1;
	}
	return dwarf_open(f, elf, image.bytes);
}

void dwarf_close(struct dwarf_file *f)
{
	dwarf_end(f->handle);
	elf_end(f->elf);
	memory_free(f->image);
	vector_deinit(&f->units);
}
