/* SPDX-License-Identifier: MIT */
/*
 * What fdata calls functions. llvm-bolt knows a local one by several names: `name/N`, the N-th of
 * that name, and `name/file/N`, the N-th of that file; perf2bolt writes the former, our converter
 * the latter. Aliases are names, too. llvm-bolt takes the records of one of a function's names and
 * ignores those of the others, so profiles that are added up have to agree.
 */
#include "converter/bolt/bolt_convert.h"

#include <string.h>

static int place_name(const struct strings *strings, struct map *functions, const char *name,
		      uint64_t va)
{
	uint32_t symbol = strings_find(strings, name, strlen(name));
	struct map_entry *e;

	if (symbol == STRINGS_NONE)
		return 0;
	e = map_at(functions, symbol, 0);
	if (!e)
		return -1;
	e->n = va;
	return 0;
}

int bolt_names_find(struct binary *b, const struct strings *strings, struct map *functions)
{
	size_t count, aliases;
	const struct binary_function *all = binary_functions(b, &count);
	const struct binary_alias *alias = binary_bolt_aliases(b, &aliases);

	for (size_t i = 0; i < aliases; i++)
		if (place_name(strings, functions, alias[i].name, alias[i].va))
			return -1;
	for (size_t i = 0; i < count; i++)
		if (place_name(strings, functions, all[i].bolt_name, all[i].begin))
			return -1;
	return 0;
}

/* 1: it is one of @b's. */
static int rename_symbol(struct binary *b, const struct map *functions, struct strings *strings,
			 uint32_t *symbol)
{
	const struct map_entry *e = map_find(functions, *symbol, 0);
	const struct binary_function *f = e ? binary_function_at(b, e->n) : NULL;

	if (!f || f->begin != e->n)
		return e != NULL;
	*symbol = strings_add_text(strings, f->bolt_name);
	return *symbol == STRINGS_NONE ? -1 : 1;
}

int bolt_names_unify(struct binary *b, struct bolt_profile *p)
{
	struct map functions = {0};
	struct bolt_branch *r;
	int rc = bolt_names_find(b, p->strings, &functions), known = 0;

	vector_each (&p->branches, r) {
		int from = rc ? 0 : rename_symbol(b, &functions, p->strings, &r->from.symbol);
		int to = rc ? 0 : rename_symbol(b, &functions, p->strings, &r->to.symbol);

		rc = from < 0 || to < 0 ? -1 : rc;
		known |= from | to;
	}
	map_deinit(&functions);
	return rc ? rc : known;
}

enum name_form { NAME_GLOBAL, NAME_BY_NUMBER, NAME_BY_FILE };

/* @length: of the name alone. */
static enum name_form form_of(const char *name, size_t *length)
{
	const char *first = strchr(name, '/'), *last = strrchr(name, '/');

	if (!first || !last[1] || last[1 + strspn(last + 1, "0123456789")])
		return NAME_GLOBAL;
	*length = (size_t)(first - name);
	return first == last ? NAME_BY_NUMBER : NAME_BY_FILE;
}

static int add_symbol(struct bolt_names *n, const char *name, uint32_t profile)
{
	size_t length = 0;
	enum name_form form = form_of(name, &length);
	uint32_t alone, whole;
	struct map_entry *e;

	if (form == NAME_GLOBAL)
		return 0;
	alone = strings_add(n->strings, name, length);
	whole = strings_add_text(n->strings, name);
	if (alone == STRINGS_NONE || whole == STRINGS_NONE)
		return -1;
	e = map_at(&n->forms, alone, form);
	if (!e)
		return -1;
	if (!e->n) {
		e->n = profile + 1;
		e->m = whole;
	}
	return 0;
}

/* A program may have local functions of one name of which some files' names are known and others'
 * are not; but then both forms are in one profile. */
static int find_clash(const struct bolt_names *n, const struct bolt_names *one,
		      const struct strings *names, struct bolt_names_clash *clash)
{
	const struct map_entry *i;

	map_each (&one->forms, i) {
		const char *alone = strings_text(one->strings, (uint32_t)i->a);
		uint32_t base = strings_find(n->strings, alone, strlen(alone));
		uint64_t form = i->b, other = form == NAME_BY_FILE ? NAME_BY_NUMBER : NAME_BY_FILE;
		const char *name = strings_text(one->strings, (uint32_t)i->m);
		const struct map_entry *earlier = NULL;

		if (base != STRINGS_NONE && !map_find(&n->forms, base, form) &&
		    !map_find(&one->forms, i->a, other))
			earlier = map_find(&n->forms, base, other);
		if (!earlier)
			continue;
		*clash = (struct bolt_names_clash){
			.profile = (uint32_t)earlier->n - 1,
			.earlier = strings_text(n->strings, (uint32_t)earlier->m),
			.name = strings_text(names, strings_find(names, name, strlen(name)))};
		return 1;
	}
	return 0;
}

void bolt_names_deinit(struct bolt_names *n)
{
	strings_free(n->strings);
	map_deinit(&n->forms);
	*n = (struct bolt_names){0};
}

static int add_symbols(struct bolt_names *n, const struct bolt_profile *p, uint32_t profile)
{
	uint32_t count = strings_count(p->strings);

	if (!n->strings)
		n->strings = strings_new();
	if (!n->strings)
		return -1;
	for (uint32_t i = 1; i < count; i++)
		if (add_symbol(n, strings_text(p->strings, i), profile))
			return -1;
	return 0;
}

int bolt_names_add(struct bolt_names *n, const struct bolt_profile *p, uint32_t profile,
		   struct bolt_names_clash *clash)
{
	struct bolt_names one = {0};
	int rc = add_symbols(&one, p, profile);

	if (!rc && n->strings)
		rc = find_clash(n, &one, p->strings, clash);
	bolt_names_deinit(&one);
	return rc ? rc : add_symbols(n, p, profile);
}
