/* SPDX-License-Identifier: MIT */
#include "converter/gcc/files/key_directory.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "base/error.h"
#include "base/file.h"
#include "base/file_tree.h"
#include "base/memory.h"

#define GCNO ".gcno"

/* Is @rest, what follows the object's name, that of a dump: ".profile", ".c.069i.profile"? At most
 * the suffix of a source file stands before ".069i". */
static bool is_dump_suffix(const char *rest)
{
	size_t length = strlen(rest), digits = 0, at;

	if (!strcmp(rest, KEY_DIRECTORY_DUMP))
		return true;
	if (!file_name_ends(rest, "i" KEY_DIRECTORY_DUMP) || strchr(rest, '/'))
		return false;
	for (at = length - strlen("i" KEY_DIRECTORY_DUMP);
	     at && rest[at - 1] >= '0' && rest[at - 1] <= '9'; at--)
		digits++;
	if (!digits || !at || rest[at - 1] != '.' || rest[0] != '.')
		return false;
	return at == 1 || strchr(rest + 1, '.') == rest + at - 1;
}

static bool is_key(const char *name)
{
	return file_name_ends(name, GCNO) || file_name_ends(name, KEY_DIRECTORY_DUMP);
}

/* The dump of the object whose name is @name[0..length): names that begin alike are neighbours. */
static const char *find_dump(const struct file_tree *f, const char *name, size_t length)
{
	char *const *path;
	size_t low = vector_count_while(&f->paths, path, strncmp(*path, name, length) < 0);

	for (; low < f->paths.count && !strncmp(f->paths.items[low], name, length); low++)
		if (is_dump_suffix(f->paths.items[low] + length))
			return f->paths.items[low];
	return NULL;
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

static int add_object(struct key_directory *d, const struct file_tree *files, const char *file)
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

int key_directory_read_graph(struct key_directory *d, size_t object, struct softlbr_error *e)
{
	struct key_object *o = &d->objects.items[object];
	char *path = memory_format("%s/%s" GCNO, d->path, o->name);
	struct file_view v;
	int rc = path ? file_view_open(&v, path, e) : error_set_nomem(e);

	if (!rc) {
		rc = gcno_read_bytes(v.data, v.size, path, &o->graph, e);
		file_view_close(&v);
	}
	memory_free(path);
	return rc;
}

int key_directory_read(struct key_directory *d, size_t object, struct softlbr_error *e)
{
	struct key_object *o = &d->objects.items[object];
	char *dump = o->dump ? memory_format("%s/%s", d->path, o->dump) : NULL;
	int rc = o->dump && !dump ? error_set_nomem(e) : key_directory_read_graph(d, object, e);

	if (!rc && dump)
		rc = read_dump(d, o, dump, e);
	directory_count(d, o);
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
	struct file_tree files = {0};
	int rc;

	*d = (struct key_directory){.path = memory_copy_string(path)};
	rc = d->path ? file_tree_list(&files, path, is_key, e) : error_set_nomem(e);
	if (!rc)
		rc = read_note(d, path, e);
	for (size_t i = 0; !rc && i < files.paths.count; i++)
		if (file_name_ends(files.paths.items[i], GCNO) &&
		    add_object(d, &files, files.paths.items[i]))
			rc = error_set_nomem(e);
	file_tree_deinit(&files);
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
