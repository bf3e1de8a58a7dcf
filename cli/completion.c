/* SPDX-License-Identifier: MIT */
/*
 * What shells complete: a line for each command, its options and operands, from which the build
 * makes the completions for bash, zsh and fish (completions/, cmake/completions.cmake). Fields end
 * at '|', and the last of them is text:
 *
 *	command|NAME||||WHAT
 *	option|COMMAND|-LETTER|--NAME|KIND VALUE...|DOC
 *	operand|COMMAND|||KIND VALUE...|
 *
 * LETTER and NAME may be missing. KIND says what an argument is: flag (there is none), text, file,
 * directory, process, program (a command line), choice (one of the values) or format (VALUE=FILE).
 */
#include <ctype.h>
#include <stdio.h>
#include <string.h>

#include "cli/cli.h"
#include "cli/convert.h"
#include "formats/profile_kind.h"
#include "softlbr/error.h"

/* "a|b, c" as "a b c". */
static void print_values(const char *text)
{
	for (; *text; text++)
		if (*text != ',')
			putchar(*text == '|' ? ' ' : *text);
}

static bool begins(const char *text, const char *with)
{
	return !strncmp(text, with, strlen(with));
}

/* What an argument is goes by its name in --help. */
static void print_kind(const struct option_row *o)
{
	static const char *const kinds[][2] = {
		{"FILE", "file"}, {"SOCKET", "file"}, {"DIR", "directory"}, {"PID", "process"}};
	char formats[CONVERT_FORMAT_NAMES_BYTES], inputs[PROFILE_KIND_NAMES_BYTES];
	const char *name = o->argument;

	if (strchr(name, '|')) {
		printf("choice ");
		print_values(name);
		return;
	}
	if (begins(name, "FORMAT=")) {
		printf("format ");
		for (size_t i = 0; o->words && o->words[i]; i++)
			printf("%s%s", i ? " " : "", o->words[i]);
		if (!o->words)
			print_values(convert_format_names(formats));
		return;
	}
	if (o->call == cli_input_format) {
		printf("choice ");
		print_values(
			profile_kind_names(o->value ? profile_kind_is_recording : NULL, inputs));
		return;
	}
	for (size_t i = 0; i < sizeof(kinds) / sizeof(kinds[0]); i++) {
		if (begins(name, kinds[i][0])) {
			printf("%s", kinds[i][1]);
			return;
		}
	}
	printf("text");
}

/* The first clause of @doc, or more if that says little, on one line. */
static void print_doc(const char *doc)
{
	size_t length = strcspn(doc, ";:(\n");

	/* a name, which what follows is about */
	while (length < 20 && (doc[length] == ':' || doc[length] == ';'))
		length += 1 + strcspn(doc + length + 1, ";:(\n");
	while (length && isspace((unsigned char)doc[length - 1]))
		length--;
	printf("%.*s\n", (int)length, doc);
}

static void print_options(const struct cli_command *c)
{
	for (const struct option_row *o = c->options->rows; !options_is_end(o); o++) {
		const struct option_row *means = options_row(o);

		if (o->flags & (OPTION_HIDDEN | OPTION_DOC) || (!o->name && !o->letter))
			continue;
		printf("option|%s|", c->name);
		if (o->letter)
			printf("-%c", o->letter);
		printf("|--%s|", o->name);
		if (means->argument && !(means->flags & OPTION_ARG_OPTIONAL))
			print_kind(means);
		else
			printf("flag");
		putchar('|');
		print_doc(means->help);
	}
	printf("option|%s|-h|--help|flag|Show what the command and its options do\n", c->name);
}

/* Of the operands the last word is what can be completed: "-s SOCKET start|stop", "A B". */
static void print_operand(const struct cli_command *c)
{
	const char *operands = c->options->operands, *last;

	if (!operands)
		return;
	last = strrchr(operands, ' ') ? strrchr(operands, ' ') + 1 : operands;
	printf("operand|%s|||", c->name);
	if (strstr(operands, "COMMAND")) {
		printf("program");
	} else if (islower((unsigned char)*last)) {
		printf("choice ");
		print_values(last);
	} else {
		printf("file");
	}
	printf("|\n");
}

int cli_print_completion_table(const struct cli_command *commands)
{
	for (const struct cli_command *c = commands; c->name; c++) {
		printf("command|%s||||%s\n", c->name, c->what);
		print_options(c);
		print_operand(c);
	}
	if (fflush(stdout) || ferror(stdout)) {
		perror("softlbr: standard output");
		return SOFTLBR_E_SYSTEM;
	}
	return 0;
}
