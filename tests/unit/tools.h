/* SPDX-License-Identifier: MIT */
/* Tools that a test needs. What is not there is said in a line that the summary of all tests has.
 */
#pragma once

#include <stdbool.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

static inline bool tools_installed(const char *tool)
{
	char command[256];

	snprintf(command, sizeof(command), "command -v %s >/dev/null 2>&1", tool);
	return !system(command);
}

/* For a part of the test. It is said once of each tool that it is missing. */
static inline bool tools_have(const char *tool)
{
	static char missing[16][64];
	size_t i = 0;

	if (tools_installed(tool))
		return true;
	while (i < 16 && *missing[i] && strcmp(missing[i], tool))
		i++;
	if (i == 16 || *missing[i])
		return false;
	snprintf(missing[i], sizeof(missing[i]), "%s", tool);
	printf("PARTLY SKIPPED: %s is not installed\n", tool);
	return false;
}

/* For all of it: main returns 77 then. */
static inline bool tools_lack(const char *tool)
{
	if (tools_installed(tool))
		return false;
	printf("SKIP: %s is not installed\n", tool);
	return true;
}
