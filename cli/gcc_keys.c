/* SPDX-License-Identifier: MIT */
/* softlbr gcc-keys: run a build, and have gcc's control-flow graphs of its objects beside it. */
#include <limits.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/wait.h>
#include <unistd.h>

#include "base/error.h"
#include "cli/cli.h"
#include "cli/terminal.h"
#include "converter/gcc/keys/key_build.h"

/* Statuses that are not the command's own, as those of record. */
enum { STATUS_SOFTLBR_FAILED = 125, STATUS_CANNOT_RUN = 126, STATUS_NO_COMMAND = 127 };

struct arguments {
	const char *output, *root;
	bool compile, deferred;
	char **command;
	struct key_build build;
};

static const struct option_row rows[] = {
	{"output", 'o', "DIR", "Where the keys go: a .gcno file and a dump for each object",
	 OPTION_TEXT, OPTION_AT(struct arguments, output)},
	{"recordable", 0, NULL,
	 "Compile the program itself with -g -no-integrated-cpp too, as its recording needs it",
	 OPTION_SWITCH, OPTION_AT(struct arguments, build.recordable)},
	{"root", 0, "DIR",
	 "The directory that objects are named relative to; default: the current one. Give the build "
	 "directory if the keys are of another one than the final build's",
	 OPTION_TEXT, OPTION_AT(struct arguments, root)},
	{"compile", 0, NULL,
	 "COMMAND is a compiler with its arguments: run it, and make the keys of what it compiles. This "
	 "is what a build's compilers are replaced by",
	 OPTION_SWITCH, OPTION_AT(struct arguments, compile)},
	{"defer", 0, NULL,
	 "With --compile: note what is compiled, and let --deferred make its keys: a build takes as "
	 "long as without them",
	 OPTION_SWITCH, OPTION_AT(struct arguments, build.defer)},
	{"deferred", 0, NULL,
	 "Instead of COMMAND: make the keys of what was noted, as many at a time as there are processors",
	 OPTION_SWITCH, OPTION_AT(struct arguments, deferred)},
	{0},
};

static error_t gcc_keys_end_options(void *arguments, struct argp_state *state)
{
	const struct arguments *a = arguments;

	if (!a->output)
		argp_error(state, "give -o, a directory for the keys");
	if (a->deferred && a->command)
		argp_error(state, "--deferred takes no command");
	if (a->build.defer && !a->compile)
		argp_error(state, "--defer is for --compile");
	if (!a->command && !a->deferred)
		argp_error(state, "give the command that builds the program");
	return 0;
}

const struct option_table cli_gcc_keys_options = {
	.rows = rows,
	.operands = "-o DIR [--] COMMAND [ARGUMENT...]\n-o DIR --deferred",
	.doc = "Run COMMAND, which builds a program with gcc, and keep beside it what gcc says of each "
	       "object's control-flow graphs. Of these keys and a recording of the program softlbr convert "
	       "makes what gcc -fprofile-use reads.\v"
	       "The command's output and exit status pass through; 128+N if signal N ended it; 125 if "
	       "softlbr failed or the build compiled nothing by gcc, 126 and 127 if the command could not be "
	       "run.",
	OPTION_COMMAND_AT(struct arguments, command),
	.usage_status = STATUS_SOFTLBR_FAILED,
	.end = gcc_keys_end_options,
};

/* The absolute path of a file that need not exist yet; to be freed by free. */
static char *whole_path(const char *path, struct softlbr_error *e)
{
	char *whole = realpath(path, NULL), *here;

	if (whole)
		return whole;
	here = *path == '/' ? strdup("") : getcwd(NULL, 0);
	if (!here || asprintf(&whole, "%s%s%s", here, *path == '/' ? "" : "/", path) < 0) {
		whole = NULL;
		error_set_errno(e, path, "cannot name %s", path);
	}
	free(here);
	return whole;
}

static int failed(const struct softlbr_error *e)
{
	terminal_print_error("gcc-keys", e);
	return STATUS_SOFTLBR_FAILED;
}

