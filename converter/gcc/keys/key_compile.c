/* SPDX-License-Identifier: MIT */
/*
 * The compile beside the user's that gives the keys of its objects: the same sources, options and
 * output names, but nothing is written except what gcc says of its control-flow graphs. What cc1 is
 * run with comes from `gcc -###`; gcc preprocesses first (-no-integrated-cpp), which changes the
 * graphs: it has to be in the build that uses the counters, too.
 */
#include "converter/gcc/keys/key_build.h"

#include <fcntl.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>
#include <sys/stat.h>
#include <sys/wait.h>
#include <unistd.h>

#include "base/error.h"
#include "base/file.h"
#include "base/file_output.h"
#include "base/memory.h"
#include "converter/gcc/files/gcc_graph.h"
#include "converter/gcc/files/key_directory.h"
#include "converter/gcc/keys/gcc_commands.h"

#define KEY_COMPILE_LOG ".log" /* why an object has no keys */

/*
 * Under which name gcc looks for an object's .gcda file below the directory of -fprofile-use=DIR
 * (gcc/coverage.cc: coverage_init; tried with gcc 11 and 12). Keys have these names, so that the
 * .gcda files that are made of them do, too:
 *
 *	compiled in /home/me/app/src to main.o		src#main
 *	in /home/me/app to ../lib/x.o			^#lib#x
 *	in /home/me/app/src to /tmp/main.o		tmp/main
 *
 * where /home/me/app is what -fprofile-prefix-path takes away.
 */

/* "a/../b" is "a#^#b". */
static void mangle(char *path)
{
	char *to = path;

	while (*path) {
		size_t length = strcspn(path, "/");
		bool up = length == 2 && path[0] == '.' && path[1] == '.';

		if (up)
			*to++ = '^';
		else
			memmove(to, path, length), to += length;
		path += length;
		if (*path) {
			*to++ = '#';
			path++;
		}
	}
	*to = 0;
}

/* The path without @root, by its letters alone. */
static const char *below(const char *path, const char *root)
{
	size_t length = strlen(root);

	if (!strncmp(path, root, length))
		for (path += length; *path == '/'; path++)
			;
	return path;
}

/* For an output that gcc calls @output, as its -dumpdir and -dumpbase have it, in the directory
 * @directory. To be freed with memory_free; NULL without memory. */
static char *key_name(const char *directory, const char *output, const char *root)
{
	size_t bytes = strlen(directory) + strlen(output) + 2;
	char *whole, *name;

	if (*output == '/') {
		while (*output == '/')
			output++;
		return memory_copy_string(output);
	}
	whole = memory_alloc(bytes);
	if (!whole)
		return NULL;
	snprintf(whole, bytes, "%s/%s", directory, output);
	name = memory_copy_string(below(whole, root));
	memory_free(whole);
	if (name)
		mangle(name);
	return name;
}

/* The key name of the output that these words of a command of cc1's make; NULL without memory. */
static char *key_name_output(const char *dumpdir, const char *dumpbase, const char *extension)
{
	size_t length = strlen(dumpbase), cut = extension ? strlen(extension) : 0;
	size_t bytes = length + (dumpdir ? strlen(dumpdir) : 0) + 1;
	char *name = memory_alloc(bytes);

	if (cut >= length || (cut && strcmp(dumpbase + length - cut, extension)))
		cut = 0;
	if (name)
		snprintf(name, bytes, "%s%.*s", dumpdir && !strchr(dumpbase, '/') ? dumpdir : "",
			 (int)(length - cut), dumpbase);
	return name;
}

/* The current directory as gcc has it: as the shell calls it, if it does. NULL with errno. */
static char *key_name_directory(void)
{
	const char *called = getenv("PWD");
	struct stat a, b;
	char *real, *copy;

	if (called && *called == '/' && !stat(called, &a) && !stat(".", &b) &&
	    a.st_ino == b.st_ino && a.st_dev == b.st_dev)
		return memory_copy_string(called);
	real = getcwd(NULL, 0);
	copy = real ? memory_copy_string(real) : NULL;
	free(real);
	return copy;
}

