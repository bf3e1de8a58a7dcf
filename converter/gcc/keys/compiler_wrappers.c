/* SPDX-License-Identifier: MIT */
#include "converter/gcc/keys/compiler_wrappers.h"

#include <dirent.h>
#include <errno.h>
#include <limits.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

#include "base/error.h"
#include "base/file.h"
#include "base/memory.h"

/* Programs that run a compiler of their own choice: what they find in PATH is a wrapper. */
static const char *const caches[] = {"ccache", "sccache", "distcc", "icecc"};

static bool is_one_of(const char *name, size_t length, const char *const *names, size_t count)
{
	for (size_t i = 0; i < count; i++)
		if (strlen(names[i]) == length && !memcmp(names[i], name, length))
			return true;
	return false;
}

/* "gcc", "x86_64-linux-gnu-g++-12"? What comes behind the last dash may be a version. */
static bool is_compiler(const char *name, bool clang)
{
	static const char *const names[] = {"gcc", "g++", "cc",	   "c++",
					    "c89", "c99", "clang", "clang++"};
	size_t count = sizeof(names) / sizeof(names[0]) - (clang ? 0 : 2);
	size_t length = strlen(name), end = length, begin;

	while (end && (strchr("0123456789.", name[end - 1])))
		end--;
	end = end && end < length && name[end - 1] == '-' ? end - 1 : length;
	for (begin = end; begin && name[begin - 1] != '-'; begin--)
		;
	return is_one_of(name + begin, end - begin, names, count);
}

/* Is @path a program, and not a cache's in the guise of a compiler? */
static bool is_real(const char *path)
{
	char real[PATH_MAX];
	struct stat s;

	if (stat(path, &s) || !S_ISREG(s.st_mode) || access(path, X_OK) || !realpath(path, real))
		return false;
	path = file_base_name(real);
	return !is_one_of(path, strlen(path), caches, sizeof(caches) / sizeof(caches[0]));
}

/* ---- one script --------------------------------------------------------------------------- */

/* A word as sh reads it back. */
static void print_word(FILE *out, const char *word)
{
	fputc('\'', out);
	for (; *word; word++)
		if (*word == '\'')
			fputs("'\\''", out);
		else
			fputc(*word, out);
	fputs("' ", out);
}

static int write_script(const struct compiler_wrappers *w, const char *path, const char *compiler,
			struct softlbr_error *e)
{
	mode_t mask = umask(0);
	FILE *out;
	bool failed;

	umask(mask); /* there is no other way to ask */
	out = fopen(path, "we");
	if (!out)
		return error_set_errno(e, path, "cannot write %s", path);
	fputs("#!/bin/sh\nexec ", out);
	for (const char *const *word = w->words; *word; word++)
		print_word(out, *word);
	print_word(out, compiler);
	fputs("\"$@\"\n", out);
	failed = ferror(out) || fchmod(fileno(out), 0777 & ~mask) != 0;
	if (fclose(out) || failed)
		return error_set_errno(e, path, "cannot write %s", path);
	return 0;
}

static int add_script(const struct compiler_wrappers *w, const char *folder, const char *compiler,
		      char path[PATH_MAX], struct softlbr_error *e)
{
	int n = snprintf(path, PATH_MAX, "%s%s", w->directory, folder);

	if (n < 0 || n >= PATH_MAX)
		return error_set(e, SOFTLBR_E_INPUT, w->directory, "%s: too long a name",
				 w->directory);
	if (mkdir(path, 0777) && errno != EEXIST)
		return error_set_errno(e, path, "cannot make the directory %s", path);
	n = snprintf(path, PATH_MAX, "%s%s/%s", w->directory, folder, file_base_name(compiler));
	if (n < 0 || n >= PATH_MAX)
		return error_set(e, SOFTLBR_E_INPUT, compiler, "%s: too long a name", compiler);
	return write_script(w, path, compiler, e);
}

/* ---- PATH --------------------------------------------------------------------------------- */

/* The first of a name counts, as in the shell. */
static int add_compiler(const struct compiler_wrappers *w, const char *folder, const char *name,
			struct softlbr_error *e)
{
	char compiler[PATH_MAX], path[PATH_MAX];
	int n = snprintf(compiler, sizeof(compiler), "%s/%s", folder, name);

	if (n < 0 || n >= PATH_MAX || !is_real(compiler))
		return 0;
	n = snprintf(path, sizeof(path), "%s/%s", w->directory, name);
	if (n < 0 || n >= PATH_MAX || !access(path, F_OK))
		return 0;
	return add_script(w, "", compiler, path, e);
}

static int add_folder(const struct compiler_wrappers *w, const char *folder,
		      struct softlbr_error *e)
{
	DIR *d = opendir(folder);
	struct dirent *entry;
	int rc = 0;

	while (d && !rc && (entry = readdir(d)))
		if (is_compiler(entry->d_name, w->clang))
			rc = add_compiler(w, folder, entry->d_name, e);
	if (d)
		closedir(d);
	return rc;
}

