/* SPDX-License-Identifier: MIT */
/*
 * What evaluates an instruction: the op of a record selects one of these functions, which
 * isa/x86_64/operand.h declares. Inside isa/x86_64 only.
 */
#pragma once

#include <stdbool.h>

/* op, function x86_FUNCTION, which begins with the noun of its file */
#define X86_OPS(X)                                               \
	/* branches */                                           \
	X(JUMP, branch_jump)                                     \
	X(JUMP_CONDITIONAL, branch_jump_conditional)             \
	X(LOOP, branch_loop)                                     \
	X(JUMP_INDIRECT, branch_jump_indirect)                   \
	X(CALL, branch_call)                                     \
	X(CALL_INDIRECT, branch_call_indirect)                   \
	X(RETURN, branch_return)                                 \
	/* integer */                                            \
	X(NOTHING, integer_nothing)                              \
	X(MOVE, integer_move)                                    \
	X(LOAD, integer_load)                                    \
	X(STORE, integer_store)                                  \
	X(SET, integer_set)                                      \
	X(LEA, integer_lea)                                      \
	X(ZERO_EXTEND, integer_zero_extend)                      \
	X(SIGN_EXTEND, integer_sign_extend)                      \
	X(ADD, integer_add)                                      \
	X(OR, integer_logic_or)                                  \
	X(ADC, integer_adc)                                      \
	X(SBB, integer_sbb)                                      \
	X(AND, integer_logic_and)                                \
	X(SUB, integer_sub)                                      \
	X(XOR, integer_logic_xor)                                \
	X(CMP, integer_cmp)                                      \
	X(TEST, integer_test)                                    \
	X(INCREMENT, integer_increment)                          \
	X(NEGATE, integer_negate)                                \
	X(COMPLEMENT, integer_complement)                        \
	X(EXCHANGE, exchange_xchg)                               \
	X(EXCHANGE_ADD, exchange_add)                            \
	X(COMPARE_EXCHANGE, exchange_compare_exchange)           \
	X(COMPARE_EXCHANGE_PAIR, exchange_compare_exchange_pair) \
	X(CMOV, exchange_cmov)                                   \
	X(SETCC, exchange_setcc)                                 \
	X(CONVERT, exchange_convert)                             \
	X(CONVERT_DOUBLE, exchange_convert_double)               \
	X(BYTE_SWAP, exchange_byte_swap)                         \
	X(MOVE_SWAPPED, exchange_move_swapped)                   \
	X(TRANSLATE, exchange_translate)                         \
	X(FLAG, exchange_flag)                                   \
	X(LOAD_FLAGS, exchange_load_flags)                       \
	X(STORE_FLAGS, exchange_store_flags)                     \
	/* multiplication and division */                        \
	X(MULTIPLY_PAIR, multiply_pair)                          \
	X(MULTIPLY, multiply_single)                             \
	X(MULX, multiply_mulx)                                   \
	X(DIVIDE, multiply_divide)                               \
	X(ADD_CARRY, multiply_add_carry)                         \
	/* shifts and bits */                                    \
	X(SHIFT, shift_with_flags)                               \
	X(SHIFT_DOUBLE, shift_double)                            \
	X(SHIFT_PLAIN, shift_plain)                              \
	X(BIT_TEST, bits_test)                                   \
	X(BIT_SCAN, bits_scan)                                   \
	X(COUNT_ZEROS, bits_count_zeros)                         \
	X(POPULATION, bits_population)                           \
	X(AND_NOT, bits_and_not)                                 \
	X(LOWEST_BIT, bits_lowest_bit)                           \
	X(BIT_FIELD, bits_field)                                 \
	X(ZERO_HIGH, bits_zero_high)                             \
	X(BIT_PACK, bits_pack)                                   \
	X(CRC32, bits_crc32)                                     \
	/* the stack */                                          \
	X(PUSH, stack_push)                                      \
	X(POP, stack_pop)                                        \
	X(PUSH_FLAGS, stack_push_flags)                          \
	X(POP_FLAGS, stack_pop_flags)                            \
	X(ENTER, stack_enter)                                    \
	X(LEAVE, stack_leave)                                    \
	/* strings */                                            \
	X(STRING_MOVE, string_move)                              \
	X(STRING_STORE, string_store)                            \
	X(STRING_LOAD, string_load)                              \
	X(STRING_COMPARE, string_compare)                        \
	/* what only the machine knows */                        \
	X(CLOBBER, system_clobber)                               \
	X(STORE_UNKNOWN, system_store_unknown)                   \
	X(STORE_MXCSR, system_store_mxcsr)                       \
	X(LOAD_MXCSR, system_load_mxcsr)                         \
	X(STORE_X87_CONTROL, system_store_x87_control)           \
	X(LOAD_X87_CONTROL, system_load_x87_control)             \
	X(FORGET_X87_CONTROL, system_forget_x87_control)         \
	X(SAVE_EXTENDED, state_save_extended)                    \
	X(RESTORE_EXTENDED, state_restore_extended)              \
	X(FORGET_VECTORS, system_forget_vectors)                 \
	X(FORGET_VECTOR, system_forget_vector)                   \
	X(FORGET_OPMASK, system_forget_opmask)                   \
	X(FORGET_GATHER, system_forget_gather)                   \
	X(SCATTER, system_forget_scatter)                        \
	/* vectors */                                            \
	X(PACKED, vector_packed)                                 \
	X(PACKED_SHIFT, vector_packed_shift)                     \
	X(PACKED_TO_OPMASK, vector_packed_to_opmask)             \
	X(MOVE_MASK, vector_move_mask)                           \
	X(VECTOR_MOVE, vector_move)                              \
	X(VECTOR_STORE, vector_store)                            \
	X(VECTOR_MERGE, vector_merge)                            \
	X(VECTOR_FROM_GENERAL, vector_from_general)              \
	X(VECTOR_EXTRACT, vector_extract)                        \
	X(VECTOR_INSERT, vector_insert)                          \
	X(ZERO_UPPER, vector_zero_upper)                         \
	X(VECTOR_TEST, vector_test)                              \
	X(OPMASK_LOAD, opmask_load)                              \
	X(OPMASK_STORE, opmask_store)                            \
	X(OPMASK_LOGIC, opmask_logic)                            \
	X(OPMASK_SHIFT, opmask_shift)                            \
	X(OPMASK_TEST, opmask_test)                              \
	X(OPMASK_EXPAND, opmask_expand)                          \
	X(FLOAT_COMPARE, vector_float_compare)                   \
	X(FLOAT_FROM_INTEGER, vector_float_from_integer)         \
	X(FLOAT_TO_INTEGER, vector_float_to_integer)             \
	X(FLOAT_WIDEN, vector_float_widen)                       \
	X(FLOAT_NARROW, vector_float_narrow)                     \
	X(FUSED, vector_fused)                                   \
	X(BROADCAST, vector_broadcast)                           \
	X(WIDEN, vector_widen)                                   \
	X(NARROW, vector_narrow)                                 \
	X(PERMUTE, vector_permute)                               \
	X(PERMUTE_PARTS, vector_permute_parts)                   \
	X(EXTRACT_PART, vector_extract_part)                     \
	X(INSERT_PART, vector_insert_part)                       \
	X(BLEND, vector_blend)                                   \
	X(BLEND_OPMASK, vector_blend_opmask)                     \
	X(TERNARY, vector_ternary)                               \
	X(ALIGN, vector_align)                                   \
	X(VECTOR_STRING, vector_string)                          \
	X(UNMODELLED, system_unmodelled)

enum x86_op {
#define X(name, function) X86_OP_##name,
	X86_OPS(X)
#undef X
		X86_OP_COUNT
};

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

struct isa_record;
struct x86_layout;

/* Fill in what evaluates the instruction: the op and everything beside length, kind and target. */
void x86_select_integer(const struct x86_layout *l, struct isa_record *r);
void x86_select_vector(const struct x86_layout *l, struct isa_record *r);
