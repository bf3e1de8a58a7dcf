/* SPDX-License-Identifier: MIT */
/* softlbr control: switch a recording that was started with --control. */
#include "cli/cli.h"
#include "cli/terminal.h"

#include <stdio.h>
#include <string.h>

#include "collector/recorder/control.h"

struct arguments {
	const char *path, *command;
};

static const struct option_row rows[] = {
	{"socket", 's', "SOCKET", "The recording's socket, as given to softlbr record", OPTION_TEXT,
	 OPTION_AT(struct arguments, path)},
	{0},
};

static error_t take_command(void *arguments, char *text, struct argp_state *state)
{
	struct arguments *a = arguments;

	if (a->command)
		argp_usage(state);
	a->command = text;
	return 0;
}

static error_t control_end_options(void *arguments, struct argp_state *state)
{
	const struct arguments *a = arguments;

	if (!a->path || !a->command)
		argp_usage(state);
	return 0;
}

const struct option_table cli_control_options = {
	.rows = rows,
	.operands = "-s SOCKET start|stop|rotate|status",
	.doc = "Switch the recording that listens at SOCKET on or off, begin a new "
	       "file (the old one is kept as FILE.1, FILE.2, ...), or ask how it is.",
	.usage_status = SOFTLBR_E_USAGE,
	.take = take_command,
	.end = control_end_options,
};

int cli_control(int argc, char **argv)
{
	struct arguments a = {0};
	struct softlbr_error e = {0};
	char answer[128];

	options_parse(&cli_control_options, argc, argv, &a);
	if (control_ask(a.path, a.command, answer, sizeof(answer), &e)) {
		terminal_print_error("control", &e);
		return 1;
	}
	if (strncmp(answer, "ok", 2)) {
		fprintf(stderr, "softlbr control: %s\n", answer);
		return SOFTLBR_E_USAGE;
	}
	puts(answer);
	return 0;
}
