/* SPDX-License-Identifier: MIT */
/* Names of functions, as linkers have them and as sources do. */
#pragma once

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

/* Length of @name without what compilers append to it (.llvm.123, .__uniq.456, .constprop.0). */
size_t function_name_length(const char *name);
/* "leveldb::Table::Open" of a linkage name, by @demangle (function_pairs.h): without template
 * arguments, parameters and unnamed namespaces. To be freed with memory_free; NULL: sources do not
 * have that name (a lambda, a function's own class), or without memory. */
char *function_name_spell(const char *name, char *(*demangle)(const char *name, bool arguments));
/* How many parameters its linkage name tells; -1 if it tells none (C). */
int function_name_parameters(const char *name, char *(*demangle)(const char *name, bool arguments));
/* May both be one function's, of which one leaves out outer names? */
bool function_name_agrees(const char *a, const char *b);
/* The linkage name of the function that was called @before in its source, and is called @after;
 * its parameters are the same. To be freed with memory_free; NULL: that can't be told (outer names
 * came or went), or without memory. */
char *function_name_rename(const char *linkage, const char *before, const char *after);
/* What is behind the last "::". */
const char *function_name_plain(const char *name);
