/* SPDX-License-Identifier: MIT */
/*
 * The files that the code of a recording was mapped from, each once, by number.
 *
 * Which modules of a recording are the binary at hand: by build-id if that finds one, else by path,
 * else by name.
 */
#pragma once

#include "base/map.h"
#include "base/strings.h"
#include "base/vector.h"
#include "converter/binary/binary.h"
#include "formats/model/branch_profile.h"

/* A file (or a pseudo file like [vdso]) that code was mapped from. */
struct module {
	uint32_t path; /* in the modules' strings */
	struct build_id build_id;
	/* Anonymous memory was laid over some of its code, at the same addresses: taken as a copy,
	 * until its file tells (address_history_judge_copies) that it is one, or that its code was
	 * gone */
	bool may_be_copied, is_copied, is_reused;
};

struct modules {
	struct strings *strings;
	VECTOR(struct module) items;
	struct map numbers; /* (path, hash of the build-id) -> n = index */
};

int modules_init(struct modules *m); /* 0, or -1 without memory */
void modules_deinit(struct modules *m);
/* The module's number, made if new; -1 without memory. */
int64_t modules_add(struct modules *m, const char *path, const struct build_id *id);
const char *modules_path(const struct modules *m, size_t number);

/* Say whose code was copied, or replaced by other code, as a sentence; false if nobody's was. */
#define MODULES_COPIED_BYTES 1024
bool modules_copied(const struct modules *m, char text[MODULES_COPIED_BYTES]);

enum module_match_kind {
	MATCH_NONE,
	MATCH_BUILD_ID,
	MATCH_PATH,
	MATCH_BASE_NAME,
	MATCH_UNNAMED,	   /* the file says nothing of the binary it was made from */
	MATCH_OTHER_BUILD, /* by base name, although the build-ids differ */
};

/* Over several recordings; start with MODULE_MATCH_START. */
struct module_match {
	enum module_match_kind kind; /* the weakest */
	int64_t other_build; /* a module with the binary's name but another build-id, or -1 */
};

#define MODULE_MATCH_START ((struct module_match){.other_build = -1})

/* How the binary is best found among the modules, which is added to @m; MATCH_OTHER_BUILD only if
 * @any_build. */
enum module_match_kind modules_match(struct module_match *m, const struct binary *b,
				     const struct modules *modules, bool any_build);
/* Is the module, found so, the binary? */
bool module_fits(enum module_match_kind how, const struct binary *b, const struct modules *modules,
		 size_t module);
/* Note that the binary was found in this way in one more recording. */
void module_match_add(struct module_match *m, enum module_match_kind kind);
