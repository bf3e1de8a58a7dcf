/* SPDX-License-Identifier: MIT */
/*
 * /tmp/perf-PID.map: where a just-in-time compiler has put which function, a line each
 * (tools/perf/Documentation/jit-interface.txt):
 *
 *	START SIZE NAME		hexadecimal, with or without 0x; the name is the rest of the line
 *
 * Code is thrown away and its place used again, so that a later line wins over an earlier one. The
 * process may be writing still: a line that is not whole is passed over and counted.
 */
#pragma once

#include "base/strings.h"
#include "base/vector.h"
#include "softlbr/error.h"

struct perf_map_entry {
	uint64_t begin, end; /* end exclusive */
	uint64_t line;
	uint32_t name;
};

struct perf_map {
	struct strings *strings;
	VECTOR(struct perf_map_entry) entries; /* ascending by (begin, line) */
	uint64_t longest;		       /* bytes of an entry */
	uint64_t lines_bad;
};

/* Read into @m (zeroed), to be ended with perf_map_deinit also on failure; without memory alone. */
int perf_map_read_bytes(struct perf_map *m, const uint8_t *data, size_t size,
			struct softlbr_error *e);
void perf_map_deinit(struct perf_map *m);
/* The name of the code at @address, or NULL; borrowed. */
const char *perf_map_find(const struct perf_map *m, uint64_t address);
