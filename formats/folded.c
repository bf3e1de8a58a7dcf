/* SPDX-License-Identifier: MIT */
/* Folded stacks: a line per call path, "main;compress;deflate 12034", as flamegraph.pl and most
 * viewers of flame graphs read them. */
#include "formats/call_tree_formats.h"

#include <inttypes.h>
#include <string.h>

#include "base/error.h"
#include "base/memory.h"

/* A path in order of its names, for lines to be sorted by. */
struct line {
	const struct call_tree *tree;
	size_t *path;
	size_t depth;
};

static int by_names(const void *x, const void *y)
{
	const struct line *a = x, *b = y;

	for (size_t i = 0; i < a->depth && i < b->depth; i++) {
		int rc = strcmp(call_tree_name(a->tree, a->path[i]),
				call_tree_name(b->tree, b->path[i]));

		if (rc)
			return rc;
	}
	return (a->depth > b->depth) - (a->depth < b->depth);
}

/* What separates frames and lines can't be in a name. */
static void write_name(const char *name, FILE *stream)
{
	for (; *name; name++)
		fputc(*name == ';' ? ':' : (unsigned char)*name < ' ' ? '?' : *name, stream);
}

static void write_line(const struct line *l, FILE *stream)
{
	const struct call_tree *t = l->tree;

	for (size_t i = 0; i < l->depth; i++) {
		if (i)
			fputc(';', stream);
		write_name(call_tree_name(t, l->path[i]), stream);
	}
	fprintf(stream, " %" PRIu64 "\n", t->nodes.items[l->path[l->depth - 1]].self);
}

int folded_write(const struct call_tree *t, FILE *stream, struct softlbr_error *e)
{
	VECTOR(struct line) lines = {0};
	struct line *l;
	int rc = 0;

	for (size_t i = 1; !rc && i < t->nodes.count; i++) {
		if (!t->nodes.items[i].self)
			continue;
		l = vector_push(&lines);
		if (!l) {
			rc = -1;
			break;
		}
		*l = (struct line){.tree = t, .depth = call_tree_depth(t, i) + 1};
		l->path = memory_alloc_array(l->depth, sizeof(*l->path));
		rc = l->path ? 0 : -1;
		if (!rc)
			call_tree_path(t, i, l->path, l->depth);
	}
	if (!rc) {
		vector_sort(&lines, by_names);
		vector_each (&lines, l)
			write_line(l, stream);
	}
	vector_each (&lines, l)
		memory_free(l->path);
	vector_deinit(&lines);
	return rc ? error_set_nomem(e) : 0;
}
