/* SPDX-License-Identifier: MIT */
/* A program of the example machine: instructions, and the assembler that makes them from text. */
#ifndef PROGRAM_H
#define PROGRAM_H

#include <stddef.h>
#include <stdint.h>

enum opcode {
	OP_PUSH,
	OP_LOAD,
	OP_STORE,
	OP_DUP,
	OP_DROP,
	OP_SWAP,
	OP_ADD,
	OP_SUB,
	OP_MUL,
	OP_DIV,
	OP_MOD,
	OP_XOR,
	OP_LESS,
	OP_EQUAL,
	OP_JUMP,
	OP_JUMPZ,
	OP_CALL,
	OP_RETURN,
	OP_RANDOM,
	OP_PUT,
	OP_GET,
	OP_APPEND,
	OP_ITEM,
	OP_LENGTH,
	OP_CLEAR,
	OP_SORT,
	OP_PRINT,
	OP_HALT,
};

struct instruction {
	enum opcode opcode;
	int64_t operand;
};

struct program {
	struct instruction *code;
	size_t count;
	size_t capacity;
};

/* Assemble @text, which is cut up on the way. Returns 0, or the number of the line that is wrong,
 * with the reason in *@reason. */
int program_assemble(struct program *program, char *text, const char **reason);
void program_free(struct program *program);

#endif
