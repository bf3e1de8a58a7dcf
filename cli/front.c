/* SPDX-License-Identifier: MIT */
/*
 * The program softlbr: records, and for all else becomes softlbr-full, which has every command.
 *
 * Programs of a millisecond are recorded by the thousand, in builds and tests. Recording needs libc
 * alone; loading what the other commands are linked with would take as long as such a program.
 */
#include <errno.h>
#include <stdio.h>
#include <string.h>
#include <unistd.h>

#include "cli/cli.h"
#include "cli/missing_page.h"
#include "cli/terminal.h"
#include "base/installed.h"
#include "cli/record.h"

#define FULL_NAME "softlbr-full"

static int become_full(char **argv)
{
	struct softlbr_error e = {0};
	char path[PATH_MAX];

	if (installed_find(FULL_NAME, FULL_DIRECTORY, ": it belongs to softlbr; install that again",
			   path, &e)) {
		fprintf(stderr, "softlbr: %s\n", e.text);
		return SOFTLBR_E_SYSTEM;
	}
	execv(path, argv);
	fprintf(stderr, "softlbr: cannot run %s: %s\n", path, strerror(errno));
	return SOFTLBR_E_SYSTEM;
}

int main(int argc, char **argv)
{
	static char name[] = "softlbr record"; /* messages of bad usage begin with it */
	int status = RECORD_NEEDS_EXTRAS;

	if (argc > 1 && !strcmp(argv[1], "record")) {
		char *word = argv[1];

		argv[1] = name;
		missing_page_guard(name, STATUS_SOFTLBR_FAILED);
		status = record_run(argc - 1, argv + 1, NULL);
		argv[1] = word;
	}
	return status == RECORD_NEEDS_EXTRAS ? become_full(argv) : terminal_end(status);
}
