/* SPDX-License-Identifier: MIT */
/* Filling struct softlbr_error. */
#pragma once

#include <stddef.h>

#include "softlbr/error.h"

/* No position in the source. */
#define ERROR_NOWHERE UINT64_MAX

/*
 * Each sets @e (if not NULL and not already set) and returns -@code, so that a function can end in
 * `return error_set(...)`. @source may be NULL. error_set_errno appends strerror(errno) and keeps
 * errno in the object.
 */
int error_set(struct softlbr_error *e, int code, const char *source, const char *format, ...)
	__attribute__((format(printf, 4, 5)));
int error_set_at(struct softlbr_error *e, int code, const char *source, uint64_t where,
		 const char *format, ...) __attribute__((format(printf, 5, 6)));
int error_set_errno(struct softlbr_error *e, const char *source, const char *format, ...)
	__attribute__((format(printf, 3, 4)));
void error_clear(struct softlbr_error *e);
/* Append @name to the names that a message gives, "gcov, fdata"; @names begins as "", of @size
 * bytes, and stays as it is where there is no room. */
void error_add_name(char *names, size_t size, const char *name);

/* Here, so that an analyzer sees that it never returns 0. */
static inline int error_set_nomem(struct softlbr_error *e)
{
	error_set(e, SOFTLBR_E_SYSTEM, NULL, "out of memory");
	return -SOFTLBR_E_SYSTEM;
}
