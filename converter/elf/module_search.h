/* SPDX-License-Identifier: MIT */
/*
 * Where the file of a recording's module is here and now: at the path that was recorded, below
 * symfs, beside the recording, or in a directory of files by build-id: .build-id beside the
 * recording, that of the system, perf's own cache (perf-buildid-cache(1)), or debuginfod's. A file
 * of another build is not taken.
 */
#ifndef CONVERTER_ELF_MODULE_SEARCH_H
#define CONVERTER_ELF_MODULE_SEARCH_H

#include "converter/elf/debug_search.h"

struct module_search {
	const struct debug_search *places; /* or NULL */
	const char *recording;		   /* its path, or NULL */
};

struct module_file {
	char *path;    /* NULL: not found */
	bool program;  /* it is one, and no library; of what is not found, by its name */
	char *other;   /* what is at the recorded path, of another build; or NULL */
	char why[400]; /* it is not found */
};

/* Find the module that was recorded as @path with @id, of size 0 if not known: then only the path
 * tells. @out is initialised by the call, ended with module_file_deinit. */
void module_search_find(const struct module_search *s, const char *path, const struct build_id *id,
			struct module_file *out);
void module_file_deinit(struct module_file *f);

/* Does a recorded path say a file, and not memory without one, as JIT-compiled code? */
bool module_search_names_file(const char *path);

#endif
