/* SPDX-License-Identifier: MIT */
/*
 * What evaluates an instruction: the op of a record selects one of these functions. Inside
 * isa/aarch64 only.
 */
#pragma once

#include "isa/evaluate.h"

/* op, function aarch64_FUNCTION, which begins with the noun of its file */
#define AARCH64_OPS(X)                                          \
	/* branches */                                          \
	X(JUMP, branch_jump)                                    \
	X(JUMP_CONDITIONAL, branch_jump_conditional)            \
	X(JUMP_ZERO, branch_jump_zero)                          \
	X(JUMP_BIT, branch_jump_bit)                            \
	X(JUMP_INDIRECT, branch_jump_indirect)                  \
	X(CALL, branch_call)                                    \
	X(CALL_INDIRECT, branch_call_indirect)                  \
	/* integer */                                           \
	X(CONSTANT, integer_constant)                           \
	X(INSERT_CONSTANT, integer_insert_constant)             \
	X(ADD_IMMEDIATE, integer_add_immediate)                 \
	X(ADD, integer_add)                                     \
	X(ADD_EXTENDED, integer_add_extended)                   \
	X(ADD_CARRY, integer_add_carry)                         \
	X(LOGIC_IMMEDIATE, integer_logic_immediate)             \
	X(LOGIC, integer_logic)                                 \
	X(SELECT, integer_select)                               \
	X(COMPARE_IMMEDIATE, integer_compare_immediate)         \
	X(COMPARE, integer_compare)                             \
	/* shifts and bits */                                   \
	X(FIELD, bits_field)                                    \
	X(EXTRACT, bits_extract)                                \
	X(SHIFT, bits_shift)                                    \
	X(REVERSE, bits_reverse)                                \
	X(COUNT_BITS, bits_count)                               \
	/* multiplication, division, checksums */               \
	X(MULTIPLY, multiply_add)                               \
	X(MULTIPLY_LONG, multiply_add_long)                     \
	X(MULTIPLY_HIGH, multiply_high)                         \
	X(DIVIDE, multiply_divide)                              \
	X(CRC32, multiply_crc32)                                \
	/* memory */                                            \
	X(LOAD, access_load)                                    \
	X(STORE, access_store)                                  \
	X(LOAD_PAIR, access_load_pair)                          \
	X(STORE_PAIR, access_store_pair)                        \
	X(LOAD_EXCLUSIVE, atomic_load_exclusive)                \
	X(STORE_EXCLUSIVE, atomic_store_exclusive)              \
	X(CLEAR_EXCLUSIVE, atomic_clear_exclusive)              \
	X(ATOMIC, atomic_modify)                                \
	X(COMPARE_SWAP, atomic_compare_swap)                    \
	X(COMPARE_SWAP_PAIR, atomic_compare_swap_pair)          \
	X(ZERO_BLOCK, access_zero_block)                        \
	/* what only the machine knows */                       \
	X(NOTHING, system_nothing)                              \
	X(READ, system_read)                                    \
	X(WRITE, system_write)                                  \
	X(FORGET, system_forget)                                \
	X(FORGET_FLAGS, system_forget_flags)                    \
	X(SIGN, pointer_sign)                                   \
	X(STRIP, pointer_strip)                                 \
	/* vectors */                                           \
	X(VECTOR_LOAD, vector_access_load)                      \
	X(VECTOR_STORE, vector_access_store)                    \
	X(VECTOR_LOAD_MANY, vector_access_load_many)            \
	X(VECTOR_STORE_MANY, vector_access_store_many)          \
	X(VECTOR_LOAD_TURNS, vector_access_load_turns)          \
	X(VECTOR_STORE_TURNS, vector_access_store_turns)        \
	X(VECTOR_LOAD_LANE, vector_access_load_lane)            \
	X(VECTOR_STORE_LANE, vector_access_store_lane)          \
	X(VECTOR_LOAD_SAME, vector_access_load_same)            \
	X(VECTOR_EACH, lanes_each)                              \
	X(VECTOR_EACH_CONSTANT, lanes_each_constant)            \
	X(VECTOR_PAIRWISE, lanes_pairwise)                      \
	X(VECTOR_ACROSS, lanes_across)                          \
	X(VECTOR_ADD_LONG_PAIRS, lanes_add_long_pairs)          \
	X(VECTOR_NARROW, lanes_narrow)                          \
	X(VECTOR_ADD_NARROW, lanes_add_narrow)                  \
	X(VECTOR_WIDEN, lanes_widen)                            \
	X(VECTOR_CONSTANT, lanes_constant)                      \
	X(VECTOR_FORGET, lanes_forget)                          \
	X(PERMUTE_DUPLICATE, permute_duplicate)                 \
	X(PERMUTE_DUPLICATE_GENERAL, permute_duplicate_general) \
	X(PERMUTE_INSERT, permute_insert)                       \
	X(PERMUTE_INSERT_GENERAL, permute_insert_general)       \
	X(PERMUTE_EXTRACT, permute_extract)                     \
	X(PERMUTE_WINDOW, permute_window)                       \
	X(PERMUTE_MIX, permute_mix)                             \
	X(PERMUTE_TABLE, permute_table)                         \
	X(PERMUTE_REVERSE, permute_reverse)                     \
	/* scalable vectors */                                  \
	X(SCALABLE_ADD_COUNT, scalable_add_count)               \
	X(SCALABLE_TRUE, scalable_true)                         \
	X(SCALABLE_WHILE, scalable_while)                       \
	X(SCALABLE_LOAD, scalable_load)                         \
	X(SCALABLE_STORE, scalable_store)                       \
	/* floating point */                                    \
	X(FLOAT_ONE, float_one)                                 \
	X(FLOAT_TWO, float_two)                                 \
	X(FLOAT_FUSED, float_fused)                             \
	X(FLOAT_CONVERT, float_convert)                         \
	X(FLOAT_COMPARE, float_compare)                         \
	X(FLOAT_COMPARE_IF, float_compare_if)                   \
	X(FLOAT_SELECT, float_select)                           \
	X(FLOAT_FROM_INTEGER, float_from_integer)               \
	X(FLOAT_TO_INTEGER, float_to_integer)                   \
	X(UNMODELLED, system_unmodelled)

