/* SPDX-License-Identifier: MIT */
/*
 * One line of a statement in gcc's dumps of its GIMPLE form, printed with -lineno: "  [a.c:3:5] x_1
 * = f (2);". What is looked at was read in dumps of gcc 11 and 12, and in gimple-pretty-print.cc
 * and tree-pretty-print.c of gcc's later sources.
 */
#include "converter/gcc/files/gcc_dump_parts.h"

#include <string.h>

static bool gimple_begins(const char *at, const char *end, const char *with)
{
	size_t length = strlen(with);

	return (size_t)(end - at) >= length && !memcmp(at, with, length);
}

static bool skip(const char **at, const char *end, const char *with)
{
	if (!gimple_begins(*at, end, with))
		return false;
	*at += strlen(with);
	return true;
}

bool gimple_line_number(const char **at, const char *end, uint32_t *out)
{
	const char *begin = *at;
	uint64_t value = 0;

	for (; *at < end && **at >= '0' && **at <= '9'; (*at)++) {
		value = value * 10 + (uint64_t)(**at - '0');
		if (value > UINT32_MAX)
			return false;
	}
	*out = (uint32_t)value;
	return *at > begin;
}

/* ":3:5]" or ":3:5 discrim 2]" at @at: the end of a place. */
static bool parse_place_end(struct gimple_place *p, const char **at, const char *end)
{
	const char *a = *at;

	p->discriminator = 0;
	if (!skip(&a, end, ":") || !gimple_line_number(&a, end, &p->line) || !skip(&a, end, ":") ||
	    !gimple_line_number(&a, end, &p->column))
		return false;
	if (skip(&a, end, " discrim ") && !gimple_line_number(&a, end, &p->discriminator))
		return false;
	if (!skip(&a, end, "] "))
		return false;
	*at = a;
	return true;
}

/* "[a.c:3:5] " at *at, which is moved behind it. A file with a bracket in its name is no place:
 * arrays have brackets, too. */
static bool parse_place(struct gimple_place *p, const char **at, const char *end)
{
	const char *a = *at;

	if (!skip(&a, end, "["))
		return false;
	p->file.at = a;
	for (; a < end && *a != '[' && *a != ']'; a++) {
		const char *behind = a;

		if (*a != ':' || a == p->file.at || !parse_place_end(p, &behind, end))
			continue;
		p->file.length = (size_t)(a - p->file.at);
		*at = behind;
		return p->line > 0;
	}
	return false;
}

/* Behind a string that begins at @at. */
static const char *behind_string(const char *at, const char *end)
{
	for (at++; at < end && *at != '"'; at++)
		if (*at == '\\' && at + 1 < end)
			at++;
	return at < end ? at + 1 : end;
}

static bool find_place(struct gimple_place *p, const char *at, const char *end)
{
	while (at < end) {
		const char *behind = at;

		if (*at == '[' && parse_place(p, &behind, end))
			return true;
		at = *at == '"' ? behind_string(at, end) : at + 1;
	}
	return false;
}

/* What is assigned, or the whole if nothing is. */
static const char *right_side(const char *at, const char *end)
{
	const char *a = at;
	int depth = 0;

	while (a < end) {
		if (!depth && gimple_begins(a, end, " = "))
			return a + 3;
		depth += (*a == '(' || *a == '[') - (*a == ')' || *a == ']');
		a = *a == '"' ? behind_string(a, end) : a + 1;
	}
	return at;
}

static bool is_keyword(struct gimple_text t)
{
	static const char *const keywords[] = {"if", "switch", "return", "goto", "while"};

	for (size_t i = 0; i < sizeof(keywords) / sizeof(keywords[0]); i++)
		if (t.length == strlen(keywords[i]) && !memcmp(t.at, keywords[i], t.length))
			return true;
	return false;
}

bool gimple_line_may_be_ssa(struct gimple_text name)
{
	size_t i = name.length;

	while (i && name.at[i - 1] >= '0' && name.at[i - 1] <= '9')
		i--;
	return i && i < name.length && name.at[i - 1] == '_';
}

/* "f (", "f_3(D) (", "OBJ_TYPE_REF(...) (": names are followed by a blank only where they are
 * called. */