static void warn_of_links(const char *root)
{
	const char *called = getenv("PWD");
	char *real = called ? realpath(called, NULL) : NULL;

	if (real && strcmp(called, real) && !strncmp(root, real, strlen(real)))
		fprintf(stderr,
			"softlbr gcc-keys: note: %s is a link: run the build that uses the profile "
			"in %s, as gcc names files by it\n",
			called, real);
	free(real);
}

static void report_made(const struct arguments *a, const struct key_build_result *r)
{
	fprintf(stderr, "keys: of %zu object%s, in %s\n", r->objects, r->objects == 1 ? "" : "s",
		a->output);
	if (access(a->build.root, F_OK)) /* the command may have made it */
		fprintf(stderr,
			"softlbr gcc-keys: %swarning:%s --root=%s: there is no such directory: no "
			"key is named relative to it\n",
			terminal_color(stderr, COLOR_DOUBTFUL), terminal_color_end(stderr),
			a->build.root);
	if (r->failed)
		fprintf(stderr,
			"softlbr gcc-keys: %swarning:%s %zu object%s without keys: %s/%s.log says why\n",
			terminal_color(stderr, COLOR_DOUBTFUL), terminal_color_end(stderr),
			r->failed, r->failed == 1 ? " is" : "s are", a->output, r->first);
	if (r->problem[0])
		fprintf(stderr, "softlbr gcc-keys: %swarning:%s not all keys were made: %s\n",
			terminal_color(stderr, COLOR_DOUBTFUL), terminal_color_end(stderr),
			r->problem);
}

static void report(const struct arguments *a, const struct key_build_result *r)
{
	report_made(a, r);
	if (!r->objects)
		return;
	fprintf(stderr,
		"next: softlbr record -- PROGRAM, built with -g -no-integrated-cpp%s\n"
		"      softlbr convert --binary PROGRAM --profile perf.data --keys %s --to gcda=OUTDIR, "
		"which says how to build\n",
		a->build.recordable ? ", as it is now" : "", a->output);
}

/* The exit status, as a shell has it. */
static int end(const struct arguments *a, const struct key_build_result *r)
{
	int status = WIFSIGNALED(r->status) ? 128 + WTERMSIG(r->status) : WEXITSTATUS(r->status);

	if (status == STATUS_NO_COMMAND || status == STATUS_CANNOT_RUN)
		fprintf(stderr, "softlbr gcc-keys: %s ended with status %d\n", a->command[0],
			status);
	report(a, r);
	if (status || r->objects)
		return status;
	fprintf(stderr,
		"softlbr gcc-keys: %serror:%s %s compiled nothing by a gcc that was found in PATH, CC "
		"or CXX. Is it all built already? Then clean it first. Does the build have another "
		"compiler, or its path? Then configure it anew, in a new directory, by gcc-keys\n",
		terminal_color(stderr, COLOR_BAD), terminal_color_end(stderr), a->command[0]);
	return STATUS_SOFTLBR_FAILED;
}

static int run(struct arguments *a, struct softlbr_error *e)
{
	struct key_build_result result;
	int rc;

	if (a->compile)
		return key_build_compile(&a->build, a->command);
	if (a->deferred) {
		rc = key_build_run_deferred(&a->build, &result, e);
		if (!rc)
			report_made(a, &result);
		return rc ? failed(e) : 0;
	}
	warn_of_links(a->build.root);
	rc = key_build_run(&a->build, a->command, &result, e);
	return rc ? failed(e) : end(a, &result);
}

int cli_gcc_keys(int argc, char **argv)
{
	struct arguments a = {0};
	struct softlbr_error e = {0};
	char self[PATH_MAX];
	ssize_t length = readlink("/proc/self/exe", self, sizeof(self) - 1);
	char *directory, *root;
	int status;

	options_parse(&cli_gcc_keys_options, argc, argv, &a);
	self[length > 0 ? length : 0] = 0;
	directory = whole_path(a.output, &e);
	root = directory ? whole_path(a.root ? a.root : ".", &e) : NULL;
	if (!directory || !root) {
		status = failed(&e);
	} else {
		a.build.program = self;
		a.build.directory = directory;
		a.build.root = root;
		status = run(&a, &e);
	}
	free(directory);
	free(root);
	return status;
}
