/* SPDX-License-Identifier: MIT */
#include "converter/samples/modules.h"

#include <stdio.h>
#include <string.h>

#include "base/error.h"
#include "base/file.h"
#include "base/hash.h"

int modules_init(struct modules *m)
{
	*m = (struct modules){.strings = strings_new()};
	return m->strings ? 0 : -1;
}

void modules_deinit(struct modules *m)
{
	strings_free(m->strings);
	vector_deinit(&m->items);
	map_deinit(&m->numbers);
	*m = (struct modules){0};
}

/* Ids differ in it or are taken as one, which 2^-64 makes harmless. */
static uint64_t build_id_hash(const struct build_id *id)
{
	return id->size ? hash_on(HASH_OF_NOTHING, id->bytes, id->size) : 0;
}

int64_t modules_add(struct modules *m, const char *path, const struct build_id *id)
{
	uint32_t name = strings_add_text(m->strings, path);
	const struct module *known;

	if (name == STRINGS_NONE)
		return -1;
	known = map_item(&m->numbers, name, build_id_hash(id), &m->items,
			 (struct module){.path = name, .build_id = *id});
	return known ? known - m->items.items : -1;
}

const char *modules_path(const struct modules *m, size_t number)
{
	return strings_text(m->strings, m->items.items[number].path);
}

bool modules_copied(const struct modules *m, char text[MODULES_COPIED_BYTES])
{
	const struct module *module;
	char copied[300] = "", reused[300] = "";

	vector_each (&m->items, module) {
		if (module->is_copied || module->may_be_copied)
			error_add_name(copied, sizeof(copied),
				       strings_text(m->strings, module->path));
		if (module->is_reused)
			error_add_name(reused, sizeof(reused),
				       strings_text(m->strings, module->path));
	}
	*text = '\0';
	if (*copied)
		snprintf(text, MODULES_COPIED_BYTES / 2,
			 "anonymous memory lies over code of %s, at its own addresses: taken as "
			 "that code, copied to huge pages",
			 copied);
	if (*reused)
		snprintf(text + strlen(text), MODULES_COPIED_BYTES / 2,
			 "%sanonymous memory lies where code of %s was, and its branches are not "
			 "that code's: taken as another's, as of a just-in-time compiler",
			 *copied ? "; " : "", reused);
	return *text;
}

/* The kernel marks files that were replaced while they ran. Ours is a copy, if it has the name. */
static size_t length_without_mark(const char *path)
{
	static const char mark[] = " (deleted)";
	size_t length = strlen(path), of_mark = sizeof(mark) - 1;

	return length > of_mark && !strcmp(path + length - of_mark, mark) ? length - of_mark
									  : length;
}

/* Our file may be compressed, as kernel modules are. */
static bool same_base_name(const char *ours, const char *theirs)
{
	static const char *const packed[] = {"", ".gz", ".xz", ".zst"};
	size_t length = length_without_mark(theirs);

	if (strncmp(ours, theirs, length) != 0)
		return false;
	for (size_t i = 0; i < sizeof(packed) / sizeof(*packed); i++)
		if (!strcmp(ours + length, packed[i]))
			return true;
	return false;
}

static bool same_name(const struct binary *b, const char *theirs, bool whole_path)
{
	const char *ours = binary_path(b);

	if (whole_path)
		return !strcmp(ours, theirs);
	return same_base_name(file_base_name(ours), file_base_name(theirs)) ||
	       linux_kernel_is_name_of(b, theirs);
}

bool module_fits(enum module_match_kind how, const struct binary *b, const struct modules *modules,
		 size_t module)
{
	const struct module *m = &modules->items.items[module];

	if (how == MATCH_NONE || how == MATCH_UNNAMED)
		return false;
	if (how == MATCH_BUILD_ID)
		return branch_profile_same_build(binary_build_id(b), &m->build_id);
	return same_name(b, modules_path(modules, module), how == MATCH_PATH) &&
	       (how == MATCH_OTHER_BUILD || !binary_build_id(b)->size || !m->build_id.size);
}

static bool finds(struct module_match *m, enum module_match_kind how, const struct binary *b,
		  const struct modules *modules)
{
	bool found = false;

	for (size_t i = 0; i < modules->items.count; i++) {
		if (module_fits(how, b, modules, i))
			found = true;
		else if ((how == MATCH_PATH || how == MATCH_BASE_NAME) &&
			 same_name(b, modules_path(modules, i), how == MATCH_PATH))
			m->other_build = (int64_t)i; /* only the build-ids differ */
	}
	return found;
}

void module_match_add(struct module_match *m, enum module_match_kind kind)
{
	if (m->kind < kind)
		m->kind = kind;
}

enum module_match_kind modules_match(struct module_match *m, const struct binary *b,
				     const struct modules *modules, bool any_build)
{
	enum module_match_kind how, last = any_build ? MATCH_OTHER_BUILD : MATCH_BASE_NAME;

	for (how = MATCH_BUILD_ID; how <= last; how++) {
		if (!finds(m, how, b, modules))
			continue;
		module_match_add(m, how);
		return how;
	}
	return MATCH_NONE;
}
