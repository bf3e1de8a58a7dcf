/* SPDX-License-Identifier: MIT */
/* The handle that libdw has of a file, and the file's units (DWARF 5, 7.5.1). */
#include "converter/dwarf/dwarf_open.h"

#include <dwarf.h>
#include <string.h>

#include "base/memory.h"
#include "converter/dwarf/die.h"
#include "converter/dwarf/dwarf_image.h"

static bool is_of_code(uint8_t type)
{
	return type != DW_UT_type && type != DW_UT_split_type;
}

/* What the unit's own DIE says of the rest. */
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
	if (!is_of_code(type))
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
