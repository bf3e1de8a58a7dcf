/* SPDX-License-Identifier: MIT */
#include "converter/debuginfo/debuginfo.h"

#include <gelf.h>
#include <string.h>

#include "base/error.h"
#include "base/memory.h"
#include "base/order.h"
#include "converter/debuginfo/debuginfo_private.h"
#include "converter/debuginfo/gcc_discriminator.h"
#include "converter/debuginfo/llvm_discriminator.h"
#include "converter/dwarf/dwarf.h"

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

static int find_units(void *context)
{
	return debuginfo_find_units(context);
}

/* -1 without memory. */
static int debuginfo_load(struct debuginfo *d)
{
	if (dwarf_load(d->from.file, &d->dwarf))
		return -1;
	if (d->from.alternate) {
		if (dwarf_load(d->from.alternate, &d->alternate))
			return -1;
		dwarf_file_set_alternate(&d->dwarf, &d->alternate);
	}
	return dwarf_guard(find_units, d);
}

static int open_dwarf(struct debuginfo *d, struct binary *b, struct softlbr_error *e)
{
	const char *path = binary_path(b);

	d->strings = strings_new();
	if (!d->strings)
		return error_set_nomem(e);
	d->from = binary_debug_sources(b);
	if (!d->from.file)
		return error_set(
			e, SOFTLBR_E_INPUT, path,
			"%s: no debug information, nor a separate debug file; build with "
			"-g, or for clang with -gline-tables-only "
			"-fdebug-info-for-profiling, and do not strip, or install its debug "
			"package or set DEBUGINFOD_URLS",
			path);
	if (has_symbol(elf_file_elf(d->from.file), "__llvm_fs_discriminator__"))
		return error_set(e, SOFTLBR_E_INPUT, path,
				 "%s: built with flow-sensitive (FS) discriminators, which are not "
				 "supported; build without -mllvm -enable-fs-discriminator",
				 path);
	return debuginfo_load(d) ? error_set_nomem(e) : 0;
}

struct debuginfo *debuginfo_open(struct binary *b, struct softlbr_error *e)
{
	struct debuginfo *d = memory_alloc(sizeof(*d));
	struct softlbr_error local = {0};

	if (!d) {
		error_set_nomem(e);
		return NULL;
	}
	if (open_dwarf(d, b, e ? e : &local)) {
		debuginfo_close(d);
		return NULL;
	}
	return d;
}

static void close_splits(struct debuginfo *d)
{
	struct dwarf_file **split;

	vector_each (&d->splits, split)
		dwarf_package_unit_free(*split);
	vector_deinit(&d->splits);
	dwarf_load_split_deinit(&d->package_sections);
	elf_file_close(d->package);
}

