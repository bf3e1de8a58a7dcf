/* SPDX-License-Identifier: MIT */
#include "formats/propeller.h"

#include <inttypes.h>

#include "base/error.h"

static int begin(const struct block_layout *l, const char *heading, FILE *out,
		 struct softlbr_error *e)
{
	if (!l->functions.count)
		return error_set(e, SOFTLBR_E_EMPTY, NULL,
				 "no function that ran has a block address map: there is nothing "
				 "to lay out");
	fprintf(out, "# softlbr: %s\n", heading);
	return 0;
}

static void write_names(const struct block_layout *l, const struct laid_function *f,
			const char *before, FILE *out)
{
	for (uint32_t i = 0; i < f->names; i++)
		fprintf(out, "%s%s", i ? before : "", l->names.items[f->name + i]);
}

static void write_head(const struct block_layout *l, const struct laid_function *f,
		       enum propeller_form form, FILE *out)
{
	if (form == PROPELLER_V1) {
		if (f->module)
			fprintf(out, "m %s\n", f->module);
		fputs("f ", out);
		write_names(l, f, " ", out);
	} else {
		fputc('!', out);
		write_names(l, f, "/", out);
	}
	fputc('\n', out);
}

int propeller_write_blocks(const struct block_layout *l, enum propeller_form form, FILE *out,
			   struct softlbr_error *e)
{
	int rc = begin(l, "blocks, for clang -fbasic-block-sections=list=", out, e);
	const struct laid_function *f;

	if (!rc && form == PROPELLER_V1)
		fputs("v1\n", out);
	vector_each (&l->functions, f) {
		write_head(l, f, form, out);
		fputs(form == PROPELLER_V1 ? "c" : "!!", out);
		for (uint32_t i = 0; i < f->ids; i++)
			fprintf(out, "%s%" PRIu32, i ? " " : "", l->ids.items[f->id + i]);
		fputc('\n', out);
	}
	return rc;
}

/* An alias is in the same section: which of the names that has, the compiler knows. */
static void write_symbols(const struct block_layout *l, const struct laid_function *f,
			  const char *part, FILE *out)
{
	for (uint32_t i = 0; i < f->names; i++)
		fprintf(out, "%s%s\n", l->names.items[f->name + i], part);
}

int propeller_write_symbols(const struct block_layout *l, const uint32_t *order, FILE *out,
			    struct softlbr_error *e)
{
	int rc = begin(l, "symbols in order, for ld.lld --symbol-ordering-file", out, e);

	for (size_t i = 0; i < l->functions.count; i++)
		write_symbols(l, &l->functions.items[order[i]], "", out);
	for (size_t i = 0; i < l->functions.count; i++)
		if (l->functions.items[order[i]].has_cold)
			write_symbols(l, &l->functions.items[order[i]], ".cold", out);
	return rc;
}
