/* SPDX-License-Identifier: MIT */
#include "cli/completion.h"

#include <argp.h>
#include <ctype.h>
#include <stdbool.h>
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
static void print_kind(const struct cli_command *c, const char *name)
{
	static const char *const kinds[][2] = {
		{"FILE", "file"}, {"SOCKET", "file"}, {"DIR", "directory"}, {"PID", "process"}};
	char formats[CONVERT_FORMAT_NAMES_BYTES], inputs[PROFILE_KIND_NAMES_BYTES];

	if (strchr(name, '|')) {
		printf("choice ");
		print_values(name);
		return;
	}
	if (begins(name, "FORMAT=")) {
		printf("format ");
		print_values(convert_format_names(formats));
		return;
	}
	if (!strcmp(name, "FORMAT")) {
		printf("choice ");
		print_values(profile_kind_names(
			c->run == cli_convert ? profile_kind_is_recording : NULL, inputs));
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

static bool is_end(const struct argp_option *o)
{
	return !o->name && !o->key && !o->doc && !o->group;
}

static void print_options(const struct cli_command *c)
{
	const struct argp_option *o, *first = c->argp->options;

	for (o = first; !is_end(o); o++) {
		if (o->flags & (OPTION_HIDDEN | OPTION_DOC) || (!o->name && !o->key))
			continue;
		if (!(o->flags & OPTION_ALIAS)) /* what follows means the same */
			first = o;
		printf("option|%s|", c->name);
		if (o->key > 0 && o->key <= 0x7f && isprint(o->key))
			printf("-%c", o->key);
		printf("|%s%s|", o->name ? "--" : "", o->name ? o->name : "");
		if (first->arg && !(first->flags & OPTION_ARG_OPTIONAL))
			print_kind(c, first->arg);
		else
			printf("flag");
		putchar('|');
		print_doc(first->doc ? first->doc : "");
	}
	printf("option|%s|-h|--help|flag|Show what the command and its options do\n", c->name);
}

/* Of the operands the last word is what can be completed: "-s SOCKET start|stop", "A B". */
static void print_operand(const struct cli_command *c)
{
	const char *operands = c->argp->args_doc, *last;

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

int completion_print_table(const struct cli_command *commands)
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
