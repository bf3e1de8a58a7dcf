/* SPDX-License-Identifier: MIT */
/* Command lines as every command reads them: by argp, with -h, and a guess at what a misspelt
 * option meant. */
#include <argp.h>
#include <errno.h>
#include <inttypes.h>
#include <stdbool.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "base/suggestion.h"
#include "cli/cli.h"
#include "cli/color.h"
#include "converter/samples/aggregate.h"
#include "softlbr/error.h"

/* What argp adds to every command. */
static const char *const common_options[] = {"help", "usage", "version"};

#define COMMON_COUNT (sizeof(common_options) / sizeof(common_options[0]))

static const struct argp_option help_options[] = {
	{NULL, 'h', NULL, OPTION_HIDDEN, NULL, 0},
	{0},
};

static error_t parse_help(int key, char *text, struct argp_state *state)
{
	(void)text;
	if (key != 'h')
		return ARGP_ERR_UNKNOWN;
	argp_state_help(state, stdout, ARGP_HELP_STD_HELP);
	return 0;
}

static const struct argp help_argp = {help_options, parse_help, NULL, NULL, NULL, NULL, NULL};

static bool is_end(const struct argp_option *o)
{
	return !o->name && !o->key && !o->doc && !o->group;
}

/* An alias takes what the option before it takes. */
static bool takes_argument(const struct argp_option *first, const struct argp_option *o)
{
	while (o->flags & OPTION_ALIAS && o > first)
		o--;
	return o->arg && !(o->flags & OPTION_ARG_OPTIONAL);
}

/* The option --@name, whole or in its first letters; NULL if there is none. */
static const struct argp_option *long_option(const struct argp_option *options, const char *name,
					     size_t length)
{
	const struct argp_option *begun = NULL;

	for (const struct argp_option *o = options; !is_end(o); o++) {
		if (!o->name || strncmp(o->name, name, length))
			continue;
		if (!o->name[length])
			return o;
		begun = o;
	}
	return begun;
}

static bool is_common(const char *name, size_t length)
{
	for (size_t i = 0; i < COMMON_COUNT; i++)
		if (!strncmp(common_options[i], name, length))
			return true;
	return false;
}

static void refuse(const struct argp_option *options, const char *command, const char *name,
		   size_t length)
{
	char word[64];
	struct suggestion s;

	snprintf(word, sizeof(word), "%.*s", (int)length, name);
	suggestion_begin(&s, word);
	for (const struct argp_option *o = options; !is_end(o); o++)
		if (o->name && !(o->flags & OPTION_HIDDEN))
			suggestion_offer(&s, o->name);
	for (size_t i = 0; i < COMMON_COUNT; i++)
		suggestion_offer(&s, common_options[i]);
	fprintf(stderr, "%s: there is no option --%s", command, word);
	if (s.nearest)
		fprintf(stderr, "; did you mean --%s?", s.nearest);
	fprintf(stderr, "\n`%s --help` lists the options.\n", command);
	exit(argp_err_exit_status);
}

/* Does the argument of the last option in @letters, as of "-vn", follow as a word of its own? */
static bool wants_word(const struct argp_option *options, const char *letters)
{
	for (; *letters; letters++)
		for (const struct argp_option *o = options; !is_end(o); o++)
			if (o->key == *letters && takes_argument(options, o))
				return !letters[1];
	return false;
}

/* Ends the program at a long option that is not there; what else is wrong is argp's to say. */
static void check_names(const struct argp *argp, int argc, char **argv, bool in_order)
{
	const struct argp_option *o;

	for (int i = 1; i < argc; i++) {
		const char *word = argv[i];

		if (word[0] != '-' || !word[1]) {
			if (in_order)
				return;
		} else if (word[1] != '-') {
			i += wants_word(argp->options, word + 1);
		} else if (!word[2]) {
			return;
		} else {
			const char *name = word + 2;
			size_t length = strcspn(name, "=");

			o = long_option(argp->options, name, length);
			if (!o && !is_common(name, length))
				refuse(argp->options, argv[0], name, length);
			i += o && !name[length] && takes_argument(argp->options, o);
		}
	}
}

int cli_parse(const struct argp *argp, int argc, char **argv, enum cli_operands operands,
	      int usage_status, void *input)
{
	const struct argp_child children[] = {{&help_argp, 0, NULL, 0}, {0}};
	struct argp whole = *argp;

	whole.children = children;
	argp_program_version = "softlbr " SOFTLBR_VERSION;
	argp_err_exit_status = usage_status;
	check_names(argp, argc, argv, operands == CLI_OPERANDS_A_COMMAND);
	return argp_parse(&whole, argc, argv, operands == CLI_OPERANDS_ANYWHERE ? 0 : ARGP_IN_ORDER,
			  NULL, input);
}

void cli_print_error(const char *command, const struct softlbr_error *e)
{
	fprintf(stderr, "softlbr %s: %serror:%s %s\n", command, cli_color(stderr, COLOR_BAD),
		cli_color_end(stderr), e->text);
}

void cli_print_damage(const char *command, const char *path, const struct aggregate_damage *damage)
{
	if (damage->lines)
		fprintf(stderr,
			"softlbr %s: %swarning:%s %s: damaged lines were left out: %" PRIu64
			", the first is line %" PRIu64 "\n",
			command, cli_color(stderr, COLOR_DOUBTFUL), cli_color_end(stderr), path,
			damage->lines, damage->first);
}

void cli_print_clamped(const struct branch_profile_clamped *clamped)
{
	fprintf(stderr,
		"subtracted: counts that would fall below 0 are 0; they were short of %" PRIu64
		" branches, %" PRIu64 " ranges and %" PRIu64 " samples\n",
		clamped->branches, clamped->ranges, clamped->samples);
}

int cli_end(int status)
{
	if (status || (!fflush(stdout) && !ferror(stdout)))
		return status;
	fprintf(stderr, "softlbr: cannot write to standard output: %s\n", strerror(errno));
	return SOFTLBR_E_SYSTEM;
}
