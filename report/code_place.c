/* SPDX-License-Identifier: MIT */
#include "report/code_place.h"

#include <inttypes.h>
#include <stdio.h>

#include "base/file.h"

bool code_place_text(const struct binary *b, const char *module, uint64_t va, char *room,
		     size_t size)
{
	const struct binary_function *f = b ? binary_function_at(b, va) : NULL;
	const char *stub;
	uint64_t begin;

	if (va == BRANCH_OUTSIDE) {
		snprintf(room, size, "(outside)");
		return false;
	}
	if (f) {
		snprintf(room, size, "%s+0x%" PRIx64, f->name, va - f->begin);
		return true;
	}
	stub = b ? binary_plt_at(b, va, &begin) : NULL;
	if (stub) {
		snprintf(room, size, "%s", stub);
		return true;
	}
	snprintf(room, size, "%s%s0x%" PRIx64, module ? file_base_name(module) : "",
		 module ? "+" : "", va);
	return false;
}
