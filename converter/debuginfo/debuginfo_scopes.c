/* SPDX-License-Identifier: MIT */
/* The tree of inlined calls of one function. */
#include <dwarf.h>
#include <string.h>

#include "base/memory.h"
#include "converter/debuginfo/debuginfo_private.h"

/* How far abstract origins and specifications are followed; damaged ones can go in circles. */
#define MOST_REFERENCES 16

static int32_t line_of(const struct dwarf_entry *e, enum dwarf_attribute a)
{
	uint64_t line = dwarf_entry_number(e, a, 0);

	return line <= INT32_MAX ? (int32_t)line : 0;
}

/* Go on to what @e is an instance or a definition of. */
static bool refer(struct dwarf_entry *e)
{
	struct dwarf_entry next;

	if (!dwarf_entry_referred(e, DWARF_ORIGIN, &next) &&
	    !dwarf_entry_referred(e, DWARF_SPECIFICATION, &next))
		return false;
	*e = next;
	return true;
}

/* The files of a unit's line table; NULL without (or without memory). */
static const struct dwarf_lines *files_of(struct debuginfo *d, struct dwarf_unit *u)
{
	struct dwarf_lines *files, **slot;
	struct map_entry *known;
	struct dwarf_entry own;

	if (!dwarf_entry_at(u, u->entries, &own))
		return NULL;
	if (!dwarf_has(&own, DWARF_STMT_LIST))
		return u->skeleton ? files_of(d, u->skeleton) : NULL;
	known = map_at(&d->files_at, (uintptr_t)u->file, own.values[DWARF_STMT_LIST].value);
	if (!known || known->n)
		return known ? d->files.items[known->n - 1] : NULL;
	files = memory_alloc(sizeof(*files));
	slot = files ? vector_push(&d->files) : NULL;
	if (!slot) {
		memory_free(files);
		return NULL;
	}
	*slot = files;
	known->n = d->files.count;
	dwarf_lines_read_files(u, own.values[DWARF_STMT_LIST].value, files);
	return files;
}

static const char *file_of(struct debuginfo *d, const struct dwarf_entry *e)
{
	const struct dwarf_lines *l = files_of(d, e->unit);
	uint64_t number = e->values[DWARF_DECL_FILE].value;

	return l && number < l->files.count ? l->files.items[number] : "";
}

struct description {
	const char *name, *linkage_name, *file;
	int32_t line;
};

/* Each from the nearest of @e, its abstract origin and specification that has it. */
static struct description describe_entry(struct debuginfo *d, struct dwarf_entry *e)
{
	struct description all = {0};
	unsigned references = 0;

	do {
		if (!all.linkage_name)
			all.linkage_name = dwarf_entry_string(e, DWARF_LINKAGE_NAME);
		if (!all.name)
			all.name = dwarf_entry_string(e, DWARF_NAME);
		if (!all.file && dwarf_has(e, DWARF_DECL_FILE))
			all.file = file_of(d, e);
		if (!all.line)
			all.line = line_of(e, DWARF_DECL_LINE);
	} while (references++ < MOST_REFERENCES && refer(e));
	return all;
}

/* Name, file and line of the definition @e, which is used up. -1 without memory. */
static int describe(struct debuginfo *d, struct dwarf_entry *e, struct debuginfo_scope *scope)
{
	struct map_entry *known = map_at(&d->origins, (uintptr_t)e->unit->file, e->offset);

	if (!known)
		return -1;
	if (!known->n) {
		struct description all = describe_entry(d, e);
		const char *name = all.linkage_name ? all.linkage_name : all.name;
		uint32_t name_number = strings_add_text(d->strings, name ? name : "");
		uint32_t file_number = strings_add_text(d->strings, all.file ? all.file : "");

		if (name_number == STRINGS_NONE || file_number == STRINGS_NONE)
			return -1;
		known->n = (uint64_t)name_number << 32 | (uint32_t)all.line | 1ull << 31;
		known->m = file_number;
	}
	scope->name = (uint32_t)(known->n >> 32);
	scope->decl_line = (int32_t)(known->n & INT32_MAX);
	scope->file = (uint32_t)known->m;
	return 0;
}

static int add_scope(struct debuginfo *d, const struct dwarf_entry *e, uint32_t parent,
		     struct debuginfo_function *out, struct owned_ranges *ranges)
{
	uint32_t number = (uint32_t)out->scopes.count;
	struct debuginfo_scope *scope;
	struct dwarf_entry of;

	/* Inlined calls of one function share its abstract entry: describe that. */
	if (parent == DEBUGINFO_NONE || !dwarf_entry_referred(e, DWARF_ORIGIN, &of))
		of = *e;
	if (debuginfo_ranges_add(ranges, e, number, NULL))
		return -1;
	scope = vector_push(&out->scopes);
	if (!scope || describe(d, &of, scope))
		return -1;
	scope->parent = parent;
	if (parent != DEBUGINFO_NONE) {
		scope->call_line = line_of(e, DWARF_CALL_LINE);
		scope->call_discriminator = (uint32_t)dwarf_entry_number(e, DWARF_DISCRIMINATOR, 0);
	}
	return 0;
}

/* Inlined calls are inside blocks and each other; everything else in a function is skipped. */
static int add_children(struct debuginfo *d, const struct dwarf_entry *of, uint32_t number,
			struct debuginfo_function *out, struct owned_ranges *ranges)
{
	uint32_t parents[DEBUGINFO_DEEPEST] = {number};
	size_t at = of->next, depth = 0;
	struct dwarf_entry e;

	for (;;) {
		uint32_t inner = parents[depth];
		bool enter = false;

		if (!at || !dwarf_entry_at(of->unit, at, &e))
			return 0;
		if (!e.tag) {
			if (!depth--)
				return 0;
			at = e.next;
			continue;
		}
		if (e.tag == DW_TAG_inlined_subroutine) {
			inner = (uint32_t)out->scopes.count;
			if (add_scope(d, &e, parents[depth], out, ranges))
				return -1;
			enter = e.children;
		} else if (e.tag == DW_TAG_lexical_block || e.tag == DW_TAG_try_block ||
			   e.tag == DW_TAG_catch_block) {
			enter = e.children;
		}
		if (enter && depth + 1 < DEBUGINFO_DEEPEST) {
			parents[++depth] = inner;
			at = e.next;
		} else {
			at = dwarf_entry_after(&e);
		}
	}
}

int debuginfo_add_scopes(struct debuginfo *d, struct dwarf_unit *u, size_t offset,
			 struct debuginfo_function *out, struct owned_ranges *ranges)
{
	uint32_t number = (uint32_t)out->scopes.count;
	struct dwarf_entry e;

	if (!dwarf_entry_at(u, offset, &e))
		return 0;
	if (add_scope(d, &e, DEBUGINFO_NONE, out, ranges))
		return -1;
	return e.children ? add_children(d, &e, number, out, ranges) : 0;
}
