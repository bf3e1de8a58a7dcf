/* SPDX-License-Identifier: MIT */
/* The commands of the softlbr program: each parses its arguments and returns its exit status. */
#pragma once

#include <argp.h>
#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

/* ---- options.c: tables of options ----------------------------------------------------------- */

/*
 * The options of a command as one table: from it come the parser, --help, the completions of shells
 * (completion.c), and what the manuals are compared with (tests/tree/manuals.sh).
 *
 *	static const struct option_row rows[] = {
 *		{"output", 'o', "FILE", "Recording to write", OPTION_TEXT,
 *		 OPTION_AT(struct a, output)},
 *		{"depth", 'n', "N", "Taken branches per sample", OPTION_NUMBER,
 *		 OPTION_AT(struct a, depth), .least = 1, .most = 4096},
 *		{0},
 *	};
 */

enum option_kind {
	/* No option: `help` is the heading of the rows that follow. */
	OPTION_HEADING,
	/* Without an argument: the target becomes `value`, or 1 where that is 0. */
	OPTION_SWITCH,
	/* The target, a pointer, points to the argument. */
	OPTION_TEXT,
	/* An integer from `least` to `most` (0: any), times `unit` (0: 1). An argument that may be
	 * omitted is `value` then. */
	OPTION_NUMBER,
	/* A real number from `least` to `most`; a target that is an integer gets its whole part. */
	OPTION_REAL,
	/* The number of the argument among `words`; NULL: among the words of "a|b|c". */
	OPTION_CHOICE,
	/* The argument is an operand. */
	OPTION_OPERAND,
	/* What `call` makes of the argument. */
	OPTION_CALL,
};

struct option_row;

/* Take @text, the argument of @o or NULL, for the target @at; 0 or an errno. A usage error ends the
 * program (argp_error). */
typedef error_t option_call(void *at, const struct option_row *o, char *text,
			    struct argp_state *state);

struct option_row {
	const char *name;     /* --NAME */
	int letter;	      /* -LETTER; 0: there is none */
	const char *argument; /* as --help shows it; NULL: there is none */
	const char *help;
	enum option_kind kind;
	size_t offset, size; /* the target, in what is parsed into */
	bool is_real;	     /* the target is a double */
	unsigned flags;	     /* argp's: OPTION_ALIAS of the row before, OPTION_HIDDEN, ... */
	double least, most;
	uint32_t unit, value;
	const char *const *words; /* NULL ends them */
	const char *noun;	  /* what a number is called in messages; NULL: a number */
	option_call *call;
};

/* The target of a row. */
#define OPTION_AT(type, member)                                                \
	.offset = offsetof(type, member), .size = sizeof(((type *)0)->member), \
	.is_real = _Generic(((type *)0)->member, double                        \
			    : true, default                                    \
			    : false)
/* The target of a row, which @function takes its argument for. */
#define OPTION_BY(function, type, member) OPTION_CALL, OPTION_AT(type, member), .call = (function)

/* Where the command of a table goes. */
#define OPTION_COMMAND_AT(type, member) \
	.takes_command = true, .command = offsetof(type, member), .order = OPTION_OPERANDS_COMMAND

/* What is no option: anything, anywhere; in order, so that options are about what follows them; or
 * a command to run, whose options are its own. */
enum option_operands {
	OPTION_OPERANDS_ANYWHERE,
	OPTION_OPERANDS_IN_ORDER,
	OPTION_OPERANDS_COMMAND
};

struct option_table {
	const struct option_row *rows; /* a row of zeros ends them */
	const char *operands;	       /* as --help shows them */
	const char *doc;
	enum option_operands order;
	int usage_status; /* of the program, after bad usage */
	/* Wrong values are told as "--depth 0: give a number", not "--depth=0: expected ...". */
	bool gives;
	/* Each operand in turn; NULL: there is to be none, or a command. 0 or an errno. */
	error_t (*take)(void *input, char *operand, struct argp_state *state);
	/* Where a command to run goes, a char **; NULL ends it. */
	bool takes_command;
	size_t command;
	/* All was read: check what belongs together. 0 or an errno. May be NULL. */
	error_t (*end)(void *input, struct argp_state *state);
};

/* Parse a command line into @input. Bad usage is explained on standard error and ends the program;
 * what is returned is 0 or an errno. */
int options_parse(const struct option_table *table, int argc, char **argv, void *input);
/* The row that says what @o takes: @o, or the one that it is an alias of. */
const struct option_row *options_row(const struct option_row *o);
/* Is @o the row behind the last one? */
bool options_is_end(const struct option_row *o);

/* @text as the number that @o takes, without its unit; a usage error ends the program. */
uint64_t options_number(const struct option_row *o, const char *text, struct argp_state *state);
/* The number of @text among @names, which NULL ends; else a usage error of --@option. */
size_t options_choice(const char *option, const char *const *names, const char *text,
		      struct argp_state *state);

/* ---- commands ------------------------------------------------------------------------------- */

struct call_tree;
struct file_outputs;
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
	cli_pgo_options, cli_record_options, cli_report_options, cli_show_options,
	cli_update_options;

int cli_check(int argc, char **argv);
int cli_control(int argc, char **argv);
int cli_convert(int argc, char **argv);
int cli_diff(int argc, char **argv);
int cli_doctor(int argc, char **argv);
int cli_gcc_keys(int argc, char **argv);
int cli_merge(int argc, char **argv);
int cli_pgo(int argc, char **argv);
int cli_record(int argc, char **argv);
int cli_report(int argc, char **argv);
int cli_show(int argc, char **argv);
int cli_update(int argc, char **argv);

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
/* For a const char *: a directory that is there. */
error_t cli_directory(void *path, const struct option_row *o, char *text, struct argp_state *state);
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
		OPTION_BY(cli_directory, type, search.symfs)
#define CLI_KEYS(type, path)                                                                                           \
	"keys", 0, "DIR",                                                                                              \
		"Counters for gcc: the keys that they were made with (softlbr gcc-keys), which know "                  \
		"functions by name, lines and arcs; without, those that their note names, or .gcno files beside them", \
		OPTION_TEXT, OPTION_AT(type, path)
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

/* A letter of the row before that means something else in other commands: taken, not told. */
#define CLI_OLD_LETTER(letter) \
	NULL, letter, NULL, NULL, OPTION_SWITCH, .flags = OPTION_ALIAS | OPTION_HIDDEN

/* ---- document_output.c: what commands show --------------------------------------------------- */

enum cli_document_format { CLI_DOCUMENT_TEXT, CLI_DOCUMENT_JSON, CLI_DOCUMENT_CSV };

/* To standard output. 0 or a negative code: the disk may be full. */
int cli_document_print(const struct document *document, enum cli_document_format format,
		       bool mangled, struct softlbr_error *e);
/* The document as a page with this title, and a flame graph of @calls (may be NULL), into one of
 * @files; "-" is standard output. 0 or a negative code. */
int cli_document_save_page(const struct document *document, const char *title,
			   const struct call_tree *calls, const char *path, bool mangled,
			   struct file_outputs *files, struct softlbr_error *e);
