/* SPDX-License-Identifier: MIT */
#include "machine.h"

#include <inttypes.h>
#include <stdlib.h>
#include <string.h>

#include "sort.h"

static int stop(struct machine *machine, const char *fault)
{
	machine->fault = fault;
	fprintf(stderr, "fault at instruction %zu: %s\n", machine->at, fault);
	return -1;
}

static void push(struct machine *machine, int64_t value)
{
	if (machine->depth == machine->capacity) {
		size_t capacity = machine->capacity ? 2 * machine->capacity : 16;
		int64_t *stack;

		if (capacity > MACHINE_STACK) {
			stop(machine, "stack overflow");
			return;
		}
		stack = realloc(machine->stack, capacity * sizeof(*stack));
		if (!stack) {
			stop(machine, "out of memory");
			return;
		}
		machine->stack = stack;
		machine->capacity = capacity;
	}
	if (machine->trace) {
		fprintf(machine->trace, "%zu: push %" PRId64 "\n", machine->at, value);
	}
	machine->stack[machine->depth] = value;
	machine->depth++;
}

static int64_t pop(struct machine *machine)
{
	int64_t value;

	if (machine->depth == 0) {
		stop(machine, "stack underflow");
		return 0;
	}
	machine->depth--;
	value = machine->stack[machine->depth];
	if (machine->trace) {
		fprintf(machine->trace, "%zu: pop %" PRId64 "\n", machine->at, value);
	}
	return value;
}

static int64_t random_number(struct machine *machine, int64_t limit)
{
	if (limit <= 0) {
		stop(machine, "random needs a positive limit");
		return 0;
	}
	machine->random ^= machine->random << 13;
	machine->random ^= machine->random >> 7;
	machine->random ^= machine->random << 17;
	return (int64_t)(machine->random % (uint64_t)limit);
}

/* Keys of the table are strings: "k" and the number in base 16. */
static void key_of(int64_t number, char *key)
{
	uint64_t left = (uint64_t)number;

	*key = 'k';
	key++;
	do {
		*key = "0123456789abcdef"[left % 16];
		key++;
		left /= 16;
	} while (left);
	*key = '\0';
}

static void put(struct machine *machine, int64_t number, int64_t value)
{
	char key[20];

	key_of(number, key);
	if (table_put(&machine->table, key, value))
		stop(machine, "out of memory");
}

static int64_t get(struct machine *machine, int64_t number)
{
	char key[20];
	int64_t value;

	key_of(number, key);
	if (!table_get(&machine->table, key, &value))
		return -1;
	return value;
}

static void append(struct machine *machine, int64_t value)
{
	if (machine->list_count == machine->list_capacity) {
		size_t capacity = machine->list_capacity ? 2 * machine->list_capacity : 64;
		int64_t *list = realloc(machine->list, capacity * sizeof(*list));

		if (!list) {
			stop(machine, "out of memory");
			return;
		}
		machine->list = list;
		machine->list_capacity = capacity;
	}
	machine->list[machine->list_count] = value;
	machine->list_count++;
}

static int64_t item(struct machine *machine, int64_t index)
{
	if (index < 0 || (size_t)index >= machine->list_count) {
		stop(machine, "no such item");
		return 0;
	}
	return machine->list[index];
}

static void sort(struct machine *machine, int64_t order)
{
	if (order < 0 || order > 2) {
		stop(machine, "no such order");
		return;
	}
	sort_numbers(machine->list, machine->list_count, sort_orders[order]);
}

static void print(struct machine *machine, int64_t value)
{
	machine->checksum = (machine->checksum ^ (uint64_t)value) * 1099511628211u;
	fprintf(machine->output, "%" PRId64 "\n", value);
}

static int64_t divide(struct machine *machine, int64_t a, int64_t b, int want_rest)
{
	if (b == 0) {
		stop(machine, "division by zero");
		return 0;
	}
	if (b == -1)
		return want_rest ? 0 : (int64_t) - (uint64_t)a;
	return want_rest ? a % b : a / b;
}

