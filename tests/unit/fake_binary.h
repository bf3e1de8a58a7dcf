/* SPDX-License-Identifier: MIT */
/*
 * A binary whose addresses are file offsets plus a bias, in place of converter/binary/binary.c and
 * what needs a real one.
 */
#pragma once

#include "base/error.h"
#include "converter/binary/binary.h"
#include "converter/samples/aggregate_private.h"

struct binary {
	const char *path;
	struct build_id build_id;
	uint64_t bias, size;
};

const char *binary_path(const struct binary *b)
{
	return b->path;
}

const struct build_id *binary_build_id(const struct binary *b)
{
	return &b->build_id;
}

bool linux_kernel_is_name_of(const struct binary *b, const char *name)
{
	(void)b;
	(void)name;
	return false;
}

uint64_t linux_kernel_map_to_va(const struct binary *b, const char *name, uint64_t start,
				uint64_t file_offset, uint64_t address)
{
	(void)name;
	return address - start + file_offset + b->bias;
}

uint64_t binary_offset_to_va(const struct binary *b, uint64_t offset)
{
	return offset + b->bias;
}

bool binary_is_code(const struct binary *b, uint64_t va)
{
	return va >= b->bias && va < b->bias + b->size;
}

const uint8_t *binary_code(const struct binary *b, uint64_t va, size_t *size)
{
	static const uint8_t code;

	*size = binary_is_code(b, va) ? b->bias + b->size - va : 0;
	return *size ? &code : NULL;
}

/* All is branches, of one byte each. */
bool binary_decode(struct binary *b, uint64_t va, struct isa_insn *out)
{
	*out = (struct isa_insn){.address = va, .length = 1, .kind = ISA_JUMP};
	return binary_is_code(b, va);
}

/* Profiles as text have tests and a fuzz target of their own. */
int text_input_read(struct binary *b, enum profile_kind kind, const uint8_t *data, size_t size,
		    const char *name, bool any_build, struct text_input *out,
		    struct softlbr_error *e)
{
	(void)b;
	(void)kind;
	(void)data;
	(void)size;
	(void)any_build;
	(void)out;
	return error_set(e, SOFTLBR_E_INPUT, name, "%s is not read here", name);
}

void text_input_deinit(struct text_input *t)
{
	(void)t;
}

int callgrind_modules_read(const uint8_t *data, size_t size, const char *name,
			   struct modules *modules, struct map *taken, struct softlbr_error *e)
{
	(void)data;
	(void)size;
	(void)modules;
	(void)taken;
	return error_set(e, SOFTLBR_E_INPUT, name, "%s is not read here", name);
}
