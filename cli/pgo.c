/* SPDX-License-Identifier: MIT */
/* softlbr pgo: from a build command to a faster build. */
#include <errno.h>
#include <fcntl.h>
#include <limits.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/file.h>
#include <unistd.h>

#include "base/error.h"
#include "base/memory.h"
#include "cli/cli.h"
#include "cli/terminal.h"
#include "pgo/build_plan.h"
#include "pgo/child.h"
#include "pgo/project_build.h"
#include "pgo/trial.h"
#include "pgo/workflow.h"

#define STATE_DEFAULT ".softlbr-pgo"

struct pgo_command {
	struct project asked;
	const char *directory, *state, *compile;
	uint32_t last;
	bool fresh;
	char **command; /* of --compile */
	/* what is shown */
	const struct project *project;
	char what[80]; /* empty: nothing */
	size_t done, total;
	double begun, advanced, told; /* when it was, and when a log was told of it */
};

/* Where there is no terminal, a line so often says that it is alive. */
#define TELL_SECONDS 60

/* An empty one drops what was given before. */
static error_t take_any_text(void *texts, const struct option_row *o, char *text,
			     struct argp_state *state)
{
	(void)state;
	if (o->value) /* the last one counts */
		project_texts_deinit(texts);
	return project_texts_add(texts, text, NULL) ? ENOMEM : 0;
}

static error_t take_text(void *texts, const struct option_row *o, char *text,
			 struct argp_state *state)
{
	if (!*text)
		argp_error(state, "--%s: it is empty", o->name);
	return take_any_text(texts, o, text, state);
}

static error_t take_bolt(void *texts, const struct option_row *o, char *text,
			 struct argp_state *state)
{
	(void)text;
	return take_text(texts, o, (char[]){"yes"}, state);
}

static const struct option_row rows[] = {
	{.help = "The way:"},
	{"build", 'b', "COMMAND",
	 "Builds the program, as the shell reads it; where CMake, autotools or Meson configure it, that "
	 "too, in a new directory",
	 OPTION_BY(take_text, struct pgo_command, asked.builds), .value = true},
	{"run", 'r', "COMMAND",
	 "Does typical work with what was built, and is recorded; may be given several times: each "
	 "counts alike",
	 OPTION_BY(take_text, struct pgo_command, asked.runs)},
	{"test-run", 't', "COMMAND",
	 "Other work, which is measured but not learned from; may be given several times",
	 OPTION_BY(take_any_text, struct pgo_command, asked.tests)},
	{"pid", 'p', "PID[,PID...]",
	 "Instead of --run: record this running service, which is of the build that `softlbr pgo "
	 "--build=COMMAND` has made before",
	 OPTION_BY(take_text, struct pgo_command, asked.pids), .value = true},
	{"duration", 0, "TIME", "With -p: record for this long (default 20s)",
	 OPTION_BY(take_text, struct pgo_command, asked.durations), .value = true},
	{"also-bolt", 0, NULL, "Then have llvm-bolt lay out what was rebuilt anew",
	 OPTION_BY(take_bolt, struct pgo_command, asked.bolts), .value = true},
	{.help = "How:"},
	{"directory", 'C', "DIR", "The project's directory, where commands run (default: here)",
	 OPTION_TEXT, OPTION_AT(struct pgo_command, directory)},
	{"clean", 0, "COMMAND", "Run this before the first build: what is built already is cleaned",
	 OPTION_BY(take_any_text, struct pgo_command, asked.cleans), .value = true},
	{"output-filter", 0, "COMMAND",
	 "Outputs are compared as this leaves them, such as \"sed 's/[0-9.]* ms//'\"",
	 OPTION_BY(take_any_text, struct pgo_command, asked.filters), .value = true},
	{"stop-after", 0, "build|record|profile|rebuild|bolt|measure",
	 "Stop after this step; the next call goes on", OPTION_CHOICE,
	 OPTION_AT(struct pgo_command, last)},
	{"fresh", 0, NULL, "Begin anew: forget what was done", OPTION_SWITCH,
	 OPTION_AT(struct pgo_command, fresh)},
	{"state", 0, "DIR",
	 "Where keys, recordings, the profile and both builds' programs are kept, and what was done "
	 "(default " STATE_DEFAULT " in the project's directory)",
	 OPTION_TEXT, OPTION_AT(struct pgo_command, state)},
	{"compile", 0, "DIR", NULL, OPTION_TEXT, OPTION_AT(struct pgo_command, compile),
	 .flags = OPTION_HIDDEN},
	{0},
};

