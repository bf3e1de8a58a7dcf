/* SPDX-License-Identifier: MIT */
#include "converter/debuginfo.h"

#include <gelf.h>
#include <string.h>

#include "base/error.h"
#include "base/memory.h"
#include "converter/debuginfo_private.h"
#include "converter/llvm_discriminator.h"

/* clang -mllvm -enable-fs-discriminator leaves this symbol in what it builds. */
static bool has_symbol(Elf *elf, const char *name)
{
	Elf_Scn *section = NULL;

	while ((section = elf_nextscn(elf, section))) {
		Elf_Data *data;
		GElf_Shdr header;

		if (!gelf_getshdr(section, &header) || header.sh_type != SHT_SYMTAB ||
		    !header.sh_entsize)
			continue;
		data = elf_getdata(section, NULL);
		for (size_t i = 0; data && i < data->d_size / header.sh_entsize; i++) {
			GElf_Sym symbol;
			const char *its;

			if (!gelf_getsym(data, (int)i, &symbol))
				break;
			its = elf_strptr(elf, header.sh_link, symbol.st_name);
			if (its && !strcmp(its, name))
				return true;
		}
	}
	return false;
}

static int open_dwarf(struct debuginfo *d, int descriptor, const char *path,
		      struct softlbr_error *e)
{
	d->strings = strings_new();
	if (!d->strings)
		return error_set_nomem(e);
	d->dwarf = dwarf_begin(descriptor, DWARF_C_READ);
	if (!d->dwarf)
		return error_set(e, SOFTLBR_E_INPUT, path,
				 "%s: no debug information (%s); build with -g, or for clang with "
				 "-gline-tables-only -fdebug-info-for-profiling, and do not strip",
				 path, dwarf_errmsg(-1));
	if (has_symbol(dwarf_getelf(d->dwarf), "__llvm_fs_discriminator__"))
		return error_set(e, SOFTLBR_E_INPUT, path,
				 "%s: built with flow-sensitive (FS) discriminators, which are not "
				 "supported; build without -mllvm -enable-fs-discriminator",
				 path);
	return debuginfo_find_units(d) ? error_set_nomem(e) : 0;
}

struct debuginfo *debuginfo_open(int descriptor, const char *path, struct softlbr_error *e)
{
	struct debuginfo *d = memory_alloc(sizeof(*d));

	if (!d) {
		error_set_nomem(e);
		return NULL;
	}
	elf_version(EV_CURRENT);
	if (open_dwarf(d, descriptor, path, e)) {
		debuginfo_close(d);
		return NULL;
	}
	return d;
}

void debuginfo_close(struct debuginfo *d)
{
	struct unit *u;

	if (!d)
		return;
	vector_each (&d->units, u) {
		vector_deinit(&u->functions);
		vector_deinit(&u->function_ranges.list);
	}
	vector_deinit(&d->units);
	vector_deinit(&d->unit_ranges.list);
	map_deinit(&d->origins);
	strings_free(d->strings);
	if (d->dwarf)
		dwarf_end(d->dwarf);
	memory_free(d);
}

const struct strings *debuginfo_strings(const struct debuginfo *d)
{
	return d->strings;
}

size_t debuginfo_unreadable_units(const struct debuginfo *d)
{
	const struct unit *u;
	size_t n = 0;

	vector_each (&d->units, u)
		n += u->unreadable;
	return n;
}

void debuginfo_function_deinit(struct debuginfo_function *f)
{
	vector_deinit(&f->scopes);
	vector_deinit(&f->spans);
}

/* ---- spans --------------------------------------------------------------------------------- */

static uint64_t row_address(const struct unit *u, size_t row)
{
	Dwarf_Addr address = 0;

	return dwarf_lineaddr(dwarf_onesrcline(u->lines, row), &address) ? 0 : address;
}

/* The number of rows at or before @va. */
static size_t rows_up_to(const struct unit *u, uint64_t va)
{
	size_t low = 0, high = u->line_count;

	while (low < high) {
		size_t middle = low + (high - low) / 2;

		if (row_address(u, middle) <= va)
			low = middle + 1;
		else
			high = middle;
	}
	return low;
}

/* What one row says of the code from its address on; false if it ends a sequence. */
static bool row_position(const struct unit *u, size_t row, int32_t *line, uint32_t *discriminator)
{
	Dwarf_Line *l = dwarf_onesrcline(u->lines, row);
	bool ends = false;
	unsigned number = 0;
	int its_line = 0;

	if (!l || dwarf_lineendsequence(l, &ends) || ends)
		return false;
	if (dwarf_lineno(l, &its_line) || dwarf_linediscriminator(l, &number))
		return false;
	*line = its_line > 0 ? its_line : 0;
	*discriminator = number;
	return true;
}

