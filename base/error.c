/* SPDX-License-Identifier: MIT */
#include "base/error.h"

#include <errno.h>
#include <stdarg.h>
#include <stdio.h>
#include <string.h>

#include "base/printable.h"

static int error_fill(struct softlbr_error *e, int code, const char *source, uint64_t where,
		      int sys_errno, const char *format, va_list args)
{
	size_t used;

	if (!e || e->code)
		return -code;
	e->code = code;
	e->sys_errno = sys_errno;
	e->where = where;
	snprintf(e->source, sizeof(e->source), "%s", source ? source : "");
	vsnprintf(e->text, sizeof(e->text), format, args);
	used = strlen(e->text);
	if (sys_errno)
		snprintf(e->text + used, sizeof(e->text) - used, ": %s", strerror(sys_errno));
	printable_make(e->text); /* it has names in it */
	return -code;
}

int error_set(struct softlbr_error *e, int code, const char *source, const char *format, ...)
{
	va_list args;

	va_start(args, format);
	error_fill(e, code, source, ERROR_NOWHERE, 0, format, args);
	va_end(args);
	return -code;
}

int error_set_at(struct softlbr_error *e, int code, const char *source, uint64_t where,
		 const char *format, ...)
{
	va_list args;

	va_start(args, format);
	error_fill(e, code, source, where, 0, format, args);
	va_end(args);
	return -code;
}

int error_set_errno(struct softlbr_error *e, const char *source, const char *format, ...)
{
	int saved = errno;
	va_list args;

	va_start(args, format);
	error_fill(e, SOFTLBR_E_SYSTEM, source, ERROR_NOWHERE, saved, format, args);
	va_end(args);
	errno = saved;
	return -SOFTLBR_E_SYSTEM;
}

void error_clear(struct softlbr_error *e)
{
	if (e)
		memset(e, 0, sizeof(*e));
}

void error_add_name(char *names, size_t size, const char *name)
{
	if (strlen(names) + strlen(name) + sizeof(", ") <= size)
		strcat(strcat(names, *names ? ", " : ""), name);
}
