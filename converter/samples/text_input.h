/* SPDX-License-Identifier: MIT */
/*
 * Branch profiles that come as text, with addresses of the binary: BOLT's pre-aggregated records
 * and the ranges of autofdo and llvm-profgen, which may say by build-ids which files they are of,
 * and exact counts of callgrind.
 */
#pragma once

#include "converter/binary/binary.h"
#include "converter/samples/modules.h"
#include "formats/build_tags.h"
#include "formats/profile_kind.h"
#include "softlbr/error.h"

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
