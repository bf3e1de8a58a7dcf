/* SPDX-License-Identifier: MIT */
/*
 * What the rest of softlbr may know of a CPU: how long an instruction is, what kind of control
 * transfer it makes, and where a direct one goes. One folder per CPU implements it; this is the
 * only room that includes Capstone.
 *
 * Evaluating instructions on a copy of the registers (the collector's side) is isa/evaluate.h.
 */
#ifndef ISA_ISA_H
#define ISA_ISA_H

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

/*
 * Clear in the @size bytes of one instruction of an ELF machine what depends on where it is: its
 * distance to code and data. What is left is the same in another build that moved it.
 */
void isa_place_forget(uint16_t elf_machine, uint8_t *bytes, size_t size);

struct isa_decoder;

/* Is code of that ELF machine decoded? Yes for EM_X86_64, EM_386 and EM_AARCH64. */
bool isa_decoder_is_known(uint16_t elf_machine);
/*
 * A decoder for an ELF machine; NULL without memory. Of a machine that is not known every two bytes
 * at an even address are an instruction of kind ISA_UNKNOWN: no CPU but x86 has odd lengths. One
 * thread at a time per decoder.
 */
struct isa_decoder *isa_decoder_new(uint16_t elf_machine);
void isa_decoder_free(struct isa_decoder *d);

/*
 * Decode the instruction at @address, whose first @size bytes are @bytes. True, or false if they
 * are no instruction (or not all of one). Does not allocate.
 */
bool isa_decoder_decode(struct isa_decoder *d, const uint8_t *bytes, size_t size, uint64_t address,
			struct isa_insn *out);

#endif
