/* SPDX-License-Identifier: MIT */
#include "converter/update/c_functions.h"

#include <ctype.h>

#include "converter/update/c_tokens.h"

/* Declarations of more tokens, and scopes nested deeper, are not looked into. */
#define DECLARATION_MOST 8192
#define SCOPES_MOST	 64
#define SCOPE_NAME_MOST	 1024

struct scope {
	size_t above; /* length of the names of those around it */
};

struct scan {
	struct c_token_reader reader;
	struct strings *strings;
	struct c_functions *out;
	uint32_t file;
	VECTOR(struct c_token) declaration; /* what was read since the last one ended */
	VECTOR(struct c_token) old_head;    /* int f(a) int a; { has a semicolon before its brace */
	VECTOR(int) conditionals;	    /* depth of braces where each #if stands */
	int parentheses;		    /* open ones of the declaration */
	size_t scope_count;
	struct scope scopes[SCOPES_MOST];
	char names[SCOPE_NAME_MOST]; /* "leveldb::Table::" */
	size_t names_length;
};

/* What a declaration is before its opening brace. */
struct head {
	enum { HEAD_OTHER, HEAD_SCOPE, HEAD_FUNCTION } kind;
	size_t name, name_end; /* its tokens, with qualifiers */
	size_t open, close;    /* parentheses of the parameters */
	size_t plain;	       /* the last word of the name */
};

/* ---- tokens of a declaration --------------------------------------------------------------- */

static bool is_one_of(const struct c_token *t, const char *const *words)
{
	for (; *words; words++)
		if (c_token_is(t, *words))
			return true;
	return false;
}

static bool is_word(const struct c_token *t)
{
	return t->kind == C_TOKEN_WORD;
}

static bool is_own_type(const struct c_token *t)
{
	static const char *const words[] = {"void",   "int",   "char",	"bool",	  "_Bool",
					    "long",   "short", "float", "double", "unsigned",
					    "signed", "auto",  NULL};

	return is_one_of(t, words);
}

/* What stands before a parenthesis and is no function's name. */
static bool is_no_name(const struct c_token *t)
{
	static const char *const words[] = {"__attribute__",
					    "__attribute",
					    "__declspec",
					    "alignas",
					    "_Alignas",
					    "decltype",
					    "noexcept",
					    "throw",
					    "typeof",
					    "__typeof__",
					    "asm",
					    "__asm__",
					    "requires",
					    "if",
					    "while",
					    "for",
					    "switch",
					    "return",
					    "sizeof",
					    "explicit",
					    "const",
					    "volatile",
					    "_Static_assert",
					    "static_assert",
					    NULL};

	return is_own_type(t) || is_one_of(t, words);
}

static bool is_macro_like(const struct c_token *t)
{
	for (const char *at = t->text.at; at < t->text.end; at++)
		if (islower((unsigned char)*at))
			return false;
	return text_length(t->text) > 1;
}

/* The token that closes the bracket at @at; the end if none does. */
static size_t closing(const struct scan *s, size_t at, const char *open, const char *close)
{
	const struct c_token *tokens = s->declaration.items;
	int depth = 0;

	for (; at < s->declaration.count; at++) {
		if (c_token_is(&tokens[at], open))
			depth++;
		else if (c_token_is(&tokens[at], close) && !--depth)
			break;
	}
	return at;
}

/* Behind the template arguments or parameters that begin at @at; @at if they do not end. */
static size_t behind_angles(const struct scan *s, size_t at)
{
	size_t end = closing(s, at, "<", ">");

	return end < s->declaration.count ? end + 1 : at;
}

