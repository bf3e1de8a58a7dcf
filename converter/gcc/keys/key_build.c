/* SPDX-License-Identifier: MIT */
#include "converter/gcc/keys/key_build.h"

#include <errno.h>
#include <fcntl.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

#include "base/error.h"
#include "base/file.h"
#include "base/file_output.h"
#include "base/memory.h"
#include "base/strings.h"
#include "converter/gcc/files/key_directory.h"
#include "converter/gcc/keys/compiler_wrappers.h"
#include "converter/gcc/keys/gcc_commands.h"

/* Besides cc1's own flags, the user's compile has these, if the program is to be recorded. */
#define KEY_BUILD_RECORDABLE "-g", "-no-integrated-cpp"

/* In the keys' directory. */
#define WRAPPERS ".compilers"
/* For each compile a line "+NAME" or, if it failed, "-NAME"; "!TEXT" if it could not be tried. */
#define JOURNAL ".journal"

static int write_note(const struct key_build *b, struct softlbr_error *e)
{
	char *path = memory_format("%s/" KEY_DIRECTORY_NOTE, b->directory);
	struct file_output out;
	int rc = path ? file_output_open(&out, path, e) : error_set_nomem(e);

	if (!rc) {
		fprintf(out.stream, "root %s\n", b->root);
		rc = file_output_commit(&out, e);
	}
	memory_free(path);
	return rc;
}

/* ---- a wrapper ---------------------------------------------------------------------------- */

/* Lines of concurrent compiles do not mix: each is one write to the file's end. */
static void build_note(int journal, char kind, const char *what)
{
	char *line = memory_format("%c%s\n", kind, what);
	ssize_t written = line ? write(journal, line, strlen(line)) : 0;

	(void)written;
	memory_free(line);
}

static void build_tell(void *journal, const char *name, int failed)
{
	build_note(*(int *)journal, failed ? '-' : '+', name);
}

int key_build_make_directory(const struct key_build *b, struct softlbr_error *e)
{
	char *path = memory_format("%s/" KEY_DIRECTORY_NOTE, b->directory);
	int rc = path ? 0 : error_set_nomem(e);

	if (!rc && access(path, F_OK))
		rc = file_directory_make(b->directory, 0777, NULL, e) || write_note(b, e) ? -e->code
											  : 0;
	memory_free(path);
	return rc;
}

static int make_keys(const struct key_build *b, char *const *command, struct softlbr_error *e)
{
	char *path = memory_format("%s/" JOURNAL, b->directory);
	int journal = path ? open(path, O_WRONLY | O_APPEND | O_CREAT | O_CLOEXEC, 0666) : -1;
	struct key_compile k = {.compiler = command[0],
				.directory = b->directory,
				.root = b->root,
				.tell = journal < 0 ? NULL : build_tell,
				.context = &journal};
	int rc = key_build_make_directory(b, e) ?: key_compile(&k, command + 1, e);

	if (rc)
		build_note(journal, '!', e->text);
	if (journal >= 0)
		close(journal);
	memory_free(path);
	return rc;
}

int key_build_compile(const struct key_build *b, char *const *command)
{
	static const char *const recordable[] = {KEY_BUILD_RECORDABLE};
	struct gcc_command c = {0};
	struct softlbr_error ignored = {0};
	int rc = gcc_command_add(&c, command[0]), status;

	for (size_t i = 0; b->recordable && !rc && i < sizeof(recordable) / sizeof(recordable[0]);
	     i++)
		rc = gcc_command_add(&c, recordable[i]);
	for (char *const *word = command + 1; !rc && *word; word++)
		rc = gcc_command_add(&c, *word);
	status = rc ? -1 : gcc_command_execute(c.words.items, -1, -1, -1);
	gcc_command_deinit(&c);
	/* the build goes on without keys, as it would without us; what was not made is missing */
	if (!status && b->defer)
		key_build_make_directory(b, &ignored) ?: key_deferred_note(b, command, &ignored);
	else if (!status)
		make_keys(b, command, &ignored);
	return gcc_command_end_as(status);
}

/* ---- the build ---------------------------------------------------------------------------- */

static int install(const struct key_build *b, struct softlbr_error *e)
{
	char *wrappers = memory_format("%s/" WRAPPERS, b->directory);
	char *output = memory_format("--output=%s", b->directory);
	char *root = memory_format("--root=%s", b->root);
	const char *plain[] = {b->program, "gcc-keys", output, root, "--compile", "--", NULL};
	const char *recordable[] = {b->program,	    "gcc-keys",	 output, root,
				    "--recordable", "--compile", "--",	 NULL};
	struct compiler_wrappers w = {.words = b->recordable ? recordable : plain,
				      .directory = wrappers};
	int rc = wrappers && output && root ? compiler_wrappers_install(&w, e) : error_set_nomem(e);

	memory_free(wrappers);
	memory_free(output);
	memory_free(root);
	return rc;
}

static void keep_first(char *first, size_t size, const char *text)
{
	if (!*first)
		snprintf(first, size, "%s", text);
}

/* An object that is compiled twice counts once. */
static int read_journal(FILE *journal, struct key_build_result *r)
{
	struct strings *made = strings_new(), *failed = strings_new();
	char *line = NULL;
	size_t room = 0;
	ssize_t length;
	int rc = made && failed ? 0 : -1;

	while (!rc && (length = getline(&line, &room, journal)) > 1) {
		line[length - 1] = 0;
		if (*line == '!')
			keep_first(r->problem, sizeof(r->problem), line + 1);
		else if (*line == '-')
			keep_first(r->first, sizeof(r->first), line + 1);
		if (*line != '!' &&
		    strings_add_text(*line == '-' ? failed : made, line + 1) == STRINGS_NONE)
			rc = -1;
	}
	if (!rc) { /* but the empty one */
		r->objects = strings_count(made) - 1;
		r->failed = strings_count(failed) - 1;
	}
	free(line);
	strings_free(made);
	strings_free(failed);
	return rc;
}

static int build_count(const struct key_build *b, struct key_build_result *r,
		       struct softlbr_error *e)
{
	char *path = memory_format("%s/" JOURNAL, b->directory);
	FILE *journal = path ? fopen(path, "re") : NULL;
	int rc = path ? 0 : error_set_nomem(e);

	if (journal) {
		rc = read_journal(journal, r) ? error_set_nomem(e) : 0;
		fclose(journal);
		unlink(path);
	}
	memory_free(path);
	return rc;
}

int key_build_run_deferred(const struct key_build *b, struct key_build_result *result,
			   struct softlbr_error *e)
{
	struct key_build_result ignored = {0};

	*result = (struct key_build_result){0};
	return build_count(b, &ignored, e) ?: key_deferred_make(b, make_keys, e) ?: build_count(b, result, e);
}

int key_build_run(const struct key_build *b, char *const *command, struct key_build_result *result,
		  struct softlbr_error *e)
{
	struct key_build_result ignored = {0};
	int rc = file_directory_make(b->directory, 0777, NULL, e);

	*result = (struct key_build_result){0};
	if (!rc)
		rc = write_note(b, e);
	if (!rc)
		rc = install(b, e);
	if (!rc) /* of an earlier run that was killed */
		rc = build_count(b, &ignored, e);
	if (rc)
		return rc;
	result->status = gcc_command_execute(command, -1, -1, -1);
	if (result->status < 0)
		return error_set_errno(e, command[0], "cannot start %s", command[0]);
	return build_count(b, result, e);
}
