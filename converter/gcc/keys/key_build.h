/* SPDX-License-Identifier: MIT */
/*
 * A build that makes keys: the user's, unchanged, with wrappers in place of its compilers. Each
 * compiles as it is told, and then once more for the keys of what it compiled.
 */
#pragma once

#include <stdbool.h>
#include <stddef.h>

#include "softlbr/error.h"

struct key_build {
	const char *program;   /* softlbr, a path */
	const char *directory; /* for the keys, a path from / on; is made */
	const char *root;      /* names of keys are relative to it */
	bool recordable;
	bool defer; /* a wrapper notes its compile only, for key_build_run_deferred */
};

struct key_build_result {
	int status;	   /* of the command, as wait(2) has it */
	size_t objects;	   /* that the build made keys of */
	size_t failed;	   /* compiles for keys */
	char first[256];   /* of those that failed, by name */
	char problem[512]; /* of the first that could not be tried; or empty */
};

/* Run @command. Its failure is no error: result->status. */
int key_build_run(const struct key_build *b, char *const *command, struct key_build_result *result,
		  struct softlbr_error *e);

/* Make the keys of all compiles that were noted, as many at a time as there are processors. */
int key_build_run_deferred(const struct key_build *b, struct key_build_result *result,
			   struct softlbr_error *e);

/* The directory for keys, and in it the note of the root, unless they are there: a wrapper that a
 * user has made finds none. */
int key_build_make_directory(const struct key_build *b, struct softlbr_error *e);
/* Write the note of the root. */
int key_build_write_note(const struct key_build *b, struct softlbr_error *e);
/* Where all keys are of objects in one build directory below the root (of CMake, ninja or
 * configure), name them relative to it, so that they fit another one's. It is @b's root then, and
 * *@narrow, to be freed with memory_free; else NULL. */
int key_root_narrow(struct key_build *b, char **narrow, struct softlbr_error *e);
/* What a wrapper does: run the compiler and its arguments, and make keys. The status to exit with
 * is the compiler's own; a signal that ended it ends this process. */
int key_build_compile(const struct key_build *b, char *const *command);

/* ---- compiles whose keys are made later (key_deferred.c) ------------------------------------ */

/* Note @command, as the compiler was given it, in the current directory. */
int key_deferred_note(const struct key_build *b, char *const *command, struct softlbr_error *e);
/* Make the keys of each, in the directory where it was compiled, and forget it. What could not be
 * made is in the journal. */
int key_deferred_make(const struct key_build *b, struct softlbr_error *e);

/* ---- what compiles tell (key_journal.c) ----------------------------------------------------- */

/* What is compiled from now on is told. */
int key_journal_begin(const struct key_build *b, struct softlbr_error *e);
/* Add what was told since to @r, and forget it. */
int key_journal_take(const struct key_build *b, struct key_build_result *r,
		     struct softlbr_error *e);
/* Tell why a compile could not be tried. */
void key_journal_problem(const struct key_build *b, const struct softlbr_error *problem);
/* Make the keys of what @command compiles, and tell of them. */
void key_journal_compile(const struct key_build *b, char *const *command);

/* ---- one compile (key_compile.c) ------------------------------------------------------------ */

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

/* Is this an object of a program that only configures a build (conftest.o)? */
bool key_compile_is_trial(const char *path);
