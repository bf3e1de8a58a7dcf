/* SPDX-License-Identifier: MIT */
/* Profiles of source: functions, lines, calls, and the tree of one function. */
#include <inttypes.h>
#include <string.h>

#include "base/error.h"
#include "report/demangle.h"
#include "report/show_private.h"

/* Source text with the counts of its lines: (name, offset) -> n, names in @strings. */
static int show_annotated_source(struct show *s, const struct map *offsets,
				 const struct strings *strings, struct softlbr_error *e)
{
	VECTOR(struct show_line) lines = {0};
	const struct map_entry *i;
	int rc = 0;

	map_each (offsets, i) {
		const char *file = "", *name = strings_text(strings, (uint32_t)i->a);
		int64_t line = declarations_line(&s->declarations, name, (int32_t)(uint32_t)i->b,
						 &file);

		if (line && *file &&
		    vector_add(&lines, (struct show_line){file, (uint64_t)line, i->n}))
			rc = error_set_nomem(e);
	}
	rc = rc ?: show_annotate(s, lines.items, lines.count, "--binary, compiled with -g", e);
	vector_deinit(&lines);
	return rc;
}

/* ---- profiles of source -------------------------------------------------------------------- */

#define DEEPEST_SHOWN 60

struct walk {
	struct show *s;
	const struct source_profile *p;
	uint64_t total;
	uint64_t instances, lines, greatest, entries;
	struct map functions; /* (name, 0) -> n = total by itself, m = inlined elsewhere */
	struct map positions; /* (name, offset) -> n = count */
	bool failed;
};

static const char *name_of(const struct walk *w, uint32_t number)
{
	const char *name = strings_text(w->p->strings, number);

	return *name ? name : "(unknown)";
}

/* A line of one instance ran as often as the most frequent of its parts. */
static void walk_lines(struct walk *w, const struct source_function *f)
{
	uint64_t most = 0;

	for (size_t i = 0; i < f->lines.count; i++) {
		const struct source_line *l = &f->lines.items[i];

		w->lines++;
		w->greatest = l->count > w->greatest ? l->count : w->greatest;
		most = l->count > most ? l->count : most;
		if (i + 1 == f->lines.count || l[1].at.line != l->at.line) {
			w->failed |= map_add(&w->positions, f->name, (uint32_t)l->at.line, most,
					     0) != 0;
			most = 0;
		}
	}
}

/* Nesting was limited by the readers. */
static void walk_function(struct walk *w, const struct source_function *f, bool inlined)
{
	const struct source_callsite *c;
	uint64_t total = source_function_total(f);

	w->instances++;
	w->failed |= map_add(&w->functions, f->name, 0, inlined ? 0 : total, inlined ? total : 0) !=
		     0;
	walk_lines(w, f);
	vector_each (&f->callsites, c)
		walk_function(w, &c->callee, true);
}

static void walk_profile(struct walk *w)
{
	const struct source_function *f;

	vector_each (&w->p->functions, f) {
		w->total = source_count_add(w->total, source_function_total(f));
		w->entries = source_count_add(w->entries, f->head);
		walk_function(w, f, false);
	}
}

static void put_functions(struct walk *w)
{
	struct document *t = w->s->out;
	const struct map_entry *i;

	document_table(t, "functions", "Functions by the sum of their counts",
		       "total, share, entries, inlined, function, file");
	map_each (&w->functions, i) {
		const struct map_entry *at = map_find(&w->p->by_name, i->a, 0);
		const struct source_function *f = at ? &w->p->functions.items[at->n] : NULL;
		const char *name = name_of(w, (uint32_t)i->a);
		const char *file = f ? strings_text(w->p->strings, f->file) : "";

		if (!*file)
			declarations_line(&w->s->declarations, name, 0, &file);
		document_put_number(t, i->n);
		document_put_share(t, i->n, w->total);
		document_put_number(t, f ? f->head : 0);
		document_put_number(t, i->m);
		document_put_symbol(t, name);
		document_put_text(t, file);
	}
	document_rank(t, 0, w->s->options->top);
}

