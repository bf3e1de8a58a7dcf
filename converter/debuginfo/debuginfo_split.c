/* SPDX-License-Identifier: MIT */
/*
 * Split DWARF: the functions of a skeleton unit are in a .dwo of its own, or together with others
 * in a .dwp. Where these files are; libdw would look in one place only, and not for .dwp.
 */
#include <dwarf.h>
#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "base/memory.h"
#include "converter/debuginfo/debuginfo_private.h"
#include "converter/dwarf/dwarf_package.h"

/* ---- .dwp ---- */

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
		char *path;

		if (asprintf(&path, "%s.dwp", paths[i]) < 0)
			continue;
		debug_search_path(d->from.search, path, accept_package, d);
		free(path);
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

/* ---- .dwo ---- */

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

__attribute__((format(printf, 2, 3))) static bool try_split(struct wanted *w, const char *format,
							    ...)
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
	taken = debug_search_path(w->d->from.search, path, accept_split, w);
	free(path);
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
		found = try_split(&w, "%s", name);
	else
		found = (directory && try_split(&w, "%s/%s", directory, name)) ||
			(beside && try_split(&w, "%s/%s", beside, name));
	if (!found && beside)
		try_split(&w, "%s/%s", beside, slash ? slash + 1 : name);
	memory_free(beside);
	return w.no_memory && !*out ? -1 : 0;
}

/* ---- */

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

int debuginfo_split_of(struct debuginfo *d, struct dwarf_unit *skeleton, struct dwarf_unit **split,
		       bool *missing)
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
