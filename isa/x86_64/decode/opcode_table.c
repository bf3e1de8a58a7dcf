/* SPDX-License-Identifier: MIT */
/*
 * Long because it is a table. Sources: Intel SDM volume 2, appendix A (opcode maps); AMD APM volume
 * 3, appendix A (XOP, 3DNow!); Intel APX Architecture Specification (REX2, EVEX map 4).
 */
#include "isa/x86_64/decode/opcode_table.h"

#include "isa/isa.h"
#include "isa/x86_64/decode/record.h"
#include "isa/x86_64/op.h"

#define PLAIN	  X86_PLAIN
#define MODRM	  X86_MODRM
#define MODRM_MEM (X86_MODRM | X86_MEMORY_ONLY)
#define BYTE	  X86_BYTE
#define WORD	  X86_WORD
#define DWORD	  X86_DWORD
#define WIDE	  X86_WIDE
#define FULL	  X86_FULL
#define ADDRESS	  X86_ADDRESS
#define ONLY_32	  X86_ONLY_32

#define EVEN_BYTES X86_EVEN_BYTES
#define CONSTANT   X86_CONSTANT
#define STACK	   X86_STACK
#define RAX_RDX	   (1 << X86_RAX | 1 << X86_RDX)
#define RAX_TO_RBX (RAX_RDX | 1 << X86_RCX | 1 << X86_RBX)

/* An instruction: its form, role and operation, and what else is not as usual. */
#define INSN(form_, role_, op_, ...)                                                         \
	{                                                                                    \
		.form = (form_), .role = X86_ROLE_##role_, .op = X86_OP_##op_, ##__VA_ARGS__ \
	}
/* ... whose operation more than the opcode decides. */
#define SELECT(form_, role_, select_, ...)                                             \
	{                                                                              \
		.form = (form_), .role = X86_ROLE_##role_, .op = X86_SELECT_##select_, \
		##__VA_ARGS__                                                          \
	}