/* The first token of the name whose last word is at @at: Table::Open, Table<T>::~Table. */
static size_t name_begin(const struct scan *s, size_t at)
{
	const struct c_token *tokens = s->declaration.items;

	if (at && c_token_is(&tokens[at - 1], "~"))
		at--;
	while (at >= 2 && c_token_is(&tokens[at - 1], "::")) {
		size_t before = at - 2;
		int depth = 0;

		if (c_token_is(&tokens[before], ">"))
			for (;; before--) {
				depth += c_token_is(&tokens[before], ">");
				depth -= c_token_is(&tokens[before], "<");
				if (!depth || !before)
					break;
			}
		before -= before && c_token_is(&tokens[before], "<");
		if (!is_word(&tokens[before]))
			break;
		at = before;
	}
	return at;
}

/* "operator" stands at @at: its parameters. */
static void take_operator(const struct scan *s, size_t at, struct head *h)
{
	const struct c_token *tokens = s->declaration.items;
	size_t open = at + 1;

	if (open + 1 < s->declaration.count && c_token_is(&tokens[open], "(")) /* operator() */
		open += 2;
	while (open < s->declaration.count && !c_token_is(&tokens[open], "("))
		open++;
	if (open == s->declaration.count)
		return;
	*h = (struct head){.kind = HEAD_FUNCTION,
			   .name = name_begin(s, at),
			   .name_end = open,
			   .open = open,
			   .close = closing(s, open, "(", ")"),
			   .plain = at};
}

/* The function that is named in front of a parenthesis, from the token @at on. MACRO(int) f(int x)
 * is f. */
static void take_function(const struct scan *s, size_t at, struct head *h)
{
	const struct c_token *tokens = s->declaration.items;
	size_t count = s->declaration.count;

	for (; at < count; at++) {
		bool called = at + 1 < count && c_token_is(&tokens[at + 1], "(");

		if (c_token_is(&tokens[at], "=") || (h->kind && c_token_is(&tokens[at], ":")))
			return;
		if (c_token_is(&tokens[at], "<") && at && is_word(&tokens[at - 1])) {
			size_t behind = behind_angles(s, at);

			at = behind > at ? behind - 1 : at;
			continue;
		}
		if (c_token_is(&tokens[at], "operator")) {
			take_operator(s, at, h);
			return;
		}
		if (!is_word(&tokens[at]) || !called)
			continue;
		if (is_own_type(&tokens[at]) && at + 2 < count && c_token_is(&tokens[at + 2], "*"))
			continue; /* void (*f(int x))(int) */
		if (!is_no_name(&tokens[at]))
			*h = (struct head){.kind = HEAD_FUNCTION,
					   .name = name_begin(s, at),
					   .name_end = at + 1,
					   .open = at + 1,
					   .close = closing(s, at + 1, "(", ")"),
					   .plain = at};
		at = closing(s, at + 1, "(", ")");
		if (h->kind && !is_macro_like(&tokens[h->plain]))
			return;
	}
}

/* class Cache, namespace a::b: the name is the last word before bases. */
static void take_scope(const struct scan *s, size_t at, struct head *h)
{
	const struct c_token *tokens = s->declaration.items;

	for (; at < s->declaration.count; at++) {
		if (c_token_is(&tokens[at], ":"))
			break;
		if (is_one_of(&tokens[at], (const char *const[]){"<", "(", NULL})) {
			bool angle = c_token_is(&tokens[at], "<");
			size_t end = closing(s, at, angle ? "<" : "(", angle ? ">" : ")");

			at = end;
			continue;
		}
		if (!is_word(&tokens[at]) || c_token_is(&tokens[at], "final"))
			continue;
		h->plain = at;
		h->name = name_begin(s, at);
		h->name_end = at + 1;
	}
	h->kind = HEAD_SCOPE;
}

static struct head read_head(const struct scan *s)
{
	static const char *const scopes[] = {"class", "struct", "union", NULL};
	const struct c_token *tokens = s->declaration.items;
	size_t count = s->declaration.count, at = 0;
	struct head h = {0};

