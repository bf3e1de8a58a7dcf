/* SPDX-License-Identifier: MIT */
#include "converter/gcc/counters/notes_index.h"

#include <stdio.h>
#include <string.h>

#include "base/file.h"
#include "base/order.h"
#include "formats/model/source_profile.h"

static bool describes_itself(const struct notes_index *k, const struct notes_function *f)
{
	return &k->functions.items[f->described_by] == f;
}

void notes_index_deinit(struct notes_index *k)
{
	struct notes_function *f;

	vector_each (&k->functions, f) {
		if (!describes_itself(k, f))
			continue;
		vector_deinit(&f->blocks);
		vector_deinit(&f->at);
		vector_deinit(&f->calls);
		vector_deinit(&f->values);
	}
	vector_deinit(&k->functions);
	map_deinit(&k->by_name);
	vector_deinit(&k->next_named);
	map_deinit(&k->unnamed);
	vector_deinit(&k->next_unnamed);
	strings_free(k->strings);
	k->strings = NULL;
}

/* ---- order --------------------------------------------------------------------------------- */

static int compare_places(const struct notes_place *a, const struct notes_place *b)
{
	int by_file = order_numbers(a->file, b->file);
	int by_line = by_file ? by_file : order_numbers(a->line, b->line);

	return by_line ? by_line : order_numbers(a->column, b->column);
}

ORDER_BY(by_place, struct notes_at,
	 compare_places(&a->place, &b->place) ?: ORDER_UP(discriminator) ?: ORDER_UP(block));

ORDER_BY(by_site, struct notes_call, ORDER_UP(line) ?: ORDER_UP(column) ?: ORDER_UP(block));

/* ---- one function -------------------------------------------------------------------------- */

static uint32_t base_of(struct notes_index *k, const struct gcc_graph *g, uint32_t file)
{
	return strings_add_text(k->strings, file_base_name(strings_text(g->strings, file)));
}

/* The place by the index's numbers; 0, or -1 without memory. */
static int take_place(struct notes_index *k, const struct gcc_graph *g, const struct gcc_place *at,
		      struct notes_place *to)
{
	*to = (struct notes_place){base_of(k, g, at->file), at->line, at->column};
	return to->file == STRINGS_NONE ? -1 : 0;
}

static int add_blocks(struct notes_index *k, const struct gcc_graph *g, struct notes_function *f)
{
	const struct gcc_block *b;

	vector_each (&f->graph->blocks, b) {
		struct notes_block *slot = vector_push(&f->blocks);

		if (!slot || take_place(k, g, &b->condition, &slot->condition))
			return -1;
		slot->discriminator = b->discriminator;
		slot->computed_goto = b->computed_goto;
		f->computed_goto |= b->computed_goto;
	}
	return 0;
}

static int add_values(struct notes_index *k, const struct gcc_graph *g, struct notes_function *f)
{
	const struct gcc_value_site *s;

	vector_each (&f->graph->values, s) {
		struct notes_place *slot = vector_push(&f->values);

		if (!slot || take_place(k, g, &s->at, slot))
			return -1;
	}
	return 0;
}

static void sort_statements(struct notes_function *f)
{
	size_t kept = 0;

	vector_sort(&f->at, by_place);
	for (size_t i = 0; i < f->at.count; i++)
		if (!kept || by_place(&f->at.items[kept - 1], &f->at.items[i]))
			f->at.items[kept++] = f->at.items[i];
	f->at.count = kept;
}

static int add_statements(struct notes_index *k, const struct gcc_graph *g,
			  struct notes_function *f)
{
	const struct gcc_statement *s;

	vector_each (&f->graph->statements, s) {
		struct notes_at *at;

		if (!s->at.line || s->block >= f->blocks.count)
			continue;
		at = vector_push(&f->at);
		if (!at || take_place(k, g, &s->at, &at->place))
			return -1;
		at->discriminator = f->blocks.items[s->block].discriminator;
		at->block = s->block;
	}
	sort_statements(f);
	return 0;
}

