/* SPDX-License-Identifier: MIT */
#include "base/order.h"
#include "report/views/function_listing.h"

#include <stdio.h>
#include <string.h>

#include "base/error.h"
#include "base/memory.h"
#include "base/suggestion.h"
#include "converter/cfg/cfg.h"
#include "report/demangle.h"

/* So many functions are listed if none is asked for. */
#define HOTTEST 3

void function_listings_deinit(struct function_listings *l)
{
	struct function_listing *f;

	vector_each (&l->items, f) {
		block_finder_free(f->finder);
		loops_deinit(&f->loops);
		memory_free(f->counts);
	}
	vector_deinit(&l->items);
}

static bool is_named(const char *name, const char *asked)
{
	char *demangled;
	size_t length = strlen(asked);
	bool same = !strcmp(name, asked);

	if (same)
		return true;
	demangled = demangle_text(name);
	/* with its arguments or without */
	same = demangled && !strncmp(demangled, asked, length) &&
	       (!demangled[length] || demangled[length] == '(');
	memory_free(demangled);
	return same;
}

static uint64_t taken_in(const struct branch_sites *sites, const struct binary_function *f)
{
	const struct branch_site *s;
	size_t n = vector_count_while(&sites->items, s, s->va < f->begin);
	uint64_t sum = 0;

	for (; n < sites->items.count && sites->items.items[n].va < f->end; n++)
		sum += sites->items.items[n].taken;
	return sum;
}

static int add_functions(struct function_listings *l, struct view *v, size_t part)
{
	const struct view_part *p = &v->parts.items[part];
	size_t count = 0;
	const struct binary_function *f = p->binary ? binary_functions(p->binary, &count) : NULL;

	for (size_t i = 0; i < count; i++) {
		const char *asked = v->options->function;
		uint64_t taken = taken_in(&p->sites, &f[i]);

		if (!taken || (asked && !is_named(f[i].name, asked)))
			continue;
		if (vector_add(&l->items, (struct function_listing){
						  .part = part, .function = &f[i], .taken = taken}))
			return -1;
	}
	return 0;
}

/* Names for who misspelt one: those that have it in them, or else the nearest. */
struct near_names {
	const char *asked;
	char parts[256], nearest[128];
	struct suggestion suggestion;
};

static void offer_name(struct near_names *n, const char *name)
{
	char *demangled = demangle_name(name, true);
	const char *shown = demangled ? demangled : name;

	if (strstr(shown, n->asked))
		error_add_name(n->parts, sizeof(n->parts), shown);
	suggestion_offer(&n->suggestion, shown);
	if (n->suggestion.nearest == shown) {
		snprintf(n->nearest, sizeof(n->nearest), "%s", shown);
		n->suggestion.nearest = n->nearest;
	}
	memory_free(demangled);
}

static int no_function(const struct view *v, bool exists, const struct near_names *near,
		       struct softlbr_error *e)
{
	const char *names = *near->parts ? near->parts : near->nearest, *asked = near->asked;

	if (exists)
		return error_set(
			e, SOFTLBR_E_INPUT, v->options->path,
			"--function=%s: it did not run in %s; --view=summary lists what did", asked,
			v->options->path);
	return error_set(e, SOFTLBR_E_INPUT, v->options->path,
			 "--function=%s: no function of %s has this name%s%s%s; --view=summary "
			 "lists those that ran",
			 asked, v->options->path, *names ? "; did you mean " : "", names,
			 *names ? "?" : "");
}

int function_listings_check(const struct view *v, struct softlbr_error *e)
{
	struct near_names near = {.asked = v->options->function};
	const struct view_part *p;
	bool exists = false;

	if (!near.asked)
		return 0;
	suggestion_begin(&near.suggestion, near.asked);
	vector_each (&v->parts, p) {
		size_t count = 0;
		const struct binary_function *f = p->binary ? binary_functions(p->binary, &count)
							    : NULL;

		for (size_t i = 0; i < count; i++) {
			uint64_t taken = taken_in(&p->sites, &f[i]);
			bool named = is_named(f[i].name, near.asked);

			if (named && taken)
				return 0;
			exists |= named;
			if (taken)
				offer_name(&near, f[i].name);
		}
	}
	return no_function(v, exists, &near, e);
}

ORDER_BY(by_taken, struct function_listing,
	 ORDER_DOWN(taken) ?: ORDER_UP(part) ?: ORDER_UP(function->begin));

