/* SPDX-License-Identifier: MIT */
#include "cli/color.h"

#include <stdbool.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

static bool has_color(FILE *stream)
{
	const char *none = getenv("NO_COLOR"), *terminal = getenv("TERM");

	return !(none && *none) && terminal && strcmp(terminal, "dumb") && isatty(fileno(stream));
}

/* ECMA-48, "select graphic rendition" */
const char *cli_color(FILE *stream, enum color color)
{
	static const char *const codes[] = {
		[COLOR_GOOD] = "\033[32m",
		[COLOR_DOUBTFUL] = "\033[33m",
		[COLOR_BAD] = "\033[1;31m",
	};

	return has_color(stream) ? codes[color] : "";
}

const char *cli_color_end(FILE *stream)
{
	return has_color(stream) ? "\033[0m" : "";
}
