/* SPDX-License-Identifier: MIT */
/*
 * Relocatable objects (kernel modules, .o files) as if they were linked: every section that is in
 * memory at the address that equals its offset in the file, which is how recordings and their text
 * forms name places in such a file. ELF-64 Object File Format 1.5, ELF 1.2; relocations of the
 * System V ABI for AMD64 and i386, and of ELF for the Arm 64-bit and 32-bit Architectures.
 */
#ifndef CONVERTER_ELF_RELOCATE_H
#define CONVERTER_ELF_RELOCATE_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

/* Is that a relocatable little-endian object? */
bool relocate_is_needed(const uint8_t *bytes, size_t size);
/* A copy of such a file with addresses of sections and symbols set and relocations applied, to be
 * freed with memory_free; NULL without memory. What is damaged stays as it is. */
uint8_t *relocate_object(const uint8_t *bytes, size_t size);

#endif