const struct option_table cli_pgo_options = {
	.rows = rows,
	.operands = "--build=COMMAND --run=COMMAND...",
	.doc = "Build a program by gcc or clang as it can be recorded, record it at work, build it again "
	       "with the profile, and compare both: the new build stays if no run is slower. Without "
	       "options: go on where the last call stopped.\v"
	       "Exit status: 0 the new build stays, 1 a command failed, 2 usage, 3 another output with "
	       "the profile, 4 nothing was recorded, 5 too short a training, 7 no gain: the build is as "
	       "before; 130 after ^C.\n\n"
	       "Example:\n"
	       "  softlbr pgo --build='make -j2' --run='./app typical-work' --test-run='./app other-work'",
	.usage_status = SOFTLBR_E_USAGE,
	OPTION_COMMAND_AT(struct pgo_command, command),
};

/* ---- what is shown -------------------------------------------------------------------------- */

static void clear_line(void)
{
	if (isatty(STDERR_FILENO))
		fputs("\r\033[K", stderr);
}

static void pgo_say(void *command, const char *line)
{
	(void)command;
	clear_line();
	puts(line);
	fflush(stdout);
}

/* By what is done so far, when the last of it was; less what the next has taken. */
static double seconds_left(const struct pgo_command *c)
{
	double each = (c->advanced - c->begun) / (double)c->done;
	double left = each * (double)(c->total - c->done) - (child_now() - c->advanced);

	return left > 1 ? left : 1;
}

static void advance(struct pgo_command *c, size_t done)
{
	if (done != c->done)
		c->advanced = child_now();
	c->done = done;
}

/* What runs, for how long, and how long what is left will take. */
static void show_line(struct pgo_command *c)
{
	size_t built = project_built(c->project);

	if (built)
		advance(c, built);
	if (c->done && c->done < c->total)
		fprintf(stderr, "%s: %zu of %zu, about %.0f s left", c->what, c->done, c->total,
			seconds_left(c));
	else if (built)
		fprintf(stderr, "%s: %zu objects, %.0f s", c->what, built, child_now() - c->begun);
	else
		fprintf(stderr, "%s: %.0f s", c->what, child_now() - c->begun);
}

static void pgo_tick(void *command)
{
	struct pgo_command *c = command;

	if (!*c->what)
		return;
	if (isatty(STDERR_FILENO)) {
		clear_line();
		fputs("  ", stderr);
		show_line(c);
	} else if (child_now() - c->told >= TELL_SECONDS) {
		c->told = child_now();
		fputs("softlbr pgo: still ", stderr);
		show_line(c);
		fputc('\n', stderr);
	}
	fflush(stderr);
}

static void pgo_show(void *command, const char *what, size_t done, size_t total)
{
	struct pgo_command *c = command;

	if (!done && what)
		c->begun = c->told = child_now();
	snprintf(c->what, sizeof(c->what), "%s", what ? what : "");
	advance(c, done);
	c->total = total;
	clear_line();
	if (isatty(STDERR_FILENO))
		pgo_tick(c);
}

/* Where the shell, and make, would take a path apart. */
static const char *quote(const char *path)
{
	return strpbrk(path, " \t") ? "'" : "";
}

#define WORD(flag)  " " flag
#define GCC_WORDS   PROJECT_FLAGS_GCC(WORD)
#define CLANG_WORDS PROJECT_FLAGS_CLANG(WORD)
#define DEBUG_WORDS PROJECT_FLAGS_CLANG_DEBUG(WORD)

/* Is there such a file where it was built? */
static bool has(const struct project *p, const char *name)
{
	char *path = memory_format("%s/%s", project_root(p), name);
	bool is = path && !access(path, F_OK);

	memory_free(path);
	return is;
}

/* How the project's build is given flags. */
static const char *where_flags_go(const struct project *p)
{
	if (has(p, "CMakeCache.txt"))
		return "cmake -DCMAKE_C_FLAGS=... -DCMAKE_CXX_FLAGS=..., of the same CMAKE_BUILD_TYPE";
	if (has(p, "build.ninja"))
		return "meson setup -Dc_args=... -Dcpp_args=..., of the same --buildtype";
	if (has(p, "config.status"))
		return "./configure CFLAGS=... CXXFLAGS=...";
	return "make CFLAGS=... CXXFLAGS=...";
}

/* For the project's own build files. */
static void print_flags(const struct project *p)
{
	const char *q = quote(p->state), *r = quote(project_root(p));

	if (p->gcc)
		printf("gcc:   CFLAGS and CXXFLAGS as they are now, and -no-integrated-cpp "
		       "%s-fprofile-use=%s/" PROJECT_COUNTERS
		       "%s %s-fprofile-prefix-path=%s%s" GCC_WORDS "\n",
		       q, p->state, q, r, project_root(p), r);
	if (p->clang)
		printf("clang: CFLAGS and CXXFLAGS as they are now, and" DEBUG_WORDS
		       " %s-fprofile-sample-use=%s/" PROJECT_SAMPLES "%s" CLANG_WORDS "\n",
		       q, p->state, q);
	printf("       (%s)\n", where_flags_go(p));
	if (p->gcc)
		printf("       Counters are found by the objects' paths below "
		       "-fprofile-prefix-path: give it another build directory where it is "
		       "another%s; with -Wmissing-profile gcc names what has none.\n",
		       has(p, "CMakeCache.txt")
			       ? ", and leave the sources where they are, as CMake gives gcc "
				 "their whole paths"
			       : "");
}

