/* SPDX-License-Identifier: MIT */
/*
 * A binary's function symbols: who owns which code, and what BOLT calls it.
 *
 * Candidates are FUNC and GNU_IFUNC symbols in executable sections, and NOTYPE ones, global or of a
 * size, where no function is (hand-written assembly; LLVM's split functions and basic block
 * sections: foo.cold, foo.__part.1). BOLT's names for local symbols carry counters that it gives
 * while it walks all symbols in memory by address, so the walk here is the same:
 * `name/N` counts every local symbol of that name, `name/file.c/M` the FUNC ones of that name and
 * STT_FILE. FILE symbols `ld-temp.o` (LTO) do not count as files; `.L` names get the prefix PG.
 */
#include <gelf.h>
#include <inttypes.h>
#include <string.h>

#include "base/error.h"
#include "base/map.h"
#include "base/memory.h"
#include "base/order.h"
#include "converter/binary/binary_private.h"

#define NO_FILE UINT32_MAX

struct symbol {
	uint64_t va, size, section_end;
	size_t index;
	uint32_t name, file; /* file: NO_FILE if none precedes */
	uint8_t type, bind;
	bool code;			/* in an executable section */
	bool unnamed;			/* none of the table: a function that was found without */
	uint32_t bolt_name, bolt_alias; /* what BOLT calls it; the latter 0 if nothing else */
};

struct symbol_table {
	VECTOR(struct symbol) symbols;
};

static Elf_Scn *find_section(Elf *elf, GElf_Word type, GElf_Shdr *header)
{
	Elf_Scn *scn = NULL;

	while ((scn = elf_nextscn(elf, scn)))
		if (gelf_getshdr(scn, header) && header->sh_type == type)
			return scn;
	return NULL;
}

/* The table of extended section numbers of symbol table @table, if the file has so many. */
static Elf_Data *find_extended_indices(Elf *elf, size_t table)
{
	Elf_Scn *scn = NULL;
	GElf_Shdr header;

	while ((scn = elf_nextscn(elf, scn)))
		if (gelf_getshdr(scn, &header) && header.sh_type == SHT_SYMTAB_SHNDX &&
		    header.sh_link == table)
			return elf_getdata(scn, NULL);
	return NULL;
}

/* Is the symbol in memory as BOLT sees it? Fills in what its section says. */
static bool place_symbol(Elf *elf, const GElf_Sym *s, Elf32_Word extended, struct symbol *out)
{
	GElf_Word section = s->st_shndx == SHN_XINDEX ? extended : s->st_shndx;
	GElf_Shdr header;

	if (s->st_shndx == SHN_UNDEF)
		return false;
	if (s->st_shndx == SHN_ABS)
		return true;
	if (s->st_shndx >= SHN_LORESERVE && s->st_shndx != SHN_XINDEX)
		return false;
	if (!gelf_getshdr(elf_getscn(elf, section), &header) || !(header.sh_flags & SHF_ALLOC) ||
	    header.sh_size > UINT64_MAX - header.sh_addr)
		return false;
	out->section_end = header.sh_addr + header.sh_size;
	out->code = header.sh_flags & SHF_EXECINSTR && s->st_value >= header.sh_addr &&
		    s->st_value < out->section_end;
	return true;
}

static int add_symbol(struct symbol_table *t, struct binary *b, const struct symbol *s,
		      const char *name)
{
	struct symbol named = *s;

	named.name = strings_add_text(b->names, name);
	return named.name == STRINGS_NONE ? -1 : vector_add(&t->symbols, named);
}

static int read_table(struct binary *b, Elf *elf, Elf_Scn *scn, const GElf_Shdr *header,
		      struct symbol_table *t)
{
	Elf_Data *data = elf_getdata(scn, NULL);
	Elf_Data *extended = find_extended_indices(elf, elf_ndxscn(scn));
	size_t count = data && data->d_buf
			       ? data->d_size / gelf_fsize(elf, ELF_T_SYM, 1, EV_CURRENT)
			       : 0;
	uint32_t file = NO_FILE;

