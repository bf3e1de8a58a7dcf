/* SPDX-License-Identifier: MIT */
#include "collector/engine/trace.h"

#include <linux/perf_event.h>

#include "isa/isa.h"

#define CALLS (1u << ISA_CALL | 1u << ISA_CALL_INDIRECT)

/* In the order in which they are told; a name behind another of the same type is only read. */
static const struct {
	const char *name;
	uint32_t type;	/* PERF_SAMPLE_BRANCH_*; 0 = all */
	unsigned kinds; /* 1 << enum isa_kind */
} filters[] = {
	{"any", 0, 0},
	{"u", 0, 0}, /* of user space: all are */
	{"call", PERF_SAMPLE_BRANCH_ANY_CALL, CALLS},
	{"any_call", PERF_SAMPLE_BRANCH_ANY_CALL, CALLS},
	{"return", PERF_SAMPLE_BRANCH_ANY_RETURN, 1u << ISA_RETURN},
	{"any_ret", PERF_SAMPLE_BRANCH_ANY_RETURN, 1u << ISA_RETURN},
	{"cond", PERF_SAMPLE_BRANCH_COND, 1u << ISA_JUMP_CONDITIONAL},
	{"indirect", PERF_SAMPLE_BRANCH_IND_CALL | PERF_SAMPLE_BRANCH_IND_JUMP,
	 1u << ISA_CALL_INDIRECT | 1u << ISA_JUMP_INDIRECT},
	{"ind_call", PERF_SAMPLE_BRANCH_IND_CALL, 1u << ISA_CALL_INDIRECT},
	{"ind_jmp", PERF_SAMPLE_BRANCH_IND_JUMP, 1u << ISA_JUMP_INDIRECT},
	{"stack", PERF_SAMPLE_BRANCH_CALL_STACK, CALLS},
};

#define FILTERS (sizeof(filters) / sizeof(filters[0]))

/* Which filter has the word that @text begins with; FILTERS: none. *behind: where it ends. */
static size_t find_word(const char *text, const char **behind)
{
	for (size_t i = 0; i < FILTERS; i++) {
		const char *c = text, *name = filters[i].name;

		while (*name && *c == *name)
			c++, name++;
		*behind = c;
		if (!*name && (!*c || *c == ','))
			return i;
	}
	return FILTERS;
}

bool trace_filter_read(const char *text, uint32_t *filter, const char **wrong)
{
	bool all = true, any = false;

	*filter = 0;
	for (;; text++) {
		size_t i = find_word(text, wrong);
		const char *behind = *wrong;

		*wrong = text;
		if (i == FILTERS)
			return false;
		if (filters[i].type && *filter &&
		    (trace_filter_is_call_stack(*filter) ||
		     trace_filter_is_call_stack(filters[i].type)))
			return false;
		any |= !filters[i].type && filters[i].name[1];
		all &= !filters[i].type;
		*filter |= filters[i].type;
		text = behind;
		if (!*text)
			break;
	}
	if (any && !all && trace_filter_is_call_stack(*filter))
		return false;
	if (any)
		*filter = 0;
	return true;
}

const char *trace_filter_text(uint32_t filter, char text[TRACE_FILTER_TEXT_BYTES])
{
	size_t used = 0;

	for (size_t i = 0; i < FILTERS; i++) {
		const char *name = filters[i].name;

		if (filters[i].type ? (filter & filters[i].type) != filters[i].type : filter || i)
			continue;
		filter &= ~filters[i].type;
		if (used)
			text[used++] = ',';
		while (*name)
			text[used++] = *name++;
	}
	text[used] = 0;
	return text;
}

uint64_t trace_filter_sample_type(uint32_t filter)
{
	return filter ? filter : PERF_SAMPLE_BRANCH_ANY;
}

bool trace_filter_is_call_stack(uint32_t filter)
{
	return filter & PERF_SAMPLE_BRANCH_CALL_STACK;
}

static unsigned kinds_of(uint32_t filter)
{
	unsigned kinds = 0;

	for (size_t i = 0; i < FILTERS; i++)
		if (filters[i].type && (filter & filters[i].type) == filters[i].type)
			kinds |= filters[i].kinds;
	return kinds;
}

unsigned trace_filter_apply(struct trace *t, uint32_t filter)
{
	const bool is_stack = trace_filter_is_call_stack(filter);
	unsigned kinds, kept = 0, left = 0;

	if (!filter)
		return 0;
	kinds = kinds_of(filter);
	if (is_stack && t->count)
		t->start = t->entries[t->count - 1].to;
	for (unsigned i = 0; i < t->count; i++) {
		if (kinds >> t->kinds[i] & 1) {
			t->kinds[kept] = t->kinds[i];
			t->entries[kept++] = t->entries[i];
		} else if (is_stack && t->kinds[i] == ISA_RETURN && kept) {
			kept--;
		} else if (is_stack && t->kinds[i] == ISA_RETURN) {
			left++;
		}
	}
	t->count = kept;
	return left;
}
