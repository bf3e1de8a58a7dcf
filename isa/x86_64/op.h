/* SPDX-License-Identifier: MIT */
/*
 * What evaluates an instruction: the op of a record selects one of these functions. Inside
 * isa/x86_64 only.
 */
#ifndef ISA_X86_64_OP_H
#define ISA_X86_64_OP_H

#include "isa/evaluate.h"
#include "isa/x86_64/decode/layout.h"

/* op, function x86_evaluate_NAME */
#define X86_OPS(X)                                      \
	/* branches */                                  \
	X(JUMP, jump)                                   \
	X(JUMP_CONDITIONAL, jump_conditional)           \
	X(LOOP, loop)                                   \
	X(JUMP_INDIRECT, jump_indirect)                 \
	X(CALL, call)                                   \
	X(CALL_INDIRECT, call_indirect)                 \
	X(RETURN, return )                              \
	/* integer */                                   \
	X(NOTHING, nothing)                             \
	X(MOVE, move)                                   \
	X(LOAD, load)                                   \
	X(STORE, store)                                 \
	X(SET, set)                                     \
	X(LEA, lea)                                     \
	X(ZERO_EXTEND, zero_extend)                     \
	X(SIGN_EXTEND, sign_extend)                     \
	X(ADD, add)                                     \
	X(OR, logic_or)                                 \
	X(ADC, adc)                                     \
	X(SBB, sbb)                                     \
	X(AND, logic_and)                               \
	X(SUB, sub)                                     \
	X(XOR, logic_xor)                               \
	X(CMP, cmp)                                     \
	X(TEST, test)                                   \
	X(INCREMENT, increment)                         \
	X(NEGATE, negate)                               \
	X(COMPLEMENT, complement)                       \
	X(EXCHANGE, exchange)                           \
	X(EXCHANGE_ADD, exchange_add)                   \
	X(COMPARE_EXCHANGE, compare_exchange)           \
	X(COMPARE_EXCHANGE_PAIR, compare_exchange_pair) \
	X(CMOV, cmov)                                   \
	X(SETCC, setcc)                                 \
	X(CONVERT, convert)                             \
	X(CONVERT_DOUBLE, convert_double)               \
	X(BYTE_SWAP, byte_swap)                         \
	X(MOVE_SWAPPED, move_swapped)                   \
	X(TRANSLATE, translate)                         \
	X(FLAG, flag)                                   \
	X(LOAD_FLAGS, load_flags)                       \
	X(STORE_FLAGS, store_flags)                     \
	/* multiplication and division */               \
	X(MULTIPLY_PAIR, multiply_pair)                 \
	X(MULTIPLY, multiply)                           \
	X(MULX, mulx)                                   \
	X(DIVIDE, divide)                               \
	X(ADD_CARRY, add_carry)                         \
	/* shifts and bits */                           \
	X(SHIFT, shift)                                 \
	X(SHIFT_DOUBLE, shift_double)                   \
	X(SHIFT_PLAIN, shift_plain)                     \
	X(BIT_TEST, bit_test)                           \
	X(BIT_SCAN, bit_scan)                           \
	X(COUNT_ZEROS, count_zeros)                     \
	X(POPULATION, population)                       \
	X(AND_NOT, and_not)                             \
	X(LOWEST_BIT, lowest_bit)                       \
	X(BIT_FIELD, bit_field)                         \
	X(ZERO_HIGH, zero_high)                         \
	X(BIT_PACK, bit_pack)                           \
	X(CRC32, crc32)                                 \
	/* the stack */                                 \
	X(PUSH, push)                                   \
	X(POP, pop)                                     \
	X(PUSH_FLAGS, push_flags)                       \
	X(POP_FLAGS, pop_flags)                         \
	X(ENTER, enter)                                 \
	X(LEAVE, leave)                                 \
	/* strings */                                   \
	X(STRING_MOVE, string_move)                     \
	X(STRING_STORE, string_store)                   \
	X(STRING_LOAD, string_load)                     \
	X(STRING_COMPARE, string_compare)               \
	/* what only the machine knows */               \
	X(CLOBBER, clobber)                             \
	X(STORE_UNKNOWN, store_unknown)                 \
	X(STORE_MXCSR, store_mxcsr)                     \
	X(LOAD_MXCSR, load_mxcsr)                       \
	X(SAVE_EXTENDED, save_extended)                 \
	X(RESTORE_EXTENDED, restore_extended)           \
	X(FORGET_VECTORS, forget_vectors)               \
	X(FORGET_VECTOR, forget_vector)                 \
	X(FORGET_OPMASK, forget_opmask)                 \
	X(FORGET_GATHER, forget_gather)                 \
	X(SCATTER, scatter)                             \
	/* vectors */                                   \
	X(PACKED, packed)                               \
	X(PACKED_SHIFT, packed_shift)                   \
	X(PACKED_TO_OPMASK, packed_to_opmask)           \
	X(MOVE_MASK, move_mask)                         \
	X(VECTOR_MOVE, vector_move)                     \
	X(VECTOR_STORE, vector_store)                   \
	X(VECTOR_MERGE, vector_merge)                   \
	X(VECTOR_FROM_GENERAL, vector_from_general)     \
	X(VECTOR_EXTRACT, vector_extract)               \
	X(VECTOR_INSERT, vector_insert)                 \
	X(ZERO_UPPER, zero_upper)                       \
	X(VECTOR_TEST, vector_test)                     \
	X(OPMASK_LOAD, opmask_load)                     \
	X(OPMASK_STORE, opmask_store)                   \
	X(OPMASK_LOGIC, opmask_logic)                   \
	X(OPMASK_SHIFT, opmask_shift)                   \
	X(OPMASK_TEST, opmask_test)                     \
	X(OPMASK_EXPAND, opmask_expand)                 \
	X(FLOAT_COMPARE, float_compare)                 \
	X(FLOAT_FROM_INTEGER, float_from_integer)       \
	X(FLOAT_TO_INTEGER, float_to_integer)           \
	X(FLOAT_WIDEN, float_widen)                     \
	X(FLOAT_NARROW, float_narrow)                   \
	X(FUSED, fused)                                 \
	X(BROADCAST, broadcast)                         \
	X(WIDEN, widen)                                 \
	X(NARROW, narrow)                               \
	X(PERMUTE, permute)                             \
	X(PERMUTE_PARTS, permute_parts)                 \
	X(EXTRACT_PART, extract_part)                   \
	X(INSERT_PART, insert_part)                     \
	X(BLEND, blend)                                 \
	X(BLEND_OPMASK, blend_opmask)                   \
	X(TERNARY, ternary)                             \
	X(ALIGN, align)                                 \
	X(VECTOR_STRING, vector_string)                 \
	X(OBSTACLE, obstacle)

