/* SPDX-License-Identifier: MIT */
#include "formats/order_files.h"

#include <inttypes.h>
#include <string.h>

#include "base/error.h"

#define HEADING "# softlbr: "

bool order_files_are(const struct file_guard_kind *kind, const uint8_t *data, size_t size)
{
	(void)kind;
	return size >= strlen(HEADING) && !memcmp(data, HEADING, strlen(HEADING));
}

static int begin(const struct function_graph *g, const char *heading, FILE *out,
		 struct softlbr_error *e)
{
	if (!g->functions.count)
		return error_set(e, SOFTLBR_E_EMPTY, NULL,
				 "no function ran: there is nothing to order");
	fprintf(out, HEADING "%s\n", heading);
	return 0;
}

/* A name with white space is none to a linker's parser. */
static bool is_word(const char *name)
{
	return *name && !name[strcspn(name, " \t\r\n#")];
}

int order_files_write_names(const struct function_graph *g, const uint32_t *order, FILE *out,
			    struct softlbr_error *e)
{
	int rc = begin(g, "functions in order, for ld.lld --symbol-ordering-file", out, e);

	for (size_t i = 0; i < g->functions.count && !rc; i++)
		if (is_word(g->functions.items[order[i]].name))
			fprintf(out, "%s\n", g->functions.items[order[i]].name);
	return rc;
}

int order_files_write_sections(const struct function_graph *g, const uint32_t *order, FILE *out,
			       struct softlbr_error *e)
{
	static const char *const before[] = {"", "hot.", "startup.", "unlikely."};
	int rc = begin(g, "sections in order, for ld.gold --section-ordering-file", out, e);

	for (size_t i = 0; i < g->functions.count && !rc; i++)
		for (size_t k = 0; k < sizeof(before) / sizeof(*before); k++)
			if (is_word(g->functions.items[order[i]].name))
				fprintf(out, ".text.%s%s\n", before[k],
					g->functions.items[order[i]].name);
	return rc;
}

int order_files_write_calls(const struct function_graph *g, const uint32_t *order, FILE *out,
			    struct softlbr_error *e)
{
	int rc = begin(g, "calls, for ld.lld --call-graph-ordering-file", out, e);
	const struct graph_call *call;

	(void)order;
	vector_each (&g->calls, call) {
		const char *from = g->functions.items[call->from].name,
			   *to = g->functions.items[call->to].name;

		if (!rc && is_word(from) && is_word(to))
			fprintf(out, "%s %s %" PRIu64 "\n", from, to, call->n);
	}
	return rc;
}