void debuginfo_close(struct debuginfo *d)
{
	struct dwarf_lines **files;
	struct unit *u;

	if (!d)
		return;
	vector_each (&d->units, u) {
		vector_deinit(&u->functions);
		vector_deinit(&u->function_ranges.list);
		dwarf_lines_deinit(&u->lines);
		vector_deinit(&u->file_names);
	}
	vector_each (&d->files, files) {
		dwarf_lines_deinit(*files);
		memory_free(*files);
	}
	vector_deinit(&d->files);
	vector_deinit(&d->units);
	vector_deinit(&d->unit_ranges.list);
	map_deinit(&d->origins);
	map_deinit(&d->files_at);
	strings_free(d->strings);
	close_splits(d);
	dwarf_close(&d->dwarf);
	dwarf_close(&d->alternate);
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

/* The number of rows at or before @va. */
static size_t rows_up_to(const struct unit *u, uint64_t va)
{
	const struct dwarf_row *row;
	size_t low = vector_count_while(&u->lines.rows, row, row->address <= va);

	return low;
}

/* [begin,end) is of one row: cut it where the scope changes. */
static int add_spans(struct debuginfo_function *out, struct debuginfo_span piece,
		     const struct debuginfo_ranges *scopes)
{
	const struct debuginfo_range *scope = debuginfo_ranges_from(scopes, piece.begin);
	const struct debuginfo_range *last = debuginfo_ranges_end(scopes);
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

/* The last of several rows at one address holds; the others have no code. */
static int add_rows(const struct unit *u, uint64_t begin, uint64_t end,
		    const struct debuginfo_ranges *scopes, struct debuginfo_function *out)
{
	const struct dwarf_row *rows = u->lines.rows.items;
	size_t next = rows_up_to(u, begin), count = u->lines.rows.count;

	while (begin < end) {
		struct debuginfo_span piece = {.begin = begin, .end = end};

		if (next < count && rows[next].address < end)
			piece.end = rows[next].address;
		if (next && !rows[next - 1].end) {
			piece.line = rows[next - 1].line;
			piece.column = rows[next - 1].column;
			piece.file = rows[next - 1].file < u->file_names.count
					     ? u->file_names.items[rows[next - 1].file]
					     : 0;
			piece.discriminator = rows[next - 1].discriminator;
			if (add_spans(out, piece, scopes))
				return -1;
		}
		begin = piece.end;
		while (next < count && rows[next].address <= begin)
			next++;
	}
	return 0;
}

struct looking {
	struct debuginfo *d;
	struct unit *u;
	uint64_t begin, end;
	struct debuginfo_function *out;
	struct debuginfo_ranges scopes; /* the code of each of out's */
};

/* Of a function in parts the first one has its entry. */
static int take_entry(void *entry, uint64_t begin, uint64_t end)
{
	(void)end;
	*(uint64_t *)entry = begin;
	return 1;
}

/*
 * Go's compiler and assemblers don't say at which line a function is declared: the row of its first
 * instruction does. Nor does gcc of a coroutine's parts, where it is the first of several rows.
 */
static void find_line(struct unit *u, uint64_t offset, struct debuginfo_scope *scope)
{
	const struct dwarf_row *rows = u->lines.rows.items;
	uint64_t entry;
	struct die e;
	size_t row;

	if (scope->decl_line)
		return;
	die_at(u->tree, offset, &e);
	if (!die_read(&e) || die_ranges(&e, take_entry, &entry) != 1)
		return;
	row = rows_up_to(u, entry);
	while (u->producer.compiler == PRODUCER_GCC && row > 1 && rows[row - 2].address == entry &&
	       !rows[row - 2].end && rows[row - 2].line)
		row--;
	if (row && !rows[row - 1].end)
		scope->decl_line = rows[row - 1].line;
}

/* The scopes of the functions in [begin,end). -1 without memory. */
static int look_for_scopes(void *context)
{
	struct looking *l = context;
	struct unit *u = l->u;
	uint32_t previous = DEBUGINFO_NONE;
	const struct debuginfo_range *one;

	if (debuginfo_read_unit(l->d, u))
		return -1;
	for (one = debuginfo_ranges_from(&u->function_ranges, l->begin);
	     one != debuginfo_ranges_end(&u->function_ranges) && one->begin < l->end; one++) {
		uint64_t function = u->functions.items[one->owner];
		size_t first = l->out->scopes.count;

		if (one->end <= l->begin || one->owner == previous)
			continue;
		previous = one->owner;
		if (debuginfo_add_scopes(l->d, u->tree, function, l->out, &l->scopes))
			return -1;
		if (l->out->scopes.count > first)
			find_line(u, function, &l->out->scopes.items[first]);
	}
	return 0;
}

static int look_up_in_unit(struct debuginfo *d, struct unit *u, uint64_t begin, uint64_t end,
			   struct debuginfo_function *out)
{
	struct looking l = {.d = d, .u = u, .begin = begin, .end = end, .out = out};
	int rc = dwarf_guard(look_for_scopes, &l)
	       ?: debuginfo_ranges_flatten(&l.scopes)
	       ?: add_rows(u, begin, end, &l.scopes, out);

	vector_deinit(&l.scopes.list);
	out->llvm |= u->llvm;
	out->copies |= u->producer.compiler == PRODUCER_GCC &&
		       u->producer.major >= GCC_DISCRIMINATOR_SINCE;
	if (u->producer.compiler)
		out->producer = u->producer;
	return rc;
}

ORDER_BY(by_begin, struct debuginfo_span, ORDER_UP(begin));

int debuginfo_look_up(struct debuginfo *d, uint64_t begin, uint64_t end,
		      struct debuginfo_function *out, struct softlbr_error *e)
{
	const struct debuginfo_range *one = debuginfo_ranges_from(&d->unit_ranges, begin);

	out->scopes.count = out->spans.count = 0;
	out->llvm = out->copies = false;
	out->producer = producer_read(NULL, 0);
	for (; one != debuginfo_ranges_end(&d->unit_ranges) && one->begin < end; one++) {
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

void debuginfo_fold_unplaced(struct debuginfo_function *f)
{
	struct debuginfo_span *s;

	vector_each (&f->spans, s)
		for (uint32_t i = s->line ? s->scope : DEBUGINFO_NONE; i != DEBUGINFO_NONE;) {
			const struct debuginfo_scope *scope = &f->scopes.items[i];

			i = scope->parent;
			if (scope->decl_line || i == DEBUGINFO_NONE)
				continue;
			s->scope = i;
			s->line = scope->call_line;
			s->discriminator = scope->call_discriminator;
		}
}

uint32_t debuginfo_base_discriminator(const struct debuginfo_function *f, uint32_t d)
{
	return f->llvm ? llvm_discriminator_base(d) : f->copies ? gcc_discriminator_base(d) : d;
}

/* As a position has it. */
static uint32_t positioned(const struct debuginfo_function *f, uint32_t d)
{
	return f->copies ? gcc_discriminator_of_copy(d) : debuginfo_base_discriminator(f, d);
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
	at->discriminator = positioned(f, s->discriminator);
	*factor = f->llvm     ? llvm_discriminator_factor(s->discriminator)
		  : f->copies ? gcc_discriminator_factor(s->discriminator)
			      : 1;
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
	at->discriminator = positioned(f, s->call_discriminator);
	return true;
}
