/* SPDX-License-Identifier: MIT */
#include "converter/update/function_body.h"

#include "base/order.h"
#include "converter/update/c_tokens.h"

/* Of functions that are much larger than others not all tokens are compared: they are not alike. */
#define SIZES_LEAST 0.5
#define CALLS_SHARE 0.5 /* what calls count for, where both functions have some */

ORDER_BY(compare_hashes, uint64_t, order_numbers(*a, *b));

/* Brackets and the like are the same in all lines. */
static bool tells(const struct c_token *t)
{
	return !(t->kind == C_TOKEN_MARK && strchr("(){};,", *t->text.at) && *t->text.at);
}

/* The line of that number, changed by a token. NULL without memory. */
static struct body_line *line_on(struct function_body *b, uint32_t number, uint64_t hash)
{
	struct body_line *line;

	while (b->lines.count <= number - b->first_line)
		if (!vector_push(&b->lines))
			return NULL;
	line = &b->lines.items[number - b->first_line];
	line->hash = (line->hash + hash) * UINT64_C(0x9e3779b97f4a7c15) + 1;
	return line;
}

static int add_token(struct function_body *b, uint32_t number, uint64_t hash)
{
	struct body_line *line = line_on(b, number, hash);

	if (!line)
		return -1;
	if (!line->count++)
		line->tokens = (uint32_t)b->tokens.count;
	return vector_add(&b->tokens, hash);
}

int function_body_add(struct function_body *b, uint32_t line, uint64_t token, bool calls)
{
	return add_token(b, line, token) || vector_add(&b->sorted, token) ||
			       (calls && vector_add(&b->calls, token))
		       ? -1
		       : 0;
}

void function_body_sort(struct function_body *b)
{
	struct body_line *line;

	vector_each (&b->lines, line)
		if (line->count > 1)
			qsort(b->tokens.items + line->tokens, line->count, sizeof(uint64_t),
			      compare_hashes);
	vector_sort(&b->sorted, compare_hashes);
	vector_sort(&b->calls, compare_hashes);
}

int function_body_read(struct function_body *out, const struct c_function *f)
{
	struct c_token_reader reader = {.rest = f->text, .line = f->begin_line};
	uint64_t name = c_token_hash(&(struct c_token){.text = f->name_text}), last = 0;
	struct c_token t;

	out->first_line = f->begin_line;
	while (c_token_next(&reader, &t)) {
		uint64_t hash = c_token_hash(&t);

		if (tells(&t) ? add_token(out, t.line, hash) : !line_on(out, t.line, hash))
			return -1;
		if ((hash != name && tells(&t) && vector_add(&out->sorted, hash)) ||
		    (c_token_is(&t, "(") && last && vector_add(&out->calls, last)))
			return -1;
		last = t.kind == C_TOKEN_WORD && hash != name ? hash : 0;
	}
	function_body_sort(out);
	return 0;
}

void function_body_deinit(struct function_body *b)
{
	vector_deinit(&b->lines);
	vector_deinit(&b->tokens);
	vector_deinit(&b->sorted);
	vector_deinit(&b->calls);
}

void function_bodies_drop(struct function_body **slot)
{
	if (*slot)
		function_body_deinit(*slot);
	memory_free(*slot);
	*slot = NULL;
}

void function_bodies_deinit(function_bodies *bodies)
{
	struct function_body **slot;

	vector_each (bodies, slot)
		function_bodies_drop(slot);
	vector_deinit(bodies);
}

static double dice(const uint64_t *a, size_t a_count, const uint64_t *b, size_t b_count)
{
	size_t i = 0, j = 0, common = 0;

	while (i < a_count && j < b_count) {
		common += a[i] == b[j];
		if (a[i] == b[j]) {
			i++;
			j++;
		} else if (a[i] < b[j]) {
			i++;
		} else {
			j++;
		}
	}
	return a_count + b_count ? 2 * (double)common / (double)(a_count + b_count) : 0;
}

/* More than that two lists of these lengths can't have. */
static double dice_most(size_t a_count, size_t b_count)
{
	size_t less = a_count < b_count ? a_count : b_count;

	return a_count + b_count ? 2 * (double)less / (double)(a_count + b_count) : 0;
}

double function_body_likeness(const struct function_body *a, const struct function_body *b)
{
	double tokens;

	if (dice_most(a->sorted.count, b->sorted.count) < SIZES_LEAST)
		return 0;
	tokens = dice(a->sorted.items, a->sorted.count, b->sorted.items, b->sorted.count);

	if (!a->calls.count || !b->calls.count)
		return tokens;
	return (1 - CALLS_SHARE) * tokens +
	       CALLS_SHARE * dice(a->calls.items, a->calls.count, b->calls.items, b->calls.count);
}

double function_body_line_likeness(const struct function_body *a, const struct body_line *x,
				   const struct function_body *b, const struct body_line *y)
{
	if (!x->count || !y->count)
		return 0;
	return dice(a->tokens.items + x->tokens, x->count, b->tokens.items + y->tokens, y->count);
}

uint32_t function_body_line_with(const struct function_body *b, uint64_t token)
{
	const struct body_line *line;
	uint32_t found = 0;

	vector_each (&b->lines, line) {
		if (!line->count || !bsearch(&token, b->tokens.items + line->tokens, line->count,
					     sizeof(token), compare_hashes))
			continue;
		if (found)
			return 0;
		found = b->first_line + (uint32_t)(line - b->lines.items);
	}
	return found;
}