enum x86_op {
#define X(name, function) X86_OP_##name,
	X86_OPS(X)
#undef X
		X86_OP_COUNT
};

#define X(name, function)                                                                         \
	enum isa_outcome x86_evaluate_##function(const struct isa_record *r, struct isa_state *s, \
						 const struct isa_memory *m);
X86_OPS(X)
#undef X

/* Variants of SHIFT and SHIFT_PLAIN: ModRM.reg of the group; SHIFT_PLAIN leaves the flags alone. */
enum x86_shift { X86_ROL, X86_ROR, X86_RCL, X86_RCR, X86_SHL, X86_SHR, X86_SAL, X86_SAR };
enum x86_bit { X86_BT, X86_BTS, X86_BTR, X86_BTC };
enum x86_permute {
	X86_PERMUTE_IMMEDIATE, /* of 64-bit elements, in 32 bytes each */
	X86_PERMUTE_INDEX,
	X86_PERMUTE_TWO,      /* vpermi2: the indices are overwritten */
	X86_PERMUTE_TWO_OVER, /* vpermt2: a table is overwritten */
};
enum x86_parts { X86_PARTS_HALVES, X86_PARTS_ANY };
enum x86_pack { X86_PDEP, X86_PEXT };

/* Variants of LOOP beyond the low two bits of its opcode. */
enum x86_loop { X86_LOOPNE, X86_LOOPE, X86_LOOP_PLAIN, X86_JRCXZ };

/*
 * Fill in what evaluates the instruction: the op and everything beside length, kind and target.
 * False if it is not this file's.
 */
bool x86_select_integer(const struct x86_layout *l, struct isa_record *r);
bool x86_select_bmi(const struct x86_layout *l, struct isa_record *r);
bool x86_select_vector(const struct x86_layout *l, struct isa_record *r);
/* What is left: its results become unknown. */
bool x86_select_unmodelled(const struct x86_layout *l, struct isa_record *r);

#endif
