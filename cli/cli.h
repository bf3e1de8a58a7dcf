/* SPDX-License-Identifier: MIT */
/* The commands of the softlbr program: each parses its own arguments and returns its exit status.
 */
#ifndef CLI_CLI_H
#define CLI_CLI_H

#include <stddef.h>

#include "converter/samples/frequencies.h"

struct argp_state;
struct debug_search;

int cli_bench(int argc, char **argv);
int cli_check(int argc, char **argv);
int cli_control(int argc, char **argv);
int cli_convert(int argc, char **argv);
int cli_diff(int argc, char **argv);
int cli_doctor(int argc, char **argv);
int cli_merge(int argc, char **argv);
int cli_record(int argc, char **argv);
int cli_show(int argc, char **argv);

/* The rows that --top=@text asks for; ends the program with a usage error if it is no number. */
size_t cli_rows(const char *text, struct argp_state *state);

/* --path-prefix=@text, which is cut in two and kept; 0 or ENOMEM, a usage error ends the program.
 */
int cli_path_prefix(struct debug_search *search, char *text, struct argp_state *state);

/* The number of @text among @names, which NULL ends; a usage error ends the program. */
size_t cli_choice(const char *option, const char *const *names, const char *text,
		  struct argp_state *state);
/* --frequencies=@text. */
enum frequencies cli_frequencies(const char *text, struct argp_state *state);

#endif
