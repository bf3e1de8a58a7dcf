/* SPDX-License-Identifier: MIT */
#include "converter/dwarf/dwarf.h"

#include <setjmp.h>

const char *dwarf_section_name(enum dwarf_section s)
{
	static const char *const names[DWARF_SECTIONS] = {
		[DWARF_INFO] = "info",	       [DWARF_ABBREV] = "abbrev",
		[DWARF_LINE] = "line",	       [DWARF_LINE_STR] = "line_str",
		[DWARF_STR] = "str",	       [DWARF_STR_OFFSETS] = "str_offsets",
		[DWARF_ADDR] = "addr",	       [DWARF_RANGES] = "ranges",
		[DWARF_RNGLISTS] = "rnglists", [DWARF_CU_INDEX] = "cu_index",
	};

	return names[s];
}

/* ---- memory ---- */

/* Where to go on if libdw has no memory: of dwarf_guard, for the handler, which is told nothing. */
static __thread jmp_buf *way_back;

void dwarf_guard_leave(void)
{
	longjmp(*way_back, 1);
}

int dwarf_guard(int (*call)(void *context), void *context)
{
	jmp_buf here, *outer = way_back;
	int rc;

	way_back = &here;
	rc = setjmp(here) ? -1 : call(context);
	way_back = outer;
	return rc;
}

/* ---- files ---- */

void dwarf_file_set_alternate(struct dwarf_file *f, struct dwarf_file *alternate)
{
	f->alternate = alternate;
	if (f->handle)
		dwarf_setalt(f->handle, alternate ? alternate->handle : NULL);
}

struct dwarf_unit *dwarf_file_unit_at(struct dwarf_file *f, uint64_t offset)
{
	const struct dwarf_unit *u;
	size_t n = f ? vector_count_while(&f->units, u, u->offset <= offset) : 0;

	return n && offset < f->units.items[n - 1].end ? &f->units.items[n - 1] : NULL;
}

struct dwarf_unit *dwarf_file_unit_with_id(struct dwarf_file *f, uint64_t id)
{
	struct dwarf_unit *u;

	vector_each (&f->units, u)
		if (u->id == id)
			return u;
	return NULL;
}
