/* SPDX-License-Identifier: MIT */
/*
 * Compilation units: which code each covers, which functions it has. .debug_aranges is not used,
 * since clang does not write it.
 */
#include <dwarf.h>
#include <string.h>

#include "base/file.h"
#include "base/memory.h"
#include "converter/debuginfo/debuginfo_private.h"

/* Does this producer encode base discriminator and duplication factor in one number? */
static bool is_llvm(struct dwarf_unit *u)
{
	static const char *const marks[] = {"clang", "LLVM", "flang", "Swift"};
	struct die own;
	const char *producer = NULL;

	if (die_at_top(u, &own))
		producer = die_string(&own, DIE_PRODUCER);
	for (size_t i = 0; producer && i < sizeof(marks) / sizeof(*marks); i++)
		if (strstr(producer, marks[i]))
			return true;
	return false;
}

static struct producer producer_of(struct dwarf_unit *u)
{
	struct die own;

	return die_at_top(u, &own) ? producer_read(die_string(&own, DIE_PRODUCER),
						   die_number(&own, DIE_LANGUAGE, 0))
				   : producer_read(NULL, 0);
}

/* May a function be defined inside this? */
static bool is_container(int tag)
{
	switch (tag) {
	case DW_TAG_compile_unit:
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

static int add_function(struct unit *u, struct die *e)
{
	bool any;

	if (!die_read(e))
		return 0;
	if (debuginfo_ranges_add(&u->function_ranges, e, (uint32_t)u->functions.count, &any))
		return -1;
	if (any) {
		uint64_t *slot = vector_push(&u->functions);

		if (!slot)
			return -1;
		*slot = die_offset(e);
	}
	return 0;
}

static int find_functions(struct unit *u)
{
	unsigned depth = 0;
	bool into;
	struct die e;

	die_at(u->tree, u->tree->entries, &e);
	do {
		int tag = die_tag(&e);

		if (tag == DW_TAG_subprogram && add_function(u, &e))
			return -1;
		into = is_container(tag);
	} while (die_step(&e, into, &depth));
	return 0;
}

static int index_functions(struct debuginfo *d, struct unit *u)
{
	struct dwarf_unit *split;

	if (u->indexed)
		return 0;
	u->indexed = true;
	u->tree = u->own;
	if (debuginfo_split_of(d, u->own, &split, &u->no_split))
		return -1;
	if (split)
		u->tree = split;
	u->llvm = is_llvm(u->tree);
	u->producer = producer_of(u->tree);
	if (find_functions(u))
		return -1;
	debuginfo_ranges_sort(&u->function_ranges);
	return 0;
}

static int read_lines(struct debuginfo *d, struct unit *u)
{
	const char *const *file;
	uint64_t offset;
	struct die own;

	if (!die_at_top(u->own, &own) || !die_section_offset(&own, DIE_STMT_LIST, &offset))
		return 0;
	if (dwarf_lines_read(u->own, offset, &u->lines))
		return -1;
	u->unreadable = u->lines.damaged;
	vector_each (&u->lines.files, file) {
		uint32_t *number = vector_push(&u->file_names);

		if (!number)
			return -1;
		*number = strings_add_text(d->strings, *file);
		if (*number == STRINGS_NONE)
			return -1;
	}
	return 0;
}

int debuginfo_read_unit(struct debuginfo *d, struct unit *u)
{
	if (u->read)
		return 0;
	u->read = true;
	return read_lines(d, u) ? -1 : index_functions(d, u);
}

/* A unit that does not say which code it covers covers what its functions do. */
static int add_ranges_of_functions(struct debuginfo *d, struct unit *u, uint32_t number)
{
	const struct debuginfo_range *one;

	if (index_functions(d, u))
		return -1;
	vector_each (&u->function_ranges.list, one) {
		struct debuginfo_range *copy = vector_push(&d->unit_ranges.list);

		if (!copy)
			return -1;
		*copy = *one;
		copy->owner = number;
	}
	return 0;
}

static int add_unit(struct debuginfo *d, struct dwarf_unit *own)
{
	uint32_t number = (uint32_t)d->units.count;
	const char *name;
	struct die e;
	struct unit *u;
	bool any;
	int tag;

	if (!die_at_top(own, &e))
		return 0;
	tag = die_tag(&e);
	if (tag != DW_TAG_compile_unit && tag != DW_TAG_skeleton_unit)
		return 0;
	u = vector_push(&d->units);
	if (!u)
		return -1;
	u->own = own;
	name = die_string(&e, DIE_NAME);
	u->file = name ? strings_add_text(d->strings, file_base_name(name)) : 0;
	if (u->file == STRINGS_NONE)
		return -1;
	if (debuginfo_ranges_add(&d->unit_ranges, &e, number, &any))
		return -1;
	return any ? 0 : add_ranges_of_functions(d, u, number);
}

uint32_t debuginfo_unit_at(const struct debuginfo *d, uint64_t address)
{
	const struct debuginfo_range *one = debuginfo_ranges_from(&d->unit_ranges, address),
				     *end = debuginfo_ranges_end(&d->unit_ranges);

	for (; one < end && one->begin <= address; one++)
		if (address < one->end)
			return one->owner;
	return DEBUGINFO_NONE;
}

uint32_t debuginfo_unit_file(const struct debuginfo *d, uint32_t unit)
{
	return d->units.items[unit].file;
}

int debuginfo_find_units(struct debuginfo *d)
{
	struct dwarf_unit *own;

	vector_each (&d->dwarf.units, own)
		if (add_unit(d, own))
			return -1;
	debuginfo_ranges_sort(&d->unit_ranges);
	return 0;
}
