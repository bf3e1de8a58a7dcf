/* SPDX-License-Identifier: MIT */
/* The libraries that a program is linked with, and those that they are. */
#ifndef COLLECTOR_RECORDER_NEEDED_LIBRARIES_H
#define COLLECTOR_RECORDER_NEEDED_LIBRARIES_H

#include "collector/recorder/dynamic_section.h"

/* Is one of them written in Go (go build -buildmode=c-shared)? @path is the file that @d is of.
 * Looked for where ld.so(8) looks, but for its cache: a library that is not found is passed over.
 */
bool needed_libraries_have_go(const struct dynamic_section *d, const char *path);

#endif
