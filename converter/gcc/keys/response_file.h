/* SPDX-License-Identifier: MIT */
/*
 * Response files: gcc reads more words of its command line from FILE where one is @FILE (gcc's
 * manual, "Overall Options"). Words are separated by blanks or newlines; quotes keep blanks, and a
 * backslash keeps what follows it, between quotes too.
 */
#ifndef CONVERTER_GCC_KEYS_RESPONSE_FILE_H
#define CONVERTER_GCC_KEYS_RESPONSE_FILE_H

#include "converter/gcc/keys/gcc_commands.h"

/* Append @word to the command, or what the file that it names has. One that can't be read stays as
 * it is. 0, or -1 without memory. */
int response_file_add(struct gcc_command *c, const char *word);

#endif
