/* SPDX-License-Identifier: MIT */
/* What isa/decoder.c asks of each CPU: x86-64 and i386, and AArch64. */
#pragma once

#include "isa/isa.h"
#include "isa/x86_64/decode/layout.h"

bool x86_decode(const uint8_t *bytes, size_t size, uint64_t address, bool i386,
		struct isa_insn *out);
/* Where a direct branch or call goes; 0: it is none. */
uint64_t x86_decode_target(const struct x86_layout *l, uint64_t address);
struct isa_role_of x86_decode_role(const uint8_t *bytes, size_t size);
void x86_decode_forget_place(uint8_t *bytes, size_t size, bool i386);
bool x86_jump_table_find(const struct isa_insn *insns, size_t count, size_t jump,
			 const uint8_t *bytes, struct isa_table *out);

bool aarch64_decode(const uint8_t *bytes, size_t size, uint64_t address, struct isa_insn *out);
void aarch64_decode_forget_place(uint8_t *bytes, size_t size);
bool aarch64_jump_table_find(const struct isa_insn *insns, size_t count, size_t jump,
			     const uint8_t *bytes, struct isa_table *out);
