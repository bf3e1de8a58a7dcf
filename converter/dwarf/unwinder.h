/* SPDX-License-Identifier: MIT */
/*
 * The callers of a thread by its registers and a copy of its stack, as the unwinding tables of the
 * files that are mapped tell them (.eh_frame; DWARF 5, 6.4; System V ABI of the CPU): elfutils'
 * libdwfl. Of x86-64 and AArch64.
 */
#pragma once

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

/* Code that a file was mapped for: @file_offset of it is at @start. */
struct unwinder_mapping {
	const char *path;
	uint64_t start, file_offset;
};

/* What is mapped at an address of the thread's; false: nothing that is known. What it gives has to
 * be there until the next call. */
struct unwinder_space {
	bool (*at)(void *context, uint64_t address, struct unwinder_mapping *out);
	void *context;
};

struct unwinder_thread {
	uint64_t register_mask;	   /* as the kernel numbers them (perf_regs.h of the CPU) */
	const uint64_t *registers; /* ascending */
	const uint8_t *stack;	   /* from the stack pointer on */
	size_t stack_bytes;
};

struct unwinder;

/* For the threads of one space, whose mappings do not change; opens its files as they are needed.
 * NULL without memory. */
struct unwinder *unwinder_new(const struct unwinder_space *space);
void unwinder_free(struct unwinder *u);
/*
 * The calls that have not returned, each as the address of its last byte (where a signal came in
 * between, of the instruction that it interrupted), the innermost first: at most @most; returns how
 * many. *whole: there are no more, the thread began there. What is not known ends it.
 */
size_t unwinder_calls(struct unwinder *u, const struct unwinder_thread *t, uint64_t *calls,
		      size_t most, bool *whole);