/* Without a dump there are the lines of .gcno, which have neither columns nor discriminators. */
static int add_lines(struct notes_index *k, const struct gcc_graph *g, struct notes_function *f)
{
	const struct gcc_line *l;

	vector_each (&f->graph->lines, l) {
		struct notes_at at = {.place = {0, l->line, 0}, .block = l->block};

		if (!l->line)
			continue;
		at.place.file = base_of(k, g, l->file);
		if (at.place.file == STRINGS_NONE || vector_add(&f->at, at))
			return -1;
	}
	vector_sort(&f->at, by_place);
	return 0;
}

static int add_calls(struct notes_index *k, const struct gcc_graph *g, struct notes_function *f)
{
	const struct gcc_call *c;

	vector_each (&f->graph->calls, c) {
		struct notes_call *call = vector_push(&f->calls);

		if (!call)
			return -1;
		*call = (struct notes_call){
			.line = c->at.line,
			.column = c->at.column,
			.block = c->block,
			.callee = strings_add_text(k->strings,
						   strings_text(g->strings, c->callee))};
		if (call->callee == STRINGS_NONE)
			return -1;
	}
	vector_sort(&f->calls, by_site);
	return 0;
}

static int describe(struct notes_index *k, const struct gcc_graph *g, struct notes_function *f)
{
	if (add_blocks(k, g, f) || add_values(k, g, f) || add_calls(k, g, f) ||
	    (f->blocks.count ? add_statements(k, g, f) : add_lines(k, g, f)))
		return -1;
	vector_fit(&f->blocks);
	vector_fit(&f->at);
	vector_fit(&f->calls);
	vector_fit(&f->values);
	return 0;
}

/* ---- by name ------------------------------------------------------------------------------- */

/* The Itanium C++ ABI has no name for it; this is gcc's and clang's. */
#define UNNAMED_NAMESPACE "12_GLOBAL__N_1"

static bool same(const struct notes_function *a, const struct notes_function *b)
{
	return a->name == b->name && a->file == b->file &&
	       a->graph->lineno_checksum == b->graph->lineno_checksum &&
	       a->graph->cfg_checksum == b->graph->cfg_checksum &&
	       a->graph->arcs.count == b->graph->arcs.count;
}

/* Has each object one of its own, as the linker sees it? Of C++ that are static functions and those
 * of unnamed namespaces. */
static bool is_local(const struct notes_index *k, const struct notes_function *f)
{
	const char *name = strings_text(k->strings, f->name);

	return strncmp(name, "_Z", 2) || !strncmp(name, "_ZL", 3) ||
	       strstr(name, UNNAMED_NAMESPACE);
}

static int index_by_object(struct notes_index *k, uint32_t number)
{
	const struct notes_function *f = &k->functions.items[number];
	struct map_entry *e = map_at(&k->by_name, f->name, (uint64_t)f->object + 1);

	if (e)
		e->n = number + 1;
	return e ? 0 : -1;
}

/* The last function joins those of its name. */
static int join_named(struct notes_index *k)
{
	uint32_t number = (uint32_t)k->functions.count - 1, first, i;
	struct notes_function *f = &k->functions.items[number];
	struct map_entry *e = map_at(&k->by_name, f->name, 0);
	bool local = is_local(k, f);

	if (!e || !vector_push(&k->next_named))
		return -1;
	first = (uint32_t)e->n;
	if (first)
		k->next_named.items[e->m - 1] = number + 1;
	else
		e->n = number + 1;
	e->m = number + 1;
	f->described_by = f->same_as = number;
	for (i = first; i && f->described_by == number; i = k->next_named.items[i - 1])
		if (i - 1 < number && same(&k->functions.items[i - 1], f))
			f->described_by = i - 1;
	if (!local)
		f->same_as = f->described_by;
	return first && local && (index_by_object(k, first - 1) || index_by_object(k, number)) ? -1
											       : 0;
}

int notes_index_add(struct notes_index *k, const struct gcc_graph *g, uint32_t object)
{
	const struct gcc_function *graph;

	if (!k->strings)
		k->strings = strings_new();
	if (!k->strings)
		return -1;
	vector_each (&g->functions, graph) {
		struct notes_function *f = vector_push(&k->functions);

		if (!f)
			return -1;
		*f = (struct notes_function){.graph = graph, .object = object};
		f->name = strings_add_text(k->strings, strings_text(g->strings, graph->name));
		f->file = base_of(k, g, graph->file);
		if (f->name == STRINGS_NONE || f->file == STRINGS_NONE || join_named(k))
			return -1;
		if (describes_itself(k, f) && describe(k, g, f))
			return -1;
	}
	return 0;
}

