/* SPDX-License-Identifier: MIT */
/* A program of hand-written assembly, opened for a test: every place is known by its label. */
#pragma once

#include "converter/binary/binary.h"
#include "tests/unit/program.h"

static struct binary *binary;

/* For a group's setup: b, of b.o; 0, or -1 if it can't be made. */
static inline int assembled_make(const char *source)
{
	if (program_directory_make() || program_write("b.s", source) ||
	    program_run("gcc -c b.s -o b.o && ld -e 0 b.o -o b") || program_symbols_load("b"))
		return -1;
	binary = binary_open("b", NULL);
	return binary ? 0 : -1;
}

/* A group's teardown. */
static inline int assembled_remove(void **state)
{
	(void)state;
	binary_close(binary);
	program_directory_remove();
	return 0;
}

/* Where a label is; the test fails if there is none. */
static inline uint64_t at(const char *label)
{
	uint64_t va = program_symbol(label);

	assert_int_not_equal(va, 0);
	return va;
}
