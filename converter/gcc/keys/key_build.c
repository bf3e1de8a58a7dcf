/* SPDX-License-Identifier: MIT */
#include "converter/gcc/keys/key_build.h"

#include <stdio.h>
#include <unistd.h>

#include "base/error.h"
#include "base/file.h"
#include "base/file_output.h"
#include "base/memory.h"
#include "converter/gcc/files/key_directory.h"
#include "converter/gcc/keys/compiler_wrappers.h"
#include "converter/gcc/keys/gcc_commands.h"

/* Besides cc1's own flags, the user's compile has these, if the program is to be recorded. */
#define KEY_BUILD_RECORDABLE "-g", "-no-integrated-cpp"

/* In the keys' directory. */
#define WRAPPERS ".compilers"

int key_build_write_note(const struct key_build *b, struct softlbr_error *e)
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

int key_build_make_directory(const struct key_build *b, struct softlbr_error *e)
{
	char *path = memory_format("%s/" KEY_DIRECTORY_NOTE, b->directory);
	int rc = path ? 0 : error_set_nomem(e);

	if (!rc && access(path, F_OK))
		rc = file_directory_make(b->directory, 0777, NULL, e) || key_build_write_note(b, e)
			     ? -e->code
			     : 0;
	memory_free(path);
	return rc;
}

int key_build_compile(const struct key_build *b, char *const *command)
{
	static const char *const recordable[] = {KEY_BUILD_RECORDABLE};
	struct gcc_command c = {0};
	struct softlbr_error problem = {0};
	int rc = gcc_command_add(&c, command[0]), status;

	for (size_t i = 0; b->recordable && !rc && i < sizeof(recordable) / sizeof(recordable[0]);
	     i++)
		rc = gcc_command_add(&c, recordable[i]);
	for (char *const *word = command + 1; !rc && *word; word++)
		rc = gcc_command_add(&c, *word);
	status = rc ? -1 : gcc_command_execute(c.words.items, -1, -1, -1);
	gcc_command_deinit(&c);
	/* the build goes on without keys, as it would without us; what was not made is missing */
	if (!status && (key_build_make_directory(b, &problem) ||
			(b->defer && key_deferred_note(b, command, &problem))))
		key_journal_problem(b, &problem);
	else if (!status && !b->defer)
		key_journal_compile(b, command);
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

int key_build_run_deferred(const struct key_build *b, struct key_build_result *result,
			   struct softlbr_error *e)
{
	*result = (struct key_build_result){0};
	return file_directory_make(b->directory, 0777, NULL, e)
		       ?: key_journal_begin(b, e)
		       ?: key_deferred_make(b, e)
		       ?: key_journal_take(b, result, e);
}

int key_build_run(const struct key_build *b, char *const *command, struct key_build_result *result,
		  struct softlbr_error *e)
{
	struct key_build_result ignored = {0};
	int rc = file_directory_make(b->directory, 0777, NULL, e);

	*result = (struct key_build_result){0};
	if (!rc)
		rc = key_build_write_note(b, e);
	if (!rc)
		rc = install(b, e);
	if (!rc) /* of an earlier run that was killed */
		rc = key_journal_take(b, &ignored, e) ?: key_journal_begin(b, e);
	if (rc)
		return rc;
	result->status = gcc_command_execute(command, -1, -1, -1);
	if (result->status < 0)
		return error_set_errno(e, command[0], "cannot start %s", command[0]);
	return key_journal_take(b, result, e);
}
