/* SPDX-License-Identifier: MIT */
/* The files that were installed with the program, which may have been moved together. */
#pragma once

#include <limits.h>

#include "softlbr/error.h"

/*
 * The path of @name, which stands beside the program, as where it was built, or in @directory,
 * relative to the program's, as where it is installed. What failed ends with @advice.
 */
int installed_find(const char *name, const char *directory, const char *advice, char path[PATH_MAX],
		   struct softlbr_error *e);
