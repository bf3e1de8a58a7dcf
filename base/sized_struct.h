/* SPDX-License-Identifier: MIT */
/*
 * Structs that cross a library's border: their first member, a size_t, is their size. So programs
 * and libraries of different ages work together: what one of them does not know is 0.
 */
#pragma once

#include <stddef.h>

#include "softlbr/error.h"

/* Copy a caller's options, of whatever version, into @to, of @size bytes, which is zeroed; a NULL
 * has none. 0 or USAGE. */
int sized_struct_take(void *to, size_t size, const void *from, struct softlbr_error *e);
/* Hand out as much of @from, of @size bytes, as the caller's struct @to has room for, and say in it
 * how much. 0 or USAGE. */
int sized_struct_give(void *to, void *from, size_t size, struct softlbr_error *e);
