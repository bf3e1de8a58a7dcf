/* SPDX-License-Identifier: MIT */
/*
 * Steps: the common instructions once more, for a state of which all general registers are known.
 * A step knows its sizes and where its operands are, and asks of nothing whether it is known but of
 * what it loads; what it can't do is left to the op of the same record. Inside isa/x86_64 only.
 */
#pragma once

#include "isa/evaluate.h"
#include "isa/x86_64/op.h"

/* Operands: rm with reg, both registers; register with immediate; memory with reg, memory with
 * immediate; reg with rm, both registers; reg with memory. In this order: step.c counts on it. */
#define X86_STEP_TEST(X, name, size) \
	X(name##_##size##_RR)        \
	X(name##_##size##_RI)        \
	X(name##_##size##_MR)        \
	X(name##_##size##_MI)
#define X86_STEP_OPERANDS(X, name, size) \
	X86_STEP_TEST(X, name, size)     \
	X(name##_##size##_RX)            \
	X(name##_##size##_RM)
#define X86_STEP_ARITHMETIC(X, name)  \
	X86_STEP_OPERANDS(X, name, 8) \
	X86_STEP_OPERANDS(X, name, 4) \
	X86_STEP_OPERANDS(X, name, 2) \
	X86_STEP_OPERANDS(X, name, 1)
/* Kernels (isa/x86_64/vector/kernel.h) with steps of their own, for registers and for memory: the
 * name, bytes of the memory operand, rounds. Integers, then floating point. */
#define X86_STEP_KERNELS(X)   \
	X(pxor, 16, false)    \
	X(pand, 16, false)    \
	X(por, 16, false)     \
	X(paddd, 16, false)   \
	X(paddq, 16, false)   \
	X(pcmpeqb, 16, false) \
	X(addss, 4, true)     \
	X(subss, 4, true)     \
	X(mulss, 4, true)     \
	X(divss, 4, true)     \
	X(addsd, 8, true)     \
	X(subsd, 8, true)     \
	X(mulsd, 8, true)     \
	X(divsd, 8, true)     \
	X(addps, 16, true)    \
	X(mulps, 16, true)    \
	X(addpd, 16, true)    \
	X(mulpd, 16, true)
#define X86_STEP_KERNEL(name, bytes, rounds) X(LOW_##name) X(LOW_LOAD_##name)
/* clang-format off */
#define X86_STEP_SIZES(X, name) X(name##_8) X(name##_4)
#define X86_STEP_ALL_SIZES(X, name) X86_STEP_SIZES(X, name) X(name##_2) X(name##_1)
#define X86_STEP_CONDITIONS(X, name) \
	X(name##_O) X(name##_NO) X(name##_B) X(name##_AE) X(name##_E) X(name##_NE) X(name##_BE) X(name##_A) \
	X(name##_S) X(name##_NS) X(name##_P) X(name##_NP) X(name##_L) X(name##_GE) X(name##_LE) X(name##_G)

#define X86_STEPS(X) \
	X(END) /* no instruction: behind a block's last one */ \
	X(CAREFUL) /* by the op, with a state that is not whole */ \
	X(VECTOR) /* by the op, which changes no general register and no flag */ \
	X(GENERAL) /* by the op, which changes no flag */ \
	X(NOTHING) \
	X86_STEP_SIZES(X, MOVE) \
	X86_STEP_SIZES(X, SET) \
	X86_STEP_SIZES(X, LEA) \
	X(LOAD_8) \
	X(LOAD_4) \
	X(LOAD_1) \
	X(STORE_8) \
	X(STORE_4) \
	X(STORE_2) \
	X(STORE_1) \
	X(STORE_IMMEDIATE_8) \
	X(STORE_IMMEDIATE_4) \
	X(STORE_IMMEDIATE_2) \
	X(STORE_IMMEDIATE_1) \
	X(ZERO_EXTEND_1) \
	X(ZERO_EXTEND_2) \
	X(LOAD_ZERO_EXTEND_1) \
	X(LOAD_ZERO_EXTEND_2) \
	X(SIGN_EXTEND_14) \
	X(SIGN_EXTEND_18) \
	X(SIGN_EXTEND_24) \
	X(SIGN_EXTEND_28) \
	X(SIGN_EXTEND_48) \
	X(LOAD_SIGN_EXTEND_14) \
	X(LOAD_SIGN_EXTEND_18) \
	X(LOAD_SIGN_EXTEND_24) \
	X(LOAD_SIGN_EXTEND_28) \
	X(LOAD_SIGN_EXTEND_48) \
	X86_STEP_ARITHMETIC(X, ADD) \
	X86_STEP_ARITHMETIC(X, OR) \
	X86_STEP_ARITHMETIC(X, AND) \
	X86_STEP_ARITHMETIC(X, SUB) \
	X86_STEP_ARITHMETIC(X, XOR) \
	X86_STEP_ARITHMETIC(X, CMP) \
	X86_STEP_TEST(X, TEST, 8) \
	X86_STEP_TEST(X, TEST, 4) \
	X86_STEP_TEST(X, TEST, 2) \
	X86_STEP_TEST(X, TEST, 1) \
	X86_STEP_ALL_SIZES(X, ADD_CARRY) \
	X86_STEP_ALL_SIZES(X, SUB_CARRY) \
	X86_STEP_ALL_SIZES(X, INCREMENT) \
	X86_STEP_ALL_SIZES(X, DECREMENT) \
	X86_STEP_ALL_SIZES(X, NEGATE) \
	X86_STEP_ALL_SIZES(X, COMPLEMENT) \
	X86_STEP_ALL_SIZES(X, ROL) \
	X86_STEP_ALL_SIZES(X, ROR) \
	X86_STEP_ALL_SIZES(X, SHL) \
	X86_STEP_ALL_SIZES(X, SHR) \
	X86_STEP_ALL_SIZES(X, SAR) \
	X86_STEP_SIZES(X, MULTIPLY) \
	X86_STEP_SIZES(X, DIVIDE) \
	X86_STEP_SIZES(X, DIVIDE_SIGNED) \
	X86_STEP_SIZES(X, BIT_SCAN) \
	X86_STEP_SIZES(X, COUNT_ZEROS) \
	X86_STEP_SIZES(X, CMOV) \
	X(SETCC) \
	X86_STEP_SIZES(X, CONVERT) \
	X86_STEP_SIZES(X, CONVERT_DOUBLE) \
	/* at most 16 bytes of vectors that are known whole */ \
	X(LOW_ZERO) \
	X(LOW_MOVE) \
	X86_STEP_SIZES(X, LOW_FROM) \
	X(LOW_PACKED) \
	X(LOW_LOAD_PACKED) \
	X86_STEP_KERNELS(X86_STEP_KERNEL) \
	X(LOW_LOAD_16) \
	X(LOW_LOAD_8) \
	X(LOW_LOAD_4) \
	X(LOW_STORE_16) \
	X(LOW_STORE_8) \
	X(LOW_STORE_4) \
	X(FLOAT_COMPARE_8) \
	X(FLOAT_COMPARE_4) \
	X(PUSH) \
	X(PUSH_IMMEDIATE) \
	X(POP) \
	X(LEAVE) \
	X86_STEP_CONDITIONS(X, JUMP) \
	X(JUMP_ALWAYS) \
	X(JUMP_INDIRECT) \
	X(CALL) \
	X(CALL_INDIRECT) \
	X(RETURN)
/* clang-format on */

enum x86_step {
#define X(name) X86_STEP_##name,
	X86_STEPS(X)
#undef X
		X86_STEP_COUNT
};

/* Fill in the step of a record that has all else. */
void x86_step_choose(struct isa_record *r);
