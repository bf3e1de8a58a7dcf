/* SPDX-License-Identifier: MIT */
/* Counters for gcc -fprofile-use: functions, and what was counted of them. */
#include <inttypes.h>
#include <stdio.h>

#include "base/error.h"
#include "converter/gcc/files/gcc_records.h"
#include "converter/gcc/files/counter_profile.h"
#include "converter/gcc/files/gcc_graph.h"
#include "report/show_private.h"

struct summary {
	uint64_t total;	   /* of all arcs' counters */
	uint64_t executed; /* functions */
	uint64_t values;   /* sites whose values were counted, and seen */
};

static uint64_t sum_of(const struct counter_function *f)
{
	const struct counter_set *s = counter_function_set(f, COUNTER_KIND_ARCS);
	const uint64_t *count;
	uint64_t sum = 0;

	if (s)
		vector_each (&s->counts, count)
			sum = source_count_add(sum, *count);
	return sum;
}

/* Sites of lists of values that have any; a list is its total, its length, and pairs. */
static uint64_t sites_of(const struct counter_function *f, enum counter_kind kind)
{
	const struct counter_set *s = counter_function_set(f, kind);
	size_t count = s ? s->counts.count : 0;
	uint64_t sites = 0;

	for (size_t i = 0; i + 1 < count;) {
		uint64_t values = s->counts.items[i + 1];

		sites += values != 0;
		if (values > (count - i - 2) / 2)
			break;
		i += 2 + 2 * values;
	}
	return sites;
}

static void summarize(const struct counter_profile *p, struct summary *out)
{
	const struct counter_function *f;

	*out = (struct summary){0};
	vector_each (&p->functions, f) {
		uint64_t sum = sum_of(f);

		out->total = source_count_add(out->total, sum);
		out->executed += sum != 0;
		out->values += sites_of(f, COUNTER_KIND_TOPN) + sites_of(f, COUNTER_KIND_INDIRECT);
	}
}

static void put_facts(struct show *s, const struct counter_profile *p, const struct summary *sum)
{
	struct document *t = s->out;

	document_fact_number(t, "gcc", "gcc", gcc_records_compiler(p->version));
	document_fact_number(t, "runs", "runs", p->runs);
	document_fact_number(t, "functions_in_all", "functions", p->functions.count);
	document_fact_number(t, "executed", "executed", sum->executed);
	document_fact_number(t, "total", "sum of arcs' counters", sum->total);
	document_fact_number(t, "greatest", "greatest count of the program", p->sum_max);
	document_fact_number(t, "value_sites", "sites with counted values", sum->values);
}

static void put_name(struct document *t, const struct gcc_graph *g, uint32_t ident)
{
	const struct gcc_function *f = gcc_graph_function(g, ident);
	char number[32];

	if (f) {
		document_put_symbol(t, strings_text(g->strings, f->name));
		return;
	}
	snprintf(number, sizeof(number), "%" PRIu32, ident);
	document_put_text(t, number);
}

static void put_functions(struct show *s, const struct counter_profile *p,
			  const struct gcc_graph *g, uint64_t total)
{
	struct document *t = s->out;
	const struct counter_function *f;

	document_table(t, "functions", "Functions by the sum of their arcs' counters",
		       "total, share, arcs: counted arcs, first, function, file");
	vector_each (&p->functions, f) {
		const struct counter_set *arcs = counter_function_set(f, COUNTER_KIND_ARCS),
					 *time = counter_function_set(f, COUNTER_KIND_TIME);
		const struct gcc_function *known = gcc_graph_function(g, f->ident);

		if (f->absent)
			continue;
		document_put_number(t, sum_of(f));
		document_put_share(t, sum_of(f), total);
		document_put_number(t, arcs ? arcs->counts.count : 0);
		if (time && time->counts.count && time->counts.items[0])
			document_put_number(t, time->counts.items[0]);
		else
			document_put_none(t);
		put_name(t, g, f->ident);
		document_put_text(t, known ? strings_text(g->strings, known->file) : "");
	}
	document_rank(t, 0, s->options->top);
}

int show_counters(struct show *s, struct softlbr_error *e)
{
	const unsigned possible = 1 << SHOW_FUNCTIONS;
	struct counter_profile p;
	struct gcc_graph graph = {0};
	struct summary sum;
	int rc = show_check(s, possible, "gcda has functions", e);

	if (rc)
		return rc;
	rc = gcda_read_bytes(s->view.data, s->view.size, s->options->path, &p, e);
	if (!rc && gcno_read_beside(s->options->path, p.stamp, &graph))
		rc = error_set_nomem(e);
	if (!rc) {
		summarize(&p, &sum);
		put_facts(s, &p, &sum);
		put_functions(s, &p, &graph, sum.total);
		if (!sum.total)
			rc = error_set(e, SOFTLBR_E_EMPTY, s->options->path,
				       "%s has no counts: nothing of it was executed",
				       s->options->path);
	}
	gcc_graph_deinit(&graph);
	counter_profile_deinit(&p);
	return rc;
}