/* What the driver is asked about, besides the user's words. One way to update counters is named,
 * since gcc 11 and 12 run two of their own options together for -pthread otherwise. */
static const char *const driver_words[] = {"-###",
					   "-no-integrated-cpp",
					   "-fprofile-generate",
					   "-fprofile-update=single",
					   "-ftest-coverage",
					   "-g"};

/* Options of cc1 that write files of the user's build, and how many words each has. */
static const struct {
	const char *option;
	size_t words;
} others_files[] = {
	{"-MD", 2},
	{"-MMD", 2},
	{"-MF", 2},
	{"-MT", 2},
	{"-MQ", 2},
	{"-MP", 1},
	{"-MG", 1},
	{"-o", 2},
	{"-fstack-usage", 1},
	/* of a precompiled header that other options made */
	{"-fpch-preprocess", 1},
	/* of a profile that is there already */
	{"-fprofile-use", 1},
};
static const char *const others_begin[] = {"-fdump-",
					   "-fcallgraph-info",
					   "-fopt-info",
					   "-fprofile-use=",
					   "-fauto-profile",
					   "-fprofile-note=",
					   "-fsave-optimization-record"};

/* Objects of programs that only configure a build. */
static const char *const trials[] = {"/conftest",      "/a-conftest", "/CMakeTmp/",
				     "/CMakeScratch/", "/CompilerId", "/meson-private/",
				     "/_CMakeLTOTest-"};

static bool compile_begins(const char *text, const char *with)
{
	return !strncmp(text, with, strlen(with));
}

/* How many words at @word belong to what is not the keys' business; 0: it stays. */
static size_t dropped(const char *word)
{
	for (size_t i = 0; i < sizeof(others_files) / sizeof(others_files[0]); i++)
		if (!strcmp(word, others_files[i].option))
			return others_files[i].words;
	for (size_t i = 0; i < sizeof(others_begin) / sizeof(others_begin[0]); i++)
		if (compile_begins(word, others_begin[i]))
			return 1;
	return 0;
}

static int copy_words(struct gcc_command *to, const struct gcc_command *from, const char *input,
		      const char *instead)
{
	int rc = 0;

	for (size_t i = 0; !rc && i < from->words.count; i++) {
		const char *word = from->words.items[i];
		size_t n = i ? dropped(word) : 0;

		if (n)
			i += n - 1;
		else
			rc = gcc_command_add(to, input && !strcmp(word, input) ? instead : word);
	}
	return rc;
}

static int add_format(struct gcc_command *c, const char *format, const char *a, const char *b)
{
	size_t bytes = strlen(format) + strlen(a) + strlen(b) + 1;
	char *word = memory_alloc(bytes);
	int rc = -1;

	if (word) {
		snprintf(word, bytes, format, a, b);
		rc = gcc_command_add(c, word);
	}
	memory_free(word);
	return rc;
}

/* ---- one object --------------------------------------------------------------------------- */

struct object {
	const struct key_compile *k;
	const struct gcc_command *preprocess; /* NULL: the source is preprocessed */
	const struct gcc_command *compile;
	char *name;
	char text[32], dump[32]; /* the preprocessed source and the dump, in memory, as paths */
};

/* The path of one of its files, for the caller to free. */
static char *path_of(const struct object *o, const char *suffix)
{
	size_t bytes = strlen(o->k->directory) + strlen(o->name) + strlen(suffix) + 2;
	char *path = memory_alloc(bytes);

	if (path)
		snprintf(path, bytes, "%s/%s%s", o->k->directory, o->name, suffix);
	return path;
}

static void remove_file(const struct object *o, const char *suffix)
{
	char *path = path_of(o, suffix);

	if (path)
		unlink(path);
	memory_free(path);
}

/* The directories above @path, which names with a slash have. */
static void make_directories(char *path, size_t above)
{
	for (char *slash = path + above; (slash = strchr(slash, '/')); *slash++ = '/') {
		*slash = 0;
		mkdir(path, 0777);
	}
}

static int make_preprocess(const struct object *o, struct gcc_command *c)
{
	return copy_words(c, o->preprocess, NULL, NULL) || gcc_command_add(c, "-w") ||
	       gcc_command_add(c, "-o") || gcc_command_add(c, o->text);
}

