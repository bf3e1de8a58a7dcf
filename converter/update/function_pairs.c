/* SPDX-License-Identifier: MIT */
#include "converter/update/function_pairs.h"

#include <string.h>

#include "converter/update/c_tokens.h"
#include "converter/update/function_names.h"

/* By its body a function is found if it is as much alike as this, and has so many tokens. */
#define ALIKE_LEAST  0.6
#define ALIKE_TOKENS 16

/* How much hints tell, of those that a name leaves. */
enum { HINT_FILE = 8, HINT_REACH = 4, HINT_PARAMETERS = 2 };

/* ---- one side -------------------------------------------------------------------------------- */

static const char *path_of(const struct function_side *side, const struct c_function *f)
{
	return side->tree.files.items[f->file].path;
}

static const char *base_of(const struct function_side *side, const struct c_function *f)
{
	return file_base_name(path_of(side, f));
}

static int compare_plain(const void *x, const void *y, void *side)
{
	const struct c_function *all = ((struct function_side *)side)->tree.functions.list.items;
	uint32_t i = *(const uint32_t *)x, j = *(const uint32_t *)y;

	if (all[i].plain != all[j].plain)
		return all[i].plain < all[j].plain ? -1 : 1;
	return i < j ? -1 : i > j;
}

static int index_side(struct function_side *side)
{
	size_t count = side->tree.functions.list.count;

	for (uint32_t i = 0; i < count; i++)
		if (vector_add(&side->by_plain, i) || !vector_push(&side->bodies))
			return -1;
	if (count)
		qsort_r(side->by_plain.items, count, sizeof(uint32_t), compare_plain, side);
	return 0;
}

/* The functions with that plain name: a part of by_plain. */
struct namesakes {
	const uint32_t *begin, *end;
};

static struct namesakes find_plain(const struct function_side *side, uint32_t plain)
{
	const struct c_function *all = side->tree.functions.list.items;
	const uint32_t *i;
	size_t first = vector_count_while(&side->by_plain, i, all[*i].plain < plain);
	size_t end = vector_count_while(&side->by_plain, i, all[*i].plain <= plain);

	return (struct namesakes){side->by_plain.items + first, side->by_plain.items + end};
}

static struct namesakes find_spelled(const struct function_pairs *p,
				     const struct function_side *side, const char *spelled)
{
	const char *plain = function_name_plain(spelled);
	uint32_t number = strings_find(p->strings, plain, strlen(plain));

	return number == STRINGS_NONE || !side->by_plain.count ? (struct namesakes){0}
							       : find_plain(side, number);
}

static struct function_body *body_of(struct function_side *side, const struct c_function *f)
{
	struct function_body **slot = &side->bodies.items[f - side->tree.functions.list.items];

	if (*slot)
		return *slot;
	*slot = memory_alloc(sizeof(**slot));
	if (*slot && function_body_read(*slot, f))
		function_bodies_drop(slot);
	return *slot;
}

/* -1 without memory. */
static double likeness(struct function_pairs *p, const struct c_function *before,
		       const struct c_function *after)
{
	const struct function_body *a = body_of(&p->before, before);
	const struct function_body *b = body_of(&p->after, after);

	return a && b ? function_body_likeness(a, b) : -1;
}

/* ---- the older function ---------------------------------------------------------------------- */

/* Where debug information says: the innermost function that has the line. */
static void find_declared(const struct function_pairs *p, const char *file, uint32_t line,
			  struct function_pair *pair)
{
	const struct c_function *f;

	vector_each (&p->before.tree.functions.list, f)
		if (f->begin_line <= line && line <= f->end_line &&
		    !strcmp(base_of(&p->before, f), file) &&
		    (!pair->before || f->begin_line >= pair->before->begin_line)) {
			pair->before = f;
			pair->before_line = line;
		}
}

static int hint_score(const struct function_pairs *p, const struct c_function *f,
		      struct function_hint hint, int parameters)
{
	int score = 0;

	if (!strcmp(base_of(&p->before, f), hint.file))
		score += HINT_FILE;
	if (hint.reach <= f->end_line - f->name_line)
		score += HINT_REACH;
	if (parameters == (int)f->parameter_count)
		score += HINT_PARAMETERS;
	return score;
}

static void find_before(const struct function_pairs *p, const char *name, const char *spelled,
			struct function_hint hint, struct function_pair *pair)
{
	const struct c_function *all = p->before.tree.functions.list.items;
	struct namesakes same = find_spelled(p, &p->before, spelled);
	int best = -1, parameters = function_name_parameters(name, p->demangle);

	for (; same.begin < same.end; same.begin++) {
		const struct c_function *f = &all[*same.begin];
		int score = hint_score(p, f, hint, parameters);

		if (score <= best ||
		    !function_name_agrees(strings_text(p->strings, f->name), spelled))
			continue;
		best = score;
		pair->before = f;
		pair->before_line = f->name_line;
	}
}

/* ---- the newer one --------------------------------------------------------------------------- */