static void parse_call(struct gimple_line *l, const char *at, const char *end)
{
	const char *a = at;

	if (gimple_begins(a, end, "OBJ_TYPE_REF(")) {
		l->call = true;
		return;
	}
	if (a < end && *a == '*') /* a name that the source gave as it is */
		at = ++a;
	while (a < end && !strchr(" ()[]{}\",;", *a))
		a++;
	l->callee = (struct gimple_text){at, (size_t)(a - at)};
	l->call = l->callee.length > 0 && gimple_begins(a, end, " (") && !is_keyword(l->callee);
	if (skip(&a, end, "(D)")) {
		l->call = gimple_begins(a, end, " (");
		l->callee.length = 0;
	}
}

static void parse_right_side(struct gimple_line *l, const char *at, const char *end)
{
	struct gimple_place ignored;

	at = right_side(at, end);
	while (parse_place(&ignored, &at, end))
		;
	if (at < end && *at == '.') /* an operation of gcc's own, which is no call in the code */
		return;
	parse_call(l, at, end);
}

static bool is_asm_whole(const char *at, const char *end)
{
	return end - at >= 2 && end[-2] == ')' && end[-1] == ';';
}

bool gimple_line_parse(struct gimple_line *l, const char *at, const char *end)
{
	*l = (struct gimple_line){0};
	while (at < end && *at == ' ')
		at++;
	l->has_place = parse_place(&l->place, &at, end);
	l->text = (struct gimple_text){at, (size_t)(end - at)};
	if (at == end || gimple_begins(at, end, "# ") || gimple_begins(at, end, "//"))
		return false;
	if (gimple_begins(at, end, "__asm__")) {
		l->open = !is_asm_whole(at, end);
		return true;
	}
	l->condition = gimple_begins(at, end, "if (") || gimple_begins(at, end, "switch (");
	l->computed_goto = gimple_begins(at, end, "goto ") && !gimple_begins(at, end, "goto <");
	if (!l->has_place)
		l->has_place = find_place(&l->place, at, end);
	if (!l->condition && !l->computed_goto)
		parse_right_side(l, at, end);
	return true;
}

static struct gimple_text take_word(const char **at, const char *end)
{
	const char *begin = *at;

	while (*at < end && !strchr(" ()[]{}<>,;", **at))
		(*at)++;
	return (struct gimple_text){begin, (size_t)(*at - begin)};
}

bool gimple_line_parse_phi(struct gimple_phi *p, const char *at, const char *end)
{
	while (at < end && *at == ' ')
		at++;
	if (!skip(&at, end, "# "))
		return false;
	p->name = take_word(&at, end);
	if (!skip(&at, end, " = PHI <"))
		return false;
	for (size_t i = 0; i < 2; i++) {
		struct gimple_place ignored;

		if (i && !skip(&at, end, ", "))
			return false;
		parse_place(&ignored, &at, end);
		p->values[i] = take_word(&at, end);
		skip(&at, end, "(D)");
		if (!p->values[i].length || !skip(&at, end, "(") ||
		    !gimple_line_number(&at, end, &p->blocks[i]) || !skip(&at, end, ")"))
			return false;
	}
	return skip(&at, end, ">");
}

bool gimple_line_parse_operation(struct gimple_operation *o, struct gimple_text statement)
{
	const char *at = statement.at, *end = at + statement.length;
	bool condition = skip(&at, end, "if (");

	*o = (struct gimple_operation){.result = {0}};
	if (!condition) {
		o->result = take_word(&at, end);
		if (!o->result.length || !skip(&at, end, " = "))
			return false;
	}
	o->left = take_word(&at, end);
	if (!o->left.length || !skip(&at, end, " "))
		return false;
	o->operation.at = at;
	while (at < end && *at != ' ')
		at++;
	o->operation.length = (size_t)(at - o->operation.at);
	if (!skip(&at, end, " "))
		return false;
	o->right = take_word(&at, end);
	return o->right.length && skip(&at, end, condition ? ")" : ";") && at == end;
}

bool gimple_line_integer(struct gimple_text t, int64_t *out)
{
	const char *at = t.at, *end = at + t.length;
	bool negative = skip(&at, end, "-");
	uint64_t value = 0;

	if (at == end)
		return false;
	for (; at < end; at++) {
		if (*at < '0' || *at > '9' || value > (UINT64_MAX - 9) / 10)
			return false;
		value = value * 10 + (uint64_t)(*at - '0');
	}
	if (!negative && (value == UINT32_MAX || value == UINT64_MAX))
		value = UINT64_MAX;
	*out = (int64_t)(negative ? 0 - value : value);
	return true;
}
