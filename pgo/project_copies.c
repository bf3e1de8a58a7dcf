/* SPDX-License-Identifier: MIT */
#include "pgo/project_copies.h"

#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

#include "base/error.h"
#include "base/file_tree.h"
#include "converter/elf/elf_file.h"

/* Programs and libraries can be executed, or are named so. */
static bool may_be_copy(const char *path)
{
	const char *name = file_base_name(path);
	struct stat s;

	return !stat(path, &s) && S_ISREG(s.st_mode) && s.st_size > 4096 &&
	       (s.st_mode & 0111 || strstr(name, ".so"));
}

static bool read_build_id(const char *path, struct build_id *id)
{
	struct elf_file *f = elf_file_open(path, NULL);

	*id = f ? *elf_file_build_id(f) : (struct build_id){0};
	elf_file_close(f);
	return id->size != 0;
}

static bool is_program(const struct project *p, const char *path)
{
	char *const *program;

	vector_each (&p->programs, program)
		if (!strcmp(*program, path))
			return true;
	return false;
}

static int add_if_copy(struct project *p, const struct build_id *ids, const char *path,
		       struct softlbr_error *e)
{
	struct build_id id;
	char *text;
	int rc = 0;

	if (!may_be_copy(path) || is_program(p, path) || !read_build_id(path, &id))
		return 0;
	for (size_t i = 0; i < p->programs.count && !rc; i++) {
		if (!branch_profile_same_build(&ids[i], &id))
			continue;
		text = memory_format("%zu %s", i + 1, path);
		rc = text ? project_texts_add(&p->copies, text, e) : error_set_nomem(e);
		memory_free(text);
	}
	return rc;
}

int project_copies_find(struct project *p, struct softlbr_error *e)
{
	struct build_id *ids = memory_alloc_array(p->programs.count + 1, sizeof(*ids));
	struct file_tree files = {0};
	int rc = ids ? file_tree_list(&files, p->directory, NULL, e) : error_set_nomem(e);

	project_texts_deinit(&p->copies);
	for (size_t i = 0; i < p->programs.count && !rc; i++)
		read_build_id(p->programs.items[i], &ids[i]);
	for (size_t i = 0; i < files.paths.count && !rc; i++) {
		char *path = memory_format("%s/%s", p->directory, files.paths.items[i]);

		if (!path)
			rc = error_set_nomem(e);
		else if (strncmp(path, p->state, strlen(p->state)))
			rc = add_if_copy(p, ids, path, e);
		memory_free(path);
	}
	file_tree_deinit(&files);
	memory_free(ids);
	return rc;
}

const char *project_copy(const struct project *p, size_t i, size_t *program)
{
	char *path;

	*program = strtoul(p->copies.items[i], &path, 10) - 1;
	return path + 1;
}
