/* SPDX-License-Identifier: MIT */
/*
 * Evaluating instructions of the CPU that softlbr runs on, on a copy of its registers: the ground
 * of look-ahead. Nothing here writes to the program, allocates, locks or makes a system call (but
 * for isa_state_load_context, which may ask for the thread pointer): safe in a signal handler.
 *
 * An instruction is decoded once into a record (32 bytes), and records are evaluated.
 */
#pragma once

#include "isa/isa.h"

/* Instructions of the CPU that is built for are evaluated. Evaluation of AArch64 is plain C:
 * its tests on other machines define ISA_EVALUATE_AARCH64. */
#if defined(__aarch64__) || defined(ISA_EVALUATE_AARCH64)
#include "isa/aarch64/decode/record.h"
#include "isa/aarch64/state/state.h"
#elif defined(__x86_64__)
#include "isa/x86_64/decode/record.h"
#include "isa/x86_64/state/state.h"
#else
#error "softlbr's collector does not know this CPU yet"
#endif

#define ISA_PAGE    4096u
#define ISA_WINDOWS 256u

/* A page that was read from: words of it that were read once need not be asked for again. */
struct isa_window {
	uint64_t number;      /* address / ISA_PAGE */
	const uint8_t *bytes; /* where they are */
	const uint8_t *again; /* a bit for each 8 bytes: they were read before */
	bool in_place;	      /* in the program's memory, not in a copy */
};

/* How the evaluated program's memory is read: true, or false if any of it can't be. Never faults.
 */
struct isa_memory {
	bool (*read)(void *context, uint64_t address, void *out, size_t bytes);
	void *context;
	/* Where the @bytes (1 to 8, of one word of 8) at @address are, which count as read then;
	 * NULL: they have to be read. Replaces no page. May be NULL itself. */
	const uint8_t *(*touch)(void *context, uint64_t address, unsigned bytes);
	/* the same as read for code that is to be decoded; NULL = read */
	bool (*fetch)(void *context, uint64_t address, void *out, size_t bytes);
	/* ISA_WINDOWS of them, each page in that of its number's remainder; NULL = none */
	const struct isa_window *windows;
	/* how many pages' bytes are not any more where windows said since the last state was loaded
	 */
	uint32_t replaced;
};

/* Code: true, or false if any of it can't be read. */
static inline bool isa_memory_fetch(const struct isa_memory *m, uint64_t address, void *out,
				    size_t bytes)
{
	return (m->fetch ? m->fetch : m->read)(m->context, address, out, bytes);
}

/* Where the @bytes (1 to 8) are that were read before; NULL: not known, m->read is to be asked. */
static inline const uint8_t *isa_memory_again(const struct isa_memory *m, uint64_t address,
					      unsigned bytes)
{
	uint64_t number = address / ISA_PAGE;
	unsigned at = address % ISA_PAGE, word = at / 8, last = (at + bytes - 1) / 8;
	const struct isa_window *w;

	if (!m->windows)
		return NULL;
	w = &m->windows[number % ISA_WINDOWS];
	if (w->number != number || at + bytes > ISA_PAGE ||
	    !(w->again[word / 8] >> word % 8 & w->again[last / 8] >> last % 8 & 1))
		return NULL;
	return w->bytes + at;
}

enum isa_outcome {
	ISA_NEXT,	/* control goes on to the next instruction, which the state's pc is now */
	ISA_TAKEN,	/* control left the straight line: the state's pc is the target */
	ISA_UNRESOLVED, /* a branch that depends on an unknown; the state is as before it */
	ISA_UNMODELLED, /* nothing can be said of what comes behind it (a system call, a trap); the
			 * state is as before it */
};

/*
 * Decode the instruction at @address, whose first @size bytes are @bytes. False if they are no
 * instruction, or not all of one.
 */
bool isa_record_decode(const uint8_t *bytes, size_t size, uint64_t address, struct isa_record *out);