static int count_instructions(struct function_listing *f, const struct map *ranges)
{
	const struct code *code = f->blocks->code;
	struct map_entry **own = memory_alloc_array(ranges->count + 1, sizeof(*own)), *i = NULL;
	size_t count = 0;

	f->counts = memory_alloc_array(code->count + 1, sizeof(*f->counts));
	if (!own || !f->counts) {
		memory_free(own);
		return -1;
	}
	while ((i = map_next(ranges, i)))
		if (i->a >= f->function->begin && i->a < f->function->end)
			own[count++] = i;
	instruction_counts_of_ranges(code, own, count, f->counts);
	memory_free(own);
	return 0;
}

static int list(struct function_listing *f, struct view *v)
{
	const struct view_part *p = &v->parts.items[f->part];

	f->finder = block_finder_new(p->binary, p->profile);
	f->blocks = f->finder ? block_finder_get(f->finder, f->function) : NULL;
	if (!f->blocks || loops_find(&f->loops, f->blocks))
		return -1;
	return count_instructions(f, &p->profile->ranges);
}

int function_listings_make(struct function_listings *l, struct view *v)
{
	struct function_listing *f;
	int rc = 0;

	for (size_t part = 0; !rc && part < v->parts.count; part++)
		rc = add_functions(l, v, part);
	vector_sort(&l->items, by_taken);
	if (!v->options->function && l->items.count > HOTTEST)
		l->items.count = HOTTEST;
	vector_each (&l->items, f)
		rc = rc ? rc : list(f, v);
	return rc;
}

uint32_t function_listing_loop(const struct function_listing *l, size_t insn)
{
	size_t block = block_list_find(l->blocks, l->blocks->code->insns[insn].address);

	return block == CODE_NONE ? LOOPS_NONE : l->loops.of_block[block];
}

void function_listing_margin(const struct function_listing *l, size_t insn, char *room, size_t size)
{
	uint32_t number = function_listing_loop(l, insn);

	room[0] = '\0';
	if (number != LOOPS_NONE && l->loops.items.items[number].depth < size)
		room[l->loops.items.items[number].depth] = '\0';
	for (; number != LOOPS_NONE; number = l->loops.items.items[number].parent) {
		const struct loop *loop = &l->loops.items.items[number];

		if (loop->depth >= size)
			continue;
		room[loop->depth - 1] = l->blocks->items.items[loop->head].first == insn ? 'o'
											 : '|';
	}
}

static size_t first_of(const struct function_arrow *a)
{
	return a->from < a->to ? a->from : a->to;
}

static size_t last_of(const struct function_arrow *a)
{
	return a->from < a->to ? a->to : a->from;
}

int function_arrows_add(struct function_arrows *a, size_t from, size_t to)
{
	return vector_add(&a->items, (struct function_arrow){from, to, FUNCTION_ARROW_LANES});
}

ORDER_BY(by_length, struct function_arrow,
	 order_numbers(last_of(a) - first_of(a), last_of(b) - first_of(b)) ?: ORDER_UP(from));

/* Arrows to one row may join there. */
static bool overlap(const struct function_arrow *a, const struct function_arrow *b)
{
	return first_of(a) <= last_of(b) && first_of(b) <= last_of(a) && a->to != b->to;
}

static bool is_free(const struct function_arrows *a, const struct function_arrow *one,
		    unsigned lane)
{
	for (const struct function_arrow *other = a->items.items; other < one; other++)
		if (other->lane == lane && overlap(other, one))
			return false;
	return true;
}

void function_arrows_place(struct function_arrows *a)
{
	struct function_arrow *one;

	vector_sort(&a->items, by_length);
	vector_each (&a->items, one)
		for (unsigned lane = 0; lane < FUNCTION_ARROW_LANES; lane++)
			if (is_free(a, one, lane)) {
				one->lane = lane;
				break;
			}
}

void function_arrows_draw(const struct function_arrows *a, size_t row,
			  char room[FUNCTION_ARROW_BYTES])
{
	const struct function_arrow *one;
	unsigned outermost = 0;
	bool ends = false, arrives = false;

	memset(room, ' ', FUNCTION_ARROW_LANES + 2);
	room[FUNCTION_ARROW_LANES + 2] = '\0';
	vector_each (&a->items, one) {
		char *at = &room[FUNCTION_ARROW_LANES - 1 - one->lane];

		if (one->lane == FUNCTION_ARROW_LANES || row < first_of(one) || row > last_of(one))
			continue;
		if (row != one->from && row != one->to) {
			if (*at == ' ')
				*at = '|';
			continue;
		}
		*at = '+';
		ends = true;
		arrives |= row == one->to;
		if (one->lane > outermost)
			outermost = one->lane;
	}
	for (char *at = &room[FUNCTION_ARROW_LANES - 1 - outermost]; ends && *at; at++)
		if (*at == ' ')
			*at = '-';
	if (arrives)
		room[FUNCTION_ARROW_LANES + 1] = '>';
}

void function_arrows_deinit(struct function_arrows *a)
{
	vector_deinit(&a->items);
}
