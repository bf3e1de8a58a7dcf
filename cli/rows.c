/* SPDX-License-Identifier: MIT */
#include <argp.h>
#include <errno.h>
#include <stdlib.h>

#include "cli/cli.h"

size_t cli_rows(const char *text, struct argp_state *state)
{
	unsigned long rows;
	char *end;

	errno = 0;
	rows = strtoul(text, &end, 10);
	if (errno || end == text || *end || *text == '-')
		argp_error(state, "--top=%s: expected a number", text);
	return rows;
}