static void put_lines(struct walk *w)
{
	struct document *t = w->s->out;
	const struct map_entry *i;

	document_table(t, "lines", "Lines, offset from their function's",
		       "count, file, line, offset, function");
	map_each (&w->positions, i) {
		int32_t offset = (int32_t)(uint32_t)i->b;
		const char *name = name_of(w, (uint32_t)i->a), *file = "";
		int64_t line = declarations_line(&w->s->declarations, name, offset, &file);
		char text[16];

		snprintf(text, sizeof(text), "%+" PRId32, offset);
		document_put_number(t, i->n);
		document_put_text(t, file);
		document_put_number_if(t, line, (uint64_t)line);
		document_put_text(t, text);
		document_put_symbol(t, name);
	}
	document_rank(t, 0, w->s->options->top);
}

static void format_position(struct source_position at, char *text, size_t size)
{
	if (at.discriminator)
		snprintf(text, size, "%" PRId32 ".%" PRIu32, at.line, at.discriminator);
	else
		snprintf(text, size, "%" PRId32, at.line);
}

static void put_calls_of(struct walk *w, const struct source_function *f)
{
	const struct source_callsite *c;
	const struct source_target *to;
	const struct source_line *l;
	char text[32];

	vector_each (&f->lines, l) {
		vector_each (&l->targets, to) {
			format_position(l->at, text, sizeof(text));
			document_put_number(w->s->out, to->count);
			document_put_symbol(w->s->out, name_of(w, f->name));
			document_put_text(w->s->out, text);
			document_put_symbol(w->s->out, name_of(w, to->name));
		}
	}
	vector_each (&f->callsites, c)
		put_calls_of(w, &c->callee);
}

static void put_calls(struct walk *w)
{
	const struct source_function *f;

	document_table(w->s->out, "calls", "Calls that were not inlined",
		       "count, caller, at, callee");
	vector_each (&w->p->functions, f)
		put_calls_of(w, f);
	document_rank(w->s->out, 0, w->s->options->top);
}

/* ---- the tree of one function -------------------------------------------------------------- */

static void put_node(struct walk *w, unsigned depth, const struct source_position *at,
		     uint64_t count, const char *what)
{
	char text[32], place[2 * DEEPEST_SHOWN + sizeof(text)];
	unsigned indent = depth < DEEPEST_SHOWN ? 2 * depth : 2 * DEEPEST_SHOWN;

	text[0] = '\0';
	if (at)
		format_position(*at, text, sizeof(text));
	snprintf(place, sizeof(place), "%*s%s", (int)indent, "", text);
	document_put_number(w->s->out, depth);
	document_put_number(w->s->out, count);
	document_put_text(w->s->out, place);
	document_put_symbol(w->s->out, what);
}

static void put_tree(struct walk *w, const struct source_function *f, unsigned depth)
{
	const struct source_callsite *c;
	const struct source_target *to;
	const struct source_line *l;

	vector_each (&f->lines, l) {
		put_node(w, depth, &l->at, l->count, "");
		vector_each (&l->targets, to) {
			char what[4096];

			snprintf(what, sizeof(what), "calls %s", name_of(w, to->name));
			put_node(w, depth, &l->at, to->count, what);
		}
	}
	vector_each (&f->callsites, c) {
		char what[4096];

		snprintf(what, sizeof(what), "inlined %s", name_of(w, c->callee.name));
		put_node(w, depth, &c->at, source_function_total(&c->callee), what);
		put_tree(w, &c->callee, depth + 1);
	}
}

/* Part of another function, as compilers cut it. */
static bool is_clone(const struct walk *w, const struct source_function *f)
{
	return strchr(name_of(w, f->name), '.');
}

static int ambiguous(const struct walk *w, const char *name, struct softlbr_error *e)
{
	const struct source_function *f;
	char known[512] = "";

	vector_each (&w->p->functions, f)
		if (demangle_is(name_of(w, f->name), name))
			error_add_name(known, sizeof(known), name_of(w, f->name));
	return error_set(e, SOFTLBR_E_INPUT, w->s->options->path,
			 "--function=%s: several functions of %s have this name: %s; give one of "
			 "these",
			 name, w->s->options->path, known);
}

