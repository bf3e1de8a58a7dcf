/* SPDX-License-Identifier: MIT */
/* An address in code as people read it: by symbol. */
#pragma once

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "converter/binary/binary.h"

/*
 * "main+0x1f" or "printf@PLT"; of code without a symbol, or without its binary (NULL), "0x1234" or,
 * with the path of its module, "libfoo.so+0x1234"; "(outside)" for BRANCH_OUTSIDE. Is there a
 * linkage name in it?
 */
bool code_place_text(const struct binary *b, const char *module, uint64_t va, char *room,
		     size_t size);
