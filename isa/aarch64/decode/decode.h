/* SPDX-License-Identifier: MIT */
/* What isa/decoder.c asks of AArch64. */
#pragma once

#include "isa/isa.h"

bool aarch64_decode(const uint8_t *bytes, size_t size, uint64_t address, struct isa_insn *out);
void aarch64_decode_forget_place(uint8_t *bytes, size_t size);
bool aarch64_jump_table_find(const struct isa_insn *insns, size_t count, size_t jump,
			     const uint8_t *bytes, struct isa_table *out);
