/* SPDX-License-Identifier: MIT */
/*
 * Evaluating instructions of the CPU that softlbr runs on, on a copy of its registers: the ground
 * of look-ahead. Nothing here writes to the program, allocates, locks or makes a system call (but
 * for isa_state_load_context, which may ask for the thread pointer): safe in a signal handler.
 *
 * An instruction is decoded once into a record (32 bytes), and records are evaluated.
 */
#ifndef ISA_EVALUATE_H
#define ISA_EVALUATE_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "isa/isa.h"

#if defined(__x86_64__)
#include "isa/x86_64/record.h"
#include "isa/x86_64/state.h"
#else
#error "softlbr's collector does not know this CPU yet"
#endif

/* How the evaluated program's memory is read: true, or false if any of it can't be. Never faults.
 */
struct isa_memory {
	bool (*read)(void *context, uint64_t address, void *out, size_t bytes);
	void *context;
};

enum isa_outcome {
	ISA_NEXT,	/* control goes on to the next instruction, which the state's pc is now */
	ISA_TAKEN,	/* control left the straight line: the state's pc is the target */
	ISA_UNRESOLVED, /* a branch that depends on an unknown; the state is as before it */
	ISA_OBSTACLE,	/* nothing can be said of what comes behind it (a system call, a trap); the
			 * state is as before it */
};

/*
 * Decode the instruction at @address, whose first @size bytes are @bytes. False if they are no
 * instruction, or not all of one.
 */
bool isa_record_decode(struct isa_decoder *d, const uint8_t *bytes, size_t size, uint64_t address,
		       struct isa_record *out);

/* The state of an interrupted thread, from the ucontext_t that its signal handler was given: every
 * register known, no shadow stores. */
void isa_state_load_context(struct isa_state *s, const void *ucontext);
uint64_t isa_state_pc(const struct isa_state *s);
void isa_state_set_pc(struct isa_state *s, uint64_t pc);
uint64_t isa_state_stack_pointer(const struct isa_state *s);

/*
 * Evaluate a branch (isa_is_branch(r->kind)), which must stand at the state's pc: its condition and
 * its target, from registers and memory. ISA_TAKEN, ISA_NEXT or ISA_UNRESOLVED.
 */
enum isa_outcome isa_evaluate_branch(const struct isa_record *r, struct isa_state *s,
				     const struct isa_memory *m);

#endif
