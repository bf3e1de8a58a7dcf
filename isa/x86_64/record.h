/* SPDX-License-Identifier: MIT */
/* An x86-64 instruction as look-ahead wants it. */
#ifndef ISA_X86_64_RECORD_H
#define ISA_X86_64_RECORD_H

#include <stdint.h>

#define X86_NO_REGISTER 0xff
#define X86_RIP		0x10 /* as a base register */

/* Register numbers are the encoding's: rax rcx rdx rbx rsp rbp rsi rdi r8..r15. */
struct x86_memory_operand {
	int32_t displacement;
	uint8_t base;	 /* register, X86_RIP or X86_NO_REGISTER */
	uint8_t index;	 /* register or X86_NO_REGISTER */
	uint8_t scale;	 /* shift: 0 to 3 */
	uint8_t segment; /* 0, 0x64 (fs) or 0x65 (gs) */
};

struct isa_record {
	uint64_t target;   /* of a direct branch or call */
	uint8_t length;	   /* bytes */
	uint8_t kind;	   /* enum isa_kind */
	uint8_t condition; /* of a conditional jump: low 4 bits of its opcode, or enum x86_loop */
	uint8_t reg;	   /* of a branch through a register; X86_NO_REGISTER: through memory */
	bool address32;	   /* addresses (and the counter of loop and jrcxz) are 32 bits wide */
	bool far_transfer; /* retf, iret, far call or jump: changes segments, never evaluated */
	uint16_t pop;	   /* ret n: bytes dropped behind the return address */
	struct x86_memory_operand memory;
	uint32_t reserved[2];
};

/* Conditions beyond the 16 of jcc. */
enum x86_loop { X86_LOOPNE = 0x10, X86_LOOPE, X86_LOOP, X86_JRCXZ };

_Static_assert(sizeof(struct isa_record) == 32, "a record is 32 bytes");

#endif
