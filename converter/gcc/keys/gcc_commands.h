/* SPDX-License-Identifier: MIT */
/*
 * The commands that gcc's driver would run, as `gcc -###` prints them on standard error: a line
 * each, which begins with a blank; words with other characters than letters, digits, "_", "/", "-"
 * and "." in double quotes, in which a backslash stands before ", \ and $ (gcc/gcc.cc: execute).
 *
 * Response files: gcc reads more words of its command line from FILE where one is @FILE (gcc's
 * manual, "Overall Options"). Words are separated by blanks or newlines; quotes keep blanks, and a
 * backslash keeps what follows it, between quotes too.
 *
 * Programs that are run and waited for.
 */
#pragma once

#include <stdbool.h>

#include "base/vector.h"

struct gcc_command {
	VECTOR(char *) words; /* with a NULL behind the last */
};

/* Start zeroed. */
struct gcc_commands {
	VECTOR(struct gcc_command) items;
};

void gcc_commands_deinit(struct gcc_commands *c);
/* The commands in what gcc printed. 0, or -1 without memory. */
int gcc_commands_parse(struct gcc_commands *c, const char *text);
/* Is the command's program of this name, wherever it is? */
bool gcc_command_runs(const struct gcc_command *c, const char *name);
/* The word behind @option, or NULL. */
const char *gcc_command_value(const struct gcc_command *c, const char *option);
bool gcc_command_has(const struct gcc_command *c, const char *option);
/* Append a word, which is copied. 0, or -1 without memory. */
int gcc_command_add(struct gcc_command *c, const char *word);
void gcc_command_deinit(struct gcc_command *c);

/* Append @word to the command, or what the file that it names has. One that can't be read stays as
 * it is. 0, or -1 without memory. */
int gcc_command_add_expanded(struct gcc_command *c, const char *word);

/* Run argv[0], which is looked up in PATH, with @out and @err as standard output and error (-1:
 * ours) and @in as standard input (-1: ours). What waitpid(2) says of it; a program that can't be
 * run exits with 127 or 126, as a shell has it. -1 without a process. */
int gcc_command_execute(char *const argv[], int in, int out, int err);
/* What a program that stands for another exits with, as that one ended: @status is
 * gcc_command_execute's. A signal that ended it ends this process. */
int gcc_command_end_as(int status);
/* What argv writes to standard error, to be freed with memory_free; NULL if it can't be run, or
 * without memory. Its standard output and input are empty. */
char *gcc_command_errors(char *const argv[], int *status);
