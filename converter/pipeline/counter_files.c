/* SPDX-License-Identifier: MIT */
#include "converter/pipeline/counter_files.h"

#include <limits.h>
#include <string.h>
#include <unistd.h>

#include "base/error.h"
#include "base/file.h"
#include "base/file_tree.h"
#include "converter/gcc/files/counter_note.h"
#include "formats/profile_kind.h"

/* The directories that @path is in, from the one behind @from on. */
static int make_directories(char *path, size_t from, struct softlbr_error *e)
{
	int rc = 0;

	for (char *slash = path + from; !rc && (slash = strchr(slash, '/')); slash++) {
		*slash = '\0';
		rc = file_directory_make(path, 0777, NULL, e);
		*slash = '/';
	}
	return rc;
}

static bool is_note(const struct file_guard_kind *kind, const uint8_t *data, size_t size)
{
	(void)kind;
	return counter_note_is(data, size);
}

int counter_files_open(const char *directory, const char *name, struct file_guard *guard,
		       bool force, struct file_outputs *to, FILE **out, struct softlbr_error *e)
{
	struct file_guard_kind kind = strcmp(name, COUNTER_NOTE) != 0
					      ? profile_kind_guarded(PROFILE_GCDA)
					      : (struct file_guard_kind){
							.name = "a note of softlbr", .is = is_note};
	char path[PATH_MAX];
	int rc;

	if (snprintf(path, sizeof(path), "%s/%s", directory, name) >= (int)sizeof(path))
		return error_set(e, SOFTLBR_E_SYSTEM, directory, "%s/%s: the name is too long",
				 directory, name);
	rc = make_directories(path, strlen(directory) + 1, e);
	if (!rc && guard)
		rc = file_guard_output(guard, path, e);
	if (!rc && !force)
		rc = file_guard_replace(path, &kind, e);
	return rc ?: file_outputs_open(to, path, out, e);
}

static bool is_gcda(const char *name)
{
	return file_name_ends(name, ".gcda");
}

/* Files that are not written anew would be taken for a part of the sum. */
static int refuse_others(const struct counter_directory *d, const char *path,
			 struct softlbr_error *e)
{
	struct file_tree there;
	int rc = access(path, F_OK) ? 1 : file_tree_list(&there, path, is_gcda, e);
	size_t at = 0;

	if (rc)
		return rc > 0 ? 0 : rc;
	for (size_t i = 0; !rc && i < there.paths.count; i++) {
		const char *name = there.paths.items[i];

		while (at < d->objects.count && strcmp(d->objects.items[at].name, name) < 0)
			at++;
		if (at == d->objects.count || strcmp(d->objects.items[at].name, name) != 0)
			rc = error_set(e, SOFTLBR_E_USAGE, path,
				       "%s has counters of another object, %s: write to a new "
				       "directory, or give --force",
				       path, name);
	}
	file_tree_deinit(&there);
	return rc;
}

int counter_files_write(const struct counter_directory *d, const char *path, bool force,
			struct softlbr_error *e)
{
	struct file_outputs to = {0};
	const struct counter_object *o;
	FILE *out;
	int rc;

	if (d->is_file)
		return gcda_write(&d->objects.items[0].counters, path, e);
	rc = file_directory_make(path, 0777, NULL, e);
	if (!rc && !force)
		rc = refuse_others(d, path, e);
	vector_each (&d->objects, o) {
		rc = rc ?: counter_files_open(path, o->name, NULL, force, &to, &out, e);
		if (rc)
			break;
		gcda_write_to(&o->counters, out);
		rc = file_outputs_finish(&to, e);
	}
	if (!rc)
		return file_outputs_commit(&to, e);
	file_outputs_abandon(&to);
	return rc;
}