static int make_compile(const struct object *o, struct gcc_command *c)
{
	const char *input = o->preprocess ? gcc_command_value(o->compile, "-fpreprocessed") : NULL;

	return copy_words(c, o->compile, input, o->text) || gcc_command_add(c, "-w") ||
	       add_format(c, "-fprofile-note=%s/%s.gcno", o->k->directory, o->name) ||
	       add_format(c, "-fdump-ipa-profile-blocks-lineno-details-asmname=%s%s", o->dump,
			  "") ||
	       gcc_command_add(c, "-o") || gcc_command_add(c, "/dev/null");
}

/* Keep the lines of the dump that are read: the whole is several times as large. */
static int shorten_dump(const struct object *o, const char *whole)
{
	struct softlbr_error e = {0};
	char *path = path_of(o, KEY_DIRECTORY_DUMP);
	struct file_output out;
	struct file_view v;
	int rc = path ? file_view_open(&v, whole, &e) : -1;

	if (!rc) {
		rc = file_output_open(&out, path, &e);
		if (!rc) {
			gcc_dump_short_write(v.data, v.size, out.stream);
			rc = file_output_commit(&out, &e);
		}
		file_view_close(&v);
	}
	memory_free(path);
	return rc ? -1 : 0;
}

/* 0, or the first command's status that is none, or -1. */
static int run_both(struct object *o, int log)
{
	struct gcc_command preprocess = {0}, compile = {0};
	int nothing = open("/dev/null", O_RDWR | O_CLOEXEC);
	int text = memfd_create("preprocessed", 0); /* the commands open them by their numbers */
	int dump = memfd_create("dump", 0);
	int rc = text < 0 || dump < 0 || nothing < 0 ? -1 : 0;

	snprintf(o->text, sizeof(o->text), "/proc/self/fd/%d", text);
	snprintf(o->dump, sizeof(o->dump), "/proc/self/fd/%d", dump);
	if (!rc)
		rc = (o->preprocess && make_preprocess(o, &preprocess)) || make_compile(o, &compile)
			     ? -1
			     : 0;
	if (!rc && o->preprocess)
		rc = gcc_command_execute(preprocess.words.items, nothing, nothing, log);
	if (!rc)
		rc = gcc_command_execute(compile.words.items, nothing, log, log);
	if (!rc)
		rc = shorten_dump(o, o->dump);
	gcc_command_deinit(&preprocess);
	gcc_command_deinit(&compile);
	for (int *fd = (int[]){text, dump, nothing, -1}; *fd >= 0; fd++)
		close(*fd);
	return rc;
}

/* cc1 writes a .gcno file also for a source without a function. */
static int compile_object(struct object *o, struct softlbr_error *e)
{
	char *log_path = path_of(o, KEY_COMPILE_LOG);
	int log, rc;

	if (!log_path)
		return error_set_nomem(e);
	make_directories(log_path, strlen(o->k->directory) + 1);
	log = open(log_path, O_WRONLY | O_CREAT | O_TRUNC | O_CLOEXEC | O_APPEND, 0666);
	if (log < 0) {
		rc = error_set_errno(e, log_path, "cannot write %s", log_path);
		memory_free(log_path);
		return rc;
	}
	rc = run_both(o, log);
	close(log);
	if (rc) {
		remove_file(o, ".gcno");
		remove_file(o, KEY_DIRECTORY_DUMP);
	} else {
		unlink(log_path);
	}
	memory_free(log_path);
	if (o->k->tell)
		o->k->tell(o->k->context, o->name, rc != 0);
	return 0;
}

/* ---- what a command line compiles --------------------------------------------------------- */

bool key_compile_is_trial(const char *path)
{
	for (size_t i = 0; i < sizeof(trials) / sizeof(trials[0]); i++)
		if (strstr(path, trials[i]))
			return true;
	return false;
}

static bool is_trial(const char *directory, const char *output)
{
	char path[4096];

	return snprintf(path, sizeof(path), "%s/%s", directory, output) < (int)sizeof(path) &&
	       key_compile_is_trial(path);
}