enum aarch64_op {
#define X(name, function) AARCH64_OP_##name,
	AARCH64_OPS(X)
#undef X
		AARCH64_OP_COUNT
};

/* The head of a function that evaluates: the record, the state, the program's memory. */
#define AARCH64_EVALUATOR(name)                                                             \
	enum isa_outcome aarch64_##name(const struct isa_record *r __attribute__((unused)), \
					struct isa_state *s __attribute__((unused)),        \
					const struct isa_memory *m __attribute__((unused)))

#define X(name, function) AARCH64_EVALUATOR(function);
AARCH64_OPS(X)
#undef X

/* Variants, as the encoding numbers them where it does. */
enum aarch64_logic { AARCH64_AND, AARCH64_ORR, AARCH64_EOR, AARCH64_ANDS };
enum aarch64_shift { AARCH64_LSL, AARCH64_LSR, AARCH64_ASR, AARCH64_ROR };
enum aarch64_field { AARCH64_SBFM, AARCH64_BFM, AARCH64_UBFM };
/* what a not chosen operand of csel goes through */
enum aarch64_select { AARCH64_CSEL, AARCH64_CSINC, AARCH64_CSINV, AARCH64_CSNEG };
enum aarch64_count { AARCH64_CLZ, AARCH64_CLS };
enum aarch64_modify {
	AARCH64_LDADD,
	AARCH64_LDCLR,
	AARCH64_LDEOR,
	AARCH64_LDSET,
	AARCH64_LDSMAX,
	AARCH64_LDSMIN,
	AARCH64_LDUMAX,
	AARCH64_LDUMIN,
	AARCH64_SWP,
};
enum aarch64_system_register {
	AARCH64_TPIDR,
	AARCH64_CTR,
	AARCH64_DCZID,
	AARCH64_REGISTER_NZCV,
	AARCH64_REGISTER_FPCR,
	AARCH64_OTHER_REGISTER,
};

/* Fields of a word. */
static inline uint32_t aarch64_field(uint32_t word, unsigned low, unsigned width)
{
	return word >> low & ((1u << width) - 1);
}

static inline bool aarch64_matches(uint32_t word, uint32_t mask, uint32_t value)
{
	return (word & mask) == value;
}

/* Register 31 as xzr. */
static inline uint8_t aarch64_or_zero(uint32_t word, unsigned low)
{
	uint32_t reg = aarch64_field(word, low, 5);

	return (uint8_t)(reg == 31 ? AARCH64_ZERO : reg);
}

/* Register 31 as sp. */
static inline uint8_t aarch64_or_sp(uint32_t word, unsigned low)
{
	return (uint8_t)aarch64_field(word, low, 5);
}

/*
 * Fill in what evaluates the instruction, by its class (Arm ARM, C4.1: bits 28 to 25): the op and
 * everything beside length, word, kind and target. False: it is not known what it does.
 */
bool aarch64_select_immediate(uint32_t word, uint64_t address, struct isa_record *r);
bool aarch64_select_branch(uint32_t word, struct isa_record *r);
bool aarch64_select_memory(uint32_t word, uint64_t address, struct isa_record *r);
bool aarch64_select_register(uint32_t word, struct isa_record *r);
bool aarch64_select_vector_memory(uint32_t word, uint64_t address, struct isa_record *r);
bool aarch64_select_vector(uint32_t word, struct isa_record *r);
bool aarch64_select_scalable(uint32_t word, struct isa_record *r);

/* @v, which has zeros above @bytes (4 or 8), shifted within them by less than they have bits; of
 * its bits only some may be known (isa/aarch64/integer/bits.c). */
struct isa_value aarch64_bits_shifted(struct isa_value v, enum aarch64_shift how, unsigned distance,
				      unsigned bytes);
/* @v without its authentication code (isa/aarch64/integer/pointer.c). */
struct isa_value aarch64_pointer_strip_code(const struct isa_state *s, struct isa_value v);

/* For those that fill a state: everything known, nothing written. */
void aarch64_state_start(struct isa_state *s);
/* How long a pointer is without its authentication code, by where the stack is. */
void aarch64_state_find_pointer_bits(struct isa_state *s);