static double name_score(struct function_pairs *p, const struct c_function *before,
			 const struct c_function *after, bool alone)
{
	double score = alone ? 0 : likeness(p, before, after);

	score += before->name == after->name ? 8 : 0;
	score += before->parameters == after->parameters ? 2 : 0;
	score += !strcmp(path_of(&p->before, before), path_of(&p->after, after))   ? 4
		 : !strcmp(base_of(&p->before, before), base_of(&p->after, after)) ? 1
										   : 0;
	return score;
}

/* Had the older file of that path a function of that name, too? Then it is no other file's that
 * moved. */
static bool is_anothers(const struct function_pairs *p, const struct c_function *before,
			const struct c_function *after)
{
	const struct c_function *all = p->before.tree.functions.list.items;
	struct namesakes same = find_plain(&p->before, after->plain);
	const char *path = path_of(&p->after, after);

	if (!strcmp(path_of(&p->before, before), path))
		return false;
	for (; same.begin < same.end; same.begin++)
		if (all[*same.begin].name == after->name &&
		    !strcmp(path_of(&p->before, &all[*same.begin]), path))
			return true;
	return false;
}

static const struct c_function *find_after(struct function_pairs *p,
					   const struct c_function *before)
{
	const struct c_function *all = p->after.tree.functions.list.items, *found = NULL;
	const char *spelled = strings_text(p->strings, before->name);
	struct namesakes same = find_spelled(p, &p->after, spelled);
	bool alone = same.end - same.begin == 1;
	double best = -1;

	for (; same.begin < same.end; same.begin++) {
		const struct c_function *f = &all[*same.begin];
		double score = name_score(p, before, f, alone);

		if (score > best && !is_anothers(p, before, f) &&
		    function_name_agrees(strings_text(p->strings, f->name), spelled)) {
			best = score;
			found = f;
		}
	}
	return found;
}

/* Was there a function of that name? */
static bool is_old_name(const struct function_pairs *p, const struct c_function *f)
{
	const struct c_function *all = p->before.tree.functions.list.items;
	struct namesakes same = {0};

	if (p->before.by_plain.count)
		same = find_plain(&p->before, f->plain);
	for (; same.begin < same.end; same.begin++)
		if (all[*same.begin].name == f->name)
			return true;
	return false;
}

static int list_new_names(struct function_pairs *p)
{
	const struct c_function *f, *all = p->after.tree.functions.list.items;

	if (p->new_names_listed)
		return 0;
	vector_each (&p->after.tree.functions.list, f)
		if (!is_old_name(p, f) && vector_add(&p->new_names, (uint32_t)(f - all)))
			return -1;
	p->new_names_listed = true;
	return 0;
}

/* A function that has another name, by what is in it. NULL: there is none, or no memory. */
static const struct c_function *find_alike(struct function_pairs *p,
					   const struct c_function *before)
{
	const struct c_function *all = p->after.tree.functions.list.items, *found = NULL;
	const struct function_body *body = body_of(&p->before, before);
	double best = ALIKE_LEAST;
	const uint32_t *i;

	if (!body || body->sorted.count < ALIKE_TOKENS || list_new_names(p))
		return NULL;
	vector_each (&p->new_names, i) {
		double alike = map_find(&p->taken, *i + 1, 0) ? 0 : likeness(p, before, &all[*i]);

		if (alike > best) {
			best = alike;
			found = &all[*i];
		}
	}
	return found && map_at(&p->taken, (uint64_t)(found - all) + 1, 0) ? found : NULL;
}

/* ---- its name -------------------------------------------------------------------------------- */

/* Is the linkage name one of the newer function's, as the debug information of a build has it? */
static bool is_declared(const struct function_pairs *p, const struct function_pair *pair,
			const char *linkage, const struct map_entry *at)
{
	const struct declarations *d = &p->after.declared;
	char *spelled;
	bool is;

	if (at->m != pair->after->name_line ||
	    strcmp(strings_text(d->strings, (uint32_t)at->n), base_of(&p->after, pair->after)) ||
	    linkage[function_name_length(linkage)])
		return false;
	spelled = function_name_spell(linkage, p->demangle);
	is = spelled && function_name_agrees(spelled, strings_text(p->strings, pair->after->name));
	memory_free(spelled);
	return is;
}

/* The first in order; NULL if there is none. */
static const char *declared_name(const struct function_pairs *p, const struct function_pair *pair)
{
	const struct declarations *d = &p->after.declared;
	const struct map_entry *e;
	const char *first = NULL;

	if (!d->strings)
		return NULL;
	map_each (&d->known, e) {
		const char *linkage = strings_text(d->strings, (uint32_t)e->a);

		if (is_declared(p, pair, linkage, e) && (!first || strcmp(linkage, first) < 0))
			first = linkage;
	}
	return first;
}

