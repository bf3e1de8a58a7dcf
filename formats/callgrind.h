/* SPDX-License-Identifier: MIT */
/*
 * Exact counts of instructions, jumps and calls, as callgrind writes them with --dump-instr=yes
 * --collect-jumps=yes (Valgrind manual, "Callgrind Format Specification"). Addresses are those of
 * the objects (ELF virtual addresses), but for code in no object that Valgrind knows ("???"), where
 * they are the process's.
 */
#pragma once

#include "base/map.h"
#include "base/strings.h"
#include "base/vector.h"
#include "softlbr/error.h"

/* A transfer of control; objects are numbers of names in `strings`. */
struct callgrind_transfer {
	uint32_t object, target_object;
	bool call;
	uint64_t from, to;
	uint64_t taken; /* times */
};

struct callgrind {
	struct strings *strings;
	struct map instructions; /* (object, address) -> n = times executed */
	VECTOR(struct callgrind_transfer) transfers;
	VECTOR(uint32_t) objects; /* each once, in the file's order */
};

bool callgrind_is(const uint8_t *data, size_t size);
/* Read a file into @c (zeroed), to be ended with callgrind_deinit also after an error. Refused:
 * without instruction addresses, and cut off before its totals. */
int callgrind_read_bytes(struct callgrind *c, const uint8_t *data, size_t size, const char *name,
			 struct softlbr_error *e);
void callgrind_deinit(struct callgrind *c);
