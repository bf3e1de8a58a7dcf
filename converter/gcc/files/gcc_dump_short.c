/* SPDX-License-Identifier: MIT */
/*
 * gcc's dump without what its reader (gcc_dump.c) passes over: predecessors,
 * declarations, values for debuggers, the call graph, and of the instrumented functions all but the
 * counters of values. It is a fifth of the size and less, and is read as the whole one is.
 */
#include "converter/gcc/files/gcc_graph.h"

#include <string.h>

#include "converter/gcc/files/gcc_dump_parts.h"

/* Between functions, and in the instrumented ones; behind a function's head; in its blocks. */
enum stage { OUTSIDE, HEAD, BODY };

struct shortening {
	enum stage stage;
	bool in_block;
	bool in_predecessors;
	bool in_asm;
};

static bool is_one(struct text l, char c)
{
	return text_length(l) == 1 && *l.at == c;
}

/* ";;    pred:       2 [always]" and the lines behind it that have nothing but blanks there. */
static bool keeps_remark(struct shortening *s, struct text l)
{
	l.at += 2;
	text_skip(&l, " ");
	if (text_begins(l, "pred:")) {
		s->in_predecessors = true;
		return false;
	}
	if (s->in_predecessors &&
	    ((text_length(l) && *l.at >= '0' && *l.at <= '9') || text_begins(l, "ENTRY")))
		return false;
	s->in_predecessors = false;
	if (text_begins(l, "basic block "))
		s->in_block = true;
	return !text_begins(l, "prev block ") && !text_begins(l, "Invalid sum ");
}

/* A PHI stays: it may be the pointer that is called. */
static bool keeps_statement(struct shortening *s, struct text l)
{
	struct gimple_line parsed;

	if (s->in_asm) {
		s->in_asm = text_length(l) < 2 || memcmp(l.end - 2, ");", 2);
		return true;
	}
	s->in_predecessors = false;
	if (!gimple_line_parse(&parsed, l))
		return text_find(l, " = PHI ");
	s->in_asm = parsed.open;
	return true;
}

static bool keeps_in_body(struct shortening *s, struct text l)
{
	if (!s->in_asm && is_one(l, '}')) {
		s->stage = OUTSIDE;
		return true;
	}
	if (!s->in_asm && text_begins(l, ";;"))
		return text_length(l) > 2 && keeps_remark(s, l);
	return s->in_block && keeps_statement(s, l);
}

static bool keeps_outside(struct text l)
{
	struct gimple_line parsed;

	if (text_length(l) < 3 || (*l.at != ' ' && *l.at != '['))
		return false;
	return text_find(l, "&__gcov") ||
	       (gimple_line_parse(&parsed, l) && gcc_dump_values_may_count(&parsed));
}

static bool keeps(struct shortening *s, struct text l)
{
	if (text_begins(l, ";; Function ")) {
		*s = (struct shortening){.stage = HEAD};
		return true;
	}
	if (s->stage == BODY)
		return keeps_in_body(s, l);
	if (s->stage == OUTSIDE)
		return keeps_outside(l);
	if (!is_one(l, '{'))
		return false;
	s->stage = BODY;
	return true;
}

void gcc_dump_short_write(const uint8_t *data, size_t size, FILE *out)
{
	struct text rest = {(const char *)data, (const char *)data + size}, line;
	struct shortening s = {0};

	while (text_take_line(&rest, &line))
		if (keeps(&s, line))
			fwrite(line.at, 1, (size_t)(rest.at - line.at), out);
}