static void call(struct machine *machine, int64_t target)
{
	if (machine->call_depth == MACHINE_CALLS) {
		stop(machine, "calls too deep");
		return;
	}
	machine->calls[machine->call_depth] = machine->at;
	machine->call_depth++;
	machine->at = (size_t)target;
}

static void leave(struct machine *machine)
{
	if (machine->call_depth == 0) {
		stop(machine, "return without call");
		return;
	}
	machine->call_depth--;
	machine->at = machine->calls[machine->call_depth];
}

/* Instructions that take one or two values from the stack and leave one there. */
static int64_t compute(struct machine *machine, enum opcode opcode, int64_t a, int64_t b)
{
	switch (opcode) {
	case OP_ADD:
		return (int64_t)((uint64_t)a + (uint64_t)b);
	case OP_SUB:
		return (int64_t)((uint64_t)a - (uint64_t)b);
	case OP_MUL:
		return (int64_t)((uint64_t)a * (uint64_t)b);
	case OP_DIV:
		return divide(machine, a, b, 0);
	case OP_MOD:
		return divide(machine, a, b, 1);
	case OP_XOR:
		return a ^ b;
	case OP_LESS:
		return a < b;
	case OP_EQUAL:
		return a == b;
	default:
		stop(machine, "not an operation");
		return 0;
	}
}

static void step(struct machine *machine, const struct instruction *instruction)
{
	int64_t a;
	int64_t b;

	switch (instruction->opcode) {
	case OP_PUSH:
		push(machine, instruction->operand);
		break;
	case OP_LOAD:
		push(machine, machine->variables[instruction->operand]);
		break;
	case OP_STORE:
		machine->variables[instruction->operand] = pop(machine);
		break;
	case OP_DUP:
		a = pop(machine);
		push(machine, a);
		push(machine, a);
		break;
	case OP_DROP:
		pop(machine);
		break;
	case OP_SWAP:
		b = pop(machine);
		a = pop(machine);
		push(machine, b);
		push(machine, a);
		break;
	case OP_JUMP:
		machine->at = (size_t)instruction->operand;
		break;
	case OP_JUMPZ:
		if (pop(machine) == 0)
			machine->at = (size_t)instruction->operand;
		break;
	case OP_CALL:
		call(machine, instruction->operand);
		break;
	case OP_RETURN:
		leave(machine);
		break;
	case OP_RANDOM:
		a = pop(machine);
		push(machine, random_number(machine, a));
		break;
	case OP_PUT:
		b = pop(machine);
		a = pop(machine);
		put(machine, a, b);
		break;
	case OP_GET:
		a = pop(machine);
		push(machine, get(machine, a));
		break;
	case OP_APPEND:
		append(machine, pop(machine));
		break;
	case OP_ITEM:
		a = pop(machine);
		push(machine, item(machine, a));
		break;
	case OP_LENGTH:
		push(machine, (int64_t)machine->list_count);
		break;
	case OP_CLEAR:
		machine->list_count = 0;
		break;
	case OP_SORT:
		sort(machine, instruction->operand);
		break;
	case OP_PRINT:
		print(machine, pop(machine));
		break;
	default:
		b = pop(machine);
		a = pop(machine);
		push(machine, compute(machine, instruction->opcode, a, b));
		break;
	}
}

int machine_init(struct machine *machine, const struct program *program, FILE *output)
{
	memset(machine, 0, sizeof(*machine));
	machine->program = program;
	machine->output = output;
	machine->random = 88172645463325252u;
	machine->checksum = 14695981039346656037u;
	return table_init(&machine->table);
}

void machine_free(struct machine *machine)
{
	table_free(&machine->table);
	free(machine->list);
	free(machine->stack);
	machine->list = NULL;
	machine->stack = NULL;
}

int machine_run(struct machine *machine)
{
	const struct program *program = machine->program;

	while (!machine->fault) {
		const struct instruction *instruction;

		if (machine->at >= program->count)
			return stop(machine, "ran past the end");
		instruction = &program->code[machine->at];
		machine->at++;
		machine->steps++;
		if (instruction->opcode == OP_HALT)
			return 0;
		step(machine, instruction);
	}
	return -1;
}
