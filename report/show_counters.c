/* SPDX-License-Identifier: MIT */
/*
 * Counters for gcc -fprofile-use, of a file or a directory: functions, and what was counted of
 * them; with the keys, lines and arcs.
 */
#include <inttypes.h>
#include <stdio.h>

#include "base/error.h"
#include "base/order.h"
#include "converter/gcc/files/arc_flow.h"
#include "converter/gcc/files/counter_keys.h"
#include "converter/gcc/files/gcc_records.h"
#include "compare/counter_names.h"
#include "report/demangle.h"
#include "report/show_private.h"

struct counters {
	struct show *s;
	struct counter_directory directory;
	struct counter_list list;
	struct counter_keys keys;
	struct counter_names names; /* of the program, where it is given */
	VECTOR(struct show_line) lines;
	uint64_t named;
};

/* ---- facts --------------------------------------------------------------------------------- */

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

static const char *counter_name(const struct counters *c, const struct counter_function *f)
{
	return counter_keys_name(&c->keys, f) ?: counter_names_find(&c->names, f);
}

static void put_facts(struct counters *c)
{
	const struct counter_directory *d = &c->directory;
	struct document *t = c->s->out;
	const struct counter_entry *i;
	uint64_t executed = 0, values = 0;

	vector_each (&c->list.items, i) {
		executed += i->total != 0;
		values += sites_of(i->function, COUNTER_KIND_TOPN) +
			  sites_of(i->function, COUNTER_KIND_INDIRECT);
		c->named += counter_name(c, i->function) != NULL;
	}
	if (!d->is_file)
		document_fact_number(t, "objects", "objects", d->objects.count);
	document_fact_number(t, "gcc", "gcc", gcc_records_compiler(counter_directory_version(d)));
	document_fact_number(t, "runs", "runs", counter_directory_runs(d));
	document_fact_number(t, "functions_in_all", "functions", c->list.items.count);
	document_fact_number(t, "named", "with a name", c->named);
	document_fact_number(t, "executed", "executed", executed);
	document_fact_number(t, "total", "sum of arcs' counters", c->list.total);
	document_fact_number(t, "greatest", "greatest count of the program",
			     counter_directory_sum_max(d));
	document_fact_number(t, "value_sites", "sites with counted values", values);
	if (counter_keys_known(&c->keys) && c->keys.keys.path)
		document_fact_text(t, "keys", "keys", c->keys.keys.path);
	if (c->named < c->list.items.count)
		document_fact_text(
			t, "note", "note",
			counter_keys_known(&c->keys)
				? "functions that these keys do not have are shown by gcc's number"
				: "functions without a name are shown by gcc's number: give the "
				  "keys (--keys DIR), or the program (--binary FILE)");
}

/* ---- functions ----------------------------------------------------------------------------- */

/* 1 if its flow is not known, 0 if it is, in @flow; -1 without memory. */
static int flow_of(const struct counters *c, const struct counter_function *f,
		   struct counter_key *key, struct arc_flow *flow)
{
	*flow = (struct arc_flow){0};
	*key = counter_keys_find(&c->keys, f);
	if (key->match > COUNTER_MOVED)
		return 1;
	return arc_flow_solve(key->function, counter_function_set(f, COUNTER_KIND_ARCS), flow);
}

static void put_name(const struct counters *c, const struct counter_function *f)
{
	const char *name = counter_name(c, f);
	char number[32];

	if (name) {
		document_put_symbol(c->s->out, name);
		return;
	}
	snprintf(number, sizeof(number), "%" PRIu32, f->ident);
	document_put_text(c->s->out, number);
}