/* ... that look-ahead stops at. */
#define STOPS(form_, cause_, ...) \
	INSN(form_, COMPUTE, UNMODELLED, .variant = ISA_CAUSE_##cause_, ##__VA_ARGS__)
/* ... that takes control elsewhere. */
#define GOES(form_, kind_, role_, op_, ...) \
	INSN(form_, role_, op_, .kind = ISA_##kind_, ##__VA_ARGS__)
#define GROUP(number_)                                     \
	{                                                  \
		.form = MODRM | X86_GROUP, .op = (number_) \
	}
/* ... of MMX, SSE, AVX, AVX-512 and opmasks. */
#define VECTOR(form_, role_) SELECT(form_, role_, VECTOR)

_Static_assert(X86_OP_COUNT <= X86_SELECT_FIRST, "the numbers of operations");

/* ModRM.reg chooses among eight. */
enum group {
	GROUP_1_BYTES,
	GROUP_1,
	GROUP_1_BYTE, /* a constant of one byte, sign-extended */
	GROUP_1A,
	GROUP_3_BYTES,
	GROUP_3,
	GROUP_4,
	GROUP_5,
	GROUP_8,
	GROUP_11_BYTES,
	GROUP_11,
	GROUPS
};

#define ARITHMETIC_CONSTANT(form_, role_with_carry)                                   \
	INSN(form_, UPDATE, ADD, .operands = EVEN_BYTES | CONSTANT),                  \
		INSN(form_, UPDATE, OR, .operands = EVEN_BYTES | CONSTANT),           \
		INSN(form_, role_with_carry, ADC, .operands = EVEN_BYTES | CONSTANT), \
		INSN(form_, role_with_carry, SBB, .operands = EVEN_BYTES | CONSTANT), \
		INSN(form_, UPDATE, AND, .operands = EVEN_BYTES | CONSTANT),          \
		INSN(form_, UPDATE, SUB, .operands = EVEN_BYTES | CONSTANT),          \
		INSN(form_, UPDATE, XOR, .operands = EVEN_BYTES | CONSTANT),          \
		INSN(form_, COMPUTE, CMP, .operands = EVEN_BYTES | CONSTANT)

#define UNARY(form_)                                                                       \
	INSN(form_, COMPUTE, TEST, .operands = EVEN_BYTES | CONSTANT),                     \
		INSN(form_, COMPUTE, TEST, .operands = EVEN_BYTES | CONSTANT),             \
		INSN(MODRM, UPDATE, COMPLEMENT, .operands = EVEN_BYTES),                   \
		INSN(MODRM, UPDATE, NEGATE, .operands = EVEN_BYTES),                       \
		INSN(MODRM, COMPUTE, MULTIPLY_PAIR, .operands = EVEN_BYTES),               \
		INSN(MODRM, COMPUTE, MULTIPLY_PAIR, .operands = EVEN_BYTES, .variant = 1), \
		INSN(MODRM, COMPUTE, DIVIDE, .operands = EVEN_BYTES),                      \
		INSN(MODRM, COMPUTE, DIVIDE, .operands = EVEN_BYTES, .variant = 1)

#define INCREMENTS                                              \
	INSN(MODRM, UPDATE, INCREMENT, .operands = EVEN_BYTES), \
		INSN(MODRM, UPDATE, INCREMENT, .operands = EVEN_BYTES, .variant = 1)

static const struct x86_opcode_entry groups[GROUPS][8] = {
	[GROUP_1_BYTES] = {ARITHMETIC_CONSTANT(MODRM | BYTE, UPDATE)},
	[GROUP_1] = {ARITHMETIC_CONSTANT(MODRM | WIDE, UPDATE)},
	[GROUP_1_BYTE] = {ARITHMETIC_CONSTANT(MODRM | BYTE, UPDATE | X86_ROLE_ADDS_CARRY)},
	[GROUP_1A] = {INSN(MODRM, SHUFFLE, POP, .operands = STACK)},
	[GROUP_3_BYTES] = {UNARY(MODRM | BYTE)},
	[GROUP_3] = {UNARY(MODRM | WIDE)},
	[GROUP_4] = {INCREMENTS},
	[GROUP_5] = {INCREMENTS,
		     GOES(MODRM, CALL_INDIRECT, SHUFFLE, CALL_INDIRECT, .operands = X86_QUAD),
		     GOES(MODRM_MEM, CALL_INDIRECT, SHUFFLE, UNMODELLED,
			  .variant = ISA_CAUSE_TRANSFER),
		     GOES(MODRM, JUMP_INDIRECT, SHUFFLE, JUMP_INDIRECT, .operands = X86_QUAD),
		     GOES(MODRM_MEM, JUMP_INDIRECT, SHUFFLE, UNMODELLED,
			  .variant = ISA_CAUSE_TRANSFER),
		     INSN(MODRM, SHUFFLE, PUSH, .operands = STACK)},
	[GROUP_8] =
		{[4] = INSN(MODRM | BYTE, COMPUTE, BIT_TEST, .operands = CONSTANT,
			    .variant = X86_BT),
		 INSN(MODRM | BYTE, COMPUTE, BIT_TEST, .operands = CONSTANT, .variant = X86_BTS),
		 INSN(MODRM | BYTE, COMPUTE, BIT_TEST, .operands = CONSTANT, .variant = X86_BTR),
		 INSN(MODRM | BYTE, COMPUTE, BIT_TEST, .operands = CONSTANT, .variant = X86_BTC)},
	[GROUP_11_BYTES] = {INSN(MODRM | BYTE, STORE, SET, .operands = EVEN_BYTES | X86_VALUE),
			    [7] = STOPS(MODRM | BYTE, TRANSFER)}, /* xabort */
	[GROUP_11] = {INSN(MODRM | WIDE, STORE, SET, .operands = X86_VALUE),
		      [7] = STOPS(MODRM | WIDE, TRANSFER)}, /* xbegin */
};

/* add, or, adc, sbb, and, sub, xor, cmp in six forms each */
#define ARITHMETIC(base, op_, to_rm, to_reg)                                                     \
	[(base)] = INSN(MODRM, to_rm, op_, .operands = EVEN_BYTES),                              \
	[(base) + 1] = INSN(MODRM, to_rm, op_, .operands = EVEN_BYTES),                          \
	[(base) + 2] = INSN(MODRM, to_reg, op_, .operands = EVEN_BYTES, .element = 1),           \
	[(base) + 3] = INSN(MODRM, to_reg, op_, .operands = EVEN_BYTES, .element = 1),           \
	[(base) + 4] = INSN(BYTE, COMPUTE, op_, .operands = EVEN_BYTES | CONSTANT | X86_RM_RAX), \
	[(base) + 5] = INSN(WIDE, COMPUTE, op_, .operands = EVEN_BYTES | CONSTANT | X86_RM_RAX)

static const struct x86_opcode_entry one_byte[256] = {
	ARITHMETIC(0x00, ADD, UPDATE, COMPUTE),
	ARITHMETIC(0x08, OR, UPDATE, COMPUTE),
	ARITHMETIC(0x10, ADC, UPDATE, COMPUTE),
	ARITHMETIC(0x18, SBB, UPDATE | X86_ROLE_CARRY, COMPUTE | X86_ROLE_CARRY),
	ARITHMETIC(0x20, AND, UPDATE, COMPUTE),
	ARITHMETIC(0x28, SUB, UPDATE, COMPUTE),
	ARITHMETIC(0x30, XOR, UPDATE | X86_ROLE_CONSTANT, COMPUTE | X86_ROLE_CONSTANT),
	ARITHMETIC(0x38, CMP, COMPUTE, COMPUTE),
	[0x06 ... 0x07] = STOPS(PLAIN | ONLY_32, UNMODELLED), /* push and pop of segments */
	[0x0e] = STOPS(PLAIN | ONLY_32, UNMODELLED),
	[0x16 ... 0x17] = STOPS(PLAIN | ONLY_32, UNMODELLED),
	[0x1e ... 0x1f] = STOPS(PLAIN | ONLY_32, UNMODELLED),
	[0x27] = STOPS(PLAIN | ONLY_32, UNMODELLED), /* daa, das, aaa, aas */
	[0x2f] = STOPS(PLAIN | ONLY_32, UNMODELLED),
	[0x37] = STOPS(PLAIN | ONLY_32, UNMODELLED),
	[0x3f] = STOPS(PLAIN | ONLY_32, UNMODELLED),
	[0x40 ... 0x4f] = STOPS(PLAIN | ONLY_32, UNMODELLED), /* inc, dec; else REX */
	[0x50 ... 0x57] = INSN(PLAIN, SHUFFLE, PUSH, .operands = STACK),
	[0x58 ... 0x5f] = INSN(PLAIN, SHUFFLE, POP, .operands = STACK),
	[0x60 ... 0x61] = STOPS(PLAIN | ONLY_32, UNMODELLED),  /* pusha, popa */
	[0x62] = STOPS(MODRM_MEM | ONLY_32, UNMODELLED),       /* bound */
	[0x63] = INSN(MODRM, LOAD, SIGN_EXTEND, .element = 4), /* movsxd */
	[0x68] = INSN(WIDE, SHUFFLE, PUSH, .operands = STACK | CONSTANT),
	[0x69] = INSN(MODRM | WIDE, COMPUTE, MULTIPLY, .operands = CONSTANT),
	[0x6a] = INSN(BYTE, SHUFFLE, PUSH, .operands = STACK | CONSTANT),
	[0x6b] = INSN(MODRM | BYTE, COMPUTE, MULTIPLY, .operands = CONSTANT),
	[0x6c ... 0x6f] = STOPS(PLAIN, TRANSFER), /* ins, outs */
	[0x70 ... 0x7f] = GOES(BYTE, JUMP_CONDITIONAL, COMPUTE, JUMP_CONDITIONAL,
			       .operands = X86_CONDITION),
	[0x80] = GROUP(GROUP_1_BYTES),
	[0x81] = GROUP(GROUP_1),
	[0x82] = {.form = MODRM | X86_GROUP | ONLY_32, .op = GROUP_1_BYTES},
	[0x83] = GROUP(GROUP_1_BYTE),
	[0x84 ... 0x85] = INSN(MODRM, COMPUTE, TEST, .operands = EVEN_BYTES),
	[0x86 ... 0x87] = INSN(MODRM, UPDATE, EXCHANGE, .operands = EVEN_BYTES | X86_LOCKED),
	[0x88 ... 0x89] = SELECT(MODRM, STORE, MOVE, .operands = EVEN_BYTES),
	[0x8a ... 0x8b] = SELECT(MODRM, LOAD, MOVE, .operands = EVEN_BYTES),
	[0x8c] = SELECT(MODRM, COMPUTE, SEGMENT),
	[0x8d] = INSN(MODRM_MEM, SHUFFLE, LEA),
	[0x8e] = STOPS(MODRM, TRANSFER), /* mov to a segment register */
	[0x8f] = GROUP(GROUP_1A),
	[0x90] = SELECT(PLAIN, SHUFFLE, NOP),
	[0x91 ... 0x97] = INSN(PLAIN, COMPUTE, EXCHANGE, .operands = X86_REG_RAX),
	[0x98] = INSN(PLAIN, SHUFFLE, CONVERT),
	[0x99] = INSN(PLAIN, COMPUTE, CONVERT_DOUBLE),
	[0x9a] = GOES(WORD | WIDE | ONLY_32, CALL_INDIRECT, COMPUTE,
		      UNMODELLED),		/* to another segment */
	[0x9b] = INSN(PLAIN, COMPUTE, NOTHING), /* fwait */
	[0x9c] = INSN(PLAIN, COMPUTE, PUSH_FLAGS, .operands = STACK),
	[0x9d] = INSN(PLAIN, COMPUTE, POP_FLAGS, .operands = STACK),
	[0x9e] = INSN(PLAIN, COMPUTE, STORE_FLAGS),
	[0x9f] = INSN(PLAIN, COMPUTE, LOAD_FLAGS),
	[0xa0 ... 0xa3] = SELECT(ADDRESS, COMPUTE, ABSOLUTE, .operands = EVEN_BYTES),
	[0xa4 ... 0xa5] = INSN(PLAIN, COMPUTE, STRING_MOVE, .operands = EVEN_BYTES),
	[0xa6 ... 0xa7] = INSN(PLAIN, COMPUTE, STRING_COMPARE, .operands = EVEN_BYTES),
	[0xa8] = INSN(BYTE, COMPUTE, TEST, .operands = EVEN_BYTES | CONSTANT | X86_RM_RAX),
	[0xa9] = INSN(WIDE, COMPUTE, TEST, .operands = EVEN_BYTES | CONSTANT | X86_RM_RAX),
	[0xaa ... 0xab] = INSN(PLAIN, COMPUTE, STRING_STORE, .operands = EVEN_BYTES),
	[0xac ... 0xad] = INSN(PLAIN, COMPUTE, STRING_LOAD, .operands = EVEN_BYTES),
	[0xae ... 0xaf] = INSN(PLAIN, COMPUTE, STRING_COMPARE, .operands = EVEN_BYTES,
			       .variant = 1),
	[0xb0 ... 0xb7] = INSN(BYTE, SHUFFLE, SET, .operands = X86_BYTES | X86_VALUE),
	[0xb8 ... 0xbf] = INSN(FULL, SHUFFLE, SET, .operands = X86_VALUE),
	[0xc0 ... 0xc1] = INSN(MODRM | BYTE, UPDATE, SHIFT,
			       .operands = EVEN_BYTES | CONSTANT | X86_DIGIT),
	[0xc2] = GOES(WORD, RETURN, SHUFFLE, RETURN, .operands = X86_VALUE | X86_UNSIGNED),
	[0xc3] = GOES(PLAIN, RETURN, SHUFFLE, RETURN, .operands = X86_VALUE),
	[0xc4 ... 0xc5] = STOPS(MODRM_MEM | ONLY_32, UNMODELLED), /* les, lds; else VEX */
	[0xc6] = GROUP(GROUP_11_BYTES),
	[0xc7] = GROUP(GROUP_11),
	[0xc8] = INSN(WORD | BYTE, COMPUTE, ENTER, .operands = X86_VALUE | X86_UNSIGNED),
	[0xc9] = INSN(PLAIN, SHUFFLE, LEAVE, .operands = STACK),
	[0xca] = GOES(WORD, RETURN, COMPUTE, UNMODELLED, .variant = ISA_CAUSE_TRANSFER),
	[0xcb] = GOES(PLAIN, RETURN, COMPUTE, UNMODELLED, .variant = ISA_CAUSE_TRANSFER),
	[0xcc] = STOPS(PLAIN, TRAP, .kind = ISA_STOP),					  /* int3 */
	[0xcd] = STOPS(BYTE, SYSTEM_CALL, .kind = ISA_SYSCALL),				  /* int */
	[0xce] = STOPS(PLAIN | ONLY_32, UNMODELLED),					  /* into */
	[0xcf] = GOES(PLAIN, RETURN, COMPUTE, UNMODELLED, .variant = ISA_CAUSE_TRANSFER), /* iret */
	[0xd0 ... 0xd1] = INSN(MODRM, UPDATE, SHIFT, .operands = EVEN_BYTES | X86_ONE | X86_DIGIT),
	[0xd2 ... 0xd3] = INSN(MODRM, UPDATE, SHIFT, .operands = EVEN_BYTES | X86_DIGIT),
	[0xd4 ... 0xd5] = STOPS(BYTE | ONLY_32, UNMODELLED), /* aam, aad */
	[0xd6] = STOPS(PLAIN | ONLY_32, UNMODELLED),	     /* salc */
	[0xd7] = INSN(PLAIN, COMPUTE, TRANSLATE),
	[0xd8 ... 0xdf] = SELECT(MODRM, COMPUTE, X87),
	[0xe0 ... 0xe3] = SELECT(BYTE, COMPUTE, LOOP, .kind = ISA_JUMP_CONDITIONAL),
	[0xe4 ... 0xe7] = STOPS(BYTE, TRANSFER), /* in, out */
	[0xe8] = GOES(DWORD, CALL, COMPUTE, CALL),
	[0xe9] = GOES(DWORD, JUMP, COMPUTE, JUMP),
	[0xea] = GOES(WORD | WIDE | ONLY_32, JUMP_INDIRECT, COMPUTE, UNMODELLED),
	[0xeb] = GOES(BYTE, JUMP, COMPUTE, JUMP),
	[0xec ... 0xef] = STOPS(PLAIN, TRANSFER),	      /* in, out */
	[0xf1] = STOPS(PLAIN, TRAP),			      /* int1 */
	[0xf4] = STOPS(PLAIN, TRAP, .kind = ISA_STOP),	      /* hlt */
	[0xf5] = INSN(PLAIN, COMPUTE, FLAG, .variant = 0xf5), /* cmc, clc, stc, cld, std */
	[0xf6] = GROUP(GROUP_3_BYTES),
	[0xf7] = GROUP(GROUP_3),
	[0xf8] = INSN(PLAIN, COMPUTE, FLAG, .variant = 0xf8),
	[0xf9] = INSN(PLAIN, COMPUTE, FLAG, .variant = 0xf9),
	[0xfa ... 0xfb] = STOPS(PLAIN, TRANSFER), /* cli, sti */
	[0xfc] = INSN(PLAIN, COMPUTE, FLAG, .variant = 0xfc),
	[0xfd] = INSN(PLAIN, COMPUTE, FLAG, .variant = 0xfd),
	[0xfe] = GROUP(GROUP_4),
	[0xff] = GROUP(GROUP_5),
};

static const struct x86_opcode_entry map_0f[256] = {
	[0x00] = STOPS(MODRM, UNMODELLED),
	[0x01] = SELECT(MODRM, COMPUTE, 0F01),
	[0x02 ... 0x03] = STOPS(MODRM, UNMODELLED),
	[0x05] = STOPS(PLAIN, SYSTEM_CALL, .kind = ISA_SYSCALL), /* syscall */
	[0x06] = STOPS(PLAIN, UNMODELLED),
	[0x07] = STOPS(PLAIN, SYSTEM_CALL), /* sysret */
	[0x08 ... 0x09] = STOPS(PLAIN, UNMODELLED),
	[0x0b] = STOPS(PLAIN, TRAP, .kind = ISA_STOP), /* ud2 */
	[0x0d] = INSN(MODRM, COMPUTE, NOTHING),	       /* prefetches */
	[0x0e] = STOPS(PLAIN, UNMODELLED),
	[0x0f] = VECTOR(MODRM | BYTE, COMPUTE), /* 3DNow!, whose opcode is behind its operands */
	[0x10] = VECTOR(MODRM, LOAD),
	[0x11] = VECTOR(MODRM, STORE),
	[0x12] = VECTOR(MODRM, LOAD),
	[0x13] = VECTOR(MODRM, STORE),
	[0x14 ... 0x15] = VECTOR(MODRM, COMPUTE),
	[0x16] = VECTOR(MODRM, LOAD),
	[0x17] = VECTOR(MODRM, STORE),
	[0x18 ... 0x1d] = INSN(MODRM, COMPUTE,
			       NOTHING), /* prefetches, cldemote and reserved ones */
	[0x1e] = SELECT(MODRM, SHUFFLE, HINT),
	[0x1f] = INSN(MODRM, SHUFFLE, NOTHING),
	[0x20 ... 0x23] = STOPS(MODRM | X86_REGISTER,
				UNMODELLED), /* mov of control and debug registers */
	[0x28] = VECTOR(MODRM, LOAD),
	[0x29] = VECTOR(MODRM, STORE),
	[0x2a] = VECTOR(MODRM, COMPUTE),
	[0x2b] = VECTOR(MODRM, STORE),
	[0x2c ... 0x2f] = VECTOR(MODRM, COMPUTE),
	[0x30] = STOPS(PLAIN, UNMODELLED),
	[0x31] = INSN(PLAIN, COMPUTE, CLOBBER, .operands = X86_LONG,
		      .variant = RAX_RDX), /* rdtsc */
	[0x32] = STOPS(PLAIN, UNMODELLED),
	[0x33] = INSN(PLAIN, COMPUTE, CLOBBER, .operands = X86_LONG,
		      .variant = RAX_RDX),			 /* rdpmc */
	[0x34] = STOPS(PLAIN, SYSTEM_CALL, .kind = ISA_SYSCALL), /* sysenter */
	[0x35] = STOPS(PLAIN, SYSTEM_CALL),			 /* sysexit */
	[0x37] = STOPS(PLAIN, UNMODELLED),
	[0x40 ... 0x4f] = INSN(MODRM, SELECT, CMOV, .operands = X86_CONDITION),
	[0x50 ... 0x56] = VECTOR(MODRM, COMPUTE),
	[0x57] = VECTOR(MODRM, COMPUTE | X86_ROLE_CONSTANT), /* xorps */
	[0x58 ... 0x6d] = VECTOR(MODRM, COMPUTE),
	[0x6e ... 0x6f] = VECTOR(MODRM, LOAD),
	[0x70 ... 0x73] = VECTOR(MODRM | BYTE, COMPUTE), /* shuffles and shifts by a constant */
	[0x74 ... 0x76] = VECTOR(MODRM, COMPUTE),
	[0x77] = VECTOR(PLAIN, COMPUTE), /* emms, vzeroupper */
	[0x78] = VECTOR(MODRM | X86_BIT_FIELD, COMPUTE),
	[0x79 ... 0x7d] = VECTOR(MODRM, COMPUTE),
	[0x7e] = VECTOR(MODRM, LOAD_F3),
	[0x7f] = VECTOR(MODRM, STORE),
	[0x80 ... 0x8f] = GOES(DWORD, JUMP_CONDITIONAL, COMPUTE, JUMP_CONDITIONAL,
			       .operands = X86_CONDITION),
	[0x90 ... 0x9f] = INSN(MODRM, SELECT, SETCC, .operands = X86_BYTES | X86_CONDITION),
	[0xa0] = INSN(PLAIN, COMPUTE, PUSH,
		      .operands = STACK | X86_RM_ZERO), /* fs is 0 in 64-bit mode */
	[0xa1] = STOPS(PLAIN, UNMODELLED),
	[0xa2] = INSN(PLAIN, COMPUTE, CLOBBER, .operands = X86_LONG,
		      .variant = RAX_TO_RBX), /* cpuid */
	[0xa3] = INSN(MODRM, COMPUTE, BIT_TEST, .variant = X86_BT),
	[0xa4] = INSN(MODRM | BYTE, COMPUTE, SHIFT_DOUBLE, .operands = CONSTANT),
	[0xa5] = INSN(MODRM, COMPUTE, SHIFT_DOUBLE),
	[0xa6 ... 0xa7] = STOPS(MODRM, UNMODELLED),			      /* VIA's PadLock */
	[0xa8] = INSN(PLAIN, COMPUTE, PUSH, .operands = STACK | X86_RM_ZERO), /* gs */
	[0xa9 ... 0xaa] = STOPS(PLAIN, UNMODELLED),
	[0xab] = INSN(MODRM, COMPUTE, BIT_TEST, .variant = X86_BTS),
	[0xac] = INSN(MODRM | BYTE, COMPUTE, SHIFT_DOUBLE, .operands = CONSTANT, .variant = 1),
	[0xad] = INSN(MODRM, COMPUTE, SHIFT_DOUBLE, .variant = 1),
	[0xae] = SELECT(MODRM, COMPUTE, 0FAE),
	[0xaf] = INSN(MODRM, COMPUTE, MULTIPLY),
	[0xb0 ... 0xb1] = INSN(MODRM, UPDATE, COMPARE_EXCHANGE, .operands = EVEN_BYTES),
	[0xb2] = STOPS(MODRM_MEM, UNMODELLED), /* lss */
	[0xb3] = INSN(MODRM, COMPUTE, BIT_TEST, .variant = X86_BTR),
	[0xb4 ... 0xb5] = STOPS(MODRM_MEM, UNMODELLED), /* lfs, lgs */
	[0xb6] = INSN(MODRM, LOAD, ZERO_EXTEND, .operands = X86_RM_BYTE, .element = 1),
	[0xb7] = INSN(MODRM, LOAD, ZERO_EXTEND, .element = 2),
	[0xb8] = SELECT(MODRM, COMPUTE, BEHIND_F3),
	[0xb9] = STOPS(MODRM, TRAP, .kind = ISA_STOP), /* ud1 */
	[0xba] = GROUP(GROUP_8),
	[0xbb] = INSN(MODRM, COMPUTE, BIT_TEST, .variant = X86_BTC),
	[0xbc ... 0xbd] = SELECT(MODRM, COMPUTE, BEHIND_F3),
	[0xbe] = INSN(MODRM, LOAD, SIGN_EXTEND, .operands = X86_RM_BYTE, .element = 1),
	[0xbf] = INSN(MODRM, LOAD, SIGN_EXTEND, .element = 2),
	[0xc0 ... 0xc1] = INSN(MODRM, UPDATE, EXCHANGE_ADD, .operands = EVEN_BYTES),
	[0xc2] = VECTOR(MODRM | BYTE, COMPUTE),
	[0xc3] = INSN(MODRM_MEM, COMPUTE, STORE), /* movnti */
	[0xc4 ... 0xc6] = VECTOR(MODRM | BYTE, COMPUTE),
	[0xc7] = SELECT(MODRM, COMPUTE, 0FC7),
	[0xc8 ... 0xcf] = INSN(PLAIN, COMPUTE, BYTE_SWAP),
	[0xd0 ... 0xd5] = VECTOR(MODRM, COMPUTE),
	[0xd6] = VECTOR(MODRM, STORE),
	[0xd7 ... 0xe6] = VECTOR(MODRM, COMPUTE),
	[0xe7] = VECTOR(MODRM, STORE),
	[0xe8 ... 0xee] = VECTOR(MODRM, COMPUTE),
	[0xef] = VECTOR(MODRM, COMPUTE | X86_ROLE_CONSTANT), /* pxor */
	[0xf0 ... 0xfe] = VECTOR(MODRM, COMPUTE),
	[0xff] = STOPS(MODRM, TRAP, .kind = ISA_STOP), /* ud0 */
};

/* APX's map 4: only lengths are known of it. Where nothing stands a ModRM byte follows. */
static const struct x86_opcode_entry map_evex4[256] = {
	[0x24] = STOPS(MODRM | BYTE, UNMODELLED), /* shld, shrd */
	[0x2c] = STOPS(MODRM | BYTE, UNMODELLED),
	[0x69] = STOPS(MODRM | WIDE, UNMODELLED), /* imul */
	[0x6b] = STOPS(MODRM | BYTE, UNMODELLED),
	[0x80] = STOPS(MODRM | BYTE, UNMODELLED), /* add ... cmp, ccmp */
	[0x81] = STOPS(MODRM | WIDE, UNMODELLED),
	[0x83] = STOPS(MODRM | BYTE, UNMODELLED),
	[0xc0 ... 0xc1] = STOPS(MODRM | BYTE, UNMODELLED), /* shifts */
	[0xd4] = STOPS(MODRM | BYTE, UNMODELLED),	   /* sha1rnds4 */
	[0xf6] = GROUP(GROUP_3_BYTES),
	[0xf7] = GROUP(GROUP_3),
};

/* Regular maps: one entry stands for every opcode. */
static const struct x86_opcode_entry none = {0};
static const struct x86_opcode_entry vector = VECTOR(MODRM, COMPUTE);
static const struct x86_opcode_entry vector_byte = VECTOR(MODRM | BYTE, COMPUTE);
static const struct x86_opcode_entry integer_0f38 = SELECT(MODRM, COMPUTE, 0F38);
static const struct x86_opcode_entry unmodelled = STOPS(MODRM, UNMODELLED);
static const struct x86_opcode_entry unmodelled_byte = STOPS(MODRM | BYTE, UNMODELLED);
static const struct x86_opcode_entry unmodelled_dword = STOPS(MODRM | DWORD, UNMODELLED);
static const struct x86_opcode_entry jump_absolute = GOES(ADDRESS, JUMP, COMPUTE, UNMODELLED);

/* REX2 does not precede opcodes that have a prefix's bytes, nor conditional jumps. */
static const struct x86_opcode_entry *find_rex2(unsigned map, uint8_t opcode)
{
	unsigned row = opcode >> 4;

	if (map == X86_MAP_0F)
		return row == 3 || row == 8 ? &none : &map_0f[opcode];
	if (opcode == 0xa1)
		return &jump_absolute;
	return row == 4 || row == 7 || row == 0xa || row == 0xe ? &none : &one_byte[opcode];
}

static const struct x86_opcode_entry *find_legacy(unsigned map, uint8_t opcode)
{
	switch (map) {
	case X86_MAP_ONE_BYTE:
		return &one_byte[opcode];
	case X86_MAP_0F:
		return &map_0f[opcode];
	case X86_MAP_0F38:
		return opcode >= 0xf0 ? &integer_0f38 : &vector;
	}
	return &vector_byte;
}

/* VEX, EVEX and XOP */
static const struct x86_opcode_entry *find_long(unsigned map, unsigned encoding, uint8_t opcode)
{
	switch (map) {
	case X86_MAP_0F:
		return map_0f[opcode].op == X86_SELECT_VECTOR ? &map_0f[opcode] : &vector;
	case X86_MAP_0F38:
		return &vector;
	case X86_MAP_0F3A:
		return &vector_byte;
	case X86_MAP_EVEX4:
		return encoding != X86_EVEX	? &none
		       : map_evex4[opcode].form ? &map_evex4[opcode]
						: &unmodelled;
	case X86_MAP_5:
	case X86_MAP_6:
		return &unmodelled;
	case X86_MAP_7:
		return &unmodelled_dword;
	case X86_MAP_XOP8:
		return encoding == X86_XOP ? &unmodelled_byte : &none;
	case X86_MAP_XOP9:
		return encoding == X86_XOP ? &unmodelled : &none;
	case X86_MAP_XOP10:
		return encoding == X86_XOP ? &unmodelled_dword : &none;
	}
	return &none;
}

const struct x86_opcode_entry *x86_opcode_find(unsigned map, unsigned encoding, uint8_t opcode,
					       bool apx)
{
	if (encoding != X86_LEGACY)
		return find_long(map, encoding, opcode);
	return apx ? find_rex2(map, opcode) : find_legacy(map, opcode);
}

const struct x86_opcode_entry *x86_opcode_member(const struct x86_opcode_entry *entry,
						 unsigned digit)
{
	return &groups[entry->op][digit];
}