/* The function that --function names, by its linkage name or as the source has it. */
static int find_function(const struct walk *w, const struct source_function **found,
			 struct softlbr_error *e)
{
	const char *name = w->s->options->function;
	uint32_t number = strings_find(w->p->strings, name, strlen(name));
	const struct map_entry *at = number == STRINGS_NONE ? NULL
							    : map_find(&w->p->by_name, number, 0);
	const struct source_function *f;
	size_t wholes = 0, clones = 0;

	*found = at ? &w->p->functions.items[at->n] : NULL;
	if (at)
		return 0;
	vector_each (&w->p->functions, f) {
		if (!demangle_is(name_of(w, f->name), name))
			continue;
		if (!is_clone(w, f) || !wholes)
			*found = f;
		*(is_clone(w, f) ? &clones : &wholes) += 1;
	}
	if (wholes == 1 || (!wholes && clones == 1))
		return 0;
	if (wholes || clones)
		return ambiguous(w, name, e);
	return error_set(e, SOFTLBR_E_INPUT, w->s->options->path,
			 "%s has no function %s of its own, by linkage name or as the source has "
			 "it; --view functions lists what it has",
			 w->s->options->path, name);
}

static int put_function(struct walk *w, struct softlbr_error *e)
{
	const struct source_function *f;
	int rc = find_function(w, &f, e);

	if (rc)
		return rc;
	document_table(w->s->out, "function", "The function, lines as offsets",
		       "depth, count, at, what");
	put_node(w, 0, NULL, source_function_total(f), name_of(w, f->name));
	put_tree(w, f, 1);
	return 0;
}

/* ---- the whole ----------------------------------------------------------------------------- */

static int put_sections(struct walk *w, unsigned usual, struct softlbr_error *e)
{
	struct show *s = w->s;
	int rc = 0;

	if (s->options->function)
		rc = put_function(w, e);
	if (show_wants(s, SHOW_FUNCTIONS, usual))
		put_functions(w);
	if (show_wants(s, SHOW_LINES, usual))
		put_lines(w);
	if (show_wants(s, SHOW_CALLS, usual))
		put_calls(w);
	if (!rc && s->options->source_directory)
		rc = show_annotated_source(s, &w->positions, w->p->strings, e);
	return rc;
}

int show_source_profile(struct show *s, struct source_profile *p, unsigned usual,
			struct softlbr_error *e)
{
	struct walk w = {.s = s, .p = p};
	int rc = source_profile_sort(p) ? error_set_nomem(e) : 0;

	if (!rc && s->binary)
		rc = declarations_read(&s->declarations, s->binary, p, e);
	if (!rc) {
		walk_profile(&w);
		document_fact_number(s->out, "functions_in_all", "functions", p->functions.count);
		document_fact_number(s->out, "instances", "with inlined ones", w.instances);
		document_fact_number(s->out, "positions", "positions", w.lines);
		document_fact_number(s->out, "total", "sum of counts", w.total);
		document_fact_number(s->out, "greatest", "greatest count", w.greatest);
		document_fact_number(s->out, "entries", "entries", w.entries);
		rc = put_sections(&w, usual, e);
	}
	if (!rc && w.failed)
		rc = error_set_nomem(e);
	map_deinit(&w.functions);
	map_deinit(&w.positions);
	return rc;
}

int show_source_file(struct show *s, struct softlbr_error *e)
{
	struct source_profile p;
	unsigned version = 0;
	int rc = show_check(s, 1 << SHOW_FUNCTIONS | 1 << SHOW_LINES | 1 << SHOW_CALLS,
			    "a profile of source has functions, lines and calls", e);

	if (rc)
		return rc;
	rc = profile_kind_read_source(s->kind, s->view.data, s->view.size, s->options->path, &p,
				      &version, e);
	if (!rc && version)
		document_fact_number(s->out, "version", "version", version);
	if (!rc)
		rc = show_source_profile(s, &p, 1 << SHOW_FUNCTIONS, e);
	if (!rc && !p.functions.count)
		rc = error_set(e, SOFTLBR_E_EMPTY, s->options->path, "%s holds no function",
			       s->options->path);
	source_profile_deinit(&p);
	return rc;
}
