/* SPDX-License-Identifier: MIT */
#include "cli/report_trees.h"

#include <string.h>

#include "base/error.h"
#include "base/file_output.h"
#include "base/json.h"
#include "base/memory.h"
#include "cli/cli.h"
#include "formats/call_tree_formats.h"

enum { FOLDED, SPEEDSCOPE, PPROF, FORMATS };

static const char *const names[] = {"folded", "speedscope", "pprof", NULL};

/* A line of text that ends in a number, behind frames. */
static bool is_folded(const struct file_guard_kind *kind, const uint8_t *data, size_t size)
{
	const uint8_t *end = memchr(data, '\n', size);
	size_t length = end ? (size_t)(end - data) : 0, digits = 0;

	(void)kind;
	while (digits < length && data[length - 1 - digits] >= '0' &&
	       data[length - 1 - digits] <= '9')
		digits++;
	return digits && digits < length && data[length - 1 - digits] == ' ';
}

static bool is_speedscope(const struct file_guard_kind *kind, const uint8_t *data, size_t size)
{
	static const char schema[] = "speedscope.app";

	(void)kind;
	return memmem(data, size < 256 ? size : 256, schema, sizeof(schema) - 1);
}

static bool is_gzip(const struct file_guard_kind *kind, const uint8_t *data, size_t size)
{
	(void)kind;
	return size >= 2 && data[0] == 0x1f && data[1] == 0x8b;
}

static const struct file_guard_kind kinds[FORMATS] = {
	[FOLDED] = {.name = "folded stacks", .is = is_folded},
	[SPEEDSCOPE] = {.name = "a profile of speedscope", .is = is_speedscope},
	[PPROF] = {.name = "a profile of pprof", .is = is_gzip},
};

void cli_tree_output_add(struct cli_tree_outputs *o, const char *text, struct argp_state *state)
{
	const char *equals = strchr(text, '=');
	char *format = equals ? strndup(text, (size_t)(equals - text)) : NULL;
	struct cli_tree_output *output;

	if (!equals || !equals[1] || !format)
		argp_error(state, "--to %s: give FORMAT=FILE: folded, speedscope or pprof", text);
	output = vector_push(&o->list);
	if (!output)
		argp_failure(state, 1, 0, "out of memory");
	else
		*output = (struct cli_tree_output){cli_choice("to", names, format, state),
						   equals + 1};
	free(format);
}

int cli_tree_outputs_check(const struct cli_tree_outputs *o, struct file_guard *g, bool force,
			   struct softlbr_error *e)
{
	const struct cli_tree_output *output;
	int rc = 0;

	vector_each (&o->list, output) {
		if (!rc)
			rc = file_guard_output(g, output->path, e);
		if (!rc && !force)
			rc = file_guard_replace(output->path, &kinds[output->format], e);
	}
	return rc;
}

static int write_one(unsigned format, const struct call_tree *t, const char *name, FILE *stream,
		     struct softlbr_error *e)
{
	switch (format) {
	case FOLDED:
		return folded_write(t, stream, e);
	case SPEEDSCOPE:
		return speedscope_write(t, name, stream, e);
	default:
		return pprof_write(t, stream, e);
	}
}

int cli_tree_outputs_write(const struct cli_tree_outputs *o, const struct call_tree *t,
			   const char *name, struct softlbr_error *e)
{
	const struct cli_tree_output *output;
	struct file_outputs files = {0};
	FILE *stream;
	int rc = 0;

	vector_each (&o->list, output) {
		if (!rc)
			rc = file_outputs_open(&files, output->path, &stream, e);
		if (!rc)
			rc = write_one(output->format, t, name, stream, e);
		if (!rc)
			rc = file_outputs_finish(&files, e);
	}
	if (!rc)
		rc = file_outputs_commit(&files, e);
	file_outputs_abandon(&files);
	return rc;
}
