/* SPDX-License-Identifier: MIT */
/*
 * Split DWARF: the functions of a skeleton unit are in a .dwo of its own, or together with others
 * in a .dwp, whose index says which bytes are whose (DWARF 5, 7.3.5; version 2 is GNU's of DWARF
 * 4).
 */
#include <dwarf.h>
#include <inttypes.h>
#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "base/memory.h"
#include "converter/debuginfo/debuginfo_private.h"

/* Section identifiers in the index. */
enum {
	INDEX_INFO = 1,
	INDEX_ABBREV = 3,
	INDEX_LINE = 4,
	INDEX_STR_OFFSETS = 6,
	INDEX_RNGLISTS = 8, /* version 5 */
};

struct wanted {
	uint64_t id;
	struct elf_file *found;
};

static struct dwarf_unit *unit_with_id(struct dwarf_file *f, uint64_t id)
{
	struct dwarf_unit *u;

	if (!f)
		return NULL;
	vector_each (&f->units, u)
		if (u->id == id)
			return u;
	return NULL;
}

/* ---- .dwp ---- */

static bool accept_package(void *context, const char *path)
{
	struct wanted *w = context;
	struct elf_file *f = elf_file_open_split(path, NULL);

	if (f && elf_file_dwarf(f) && elf_file_dwarf(f)->sections[DWARF_CU_INDEX].size) {
		w->found = f;
		return true;
	}
	elf_file_close(f);
	return false;
}

/* BINARY.dwp, or that of its debug file. */
static struct elf_file *package_of(struct debuginfo *d)
{
	const char *paths[] = {d->path, elf_file_path(d->file)};
	struct wanted w = {0};

	if (d->package_searched)
		return d->package;
	d->package_searched = true;
	for (size_t i = 0; i < 2 && !w.found; i++) {
		char *path;

		if (asprintf(&path, "%s.dwp", paths[i]) < 0)
			continue;
		debug_search_path(d->search, path, accept_package, &w);
		free(path);
	}
	d->package = w.found;
	if (d->package)
		debug_notes_add(d->notes, "split debug information of %s: %s", d->path,
				elf_file_path(d->package));
	return d->package;
}

struct package_index {
	const struct dwarf_file *file;
	uint64_t columns, rows, slots;
	uint64_t hashes, numbers, ids, offsets, sizes; /* where in the section */
};

static bool read_index(const struct dwarf_file *f, struct package_index *x)
{
	struct cursor c = dwarf_cursor(f, DWARF_CU_INDEX, 0);
	uint32_t version = cursor_u32(&c);

	/* version 2 has four bytes for it, version 5 two, and two of padding */
	if (version != 2 && (f->big_endian ? version >> 16 : version & 0xffff) != 5)
		return false;
	x->file = f;
	x->columns = cursor_u32(&c);
	x->rows = cursor_u32(&c);
	x->slots = cursor_u32(&c);
	x->hashes = c.at;
	x->numbers = x->hashes + 8 * x->slots;
	x->ids = x->numbers + 4 * x->slots;
	x->offsets = x->ids + 4 * x->columns;
	x->sizes = x->offsets + 4 * x->rows * x->columns;
	return !c.failed && x->columns <= 16 && x->slots && !(x->slots & (x->slots - 1));
}

static uint64_t number_at(const struct package_index *x, uint64_t offset, unsigned bytes)
{
	struct cursor c = dwarf_cursor(x->file, DWARF_CU_INDEX, offset);

	return bytes == 8 ? cursor_u64(&c) : cursor_u32(&c);
}

/* The row of a unit, from 1; 0 if it is not there. */
static uint64_t row_of(const struct package_index *x, uint64_t id)
{
	uint64_t mask = x->slots - 1, at = id & mask, step = (id >> 32 & mask) | 1;

	for (uint64_t i = 0; i < x->slots; i++, at = (at + step) & mask) {
		uint64_t row = number_at(x, x->numbers + 4 * at, 4);

		if (!row)
			return 0;
		if (number_at(x, x->hashes + 8 * at, 8) == id)
			return row <= x->rows ? row : 0;
	}
	return 0;
}

static int section_of(uint64_t identifier)
{
	switch (identifier) {
	case INDEX_INFO:
		return DWARF_INFO;
	case INDEX_ABBREV:
		return DWARF_ABBREV;
	case INDEX_LINE:
		return DWARF_LINE;
	case INDEX_STR_OFFSETS:
		return DWARF_STR_OFFSETS;
	case INDEX_RNGLISTS:
		return DWARF_RNGLISTS;
	}
	return -1;
}

