/* SPDX-License-Identifier: MIT */
/*
 * A directory of keys, as `softlbr gcc-keys` makes it, or anybody who compiles with gcc's flags:
 * below it, for each object file, the .gcno file and what gcc printed beside it
 * (gcc_dump.c).
 *
 *	src#main.gcno		as gcc names what it reads with -fprofile-use=DIRECTORY
 *	src#main.profile	its dump; or as gcc names it by itself, src#main.c.069i.profile
 *	softlbr-keys		a line "root DIRECTORY": names are relative to this one
 */
#pragma once

#include "converter/gcc/files/gcc_graph.h"
#include "softlbr/error.h"

#define KEY_DIRECTORY_NOTE "softlbr-keys"
#define KEY_DIRECTORY_DUMP ".profile"

struct key_object {
	char *name; /* of the .gcno file below the directory, without the suffix */
	char *dump; /* what gcc printed, below the directory; NULL: there is none */
	bool dumped;
	struct gcc_graph graph;
};

struct key_directory {
	VECTOR(struct key_object) objects; /* by name */
	char *path;
	char *root;	     /* what -fprofile-prefix-path takes away from names; NULL: not known */
	size_t without_dump; /* objects: lines of the .gcno file only */
	size_t refused;	     /* of these: there is a dump, but not one of this .gcno file */
	size_t functions, functions_without; /* a dump that is theirs */
	struct softlbr_error refusal;	     /* why the first was refused */
};

/* Find all objects that are below @path; their graphs are not read yet. @d is initialised by the
 * call, also when it fails: no .gcno file at all is an error. */
int key_directory_open(struct key_directory *d, const char *path, struct softlbr_error *e);
/* Read the graph of object number @object, which is then the directory's. A .gcno file that can't
 * be read is an error. */
int key_directory_read(struct key_directory *d, size_t object, struct softlbr_error *e);
/* The same without what the dump adds: blocks, arcs, checksums, lines. */
int key_directory_read_graph(struct key_directory *d, size_t object, struct softlbr_error *e);
void key_directory_deinit(struct key_directory *d);
