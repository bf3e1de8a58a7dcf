/* SPDX-License-Identifier: MIT */
/* Programs that are built with a sanitizer, whose runtime wants things of whoever preloads a
 * library. */
#ifndef COLLECTOR_RECORDER_SANITIZER_H
#define COLLECTOR_RECORDER_SANITIZER_H

#include <stdbool.h>

#include "collector/recorder/dynamic_section.h"

struct sanitizer {
	/* AddressSanitizer's runtime as a library (gcc): it has to be preloaded first. "" = none.
	 */
	char first[64];
	/* ThreadSanitizer's runtime in the program itself (clang): it cannot have a signal handler
	 * before it is ready, so the program is traced from outside. */
	bool from_outside;
};

/* What a program's dynamic section tells. */
void sanitizer_find(const struct dynamic_section *d, struct sanitizer *out);

#endif
