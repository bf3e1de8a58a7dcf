/* SPDX-License-Identifier: MIT */
/*
 * The compile beside the user's that gives the keys of its objects: the same sources, options and
 * output names, but nothing is written except what gcc says of its control-flow graphs. What cc1 is
 * run with comes from `gcc -###`; gcc preprocesses first (-no-integrated-cpp), which changes the
 * graphs: it has to be in the build that uses the counters, too.
 */
#pragma once

#include <stddef.h>

#include "softlbr/error.h"

struct key_compile {
	const char *compiler;  /* a path */
	const char *directory; /* where keys go */
	const char *root;      /* names are relative to it */
	/* Called for each object; @failed: there are no keys, but NAME.log. May be NULL. */
	void (*tell)(void *context, const char *name, int failed);
	void *context;
};

/* For a compiler's command line without its own name. One that compiles no C or C++, as a link, or
 * that is not gcc's, is fine. 0, or a negative code: a compile that fails is none. */
int key_compile(const struct key_compile *k, char *const *words, struct softlbr_error *e);
