/* SPDX-License-Identifier: MIT */
#include "converter/update/source_tree.h"

#include <string.h>

#include "base/error.h"
#include "base/file_tree.h"
#include "base/memory.h"
#include "base/order.h"

static bool is_source(const char *name)
{
	static const char *const suffixes[] = {".c",   ".h",   ".cc",  ".cpp", ".cxx", ".C",
					       ".c++", ".hh",  ".hpp", ".hxx", ".H",   ".h++",
					       ".inc", ".inl", ".ipp", ".tcc", ".def", NULL};

	for (size_t i = 0; suffixes[i]; i++)
		if (file_name_ends(name, suffixes[i]))
			return true;
	return false;
}

static struct source_tree_file *add_file(struct source_tree *t, const char *path, size_t length)
{
	struct source_tree_file *file = vector_push(&t->files);

	if (file)
		file->path = memory_format("%.*s", (int)length, path);
	return file && file->path ? file : NULL;
}

static int read_functions(struct source_tree *t, struct strings *strings, struct softlbr_error *e)
{
	for (uint32_t i = 0; i < t->files.count; i++)
		if (c_functions_read(&t->functions, t->files.items[i].text, i, strings))
			return error_set_nomem(e);
	return 0;
}

static int read_file(struct source_tree *t, const char *directory, const char *path,
		     struct softlbr_error *e)
{
	struct source_tree_file *file = add_file(t, path, strlen(path));
	char *whole = file ? memory_format("%s/%s", directory, path) : NULL;
	int rc = whole ? file_view_open(&file->view, whole, e) : error_set_nomem(e);

	if (!rc)
		file->text = (struct text){(const char *)file->view.data,
					   (const char *)file->view.data + file->view.size};
	memory_free(whole);
	return rc;
}

int source_tree_read(struct source_tree *t, const char *directory, struct strings *strings,
		     struct softlbr_error *e)
{
	struct file_tree files;
	int rc = file_tree_list(&files, directory, is_source, e);
	char **path;

	vector_each (&files.paths, path)
		if (!rc)
			rc = read_file(t, directory, *path + strspn(*path, "/"), e);
	file_tree_deinit(&files);
	if (!rc && !t->files.count)
		rc = error_set(e, SOFTLBR_E_INPUT, directory,
			       "%s: there is no file of C or C++ in it: give the directory of the "
			       "program's sources",
			       directory);
	return rc ?: read_functions(t, strings, e);
}

static const struct unified_diff_file *find_in_diff(const struct unified_diff *diff,
						    const char *path, bool reverse)
{
	const struct unified_diff_file *file;

	vector_each (&diff->files, file)
		if (unified_diff_path_is(reverse ? file->new_path : file->old_path, path))
			return file;
	return NULL;
}

/* Without git's a/ or b/, or the name of the directory that was compared. */
static struct text without_first_folder(struct text path)
{
	const char *slash = memchr(path.at, '/', text_length(path));

	return slash ? (struct text){slash + 1, path.end} : path;
}

static int patch_file(struct source_tree *t, const struct source_tree_file *from,
		      const struct unified_diff *diff, bool reverse, struct softlbr_error *e)
{
	const struct unified_diff_file *change = find_in_diff(diff, from->path, reverse);
	struct text path = {from->path, from->path + strlen(from->path)};
	struct source_tree_file *file;
	size_t size;

	if (change) {
		struct text other = reverse ? change->old_path : change->new_path;

		if (!text_length(other))
			return 0; /* not there any more */
		if (!unified_diff_path_is(other, from->path))
			path = change->renamed ? other : without_first_folder(other);
	}
	file = add_file(t, path.at, text_length(path));
	if (!file)
		return error_set_nomem(e);
	file->text = from->text;
	if (!change)
		return 0;
	file->made = unified_diff_apply(diff, change, from->text, reverse, &size, e);
	if (!file->made)
		return -e->code;
	file->text = (struct text){file->made, file->made + size};
	return 0;
}

/* Files that are on one side alone are in the diff as a whole. */
static int make_file(struct source_tree *t, const struct unified_diff *diff,
		     const struct unified_diff_file *change, bool reverse, struct softlbr_error *e)
{
	struct text path = without_first_folder(reverse ? change->old_path : change->new_path);
	struct source_tree_file *file = add_file(t, path.at, text_length(path));
	size_t size;

	if (!file)
		return error_set_nomem(e);
	if (!is_source(file->path)) {
		memory_free(file->path);
		t->files.count--;
		return 0;
	}
	file->made = unified_diff_apply(diff, change, (struct text){"", ""}, reverse, &size, e);
	if (!file->made)
		return -e->code;
	file->text = (struct text){file->made, file->made + size};
	return 0;
}

ORDER_BY(compare_paths, struct source_tree_file, strcmp(a->path, b->path));

int source_tree_patch(struct source_tree *t, const struct source_tree *from,
		      const struct unified_diff *diff, bool reverse, struct strings *strings,
		      struct softlbr_error *e)
{
	const struct unified_diff_file *change;
	const struct source_tree_file *file;
	int rc = 0;

	vector_each (&from->files, file)
		if (!rc)
			rc = patch_file(t, file, diff, reverse, e);
	vector_each (&diff->files, change)
		if (!rc && change->count &&
		    !text_length(reverse ? change->new_path : change->old_path))
			rc = make_file(t, diff, change, reverse, e);
	vector_sort(&t->files, compare_paths);
	return rc ?: read_functions(t, strings, e);
}

void source_tree_deinit(struct source_tree *t)
{
	struct source_tree_file *file;

	vector_each (&t->files, file) {
		memory_free(file->path);
		memory_free(file->made);
		file_view_close(&file->view);
	}
	vector_deinit(&t->files);
	c_functions_deinit(&t->functions);
}
