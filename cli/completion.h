/* SPDX-License-Identifier: MIT */
/* What shells complete: the commands' options and operands, from the tables that --help shows. */
#ifndef CLI_COMPLETION_H
#define CLI_COMPLETION_H

struct cli_command;

/*
 * Print a line for each of @commands, their options and operands, from which the build makes the
 * completions for bash, zsh and fish (completions/, cmake/completions.cmake); the exit status.
 * Fields end at '|', and the last of them is text:
 *
 *	command|NAME||||WHAT
 *	option|COMMAND|-LETTER|--NAME|KIND VALUE...|DOC
 *	operand|COMMAND|||KIND VALUE...|
 *
 * LETTER and NAME may be missing. KIND says what an argument is: flag (there is none), text, file,
 * directory, process, program (a command line), choice (one of the values) or format (VALUE=FILE).
 */
int completion_print_table(const struct cli_command *commands);

#endif
