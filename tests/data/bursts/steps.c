/* SPDX-License-Identifier: MIT */
/* An interpreter of small commands on eight registers, which runs a program of nested loops with
 * calls. */
#include "start.h"

enum { SET, ADD, MULTIPLY, XOR, SHIFT, LOAD, STORE, LESS, JUMP, CALL, RETURN, MODULO, END };

struct step {
	uint8_t operation, to, a, b;
	int32_t value;
};

#define MEMORY 4096
static uint32_t memory[MEMORY], registers[8], traps;
static int calls[16];

/* Inner loop: memory[i] from memory[j]; every seventh time through a function; counted down by
 * register 2. */
static const struct step program[] = {
	{SET, 1, 0, 0, 900},  {SET, 2, 0, 0, 220}, {LOAD, 3, 2, 0, 0},	 {MULTIPLY, 3, 3, 1, 0},
	{ADD, 3, 3, 2, 17},   {STORE, 3, 2, 0, 0}, {MODULO, 4, 2, 0, 7}, {LESS, 4, 4, 0, 1},
	{JUMP, 4, 0, 0, 15},  {XOR, 5, 5, 3, 0},   {ADD, 2, 2, 7, -1},	 {LESS, 4, 2, 0, 1},
	{JUMP, 4, 0, 0, 17},  {SET, 4, 0, 0, 1},   {JUMP, 4, 0, 0, 2},	 {CALL, 0, 0, 0, 22},
	{JUMP, 6, 0, 0, 10},  {ADD, 1, 1, 7, -1},  {LESS, 4, 1, 0, 1},	 {JUMP, 4, 0, 0, 21},
	{JUMP, 6, 0, 0, 1},   {END, 0, 0, 0, 0},   {SET, 6, 0, 0, 1},	 {SHIFT, 3, 3, 0, 3},
	{LOAD, 4, 3, 0, 0},   {ADD, 5, 5, 4, 1},   {SHIFT, 3, 5, 0, 5},	 {XOR, 5, 5, 3, 9},
	{RETURN, 0, 0, 0, 0},
};

static NOINLINE uint32_t trap(uint32_t address)
{
	traps++;
	return address % MEMORY;
}

static inline uint32_t *cell(uint32_t address)
{
	return &memory[address < MEMORY ? address : trap(address)];
}

static NOINLINE uint32_t interpret(const struct step *s)
{
	uint32_t *r = registers;
	int depth = 0;

	for (;; s++) {
		uint32_t a = r[s->a], b = r[s->b];

		switch (s->operation) {
		case SET:
			r[s->to] = (uint32_t)s->value;
			break;
		case ADD:
			r[s->to] = a + b + (uint32_t)s->value;
			break;
		case MULTIPLY:
			r[s->to] = a * b;
			break;
		case XOR:
			r[s->to] = a ^ b ^ (uint32_t)s->value;
			break;
		case SHIFT:
			r[s->to] = a >> s->value;
			break;
		case LOAD:
			r[s->to] = *cell(a);
			break;
		case STORE:
			*cell(a) = r[s->to];
			break;
		case LESS:
			r[s->to] = a < (uint32_t)s->value;
			break;
		case MODULO:
			r[s->to] = a % (uint32_t)s->value;
			break;
		case JUMP:
			if (r[s->to])
				s = program + s->value - 1;
			break;
		case CALL:
			if (depth == 16)
				return 0;
			calls[depth++] = (int)(s - program);
			s = program + s->value - 1;
			break;
		case RETURN:
			if (!depth)
				return 0;
			s = program + calls[--depth];
			break;
		case END:
			return r[5];
		}
	}
}

static NOINLINE unsigned run(void)
{
	return interpret(program) + traps;
}
