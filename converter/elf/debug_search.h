/* SPDX-License-Identifier: MIT */
/*
 * Where debug information is that is not in the program: separate debug files by build-id and by
 * .gnu_debuglink, from debuginfod servers, the file that dwz shared (.gnu_debugaltlink), .dwo and
 * .dwp files. GDB manual, "Debugging Information in Separate Files".
 */
#pragma once

#include "base/vector.h"
#include "converter/elf/elf_file.h"

/* A path that begins with @from is looked for with @to instead. */
struct debug_prefix {
	const char *from, *to;
};

/* How to search; the texts are borrowed. */
struct debug_search {
	const char *symfs; /* a directory that is looked into as if it were /, first; or NULL */
	VECTOR(struct debug_prefix) prefixes;
};

/* Things worth telling: which files are used, and which fit only by name. */
struct debug_notes {
	VECTOR(char *) list;
};

/* -1 without memory. */
int debug_notes_add(struct debug_notes *n, const char *format, ...)
	__attribute__((format(printf, 2, 3)));
void debug_notes_deinit(struct debug_notes *n);

/*
 * Call @accept with every place where the absolute or relative @path may be, until one is accepted:
 * with the prefixes replaced, and below symfs, first. Returns whether one was.
 */
typedef bool debug_accept(void *context, const char *path);
bool debug_search_path(const struct debug_search *s, const char *path, debug_accept *accept,
		       void *context);

/* "/usr/bin" of "/usr/bin/app", "." of "app"; to be freed with memory_free. */
char *debug_search_directory(const char *path);

/* Call @accept with the program or library of that build-id that debuginfod has: in the client's
 * cache, or on the servers of $DEBUGINFOD_URLS. */
bool debug_search_program(const struct build_id *id, debug_accept *accept, void *context);

/* The separate debug file of @of, opened; NULL if there is none. */
struct elf_file *debug_search_separate(const struct debug_search *s, const struct elf_file *of,
				       const struct build_id *id, struct debug_notes *notes);
/* What @of says that dwz moved elsewhere, opened; NULL if it says nothing, or it is not found. */
struct elf_file *debug_search_alternate(const struct debug_search *s, const struct elf_file *of,
					struct debug_notes *notes);

/* ---- the modules of a recording (module_search.c) ------------------------------------------- */

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
