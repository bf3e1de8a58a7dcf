/* SPDX-License-Identifier: MIT */
/* Which functions counters are of: found in the keys (key_directory.h) by gcc's numbers. */
#pragma once

#include "base/map.h"
#include "converter/gcc/files/counter_directory.h"
#include "converter/gcc/files/counter_note.h"
#include "converter/gcc/files/key_directory.h"

struct counter_keys {
	struct key_directory keys; /* without objects: there are none */
	struct counter_note note;  /* of the counters */
	struct map functions;
};

/* How the keys' function of the same number is like the one that was counted; what gcc makes of it
 * is in get_coverage_counts (gcc/coverage.cc). */
enum counter_match {
	COUNTER_SAME,
	COUNTER_MOVED,	 /* it stands at other lines: gcc takes the counts, and complains */
	COUNTER_CHANGED, /* another control-flow graph: gcc ignores the counts, and complains */
	COUNTER_GONE,	 /* there is no such function */
	COUNTER_MATCHES
};

struct counter_key {
	enum counter_match match;
	const struct gcc_function *function; /* NULL: gone */
	const struct gcc_graph *graph;	     /* that it is of */
};

/*
 * Read the keys of @d: those below the directory @path; or, if that is NULL, those that the note
 * beside the counters names, or the .gcno files that stand beside them; without any it has none.
 * @dumps: also what gcc printed. @k is initialised by the call, also when it fails.
 */
int counter_keys_open(struct counter_keys *k, const struct counter_directory *d, const char *path,
		      bool dumps, struct softlbr_error *e);
void counter_keys_deinit(struct counter_keys *k);
bool counter_keys_known(const struct counter_keys *k);
struct counter_key counter_keys_find(const struct counter_keys *k,
				     const struct counter_function *f);
/* Its linkage name, or NULL. */
const char *counter_keys_name(const struct counter_keys *k, const struct counter_function *f);
