/* SPDX-License-Identifier: MIT */
/*
 * Scripts that stand in for the compilers of a build: gcc, g++, cc, c++, gcc-12,
 * x86_64-linux-gnu-gcc and whatever else of the kind is in PATH. They are in a directory that comes
 * first in PATH, and stay there, since CMake writes down where it has found a compiler.
 */
#pragma once

#include <stdbool.h>

#include "softlbr/error.h"

struct compiler_wrappers {
	const char *const *words; /* a script runs these, the compiler's path, and its arguments;
				     ended by NULL */
	const char *directory;	  /* for the scripts, a path from / on; is made */
	bool clang;		  /* clang's, too */
};

/* Write them, and set PATH, CC and CXX of this process so that what it runs finds them. What is
 * called by a compiler cache is asked to have none, or compiles would be missed. */
int compiler_wrappers_install(const struct compiler_wrappers *w, struct softlbr_error *e);