	while (at < count && c_token_is(&tokens[at], "template")) {
		size_t behind = behind_angles(s, at + 1);

		at = behind > at ? behind : at + 1;
	}
	if (at < count && c_token_is(&tokens[at], "inline") && at + 1 < count &&
	    c_token_is(&tokens[at + 1], "namespace"))
		at++;
	if (at < count && c_token_is(&tokens[at], "namespace")) {
		take_scope(s, at + 1, &h);
		return h;
	}
	if (count == at + 2 && c_token_is(&tokens[at], "extern") &&
	    tokens[at + 1].kind == C_TOKEN_STRING) {
		h.kind = HEAD_SCOPE;
		return h;
	}
	take_function(s, at, &h);
	for (size_t i = at; !h.kind && i < count; i++)
		if (c_token_is(&tokens[i], "="))
			break;
		else if (c_token_is(&tokens[i], "enum"))
			break;
		else if (is_one_of(&tokens[i], scopes))
			take_scope(s, i + 1, &h);
	return h;
}

/* ---- what is found ------------------------------------------------------------------------- */

/* Append tokens to @room, template arguments left out. */
static size_t spell(const struct scan *s, size_t from, size_t to, char *room, size_t used)
{
	const struct c_token *tokens = s->declaration.items;

	for (; from < to; from++) {
		size_t length = text_length(tokens[from].text);

		if (c_token_is(&tokens[from], "<") && from && is_word(&tokens[from - 1]) &&
		    !c_token_is(&tokens[from - 1], "operator"))
			from = closing(s, from, "<", ">");
		else if (used + length < SCOPE_NAME_MOST) {
			memcpy(room + used, tokens[from].text.at, length);
			used += length;
		}
	}
	return used;
}

/* Where the name of a parameter is: "Slice key" and "unsigned n" have one, "Slice", "a::Slice" and
 * "unsigned" have none; @count then. */
static size_t parameter_name(const struct c_token *t, size_t count)
{
	size_t words = 0, last = count;
	bool typed = false;

	for (size_t i = 0; i < count; i++) {
		typed |= is_own_type(&t[i]);
		if (is_word(&t[i]) && !is_no_name(&t[i])) {
			last = i;
			words++;
		}
	}
	if (!words || !last || (words == 1 && !typed) || c_token_is(&t[last - 1], "::") ||
	    c_token_is(&t[last - 1], "struct"))
		return count;
	return last;
}

/* A parameter's type, without its name and default value. */
static uint64_t hash_parameter(const struct c_token *t, size_t count)
{
	uint64_t hash = 0;
	size_t used = 0, name;

	while (used < count && !c_token_is(&t[used], "="))
		used++;
	name = parameter_name(t, used);
	for (size_t i = 0; i < used; i++)
		if (i != name)
			hash = hash * 31 + c_token_hash(&t[i]);
	return hash;
}

static void hash_parameters(const struct scan *s, const struct head *h, struct c_function *f)
{
	const struct c_token *tokens = s->declaration.items;
	size_t begin = h->open + 1;
	int depth = 0;

	if (begin == h->close || (begin + 1 == h->close && c_token_is(&tokens[begin], "void")))
		return;
	for (size_t i = begin; i <= h->close && i < s->declaration.count; i++) {
		char c = *tokens[i].text.at;
		bool ends = i == h->close || (c == ',' && !depth);

		depth += c == '(' || c == '<' || c == '[';
		depth -= i < h->close && (c == ')' || c == '>' || c == ']');
		if (!ends)
			continue;
		f->parameters = f->parameters * 131 + hash_parameter(tokens + begin, i - begin);
		f->parameter_count++;
		begin = i + 1;
	}
}