/* Scripts of an earlier run go first: they may stand for other compilers. */
static void remove_scripts(const char *folder)
{
	char path[PATH_MAX];
	DIR *d = opendir(folder);
	struct dirent *entry;

	while (d && (entry = readdir(d)))
		if (is_compiler(entry->d_name, true) &&
		    snprintf(path, sizeof(path), "%s/%s", folder, entry->d_name) < PATH_MAX)
			unlink(path);
	if (d)
		closedir(d);
}

static int set_path(const struct compiler_wrappers *w, const char *path, struct softlbr_error *e)
{
	char *all, *folders = memory_copy_string(path), *folder, *rest = NULL;
	int rc = 0;

	if (!folders)
		return error_set_nomem(e);
	for (folder = strtok_r(folders, ":", &rest); folder && !rc;
	     folder = strtok_r(NULL, ":", &rest))
		if (*folder == '/' && strcmp(folder, w->directory))
			rc = add_folder(w, folder, e);
	memory_free(folders);
	if (rc)
		return rc;
	all = memory_format("%s:%s", w->directory, path);
	rc = all && !setenv("PATH", all, 1) ? 0 : error_set_nomem(e);
	memory_free(all);
	return rc;
}

/* ---- CC and CXX --------------------------------------------------------------------------- */

/* Does @name stand for the same program in PATH, which @path is before ours came first? */
static bool is_first(const char *name, const char *compiler, const char *path)
{
	char *folders = memory_copy_string(path), *folder, *rest = NULL;
	char one[PATH_MAX], first[PATH_MAX] = "", real[PATH_MAX];

	for (folder = folders ? strtok_r(folders, ":", &rest) : NULL; folder && !*first;
	     folder = strtok_r(NULL, ":", &rest))
		if (snprintf(one, sizeof(one), "%s/%s", folder, name) < PATH_MAX && is_real(one) &&
		    !realpath(one, first))
			*first = 0;
	memory_free(folders);
	return *first && realpath(compiler, real) && !strcmp(first, real);
}

/* What stands for @word in a variable of the environment: a compiler's path becomes a name, or the
 * path of a script of its own, where its name is another one's. */
static int replace(const struct compiler_wrappers *w, const char *folder, const char *path,
		   const char *word, char out[PATH_MAX], struct softlbr_error *e)
{
	const char *name = file_base_name(word);

	snprintf(out, PATH_MAX, "%s", word);
	if (*word != '/' || !is_compiler(name, w->clang) || !is_real(word))
		return 0;
	if (is_first(name, word, path)) {
		snprintf(out, PATH_MAX, "%s", name);
		return 0;
	}
	if (strpbrk(w->directory, " \t"))
		return error_set(
			e, SOFTLBR_E_USAGE, word,
			"%s is another compiler than the %s in PATH, and %s, which has a blank, "
			"cannot stand for it: give --output a directory without one",
			word, name, w->directory);
	return add_script(w, folder, word, out, e);
}

/* Words of @variable that are compilers by their path; names are found in PATH. */
static int set_variable(const struct compiler_wrappers *w, const char *variable, const char *folder,
			const char *path, struct softlbr_error *e)
{
	const char *value = getenv(variable);
	char *words = value ? memory_copy_string(value) : NULL, *word, *rest = NULL, *text = NULL;
	size_t size = 0;
	FILE *out;
	int rc = 0;

	if (!value)
		return 0;
	out = words ? open_memstream(&text, &size) : NULL;
	if (!out) {
		memory_free(words);
		return error_set_nomem(e);
	}
	for (word = strtok_r(words, " ", &rest); word && !rc; word = strtok_r(NULL, " ", &rest)) {
		char instead[PATH_MAX];

		rc = replace(w, folder, path, word, instead, e);
		fprintf(out, "%s%s", ftell(out) ? " " : "", instead);
	}
	if (fclose(out) || (!rc && setenv(variable, text, 1)))
		rc = error_set_nomem(e);
	free(text);
	memory_free(words);
	return rc;
}

int compiler_wrappers_install(const struct compiler_wrappers *w, struct softlbr_error *e)
{
	const char *given = getenv("PATH");
	char *path = memory_copy_string(given && *given ? given : "/usr/local/bin:/usr/bin:/bin");
	int rc = path ? 0 : error_set_nomem(e);

	if (!rc && mkdir(w->directory, 0777) && errno != EEXIST)
		rc = error_set_errno(e, w->directory, "cannot make the directory %s", w->directory);
	if (!rc) {
		remove_scripts(w->directory);
		rc = set_path(w, path, e);
	}
	if (!rc)
		rc = set_variable(w, "CC", "/CC", path, e);
	if (!rc)
		rc = set_variable(w, "CXX", "/CXX", path, e);
	if (!rc && (setenv("CCACHE_DISABLE", "1", 1) || setenv("DISTCC_HOSTS", "localhost", 1)))
		rc = error_set_nomem(e);
	memory_free(path);
	return rc;
}