	for (size_t i = 1; i < count && i <= INT32_MAX; i++) {
		struct symbol out = {.index = i, .file = file};
		Elf32_Word section = 0;
		const char *name;
		GElf_Sym s;

		if (!gelf_getsymshndx(data, extended, (int)i, &s, &section))
			continue;
		name = elf_strptr(elf, header->sh_link, s.st_name);
		if (!name)
			continue;
		if (GELF_ST_TYPE(s.st_info) == STT_FILE) {
			if (!strcmp(name, "ld-temp.o"))
				continue;
			file = *name ? strings_add_text(b->names, name) : NO_FILE;
			if (*name && file == STRINGS_NONE)
				return -1;
			continue;
		}
		if (!strcmp(name, "_text"))
			b->kernel_text = s.st_value;
		else if (!strcmp(name, "_stext"))
			b->kernel_stext = s.st_value;
		out.va = s.st_value;
		out.size = s.st_size;
		out.type = GELF_ST_TYPE(s.st_info);
		out.bind = GELF_ST_BIND(s.st_info);
		if (b->machine == EM_ARM && out.type == STT_FUNC)
			out.va &= ~UINT64_C(1); /* it tells Thumb code from Arm code */
		if (!*name || !place_symbol(elf, &s, section, &out))
			continue;
		if (add_symbol(t, b, &out, name))
			return -1;
	}
	return 0;
}

/* BOLT's order: by address, functions first, section symbols last, else as in the table. */
static int compare_for_bolt(const void *a, const void *b)
{
	const struct symbol *x = a, *y = b;
	int rank_x = x->type == STT_FUNC ? 0 : x->type == STT_SECTION ? 2 : 1;
	int rank_y = y->type == STT_FUNC ? 0 : y->type == STT_SECTION ? 2 : 1;

	if (x->va != y->va)
		return x->va < y->va ? -1 : 1;
	if (rank_x != rank_y)
		return rank_x - rank_y;
	return x->index < y->index ? -1 : x->index > y->index;
}

/* @text is freed. */
static int add_name_take(struct binary *b, uint32_t *number, char *text)
{
	*number = text ? strings_add_text(b->names, text) : STRINGS_NONE;
	memory_free(text);
	return *number == STRINGS_NONE ? -1 : 0;
}

static int name_local(struct binary *b, struct map *counters, struct symbol *s, const char *name)
{
	struct map_entry *by_name = map_at(counters, s->name, NO_FILE);
	uint64_t n, m = 0;

	if (!by_name)
		return -1;
	n = ++by_name->n;
	if (s->type == STT_FUNC && s->file != NO_FILE) {
		struct map_entry *by_file = map_at(counters, s->name, s->file);

		if (!by_file)
			return -1;
		m = ++by_file->n;
	}
	if (!s->code)
		return 0;
	if (m && add_name_take(
			 b, &s->bolt_name,
			 memory_format("%s/%s/%" PRIu64, name, strings_text(b->names, s->file), m)))
		return -1;
	return add_name_take(b, m ? &s->bolt_alias : &s->bolt_name,
			     memory_format("%s/%" PRIu64, name, n));
}

static int name_for_bolt(struct binary *b, struct symbol_table *t)
{
	struct map counters = {0};
	struct symbol *s;
	int rc = 0;

	vector_sort(&t->symbols, compare_for_bolt);
	vector_each (&t->symbols, s) {
		const char *name = strings_text(b->names, s->name);
		uint32_t prefixed = s->name;

		if (!s->va || s->unnamed || rc)
			continue;
		if (!strncmp(name, ".L", 2))
			rc = add_name_take(b, &prefixed, memory_format("PG%s", name));
		if (!rc && s->bind != STB_LOCAL)
			s->bolt_name = prefixed;
		else if (!rc)
			rc = name_local(b, &counters, s, strings_text(b->names, prefixed));
	}
	map_deinit(&counters);
	return rc;
}

static bool is_function(const struct symbol *s)
{
	return s->code && s->va &&
	       (s->type == STT_FUNC || s->type == STT_GNU_IFUNC ||
		(s->type == STT_NOTYPE && (s->bind != STB_LOCAL || s->size)));
}

static int rank_of_type(uint8_t type)
{
	return type == STT_FUNC ? 0 : type == STT_GNU_IFUNC ? 1 : 2;
}

static int rank_of_bind(uint8_t bind)
{
	return bind == STB_GLOBAL ? 0 : bind == STB_LOCAL ? 2 : 1;
}