/*
 * Of the CPU's files that are included above:
 *
 * A record's `behind` is how many bytes of its line it ends behind: its length if the line begins
 * with it. A record of zeros is no instruction.
 *
 * ISA_GENERAL_REGISTERS is the number of general registers, which are struct isa_state's first
 * `gpr`. struct isa_record has `length` (bytes), `kind` (enum isa_kind), `target` (of a direct
 * branch), `divides`, and `wait`: cycles that the result of a division or a root takes longer than
 * a sum; isa_record_is_stub tells whether it is a jump to where a slot in memory says, as a PLT
 * stub has it. struct isa_registers is what ptrace gives of a thread that isa_registers_pc tells
 * the place of. isa_atomic_contains(m, address) tells whether a stop at @address would come
 * between a load-exclusive and its store, which fails then, isa_atomic_opens(m, address) whether
 * it is at that load; x86 has none.
 */

/*
 * A state is large (some 140 KB, most of it shadow stores), and valid when zeroed once. Loading it
 * starts a look-ahead: every register known, nothing written. It keeps nothing of what it is loaded
 * from, and costs no more for what look-aheads before wrote.
 */

/* From the ucontext_t that a signal handler was given. */
void isa_state_load_context(struct isa_state *s, const void *ucontext);

/* From ptrace: @vectors is the CPU's register set of them (x86-64: NT_X86_XSTATE, AArch64:
 * NT_PRFPREG); NULL: they are unknown. */
void isa_state_load_ptrace(struct isa_state *s, const struct isa_registers *registers,
			   const void *vectors, size_t vector_bytes);

static inline uint64_t isa_state_pc(const struct isa_state *s)
{
	return s->pc;
}
static inline void isa_state_set_pc(struct isa_state *s, uint64_t pc)
{
	s->pc = pc;
}
/* Loaded from a thread that a breakpoint at its pc would not stop before it has gone on: it comes
 * from one, or from a fault. */
bool isa_state_passes_breakpoint(const struct isa_state *s);
/* Loaded from a thread that has just come back from a system call. */
bool isa_state_is_behind_system_call(const struct isa_state *s, const struct isa_memory *m);
static inline uint64_t isa_state_stack_pointer(const struct isa_state *s)
{
	return s->gpr[ISA_STACK_POINTER];
}
/* A state that was just loaded: the registers of ISA_HOST_UNWIND_MASK, ascending by the kernel's
 * numbers, as many as ISA_HOST_UNWIND_REGISTERS. */
void isa_state_unwind_registers(const struct isa_state *s, uint64_t *out);
/* The number of the system call that the last evaluation stopped at; -1: it stopped at another
 * unmodelled instruction, -2: not known. */
static inline int64_t isa_state_system_call(const struct isa_state *s)
{
	if (s->cause != ISA_CAUSE_SYSTEM_CALL)
		return -1;
	if (s->gpr_known[ISA_SYSTEM_CALL_REGISTER] != UINT64_MAX)
		return -2;
	return (uint32_t)s->gpr[ISA_SYSTEM_CALL_REGISTER];
}
/* May the stack pointer be what it was at the function's first instruction, as far as the calling
 * convention tells? */
static inline bool isa_state_stack_is_at_entry(const struct isa_state *s)
{
	return s->gpr[ISA_STACK_POINTER] % 16 == ISA_ENTRY_STACK;
}

/* The general registers, the stack pointer among them; false if not all of one is known. */
static inline bool isa_state_general_registers(const struct isa_state *s,
					       uint64_t out[ISA_GENERAL_REGISTERS])
{
	uint64_t known = UINT64_MAX;

	for (unsigned r = 0; r < ISA_GENERAL_REGISTERS; r++) {
		out[r] = s->gpr[r];
		known &= s->gpr_known[r];
	}
	return known == UINT64_MAX;
}

/* What @claimed knows of the stack pointer is so in @real. */
static inline bool isa_state_stack_agrees(const struct isa_state *claimed,
					  const struct isa_state *real)
{
	return !((claimed->gpr[ISA_STACK_POINTER] ^ real->gpr[ISA_STACK_POINTER]) &
		 claimed->gpr_known[ISA_STACK_POINTER]);
}

/* Integer arguments that the calling convention passes in registers (System V: rdi, rsi, rdx, rcx,
 * r8, r9). */