/* The complete-object variant of a constructor or destructor is an alias of the base-object one,
 * which gcc knows. */
static uint32_t other_variant(const struct notes_index *k, const char *name, size_t length)
{
	char text[1024];

	if (strncmp(name, "_Z", 2) || length >= sizeof(text))
		return STRINGS_NONE;
	memcpy(text, name, length);
	text[length] = '\0';
	for (size_t i = 2; i + 2 < length; i++) {
		uint32_t number;

		if ((text[i] != 'C' && text[i] != 'D') || !strchr("145", text[i + 1]) ||
		    text[i + 2] != 'E')
			continue;
		text[i + 1] = '2';
		number = strings_find(k->strings, text, length);
		if (number != STRINGS_NONE && map_find(&k->by_name, number, 0))
			return number;
		text[i + 1] = name[i + 1];
	}
	return STRINGS_NONE;
}

/* Choose among functions of one name. */
static uint32_t notes_index_choose(const struct notes_index *k, const struct map_entry *named,
				   uint32_t name, uint32_t file, uint32_t object)
{
	const struct map_entry *own = object == NOTES_NONE
					      ? NULL
					      : map_find(&k->by_name, name, (uint64_t)object + 1);

	if (own)
		return k->functions.items[own->n - 1].same_as;
	for (uint32_t i = file ? (uint32_t)named->n : 0; i; i = k->next_named.items[i - 1])
		if (k->functions.items[i - 1].file == file)
			return k->functions.items[i - 1].same_as;
	return k->functions.items[named->n - 1].same_as;
}

uint32_t notes_index_find(const struct notes_index *k, const char *name, uint32_t file,
			  uint32_t object)
{
	size_t length = source_name_length(name, SOURCE_NAMES_GCC), whole = strlen(name);
	const struct map_entry *e = NULL;
	uint32_t number = strings_find(k->strings, name, whole);

	if (number != STRINGS_NONE)
		e = map_find(&k->by_name, number, 0);
	if (!e) {
		number = strings_find(k->strings, name, length);
		e = number == STRINGS_NONE ? NULL : map_find(&k->by_name, number, 0);
	}
	if (!e) {
		number = other_variant(k, name, length);
		e = number == STRINGS_NONE ? NULL : map_find(&k->by_name, number, 0);
	}
	return e ? notes_index_choose(k, e, number, file, object) : NOTES_NONE;
}

uint32_t notes_index_only_object(const struct notes_index *k, uint32_t function, uint32_t file)
{
	const struct notes_function *f = &k->functions.items[function];
	const struct map_entry *e = map_find(&k->by_name, f->name, 0);
	unsigned there = 0;

	if (!e || e->n == e->m)
		return f->object;
	if (!file || f->file != file)
		return NOTES_NONE;
	for (uint32_t i = (uint32_t)e->n; i && there < 2; i = k->next_named.items[i - 1])
		there += k->functions.items[i - 1].file == file &&
			 !k->functions.items[i - 1].copied;
	return there < 2 ? f->object : NOTES_NONE;
}

uint32_t notes_index_callee(const struct notes_index *k, const struct notes_function *f,
			    const struct notes_call *call)
{
	const struct map_entry *own;

	if (call->callee == NOTES_NONE || describes_itself(k, f))
		return call->callee;
	own = map_find(&k->by_name, k->functions.items[call->callee].name, (uint64_t)f->object + 1);
	return own ? k->functions.items[own->n - 1].same_as : call->callee;
}

/* ---- local functions of C++ --------------------------------------------------------------- */

static int index_unnamed(struct notes_index *k)
{
	for (uint32_t i = 0; i < k->functions.count; i++) {
		const struct notes_function *f = &k->functions.items[i];
		uint32_t *next = vector_push(&k->next_unnamed);
		struct map_entry *e;

		if (!next)
			return -1;
		if (strncmp(strings_text(k->strings, f->name), "_Z", 2) || !is_local(k, f))
			continue;
		e = map_at(&k->unnamed, f->file, f->graph->line);
		if (!e)
			return -1;
		*next = (uint32_t)e->n;
		e->n = i + 1;
	}
	return 0;
}

