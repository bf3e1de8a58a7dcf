/* SPDX-License-Identifier: MIT */
#include "pgo/build_plan.h"

#include <fcntl.h>
#include <limits.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

#include "base/error.h"
#include "base/file.h"
#include "base/file_output.h"
#include "base/memory.h"
#include "converter/gcc/keys/gcc_commands.h"
#include "converter/gcc/keys/key_build.h"

static void print_flags(FILE *out, const char *kind, const char *const *flags)
{
	for (; flags && *flags; flags++)
		fprintf(out, "%s %s\n", kind, *flags);
}

int build_plan_write(const struct build_plan *p, const char *state, struct softlbr_error *e)
{
	char *path = memory_format("%s/" BUILD_PLAN, state);
	struct file_output out;
	int rc = path ? file_output_open(&out, path, e) : error_set_nomem(e);

	if (!rc) {
		if (p->root)
			fprintf(out.stream, "keys %s\n", p->root);
		print_flags(out.stream, "gcc", p->gcc);
		print_flags(out.stream, "clang", p->clang);
		print_flags(out.stream, "link", p->link);
		rc = file_output_commit(&out, e);
	}
	memory_free(path);
	return rc;
}

/* ---- a command line of a compiler ----------------------------------------------------------- */

struct compile_line {
	const char *state;
	char *const *command;	     /* as it was given */
	struct gcc_command expanded; /* response files are read */
	bool clang, compiles, links, optimizes, lto;
	const char *output; /* of -o; NULL */
	char *root;	    /* of the keys to make; NULL: none */
	int journal;
};

static bool is_source(const char *word)
{
	static const char *const suffixes[] = {".c", ".i",   ".cc", ".cpp", ".cxx", ".c++",
					       ".C", ".CPP", ".cp", ".ii",  ".m",   ".mm"};
	const char *dot = strrchr(word, '.');

	for (size_t i = 0; dot && i < sizeof(suffixes) / sizeof(suffixes[0]); i++)
		if (!strcmp(dot, suffixes[i]))
			return true;
	return false;
}

/* Options whose argument is the next word: it is no source. */
static bool takes_word(const char *word)
{
	static const char *const options[] = {
		"-o",	  "-I",		 "-include", "-isystem",   "-MF",      "-MT",
		"-MQ",	  "-x",		 "-D",	     "-U",	   "-Xlinker", "-iquote",
		"-T",	  "-L",		 "-l",	     "-idirafter", "-imacros", "-Xclang",
		"-mllvm", "-Xassembler", "-u",	     "--param",	   "-target",  "-arch"};

	for (size_t i = 0; i < sizeof(options) / sizeof(options[0]); i++)
		if (!strcmp(word, options[i]))
			return true;
	return false;
}

static bool line_begins(const char *word, const char *with)
{
	return !strncmp(word, with, strlen(with));
}

static void read_word(struct compile_line *l, const char *word, bool *stops)
{
	static const char *const no_link[] = {"-c", "-S", "-r", NULL};
	static const char *const no_object[] = {
		"-E",		"-M",	"-MM", "-fsyntax-only", "--version",	    "-dumpversion",
		"-dumpmachine", "-###", "-v",  "--help",	"-print-file-name", NULL};

	for (const char *const *o = no_link; *o; o++)
		if (!strcmp(word, *o))
			l->links = false;
	for (const char *const *o = no_object; *o; o++)
		if (!strcmp(word, *o))
			*stops = true;
	if (line_begins(word, "-print-"))
		*stops = true;
	if (line_begins(word, "-O") && strcmp(word, "-O0"))
		l->optimizes = true;
	if (line_begins(word, "-flto"))
		l->lto = true;
	if (word[0] != '-' && is_source(word))
		l->compiles = true;
}

static void read_line(struct compile_line *l)
{
	char real[PATH_MAX];
	const char *name = realpath(l->command[0], real) ? file_base_name(real) : l->command[0];
	bool stops = false, inputs = false;

	l->clang = strstr(name, "clang") != NULL;
	l->links = true;
	for (size_t i = 0; i < l->expanded.words.count; i++) {
		const char *word = l->expanded.words.items[i];

		read_word(l, word, &stops);
		inputs |= word[0] != '-';
		if (!takes_word(word) || !l->expanded.words.items[i + 1])
			continue;
		i++;
		if (!strcmp(word, "-o"))
			l->output = l->expanded.words.items[i];
	}
	if (stops)
		l->compiles = l->links = false;
	l->links = l->links && inputs;
}

/* ---- what is told --------------------------------------------------------------------------- */

/* Lines of concurrent compiles do not mix: each is one write to the file's end. */
static void plan_note(const struct compile_line *l, const char *kind, const char *what)
{
	char *line = memory_format("%s %s\n", kind, what);
	ssize_t written = line ? write(l->journal, line, strlen(line)) : 0;

	(void)written;
	memory_free(line);
}

