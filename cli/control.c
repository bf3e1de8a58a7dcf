/* SPDX-License-Identifier: MIT */
/* softlbr control: switch a recording that was started with --control. */
#include "cli/cli.h"

#include <argp.h>
#include <stdio.h>
#include <string.h>

#include "collector/recorder/control.h"

static const struct argp_option options[] = {
	{"socket", 's', "SOCKET", 0, "The recording's socket, as given to softlbr record", 0},
	{0},
};

struct arguments {
	const char *path, *command;
};

static error_t parse(int key, char *text, struct argp_state *state)
{
	struct arguments *a = state->input;

	switch (key) {
	case 's':
		a->path = text;
		break;
	case ARGP_KEY_ARG:
		if (!a->command)
			a->command = text;
		else
			argp_usage(state);
		break;
	case ARGP_KEY_END:
		if (!a->path || !a->command)
			argp_usage(state);
		break;
	default:
		return ARGP_ERR_UNKNOWN;
	}
	return 0;
}

const struct argp cli_control_argp = {
	options,
	parse,
	"-s SOCKET start|stop|rotate|status",
	"Switch the recording that listens at SOCKET on or off, begin a new "
	"file (the old one is kept as FILE.1, FILE.2, ...), or ask how it is.",
	NULL,
	NULL,
	NULL};

int cli_control(int argc, char **argv)
{
	struct arguments a = {0};
	struct softlbr_error e = {0};
	char answer[128];

	cli_parse(&cli_control_argp, argc, argv, CLI_OPERANDS_ANYWHERE, SOFTLBR_E_USAGE, &a);
	if (control_ask(a.path, a.command, answer, sizeof(answer), &e)) {
		cli_print_error("control", &e);
		return 1;
	}
	if (strncmp(answer, "ok", 2)) {
		fprintf(stderr, "softlbr control: %s\n", answer);
		return SOFTLBR_E_USAGE;
	}
	puts(answer);
	return 0;
}
