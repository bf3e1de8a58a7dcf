/* SPDX-License-Identifier: MIT */
/*
 * A cursor over a binary's memory image, for what lies there in DWARF's encodings: .eh_frame and
 * .gcc_except_table (Linux Standard Base 5.0, "Exception Frames", DW_EH_PE_*). Little-endian. A
 * read where nothing is gives zeros and sets failed.
 */
#ifndef CONVERTER_BINARY_IMAGE_READER_H
#define CONVERTER_BINARY_IMAGE_READER_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "converter/binary/binary.h"

#define IMAGE_POINTER_OMIT     0xff
#define IMAGE_POINTER_INDIRECT 0x80

struct image_reader {
	const struct binary *binary;
	uint64_t va;
	bool failed;
};

uint64_t image_reader_fixed(struct image_reader *r, size_t bytes, bool is_signed);
uint64_t image_reader_leb128(struct image_reader *r, bool is_signed);
/* A pointer as its encoding says; 0 is none whatever it would be relative to. */
uint64_t image_reader_pointer(struct image_reader *r, uint8_t encoding);

#endif
