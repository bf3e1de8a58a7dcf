/* SPDX-License-Identifier: MIT */
#include "converter/gcc/files/counter_keys.h"

#include "base/error.h"
#include "base/file.h"
#include "base/memory.h"

/* Functions by their ident and both checksums, by ident and that of the graph, by ident alone. */
enum search { WHOLE, GRAPH, IDENT, SEARCHES };

static uint64_t first_of(enum search by, uint32_t ident)
{
	return (uint64_t)by << 32 | ident;
}

static uint64_t second_of(enum search by, uint32_t lineno_checksum, uint32_t cfg_checksum)
{
	return by == WHOLE   ? (uint64_t)lineno_checksum << 32 | cfg_checksum
	       : by == GRAPH ? cfg_checksum
			     : 0;
}

/* n = object + 1, m = function; of several the first. */
static int index_object(struct counter_keys *k, size_t object)
{
	const struct gcc_graph *g = &k->keys.objects.items[object].graph;
	const struct gcc_function *f;

	vector_each (&g->functions, f)
		for (unsigned by = 0; by < SEARCHES; by++) {
			struct map_entry *at = map_at(
				&k->functions, first_of((enum search)by, f->ident),
				second_of((enum search)by, f->lineno_checksum, f->cfg_checksum));

			if (!at)
				return -1;
			if (at->n)
				continue;
			at->n = object + 1;
			at->m = (uint64_t)(f - g->functions.items);
		}
	return 0;
}

/* "x.gcno" beside "x.gcda". */
static int read_beside(struct counter_keys *k, const char *path)
{
	struct key_object *o = vector_push(&k->keys.objects);

	return o ? gcno_read_beside(path, &o->graph) : -1;
}

static int read_directory(struct counter_keys *k, const char *path, bool dumps, bool needed,
			  struct softlbr_error *e)
{
	struct softlbr_error own = {0};
	int rc = key_directory_open(&k->keys, path, needed ? e : &own);

	if (rc)
		return needed ? rc : 0;
	for (size_t i = 0; !rc && i < k->keys.objects.count; i++)
		rc = dumps ? key_directory_read(&k->keys, i, e)
			   : key_directory_read_graph(&k->keys, i, e);
	return rc;
}

/* The note of the directory, or of that which the file is in. */
static int read_note(struct counter_keys *k, const struct counter_directory *d)
{
	const char *base = file_base_name(d->path);
	char *directory = d->is_file ? memory_format("%.*s.", (int)(base - d->path), d->path)
				     : memory_copy_string(d->path);
	int rc = directory ? counter_note_read(&k->note, directory) : -1;

	memory_free(directory);
	return rc;
}

int counter_keys_open(struct counter_keys *k, const struct counter_directory *d, const char *path,
		      bool dumps, struct softlbr_error *e)
{
	int rc;

	*k = (struct counter_keys){0};
	rc = read_note(k, d) ? error_set_nomem(e) : 0;
	if (!path)
		path = k->note.keys;
	if (!rc && !path && d->is_file)
		rc = read_beside(k, d->path) ? error_set_nomem(e) : 0;
	else if (!rc)
		rc = read_directory(k, path ? path : d->path, dumps, path, e);
	for (size_t i = 0; !rc && i < k->keys.objects.count; i++)
		if (index_object(k, i))
			rc = error_set_nomem(e);
	return rc;
}

void counter_keys_deinit(struct counter_keys *k)
{
	key_directory_deinit(&k->keys);
	map_deinit(&k->functions);
	counter_note_deinit(&k->note);
}

bool counter_keys_known(const struct counter_keys *k)
{
	return k->functions.count;
}

struct counter_key counter_keys_find(const struct counter_keys *k, const struct counter_function *f)
{
	static const enum counter_match found[SEARCHES] = {
		[WHOLE] = COUNTER_SAME, [GRAPH] = COUNTER_MOVED, [IDENT] = COUNTER_CHANGED};

	for (unsigned by = 0; by < SEARCHES; by++) {
		const struct map_entry *at = map_find(
			&k->functions, first_of((enum search)by, f->ident),
			second_of((enum search)by, f->lineno_checksum, f->cfg_checksum));
		const struct gcc_graph *g;

		if (!at)
			continue;
		g = &k->keys.objects.items[at->n - 1].graph;
		return (struct counter_key){found[by], &g->functions.items[at->m], g};
	}
	return (struct counter_key){.match = COUNTER_GONE};
}

const char *counter_keys_name(const struct counter_keys *k, const struct counter_function *f)
{
	struct counter_key key = counter_keys_find(k, f);

	return key.function ? strings_text(key.graph->strings, key.function->name) : NULL;
}
