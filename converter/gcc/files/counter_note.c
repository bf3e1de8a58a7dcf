/* SPDX-License-Identifier: MIT */
#include "converter/gcc/files/counter_note.h"

#include <inttypes.h>
#include <math.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "base/memory.h"

static const char head[] = COUNTER_NOTE " 1\n";

bool counter_note_is(const uint8_t *data, size_t size)
{
	return size >= sizeof(COUNTER_NOTE) && !memcmp(data, head, sizeof(COUNTER_NOTE) - 1);
}

static int take_keys(struct counter_note *n, const char *directory, const char *path)
{
	char *whole = *path == '/' ? memory_copy_string(path)
				   : memory_format("%s/%s", directory, path);

	if (!whole)
		return -1;
	if (n->keys || access(whole, R_OK))
		memory_free(whole);
	else
		n->keys = whole;
	return 0;
}

static int take_line(struct counter_note *n, const char *directory, char *line)
{
	line[strcspn(line, "\n")] = '\0';
	if (!strncmp(line, "keys ", 5))
		return take_keys(n, directory, line + 5);
	sscanf(line, "traces %" SCNu64, &n->traces);
	if (sscanf(line, "overlap %lf %lf %lf %lf %u %lf %lf", &n->value, &n->low, &n->high,
		   &n->by_noise, &n->cause, &n->untimed, &n->seconds) == 7)
		n->has_overlap = isfinite(n->value) && isfinite(n->low) && isfinite(n->high) &&
				 isfinite(n->by_noise);
	return 0;
}

int counter_note_read(struct counter_note *n, const char *directory)
{
	char *path = memory_format("%s/" COUNTER_NOTE, directory), *line = NULL;
	FILE *f = path ? fopen(path, "re") : NULL;
	size_t room = 0;
	int rc = path ? 0 : -1;

	*n = (struct counter_note){.seconds = NAN};
	while (f && !rc && getline(&line, &room, f) > 0)
		rc = take_line(n, directory, line);
	n->is_known = f;
	if (f)
		fclose(f);
	free(line);
	memory_free(path);
	return rc;
}

void counter_note_deinit(struct counter_note *n)
{
	memory_free(n->keys);
	n->keys = NULL;
}

/* What both have in common, to the slash behind it. */
static size_t common_part(const char *from, const char *to)
{
	size_t part = 0;

	for (size_t i = 0; from[i] == to[i] && from[i]; i++)
		if (from[i] == '/')
			part = i + 1;
	return part;
}

/* The way to @path from @directory, both of which are there. */
static int put_path(const char *directory, const char *path, FILE *out)
{
	char *here = realpath(directory, NULL), *there = realpath(path, NULL);
	char *from = here ? memory_format("%s/", here) : NULL;
	char *to = there ? memory_format("%s/", there) : NULL;
	size_t part;

	if (from && to) {
		part = common_part(from, to);
		fputs("keys ", out);
		for (const char *at = from + part; *at; at++)
			if (*at == '/')
				fputs("../", out);
		to[strlen(to) - 1] = '\0';
		fprintf(out, "%s\n", to + part);
	}
	free(here);
	free(there);
	memory_free(from);
	memory_free(to);
	return from && to ? 0 : -1;
}

int counter_note_write(const struct counter_note *n, const char *directory, FILE *out)
{
	fputs(head, out);
	if (n->keys && put_path(directory, n->keys, out))
		return -1;
	fprintf(out, "traces %" PRIu64 "\n", n->traces);
	if (n->has_overlap)
		fprintf(out, "overlap %.6g %.6g %.6g %.6g %u %.6g %.6g\n", n->value, n->low,
			n->high, n->by_noise, n->cause, n->untimed, n->seconds);
	return 0;
}
