/* SPDX-License-Identifier: MIT */
#include "converter/gcc/files/key_directory.h"

#include <errno.h>
#include <fts.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "base/error.h"
#include "base/file.h"
#include "base/memory.h"
#include "base/order.h"

#define GCNO ".gcno"

static bool ends(const char *text, size_t length, const char *with)
{
	size_t n = strlen(with);

	return length > n && !memcmp(text + length - n, with, n);
}

/* Is @rest, what follows the object's name, that of a dump: ".profile", ".c.069i.profile"? At most
 * the suffix of a source file stands before ".069i". */
static bool is_dump_suffix(const char *rest)
{
	size_t length = strlen(rest), digits = 0, at;

	if (!strcmp(rest, KEY_DIRECTORY_DUMP))
		return true;
	if (!ends(rest, length, "i" KEY_DIRECTORY_DUMP) || strchr(rest, '/'))
		return false;
	for (at = length - strlen("i" KEY_DIRECTORY_DUMP);
	     at && rest[at - 1] >= '0' && rest[at - 1] <= '9'; at--)
		digits++;
	if (!digits || !at || rest[at - 1] != '.' || rest[0] != '.')
		return false;
	return at == 1 || strchr(rest + 1, '.') == rest + at - 1;
}

struct files {
	VECTOR(char *) paths; /* below the directory; .gcno files and dumps */
};

static void deinit_files(struct files *f)
{
	char **path;

	vector_each (&f->paths, path)
		memory_free(*path);
	vector_deinit(&f->paths);
}

static int add_file(struct files *f, const char *path)
{
	char **slot = vector_push(&f->paths);

	if (slot)
		*slot = memory_copy_string(path);
	return slot && *slot ? 0 : -1;
}

static int directory_walk(struct files *files, FTS *fts, const char *root, size_t above,
			  struct softlbr_error *e)
{
	int rc = 0;
	FTSENT *at;

	while (!rc && (errno = 0, at = fts_read(fts))) {
		if (at->fts_info == FTS_DNR || at->fts_info == FTS_ERR || at->fts_info == FTS_NS) {
			errno = at->fts_errno;
			return error_set_errno(e, at->fts_path, "cannot read %s", at->fts_path);
		}
		if (at->fts_info == FTS_F &&
		    (ends(at->fts_name, at->fts_namelen, GCNO) ||
		     ends(at->fts_name, at->fts_namelen, KEY_DIRECTORY_DUMP)))
			rc = add_file(files, at->fts_path + above);
	}
	if (rc)
		return error_set_nomem(e);
	return errno ? error_set_errno(e, root, "cannot read %s", root) : 0;
}

static int list_files(struct files *files, const char *path, struct softlbr_error *e)
{
	char *roots[] = {memory_copy_string(path), NULL};
	size_t above = strlen(path);
	FTS *fts;
	int rc;

	if (!roots[0])
		return error_set_nomem(e);
	while (above > 1 && roots[0][above - 1] == '/') /* as fts has it */
		roots[0][--above] = 0;
	fts = fts_open(roots, FTS_PHYSICAL | FTS_COMFOLLOW | FTS_NOCHDIR, NULL);
	rc = fts ? directory_walk(files, fts, path, above + (path[above - 1] != '/'), e)
		 : error_set_errno(e, path, "cannot read %s", path);
	if (fts)
		fts_close(fts);
	memory_free(roots[0]);
	vector_sort(&files->paths, order_texts);
	return rc;
}

/* The dump of the object whose name is @name[0..length): names that begin alike are neighbours. */
static const char *find_dump(const struct files *f, const char *name, size_t length)
{
	char *const *path;
	size_t low = vector_count_while(&f->paths, path, strncmp(*path, name, length) < 0);

	for (; low < f->paths.count && !strncmp(f->paths.items[low], name, length); low++)
		if (is_dump_suffix(f->paths.items[low] + length))
			return f->paths.items[low];
	return NULL;
}

static int read_gcno(struct key_object *o, const char *path, struct softlbr_error *e)
{
	struct file_view v;
	int rc = file_view_open(&v, path, e);

	if (rc)
		return rc;
	rc = gcno_read_bytes(v.data, v.size, path, &o->graph, e);
	file_view_close(&v);
	return rc;
}