#define ISA_ARGUMENTS 6
/* What they hold; false if one of them is not known. */
static inline bool isa_state_arguments(const struct isa_state *s, uint64_t out[ISA_ARGUMENTS])
{
	static const uint8_t order[ISA_ARGUMENTS] = {ISA_ARGUMENT_REGISTERS};
	uint64_t known = UINT64_MAX;

	for (unsigned i = 0; i < ISA_ARGUMENTS; i++) {
		out[i] = s->gpr[order[i]];
		known &= s->gpr_known[order[i]];
	}
	return known == UINT64_MAX;
}
/* The divisor of @r, which divides (r->divides), at the state's pc, sign-extended where the
 * division is signed. False if it is not known, or 0: that traps. */
bool isa_state_divisor(const struct isa_record *r, struct isa_state *s, const struct isa_memory *m,
		       uint64_t *divisor);

/* What look-ahead wrote since the state was loaded. */
static inline const struct isa_shadow *isa_state_shadow(const struct isa_state *s)
{
	return &s->shadow;
}
/* The pc of the ucontext_t that a signal handler was given. */
uint64_t isa_state_context_pc(const void *ucontext);
/* isa_state_is_behind_system_call of such a context, as far as its registers tell. */
bool isa_state_context_is_behind_system_call(const void *ucontext);
/* Are flags set that bring exceptions to ordinary instructions: single steps, alignment checks? */
bool isa_state_context_traps(const void *ucontext);

/* Why the last evaluation said ISA_UNRESOLVED or ISA_UNMODELLED, for people. */
static inline const char *isa_state_cause(const struct isa_state *s)
{
	static const char *const names[] = {
		[ISA_CAUSE_NONE] = "none",
		[ISA_CAUSE_UNKNOWN] = "unknown operand",
		[ISA_CAUSE_SYSTEM_CALL] = "system call",
		[ISA_CAUSE_TRAP] = "trap",
		[ISA_CAUSE_SPIN] = "spinning atomic",
		[ISA_CAUSE_TRANSFER] = "far transfer",
		[ISA_CAUSE_SHADOW_FULL] = "too many stores",
		[ISA_CAUSE_UNMODELLED] = "unmodelled instruction",
	};

	return names[s->cause];
}

/*
 * Evaluate the line of instructions from the state's pc on, up to the first whose outcome is not
 * ISA_NEXT. *r is its first record, and then that one's, or is behind the last. A line ends with
 * the only record of it that is not ISA_OTHER, or before one of zeros. Registers and flags are as
 * before an instruction that can't be evaluated. What is not modelled makes exactly its results
 * unknown.
 *
 * The calling thread's MXCSR must be the ABI's default, as it is in a signal handler.
 */
enum isa_outcome isa_evaluate_line(const struct isa_record **r, struct isa_state *s,
				   const struct isa_memory *m);

/* Evaluate one instruction. */
static inline enum isa_outcome isa_evaluate(const struct isa_record *r, struct isa_state *s,
					    const struct isa_memory *m)
{
	const struct isa_record line[2] = {*r}, *first = line;

	return isa_evaluate_line(&first, s, m);
}

/*
 * Evaluate a branch (isa_is_branch(r->kind)) alone: ISA_TAKEN, ISA_NEXT or ISA_UNRESOLVED.
 */
static inline enum isa_outcome isa_evaluate_branch(const struct isa_record *r, struct isa_state *s,
						   const struct isa_memory *m)
{
	enum isa_outcome outcome = isa_evaluate(r, s, m);

	return outcome == ISA_UNMODELLED ? ISA_UNRESOLVED : outcome;
}

/* A register of which something else is known than what it holds. */
struct isa_difference {
	const char *kind; /* "register", say, or "vector" */
	unsigned number;  /* of a vector: eighths, from v0's lowest on */
	uint64_t claimed, real, known;
};

/* Fill in *d (may be NULL) if two registers differ in what is known of the claimed one. */
static inline bool isa_difference_find(struct isa_difference *d, const char *kind, unsigned number,
				       uint64_t claimed, uint64_t real, uint64_t known)
{
	if (!((claimed ^ real) & known))
		return false;
	if (d)
		*d = (struct isa_difference){kind, number, claimed, real, known};
	return true;
}

/* Everything that @claimed knows is so in @real; else *d (may be NULL) tells the first difference.
 */
bool isa_state_compare(const struct isa_state *claimed, const struct isa_state *real,
		       struct isa_difference *d);
