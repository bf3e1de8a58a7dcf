/* SPDX-License-Identifier: MIT */
/*
 * What the wrappers of a build's compilers are told (compiler_wrappers.h), and what they tell. Both
 * are files in the state's directory, as the wrappers are processes of the build:
 *
 *	plan	"keys ROOT"; "gcc FLAG", "clang FLAG" and "link FLAG", a line for each flag
 *	journal	"object PATH" and "program PATH" of a compile or a link that succeeded; "gcc" or
 *		"clang", what compiled; "plain PATH", an object without optimization; "unkeyed
 *NAME", one that gcc's keys could not be made of
 */
#pragma once

#include <stdbool.h>

#include "softlbr/error.h"

#define BUILD_PLAN	   "plan"
#define BUILD_PLAN_JOURNAL "journal"
#define BUILD_PLAN_KEYS	   "keys" /* the directory for them */

struct build_plan {
	const char *root; /* make gcc's keys, with names relative to it; NULL: none */
	/* flags in addition to the build's, ended by NULL */
	const char *const *gcc, *const *clang, *const *link;
};

int build_plan_write(const struct build_plan *p, const char *state, struct softlbr_error *e);

/* What a wrapper does for @command, a compiler's path and its arguments: compile as the plan in the
 * directory @state says. The status to exit with is the compiler's; a signal that ended it ends
 * this process. */
int build_plan_compile(const char *state, char *const *command);
