/* SPDX-License-Identifier: MIT */
/* softlbr-full COMMAND ...: finds the command and hands over. */
#include <signal.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "base/mapped_files.h"
#include "base/memory.h"
#include "base/suggestion.h"
#include "cli/cli.h"
#include "cli/missing_page.h"
#include "cli/record.h"
#include "cli/sandbox.h"
#include "cli/terminal.h"
#include "softlbr/error.h"

const struct cli_command cli_commands[] = {
	{"record", cli_record, &cli_record_options, "run a program and record its taken branches"},
	{"control", cli_control, &cli_control_options,
	 "switch a recording on and off, begin a new file"},
	{"convert", cli_convert, &cli_convert_options,
	 "make profiles for gcc, clang and llvm-bolt from recordings"},
	{"pgo", cli_pgo, &cli_pgo_options,
	 "build a program with a profile of its own work, and compare: all of the above"},
	{"gcc-keys", cli_gcc_keys, &cli_gcc_keys_options,
	 "run a gcc build and keep the control-flow graphs that --to gcda needs"},
	{"report", cli_report, &cli_report_options,
	 "show hot code: branches, probabilities, mispredictions, stacks, loops, paths"},
	{"show", cli_show, &cli_show_options, "show what is in a profile or a recording"},
	{"update", cli_update, &cli_update_options,
	 "make the profile of older sources one of newer sources"},
	{"check", cli_check, &cli_check_options,
	 "say whether a profile is good before building with it"},
	{"diff", cli_diff, &cli_diff_options, "compare two profiles or recordings"},
	{"merge", cli_merge, &cli_merge_options,
	 "add up profiles of one kind, or recordings of one binary"},
	{"doctor", cli_doctor, &cli_doctor_options,
	 "say how this machine can record, and how to enable the rest"},
	{0},
};

static void print_usage(FILE *stream)
{
	fprintf(stream, "Usage: softlbr COMMAND [OPTION...]\n"
			"AutoFDO and BOLT profiles from any Linux machine.\n\nCommands:\n");
	for (const struct cli_command *c = cli_commands; c->name; c++)
		fprintf(stream, "  %-10s %s\n", c->name, c->what);
	fprintf(stream, "\n`softlbr help COMMAND` explains a command, `man softlbr` the whole.\n");
}

static int print_version(void)
{
	printf("softlbr %s\n", SOFTLBR_VERSION);
	return 0;
}

static int refuse(const char *word)
{
	bool is_option = word[0] == '-';
	struct suggestion s;

	suggestion_begin(&s, word);
	if (is_option) {
		suggestion_offer(&s, "--help");
		suggestion_offer(&s, "--version");
	} else {
		suggestion_offer(&s, "help");
		for (const struct cli_command *c = cli_commands; c->name; c++)
			suggestion_offer(&s, c->name);
	}
	fprintf(stderr, "softlbr: there is no %s %s", is_option ? "option" : "command", word);
	if (s.nearest)
		fprintf(stderr, "; did you mean %s?", s.nearest);
	fprintf(stderr, "\n`softlbr help` lists the commands.\n");
	return SOFTLBR_E_USAGE;
}

/* Does it run a program, whose status and signals are its own? */
static bool runs_program(const struct cli_command *c)
{
	return c->run == cli_record || c->run == cli_gcc_keys;
}

/* What is only read and written may be anybody's: root's commands, which can do most, give up what
 * they do not need. SOFTLBR_SANDBOX=on and off choose. (A sanitizer looks for leaks by ptrace(2).)
 */
static bool is_sandboxed(const struct cli_command *c)
{
	const char *asked = getenv("SOFTLBR_SANDBOX");

	if (SOFTLBR_SANITIZED || runs_program(c) || c->run == cli_pgo || c->run == cli_doctor ||
	    c->run == cli_control)
		return false;
	return asked && *asked ? !strcmp(asked, "on") : !geteuid();
}

/* What was made without some memory, or of a file that was cut off meanwhile, may be less than it
 * should: that is no success. */
static int end_of(const struct cli_command *c, int status)
{
	struct softlbr_error e = {0};

	if (runs_program(c) || status == SOFTLBR_E_SYSTEM || status == SOFTLBR_E_USAGE)
		return status;
	if (memory_has_failed())
		fprintf(stderr, "softlbr: out of memory: what was printed may not be all\n");
	else if (mapped_files_check(&e))
		terminal_print_error(c->name, &e);
	else
		return status;
	return SOFTLBR_E_SYSTEM;
}

static int run(const char *word, int argc, char **argv)
{
	static char name[64]; /* as long as the process */

	for (const struct cli_command *c = cli_commands; c->name; c++) {
		if (strcmp(word, c->name))
			continue;
		snprintf(name, sizeof(name), "softlbr %s", c->name);
		argv[0] = name; /* messages of bad usage begin with it */
		missing_page_guard(name,
				   runs_program(c) ? STATUS_SOFTLBR_FAILED : SOFTLBR_E_SYSTEM);
		if (is_sandboxed(c))
			sandbox_enter();
		if (!runs_program(c))
			signal(SIGXFSZ, SIG_IGN); /* writing fails then, which is told */
		return end_of(c, c->run(argc, argv));
	}
	return refuse(word);
}

static int help(const char *word)
{
	char *argv[] = {NULL, (char[]){"--help"}, NULL};

	if (word)
		return run(word, 2, argv);
	print_usage(stdout);
	return 0;
}

static bool is_one_of(const char *word, const char *const *names)
{
	for (; *names; names++)
		if (!strcmp(word, *names))
			return true;
	return false;
}

int main(int argc, char **argv)
{
	static const char *const helps[] = {"help", "--help", "-h", "-?", NULL};
	static const char *const versions[] = {"version", "--version", "-V", "-v", NULL};

	if (argc < 2) {
		print_usage(stderr);
		return SOFTLBR_E_USAGE;
	}
	if (is_one_of(argv[1], helps))
		return terminal_end(help(argv[2]));
	if (is_one_of(argv[1], versions))
		return terminal_end(print_version());
	if (!strcmp(argv[1], "--completion-table")) /* the build's */
		return cli_print_completion_table(cli_commands);
	return terminal_end(run(argv[1], argc - 1, argv + 1));
}