/* ---- the command ---------------------------------------------------------------------------- */

static int check_directory(const char *directory, struct softlbr_error *e)
{
	if (!access(directory, W_OK))
		return 0;
	return error_set_errno(
		e, directory,
		"cannot write to %s: sources that are read-only are copied first, and "
		"built there",
		directory);
}

/* Two at a time would build over each other. To be closed. */
static int lock_state(const struct project *p, struct softlbr_error *e)
{
	char *path = project_path(p, e, "lock");
	int fd = path ? open(path, O_WRONLY | O_CREAT | O_CLOEXEC, 0666) : -1;

	if (path && fd < 0)
		error_set_errno(e, path, "cannot write %s", path);
	if (fd >= 0 && flock(fd, LOCK_EX | LOCK_NB)) {
		error_set(e, SOFTLBR_E_USAGE, p->state, "another softlbr pgo is at work in %s",
			  p->state);
		close(fd);
		fd = -1;
	}
	memory_free(path);
	return fd;
}

static int pgo_go(struct pgo_command *c, struct project *p, struct softlbr_error *e)
{
	int lock, rc = check_directory(p->directory, e) ?: project_open(p, e);

	if (rc)
		return rc;
	lock = lock_state(p, e);
	if (lock < 0)
		return -SOFTLBR_E_SYSTEM;
	rc = project_ask(p, &c->asked, e);
	if (c->fresh) {
		project_forget(p, PROJECT_BUILD);
		p->cleaned = false;
	}
	if (!rc && !p->builds.count)
		rc = error_set(e, SOFTLBR_E_USAGE, NULL,
			       "give --build the command that builds the program");
	if (!rc)
		rc = workflow_go(p, (enum project_step)c->last, e);
	close(lock);
	return rc;
}

static int pgo_end(const struct pgo_command *c, const struct project *p,
		   const struct softlbr_error *e)
{
	if (child_interrupted()) {
		fprintf(stderr,
			"softlbr pgo: interrupted; %s`softlbr pgo%s%s%s%s` goes on from here\n",
			p->done[PROJECT_REBUILD]
				? "the build with the profile is in place, and not "
				  "measured; "
			: p->done[PROJECT_BUILD] ? "the build without a profile is in place; "
						 : "",
			c->directory ? " -C " : "", c->directory ? c->directory : "",
			c->state ? " --state=" : "", c->state ? c->state : "");
		return 128 + child_interrupted();
	}
	if (e->code) {
		terminal_print_error("pgo", e);
		return e->code;
	}
	if (p->done[PROJECT_MEASURE] && !strcmp(p->kept, TRIAL_BEFORE))
		return SOFTLBR_E_THRESHOLD;
	if (p->done[PROJECT_MEASURE])
		print_flags(p);
	return 0;
}

int cli_pgo(int argc, char **argv)
{
	struct pgo_command c = {.last = PROJECT_MEASURE};
	struct softlbr_error e = {0};
	struct project p = {.listener = {pgo_say, pgo_show, &c}};
	char self[PATH_MAX], *directory, *state = NULL;
	ssize_t length = readlink("/proc/self/exe", self, sizeof(self) - 1);
	int status;

	c.project = &p;
	options_parse(&cli_pgo_options, argc, argv, &c);
	if (c.compile)
		return build_plan_compile(c.compile, c.command);
	self[length > 0 ? length : 0] = 0;
	child_keep_signals();
	child_tick(pgo_tick, &c);
	directory = realpath(c.directory ? c.directory : ".", NULL);
	if (!directory)
		error_set_errno(&e, c.directory, "cannot find the directory %s",
				c.directory ? c.directory : ".");
	else
		state = c.state && *c.state == '/'
				? memory_copy_string(c.state)
				: memory_format("%s/%s", directory,
						c.state ? c.state : STATE_DEFAULT);
	p.softlbr = self;
	p.directory = directory;
	p.state = state;
	if (directory && !state)
		error_set_nomem(&e);
	if (state)
		pgo_go(&c, &p, &e);
	status = pgo_end(&c, &p, &e);
	project_deinit(&p);
	project_deinit(&c.asked);
	free(directory);
	memory_free(state);
	return status;
}
