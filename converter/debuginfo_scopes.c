/* SPDX-License-Identifier: MIT */
/* The tree of inlined calls of one function. */
#include "converter/debuginfo_private.h"

#include <dwarf.h>
#include <string.h>

#include "base/memory.h"

/* Of GCC and LLVM alike; no standard has it, nor does every dwarf.h. */
#define AT_GNU_DISCRIMINATOR 0x2136

static uint64_t number_of(Dwarf_Attribute *attribute)
{
	Dwarf_Word value;

	return attribute && !dwarf_formudata(attribute, &value) ? value : 0;
}

static int32_t line_of(Dwarf_Attribute *attribute)
{
	uint64_t line = number_of(attribute);

	return line <= INT32_MAX ? (int32_t)line : 0;
}

/* Linkage name, else name: each looked for through abstract origin and specification. */
static const char *name_of(Dwarf_Die *die)
{
	static const unsigned int kinds[] = {DW_AT_linkage_name, DW_AT_MIPS_linkage_name,
					     DW_AT_name};
	Dwarf_Attribute attribute;

	for (size_t i = 0; i < sizeof(kinds) / sizeof(*kinds); i++) {
		const char *name = dwarf_formstring(
			dwarf_attr_integrate(die, kinds[i], &attribute));

		if (name)
			return name;
	}
	return "";
}

static const char *base_name(const char *path)
{
	const char *slash = path ? strrchr(path, '/') : NULL;

	return slash ? slash + 1 : path ? path : "";
}

/* Name, file and line of the definition @die. -1 without memory. */
static int describe(struct debuginfo *d, Dwarf_Die *die, struct debuginfo_scope *scope)
{
	struct map_entry *known = map_at(&d->origins, (uintptr_t)die->addr, 0);
	Dwarf_Attribute attribute;

	if (!known)
		return -1;
	if (!known->n) {
		uint32_t name = strings_add_text(d->strings, name_of(die));
		uint32_t file = strings_add_text(d->strings, base_name(dwarf_decl_file(die)));
		int32_t line = line_of(dwarf_attr_integrate(die, DW_AT_decl_line, &attribute));

		if (name == STRINGS_NONE || file == STRINGS_NONE)
			return -1;
		known->n = (uint64_t)name << 32 | (uint32_t)line | 1ull << 31;
		known->m = file;
	}
	scope->name = (uint32_t)(known->n >> 32);
	scope->decl_line = (int32_t)(known->n & INT32_MAX);
	scope->file = (uint32_t)known->m;
	return 0;
}

static int add_scope(struct debuginfo *d, Dwarf_Die *die, uint32_t parent,
		     struct debuginfo_function *out, struct owned_ranges *ranges, bool *any)
{
	uint32_t number = (uint32_t)out->scopes.count;
	struct debuginfo_scope *scope;
	Dwarf_Attribute attribute;
	Dwarf_Die origin, *of = die;

	/* Inlined calls of one function share its abstract DIE: describe that. */
	if (parent != DEBUGINFO_NONE && dwarf_attr(die, DW_AT_abstract_origin, &attribute) &&
	    dwarf_formref_die(&attribute, &origin))
		of = &origin;
	if (owned_ranges_add_die(ranges, die, number, any))
		return -1;
	scope = vector_push(&out->scopes);
	if (!scope || describe(d, of, scope))
		return -1;
	scope->parent = parent;
	if (parent != DEBUGINFO_NONE) {
		scope->call_line = line_of(dwarf_attr(die, DW_AT_call_line, &attribute));
		scope->call_discriminator = (uint32_t)number_of(
			dwarf_attr(die, AT_GNU_DISCRIMINATOR, &attribute));
	}
	return 0;
}

static int add_children(struct debuginfo *d, Dwarf_Die *of, uint32_t parent,
			struct debuginfo_function *out, struct owned_ranges *ranges, unsigned depth)
{
	Dwarf_Die die;

	if (depth > DEBUGINFO_DEEPEST || dwarf_child(of, &die))
		return 0;
	do {
		uint32_t inner = parent;
		bool any = true;

		switch (dwarf_tag(&die)) {
		case DW_TAG_inlined_subroutine:
			inner = (uint32_t)out->scopes.count;
			if (add_scope(d, &die, parent, out, ranges, &any))
				return -1;
			break;
		case DW_TAG_lexical_block:
		case DW_TAG_try_block:
		case DW_TAG_catch_block:
			break;
		default:
			continue;
		}
		if (add_children(d, &die, inner, out, ranges, depth + 1))
			return -1;
	} while (!dwarf_siblingof(&die, &die));
	return 0;
}

int debuginfo_add_scopes(struct debuginfo *d, Dwarf_Die *die, struct debuginfo_function *out,
			 struct owned_ranges *ranges)
{
	uint32_t number = (uint32_t)out->scopes.count;

	if (add_scope(d, die, DEBUGINFO_NONE, out, ranges, NULL))
		return -1;
	return add_children(d, die, number, out, ranges, 0);
}
