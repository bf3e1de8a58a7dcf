/* SPDX-License-Identifier: MIT */
/* The commands of the softlbr program: each parses its own arguments and returns its exit status.
 */
#pragma once

#include <stdbool.h>
#include <stddef.h>

#include "cli/options.h"
#include "converter/samples/frequencies.h"

struct call_tree;
struct document;
struct softlbr_error;

struct cli_command {
	const char *name;
	int (*run)(int argc, char **argv);
	const struct option_table *options;
	const char *what; /* it does */
};

/* All commands; the one after the last has no name. */
extern const struct cli_command cli_commands[];

extern const struct option_table cli_check_options, cli_control_options, cli_convert_options,
	cli_diff_options, cli_doctor_options, cli_gcc_keys_options, cli_merge_options,
	cli_record_options, cli_report_options, cli_show_options;

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

/* What is read where no file is named, as perf does: softlbr record and perf record write it. */
#define CLI_RECORDING "perf.data"

/* Print a line for each of @commands, their options and operands: completion.c has the format. The
 * exit status. */
int cli_print_completion_table(const struct cli_command *commands);

/* ---- arguments.c: what several commands take ------------------------------------------------ */

/* The words of --frequencies, by their enum. */
extern const char *const cli_frequencies[];

/*
 * FILE[,WEIGHT]: a comma and a number at the end are a weight unless there is a file of that name.
 * @argument is cut there; *weight stays as it is if there is none. True if the weight is negative.
 * One that is none ends the program with a usage error.
 */
bool cli_weighted_file(char *argument, uint64_t *weight, struct argp_state *state);
/* For a struct debug_search. */
error_t cli_path_prefix(void *search, const struct option_row *o, char *text,
			struct argp_state *state);
/* For an enum profile_kind, by the row's value of any kind or of recordings alone. */
error_t cli_input_format(void *kind, const struct option_row *o, char *text,
			 struct argp_state *state);
/* For a struct verdict: the limit of the figure that is the row's value. */
error_t cli_limit(void *verdict, const struct option_row *o, char *text, struct argp_state *state);

/* Rows that are the same in several commands; @search is a struct debug_search, @verdict a struct
 * verdict. */
#define CLI_SYMFS(type, search)                                                                \
	"symfs", 0, "DIR",                                                                     \
		"Look for binaries and debug files below DIR as if it were /, before looking " \
		"in place",                                                                    \
		OPTION_TEXT, OPTION_AT(type, search.symfs)
#define CLI_PATH_PREFIX(type, search)                                                               \
	"path-prefix", 0, "OLD=NEW",                                                                \
		"Look for debug files (.dwo, .dwp, those of dwz) whose path begins with OLD under " \
		"NEW first; may be given several times",                                            \
		OPTION_BY(cli_path_prefix, type, search)
#define CLI_NO_DEMANGLE(type, member)                                                \
	"no-demangle", 0, NULL, "Show names of C++ and Rust as the linker has them", \
		OPTION_SWITCH, OPTION_AT(type, member)
#define CLI_LIMIT(name, argument, figure, help, type, verdict) \
	name, 0, argument, help, OPTION_BY(cli_limit, type, verdict), .value = (figure)
#define CLI_MIN_OVERLAP(type, verdict)                                                            \
	CLI_LIMIT("min-overlap", "PERCENT", VERDICT_OVERLAP,                                      \
		  "Recordings: the overlap with exact counts that is to be expected: good is at " \
		  "least this, poor less, fair between (default 90)",                             \
		  type, verdict)
#define CLI_MIN_BRANCHES(type, verdict)                  \
	CLI_LIMIT("min-branches", "N", VERDICT_BRANCHES, \
		  "At least N taken branches in the binary (default 1000)", type, verdict)
#define CLI_MIN_VALID_BRANCHES(type, verdict)                                                     \
	CLI_LIMIT("min-valid-branches", "PERCENT", VERDICT_VALID_BRANCHES,                        \
		  "At least this share of branches consistent with the disassembly (default 95)", \
		  type, verdict)
#define CLI_MAX_INVALID_RANGES(type, verdict)                                                   \
	CLI_LIMIT("max-invalid-ranges", "PERCENT", VERDICT_INVALID_RANGES,                      \
		  "At most this share of ranges inconsistent with the disassembly (default 5)", \
		  type, verdict)
#define CLI_MAX_ZERO_HEAD(type, verdict)                                                             \
	CLI_LIMIT(                                                                                   \
		"max-zero-head", "PERCENT", VERDICT_ZERO_HEAD,                                       \
		"At most this share of execution in functions never seen to be called (default 20)", \
		type, verdict)

/* ---- document_output.c: what commands show --------------------------------------------------- */

enum cli_document_format { CLI_DOCUMENT_TEXT, CLI_DOCUMENT_JSON, CLI_DOCUMENT_CSV };

/* To standard output. 0 or a negative code: the disk may be full. */
int cli_document_print(const struct document *document, enum cli_document_format format,
		       bool mangled, struct softlbr_error *e);
/* The document as a page with this title, and a flame graph of @calls (may be NULL), into a file;
 * "-" is standard output. 0 or a negative code. */
int cli_document_save_page(const struct document *document, const char *title,
			   const struct call_tree *calls, const char *path, bool mangled,
			   struct softlbr_error *e);
