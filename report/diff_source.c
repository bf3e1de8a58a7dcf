/* SPDX-License-Identifier: MIT */
#include "report/diff_source.h"

#include "base/error.h"
#include "report/declarations.h"

static int add_line(struct diff_source *s, unsigned side, const char *file, uint64_t line,
		    uint64_t count)
{
	uint32_t number = strings_add_text(s->files.names, file);
	struct map_entry *at = number == STRINGS_NONE ? NULL : map_at(&s->lines, number, line);

	if (!at)
		return -1;
	*(side ? &at->m : &at->n) += count;
	s->total[side] += (double)count;
	return 0;
}

static int add_side(struct diff_source *s, unsigned side, const struct declarations *known,
		    const struct source_profile *flat)
{
	const struct source_function *f;
	const struct source_line *l;

	vector_each (&flat->functions, f) {
		const char *name = strings_text(flat->strings, f->name);

		vector_each (&f->lines, l) {
			const char *file = "";
			int64_t line = declarations_line(known, name, l->at.line, &file);

			if (line > 0 && *file && add_line(s, side, file, (uint64_t)line, l->count))
				return -1;
		}
	}
	return 0;
}

int diff_source_read(struct diff_source *out, const struct diff *d, const char *root,
		     struct softlbr_error *e)
{
	int rc = 0;

	*out = (struct diff_source){0};
	if (source_files_init(&out->files))
		return error_set_nomem(e);
	for (unsigned side = 0; side < 2 && !rc; side++) {
		struct declarations known = {0};
		struct source_profile flat;

		if (source_flatten_profile(&d->sides[side].counts.source, &flat))
			rc = error_set_nomem(e);
		if (!rc)
			rc = declarations_read(&known, d->binary, &d->sides[side].counts.source, e);
		if (!rc && add_side(out, side, &known, &flat))
			rc = error_set_nomem(e);
		source_profile_deinit(&flat);
		declarations_deinit(&known);
	}
	return rc ? rc : source_files_find(&out->files, root, e);
}

void diff_source_deinit(struct diff_source *s)
{
	source_files_deinit(&s->files);
	map_deinit(&s->lines);
}