static int add_function(struct scan *s, const struct head *h, uint32_t end_line)
{
	const struct c_token *tokens = s->declaration.items;
	char name[SCOPE_NAME_MOST];
	size_t plain = s->names_length, used;
	struct c_function f = {.file = s->file,
			       .name_line = tokens[h->plain].line,
			       .begin_line = tokens[0].line,
			       .end_line = end_line,
			       .name_text = tokens[h->plain].text,
			       .text = {tokens[0].text.at, s->reader.rest.at}};

	memcpy(name, s->names, plain);
	used = spell(s, h->name, h->name_end, name, plain);
	for (size_t i = plain; i + 2 < used; i++)
		if (name[i] == ':' && name[i + 1] == ':')
			plain = i + 2;
	f.name = strings_add(s->strings, name, used);
	f.plain = strings_add(s->strings, name + plain, used - plain);
	hash_parameters(s, h, &f);
	return f.name == STRINGS_NONE || f.plain == STRINGS_NONE ? -1
								 : vector_add(&s->out->list, f);
}

static void enter_scope(struct scan *s, const struct head *h)
{
	if (s->scope_count == SCOPES_MOST)
		return;
	s->scopes[s->scope_count++].above = s->names_length;
	if (h->name_end == h->name)
		return;
	s->names_length = spell(s, h->name, h->name_end, s->names, s->names_length);
	if (s->names_length + 2 < SCOPE_NAME_MOST) {
		memcpy(s->names + s->names_length, "::", 2);
		s->names_length += 2;
	}
}

static void end_declaration(struct scan *s)
{
	s->declaration.count = 0;
	s->parentheses = 0;
}

/* ---- braces -------------------------------------------------------------------------------- */

/* The word behind the # that was read last; false for one without. */
static bool take_directive(struct scan *s, struct c_token *word)
{
	struct c_token_reader ahead = s->reader;

	if (!c_token_next(&ahead, word) || !word->directive || word->first)
		return false;
	s->reader = ahead;
	return true;
}

/* Past the other alternatives, up to the #endif. */
static void skip_alternatives(struct scan *s)
{
	struct c_token t;
	int depth = 1;

	while (depth && c_token_next(&s->reader, &t))
		if (t.directive && t.first && take_directive(s, &t))
			depth += text_begins(t.text, "if") ? 1 : c_token_is(&t, "endif") ? -1 : 0;
}

/* The alternatives of an #if inside braces begin at one depth. */
static int follow_directive(struct scan *s, size_t outside, int *depth)
{
	struct c_token word;

	if (!take_directive(s, &word))
		return 0;
	if (text_begins(word.text, "if"))
		return vector_add(&s->conditionals, *depth);
	if (text_begins(word.text, "el")) {
		if (s->conditionals.count > outside)
			*depth = s->conditionals.items[s->conditionals.count - 1];
		else if (s->conditionals.count) {
			s->conditionals.count--;
			skip_alternatives(s);
		}
	}
	if (c_token_is(&word, "endif") && s->conditionals.count)
		s->conditionals.count--;
	return 0;
}

/* Behind the brace that closes the one that was read last. *line = where it is. */
static int skip_braces(struct scan *s, uint32_t *line)
{
	size_t outside = s->conditionals.count;
	struct c_token t;
	int depth = 1;

	while (depth > 0 && c_token_next(&s->reader, &t)) {
		if (t.directive) {
			if (t.first && *t.text.at == '#' && follow_directive(s, outside, &depth))
				return -1;
			outside = outside > s->conditionals.count ? s->conditionals.count : outside;
			continue;
		}
		depth += c_token_is(&t, "{");
		depth -= c_token_is(&t, "}");
	}
	*line = s->reader.line;
	return 0;
}

/* Foo::Foo() : a{1}, b(2) { : is the brace a member's? */
static bool is_member_brace(const struct scan *s, const struct head *h)
{
	const struct c_token *tokens = s->declaration.items;
	size_t last = s->declaration.count - 1;
	bool colon = false;

	for (size_t i = h->close + 1; i < last; i++)
		colon |= c_token_is(&tokens[i], ":");
	return colon && ((is_word(&tokens[last]) && (c_token_is(&tokens[last - 1], ",") ||
						     c_token_is(&tokens[last - 1], ":"))) ||
			 c_token_is(&tokens[last], ">"));
}

