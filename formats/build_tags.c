/* SPDX-License-Identifier: MIT */
#include "formats/build_tags.h"

#include <stdio.h>
#include <string.h>

#include "base/error.h"
#include "base/memory.h"

/* The highest bit is the kernel's. */
#define FILES_MOST 0x7ffeu

void build_tags_deinit(struct build_tags *t)
{
	struct build_tag *file;

	vector_each (&t->files, file)
		memory_free(file->path);
	vector_deinit(&t->files);
}

void build_tags_take_digits(struct text *t, struct build_id *id)
{
	*id = (struct build_id){0};
	for (; text_length(*t) >= 2 && id->size < sizeof(id->bytes); t->at += 2) {
		unsigned high = text_digit(t->at[0]), low = text_digit(t->at[1]);

		if (high > 15 || low > 15)
			return;
		id->bytes[id->size++] = (uint8_t)(high << 4 | low);
	}
}

bool build_tags_take(struct text *t, struct build_id *id)
{
	struct text left = *t;

	build_tags_take_digits(&left, id);
	if (!id->size || !text_take(&left, ":")) {
		id->size = 0;
		return false;
	}
	*t = left;
	return true;
}

static bool is_file(const struct build_tag *file, const struct build_id *id, const char *path)
{
	if (file->id.size || id->size)
		return branch_profile_same_build(&file->id, id);
	return path && file->path ? !strcmp(path, file->path) : path == file->path;
}

size_t build_tags_add(struct build_tags *t, const struct build_id *id, const char *path)
{
	struct build_tag *file;

	vector_each (&t->files, file)
		if (is_file(file, id, path))
			return (size_t)(file - t->files.items);
	file = t->files.count < FILES_MOST ? vector_push(&t->files) : NULL;
	if (!file)
		return BUILD_TAGS_NONE;
	file->id = *id;
	file->path = path ? memory_copy_string(path) : NULL;
	return path && !file->path ? BUILD_TAGS_NONE : t->files.count - 1;
}

size_t build_tags_find(const struct build_tags *t, uint64_t address)
{
	uint64_t file = address / BUILD_TAG_BYTES;

	return file && file <= t->files.count ? (size_t)file - 1 : BUILD_TAGS_NONE;
}

static uint64_t own_address(const struct build_tags *t, size_t own, uint64_t address)
{
	size_t file = build_tags_find(t, address);

	if (file == BUILD_TAGS_NONE)
		return address;
	return file == own ? address % BUILD_TAG_BYTES : BRANCH_OUTSIDE;
}

static int select_branches(const struct build_tags *t, const struct branch_profile *from,
			   size_t own, struct branch_profile *to, struct map *others)
{
	const struct map_entry *i;

	map_each (&from->branches, i) {
		uint64_t source = own_address(t, own, i->a), target = own_address(t, own, i->b);
		size_t file = build_tags_find(t, i->a);

		if ((source != BRANCH_OUTSIDE || target != BRANCH_OUTSIDE) &&
		    branch_profile_add_branch(to, source, target, i->n, i->m))
			return -1;
		if (others && file != BUILD_TAGS_NONE && file != own &&
		    map_add(others, file, 0, i->n, 0))
			return -1;
	}
	return 0;
}

int build_tags_select(const struct build_tags *t, const struct branch_profile *from, size_t own,
		      struct branch_profile *to, struct map *others)
{
	const struct map_entry *i;

	if (select_branches(t, from, own, to, others))
		return -1;
	map_each (&from->ranges, i) {
		uint64_t begin = own_address(t, own, i->a), end = own_address(t, own, i->b);

		if (begin != BRANCH_OUTSIDE && end != BRANCH_OUTSIDE &&
		    branch_profile_add_range(to, begin, end, i->n))
			return -1;
	}
	map_each (&from->samples, i) {
		uint64_t at = own_address(t, own, i->a);

		if (at != BRANCH_OUTSIDE && branch_profile_add_sample(to, at, i->n))
			return -1;
	}
	return 0;
}

/* "its build-id is ..., or its path" of a message */
static void name_file(const struct build_tag *file, char *text, size_t size)
{
	char id[41];

	branch_profile_build_id_text(&file->id, id);
	snprintf(text, size, "%s", file->path ? file->path : id);
}

int build_tags_check_only(const struct build_tags *t, const char *name, struct softlbr_error *e)
{
	char first[80], second[80];

	if (t->files.count <= 1)
		return 0;
	name_file(&t->files.items[0], first, sizeof(first));
	name_file(&t->files.items[1], second, sizeof(second));
	return error_set(e, SOFTLBR_E_INPUT, name,
			 "%s is of %zu files (%s, %s%s), whose addresses are not one "
			 "another's: convert it with the one that is meant as --binary",
			 name, t->files.count, first, second, t->files.count > 2 ? " ..." : "");
}

int build_tags_select_only(const struct build_tags *t, const struct branch_profile *from,
			   const char *name, struct branch_profile *to, struct softlbr_error *e)
{
	const struct build_tag *only = t->files.count ? t->files.items : NULL;
	int rc = build_tags_check_only(t, name, e);

	if (rc)
		return rc;
	if (only && only->id.size && to->build_id.size &&
	    !branch_profile_same_build(&to->build_id, &only->id))
		return error_set(e, SOFTLBR_E_INPUT, name,
				 "%s is of another build of the binary than what it is added to",
				 name);
	if (only && only->id.size)
		to->build_id = only->id;
	return build_tags_select(t, from, 0, to, NULL) ? error_set_nomem(e) : 0;
}
