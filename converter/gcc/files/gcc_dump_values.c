/* SPDX-License-Identifier: MIT */
/*
 * Which statements gcc counts the values of, by what it prints of the instrumented functions:
 *
 *	  __gcov_topn_values_profiler (&__gcov3.f[0], _26);
 *	  __gcov_interval_profiler (&__gcov1.f[0], _32, 0, 2);
 *	  __gcov_indirect_call.D.2045 = &__gcov4.f[0];
 *	  [a.c:8:3] the statement
 *
 * __gcovN is the N-th kind of gcc/gcov-counter.def, f the function, the index that of a word.
 * Blocks have other numbers there: the statement is looked up among those of the state before.
 */
#include "converter/gcc/files/gcc_dump_parts.h"

#include <stdio.h>
#include <string.h>

#include "base/hash.h"

/* Words of a counter, but for intervals, which say their number. */
static const uint32_t words_of[COUNTER_KINDS] = {
	[COUNTER_KIND_POW2] = 2,    [COUNTER_KIND_TOPN] = 3, [COUNTER_KIND_INDIRECT] = 3,
	[COUNTER_KIND_AVERAGE] = 2, [COUNTER_KIND_IOR] = 1,
};

void gcc_dump_values_deinit(struct gcc_dump_values *v)
{
	vector_deinit(&v->candidates);
	vector_deinit(&v->waiting);
	map_deinit(&v->begins);
}

/* gcc takes no counters of a function that have gaps. */
static void lose(struct gcc_dump_values *v, struct gcc_graph *g)
{
	if (v->waiting.count)
		g->functions.items[v->function].values_lost = true;
	v->waiting.count = 0;
}

static uint64_t digest(struct text t)
{
	return hash_on(HASH_OF_NOTHING, t.at, (size_t)(t.end - t.at));
}

/* A hash of a statement with its place, but without the numbers of SSA names: "buff_17" may have
 * become "buff_18". */
static uint64_t digest_shape(const struct gimple_line *l)
{
	const char *at = l->text.at, *end = l->text.end;
	uint64_t h = digest(l->place.file);

	h = hash_on(h, &l->place.line, sizeof(l->place.line));
	h = hash_on(h, &l->place.column, sizeof(l->place.column));
	while (at < end) {
		char c = *at++;

		h = hash_on(h, &c, 1);
		while (c == '_' && at < end && *at >= '0' && *at <= '9')
			at++;
	}
	return h;
}

bool gcc_dump_values_may_count(const struct gimple_line *l)
{
	return l->call || text_find(l->text, " / ") || text_find(l->text, " % ");
}

int gcc_dump_values_note(struct gcc_dump_values *v, size_t function, uint32_t block,
			 const struct gimple_line *l, struct gcc_place at)
{
	struct gcc_dump_candidate *c = vector_push(&v->candidates);
	struct map_entry *m = c ? map_at(&v->begins, function, 0) : NULL;

	if (!m)
		return -1;
	if (!m->m++)
		m->n = v->candidates.count - 1;
	*c = (struct gcc_dump_candidate){
		digest(l->text), digest_shape(l), (uint32_t)function, block, at, false};
	return 0;
}

/* The function of "__gcov3.NAME[": the linkage name, without the "*" of one from the source. */
static const struct map_entry *function_of(const struct gcc_graph *g, const struct map *functions,
					   const char *name, size_t length)
{
	const struct map_entry *m;
	char given[1024];
	uint32_t number = strings_find(g->strings, name, length);

	m = number == STRINGS_NONE ? NULL : map_find(functions, number, 0);
	if (m || length + 2 > sizeof(given))
		return m;
	snprintf(given, sizeof(given), "*%.*s", (int)length, name);
	number = strings_find(g->strings, given, length + 1);
	return number == STRINGS_NONE ? NULL : map_find(functions, number, 0);
}

