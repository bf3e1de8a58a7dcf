/* SPDX-License-Identifier: MIT */
/*
 * The assembler. One instruction per line, `name:` defines a label, `;` starts a comment. Operands
 * are numbers, labels, or $0 to $9 for the machine's variables.
 */
#include "program.h"

#include <ctype.h>
#include <stdlib.h>
#include <string.h>

#include "table.h"

struct mnemonic {
	const char *name;
	enum opcode opcode;
	int has_operand;
};

static const struct mnemonic mnemonics[] = {
	{"push", OP_PUSH, 1},	  {"load", OP_LOAD, 1},	  {"store", OP_STORE, 1},
	{"dup", OP_DUP, 0},	  {"drop", OP_DROP, 0},	  {"swap", OP_SWAP, 0},
	{"add", OP_ADD, 0},	  {"sub", OP_SUB, 0},	  {"mul", OP_MUL, 0},
	{"div", OP_DIV, 0},	  {"mod", OP_MOD, 0},	  {"xor", OP_XOR, 0},
	{"less", OP_LESS, 0},	  {"equal", OP_EQUAL, 0}, {"jump", OP_JUMP, 1},
	{"jumpz", OP_JUMPZ, 1},	  {"call", OP_CALL, 1},	  {"return", OP_RETURN, 0},
	{"random", OP_RANDOM, 0}, {"put", OP_PUT, 0},	  {"get", OP_GET, 0},
	{"append", OP_APPEND, 0}, {"item", OP_ITEM, 0},	  {"length", OP_LENGTH, 0},
	{"clear", OP_CLEAR, 0},	  {"sort", OP_SORT, 1},	  {"print", OP_PRINT, 0},
	{"halt", OP_HALT, 0},
};

#define MNEMONIC_COUNT (sizeof(mnemonics) / sizeof(mnemonics[0]))

static char *skip_blanks(char *at)
{
	while (*at == ' ' || *at == '\t')
		at++;
	return at;
}

static char *word_end(char *at)
{
	while (isalnum((unsigned char)*at) || *at == '_' || *at == '-' || *at == '$')
		at++;
	return at;
}

static struct instruction *append(struct program *program)
{
	if (program->count == program->capacity) {
		size_t capacity = program->capacity ? 2 * program->capacity : 64;
		struct instruction *code;

		code = realloc(program->code, capacity * sizeof(*code));
		if (!code)
			return NULL;
		program->code = code;
		program->capacity = capacity;
	}
	return &program->code[program->count++];
}

static const char *parse_operand(const char *word, struct table *labels, int64_t *operand)
{
	char *end;

	if (*word == '$') {
		if (!isdigit((unsigned char)word[1]) || word[2])
			return "variables are $0 to $9";
		*operand = word[1] - '0';
		return NULL;
	}
	if (isdigit((unsigned char)*word) || *word == '-') {
		*operand = strtoll(word, &end, 10);
		return *end ? "not a number" : NULL;
	}
	return table_get(labels, word, operand) ? NULL : "no such label";
}

static const char *parse_instruction(struct program *program, char *at, struct table *labels)
{
	char *end = word_end(at);
	const struct mnemonic *found = NULL;
	struct instruction *instruction;
	char separator = *end;

	*end = '\0';
	for (size_t i = 0; i < MNEMONIC_COUNT; i++) {
		if (strcmp(mnemonics[i].name, at) == 0)
			found = &mnemonics[i];
	}
	if (!found)
		return "unknown instruction";
	instruction = append(program);
	if (!instruction)
		return "out of memory";
	instruction->opcode = found->opcode;
	instruction->operand = 0;
	if (!found->has_operand)
		return NULL;
	if (!separator)
		return "operand missing";
	at = skip_blanks(end + 1);
	*word_end(at) = '\0';
	return parse_operand(at, labels, &instruction->operand);
}

/* The first pass (labels alone) and the second (instructions) read the text in the same way. */
static int read_lines(struct program *program, char *text, struct table *labels, int second,
		      const char **reason)
{
	int64_t address = 0;
	int line = 1;

	for (char *next, *at = text; at; at = next, line++) {
		char *end;

		next = strchr(at, '\n');
		if (next)
			*next++ = '\0';
		end = strchr(at, ';');
		if (end)
			*end = '\0';
		at = skip_blanks(at);
		end = word_end(at);
		if (*end == ':') {
			*end = '\0';
			if (!second && table_put(labels, at, address)) {
				*reason = "out of memory";
				return line;
			}
			continue;
		}
		if (!*at)
			continue;
		address++;
		if (!second)
			continue;
		*reason = parse_instruction(program, at, labels);
		if (*reason)
			return line;
	}
	return 0;
}

int program_assemble(struct program *program, char *text, const char **reason)
{
	struct table labels;
	char *copy = strdup(text);
	int line;

	memset(program, 0, sizeof(*program));
	*reason = "out of memory";
	if (!copy)
		return 1;
	if (table_init(&labels)) {
		free(copy);
		return 1;
	}
	line = read_lines(program, copy, &labels, 0, reason);
	if (!line)
		line = read_lines(program, text, &labels, 1, reason);
	if (line)
		program_free(program);
	table_free(&labels);
	free(copy);
	return line;
}

void program_free(struct program *program)
{
	free(program->code);
	memset(program, 0, sizeof(*program));
}
