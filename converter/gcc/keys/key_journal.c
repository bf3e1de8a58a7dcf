/* SPDX-License-Identifier: MIT */
/*
 * What the compiles of a build tell who runs it, in a file of the keys' directory: a line "+NAME"
 * for each object that has keys, "-NAME" for one that has none, and "!TEXT" for a compile that
 * could not be tried. Who runs no build, but has wrappers of his own, is told of such alone, by the
 * next one.
 */
#include <errno.h>
#include <fcntl.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "base/error.h"
#include "base/memory.h"
#include "base/strings.h"
#include "converter/gcc/keys/key_build.h"

#define JOURNAL ".journal"

/* To be closed; -1: there is none. */
static int open_journal(const struct key_build *b, int create)
{
	char *path = memory_format("%s/" JOURNAL, b->directory);
	int fd = path ? open(path, O_WRONLY | O_APPEND | O_CLOEXEC | create, 0666) : -1;

	memory_free(path);
	return fd;
}

/* Lines of concurrent compiles do not mix: each is one write to the file's end. */
static void journal_note(int journal, char kind, const char *what)
{
	char *line = memory_format("%c%s\n", kind, what);
	ssize_t written = line ? write(journal, line, strlen(line)) : 0;

	(void)written;
	memory_free(line);
}

static void journal_tell(void *journal, const char *name, int failed)
{
	journal_note(*(int *)journal, failed ? '-' : '+', name);
}

int key_journal_begin(const struct key_build *b, struct softlbr_error *e)
{
	int journal = open_journal(b, O_CREAT);

	if (journal < 0)
		return error_set_errno(e, b->directory, "cannot write to %s", b->directory);
	close(journal);
	return 0;
}

void key_journal_problem(const struct key_build *b, const struct softlbr_error *problem)
{
	int journal = open_journal(b, O_CREAT);

	journal_note(journal, '!', problem->text);
	if (journal >= 0)
		close(journal);
}

void key_journal_compile(const struct key_build *b, char *const *command)
{
	struct softlbr_error problem = {0};
	int journal = open_journal(b, 0);
	struct key_compile k = {.compiler = command[0],
				.directory = b->directory,
				.root = b->root,
				.tell = journal < 0 ? NULL : journal_tell,
				.context = &journal};

	if (key_compile(&k, command + 1, &problem))
		key_journal_problem(b, &problem);
	if (journal >= 0)
		close(journal);
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

int key_journal_take(const struct key_build *b, struct key_build_result *r, struct softlbr_error *e)
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