static int open_brace(struct scan *s, const struct c_token *brace)
{
	struct head h;
	uint32_t line;
	int rc = 0;

	if (!s->declaration.count && s->old_head.count) {
		__typeof__(s->declaration) empty = s->declaration;

		memcpy(&s->declaration, &s->old_head, sizeof(s->declaration));
		memcpy(&s->old_head, &empty, sizeof(s->old_head));
	}
	h = read_head(s);
	s->old_head.count = 0;
	if (h.kind == HEAD_SCOPE && !s->parentheses) {
		enter_scope(s, &h);
		end_declaration(s);
		return 0;
	}
	if (s->parentheses > 0 || (h.kind == HEAD_FUNCTION && is_member_brace(s, &h))) {
		rc = skip_braces(s, &line);
		return rc || s->declaration.count >= DECLARATION_MOST
			       ? rc
			       : vector_add(&s->declaration, *brace);
	}
	rc = skip_braces(s, &line);
	if (!rc && h.kind == HEAD_FUNCTION)
		rc = add_function(s, &h, line);
	end_declaration(s);
	return rc;
}

/* ---- declarations -------------------------------------------------------------------------- */

/* A head of the old kind, which declares its parameters behind it, ends like a prototype. */
static int end_statement(struct scan *s)
{
	struct c_token *t;

	if (read_head(s).kind == HEAD_FUNCTION && !s->parentheses) {
		s->old_head.count = 0;
		vector_each (&s->declaration, t)
			if (vector_add(&s->old_head, *t))
				return -1;
	}
	end_declaration(s);
	return 0;
}

static void leave_scope(struct scan *s)
{
	end_declaration(s);
	s->old_head.count = 0;
	if (s->scope_count)
		s->names_length = s->scopes[--s->scope_count].above;
}

/* Alternatives of a declaration's part follow what stands before the #if. */
static int declaration_directive(struct scan *s)
{
	int count = (int)s->declaration.count;

	if (follow_directive(s, 0, &count))
		return -1;
	if ((size_t)count < s->declaration.count) {
		s->declaration.count = (size_t)count;
		s->parentheses = 0;
		for (int i = 0; i < count; i++) {
			s->parentheses += c_token_is(&s->declaration.items[i], "(");
			s->parentheses -= c_token_is(&s->declaration.items[i], ")");
		}
	}
	return 0;
}

static int take_token(struct scan *s, const struct c_token *t)
{
	static const char *const labels[] = {"public", "private", "protected", NULL};
	size_t count = s->declaration.count;

	if (t->directive)
		return t->first && *t->text.at == '#' ? declaration_directive(s) : 0;
	if (c_token_is(t, "{"))
		return open_brace(s, t);
	if (c_token_is(t, "}")) {
		leave_scope(s);
		return 0;
	}
	if (c_token_is(t, ";"))
		return end_statement(s);
	if (c_token_is(t, ":") && count && is_one_of(&s->declaration.items[count - 1], labels)) {
		end_declaration(s);
		return 0;
	}
	s->parentheses += c_token_is(t, "(");
	s->parentheses -= c_token_is(t, ")");
	return count < DECLARATION_MOST ? vector_add(&s->declaration, *t) : 0;
}

int c_functions_read(struct c_functions *out, struct text text, uint32_t file,
		     struct strings *strings)
{
	struct scan s = {
		.reader = {.rest = text, .line = 1}, .strings = strings, .out = out, .file = file};
	struct c_token t;
	int rc = 0;

	while (!rc && c_token_next(&s.reader, &t))
		rc = take_token(&s, &t);
	vector_deinit(&s.declaration);
	vector_deinit(&s.old_head);
	vector_deinit(&s.conditionals);
	return rc;
}

void c_functions_deinit(struct c_functions *f)
{
	vector_deinit(&f->list);
}