/* What the dump says better. */
static void drop_lines(struct gcc_graph *g)
{
	struct gcc_function *f;

	vector_each (&g->functions, f)
		if (f->blocks.count)
			vector_deinit(&f->lines);
}

/* Not being one of this .gcno file is no error: the object goes on without it. */
static int read_dump(struct key_directory *d, struct key_object *o, const char *path,
		     struct softlbr_error *e)
{
	struct softlbr_error why = {0};
	struct file_view v;
	int rc = file_view_open(&v, path, e);

	if (rc)
		return rc;
	rc = gcc_dump_read_bytes(v.data, v.size, path, &o->graph, &why);
	file_view_close(&v);
	if (rc == -SOFTLBR_E_SYSTEM)
		return error_set_nomem(e);
	o->dumped = !rc;
	drop_lines(&o->graph);
	if (rc && !d->refused++)
		d->refusal = why;
	return 0;
}

static void directory_count(struct key_directory *d, const struct key_object *o)
{
	const struct gcc_function *f;

	d->without_dump += !o->dumped;
	d->functions += o->graph.functions.count;
	vector_each (&o->graph.functions, f)
		d->functions_without += !f->blocks.count;
}

static int add_object(struct key_directory *d, const struct files *files, const char *file)
{
	struct key_object *o = vector_push(&d->objects);
	const char *dump;

	if (!o)
		return -1;
	o->name = memory_copy_string(file);
	if (!o->name)
		return -1;
	o->name[strlen(file) - strlen(GCNO)] = 0;
	dump = find_dump(files, o->name, strlen(o->name));
	o->dump = dump ? memory_copy_string(dump) : NULL;
	return dump && !o->dump ? -1 : 0;
}

int key_directory_read(struct key_directory *d, size_t object, struct softlbr_error *e)
{
	struct key_object *o = &d->objects.items[object];
	char *path = memory_format("%s/%s" GCNO, d->path, o->name),
	     *dump = o->dump ? memory_format("%s/%s", d->path, o->dump) : NULL;
	int rc = !path || (o->dump && !dump) ? error_set_nomem(e) : read_gcno(o, path, e);

	if (!rc && dump)
		rc = read_dump(d, o, dump, e);
	directory_count(d, o);
	memory_free(path);
	memory_free(dump);
	return rc;
}

/* Directories of others' making have none. */
static int read_note(struct key_directory *d, const char *directory, struct softlbr_error *e)
{
	static const char word[] = "root ";
	char *path = memory_format("%s/" KEY_DIRECTORY_NOTE, directory), *line = NULL;
	FILE *f = path ? fopen(path, "re") : NULL;
	size_t room = 0;
	ssize_t length;

	while (f && !d->root && (length = getline(&line, &room, f)) > 0) {
		if (line[length - 1] == '\n')
			line[length - 1] = 0;
		if (!strncmp(line, word, sizeof(word) - 1))
			d->root = memory_copy_string(line + sizeof(word) - 1);
	}
	if (f)
		fclose(f);
	free(line);
	memory_free(path);
	return path ? 0 : error_set_nomem(e);
}

int key_directory_open(struct key_directory *d, const char *path, struct softlbr_error *e)
{
	struct files files = {0};
	int rc;

	*d = (struct key_directory){.path = memory_copy_string(path)};
	rc = d->path ? list_files(&files, path, e) : error_set_nomem(e);
	if (!rc)
		rc = read_note(d, path, e);
	for (size_t i = 0; !rc && i < files.paths.count; i++)
		if (ends(files.paths.items[i], strlen(files.paths.items[i]), GCNO) &&
		    add_object(d, &files, files.paths.items[i]))
			rc = error_set_nomem(e);
	deinit_files(&files);
	if (!rc && !d->objects.count)
		rc = error_set(e, SOFTLBR_E_INPUT, path,
			       "there is no .gcno file below %s: make it by softlbr gcc-keys",
			       path);
	return rc;
}

void key_directory_deinit(struct key_directory *d)
{
	struct key_object *o;

	vector_each (&d->objects, o) {
		memory_free(o->name);
		memory_free(o->dump);
		gcc_graph_deinit(&o->graph);
	}
	vector_deinit(&d->objects);
	memory_free(d->path);
	memory_free(d->root);
	d->path = d->root = NULL;
}
