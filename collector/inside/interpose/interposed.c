/* SPDX-License-Identifier: MIT */
#include "collector/inside/interpose/interposed.h"

#include <dlfcn.h>

#define NAME(name) #name,
static const char *const names[] = {INTERPOSED_NAMES(NAME)};

/* NULL: not looked up yet. */
static void *known[INTERPOSED_COUNT];

void *interposed_next(enum interposed name)
{
	if (!known[name])
		known[name] = dlsym(RTLD_NEXT, names[name]);
	return known[name];
}

void interposed_resolve(void)
{
	for (unsigned i = 0; i < INTERPOSED_COUNT; i++)
		interposed_next((enum interposed)i);
}
