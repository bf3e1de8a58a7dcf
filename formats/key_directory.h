/* SPDX-License-Identifier: MIT */
/*
 * A directory of keys, as `softlbr gcc-keys` makes it, or anybody who compiles with gcc's flags:
 * below it, for each object file, the .gcno file and what gcc printed beside it
 *(formats/gcc_dump.h).
 *
 *	src#main.gcno		as gcc names what it reads with -fprofile-use=DIRECTORY
 *	src#main.profile	its dump; or as gcc names it by itself, src#main.c.069i.profile
 *	softlbr-keys		a line "root DIRECTORY": names are relative to this one
 */
#ifndef FORMATS_KEY_DIRECTORY_H
#define FORMATS_KEY_DIRECTORY_H

#include <stdbool.h>
#include <stddef.h>

#include "formats/model/gcc_graph.h"
#include "softlbr/error.h"

#define KEY_DIRECTORY_NOTE "softlbr-keys"
#define KEY_DIRECTORY_DUMP ".profile"

struct key_object {
	char *name; /* of the .gcno file below the directory, without the suffix */
	bool dumped;
	struct gcc_graph graph;
};

struct key_directory {
	VECTOR(struct key_object) objects; /* by name */
	char *root;	     /* what -fprofile-prefix-path takes away from names; NULL: not known */
	size_t without_dump; /* objects: lines of the .gcno file only */
	size_t refused;	     /* of these: there is a dump, but not one of this .gcno file */
	size_t functions, functions_without; /* a dump that is theirs */
	struct softlbr_error refusal;	     /* why the first was refused */
};

/* Read all that is below @path. @d is initialised by the call, also when it fails: no .gcno file
 * at all is an error, and so is one that can't be read. */
int key_directory_read(struct key_directory *d, const char *path, struct softlbr_error *e);
void key_directory_deinit(struct key_directory *d);

#endif
