/* SPDX-License-Identifier: MIT */
#include "report/views/view.h"

#include <inttypes.h>
#include <stdio.h>
#include <string.h>

#include "base/file.h"
#include "formats/model/source_profile.h"

uint64_t view_branches_taken(const struct view *v)
{
	const struct view_part *p;
	uint64_t sum = 0;

	vector_each (&v->parts, p) {
		const struct map_entry *i;

		map_each (&p->profile->branches, i)
			sum = source_count_add(sum, i->a == BRANCH_OUTSIDE ? 0 : i->n);
	}
	return sum;
}

size_t view_shown(const struct view *v, size_t count)
{
	const size_t top = v->options->top;

	return top && top < count ? top : count;
}

uint64_t view_instructions(struct view *v, size_t part, uint64_t begin, uint64_t end)
{
	struct binary *b = v->parts.items[part].binary;
	uint64_t va = begin, count = 0;
	struct isa_insn insn;

	while (b && va <= end && binary_decode(b, va, &insn)) {
		count++;
		va += insn.length;
	}
	return va > end ? count : 0;
}

void view_put_place(struct view *v, size_t part, uint64_t va)
{
	char text[4096];

	if (part == VIEW_NO_PART)
		document_put_none(v->out);
	else if (binary_place_text(v->parts.items[part].binary, v->parts.items[part].module, va,
				   text, sizeof(text)))
		document_put_symbol(v->out, text);
	else
		document_put_text(v->out, text);
}

const char *view_module_name(const struct view_part *p)
{
	if (!p)
		return "";
	return file_base_name(p->module ? p->module : binary_path(p->binary));
}

void view_function_name(const struct view_part *p, uint64_t va, char *room, size_t size)
{
	struct binary *b = p ? p->binary : NULL;
	const struct binary_function *function = b ? binary_function_at(b, va) : NULL;
	uint64_t begin;
	const char *plt = b && !function ? binary_plt_at(b, va, &begin) : NULL;
	const char *cold = function ? strstr(function->name, ".cold") : NULL;

	if (function)
		snprintf(room, size, "%.*s",
			 cold ? (int)(cold - function->name) : (int)strlen(function->name),
			 function->name);
	else
		snprintf(room, size, plt ? "%s" : "[%s]",
			 plt ? plt
			 : p ? view_module_name(p)
			     : "elsewhere");
}

/* Is there a linkage name in it? */
static bool group_text(struct view *v, struct view_part *p, uint64_t va, char *room, size_t size)
{
	const struct binary_function *f;
	const char *file;
	int32_t line;

	if (v->options->group == REPORT_BY_LINE && va != BRANCH_OUTSIDE &&
	    source_places_line(&p->places, va, &file, &line)) {
		snprintf(room, size, "%s:%" PRId32, file, line);
		return false;
	}
	f = v->options->group != REPORT_BY_BRANCH && p->binary ? binary_function_at(p->binary, va)
							       : NULL;
	if (f) {
		snprintf(room, size, "%s", f->name);
		return true;
	}
	if (v->options->group == REPORT_BY_FUNCTION && !p->binary && p->module &&
	    va != BRANCH_OUTSIDE) {
		snprintf(room, size, "%s", file_base_name(p->module));
		return false;
	}
	return binary_place_text(p->binary, p->module, va, room, size);
}

uint32_t view_group_key(struct view *v, struct view_part *p, uint64_t va)
{
	char text[4096];

	group_text(v, p, va, text, sizeof(text));
	return strings_add_text(v->out->strings, text);
}

void view_put_group(struct view *v, struct view_part *p, uint64_t va)
{
	char text[4096];

	if (group_text(v, p, va, text, sizeof(text)))
		document_put_symbol(v->out, text);
	else
		document_put_text(v->out, text);
}

void view_put_source(struct view *v, struct view_part *p, uint64_t va)
{
	char text[4096];

	document_put_symbol(v->out, va != BRANCH_OUTSIDE && source_places_text(&p->places, va, text,
									       sizeof(text))
					    ? text
					    : NULL);
}

void view_put_lines(struct view *v, struct place_lines *lines, size_t most)
{
	char text[VIEW_LINES_MOST];

	source_places_put_lines(lines, text, most < sizeof(text) ? most : sizeof(text));
	document_put_text(v->out, lines->items.count ? text : NULL);
	vector_deinit(&lines->items);
}

const char *view_branch_kind(uint8_t kind)
{
	static const char *const names[] = {
		[ISA_OTHER] = "other",
		[ISA_JUMP] = "jump",
		[ISA_JUMP_CONDITIONAL] = "conditional",
		[ISA_JUMP_INDIRECT] = "indirect jump",
		[ISA_CALL] = "call",
		[ISA_CALL_INDIRECT] = "indirect call",
		[ISA_RETURN] = "return",
		[ISA_SYSCALL] = "system call",
		[ISA_STOP] = "stop",
		[ISA_UNKNOWN] = "unknown",
	};

	return names[kind];
}
