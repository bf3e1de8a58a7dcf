/* SPDX-License-Identifier: MIT */
/* Tables of options: to argp and back, with -h, and a guess at what a misspelt option meant. */
#include "cli/cli.h"

#include <errno.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "base/error.h"
#include "base/memory.h"
#include "base/suggestion.h"

/* An option without a letter is known to argp by its row's number. */
#define KEY_OF_ROW 0x100

struct options_parsing {
	const struct option_table *table;
	void *input;
};

bool options_is_end(const struct option_row *o)
{
	return !o->name && !o->letter && !o->help;
}

const struct option_row *options_row(const struct option_row *o)
{
	while (o->flags & OPTION_ALIAS)
		o--;
	return o;
}

static int key_of(const struct option_table *t, const struct option_row *o)
{
	if (o->kind == OPTION_HEADING && !o->name)
		return 0;
	return o->letter ? o->letter : KEY_OF_ROW + (int)(o - t->rows);
}

static const struct option_row *row_of_key(const struct option_table *t, int key)
{
	for (const struct option_row *o = t->rows; !options_is_end(o); o++)
		if (key_of(t, o) == key)
			return options_row(o);
	return NULL;
}

static bool takes_argument(const struct option_row *o)
{
	o = options_row(o);
	return o->argument && !(o->flags & OPTION_ARG_OPTIONAL);
}

static void store_number(void *at, const struct option_row *o, uint64_t value)
{
	uint32_t narrow = (uint32_t)value;
	uint8_t flag = value != 0;

	memcpy(at,
	       o->size == sizeof(value)	   ? (void *)&value
	       : o->size == sizeof(narrow) ? (void *)&narrow
					   : (void *)&flag,
	       o->size);
}

/* The voice of the command's messages. */
static bool gives(const struct argp_state *state)
{
	return ((const struct options_parsing *)state->input)->table->gives;
}

static void refuse_number(const struct option_row *o, const char *text, bool overflows,
			  struct argp_state *state)
{
	const char *noun = o->noun ? o->noun : "number";

	if (gives(state))
		argp_error(state, "--%s %s: %s%s from %.0f to %.0f", o->name, text,
			   overflows ? "the number overflows; give " : "give a ",
			   overflows ? "one" : noun, o->least, o->most);
	else if (o->most > 0)
		argp_error(state, "--%s=%s: expected a %s from %.10g to %.10g", o->name, text, noun,
			   o->least, o->most);
	else
		argp_error(state,
			   overflows ? "--%s=%s: the %s is too large" : "--%s=%s: expected a %s",
			   o->name, text, noun);
}

uint64_t options_number(const struct option_row *o, const char *text, struct argp_state *state)
{
	unsigned long value;
	char *end;

	errno = 0;
	value = strtoul(text, &end, 10);
	if (errno || end == text || *end || *text == '-' || (double)value < o->least ||
	    (o->most > 0 && (double)value > o->most))
		refuse_number(o, text, errno == ERANGE, state);
	return value;
}

static void take_number(void *at, const struct option_row *o, const char *text,
			struct argp_state *state)
{
	uint64_t unit = o->unit ? o->unit : 1;

	store_number(at, o, text ? options_number(o, text, state) * unit : o->value);
}

static void take_real(void *at, const struct option_row *o, const char *text,
		      struct argp_state *state)
{
	char *end;
	double value = strtod(text, &end);

	if (end == text || *end || !(value >= o->least && value <= o->most))
		refuse_number(o, text, false, state);
	if (o->is_real)
		memcpy(at, &value, sizeof(value));
	else
		store_number(at, o, (uint64_t)value);
}

/* "a, b or c" of "a|b|c". */
static void list_words(const char *argument, char *list, size_t size)
{
	size_t used = 0;

	for (const char *word = argument; *word;) {
		size_t length = strcspn(word, "|");
		const char *next = word + length + (word[length] == '|');
		const char *between = word == argument ? "" : *next ? ", " : " or ";

		used += (size_t)snprintf(list + used, used < size ? size - used : 0, "%s%.*s",
					 between, (int)length, word);
		word = next;
	}
}

/* The number of @text among the words of @argument, or -1. */
static int find_word(const char *argument, const char *text)
{
	for (int i = 0; *argument; i++) {
		size_t length = strcspn(argument, "|");

		if (strlen(text) == length && !memcmp(text, argument, length))
			return i;
		argument += length + (argument[length] == '|');
	}
	return -1;
}

static int find_name(const char *const *names, const char *text)
{
	for (int i = 0; names[i]; i++)
		if (!strcmp(text, names[i]))
			return i;
	return -1;
}

static void refuse_choice(const char *option, const char *const *names, const char *text,
			  struct argp_state *state)
{
	char known[160] = "";

	for (size_t i = 0; names[i]; i++)
		error_add_name(known, sizeof(known), names[i]);
	argp_error(state, "--%s=%s: expected one of %s", option, text, known);
}

size_t options_choice(const char *option, const char *const *names, const char *text,
		      struct argp_state *state)
{
	int number = find_name(names, text);

	if (number < 0)
		refuse_choice(option, names, text, state);
	return (size_t)number;
}

static void take_choice(void *at, const struct option_row *o, const char *text,
			struct argp_state *state)
{
	int number = o->words ? find_name(o->words, text) : find_word(o->argument, text);
	char known[160];

