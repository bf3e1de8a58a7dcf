/* SPDX-License-Identifier: MIT */
/*
 * Exact counts as a branch profile: the records of tests/oracles/exact_edges.py (I ADDRESS COUNT,
 * E FROM TO COUNT KIND), with ranges made of neighbours that ran equally often. Also how tests run
 * commands.
 */
#pragma once

#include <inttypes.h>
#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "base/map.h"
#include "converter/binary/binary.h"
#include "formats/model/branch_profile.h"

__attribute__((format(printf, 1, 2))) static inline int run(const char *format, ...)
{
	char command[4096];
	va_list list;

	va_start(list, format);
	vsnprintf(command, sizeof(command), format, list);
	va_end(list);
	return system(command);
}

/* Ranges of [f->begin,f->end) from the counts of its instructions. */
static inline void exact_ranges(struct binary *b, const struct binary_function *f,
				const struct map *counts, struct branch_profile *p)
{
	uint64_t begin = f->begin, last = 0, count = 0;
	struct isa_insn insn;
	bool jumped = true;

	for (uint64_t va = f->begin; va < f->end; va += insn.length) {
		const struct map_entry *e = map_find(counts, va, 0);
		uint64_t its = e ? e->n : 0;

		if (!binary_decode(b, va, &insn))
			break;
		if (jumped || its != count) {
			if (count)
				branch_profile_add_range(p, begin, last, count);
			begin = va;
			count = its;
		}
		last = va;
		jumped = isa_is_branch(insn.kind) && !isa_is_call(insn.kind);
	}
	if (count)
		branch_profile_add_range(p, begin, last, count);
}

/* The records of @path, moved by @shift bytes (to see whether a wrong profile is noticed). */
static inline bool exact_load(const char *path, struct binary *b, uint64_t shift,
			      struct branch_profile *p)
{
	FILE *f = fopen(path, "r");
	struct map counts = {0};
	const struct binary_function *functions;
	uint64_t from, to, n;
	char text[256], kind[16];
	size_t count;

	if (!f)
		return false;
	while (fgets(text, sizeof(text), f)) {
		if (sscanf(text, "I %" SCNx64 " %" SCNu64, &from, &n) == 2)
			map_at(&counts, from + shift, 0)->n += n;
		else if (sscanf(text, "E %" SCNx64 " %" SCNx64 " %" SCNu64 " %15s", &from, &to, &n,
				kind) == 4 &&
			 strcmp(kind, "fall"))
			branch_profile_add_branch(
				p, from + shift,
				strcmp(kind, "xcall") ? to + shift : BRANCH_OUTSIDE, n, 0);
	}
	fclose(f);
	functions = binary_functions(b, &count);
	for (size_t i = 0; i < count; i++)
		exact_ranges(b, &functions[i], &counts, p);
	map_deinit(&counts);
	return true;
}