/* The number of steps in "&__gcov1.f[0], _32, 0, 2)": the last word. Values below and above have
 * counters of their own. */
static uint32_t interval_words(struct text l)
{
	const char *comma = memrchr(l.at, ',', text_length(l));
	uint32_t steps;

	if (!comma || l.end - comma < 3)
		return 0;
	l.at = comma + 2;
	return gimple_line_number(&l, &steps) && steps < UINT32_MAX - 2 ? steps + 2 : 0;
}

/* "3.f[0], ..." behind "&__gcov". What is not understood has no site. */
static int add_waiting(struct gcc_dump_values *v, struct gcc_graph *g, const struct map *functions,
		       struct text l)
{
	const char *bracket = memchr(l.at, '[', text_length(l));
	const struct map_entry *m;
	uint32_t kind, first, words;

	if (!bracket || !gimple_line_number(&l, &kind) || !text_take(&l, ".") ||
	    kind >= COUNTER_KINDS)
		return 0;
	m = function_of(g, functions, l.at, (size_t)(bracket - l.at));
	l.at = bracket + 1;
	if (!m || !gimple_line_number(&l, &first))
		return 0;
	words = kind == COUNTER_KIND_INTERVAL ? interval_words(l) : words_of[kind];
	if (!words) {
		g->functions.items[m->n].values_lost |= kind == COUNTER_KIND_INTERVAL;
		return 0;
	}
	if (v->function != m->n)
		lose(v, g);
	v->function = (uint32_t)m->n;
	return vector_add(&v->waiting, (struct gcc_value_site){.kind = (enum counter_kind)kind,
							       .first = first,
							       .count = words});
}

/* The first with this text, or else of this shape, that was not yet found: equal ones come in the
 * same order again. */
static struct gcc_dump_candidate *find_candidate(const struct gcc_dump_values *v,
						 const struct gimple_line *l)
{
	const struct map_entry *m = map_find(&v->begins, v->function, 0);
	uint64_t text = digest(l->text), shape = digest_shape(l);
	struct gcc_dump_candidate *c, *alike = NULL;

	for (size_t i = m ? m->n : 0; m && i < m->n + m->m; i++) {
		c = &v->candidates.items[i];
		if (c->found)
			continue;
		if (c->text == text)
			return c;
		if (!alike && c->shape == shape)
			alike = c;
	}
	return alike;
}

static int find_statement(struct gcc_dump_values *v, struct gcc_graph *g, struct text line)
{
	struct gcc_dump_candidate *c;
	struct gcc_value_site *site, *to;
	struct gcc_function *f;
	struct gimple_line l;

	if (!gimple_line_parse(&l, line) || !gcc_dump_values_may_count(&l))
		return 0;
	c = find_candidate(v, &l);
	if (!c) {
		if (l.has_place) /* else it may be what is counted: a quotient */
			lose(v, g);
		return 0;
	}
	c->found = true;
	f = &g->functions.items[v->function];
	vector_each (&v->waiting, site) {
		to = f->blocks.count ? vector_push(&f->values) : NULL;
		if (f->blocks.count && !to)
			return -1;
		if (!to)
			continue;
		*to = *site;
		to->block = c->block;
		to->at = c->at;
	}
	v->waiting.count = 0;
	return 0;
}

int gcc_dump_values_read(struct gcc_dump_values *v, struct gcc_graph *g,
			 const struct map *functions, struct text line)
{
	static const char counter[] = "&__gcov";
	const char *a;

	if (text_length(line) < 3 || (*line.at != ' ' && *line.at != '['))
		return 0;
	a = text_find(line, counter);
	if (a)
		return add_waiting(v, g, functions,
				   (struct text){a + sizeof(counter) - 1, line.end});
	return v->waiting.count ? find_statement(v, g, line) : 0;
}

void gcc_dump_values_end(struct gcc_dump_values *v, struct gcc_graph *g)
{
	lose(v, g);
}