static void note_path(const struct compile_line *l, const char *kind, const char *path)
{
	char whole[PATH_MAX];
	struct stat s;

	if (realpath(path, whole) && !strchr(whole, '\n') && !stat(whole, &s) &&
	    S_ISREG(s.st_mode) && !key_compile_is_trial(whole))
		plan_note(l, kind, whole);
}

static void note_object(const struct compile_line *l, const char *object)
{
	note_path(l, "object", object);
	note_path(l, l->clang ? "clang" : "gcc", object);
}

/* `cc -c a.c` makes a.o here. */
static void note_default_objects(const struct compile_line *l)
{
	for (size_t i = 0; i < l->expanded.words.count; i++) {
		const char *word = l->expanded.words.items[i];
		const char *name = file_base_name(word), *dot = strrchr(name, '.');
		char *object;

		if (word[0] == '-' || !is_source(word) || !dot)
			continue;
		object = memory_format("%.*s.o", (int)(dot - name), name);
		if (object)
			note_object(l, object);
		memory_free(object);
	}
}

static void note_outputs(const struct compile_line *l)
{
	const char *program = l->output ? l->output : "a.out";

	if (l->links && l->compiles)
		note_path(l, l->clang ? "clang" : "gcc", program);
	if (l->links)
		note_path(l, "program", program);
	else if (l->compiles && l->output)
		note_object(l, l->output);
	else if (l->compiles)
		note_default_objects(l);
	if (l->compiles && !l->optimizes && l->output)
		note_path(l, "plain", l->output);
}

static void tell_key(void *line, const char *name, int failed)
{
	if (failed)
		plan_note(line, "unkeyed", name);
}

static void plan_make_keys(struct compile_line *l)
{
	struct softlbr_error e = {0};
	char *keys = memory_format("%s/" BUILD_PLAN_KEYS, l->state);
	struct key_compile k = {.compiler = l->command[0],
				.directory = keys,
				.root = l->root,
				.tell = tell_key,
				.context = l};

	/* the build goes on without keys, as it would without us; what was not made is missing */
	if (!keys || key_compile(&k, l->command + 1, &e))
		plan_note(l, "unkeyed", l->output ? l->output : l->command[0]);
	memory_free(keys);
}

/* ---- the wrapper ---------------------------------------------------------------------------- */

static bool is_wanted(const struct compile_line *l, const char *line, const char **flag)
{
	static const struct {
		const char *kind;
		bool clang, link;
	} kinds[] = {{"gcc ", false, false}, {"clang ", true, false}, {"link ", false, true}};

	for (size_t i = 0; i < sizeof(kinds) / sizeof(kinds[0]); i++) {
		if (!line_begins(line, kinds[i].kind))
			continue;
		*flag = line + strlen(kinds[i].kind);
		if (kinds[i].link)
			return l->links;
		/* clang's link-time optimization reads the profile again */
		return l->clang == kinds[i].clang &&
		       (l->compiles || (l->clang && l->links && l->lto));
	}
	return false;
}

/* What the plan has for this line. */
static int read_plan(struct compile_line *l, struct gcc_command *to)
{
	char *path = memory_format("%s/" BUILD_PLAN, l->state), *line = NULL;
	FILE *plan = path ? fopen(path, "re") : NULL;
	const char *flag;
	size_t room = 0;
	ssize_t length;
	int rc = 0;

	while (plan && !rc && (length = getline(&line, &room, plan)) > 0) {
		if (line[length - 1] == '\n')
			line[length - 1] = 0;
		if (line_begins(line, "keys ") && !(l->root = memory_copy_string(line + 5)))
			rc = -1;
		else if (is_wanted(l, line, &flag))
			rc = gcc_command_add(to, flag);
	}
	free(line);
	if (plan)
		fclose(plan);
	memory_free(path);
	return rc;
}

int build_plan_compile(const char *state, char *const *command)
{
	char *journal = memory_format("%s/" BUILD_PLAN_JOURNAL, state);
	struct compile_line l = {.state = state, .command = command, .journal = -1};
	struct gcc_command c = {0};
	int status = -1, rc = journal ? gcc_command_add(&c, command[0]) : -1;

	for (char *const *word = command + 1; !rc && *word; word++)
		rc = gcc_command_add_expanded(&l.expanded, *word);
	if (!rc) {
		read_line(&l);
		rc = read_plan(&l, &c);
	}
	for (char *const *word = command + 1; !rc && *word; word++)
		rc = gcc_command_add(&c, *word);
	if (!rc)
		status = gcc_command_execute(c.words.items, -1, -1, -1);
	if (!status && (l.compiles || l.links)) {
		l.journal = open(journal, O_WRONLY | O_APPEND | O_CREAT | O_CLOEXEC, 0666);
		note_outputs(&l);
		if (l.root && l.compiles && !l.clang)
			plan_make_keys(&l);
		if (l.journal >= 0)
			close(l.journal);
	}
	gcc_command_deinit(&l.expanded);
	gcc_command_deinit(&c);
	memory_free(l.root);
	memory_free(journal);
	return gcc_command_end_as(status);
}
