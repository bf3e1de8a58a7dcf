/* SPDX-License-Identifier: MIT */
/* The parts of aggregate.c: how its inputs are read, and counts come to be the binary's. */
#pragma once

#include "converter/binary/binary.h"
#include "converter/samples/address_space.h"
#include "converter/samples/aggregate.h"
#include "converter/samples/modules.h"
#include "formats/build_tags.h"
#include "formats/model/branch_profile.h"
#include "formats/perfdata.h"
#include "formats/perfscript.h"
#include "formats/profile_kind.h"
#include "softlbr/error.h"

/* ---- recordings (recording_passes.c) ------------------------------------------------------- */

/* A perf.data, or what perf script printed of one. */
struct recording {
	struct perfdata_reader *perf;
	struct perfscript *script;
	const struct perfdata_info *info;
	const char *name;
	uint64_t bytes; /* 0 = unknown */
};

/*
 * Count a recording into @history (zeroed, to be ended by the caller), whose modules are the
 * result's, and its records into the result's funnel and events. @counted: there is something to be
 * resolved, which may be so with an error, SOFTLBR_E_INPUT of a file that is cut off or damaged.
 */
int recording_passes_read(struct recording *r, const struct aggregate_options *options,
			  struct aggregate_result *result, struct address_history *history,
			  bool *counted, struct softlbr_error *e);

/* ---- profiles that come as text (text_input.c) --------------------------------------------- */

struct text_input {
	struct branch_profile profile; /* at virtual addresses of the binary */
	enum module_match_kind match;
	struct build_tags files; /* that it names */
	size_t own;		 /* the binary among them; BUILD_TAGS_NONE */
	struct map others;	 /* (file, 0) -> n = branches that begin in another one */
};

void text_input_deinit(struct text_input *t);

/*
 * Read one (profile_kind_is_counts) into @out (zeroed; to be ended also on failure). Of several
 * files that it names it is what is of @b, by build-id or else by name; with @any_build of another
 * build, if there is none of it: of the one with the most branches. In ranges the
 * addresses may be virtual ones, file offsets (autofdo), or offsets from the first executable
 * segment (llvm-profgen): taken for what makes the most of its branches begin at branch
 * instructions.
 */
int text_input_read(struct binary *b, enum profile_kind kind, const uint8_t *data, size_t size,
		    const char *name, bool any_build, struct text_input *out,
		    struct softlbr_error *e);

/* ---- exact counts (callgrind_input.c) ------------------------------------------------------ */

/* Read a callgrind.out (formats/callgrind.h) into @out (zeroed). SOFTLBR_E_BINARY if the program
 * that ran did not have @b, which is told by path or else by base name. */
int callgrind_input_read(struct binary *b, const uint8_t *data, size_t size, const char *name,
			 struct branch_profile *out, struct softlbr_error *e);

/* Add the objects that ran to @modules, and the branches that begin in each to @taken (zeroed):
 * (module, 0) -> n. 0 or a negative code. */
int callgrind_modules_read(const uint8_t *data, size_t size, const char *name,
			   struct modules *modules, struct map *taken, struct softlbr_error *e);

/* ---- to the profile of one binary (resolve.c) ---------------------------------------------- */

/* @n times @weight; saturates. */
uint64_t resolve_weighed(uint64_t n, uint64_t weight);
/* Add what was counted to the result; the @last time it is freed meanwhile. 0, or -1 without
 * memory. */
int resolve_recording(struct aggregate_result *result, const struct aggregate_options *options,
		      struct aggregate_recording *recording, bool last);

/* ---- places (locator.c) -------------------------------------------------------------------- */

struct locator {
	const struct aggregate_result *result; /* its binary is known among its modules */
	struct aggregate_recording *recording;
	const struct address_space *space;
	/* Code that lies in one piece in memory and in the binary; none at first. */
	uint64_t begin, bytes; /* at run time */
	struct location at_begin;
};

/* For addresses of @space. */
void locator_init(struct locator *f, const struct aggregate_result *result,
		  struct aggregate_recording *recording, const struct address_space *space);
struct location locator_find(struct locator *f, uint64_t address);
