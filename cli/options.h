/* SPDX-License-Identifier: MIT */
/*
 * The options of a command as one table: from it come the parser, --help, the completions of shells
 * (completion.c), and what the manuals are compared with (tests/tree/manuals.sh).
 *
 *	static const struct option_row rows[] = {
 *		{"output", 'o', "FILE", "Recording to write", OPTION_TEXT, OPTION_AT(struct a,
 *output)},
 *		{"depth", 'n', "N", "Taken branches per sample", OPTION_NUMBER,
 *		 OPTION_AT(struct a, depth), .least = 1, .most = 4096},
 *		{0},
 *	};
 */
#pragma once

#include <argp.h>
#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

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
	/* Wrong values are told as "--depth 0: give a number", not "--depth=0: expected a number".
	 */
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
/* The number of @text among @names, which NULL ends; a usage error of --@option ends the program.
 */
size_t options_choice(const char *option, const char *const *names, const char *text,
		      struct argp_state *state);
