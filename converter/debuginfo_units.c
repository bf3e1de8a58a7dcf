/* SPDX-License-Identifier: MIT */
/*
 * Compilation units: which code each covers, which functions it has. .debug_aranges is not used,
 * since clang does not write it.
 */
#include "converter/debuginfo_private.h"

#include <dwarf.h>
#include <string.h>

#include "base/memory.h"

/* Does this producer encode base discriminator and duplication factor in one number? */
static bool is_llvm(Dwarf_Die *unit)
{
	static const char *const marks[] = {"clang", "LLVM", "flang", "Swift"};
	Dwarf_Attribute attribute;
	const char *producer = dwarf_formstring(dwarf_attr(unit, DW_AT_producer, &attribute));

	for (size_t i = 0; producer && i < sizeof(marks) / sizeof(*marks); i++)
		if (strstr(producer, marks[i]))
			return true;
	return false;
}

/* May a function be defined inside this? */
static bool is_container(int tag)
{
	switch (tag) {
	case DW_TAG_namespace:
	case DW_TAG_module:
	case DW_TAG_subprogram:
	case DW_TAG_lexical_block:
	case DW_TAG_class_type:
	case DW_TAG_structure_type:
	case DW_TAG_union_type:
		return true;
	}
	return false;
}

static int add_function(struct unit *u, Dwarf_Die *die)
{
	bool any;

	if (owned_ranges_add_die(&u->function_ranges, die, (uint32_t)u->functions.count, &any))
		return -1;
	if (any) {
		Dwarf_Die *slot = vector_push(&u->functions);

		if (!slot)
			return -1;
		*slot = *die;
	}
	return 0;
}

static int find_functions(struct unit *u, Dwarf_Die *parent, unsigned depth)
{
	Dwarf_Die die;

	if (depth > DEBUGINFO_DEEPEST || dwarf_child(parent, &die))
		return 0;
	do {
		int tag = dwarf_tag(&die);

		if (tag == DW_TAG_subprogram && add_function(u, &die))
			return -1;
		if (is_container(tag) && find_functions(u, &die, depth + 1))
			return -1;
	} while (!dwarf_siblingof(&die, &die));
	return 0;
}

static int index_functions(struct unit *u)
{
	if (u->functions.count)
		return 0;
	if (find_functions(u, &u->tree, 0))
		return -1;
	owned_ranges_sort(&u->function_ranges);
	return 0;
}

int debuginfo_read_unit(struct unit *u)
{
	if (u->read)
		return 0;
	u->read = true;
	if (dwarf_getsrclines(&u->die, &u->lines, &u->line_count)) {
		u->line_count = 0;
		u->unreadable = dwarf_hasattr(&u->die, DW_AT_stmt_list);
	}
	return index_functions(u);
}

/* A unit that does not say which code it covers covers what its functions do. */
static int add_ranges_of_functions(struct debuginfo *d, struct unit *u, uint32_t number)
{
	const struct owned_range *one;

	if (index_functions(u))
		return -1;
	vector_each (&u->function_ranges.list, one) {
		struct owned_range *copy = vector_push(&d->unit_ranges.list);

		if (!copy)
			return -1;
		*copy = *one;
		copy->owner = number;
	}
	return 0;
}

static int add_unit(struct debuginfo *d, Dwarf_Die *die, Dwarf_Die *split)
{
	uint32_t number = (uint32_t)d->units.count;
	struct unit *u = vector_push(&d->units);
	bool any;

	if (!u)
		return -1;
	u->die = *die;
	u->tree = dwarf_tag(split) == DW_TAG_compile_unit ? *split : *die;
	u->llvm = is_llvm(&u->tree);
	if (owned_ranges_add_die(&d->unit_ranges, die, number, &any))
		return -1;
	return any ? 0 : add_ranges_of_functions(d, u, number);
}

int debuginfo_find_units(struct debuginfo *d)
{
	Dwarf_CU *cu = NULL;
	Dwarf_Die die, split;
	uint8_t type;

	while (!dwarf_get_units(d->dwarf, cu, &cu, NULL, &type, &die, &split)) {
		int tag = dwarf_tag(&die);

		if (tag != DW_TAG_compile_unit && tag != DW_TAG_skeleton_unit)
			continue;
		if (add_unit(d, &die, &split))
			return -1;
	}
	owned_ranges_sort(&d->unit_ranges);
	return 0;
}
