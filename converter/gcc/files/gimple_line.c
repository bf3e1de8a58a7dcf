/* SPDX-License-Identifier: MIT */
/*
 * One line of a statement in gcc's dumps of its GIMPLE form, printed with -lineno: "  [a.c:3:5] x_1
 * = f (2);". What is looked at was read in dumps of gcc 11 and 12, and in gimple-pretty-print.cc
 * and tree-pretty-print.c of gcc's later sources.
 */
#include "converter/gcc/files/gcc_dump_parts.h"

#include <string.h>

bool gimple_line_number(struct text *t, uint32_t *out)
{
	uint64_t value;

	if (!text_take_number(t, 10, &value) || value > UINT32_MAX)
		return false;
	*out = (uint32_t)value;
	return true;
}

/* Take ":3:5] " or ":3:5 discrim 2] ", the end of a place; it moves only if it is one. */
static bool take_place_end(struct gimple_place *p, struct text *t)
{
	struct text left = *t;

	p->discriminator = 0;
	if (!text_take(&left, ":") || !gimple_line_number(&left, &p->line) ||
	    !text_take(&left, ":") || !gimple_line_number(&left, &p->column))
		return false;
	if (text_take(&left, " discrim ") && !gimple_line_number(&left, &p->discriminator))
		return false;
	if (!text_take(&left, "] "))
		return false;
	*t = left;
	return true;
}

/* Take "[a.c:3:5] ". A file with a bracket in its name is no place: arrays have brackets, too. */
static bool take_place(struct gimple_place *p, struct text *t)
{
	struct text left = *t;

	if (!text_take(&left, "["))
		return false;
	p->file = (struct text){left.at, left.at};
	for (; text_length(left) && *left.at != '[' && *left.at != ']'; left.at++) {
		const char *colon = left.at;

		if (*colon != ':' || colon == p->file.at || !take_place_end(p, &left))
			continue;
		p->file.end = colon;
		*t = left;
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

static bool find_place(struct gimple_place *p, struct text l)
{
	while (text_length(l)) {
		struct text behind = l;

		if (take_place(p, &behind))
			return true;
		l.at = *l.at == '"' ? behind_string(l.at, l.end) : l.at + 1;
	}
	return false;
}

/* What is assigned, or the whole if nothing is. */
static struct text right_side(struct text whole)
{
	struct text l = whole;
	int depth = 0;

	while (text_length(l)) {
		if (!depth && text_take(&l, " = "))
			return l;
		depth += (*l.at == '(' || *l.at == '[') - (*l.at == ')' || *l.at == ']');
		l.at = *l.at == '"' ? behind_string(l.at, l.end) : l.at + 1;
	}
	return whole;
}

static bool is_keyword(struct text t)
{
	static const char *const keywords[] = {"if", "switch", "return", "goto", "while"};

	for (size_t i = 0; i < sizeof(keywords) / sizeof(keywords[0]); i++)
		if (text_length(t) == strlen(keywords[i]) && text_begins(t, keywords[i]))
			return true;
	return false;
}

bool gimple_line_may_be_ssa(struct text name)
{
	const char *end = name.end;

	while (end > name.at && end[-1] >= '0' && end[-1] <= '9')
		end--;
	return end > name.at && end < name.end && end[-1] == '_';
}

/* "f (", "f_3(D) (", "OBJ_TYPE_REF(...) (": names are followed by a blank only where they are
 * called. */
static void parse_call(struct gimple_line *l, struct text left)
{
	if (text_begins(left, "OBJ_TYPE_REF(")) {
		l->call = true;
		return;
	}
	text_take(&left, "*"); /* before a name that the source gave as it is */
	l->callee.at = left.at;
	while (text_length(left) && !strchr(" ()[]{}\",;", *left.at))
		left.at++;
	l->callee.end = left.at;
	l->call = text_length(l->callee) && text_begins(left, " (") && !is_keyword(l->callee);
	if (text_take(&left, "(D)")) {
		l->call = text_begins(left, " (");
		l->callee.end = l->callee.at;
	}
}

static void parse_right_side(struct gimple_line *l, struct text statement)
{
	struct text right = right_side(statement);
	struct gimple_place ignored;

	while (take_place(&ignored, &right))
		;
	if (!text_begins(right, ".")) /* an operation of gcc's own, which is no call in the code */
		parse_call(l, right);
}

bool gimple_line_parse(struct gimple_line *l, struct text line)
{
	*l = (struct gimple_line){0};
	text_skip(&line, " ");
	l->has_place = take_place(&l->place, &line);
	l->text = line;
	if (!text_length(line) || text_begins(line, "# ") || text_begins(line, "//"))
		return false;
	if (text_begins(line, "__asm__")) {
		l->open = memcmp(line.end - 2, ");", 2);
		return true;
	}
	l->condition = text_begins(line, "if (") || text_begins(line, "switch (");
	l->computed_goto = text_begins(line, "goto ") && !text_begins(line, "goto <");
	if (!l->has_place)
		l->has_place = find_place(&l->place, line);
	if (!l->condition && !l->computed_goto)
		parse_right_side(l, line);
	return true;
}

/* Empty if there is none. */
static struct text take_word(struct text *t)
{
	struct text word = *t;

	while (text_length(*t) && !strchr(" ()[]{}<>,;", *t->at))
		t->at++;
	word.end = t->at;
	return word;
}

bool gimple_line_parse_phi(struct gimple_phi *p, struct text line)
{
	text_skip(&line, " ");
	if (!text_take(&line, "# "))
		return false;
	p->name = take_word(&line);
	if (!text_take(&line, " = PHI <"))
		return false;
	for (size_t i = 0; i < 2; i++) {
		struct gimple_place ignored;

		if (i && !text_take(&line, ", "))
			return false;
		take_place(&ignored, &line);
		p->values[i] = take_word(&line);
		text_take(&line, "(D)");
		if (!text_length(p->values[i]) || !text_take(&line, "(") ||
		    !gimple_line_number(&line, &p->blocks[i]) || !text_take(&line, ")"))
			return false;
	}
	return text_take(&line, ">");
}

bool gimple_line_parse_operation(struct gimple_operation *o, struct text statement)
{
	struct text left = statement;
	bool condition = text_take(&left, "if (");

	*o = (struct gimple_operation){.result = {0}};
	if (!condition) {
		o->result = take_word(&left);
		if (!text_length(o->result) || !text_take(&left, " = "))
			return false;
	}
	o->left = take_word(&left);
	if (!text_length(o->left) || !text_take(&left, " "))
		return false;
	o->operation.at = left.at;
	while (text_length(left) && *left.at != ' ')
		left.at++;
	o->operation.end = left.at;
	if (!text_take(&left, " "))
		return false;
	o->right = take_word(&left);
	return text_length(o->right) && text_take(&left, condition ? ")" : ";") &&
	       !text_length(left);
}

bool gimple_line_integer(struct text t, int64_t *out)
{
	bool negative = text_take(&t, "-");
	uint64_t value = 0;

	if (!text_length(t))
		return false;
	for (; t.at < t.end; t.at++) {
		if (*t.at < '0' || *t.at > '9' || value > (UINT64_MAX - 9) / 10)
			return false;
		value = value * 10 + (uint64_t)(*t.at - '0');
	}
	if (!negative && (value == UINT32_MAX || value == UINT64_MAX))
		value = UINT64_MAX;
	*out = (int64_t)(negative ? 0 - value : value);
	return true;
}
