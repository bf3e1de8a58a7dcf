/* SPDX-License-Identifier: MIT */
/*
 * Compilation units: which code each covers, which functions it has. .debug_aranges is not used,
 * since clang does not write it.
 */
#include <dwarf.h>
#include <stdio.h>
#include <string.h>

#include "base/file.h"
#include "base/memory.h"
#include "converter/debuginfo/debuginfo_private.h"
#include "converter/dwarf/dwarf.h"

static bool accept_package(void *context, const char *path)
{
	struct debuginfo *d = context;
	struct elf_file *f = elf_file_open_split(path, NULL);

	if (f && !dwarf_load_split(f, &d->package_sections) &&
	    dwarf_package_is(&d->package_sections.sections)) {
		d->package = f;
		return true;
	}
	if (f)
		dwarf_load_split_deinit(&d->package_sections);
	d->package_sections = (struct dwarf_load_split){0};
	elf_file_close(f);
	return false;
}

/* BINARY.dwp, or that of its debug file. */
static void find_package(struct debuginfo *d)
{
	const char *paths[] = {d->from.path, elf_file_path(d->from.file)};

	if (d->package_searched)
		return;
	d->package_searched = true;
	for (size_t i = 0; i < 2 && !d->package; i++) {
		char *path = memory_format("%s.dwp", paths[i]);

		if (path)
			debug_search_path(d->from.search, path, accept_package, d);
		memory_free(path);
	}
	if (d->package)
		debug_notes_add(d->from.notes, "split debug information of %s: %s", d->from.path,
				elf_file_path(d->package));
}

static int from_package(struct debuginfo *d, struct dwarf_unit *skeleton, struct dwarf_file **out)
{
	find_package(d);
	return d->package ? dwarf_package_unit(&d->package_sections.sections, skeleton, out) : 0;
}

struct wanted {
	struct debuginfo *d;
	struct dwarf_unit *skeleton;
	struct dwarf_file **out;
	bool no_memory;
};

static bool accept_split(void *context, const char *path)
{
	struct wanted *w = context;
	struct elf_file *f = elf_file_open_split(path, NULL);
	struct dwarf_load_split all;

	if (!f)
		return false;
	w->no_memory |= dwarf_load_split(f, &all) ||
			dwarf_package_unit(&all.sections, w->skeleton, w->out);
	dwarf_load_split_deinit(&all);
	elf_file_close(f);
	if (*w->out && !w->d->splits_found++)
		debug_notes_add(w->d->from.notes, "split debug information of %s: %s and others",
				w->d->from.path, path);
	return *w->out;
}

/* @path is freed; NULL: without memory. */
static bool try_split_take(struct wanted *w, char *path)
{
	bool taken = path && debug_search_path(w->d->from.search, path, accept_split, w);

	memory_free(path);
	return taken;
}

static int from_split_file(struct debuginfo *d, struct dwarf_unit *skeleton, const char *name,
			   const char *directory, struct dwarf_file **out)
{
	char *beside = debug_search_directory(d->from.path);
	const char *slash = strrchr(name, '/');
	struct wanted w = {.d = d, .skeleton = skeleton, .out = out};
	bool found;

	if (*name == '/')
		found = debug_search_path(d->from.search, name, accept_split, &w);
	else
		found = (directory &&
			 try_split_take(&w, memory_format("%s/%s", directory, name))) ||
			(beside && try_split_take(&w, memory_format("%s/%s", beside, name)));
	if (!found && beside)
		try_split_take(&w, memory_format("%s/%s", beside, slash ? slash + 1 : name));
	memory_free(beside);
	return w.no_memory && !*out ? -1 : 0;
}

static int find_split(struct debuginfo *d, struct dwarf_unit *skeleton, const struct die *own,
		      struct dwarf_unit **split)
{
	struct dwarf_file *file = NULL, **slot;
	int rc = from_package(d, skeleton, &file);

	if (!rc && !file)
		rc = from_split_file(d, skeleton, die_string(own, DIE_DWO_NAME),
				     die_string(own, DIE_COMP_DIR), &file);
	if (!file)
		return rc;
	slot = vector_push(&d->splits);
	if (!slot) {
		dwarf_package_unit_free(file);
		return -1;
	}
	*slot = file;
	*split = dwarf_file_unit_with_id(file, skeleton->id);
	return 0;
}

/* *split = the unit that @skeleton stands for; NULL if it is no skeleton, or *missing. -1 without
 * memory. */
static int debuginfo_split_of(struct debuginfo *d, struct dwarf_unit *skeleton,
			      struct dwarf_unit **split, bool *missing)
{
	struct die own;

	*missing = false;
	*split = NULL;
	if (!skeleton->id || !die_at_top(skeleton, &own) || !die_string(&own, DIE_DWO_NAME))
		return 0;
	if (find_split(d, skeleton, &own, split))
		return -1;
	if (!*split && !d->splits_missing++)
		debug_notes_add(d->from.notes,
				"%s of %s is not found (nor %s.dwp): its inlined calls stay "
				"unknown; keep the .dwo files, or see --path-prefix",
				die_string(&own, DIE_DWO_NAME), d->from.path, d->from.path);
	*missing = !*split;
	return 0;
}

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
		if (vector_add(&u->functions, die_offset(e)))
			return -1;
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
		uint32_t number = strings_add_text(d->strings, *file);

		if (number == STRINGS_NONE || vector_add(&u->file_names, number))
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

/* The number of the whole path of a unit's source; 0: it has none. STRINGS_NONE without memory. */
static uint32_t add_path(struct debuginfo *d, struct die *e, const char *name)
{
	const char *directory = die_string(e, DIE_COMP_DIR);
	char path[4096];

	if (!name)
		return 0;
	if (*name == '/' || !directory)
		return strings_add_text(d->strings, name);
	if (snprintf(path, sizeof(path), "%s/%s", directory, name) >= (int)sizeof(path))
		return 0;
	return strings_add_text(d->strings, path);
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
	u->name = name ? strings_add_text(d->strings, name) : 0;
	u->path = add_path(d, &e, name);
	if (u->file == STRINGS_NONE || u->name == STRINGS_NONE || u->path == STRINGS_NONE)
		return -1;
	if (debuginfo_ranges_add(&d->unit_ranges, &e, number, &any))
		return -1;
	return any ? 0 : add_ranges_of_functions(d, u, number);
}

static const struct unit *unit_at(const struct debuginfo *d, uint64_t address)
{
	uint32_t unit = debuginfo_unit_at(d, address);

	return unit == DEBUGINFO_NONE ? NULL : &d->units.items[unit];
}

const char *debuginfo_source_path(const struct debuginfo *d, uint64_t address)
{
	const struct unit *u = unit_at(d, address);

	return u && u->path ? strings_text(d->strings, u->path) : NULL;
}

const char *debuginfo_source_name(const struct debuginfo *d, uint64_t address)
{
	const struct unit *u = unit_at(d, address);

	return u && u->name ? strings_text(d->strings, u->name) : NULL;
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
