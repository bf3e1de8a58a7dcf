/* SPDX-License-Identifier: MIT */
/* softlbr COMMAND ...: finds the command and hands over. */
#include <stdio.h>
#include <string.h>

#include "cli/cli.h"
#include "softlbr/error.h"

struct command {
	const char *name;
	int (*run)(int argc, char **argv);
	const char *what;
};

static const struct command commands[] = {
	{"record", cli_record, "run a program and record its taken branches"},
	{"control", cli_control, "switch a recording on and off, begin a new file"},
	{"convert", cli_convert, "make profiles for gcc, clang and llvm-bolt from recordings"},
	{"bench", cli_bench, "measure what breakpoints cost on this machine"},
	{"merge", cli_merge, "add up profiles of one kind, or recordings of one binary"},
	{"show", cli_show, "say what is in a profile or a recording"},
	{"check", cli_check, "say whether a profile is good before building with it"},
	{"diff", cli_diff, "compare two profiles or recordings"},
	{"doctor", cli_doctor, "say what this machine can do, and what to do about the rest"},
};

#define COMMAND_COUNT (sizeof(commands) / sizeof(commands[0]))

static void print_usage(FILE *stream)
{
	fprintf(stream, "Usage: softlbr COMMAND [OPTION...]\n"
			"AutoFDO and BOLT profiles from any Linux machine.\n\nCommands:\n");
	for (size_t i = 0; i < COMMAND_COUNT; i++)
		fprintf(stream, "  %-10s %s\n", commands[i].name, commands[i].what);
	fprintf(stream,
		"\n`softlbr COMMAND --help` explains a command, `man softlbr` the whole.\n");
}

int main(int argc, char **argv)
{
	char name[64];

	if (argc < 2) {
		print_usage(stderr);
		return SOFTLBR_E_USAGE;
	}
	if (!strcmp(argv[1], "--help") || !strcmp(argv[1], "-h") || !strcmp(argv[1], "help")) {
		print_usage(stdout);
		return 0;
	}
	if (!strcmp(argv[1], "--version") || !strcmp(argv[1], "-V")) {
		printf("softlbr %s\n", SOFTLBR_VERSION);
		return 0;
	}
	for (size_t i = 0; i < COMMAND_COUNT; i++) {
		if (strcmp(argv[1], commands[i].name))
			continue;
		snprintf(name, sizeof(name), "softlbr %s", commands[i].name);
		argv[1] = name; /* argp's messages begin with it */
		return commands[i].run(argc - 1, argv + 1);
	}
	fprintf(stderr, "softlbr: there is no command %s\n", argv[1]);
	print_usage(stderr);
	return SOFTLBR_E_USAGE;
}
