/* SPDX-License-Identifier: MIT */
/* The commands of the softlbr program: each parses its own arguments and returns its exit status.
 */
#ifndef CLI_CLI_H
#define CLI_CLI_H

#include <stdbool.h>
#include <stddef.h>

#include "converter/samples/frequencies.h"
#include "formats/profile_kind.h"

struct argp;
struct aggregate_damage;
struct branch_profile_clamped;
struct argp_state;
struct debug_search;
struct softlbr_error;

struct cli_command {
	const char *name;
	int (*run)(int argc, char **argv);
	const struct argp *argp;
	const char *what; /* it does */
};

/* All commands; the one after the last has no name. */
extern const struct cli_command cli_commands[];

extern const struct argp cli_bench_argp, cli_check_argp, cli_control_argp, cli_convert_argp,
	cli_diff_argp, cli_doctor_argp, cli_gcc_keys_argp, cli_merge_argp, cli_record_argp,
	cli_report_argp, cli_show_argp;

int cli_bench(int argc, char **argv);
int cli_check(int argc, char **argv);
int cli_control(int argc, char **argv);
int cli_convert(int argc, char **argv);
int cli_diff(int argc, char **argv);
int cli_doctor(int argc, char **argv);
int cli_gcc_keys(int argc, char **argv);
int cli_merge(int argc, char **argv);
int cli_record(int argc, char **argv);
int cli_report(int argc, char **argv);
int cli_show(int argc, char **argv);

/* What is no option: anything, anywhere; in order, so that options are about what follows them; or
 * a command to run, whose options are its own. */
enum cli_operands { CLI_OPERANDS_ANYWHERE, CLI_OPERANDS_IN_ORDER, CLI_OPERANDS_A_COMMAND };

/* Have @argp's parser read a command line. Bad usage is explained on standard error and ends the
 * program with @usage_status; what is returned is the parser's own error. */
int cli_parse(const struct argp *argp, int argc, char **argv, enum cli_operands operands,
	      int usage_status, void *input);

/* The exit status of a program whose command's was @status: what is still to be written to standard
 * output, or was not, counts; a command that failed has said why. */
int cli_end(int status);

/* Print "softlbr COMMAND: error: TEXT" for @e, to standard error. */
void cli_print_error(const char *command, const struct softlbr_error *e);

/* Say what a subtraction of profiles was short of, to standard error. */
void cli_print_clamped(const struct branch_profile_clamped *clamped);
/* Warn of damaged lines of the recording at @path that were left out; nothing if there are none. */
void cli_print_damage(const char *command, const char *path, const struct aggregate_damage *damage);

/* What is read where no file is named, as perf does: softlbr record and perf record write it. */
#define CLI_RECORDING "perf.data"

/*
 * FILE[,WEIGHT]: a comma and a number at the end are a weight unless there is a file of that name.
 * @argument is cut there; *weight stays as it is if there is none. True if the weight is negative.
 * One that is none ends the program with a usage error.
 */
bool cli_weighted_file(char *argument, uint64_t *weight, struct argp_state *state);
/* The rows that --top=@text asks for; ends the program with a usage error if it is no number. */
size_t cli_rows(const char *text, struct argp_state *state);

/* --path-prefix=@text, which is cut in two and kept; 0 or ENOMEM, a usage error ends the program.
 */
int cli_path_prefix(struct debug_search *search, char *text, struct argp_state *state);

/* The number of @text among @names, which NULL ends; a usage error ends the program. */
size_t cli_choice(const char *option, const char *const *names, const char *text,
		  struct argp_state *state);
/* --input-format=@text, of all kinds or of those that @is. */
enum profile_kind cli_input_format(const char *text, bool (*is)(enum profile_kind kind),
				   struct argp_state *state);
/* --frequencies=@text. */
enum frequencies cli_frequencies(const char *text, struct argp_state *state);

#endif
