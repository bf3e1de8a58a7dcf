/* SPDX-License-Identifier: MIT */
/* The table of functions. */
#include "report/show_private.h"

#define FUNCTION_COLUMNS "share, entries, address, function"

void show_put_functions(struct show *s, const struct show_part *parts, size_t count)
{
	bool samples = true, modules = false;
	uint64_t weight = 0;

	for (size_t n = 0; n < count; n++) {
		weight = source_count_add(weight, parts[n].functions.weight);
		samples &= !parts[n].profile->ranges.count;
		modules |= parts[n].module != NULL;
	}
	/* a table of one binary has no column for the module */
	if (samples)
		document_table(s->out, "functions", "Functions by samples",
			       modules ? "samples, " FUNCTION_COLUMNS ", module"
				       : "samples, " FUNCTION_COLUMNS);
	else
		document_table(s->out, "functions", "Functions by instructions executed",
			       modules ? "instructions, " FUNCTION_COLUMNS ", module"
				       : "instructions, " FUNCTION_COLUMNS);
	for (size_t n = 0; n < count; n++) {
		const struct map_entry *i;
		const struct binary_function *all;
		size_t functions;

		if (!parts[n].binary)
			continue;
		all = binary_functions(parts[n].binary, &functions);
		map_each (&parts[n].functions.of, i) {
			document_put_number(s->out, i->n);
			document_put_share(s->out, i->n, weight);
			document_put_number(s->out, i->m);
			document_put_address(s->out, all[i->a].begin);
			document_put_symbol(s->out, all[i->a].name);
			if (modules)
				document_put_text(s->out, file_base_name(parts[n].module));
		}
	}
	document_rank(s->out, 0, s->options->top);
}