	list_words(o->argument, known, sizeof(known));
	if (number < 0 && gives(state))
		argp_error(state, "--%s %s: give %s", o->name, text, known);
	else if (number < 0 && o->words)
		refuse_choice(o->name, o->words, text, state);
	else if (number < 0)
		argp_error(state, "--%s=%s: expected %s", o->name, text, known);
	store_number(at, o, (uint64_t)number);
}

static error_t take(const struct options_parsing *p, const struct option_row *o, char *text,
		    struct argp_state *state)
{
	void *at = (char *)p->input + o->offset;

	switch (o->kind) {
	case OPTION_SWITCH:
		store_number(at, o, o->value ? o->value : 1);
		break;
	case OPTION_TEXT:
		memcpy(at, &text, sizeof(text));
		break;
	case OPTION_NUMBER:
		take_number(at, o, text, state);
		break;
	case OPTION_REAL:
		take_real(at, o, text, state);
		break;
	case OPTION_CHOICE:
		take_choice(at, o, text, state);
		break;
	case OPTION_OPERAND:
		return p->table->take(p->input, text, state);
	case OPTION_CALL:
		return o->call(at, o, text, state);
	case OPTION_HEADING:
		break;
	}
	return 0;
}

/* What argp adds to every command. */
static const char *const common_options[] = {"help", "usage", "version"};

#define COMMON_COUNT (sizeof(common_options) / sizeof(common_options[0]))

/* The option --@name, whole or in its first letters; NULL if there is none. */
static const struct option_row *long_option(const struct option_row *rows, const char *name,
					    size_t length)
{
	const struct option_row *begun = NULL;

	for (const struct option_row *o = rows; !options_is_end(o); o++) {
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

static void refuse_name(const struct option_row *rows, const char *command, const char *name,
			size_t length)
{
	char word[64];
	struct suggestion s;

	snprintf(word, sizeof(word), "%.*s", (int)length, name);
	suggestion_begin(&s, word);
	for (const struct option_row *o = rows; !options_is_end(o); o++)
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
static bool wants_word(const struct option_row *rows, const char *letters)
{
	for (; *letters; letters++)
		for (const struct option_row *o = rows; !options_is_end(o); o++)
			if (o->letter == *letters && takes_argument(o))
				return !letters[1];
	return false;
}

/* Ends the program at a long option that is not there; what else is wrong is argp's to say. */
static void check_names(const struct option_table *t, int argc, char **argv)
{
	const struct option_row *o;

	for (int i = 1; i < argc; i++) {
		const char *word = argv[i];

		if (word[0] != '-' || !word[1]) {
			if (t->order == OPTION_OPERANDS_COMMAND)
				return;
		} else if (word[1] != '-') {
			i += wants_word(t->rows, word + 1);
		} else if (!word[2]) {
			return;
		} else {
			const char *name = word + 2;
			size_t length = strcspn(name, "=");

			o = long_option(t->rows, name, length);
			if (!o && !is_common(name, length))
				refuse_name(t->rows, argv[0], name, length);
			i += o && !name[length] && takes_argument(o);
		}
	}
}

static error_t parse_help(int key, char *text, struct argp_state *state)
{
	(void)text;
	if (key != 'h')
		return ARGP_ERR_UNKNOWN;
	argp_state_help(state, stdout, ARGP_HELP_STD_HELP);
	return 0;
}

static error_t parse(int key, char *text, struct argp_state *state)
{
	const struct options_parsing *p = state->input;
	const struct option_table *t = p->table;
	const struct option_row *o = row_of_key(t, key);

	if (o && key)
		return take(p, o, text, state);
	if (key == ARGP_KEY_ARG && t->take)
		return t->take(p->input, text, state);
	if (key == ARGP_KEY_ARGS && t->takes_command) {
		*(char ***)((char *)p->input + t->command) = state->argv + state->next;
		return 0;
	}
	if (key == ARGP_KEY_END && t->end)
		return t->end(p->input, state);
	return ARGP_ERR_UNKNOWN;
}

/* The table as argp has it; NULL without memory. */
static struct argp_option *argp_options(const struct option_table *t)
{
	size_t count = 0;
	struct argp_option *options;

	while (!options_is_end(&t->rows[count]))
		count++;
	options = memory_alloc_array(count + 1, sizeof(*options));
	for (size_t i = 0; options && i < count; i++) {
		const struct option_row *o = &t->rows[i];

		options[i] = (struct argp_option){.name = o->name,
						  .key = key_of(t, o),
						  .arg = o->argument,
						  .flags = (int)o->flags,
						  .doc = o->help};
	}
	return options;
}

int options_parse(const struct option_table *table, int argc, char **argv, void *input)
{
	static const struct argp_option help_options[] = {{NULL, 'h', NULL, OPTION_HIDDEN, NULL, 0},
							  {0}};
	static const struct argp help = {help_options, parse_help, NULL, NULL, NULL, NULL, NULL};
	const struct argp_child children[] = {{&help, 0, NULL, 0}, {0}};
	struct options_parsing parsing = {table, input};
	struct argp_option *options = argp_options(table);
	struct argp argp = {options, parse, table->operands, table->doc, children, NULL, NULL};
	unsigned flags = table->order == OPTION_OPERANDS_ANYWHERE ? 0 : ARGP_IN_ORDER;
	error_t rc;

	if (!options)
		return ENOMEM;
	argp_program_version = "softlbr " SOFTLBR_VERSION;
	argp_err_exit_status = table->usage_status;
	check_names(table, argc, argv);
	rc = argp_parse(&argp, argc, argv, flags, NULL, &parsing);
	memory_free(options);
	return rc;
}
