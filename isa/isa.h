/* SPDX-License-Identifier: MIT */
/*
 * What the rest of softlbr may know of a CPU's instructions: how long one is, what kind of control
 * transfer it makes and where a direct one goes, what it does for its statement, and where the
 * tables of indirect jumps are. One folder per CPU implements it. All functions take the code's ELF
 * machine, which need not be the one that softlbr runs on, and keep no state.
 *
 * Evaluating instructions on a copy of the registers (the collector's side) is isa/evaluate.h.
 */
#pragma once

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

enum isa_kind {
	ISA_OTHER,	      /* control goes on to the next instruction */
	ISA_JUMP,	      /* direct, unconditional */
	ISA_JUMP_CONDITIONAL, /* direct; loop and jrcxz too */
	ISA_JUMP_INDIRECT,
	ISA_CALL, /* direct */
	ISA_CALL_INDIRECT,
	ISA_RETURN,
	ISA_SYSCALL, /* syscall, int n, sysenter: goes on, but the kernel may change anything */
	ISA_STOP,    /* ud2, hlt, int3: control does not go on */
	ISA_UNKNOWN, /* code of a CPU that is not decoded: may be any of these */
};

/* A taken branch. */
struct isa_taken {
	uint64_t from, to;
};

/* Why look-ahead stops (isa/evaluate.h). */
enum isa_cause {
	ISA_CAUSE_NONE,
	ISA_CAUSE_UNKNOWN,     /* the branch depends on an unknown */
	ISA_CAUSE_SYSTEM_CALL, /* and other ways into the kernel */
	ISA_CAUSE_TRAP,	       /* ud2, int3, brk, a division that faults */
	ISA_CAUSE_SPIN,	       /* pause, yield, or an atomic that waits (isa/spins.h) */
	ISA_CAUSE_TRANSFER,    /* far transfers, transactions */
	ISA_CAUSE_SHADOW_FULL, /* too much was written */
	ISA_CAUSE_UNMODELLED,  /* not even which registers change */
};

struct isa_insn {
	uint64_t address;
	uint64_t target; /* of a direct branch or call, else 0 */
	uint8_t length;	 /* bytes */
	uint8_t kind;	 /* enum isa_kind */
	bool nop;	 /* does nothing (padding included) */
};

/* Leaves the straight line when taken: everything but ISA_OTHER, ISA_SYSCALL, ISA_STOP and
 * ISA_UNKNOWN. */
static inline bool isa_is_branch(uint8_t kind)
{
	return kind >= ISA_JUMP && kind <= ISA_RETURN;
}

static inline bool isa_is_call(uint8_t kind)
{
	return kind == ISA_CALL || kind == ISA_CALL_INDIRECT;
}

/* Control never reaches the instruction behind it by falling through. */
static inline bool isa_ends_line(uint8_t kind)
{
	return kind == ISA_JUMP || kind == ISA_JUMP_INDIRECT || kind == ISA_RETURN ||
	       kind == ISA_STOP;
}

/* Is code of that ELF machine decoded? Yes for EM_X86_64, EM_386 and EM_AARCH64. */
bool isa_decoder_is_known(uint16_t elf_machine);

/*
 * Decode the instruction at @address, whose first @size bytes are @bytes. True, or false if they
 * are no instruction (or not all of one). Of a machine that is not known every two bytes at an even
 * address are an instruction of kind ISA_UNKNOWN: no CPU but x86 has odd lengths.
 */
bool isa_decoder_decode(uint16_t elf_machine, const uint8_t *bytes, size_t size, uint64_t address,
			struct isa_insn *out);

/*
 * Clear in the @size bytes of one instruction of an ELF machine what depends on where it is: its
 * distance to code and data. What is left is the same in another build that moved it.
 */
void isa_decoder_forget_place(uint16_t elf_machine, uint8_t *bytes, size_t size);

/*
 * What an instruction does for the statement that it was made from, as far as that tells how often
 * the statement ran: compilers leave stores and calls where they are, hoist and merge moves and
 * addresses freely, and make selects of branches.
 */
enum isa_role {
	ISA_ROLE_COMPUTE, /* everything that is none of the others; loads and tests are */
	ISA_ROLE_STORE,	  /* to memory other than the stack's top */
	ISA_ROLE_SHUFFLE, /* between registers, of constants, of addresses, to and from the stack */
	ISA_ROLE_SELECT,  /* a conditional move or set */
};

struct isa_role_of {
	uint8_t role; /* enum isa_role */
	/* equal for instructions that do the same with the same kinds of operands */
	uint32_t operation;
};

/* The role of the instruction in @bytes; ISA_ROLE_COMPUTE if it is not known. */
struct isa_role_of isa_decoder_find_role(uint16_t elf_machine, const uint8_t *bytes, size_t size);

/*
 * The jump tables that GCC and clang make of switches, on x86-64 and AArch64. Only the code's
 * pattern is recognised here; whether the table's contents make sense is for the caller to check.
 *
 * An entry of @entry_bytes holds the target itself (@absolute), or, shifted left by @shift, its
 * distance from @anchor.
 */
struct isa_table {
	uint64_t base, anchor;
	uint32_t entries; /* as the code checks its index; 0 = not known */
	uint8_t entry_bytes, shift;
	bool absolute;
	bool is_signed; /* the distance */
};

/*
 * The table that the indirect jump @insns[@jump] reads; false if the code around it shows none, or
 * the CPU's tables are not known. @insns are a function's instructions, ascending; @bytes its code
 * from insns[0].address on, as far as insns reach.
 */
bool isa_decoder_find_jump_table(uint16_t elf_machine, const struct isa_insn *insns, size_t count,
				 size_t jump, const uint8_t *bytes, struct isa_table *out);
