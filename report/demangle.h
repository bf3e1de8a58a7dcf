/* SPDX-License-Identifier: MIT */
/*
 * Linkage names as their source has them: C++ (the Itanium C++ ABI) and Rust (legacy and v0), by
 * libiberty, whose license is the GPL: the program alone links it. Left out: D, whose demangler
 * there has no limit on what a short name may expand to.
 */
#pragma once

#include <stdbool.h>
#include <stddef.h>

/* @name demangled, with its arguments or without, to be freed with memory_free; NULL if it is not
 * mangled, becomes unreasonably long, or without memory. */
char *demangle_name(const char *name, bool arguments);
/* @text with every linkage name in it demangled ("_Z3foov+0x1f" is "foo()+0x1f"); NULL as above,
 * if there is none. */
char *demangle_text(const char *text);
/* Is @name the linkage name @mangled, or that demangled, with or without arguments? Blanks do not
 * count. */
bool demangle_is(const char *mangled, const char *name);

/* @text in at most @width bytes, the middle replaced by "...", in @room of more than @width bytes;
 * @text itself if it is short enough. No UTF-8 character is cut. */
const char *demangle_shorten(const char *text, size_t width, char *room);
