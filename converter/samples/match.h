/* SPDX-License-Identifier: MIT */
/*
 * Which modules of a recording are the binary at hand: by build-id if that finds one, else by path,
 * else by name.
 */
#ifndef CONVERTER_SAMPLES_MATCH_H
#define CONVERTER_SAMPLES_MATCH_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "converter/binary/binary.h"
#include "converter/samples/modules.h"

enum match_kind {
	MATCH_NONE,
	MATCH_BUILD_ID,
	MATCH_PATH,
	MATCH_BASE_NAME,
	MATCH_UNNAMED,	   /* the file says nothing of the binary it was made from */
	MATCH_OTHER_BUILD, /* by base name, although the build-ids differ */
};

/* Over several recordings; start with MATCH_START. */
struct match {
	enum match_kind kind; /* the weakest */
	int64_t other_build;  /* a module with the binary's name but another build-id, or -1 */
};

#define MATCH_START ((struct match){.other_build = -1})

/* How the binary is best found among the modules, which is added to @m; MATCH_OTHER_BUILD only if
 * @any_build. */
enum match_kind match_find(struct match *m, const struct binary *b, const struct modules *modules,
			   bool any_build);
/* Is the module, found so, the binary? */
bool match_fits(enum match_kind how, const struct binary *b, const struct modules *modules,
		size_t module);
/* Of one more recording that the binary was found so. */
void match_add(struct match *m, enum match_kind kind);

#endif