/* Templates are several functions at one line: which one it is can't be told then. */
uint32_t notes_index_find_unnamed(const struct notes_index *k, const char *name, uint32_t file,
				  uint32_t line, uint32_t object)
{
	const struct map_entry *e = map_find(&k->unnamed, file, line);
	size_t length = strcspn(name, "<");
	uint32_t found = NOTES_NONE;
	bool several = false;
	char part[256];

	if (snprintf(part, sizeof(part), "%zu%.*s", length, (int)length, name) >= (int)sizeof(part))
		return NOTES_NONE;
	for (uint32_t i = e ? (uint32_t)e->n : 0; i; i = k->next_unnamed.items[i - 1]) {
		uint32_t number = k->functions.items[i - 1].same_as;

		if (!strstr(strings_text(k->strings, k->functions.items[i - 1].name), part))
			continue;
		if (k->functions.items[i - 1].object == object)
			return number;
		several |= found != NOTES_NONE && found != number;
		found = number;
	}
	return several ? NOTES_NONE : found;
}

/* From the names of what is called to functions. */
static void find_callees(struct notes_index *k)
{
	struct notes_function *f;
	struct notes_call *c;

	vector_each (&k->functions, f)
		vector_each (&f->calls, c)
			c->callee = c->callee
					    ? notes_index_find(k,
							       strings_text(k->strings, c->callee),
							       f->file, f->object)
					    : NOTES_NONE;
}

void notes_index_share_descriptions(struct notes_index *k)
{
	struct notes_function *f;

	vector_each (&k->functions, f) {
		const struct notes_function *same = &k->functions.items[f->described_by];

		if (describes_itself(k, f) || &k->functions.items[f->same_as] != f)
			continue;
		f->computed_goto = same->computed_goto;
		f->without_columns = same->without_columns;
		f->blocks = same->blocks;
		f->at = same->at;
		f->calls = same->calls;
		f->values = same->values;
	}
}

/* ---- objects of one source ----------------------------------------------------------------- */

static size_t count_of_object(const struct notes_index *k, size_t first)
{
	size_t end = first;

	while (end < k->functions.count &&
	       k->functions.items[end].object == k->functions.items[first].object)
		end++;
	return end - first;
}

static uint64_t hash_object(const struct notes_function *f, size_t count)
{
	uint64_t hash = count;

	for (size_t i = 0; i < count; i++)
		hash = (hash * 0x100000001b3 ^ f[i].name) * 0x100000001b3 ^
		       f[i].graph->cfg_checksum;
	return hash;
}

static void share_object(struct notes_index *k, size_t first, size_t copy, size_t count)
{
	for (size_t i = 0; i < count; i++)
		if (!same(&k->functions.items[first + i], &k->functions.items[copy + i]))
			return;
	for (size_t i = 0; i < count; i++) {
		k->functions.items[copy + i].copied = true;
		k->functions.items[copy + i].same_as = k->functions.items[first + i].same_as;
	}
}

static int find_copies(struct notes_index *k)
{
	struct map objects = {0}; /* (hash, 0) -> n = the first function of the first such + 1 */
	size_t count;
	int rc = 0;

	for (size_t i = 0; i < k->functions.count && !rc; i += count) {
		struct map_entry *e;

		count = count_of_object(k, i);
		e = map_at(&objects, hash_object(&k->functions.items[i], count), 0);
		if (!e)
			rc = -1;
		else if (!e->n)
			e->n = i + 1;
		else if (count_of_object(k, e->n - 1) == count)
			share_object(k, e->n - 1, i, count);
	}
	map_deinit(&objects);
	return rc;
}

int notes_index_finish(struct notes_index *k)
{
	vector_fit(&k->functions);
	if (find_copies(k) || index_unnamed(k))
		return -1;
	find_callees(k);
	notes_index_share_descriptions(k);
	return 0;
}

