/* SPDX-License-Identifier: MIT */
/* Addresses of one binary as source: each function's debug information is read once, when the first
 * of its addresses is asked for. */
#pragma once

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "base/map.h"
#include "base/vector.h"
#include "converter/binary/binary.h"
#include "converter/debuginfo/debuginfo.h"

struct source_places {
	struct binary *binary; /* NULL: nothing is known */
	struct debuginfo *info;
	bool opened;	    /* or tried to */
	struct map numbers; /* (function, 0) -> n = index + 1 */
	VECTOR(struct debuginfo_function) functions;
};

struct place_line {
	const char *file; /* base name, valid while the places live */
	int32_t line;
};

struct place_lines {
	VECTOR(struct place_line) items;
};

/* Start zeroed but for the binary, which is borrowed. */
void source_places_deinit(struct source_places *p);
/* The line of the innermost frame at @va: false if it is not known, or without memory. *file is
 * valid while @p lives. */
bool source_places_line(struct source_places *p, uint64_t va, const char **file, int32_t *line);
/*
 * All frames at @va, the innermost first: "div.c:24", or "vec.h:7 push < div.c:24" for a call of
 * push() inlined into that line. False if not known.
 */
bool source_places_text(struct source_places *p, uint64_t va, char *room, size_t size);
/* Add the lines of the code [begin, last] in the order in which it runs, of equal neighbours one.
 * 0, or -1 without memory. */
int source_places_lines(struct source_places *p, uint64_t begin, uint64_t last,
			struct place_lines *lines);
/* "div.c:18, 22-24, vec.h:7". */
void source_places_put_lines(const struct place_lines *lines, char *room, size_t size);

/*
 * The functions that are inlined at @va into each other, below the function that stands for itself,
 * the outermost first: at most @max linkage names in @names, valid while @p lives. Returns how
 * many; 0 also where it is not known.
 */
size_t source_places_inlined(struct source_places *p, uint64_t va, const char **names, size_t max);
