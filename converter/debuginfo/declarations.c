/* SPDX-License-Identifier: MIT */
#include "converter/debuginfo/declarations.h"

#include <string.h>

#include "base/error.h"
#include "converter/debuginfo/debuginfo.h"

static int declare(struct declarations *d, const char *name, const char *file, int32_t line)
{
	uint32_t name_number, file_number;
	struct map_entry *entry;

	if (!*name || !line)
		return 0;
	name_number = strings_add_text(d->strings, name);
	file_number = strings_add_text(d->strings, file);
	if (name_number == STRINGS_NONE || file_number == STRINGS_NONE)
		return -1;
	entry = map_at(&d->known, name_number, 0);
	if (!entry)
		return -1;
	if (!entry->m) { /* the first of one name */
		entry->n = file_number;
		entry->m = (uint64_t)line;
	}
	return 0;
}

static int declare_function(struct declarations *d, struct debuginfo *info,
			    const struct binary_function *f, struct debuginfo_function *room,
			    struct softlbr_error *e)
{
	const struct debuginfo_scope *scope;
	int rc = debuginfo_look_up(info, f->begin, f->end, room, e);
	const struct strings *names = debuginfo_strings(info);

	if (rc)
		return rc;
	vector_each (&room->scopes, scope) {
		const char *file = strings_text(names, scope->file);

		if (declare(d, strings_text(names, scope->name), file, scope->decl_line))
			return error_set_nomem(e);
		/* its symbol may be that of a clone */
		if (scope == room->scopes.items && declare(d, f->name, file, scope->decl_line))
			return error_set_nomem(e);
	}
	return 0;
}

/* Is it in the profile, under its symbol or as compilers cut that? */
static bool is_in(const struct source_profile *p, const char *symbol)
{
	uint32_t whole = strings_find(p->strings, symbol, strlen(symbol));
	uint32_t cut = strings_find(p->strings, symbol,
				    source_name_length(symbol, SOURCE_NAMES_GCC));

	return (whole != STRINGS_NONE && map_find(&p->by_name, whole, 0)) ||
	       (cut != STRINGS_NONE && map_find(&p->by_name, cut, 0));
}

int declarations_read(struct declarations *d, struct binary *b, const struct source_profile *p,
		      struct softlbr_error *e)
{
	struct softlbr_error none = {0};
	struct debuginfo *info = debuginfo_open(b, &none);
	struct debuginfo_function room = {0};
	const struct binary_function *f;
	size_t count;
	int rc = 0;

	if (!d->strings)
		d->strings = strings_new();
	if (!d->strings)
		rc = error_set_nomem(e);
	f = binary_functions(b, &count);
	for (size_t i = 0; !rc && info && i < count; i++)
		if (!p || is_in(p, f[i].name))
			rc = declare_function(d, info, &f[i], &room, e);
	debuginfo_function_deinit(&room);
	if (info)
		debuginfo_close(info);
	return rc;
}

void declarations_deinit(struct declarations *d)
{
	strings_free(d->strings);
	d->strings = NULL;
	map_deinit(&d->known);
}

int64_t declarations_line(const struct declarations *d, const char *name, int32_t offset,
			  const char **file)
{
	uint32_t number = d->strings ? strings_find(d->strings, name, strlen(name)) : STRINGS_NONE;
	const struct map_entry *at;
	int64_t line;

	at = number == STRINGS_NONE ? NULL : map_find(&d->known, number, 0);
	if (!at)
		return 0;
	*file = strings_text(d->strings, (uint32_t)at->n);
	if (offset > INT16_MAX && offset <= UINT16_MAX)
		offset -= UINT16_MAX + 1;
	line = (int64_t)at->m + offset;
	return line > 0 ? line : 0;
}
