/* SPDX-License-Identifier: MIT */
/* The log: a line per event, appended by one write, from handlers and children too. */
#include <errno.h>
#include <fcntl.h>
#include <limits.h>
#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "model.h"

static char path[PATH_MAX];
static char name_of_step[32];
unsigned journey_depth;
volatile sig_atomic_t journey_quiet;

void journey_open(const char *file)
{
	int fd;

	if (file != path)
		snprintf(path, sizeof(path), "%s", file);
	fd = open(path, O_WRONLY | O_CREAT | O_APPEND | O_CLOEXEC, 0600);
	if (fd < 0 || dup3(fd, JOURNEY_FD, O_CLOEXEC) != JOURNEY_FD) {
		perror(path);
		_exit(99);
	}
	close(fd);
}

const char *journey_path(void)
{
	return path;
}

void journey_step(unsigned step, const char *name)
{
	model_step = step;
	snprintf(name_of_step, sizeof(name_of_step), "%s", name);
}

static void write_line(const char *format, va_list arguments)
{
	char line[600];
	int saved = errno, n;

	if (journey_quiet)
		return;
	n = snprintf(line, sizeof(line), "%u %.*s%s", model_step, (int)journey_depth, ">>>>>>",
		     name_of_step);
	if (lane && lane->number)
		n += snprintf(line + n, sizeof(line) - (size_t)n, "@%u", lane->number);
	line[n++] = ' ';
	n += vsnprintf(line + n, sizeof(line) - (size_t)n - 1, format, arguments);
	if (n > (int)sizeof(line) - 2)
		n = (int)sizeof(line) - 2;
	line[n++] = '\n';
	while (write(JOURNEY_FD, line, (size_t)n) < 0 && errno == EINTR)
		;
	errno = saved;
}

void journey_say(const char *format, ...)
{
	va_list arguments;

	va_start(arguments, format);
	write_line(format, arguments);
	va_end(arguments);
}

long journey_result(long result, const char *format, ...)
{
	char what[400];
	int saved = errno;
	va_list arguments;

	va_start(arguments, format);
	vsnprintf(what, sizeof(what), format, arguments);
	va_end(arguments);
	journey_say("%s = %ld %s", what, result, result == -1 ? strerrorname_np(saved) : "");
	errno = saved;
	return result;
}
