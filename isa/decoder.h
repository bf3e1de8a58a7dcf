/* SPDX-License-Identifier: MIT */
/* What a CPU's folder gives to isa/decoder.c, which chooses among them. */
#ifndef ISA_DECODER_H
#define ISA_DECODER_H

#include "isa/isa.h"
#include "isa/jump_table.h"
#include "isa/role.h"

struct x86_decoder;

/* For x86-64, or for i386. NULL without memory. */
struct x86_decoder *x86_decode_new(bool i386);
void x86_decode_free(struct x86_decoder *d);
bool x86_decode(struct x86_decoder *d, const uint8_t *bytes, size_t size, uint64_t address,
		struct isa_insn *out);
bool x86_jump_table_find(const struct isa_insn *insns, size_t count, size_t jump,
			 const uint8_t *bytes, struct isa_table *out);

struct isa_role_of x86_role_find(const uint8_t *bytes, size_t size);

bool aarch64_decode(const uint8_t *bytes, size_t size, uint64_t address, struct isa_insn *out);
bool aarch64_jump_table_find(const struct isa_insn *insns, size_t count, size_t jump,
			     const uint8_t *bytes, struct isa_table *out);

#endif