static int put_function(const struct counters *c, const struct counter_entry *i)
{
	const struct counter_function *f = i->function;
	const struct counter_set *arcs = counter_function_set(f, COUNTER_KIND_ARCS),
				 *time = counter_function_set(f, COUNTER_KIND_TIME);
	struct document *t = c->s->out;
	struct counter_key key;
	struct arc_flow flow;
	int unknown = flow_of(c, f, &key, &flow);

	document_put_number(t, i->total);
	document_put_share(t, i->total, c->list.total);
	document_put_number_if(t, !unknown, arc_flow_entries(&flow));
	document_put_number(t, arcs ? arcs->counts.count : 0);
	document_put_number_if(t, time && time->counts.count && time->counts.items[0],
			       time && time->counts.count ? time->counts.items[0] : 0);
	put_name(c, f);
	document_put_text(t,
			  key.function ? strings_text(key.graph->strings, key.function->file) : "");
	if (!c->directory.is_file)
		document_put_text(t, c->directory.objects.items[i->object].name);
	arc_flow_deinit(&flow);
	return unknown < 0 ? -1 : 0;
}

#define FUNCTION_COLUMNS "total, share, entries, arcs: counted arcs, first, function, file"

static int put_functions(struct counters *c)
{
	const struct counter_entry *i;

	document_table(c->s->out, "functions", "Functions by the sum of their arcs' counters",
		       c->directory.is_file ? FUNCTION_COLUMNS : FUNCTION_COLUMNS ", object");
	vector_each (&c->list.items, i)
		if (put_function(c, i))
			return -1;
	document_rank(c->s->out, 0, c->s->options->top);
	return 0;
}

/* ---- lines --------------------------------------------------------------------------------- */

ORDER_BY(by_line, struct gcc_line, ORDER_UP(file) ?: ORDER_UP(line));

/* A line of a function ran as often as the most frequent of its blocks. */
static int lines_of(struct counters *c, const struct counter_key *key, const struct arc_flow *flow,
		    bool shown)
{
	VECTOR(struct gcc_line) lines = {0};
	const struct gcc_line *l;
	uint64_t most = 0;
	int rc = 0;

	vector_each (&key->function->lines, l)
		rc |= vector_add(&lines, *l);
	vector_sort(&lines, by_line);
	vector_each (&lines, l) {
		const char *file = strings_text(key->graph->strings, l->file);

		if (flow->blocks.items[l->block] > most)
			most = flow->blocks.items[l->block];
		if (l + 1 < lines.items + lines.count && !by_line(l, l + 1))
			continue;
		rc |= vector_add(&c->lines, (struct show_line){file, l->line, most});
		if (shown) {
			document_put_number(c->s->out, most);
			document_put_text(c->s->out, file);
			document_put_number(c->s->out, l->line);
			document_put_symbol(c->s->out,
					    strings_text(key->graph->strings, key->function->name));
		}
		most = 0;
	}
	vector_deinit(&lines);
	return rc;
}

/* Find all lines; and list them, or those of the function @of, if they are @shown. */
static int find_lines(struct counters *c, bool shown, const struct counter_function *of)
{
	const struct counter_entry *i;
	int rc = 0;

	if (shown)
		document_table(c->s->out, of ? "function" : "lines",
			       of ? "Lines of the function" : "Lines",
			       "count, file, line, function");
	vector_each (&c->list.items, i) {
		struct counter_key key;
		struct arc_flow flow;

		if (of && i->function != of)
			continue;
		rc = flow_of(c, i->function, &key, &flow);
		if (!rc)
			rc = lines_of(c, &key, &flow, shown);
		arc_flow_deinit(&flow);
		if (rc < 0)
			return rc;
	}
	if (shown)
		document_rank(c->s->out, 0, of ? 0 : c->s->options->top);
	return 0;
}

/* ---- one function -------------------------------------------------------------------------- */

static int find_function(const struct counters *c, const struct counter_function **found,
			 struct softlbr_error *e)
{
	const char *wanted = c->s->options->function;
	const struct counter_entry *i;
	size_t count = 0;

	vector_each (&c->list.items, i) {
		const char *name = counter_name(c, i->function);

		if (!name || !demangle_is(name, wanted))
			continue;
		if (!count || i->total > counter_function_total(*found))
			*found = i->function;
		count++;
	}
	if (count)
		return 0;
	return error_set(e, SOFTLBR_E_INPUT, c->directory.path,
			 "%s has no function %s, by linkage name or as the source has it; --by "
			 "functions lists what it has%s",
			 c->directory.path, wanted,
			 c->named ? "" : ", by name if the keys are given (--keys DIR)");
}