/* The sections of @all, cut to what is the unit's. */
static bool cut(const struct package_index *x, uint64_t row, struct dwarf_file *out)
{
	memcpy(out->sections, x->file->sections, sizeof(out->sections));
	out->big_endian = x->file->big_endian;
	for (uint64_t i = 0; i < x->columns; i++) {
		int number = section_of(number_at(x, x->ids + 4 * i, 4));
		uint64_t cell = 4 * ((row - 1) * x->columns + i);
		uint64_t offset = number_at(x, x->offsets + cell, 4);
		uint64_t size = number_at(x, x->sizes + cell, 4);
		struct dwarf_bytes *bytes;

		if (number < 0)
			continue;
		bytes = &out->sections[number];
		if (offset > bytes->size || size > bytes->size - offset)
			return false;
		*bytes = (struct dwarf_bytes){bytes->data + offset, (size_t)size};
	}
	return true;
}

static struct dwarf_unit *from_package(struct debuginfo *d, uint64_t id)
{
	struct elf_file *package = package_of(d);
	struct dwarf_file *own, **slot;
	struct package_index index;
	uint64_t row;

	if (!package || !read_index(elf_file_dwarf(package), &index))
		return NULL;
	row = row_of(&index, id);
	own = row ? memory_alloc(sizeof(*own)) : NULL;
	if (!own)
		return NULL;
	slot = vector_push(&d->cuts);
	if (!slot || !cut(&index, row, own) || dwarf_file_read_units(own)) {
		if (slot)
			d->cuts.count--;
		dwarf_file_deinit(own);
		memory_free(own);
		return NULL;
	}
	*slot = own;
	return unit_with_id(own, id);
}

/* ---- .dwo ---- */

static bool accept_split(void *context, const char *path)
{
	struct wanted *w = context;
	struct elf_file *f = elf_file_open_split(path, NULL);

	if (f && unit_with_id(elf_file_dwarf(f), w->id)) {
		w->found = f;
		return true;
	}
	elf_file_close(f);
	return false;
}

__attribute__((format(printf, 3, 4))) static bool try_split(struct debuginfo *d, struct wanted *w,
							    const char *format, ...)
{
	char *path = NULL;
	va_list list;
	bool taken;
	int length;

	va_start(list, format);
	length = vasprintf(&path, format, list);
	va_end(list);
	if (length < 0)
		return false;
	taken = debug_search_path(d->search, path, accept_split, w);
	free(path);
	return taken;
}

static struct dwarf_unit *from_split_file(struct debuginfo *d, uint64_t id, const char *name,
					  const char *directory)
{
	char *beside = debug_search_directory(d->path);
	const char *slash = strrchr(name, '/');
	struct wanted w = {.id = id};
	struct elf_file **slot;
	bool found;

	if (*name == '/')
		found = try_split(d, &w, "%s", name);
	else
		found = (directory && try_split(d, &w, "%s/%s", directory, name)) ||
			(beside && try_split(d, &w, "%s/%s", beside, name));
	if (!found && beside)
		try_split(d, &w, "%s/%s", beside, slash ? slash + 1 : name);
	memory_free(beside);
	if (!w.found)
		return NULL;
	slot = vector_push(&d->splits);
	if (!slot) {
		elf_file_close(w.found);
		return NULL;
	}
	*slot = w.found;
	if (d->splits.count == 1)
		debug_notes_add(d->notes, "split debug information of %s: %s and others", d->path,
				elf_file_path(w.found));
	return unit_with_id(elf_file_dwarf(w.found), id);
}

struct dwarf_unit *debuginfo_split_of(struct debuginfo *d, struct dwarf_unit *skeleton,
				      bool *missing)
{
	const char *name, *directory;
	struct dwarf_unit *split;
	struct dwarf_entry own;

	*missing = false;
	if (!dwarf_entry_at(skeleton, skeleton->entries, &own) || !skeleton->id)
		return NULL;
	name = dwarf_entry_string(&own, DWARF_DWO_NAME);
	directory = dwarf_entry_string(&own, DWARF_COMP_DIR);
	if (!name)
		return NULL;
	split = from_package(d, skeleton->id);
	if (!split)
		split = from_split_file(d, skeleton->id, name, directory);
	if (split)
		split->skeleton = skeleton;
	else if (!d->splits_missing++)
		debug_notes_add(d->notes,
				"%s of %s is not found (nor %s.dwp): its inlined calls stay "
				"unknown; keep the .dwo files, or see --path-prefix",
				name, d->path, d->path);
	*missing = !split;
	return split;
}