/* Is @a the better owner of the address of both? (binary.h says the order) */
static bool is_better_owner(const struct strings *names, const struct symbol *a,
			    const struct symbol *b)
{
	const char *x = strings_text(names, a->name), *y = strings_text(names, b->name);

	if (!a->size != !b->size)
		return a->size;
	if (rank_of_type(a->type) != rank_of_type(b->type))
		return rank_of_type(a->type) < rank_of_type(b->type);
	if (rank_of_bind(a->bind) != rank_of_bind(b->bind))
		return rank_of_bind(a->bind) < rank_of_bind(b->bind);
	if (a->size != b->size)
		return a->size > b->size;
	if (strlen(x) != strlen(y))
		return strlen(x) < strlen(y);
	return strcmp(x, y) > 0;
}

/* End of a symbol as its table says; 0 without size. */
static uint64_t end_of(const struct symbol *s)
{
	if (!s->size)
		return 0;
	return s->size < s->section_end - s->va ? s->va + s->size : s->section_end;
}

static int push_function(struct binary *b, const struct symbol *s, uint64_t end)
{
	return vector_add(&b->functions, (struct binary_function){
						 .begin = s->va,
						 .end = end,
						 .name = strings_text(b->names, s->name),
						 .bolt_name = strings_text(b->names, s->bolt_name),
						 .global = s->bind != STB_LOCAL,
					 });
}

static int push_bolt_alias(struct binary *b, const struct symbol *owner, uint32_t name)
{
	if (!name || name == owner->bolt_name)
		return 0;
	return vector_add(&b->bolt_aliases,
			  (struct binary_alias){owner->va, strings_text(b->names, name)});
}

/* The other functions among the symbols at @owner's address, of which @last is the last. */
static int push_aliases(struct binary *b, const struct symbol_table *t, size_t last,
			const struct symbol *owner)
{
	for (size_t i = last + 1; i-- > 0 && t->symbols.items[i].va == owner->va;) {
		const struct symbol *s = &t->symbols.items[i];

		if (push_bolt_alias(b, owner, s->bolt_name) ||
		    push_bolt_alias(b, owner, s->bolt_alias))
			return -1;
		if (s->name == owner->name || !is_function(s))
			continue;
		if (vector_add(&b->aliases,
			       (struct binary_alias){s->va, strings_text(b->names, s->name)}))
			return -1;
	}
	return 0;
}

/*
 * The symbols that own code, ascending. A label without size, or without type, inside a sized
 * function is an entry of it, not a function; any other symbol inside one cuts it short.
 */
static int choose_owners(struct binary *b, struct symbol_table *t)
{
	struct binary_function *last = NULL;
	const struct symbol *owner = NULL;
	uint64_t covered = 0;

	for (size_t i = 0; i < t->symbols.count; i++) {
		struct symbol *s = &t->symbols.items[i];
		bool at_end = i + 1 == t->symbols.count || s[1].va != s->va;

		if (is_function(s) && (!owner || is_better_owner(b->names, s, owner)))
			owner = s;
		if (!at_end || !owner)
			continue;
		if (owner->va < covered && (!owner->size || owner->type == STT_NOTYPE)) {
			owner = NULL;
			continue;
		}
		last = b->functions.count ? &b->functions.items[b->functions.count - 1] : NULL;
		if (last && last->end > owner->va)
			last->end = owner->va;
		if (push_function(b, owner, owner->size ? end_of(owner) : owner->section_end) ||
		    push_aliases(b, t, i, owner))
			return -1;
		if (end_of(owner) > covered)
			covered = end_of(owner);
		owner = NULL;
	}
	return 0;
}

static int add_table(struct binary *b, Elf *elf, GElf_Word type, struct symbol_table *t)
{
	GElf_Shdr header;
	Elf_Scn *scn = elf ? find_section(elf, type, &header) : NULL;

	return scn ? read_table(b, elf, scn, &header, t) : 0;
}

static int use_table(struct binary *b, struct symbol_table *t)
{
	return name_for_bolt(b, t) || choose_owners(b, t) ? -1 : 0;
}

static int read_from(struct binary *b, Elf *elf, GElf_Word type)
{
	struct symbol_table t = {0};
	int rc = add_table(b, elf, type, &t) ?: use_table(b, &t);

	vector_deinit(&t.symbols);
	return rc;
}

/* ---- without symbols ----------------------------------------------------------------------- */

ORDER_BY(compare_addresses, struct symbol, ORDER_UP(va));

/* Whether one of @t's first @count symbols, which are in order, is a function that begins there:
 * known by its name, it has the found one's size if it has none. */
