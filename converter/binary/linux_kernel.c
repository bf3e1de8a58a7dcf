/* SPDX-License-Identifier: MIT */
/*
 * How recordings name the kernel and its modules, and where in their files an address is. perf's
 * maps of them are made up: "[kernel.kallsyms]_text" begins at run-time addresses and has the
 * run-time address of the symbol behind the bracket as its file offset; a module's ("[ext4]", or
 * the path of the .ko) begins with its .text, at offset 0.
 */
#include "converter/binary/binary.h"

#include <string.h>

#include "base/file.h"
#include "formats/model/branch_profile.h"

static const char image[] = "[kernel.kallsyms]", guest_image[] = "[guest.kernel.kallsyms]";

/* The text behind the bracket, if the name is the kernel's own map. */
static const char *symbol_of(const char *name)
{
	if (!strncmp(name, image, sizeof(image) - 1))
		return name + sizeof(image) - 1;
	if (!strncmp(name, guest_image, sizeof(guest_image) - 1))
		return name + sizeof(guest_image) - 1;
	return NULL;
}

/* Modules are written with - and _ alike. */
static bool same_module(const char *file, const char *name, size_t length)
{
	for (size_t i = 0; i < length; i++)
		if (file[i] != name[i] && !(file[i] == '-' && name[i] == '_'))
			return false;
	return !strncmp(file + length, ".ko", 3);
}

bool linux_kernel_is_name_of(const struct binary *b, const char *name)
{
	size_t length = strlen(name);
	uint64_t va;

	if (symbol_of(name))
		return binary_kernel_symbol(b, "_text", &va);
	if (!binary_is_object(b) || length < 3 || name[0] != '[' || name[length - 1] != ']')
		return false;
	return strlen(file_base_name(binary_path(b))) >= length - 2 &&
	       same_module(file_base_name(binary_path(b)), name + 1, length - 2);
}

static uint64_t code_or_nothing(const struct binary *b, uint64_t va)
{
	return binary_is_code(b, va) ? va : BRANCH_OUTSIDE;
}

uint64_t linux_kernel_map_to_va(const struct binary *b, const char *name, uint64_t start,
				uint64_t file_offset, uint64_t address)
{
	const char *symbol = symbol_of(name);
	const struct binary_section *text;
	uint64_t va;

	if (symbol && binary_kernel_symbol(b, *symbol ? symbol : "_text", &va))
		return code_or_nothing(b, address - file_offset + va);
	if (binary_is_object(b) && !file_offset) {
		text = binary_section_named(b, ".text");
		return text ? code_or_nothing(b, text->begin + (address - start)) : BRANCH_OUTSIDE;
	}
	return binary_offset_to_va(b, address - start + file_offset);
}