/* 0, or -1 without memory. */
static int name_after(struct function_pairs *p, const char *name, struct function_pair *pair)
{
	const struct c_function *before = pair->before, *after = pair->after;
	bool mangled = !strncmp(name, "_Z", 2);
	bool same_parameters = before->parameters == after->parameters || !mangled;
	const char *found = NULL;
	char *made = NULL;

	if (before->name == after->name && same_parameters)
		found = name;
	else if (same_parameters)
		found = made = function_name_rename(name, strings_text(p->strings, before->name),
						    strings_text(p->strings, after->name));
	found = found ?: declared_name(p, pair);
	if (!found) {
		pair->kind = UPDATE_LOST;
		pair->other_parameters = true;
		return 0;
	}
	if (strcmp(found, name))
		pair->kind = UPDATE_RENAMED;
	pair->name = strings_add_text(p->strings, found);
	memory_free(made);
	return pair->name == STRINGS_NONE ? -1 : 0;
}

/* ---- pairs ----------------------------------------------------------------------------------- */

static bool is_same_text(const struct c_function *a, const struct c_function *b)
{
	return text_length(a->text) == text_length(b->text) &&
	       !memcmp(a->text.at, b->text.at, text_length(a->text));
}

/* 0, or -1 without memory. */
static int compare_texts(struct function_pairs *p, struct function_pair *pair)
{
	const struct function_body *a, *b;

	pair->same_text = is_same_text(pair->before, pair->after);
	if (!pair->same_text) {
		a = body_of(&p->before, pair->before);
		b = body_of(&p->after, pair->after);
		if (!a || !b || line_map_make(&pair->map, a, b))
			return -1;
	}
	pair->after_line = function_pair_line(pair, pair->before_line);
	if (!pair->after_line)
		pair->kind = UPDATE_LOST;
	return 0;
}

static int find_pair(struct function_pairs *p, const char *name, struct function_hint hint,
		     struct function_pair *pair)
{
	const char *file;
	int64_t line = declarations_line(&p->before.declared, name, 0, &file);
	char *spelled = function_name_spell(name, p->demangle);

	if (line)
		find_declared(p, file, (uint32_t)line, pair);
	else if (spelled)
		find_before(p, name, spelled, hint, pair);
	memory_free(spelled);
	pair->name = strings_add_text(p->strings, name);
	pair->kind = UPDATE_OUTSIDE;
	if (!pair->before)
		return pair->name == STRINGS_NONE ? -1 : 0;
	pair->after = find_after(p, pair->before);
	pair->kind = UPDATE_SAME;
	if (!pair->after) {
		pair->after = find_alike(p, pair->before);
		pair->kind = pair->after ? UPDATE_RENAMED : UPDATE_LOST;
	}
	if (!pair->after)
		return 0;
	if (pair->kind == UPDATE_SAME &&
	    strcmp(path_of(&p->before, pair->before), path_of(&p->after, pair->after)))
		pair->kind = UPDATE_MOVED;
	return name_after(p, name, pair) || compare_texts(p, pair) ? -1 : 0;
}

struct function_pair *function_pairs_find(struct function_pairs *p, const char *name,
					  struct function_hint hint)
{
	uint32_t number = strings_add_text(p->strings, name);
	struct map_entry *known = number == STRINGS_NONE ? NULL : map_at(&p->known, number, 0);
	struct function_pair *pair;

	if (!known)
		return NULL;
	if (known->n)
		return p->pairs.items[known->n - 1];
	pair = memory_alloc(sizeof(*pair));
	if (!pair || vector_add(&p->pairs, pair)) {
		memory_free(pair);
		return NULL;
	}
	known->n = p->pairs.count;
	return find_pair(p, name, hint, pair) ? NULL : pair;
}

uint32_t function_pair_line(const struct function_pair *pair, uint32_t line)
{
	if (pair->same_text)
		return pair->after->begin_line + line - pair->before->begin_line;
	return line == pair->before->name_line ? pair->after->name_line
					       : line_map_at(&pair->map, line);
}

uint32_t function_pairs_line_with(struct function_pairs *p, const struct function_pair *pair,
				  const char *word)
{
	const struct function_body *body = body_of(&p->after, pair->after);
	struct c_token token = {.text = {word, word + strlen(word)}};

	return body ? function_body_line_with(body, c_token_hash(&token)) : 0;
}

int function_pairs_init(struct function_pairs *p)
{
	return index_side(&p->before) || index_side(&p->after) ? -1 : 0;
}

static void side_deinit(struct function_side *side)
{
	function_bodies_deinit(&side->bodies);
	vector_deinit(&side->by_plain);
	declarations_deinit(&side->declared);
	source_tree_deinit(&side->tree);
}

void function_pairs_deinit(struct function_pairs *p)
{
	struct function_pair **pair;

	vector_each (&p->pairs, pair) {
		line_map_deinit(&(*pair)->map);
		memory_free(*pair);
	}
	vector_deinit(&p->pairs);
	vector_deinit(&p->new_names);
	map_deinit(&p->known);
	map_deinit(&p->taken);
	side_deinit(&p->after); /* a tree made by a diff borrows the other's texts */
	side_deinit(&p->before);
	strings_free(p->strings);
	p->strings = NULL;
}