static int put_arcs(struct counters *c, const struct counter_function *f)
{
	struct document *t = c->s->out;
	const struct gcc_arc *a;
	struct counter_key key;
	struct arc_flow flow;
	int rc = flow_of(c, f, &key, &flow);

	document_table(t, "arcs", "Arcs of gcc's control-flow graph (block 0: entry, 1: exit)",
		       "count, from, to, counter");
	if (!rc)
		vector_each (&key.function->arcs, a) {
			document_put_number(t, flow.arcs.items[a - key.function->arcs.items]);
			document_put_number(t, a->from);
			document_put_number(t, a->to);
			document_put_text(t, a->flags & GCC_ARC_TREE ? "no" : "yes");
		}
	arc_flow_deinit(&flow);
	return rc < 0 ? -1 : 0;
}

static int put_one(struct counters *c, struct softlbr_error *e)
{
	const struct counter_function *f = NULL;
	int rc = find_function(c, &f, e);

	if (rc)
		return rc;
	if (counter_keys_find(&c->keys, f).match > COUNTER_MOVED)
		return error_set(
			e, SOFTLBR_E_INPUT, c->directory.path,
			"the control-flow graph of %s is not known, which its counters are "
			"of: give the keys that they were made with (--keys DIR)",
			c->s->options->function);
	return find_lines(c, true, f) || put_arcs(c, f) ? error_set_nomem(e) : 0;
}

/* ---- the whole ----------------------------------------------------------------------------- */

static int put_sections(struct counters *c, struct softlbr_error *e)
{
	struct show *s = c->s;
	int rc = 0;

	if (show_wants(s, SHOW_FUNCTIONS, 1u << SHOW_FUNCTIONS) && put_functions(c))
		rc = error_set_nomem(e);
	if (!rc && s->options->function)
		rc = put_one(c, e);
	if (!rc && show_wants(s, SHOW_LINES, 0) && find_lines(c, true, NULL))
		rc = error_set_nomem(e);
	if (rc || !s->options->source_directory)
		return rc;
	c->lines.count = 0;
	if (find_lines(c, false, NULL))
		return error_set_nomem(e);
	return show_annotate(s, c->lines.items, c->lines.count,
			     "the keys that the counters were made with (--keys DIR)", e);
}

static int show_read(struct counters *c, struct softlbr_error *e)
{
	struct show *s = c->s;
	const char *path = s->options->path;
	int rc = counter_directory_read(&c->directory, path, s->view.data, s->view.size, e);

	if (!rc)
		rc = counter_keys_open(&c->keys, &c->directory, s->options->keys_path, false, e);
	if (!rc && counter_list_make(&c->list, &c->directory))
		rc = error_set_nomem(e);
	if (!rc && s->binary)
		rc = counter_names_read(&c->names, s->binary, e);
	if (!rc && s->options->sections & 1u << SHOW_LINES && !counter_keys_known(&c->keys))
		rc = error_set(e, SOFTLBR_E_INPUT, path,
			       "%s has no lines without the keys that the counters were made with: "
			       "give --keys DIR",
			       path);
	return rc;
}

int show_counters(struct show *s, struct softlbr_error *e)
{
	struct counters c = {.s = s};
	int rc = show_check(s, 1 << SHOW_FUNCTIONS | 1 << SHOW_LINES,
			    "counters have functions and lines", e)
			 ?: show_read(&c, e);

	if (!rc) {
		put_facts(&c);
		rc = put_sections(&c, e);
	}
	if (!rc && !c.list.total)
		rc = error_set(e, SOFTLBR_E_EMPTY, s->options->path,
			       "%s has no counts: nothing of it was executed", s->options->path);
	vector_deinit(&c.lines);
	counter_names_deinit(&c.names);
	counter_keys_deinit(&c.keys);
	counter_list_deinit(&c.list);
	counter_directory_deinit(&c.directory);
	return rc;
}
