/* SPDX-License-Identifier: MIT */
/*
 * Compiles that were noted, whose keys are made when they are needed: most builds of a project are
 * no training, and have the price of a small file for each compile. A note has the directory, the
 * root of the key's name, and the words of the compiler's command line, each ended by a 0; the next
 * compile of the same output replaces it.
 */
#include "converter/gcc/keys/key_build.h"

#include <errno.h>
#include <inttypes.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/wait.h>
#include <unistd.h>

#include "base/error.h"
#include "base/file.h"
#include "base/file_output.h"
#include "base/file_tree.h"
#include "base/md5.h"
#include "base/memory.h"
#include "converter/gcc/keys/gcc_commands.h"

#define NOTES	    ".deferred" /* in the keys' directory */
#define NOTE_SUFFIX ".compile"

/* ---- one note ------------------------------------------------------------------------------- */

/* By what the command makes: its output, or else all of its words. */
static uint64_t note_number(const char *here, char *const *command)
{
	uint64_t number = md5_low64(here, strlen(here));

	for (char *const *word = command + 1; *word; word++)
		if (!strcmp(*word, "-o") && word[1])
			return number ^ md5_low64(word[1], strlen(word[1]));
	for (char *const *word = command + 1; *word; word++)
		number = number * 31 + md5_low64(*word, strlen(*word));
	return number;
}

int key_deferred_note(const struct key_build *b, char *const *command, struct softlbr_error *e)
{
	char *directory = memory_format("%s/" NOTES, b->directory);
	char *here = getcwd(NULL, 0), *path = NULL;
	struct file_output out;
	int rc = directory && here ? file_directory_make(directory, 0777, NULL, e)
				   : error_set_nomem(e);

	if (!rc) {
		path = memory_format("%s/%016" PRIx64 NOTE_SUFFIX, directory,
				     note_number(here, command));
		rc = path ? file_output_open(&out, path, e) : error_set_nomem(e);
	}
	if (!rc) {
		fwrite(here, 1, strlen(here) + 1, out.stream);
		fwrite(b->root, 1, strlen(b->root) + 1, out.stream);
		for (char *const *word = command; *word; word++)
			fwrite(*word, 1, strlen(*word) + 1, out.stream);
		rc = file_output_commit(&out, e);
	}
	free(here);
	memory_free(directory);
	memory_free(path);
	return rc;
}

/* The directory, the root, then the command. */
static int read_note(const char *path, struct gcc_command *texts, struct softlbr_error *e)
{
	struct file_view v;
	int rc = file_view_open(&v, path, e);

	if (rc)
		return rc;
	for (size_t at = 0; !rc && at < v.size;) {
		const char *text = (const char *)v.data + at;
		size_t length = strnlen(text, v.size - at);

		if (at + length == v.size)
			rc = error_set(e, SOFTLBR_E_INPUT, path, "%s is cut off", path);
		else if (gcc_command_add(texts, text))
			rc = error_set_nomem(e);
		at += length + 1;
	}
	file_view_close(&v);
	if (!rc && texts->words.count < 3)
		rc = error_set(e, SOFTLBR_E_INPUT, path, "%s has no command", path);
	return rc;
}

/* What a child does. */
static void make_noted(const struct key_build *b, const char *path)
{
	struct softlbr_error problem = {0};
	struct gcc_command texts = {0};
	struct key_build noted = *b;
	int rc = read_note(path, &texts, &problem);

	if (!rc && (chdir(texts.words.items[0]) || setenv("PWD", texts.words.items[0], 1)))
		rc = error_set_errno(&problem, path, "cannot go to %s, where it was compiled",
				     texts.words.items[0]);
	if (rc) {
		key_journal_problem(b, &problem);
	} else {
		noted.root = texts.words.items[1];
		key_journal_compile(&noted, texts.words.items + 2);
	}
	gcc_command_deinit(&texts);
	unlink(path); /* what failed now would fail the next time, too */
}

/* ---- all of them ---------------------------------------------------------------------------- */

static bool is_note(const char *name)
{
	return file_name_ends(name, NOTE_SUFFIX);
}

static int start_child(const struct key_build *b, const char *path, struct softlbr_error *e)
{
	pid_t child;

	fflush(NULL);
	child = fork();
	if (!child) {
		make_noted(b, path);
		_exit(0);
	}
	return child < 0 ? error_set_errno(e, path, "cannot start a process") : 0;
}

static void wait_for_child(void)
{
	while (wait(NULL) < 0 && errno == EINTR)
		;
}

int key_deferred_make(const struct key_build *b, struct softlbr_error *e)
{
	char *directory = memory_format("%s/" NOTES, b->directory);
	struct file_tree notes = {0};
	long processors = sysconf(_SC_NPROCESSORS_ONLN), running = 0;
	int rc = directory ? 0 : error_set_nomem(e);

	if (!rc && !access(directory, F_OK))
		rc = file_tree_list(&notes, directory, is_note, e);
	for (size_t i = 0; !rc && i < notes.paths.count; i++) {
		char *path = memory_format("%s/%s", directory, notes.paths.items[i]);

		if (running >= processors) {
			wait_for_child();
			running--;
		}
		rc = path ? start_child(b, path, e) : error_set_nomem(e);
		running += !rc;
		memory_free(path);
	}
	for (; running > 0; running--)
		wait_for_child();
	file_tree_deinit(&notes);
	memory_free(directory);
	return rc;
}