static bool is_cc1(const struct gcc_command *c)
{
	return gcc_command_runs(c, "cc1") || gcc_command_runs(c, "cc1plus");
}

/* A source on standard input has been read by the real compile. */
static bool reads_input(const struct gcc_command *c)
{
	for (size_t i = 1; i < c->words.count; i++)
		if (!strcmp(c->words.items[i], "-") && strcmp(c->words.items[i - 1], "-o"))
			return true;
	return false;
}

static bool is_preprocess(const struct gcc_command *c)
{
	return is_cc1(c) && gcc_command_has(c, "-E") && !reads_input(c);
}

/* The driver has the compiler proper print its help or version by a source of this name. */
static bool asks_for_help(const struct gcc_command *c)
{
	return gcc_command_has(c, "help-dummy");
}

/* A header that is compiled before others need it has no code. */
static bool makes_header(const struct gcc_command *c)
{
	for (size_t i = 1; i < c->words.count; i++)
		if (compile_begins(c->words.items[i], "--output-pch"))
			return true;
	return false;
}

static bool is_compile(const struct gcc_command *c)
{
	return is_cc1(c) && gcc_command_has(c, "-fpreprocessed") &&
	       !gcc_command_has(c, "-fsyntax-only") && !asks_for_help(c) &&
	       gcc_command_value(c, "-dumpbase") && !makes_header(c);
}

static int one_object(struct object *o, const char *directory, struct softlbr_error *e)
{
	char *output = key_name_output(gcc_command_value(o->compile, "-dumpdir"),
				       gcc_command_value(o->compile, "-dumpbase"),
				       gcc_command_value(o->compile, "-dumpbase-ext"));
	int rc = 0;

	if (!output)
		return error_set_nomem(e);
	if (!is_trial(directory, output)) {
		o->name = key_name(directory, output, o->k->root);
		rc = o->name ? compile_object(o, e) : error_set_nomem(e);
		memory_free(o->name);
	}
	memory_free(output);
	return rc;
}

static int all_objects(const struct key_compile *k, const struct gcc_commands *c,
		       struct softlbr_error *e)
{
	char *directory = key_name_directory();
	int rc = directory ? 0 : error_set_errno(e, ".", "cannot name the current directory");

	for (size_t i = 0; !rc && i < c->items.count; i++) {
		struct object o = {.k = k, .compile = &c->items.items[i]};
		const char *input = gcc_command_value(o.compile, "-fpreprocessed");

		if (!is_compile(o.compile) || !input)
			continue;
		if (i && is_preprocess(&c->items.items[i - 1]))
			o.preprocess = &c->items.items[i - 1];
		else if (!strcmp(input, "-") || access(input, R_OK))
			continue;
		rc = one_object(&o, directory, e);
	}
	memory_free(directory);
	return rc;
}

/* Response files are read here, or the driver would write one of its own for cc1, which is gone
 * with it. Ours come last: the user's first word is gcc if the compiler is a cache that runs it. */
static int compile_ask(const struct key_compile *k, char *const *words, struct gcc_commands *c,
		       struct softlbr_error *e)
{
	struct gcc_command driver = {0};
	int rc = gcc_command_add(&driver, k->compiler), status;
	char *said = NULL;

	for (; !rc && *words; words++)
		rc = gcc_command_add_expanded(&driver, *words);
	for (size_t i = 0; !rc && i < sizeof(driver_words) / sizeof(driver_words[0]); i++)
		rc = gcc_command_add(&driver, driver_words[i]);
	if (!rc) {
		said = gcc_command_errors(driver.words.items, &status);
		rc = said ? gcc_commands_parse(c, said) : -1;
	}
	memory_free(said);
	gcc_command_deinit(&driver);
	return rc ? error_set_nomem(e) : 0;
}

int key_compile(const struct key_compile *k, char *const *words, struct softlbr_error *e)
{
	struct gcc_commands c = {0};
	int rc = compile_ask(k, words, &c, e) ?: all_objects(k, &c, e);

	gcc_commands_deinit(&c);
	return rc;
}
