/* SPDX-License-Identifier: MIT */
/* Where functions are declared, by a binary's debug information: what makes line offsets lines. */
#pragma once

#include "base/map.h"
#include "base/strings.h"
#include "converter/binary/binary.h"
#include "formats/model/source_profile.h"
#include "softlbr/error.h"

struct declarations {
	struct strings *strings; /* NULL: nothing is known */
	struct map known;	 /* (name, 0) -> n = file, m = line */
};

/* Read the declarations of the functions of @p (NULL: of all), and of what is inlined into them. @d
 * is zeroed, or has those of other binaries. A binary without debug information declares nothing. 0
 * or a negative code. */
int declarations_read(struct declarations *d, struct binary *b, const struct source_profile *p,
		      struct softlbr_error *e);
void declarations_deinit(struct declarations *d);
/* The line, and *file; 0 if not known. An offset as profiles store it, modulo 65536, will do. */
int64_t declarations_line(const struct declarations *d, const char *name, int32_t offset,
			  const char **file);
