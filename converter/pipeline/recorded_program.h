/* SPDX-License-Identifier: MIT */
/*
 * Which binary recordings are converted for where no file is given: of the programs among their
 * modules (and not of the libraries, however much they ran) the one with the most branches.
 */
#pragma once

#include "converter/elf/debug_search.h"
#include "converter/pipeline/conversion.h"

/* A program that has less of the branches is not worth converting. */
#define RECORDED_PROGRAM_LEAST 0.01
/* A module that has as much of them is worth telling of. */
#define RECORDED_PROGRAM_LARGE 0.20

struct recorded_program_options {
	const char *name; /* a module's, as --binary has it; NULL = the program */
	struct module_search search;
	bool any_build; /* another build of it will do */
};

struct recorded_program {
	char *path;
	const char *unit; /* "branches", or "samples" where there are none */
	double share;	  /* of them that begin in it */
	char *largest;	  /* the module with the most of what is left, if that is large; or NULL */
	double largest_share;
};

/* Does @binary, which may be NULL, have to be looked for among the modules? Not if it is a file. */
bool recorded_program_is_sought(const char *binary);

/* Choose among the modules of @modules, a conversion for no binary. @out is initialised by the
 * call, ended with recorded_program_deinit also on failure. */
int recorded_program_choose(struct recorded_program *out, const struct conversion *modules,
			    const struct recorded_program_options *how, struct softlbr_error *e);
void recorded_program_deinit(struct recorded_program *p);

/* Say of a module of @recording, which may be the program, that its file is not here, or is another
 * build, and what helps: SOFTLBR_E_BINARY for the latter. */
int recorded_program_not_found(const struct aggregate_result *r, size_t module,
			       const struct module_file *file, const char *recording,
			       struct softlbr_error *e);

/* A recording in memory, to be looked through. */
struct recorded_input {
	const char *path;
	enum profile_kind kind;
	const struct file_view *view;
};

/* Do files of this kind say which modules they are of? */
bool recorded_program_is_in(enum profile_kind kind);
/* Choose among the modules of files, of which the first with such a program decides.
 * how->search.recording is each one's path. If no file is of such a kind: SOFTLBR_E_INPUT. */
int recorded_program_find(struct recorded_program *out, const struct recorded_input *inputs,
			  size_t count, const struct recorded_program_options *how,
			  struct softlbr_error *e);
