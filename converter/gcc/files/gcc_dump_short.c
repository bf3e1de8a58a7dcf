/* SPDX-License-Identifier: MIT */
/*
 * gcc's dump without what its reader (gcc_dump.c) passes over: predecessors,
 * declarations, values for debuggers, the call graph, and of the instrumented functions all but the
 * counters of values. It is a fifth of the size and less, and is read as the whole one is.
 */
#include "converter/gcc/files/gcc_graph.h"

#include <stdbool.h>
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

static bool short_dump_begins(const char *at, const char *end, const char *with)
{
	return (size_t)(end - at) >= strlen(with) && !memcmp(at, with, strlen(with));
}

static bool is_one(const char *at, const char *end, char c)
{
	return end - at == 1 && *at == c;
}

/* ";;    pred:       2 [always]" and the lines behind it that have nothing but blanks there. */
static bool keeps_remark(struct shortening *s, const char *at, const char *end)
{
	at += 2;
	while (at < end && *at == ' ')
		at++;
	if (short_dump_begins(at, end, "pred:")) {
		s->in_predecessors = true;
		return false;
	}
	if (s->in_predecessors &&
	    ((*at >= '0' && *at <= '9') || short_dump_begins(at, end, "ENTRY")))
		return false;
	s->in_predecessors = false;
	if (short_dump_begins(at, end, "basic block "))
		s->in_block = true;
	return !short_dump_begins(at, end, "prev block ") &&
	       !short_dump_begins(at, end, "Invalid sum ");
}

/* A PHI stays: it may be the pointer that is called. */
static bool keeps_statement(struct shortening *s, const char *at, const char *end)
{
	static const char phi[] = " = PHI ";
	struct gimple_line l;

	if (s->in_asm) {
		s->in_asm = end - at < 2 || memcmp(end - 2, ");", 2);
		return true;
	}
	s->in_predecessors = false;
	if (!gimple_line_parse(&l, at, end))
		return memmem(at, (size_t)(end - at), phi, sizeof(phi) - 1);
	s->in_asm = l.open;
	return true;
}

static bool keeps_in_body(struct shortening *s, const char *at, const char *end)
{
	if (!s->in_asm && is_one(at, end, '}')) {
		s->stage = OUTSIDE;
		return true;
	}
	if (!s->in_asm && short_dump_begins(at, end, ";;"))
		return at + 2 < end && keeps_remark(s, at, end);
	return s->in_block && keeps_statement(s, at, end);
}

static bool keeps_outside(const char *at, const char *end)
{
	struct gimple_line l;

	if (end - at < 3 || (*at != ' ' && *at != '['))
		return false;
	return memmem(at, (size_t)(end - at), "&__gcov", 7) ||
	       (gimple_line_parse(&l, at, end) && gcc_dump_values_may_count(&l));
}

static bool keeps(struct shortening *s, const char *at, const char *end)
{
	if (short_dump_begins(at, end, ";; Function ")) {
		*s = (struct shortening){.stage = HEAD};
		return true;
	}
	if (s->stage == BODY)
		return keeps_in_body(s, at, end);
	if (s->stage == OUTSIDE)
		return keeps_outside(at, end);
	if (!is_one(at, end, '{'))
		return false;
	s->stage = BODY;
	return true;
}

void gcc_dump_short_write(const uint8_t *data, size_t size, FILE *out)
{
	const char *at = (const char *)data, *end = at + size;
	struct shortening s = {0};

	while (at < end) {
		const char *newline = memchr(at, '\n', (size_t)(end - at));
		const char *next = newline ? newline + 1 : end;

		if (keeps(&s, at, newline ? newline : end))
			fwrite(at, 1, (size_t)(next - at), out);
		at = next;
	}
}