/* [begin,end) is of one row: cut it where the scope changes. */
static int add_spans(struct debuginfo_function *out, struct debuginfo_span piece,
		     const struct owned_ranges *scopes)
{
	const struct owned_range *scope = owned_ranges_from(scopes, piece.begin);
	const struct owned_range *last = owned_ranges_end(scopes);
	uint64_t end = piece.end;

	while (piece.begin < end) {
		struct debuginfo_span *slot = vector_push(&out->spans);

		if (!slot)
			return -1;
		piece.end = end;
		piece.scope = DEBUGINFO_NONE;
		if (scope != last && scope->begin <= piece.begin) {
			piece.scope = scope->owner;
			if (scope->end < end)
				piece.end = scope->end;
			scope++;
		} else if (scope != last && scope->begin < end) {
			piece.end = scope->begin;
		}
		*slot = piece;
		piece.begin = piece.end;
	}
	return 0;
}

/* Of several rows at one address the last one holds; the others are of no code. */
static int add_rows(const struct unit *u, uint64_t begin, uint64_t end,
		    const struct owned_ranges *scopes, struct debuginfo_function *out)
{
	size_t next = rows_up_to(u, begin);

	while (begin < end) {
		struct debuginfo_span piece = {.begin = begin, .end = end};

		if (next < u->line_count && row_address(u, next) < end)
			piece.end = row_address(u, next);
		if (next && row_position(u, next - 1, &piece.line, &piece.discriminator) &&
		    add_spans(out, piece, scopes))
			return -1;
		begin = piece.end;
		while (next < u->line_count && row_address(u, next) <= begin)
			next++;
	}
	return 0;
}

static int look_up_in_unit(struct debuginfo *d, struct unit *u, uint64_t begin, uint64_t end,
			   struct debuginfo_function *out)
{
	const struct owned_range *one;
	struct owned_ranges scopes = {0};
	uint32_t previous = DEBUGINFO_NONE;
	int rc = debuginfo_read_unit(u);

	if (rc)
		return rc;
	for (one = owned_ranges_from(&u->function_ranges, begin);
	     one != owned_ranges_end(&u->function_ranges) && one->begin < end; one++) {
		if (one->end <= begin || one->owner == previous)
			continue;
		previous = one->owner;
		rc = debuginfo_add_scopes(d, &u->functions.items[one->owner], out, &scopes);
		if (rc)
			break;
	}
	if (!rc)
		rc = owned_ranges_flatten(&scopes);
	if (!rc)
		rc = add_rows(u, begin, end, &scopes, out);
	vector_deinit(&scopes.list);
	out->llvm |= u->llvm;
	return rc;
}

static int by_begin(const void *x, const void *y)
{
	const struct debuginfo_span *a = x, *b = y;

	return a->begin < b->begin ? -1 : a->begin > b->begin;
}

int debuginfo_look_up(struct debuginfo *d, uint64_t begin, uint64_t end,
		      struct debuginfo_function *out, struct softlbr_error *e)
{
	const struct owned_range *one = owned_ranges_from(&d->unit_ranges, begin);

	out->scopes.count = out->spans.count = 0;
	out->llvm = false;
	for (; one != owned_ranges_end(&d->unit_ranges) && one->begin < end; one++) {
		uint64_t low = one->begin > begin ? one->begin : begin;
		uint64_t high = one->end < end ? one->end : end;

		if (low >= high)
			continue;
		if (look_up_in_unit(d, &d->units.items[one->owner], low, high, out))
			return error_set_nomem(e);
		begin = high; /* code belongs to one unit: the first */
	}
	vector_sort(&out->spans, by_begin);
	return 0;
}

bool debuginfo_span_position(const struct debuginfo_function *f, const struct debuginfo_span *s,
			     struct source_position *at, uint32_t *factor)
{
	const struct debuginfo_scope *scope;

	if (s->scope == DEBUGINFO_NONE || !s->line)
		return false;
	scope = &f->scopes.items[s->scope];
	if (!scope->decl_line)
		return false;
	at->line = s->line - scope->decl_line;
	at->discriminator = f->llvm ? llvm_discriminator_base(s->discriminator) : s->discriminator;
	*factor = f->llvm ? llvm_discriminator_factor(s->discriminator) : 1;
	return true;
}

bool debuginfo_call_position(const struct debuginfo_function *f, const struct debuginfo_scope *s,
			     struct source_position *at)
{
	const struct debuginfo_scope *parent;

	if (s->parent == DEBUGINFO_NONE || !s->call_line)
		return false;
	parent = &f->scopes.items[s->parent];
	if (!parent->decl_line)
		return false;
	at->line = s->call_line - parent->decl_line;
	at->discriminator = f->llvm ? llvm_discriminator_base(s->call_discriminator)
				    : s->call_discriminator;
	return true;
}