static bool has_symbol(struct symbol_table *t, size_t count, const struct unnamed_function *f)
{
	size_t low = 0, high = count;
	bool found = false;

	while (low < high) {
		size_t middle = low + (high - low) / 2;

		if (t->symbols.items[middle].va < f->begin)
			low = middle + 1;
		else
			high = middle;
	}
	for (; low < count && t->symbols.items[low].va == f->begin; low++) {
		struct symbol *s = &t->symbols.items[low];

		if (!is_function(s))
			continue;
		found = true;
		if (!s->size)
			s->size = f->end - f->begin;
	}
	return found;
}

/* Named by its address; by what llvm-bolt names it (RewriteInstance.cpp, discoverFileObjects), if
 * its frame description tells llvm-bolt too. */
static int add_unnamed(struct binary *b, struct symbol_table *t, const struct unnamed_function *f)
{
	struct symbol *s = vector_push(&t->symbols);

	if (!s)
		return -1;
	*s = (struct symbol){.va = f->begin,
			     .size = f->end - f->begin,
			     .section_end = f->end,
			     .file = NO_FILE,
			     .type = STT_FUNC,
			     .bind = STB_LOCAL,
			     .code = true,
			     .unnamed = true};
	if (add_name_take(b, &s->name, memory_format("sub_%" PRIx64, f->begin)))
		return -1;
	s->bolt_name = s->name;
	return f->has_frame ? add_name_take(b, &s->bolt_name,
					    memory_format("__BOLT_FDE_FUNCat%" PRIx64, f->begin))
			    : 0;
}

static int add_all_unnamed(struct binary *b, struct symbol_table *t)
{
	struct unnamed_functions all = {0};
	size_t named = t->symbols.count, unnamed = 0;
	const struct unnamed_function *f;
	int rc = unnamed_functions_find(b, b->entry, &all);

	vector_sort(&t->symbols, compare_addresses);
	vector_each (&all.items, f) {
		if (rc || has_symbol(t, named, f))
			continue;
		rc = add_unnamed(b, t, f);
		unnamed++;
	}
	vector_deinit(&all.items);
	if (rc || !unnamed)
		return rc;
	return debug_notes_add(&b->notes,
			       "%s is stripped: %zu functions without a name were found by its "
			       "unwind tables and calls, and have their addresses for names",
			       b->path, unnamed);
}

/* MiniDebugInfo leaves out what .dynsym has: both together; without it .dynsym has but what is
 * exported. */
static int read_stripped(struct binary *b, Elf *elf)
{
	size_t size = 0;
	uint8_t *bytes = binary_mini_debug_info(b, &size);
	Elf *mini = bytes ? elf_memory((char *)bytes, size) : NULL;
	struct symbol_table t = {0};
	bool has_mini = false;
	int rc = 0;

	if (mini) {
		rc = add_table(b, mini, SHT_SYMTAB, &t);
		has_mini = t.symbols.count;
		if (!rc && has_mini)
			rc = debug_notes_add(&b->notes,
					     "symbols of %s: its MiniDebugInfo (.gnu_debugdata)",
					     b->path);
	}
	if (!rc)
		rc = add_table(b, elf, SHT_DYNSYM, &t);
	if (!rc && !has_mini)
		rc = add_all_unnamed(b, &t);
	if (!rc)
		rc = use_table(b, &t);
	vector_deinit(&t.symbols);
	elf_end(mini);
	memory_free(bytes);
	return rc;
}

int symbols_read(struct binary *b, Elf *elf, struct softlbr_error *e)
{
	int rc = read_from(b, elf, SHT_SYMTAB);
	GElf_Shdr header;

	b->stripped = !find_section(elf, SHT_SYMTAB, &header);
	if (!rc && !b->functions.count && binary_separate_file(b))
		rc = read_from(b, elf_file_elf(binary_separate_file(b)), SHT_SYMTAB);
	if (!rc && !b->functions.count)
		rc = read_stripped(b, elf);
	if (rc)
		return error_set_nomem(e);
	if (!b->functions.count)
		return error_set(
			e, SOFTLBR_E_INPUT, b->path,
			"%s: no functions: it has no symbols, no unwind tables to find them "
			"by, and no separate debug file of it is installed. Give the build "
			"before strip (same build-id), install its debug package, set "
			"DEBUGINFOD_URLS, or link without -s",
			b->path);
	return 0;
}
