/* SPDX-License-Identifier: MIT */
/*
 * Virtual addresses of the files that a text tells apart by their build-ids or paths, and maps
 * nowhere (BUILDID:ADDRESS, as llvm-profgen and perf2bolt read them; simpleperf's ranges). Each
 * file has 2^48 addresses of its own, above those of a process.
 */
#pragma once

#include "base/text.h"
#include "base/vector.h"
#include "formats/model/branch_profile.h"
#include "softlbr/error.h"

#define BUILD_TAG_BYTES (UINT64_C(1) << 48)
#define BUILD_TAGS_NONE SIZE_MAX

struct build_tag {
	struct build_id id; /* size 0 = unknown */
	char *path;	    /* owned; NULL = unknown */
};

/* Start zeroed. */
struct build_tags {
	VECTOR(struct build_tag) files; /* each once */
};

void build_tags_deinit(struct build_tags *t);
/* Take hexadecimal digits, as far as they are pairs, and of one build-id. */
void build_tags_take_digits(struct text *t, struct build_id *id);
/* Take "BUILDID:". False if something else stands there. */
bool build_tags_take(struct text *t, struct build_id *id);
/* The number of a file, made if new. It is the same if the build-ids are, or neither has one and
 * the paths are; @path may be NULL. BUILD_TAGS_NONE without memory, or for too many. */
size_t build_tags_add(struct build_tags *t, const struct build_id *id, const char *path);
/* Where the addresses of file number @file begin. */
static inline uint64_t build_tags_begin(size_t file)
{
	return (file + 1) * BUILD_TAG_BYTES;
}
/* The number of the file that @address is in, BUILD_TAGS_NONE if in none. */
size_t build_tags_find(const struct build_tags *t, uint64_t address);

/*
 * Add to @to what @from has of file number @own (BUILD_TAGS_NONE: of none), and at addresses of no
 * file, at virtual addresses; other files are outside. @others, which may be NULL: (file, 0) -> n =
 * branches that begin in another file, whether kept or not. 0, or -1 without memory.
 */
int build_tags_select(const struct build_tags *t, const struct branch_profile *from, size_t own,
		      struct branch_profile *to, struct map *others);
/* Refuse a text @name of several files: SOFTLBR_E_INPUT. */
int build_tags_check_only(const struct build_tags *t, const char *name, struct softlbr_error *e);
/* The same where the binary is not known: of the only file, whose build-id @to has then. Several
 * are an error. */
int build_tags_select_only(const struct build_tags *t, const struct branch_profile *from,
			   const char *name, struct branch_profile *to, struct softlbr_error *e);