void notes_index_drop_columns(struct notes_index *k, uint32_t function)
{
	struct notes_function *f = &k->functions.items[k->functions.items[function].described_by];
	struct notes_block *b;
	struct notes_at *at;
	struct notes_call *c;
	struct notes_place *value;

	f->without_columns = true;
	vector_each (&f->blocks, b)
		b->condition.column = 0;
	vector_each (&f->at, at)
		at->place.column = 0;
	vector_each (&f->calls, c)
		c->column = 0;
	vector_each (&f->values, value)
		value->column = 0;
	sort_statements(f);
	vector_sort(&f->calls, by_site);
}

/* ---- by place ------------------------------------------------------------------------------ */

/* The first of f->at that is not below. */
static size_t first_at(const struct notes_function *f, const struct notes_at *key)
{
	const struct notes_at *at;

	return vector_count_while(&f->at, at, by_place(at, key) < 0);
}

/* How many from f->at's @first on are below @last: mostly few, but a macro may put thousands at one
 * place. */
static size_t count_from(const struct notes_function *f, size_t first, const struct notes_at *last)
{
	size_t low = first, high = first;

	for (size_t step = 1; high < f->at.count && by_place(&f->at.items[high], last) < 0;
	     step *= 2) {
		low = high + 1;
		high += step;
	}
	high = high < f->at.count ? high : f->at.count;
	while (low < high) {
		size_t middle = low + (high - low) / 2;

		if (by_place(&f->at.items[middle], last) < 0)
			low = middle + 1;
		else
			high = middle;
	}
	return low - first;
}

static uint32_t column_in(const struct notes_function *f, uint32_t column)
{
	return f->without_columns ? 0 : column;
}

static struct notes_place place_in(const struct notes_function *f, struct notes_place place)
{
	return (struct notes_place){place.file, place.line, column_in(f, place.column)};
}

const struct notes_at *notes_function_at(const struct notes_function *f, struct notes_place place,
					 size_t *count)
{
	struct notes_at key = {.place = place_in(f, place)};
	size_t first = first_at(f, &key);

	key.discriminator = key.block = UINT32_MAX; /* no block's number */
	*count = count_from(f, first, &key);
	return vector_at(&f->at, first);
}

const struct notes_at *notes_function_at_exactly(const struct notes_function *f,
						 struct notes_place place, uint32_t discriminator,
						 size_t *count)
{
	struct notes_at key = {.place = place_in(f, place), .discriminator = discriminator};
	size_t first = first_at(f, &key);

	key.block = UINT32_MAX;
	*count = count_from(f, first, &key);
	return vector_at(&f->at, first);
}

bool notes_function_has_line(const struct notes_function *f, struct notes_place place)
{
	struct notes_at key = {.place = {place.file, place.line, 0}};
	size_t first = first_at(f, &key);

	return first < f->at.count && f->at.items[first].place.file == place.file &&
	       f->at.items[first].place.line == place.line;
}

uint32_t notes_function_block(const struct notes_function *f, struct notes_place place)
{
	const struct notes_at *at;
	size_t n;

	at = notes_function_at(f, place, &n);
	for (size_t i = 1; i < n; i++)
		if (at[i].block != at->block)
			return NOTES_NONE;
	return n ? at->block : NOTES_NONE;
}

bool notes_function_is_in(const struct notes_function *f, struct notes_place place, uint32_t block)
{
	const struct notes_at *at;
	size_t n;

	at = notes_function_at(f, place, &n);
	for (size_t i = 0; i < n; i++)
		if (at[i].block == block)
			return true;
	return false;
}

bool notes_function_has_values(const struct notes_function *f, struct notes_place place)
{
	const struct notes_place *at;

	place = place_in(f, place);
	vector_each (&f->values, at)
		if (notes_place_is(at, &place))
			return true;
	return false;
}

const struct notes_call *notes_function_calls(const struct notes_function *f, uint32_t line,
					      uint32_t column, size_t *count)
{
	const struct notes_call *c;
	size_t low;

	column = column_in(f, column);
	low = vector_count_while(&f->calls, c,
				 c->line < line || (c->line == line && c->column < column));

	*count = 0;
	while (low + *count < f->calls.count && f->calls.items[low + *count].line == line &&
	       f->calls.items[low + *count].column == column)
		++*count;
	return vector_at(&f->calls, low);
}
