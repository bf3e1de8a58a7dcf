/* SPDX-License-Identifier: MIT */
#include "collector/recorder/sanitizer.h"

#include <string.h>

#include "collector/shared/program_file.h"

static bool begins(const char *name, const char *with)
{
	return !strncmp(name, with, strlen(with));
}

void sanitizer_find(const struct dynamic_section *d, struct sanitizer *out)
{
	bool library = false;
	Elf64_Dyn e;

	*out = (struct sanitizer){0};
	for (uint64_t i = 0; dynamic_section_entry(d, i, &e); i++) {
		char name[sizeof(out->first)];

		if (e.d_tag != DT_NEEDED)
			continue;
		dynamic_section_string(d, e.d_un.d_val, name, sizeof(name));
		if (program_file_is_first_library(name))
			memcpy(out->first, name, sizeof(name));
		library |= begins(name, "libtsan.so");
	}
	out->from_outside = !library && dynamic_section_has_symbol(d, "__tsan_init");
}
