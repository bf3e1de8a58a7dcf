/* SPDX-License-Identifier: MIT */
/* An ELF file in memory that holds debug sections and nothing else, for libdw to read. */
#ifndef CONVERTER_DWARF_DWARF_IMAGE_H
#define CONVERTER_DWARF_DWARF_IMAGE_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "converter/dwarf/dwarf.h"

struct dwarf_image {
	uint8_t *bytes; /* to be freed with memory_free */
	size_t size;
	uint8_t *at[DWARF_SECTIONS]; /* where the bytes of each are to be written */
};

/* With sections of @sizes bytes, 0 for those that it doesn't have. -1 without memory. */
int dwarf_image_init(struct dwarf_image *image, const size_t sizes[DWARF_SECTIONS],
		     bool big_endian);
/* Section @s is not there after all. */
void dwarf_image_drop(struct dwarf_image *image, enum dwarf_section s);

#endif
