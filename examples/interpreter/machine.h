/* SPDX-License-Identifier: MIT */
/* The stack machine that runs a program. */
#ifndef MACHINE_H
#define MACHINE_H

#include <stddef.h>
#include <stdint.h>
#include <stdio.h>

#include "program.h"
#include "table.h"

#define MACHINE_STACK	  4096
#define MACHINE_CALLS	  64
#define MACHINE_VARIABLES 10

struct machine {
	const struct program *program;
	FILE *output;
	FILE *trace; /* every push and pop, or NULL */
	size_t at;   /* next instruction */
	int64_t *stack;
	size_t depth;
	size_t capacity;
	size_t calls[MACHINE_CALLS];
	size_t call_depth;
	int64_t variables[MACHINE_VARIABLES];
	struct table table;
	int64_t *list;
	size_t list_count;
	size_t list_capacity;
	uint64_t random;
	uint64_t steps;
	uint64_t checksum; /* of everything that was printed */
	const char *fault; /* why it stopped, NULL after a halt */
};

int machine_init(struct machine *machine, const struct program *program, FILE *output);
void machine_free(struct machine *machine);
/* 0 after a halt, -1 after a fault. */
int machine_run(struct machine *machine);

#endif
