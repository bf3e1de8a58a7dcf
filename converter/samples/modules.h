/* SPDX-License-Identifier: MIT */
/* The files that the code of a recording was mapped from, each once, by number. */
#ifndef CONVERTER_SAMPLES_MODULES_H
#define CONVERTER_SAMPLES_MODULES_H

#include "base/map.h"
#include "base/strings.h"
#include "base/vector.h"
#include "formats/model/branch_profile.h"

/* A file (or a pseudo file like [vdso]) that code was mapped from. */
struct module {
	uint32_t path; /* in the modules' strings */
	struct build_id build_id;
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

#endif
