/* SPDX-License-Identifier: MIT */
/* What the views of report/views/report.h share. */
#pragma once

#include "base/map.h"
#include "base/vector.h"
#include "converter/binary/binary.h"
#include "converter/debuginfo/debuginfo.h"
#include "formats/model/branch_profile.h"
#include "formats/model/call_tree.h"
#include "report/views/report.h"

/* ---- the branches of a module (branch_sites.c) ---------------------------------------------- */

struct branch_site {
	uint64_t va;
	uint8_t kind;	/* enum isa_kind */
	uint64_t taken; /* as the profile counts branches */
	/*
	 * Of a conditional branch whose code before it was seen to run: the ranges that ended here,
	 * and those that ran on. A trace's first branch has no range before it: counted with
	 * `taken`, it would make each branch look more often taken, by 1 in 16 of an LBR's.
	 */
	uint64_t ended, passed;
	uint64_t predicted, mispredicted;
};

struct branch_sites {
	VECTOR(struct branch_site) items; /* ascending */
};

/* @b may be NULL: then all are ISA_UNKNOWN, and nothing is known of those that were run past.
 * @sites starts zeroed; 0, or -1 without memory. */
int branch_sites_make(struct branch_sites *sites, struct binary *b,
		      const struct branch_profile *profile, const struct branch_details *details);
void branch_sites_deinit(struct branch_sites *s);
/* The one at @va, or NULL. */
const struct branch_site *branch_sites_at(const struct branch_sites *s, uint64_t va);

/* ---- its source (source_places.c) ----------------------------------------------------------- */

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
/* The innermost function at @va, which may be inlined there, by its linkage name: false if it is
 * not known. *name is valid while @p lives. */
bool source_places_function(struct source_places *p, uint64_t va, const char **name);
/* Where @file, the base name of a source at @va, was when it was compiled: the unit's own, or
 * beside that. False if it is not known. */
bool source_places_path(struct source_places *p, uint64_t va, const char *file, char *room,
			size_t size);
/* Is some of the code [begin, last] of that line, or inlined into it? */
bool source_places_have(struct source_places *p, uint64_t begin, uint64_t last, const char *file,
			int32_t line);
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

/* ---- a view -------------------------------------------------------------------------------- */

struct loop_trips;

/* What a recording says of one module. */
struct view_part {
	struct binary *binary; /* NULL: addresses are offsets in the module */
	const char *module;    /* its path; NULL: the one that is reported */
	const struct branch_profile *profile;
	const struct branch_details *details;
	struct branch_sites sites;
	struct source_places places;
};

struct view {
	const struct report_options *options;
	struct document *out;
	VECTOR(struct view_part) parts;
	/* to read the recording again: its bytes and what they are; the part of each of its
	 * modules, by number, or VIEW_NO_PART */
	const struct file_view *file;
	const struct aggregate_result *result; /* of the recording as a whole */
	enum profile_kind kind;
	struct binary *binary; /* that was asked for; NULL = all modules */
	VECTOR(size_t) part_of_module;
	const char *builds; /* what softlbr would build from it, as a sentence; NULL: not known */
};

#define VIEW_NO_PART SIZE_MAX

/* All that were taken in the parts, as the profile counts them. */
uint64_t view_branches_taken(const struct view *v);
/* So many of @count rows are shown. */
size_t view_shown(const struct view *v, size_t count);
/* The items of a vector that are shown as rows, the first ones. */
#define view_each_shown(v, rows, it)                                                              \
	for ((it) = (rows)->items; (it) && (it) < (rows)->items + view_shown((v), (rows)->count); \
	     (it)++)
/* Instructions of the straight-line code from @begin to the one at @end; 0 if not known. */
uint64_t view_instructions(struct view *v, size_t part, uint64_t begin, uint64_t end);
/* Put a place as function and offset, however rows are grouped. Without a part, none. */
void view_put_place(struct view *v, size_t part, uint64_t va);

/* The base name of a part's file; without a part "". */
const char *view_module_name(const struct view_part *p);
/* The function at @va as a linkage name, parts that the compiler moved away without their suffix;
 * where none is known, the module: "[libfoo.so]". @p may be NULL: "[elsewhere]". */
void view_function_name(const struct view_part *p, uint64_t va, char *room, size_t size);
/* A row is about an address, its line or its function, as options.group says. The key is one number
 * for all addresses of a row; not for REPORT_BY_BRANCH. STRINGS_NONE without memory. */
uint32_t view_group_key(struct view *v, struct view_part *p, uint64_t va);
/* Put the row's name: "main+0x1f", "div.c:24", "main". */
void view_put_group(struct view *v, struct view_part *p, uint64_t va);
/* Put the source of one address, all inlined frames; none if it is not known. */
void view_put_source(struct view *v, struct view_part *p, uint64_t va);
/* Put lines as one text of less than @most bytes, none if there is none, and free them. */
#define VIEW_LINES_MOST 400
void view_put_lines(struct view *v, struct place_lines *lines, size_t most);
/* "conditional", "call"... of an enum isa_kind. */
const char *view_branch_kind(uint8_t kind);

/* Each adds its tables; 0, or -1 without memory. */
int view_summary(struct view *v);
int view_branches(struct view *v);
int view_probability(struct view *v);
int view_misprediction(struct view *v);
int view_latency(struct view *v);
int view_paths(struct view *v);
int view_stacks(struct view *v);
int view_source(struct view *v);
int view_assembly(struct view *v);
int view_events(struct view *v);
int view_around(struct view *v); /* options.before, options.after */
int view_trace(struct view *v);	 /* options.trace */
int view_graph(struct view *v);
/* Put the tables of the loops that traces show; 0, or -1 without memory. */
int view_loops_put(struct view *v, struct loop_trips *t);
/* Fill @t, zeroed, and put the facts that say how complete it is. Ended by call_tree_deinit, also
 * on failure. 0, or -1 without memory. */
int view_stacks_tree(struct view *v, struct call_tree *t);
