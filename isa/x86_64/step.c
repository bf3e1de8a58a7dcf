/* SPDX-License-Identifier: MIT */
/* Which step a record is. */
#include "isa/x86_64/step.h"

#include "isa/x86_64/vector/kernel.h"

_Static_assert(X86_OP_COUNT <= 256, "a record has a byte for it");

/* Is a byte register ah, ch, dh or bh? */
static bool is_high(uint8_t reg, unsigned bytes)
{
	return bytes == 1 && reg != X86_MEMORY && reg & X86_HIGH;
}

static bool uses_high(const struct isa_record *r, unsigned bytes)
{
	return is_high(r->rm, bytes) ||
	       (!(r->attributes & X86_IMMEDIATE) && is_high(r->reg, bytes));
}

/* One of steps for 8, 4, 2 and 1 bytes, each @kinds of them. */
static enum x86_step choose_any_size(const struct isa_record *r, enum x86_step of_8, unsigned kinds)
{
	return of_8 + (r->size == 8 ? 0 : r->size == 4 ? 1 : r->size == 2 ? 2 : 3) * kinds;
}

/* One of the steps of X86_STEP_OPERANDS or X86_STEP_TEST, the first of which is @first. */
static enum x86_step choose_operands(const struct isa_record *r, enum x86_step first)
{
	if (r->attributes & X86_IMMEDIATE)
		return first + (r->rm == X86_MEMORY ? 3 : 1);
	if (r->rm == X86_MEMORY)
		return first + (r->element ? 5 : 2);
	return first + (r->element ? 4 : 0);
}

static enum x86_step choose_arithmetic(const struct isa_record *r, enum x86_step first)
{
	return choose_operands(r, choose_any_size(r, first, 6));
}

static enum x86_step choose_test(const struct isa_record *r, enum x86_step first)
{
	return choose_operands(r, choose_any_size(r, first, 4));
}

/* One of a step for 8 bytes and, behind it, for 4. */
static enum x86_step choose_size(const struct isa_record *r, enum x86_step of_8)
{
	return r->size == 8 ? of_8 : r->size == 4 ? of_8 + 1 : X86_STEP_CAREFUL;
}

/* The same for registers alone. */
static enum x86_step choose_cmov(const struct isa_record *r, enum x86_step of_8)
{
	return r->rm == X86_MEMORY ? X86_STEP_CAREFUL : choose_size(r, of_8);
}

/* One of steps for registers of 8, 4, 2 and 1 bytes. */
static enum x86_step choose_register(const struct isa_record *r, enum x86_step of_8)
{
	return r->rm == X86_MEMORY || is_high(r->rm, r->size) ? X86_STEP_CAREFUL
							      : choose_any_size(r, of_8, 1);
}

static enum x86_step choose_load(const struct isa_record *r, enum x86_step of_8)
{
	if (r->size == 1 && !is_high(r->reg, 1))
		return X86_STEP_LOAD_1;
	return choose_size(r, of_8);
}

static enum x86_step choose_store(const struct isa_record *r, enum x86_step of_8)
{
	if (of_8 == X86_STEP_STORE_8 && is_high(r->reg, r->size))
		return X86_STEP_CAREFUL;
	return choose_any_size(r, of_8, 1);
}

static enum x86_step choose_set(const struct isa_record *r, enum x86_step of_8)
{
	if (r->rm == X86_MEMORY)
		return choose_store(r, X86_STEP_STORE_IMMEDIATE_8);
	return choose_size(r, of_8);
}

static enum x86_step choose_zero_extend(const struct isa_record *r, enum x86_step of_1)
{
	if (r->size == 2 || is_high(r->rm, r->element))
		return X86_STEP_CAREFUL;
	return (r->rm == X86_MEMORY ? X86_STEP_LOAD_ZERO_EXTEND_1 : of_1) +
	       (r->element == 1 ? 0 : 1);
}

static enum x86_step choose_sign_extend(const struct isa_record *r, enum x86_step of_1)
{
	if (r->rm == X86_MEMORY)
		of_1 = X86_STEP_LOAD_SIGN_EXTEND_14;
	if (r->size == 2 || is_high(r->rm, r->element))
		return X86_STEP_CAREFUL;
	if (r->element == 4)
		return r->size == 8 ? of_1 + 4 : X86_STEP_CAREFUL;
	return of_1 + (r->element == 1 ? 0 : 2) + (r->size == 8 ? 1 : 0);
}

static enum x86_step choose_shift(const struct isa_record *r, enum x86_step of_shl)
{
	unsigned limit = r->size == 8 ? 63 : 31;

	if (r->attributes & X86_IMMEDIATE && !(r->immediate & limit))
		return X86_STEP_CAREFUL;
	switch (r->variant) {
	case X86_ROL:
		return choose_register(r, X86_STEP_ROL_8);
	case X86_ROR:
		return choose_register(r, X86_STEP_ROR_8);
	case X86_SHL:
	case X86_SAL:
		return choose_register(r, of_shl);
	case X86_SHR:
		return choose_register(r, X86_STEP_SHR_8);
	case X86_SAR:
		return choose_register(r, X86_STEP_SAR_8);
	default:
		return X86_STEP_CAREFUL;
	}
}

static enum x86_step choose_push(const struct isa_record *r, enum x86_step of_register)
{
	if (r->size != 8 || r->rm == X86_NONE)
		return X86_STEP_CAREFUL;
	if (r->attributes & X86_IMMEDIATE)
		return X86_STEP_PUSH_IMMEDIATE;
	return r->rm == X86_MEMORY ? X86_STEP_CAREFUL : of_register;
}

/* Does it move or compute at most 16 bytes of vectors, all of them? */
static bool is_low(const struct isa_record *r)
{
	return r->size == 16 && !r->mask && !(r->attributes & X86_BROADCAST);
}

/* One of steps for 16, 8 and 4 bytes of memory. */
static enum x86_step choose_bytes(const struct isa_record *r, enum x86_step of_16)
{
	switch (r->bytes) {
	case 16:
		return of_16;
	case 8:
		return of_16 + 1;
	case 4:
		return of_16 + 2;
	default:
		return X86_STEP_VECTOR;
	}
}

static enum x86_step choose_vector_move(const struct isa_record *r, enum x86_step of_registers)
{
	if (!is_low(r))
		return X86_STEP_VECTOR;
	if (r->rm == X86_MEMORY)
		return choose_bytes(r, X86_STEP_LOW_LOAD_16);
	return r->bytes == 16 ? of_registers : X86_STEP_VECTOR;
}

static enum x86_step choose_from_general(const struct isa_record *r, enum x86_step of_8)
{
	return (r->rm == X86_MEMORY ? X86_STEP_LOW_LOAD_8 : of_8) + (r->element == 8 ? 0 : 1);
}

static enum x86_step choose_vector_store(const struct isa_record *r, enum x86_step of_16)
{
	return is_low(r) && !r->variant ? choose_bytes(r, of_16) : X86_STEP_VECTOR;
}

static enum x86_step choose_packed(const struct isa_record *r, enum x86_step of_registers)
{
	unsigned shape = x86_kernel_table[r->variant].shape;

	if (!is_low(r))
		return X86_STEP_VECTOR;
	if (r->rm != X86_MEMORY && r->rm == r->reg2 && shape & (X86_SELF_ZERO | X86_SELF_ONES))
		return shape & X86_SELF_ZERO ? X86_STEP_LOW_ZERO : X86_STEP_VECTOR;
	switch (r->variant) {
#define CASE(name, bytes, rounds) \
	case X86_KERNEL_##name:   \
		return r->rm == X86_MEMORY ? X86_STEP_LOW_LOAD_##name : X86_STEP_LOW_##name;
		X86_STEP_KERNELS(CASE)
#undef CASE
	default:
		break;
	}
	if (r->rm == X86_MEMORY)
		return r->bytes >= 4 ? X86_STEP_LOW_LOAD_PACKED : X86_STEP_VECTOR;
	return of_registers;
}

static enum x86_step choose_float_compare(const struct isa_record *r, enum x86_step of_8)
{
	return r->element == 8 ? of_8 : of_8 + 1;
}

static enum x86_step choose_increment(const struct isa_record *r, enum x86_step of_8)
{
	return choose_register(r, r->variant ? X86_STEP_DECREMENT_8 : of_8);
}

static enum x86_step choose_carry(const struct isa_record *r, enum x86_step of_8)
{
	if (uses_high(r, r->size))
		return X86_STEP_CAREFUL;
	return r->element ? choose_any_size(r, of_8, 1) : choose_register(r, of_8);
}

static enum x86_step choose_divide(const struct isa_record *r, enum x86_step of_8)
{
	return choose_size(r, r->variant ? X86_STEP_DIVIDE_SIGNED_8 : of_8);
}

static enum x86_step choose_setcc(const struct isa_record *r, enum x86_step step)
{
	return r->rm == X86_MEMORY || is_high(r->rm, 1) ? X86_STEP_CAREFUL : step;
}

static enum x86_step choose_pop(const struct isa_record *r, enum x86_step step)
{
	return r->rm != X86_MEMORY && r->size == 8 ? step : X86_STEP_CAREFUL;
}

static enum x86_step choose_leave(const struct isa_record *r, enum x86_step step)
{
	return r->size == 8 ? step : X86_STEP_CAREFUL;
}

static enum x86_step choose_condition(const struct isa_record *r, enum x86_step of_0)
{
	return of_0 + r->variant;
}

static enum x86_step choose_it(const struct isa_record *r, enum x86_step step)
{
	(void)r;
	return step;
}

/* Where the register of a byte is among the general registers' bytes. */
static uint8_t byte_of(uint8_t reg)
{
	return (uint8_t)(reg & X86_HIGH ? (reg & 3) * 8 + 1 : reg * 8);
}

/* By op: who chooses, from which step on. */
static const struct choice {
	enum x86_step (*choose)(const struct isa_record *r, enum x86_step first);
	uint16_t first;
} choices[X86_OP_COUNT] = {
#define CHOICE(op, choose, first) [X86_OP_##op] = {choose, X86_STEP_##first}
	CHOICE(ADD, choose_arithmetic, ADD_8_RR),
	CHOICE(OR, choose_arithmetic, OR_8_RR),
	CHOICE(AND, choose_arithmetic, AND_8_RR),
	CHOICE(SUB, choose_arithmetic, SUB_8_RR),
	CHOICE(XOR, choose_arithmetic, XOR_8_RR),
	CHOICE(CMP, choose_arithmetic, CMP_8_RR),
	CHOICE(TEST, choose_test, TEST_8_RR),
	CHOICE(MOVE, choose_size, MOVE_8),
	CHOICE(LOAD, choose_load, LOAD_8),
	CHOICE(STORE, choose_store, STORE_8),
	CHOICE(SET, choose_set, SET_8),
	CHOICE(LEA, choose_size, LEA_8),
	CHOICE(ZERO_EXTEND, choose_zero_extend, ZERO_EXTEND_1),
	CHOICE(SIGN_EXTEND, choose_sign_extend, SIGN_EXTEND_14),
	CHOICE(ADC, choose_carry, ADD_CARRY_8),
	CHOICE(SBB, choose_carry, SUB_CARRY_8),
	CHOICE(INCREMENT, choose_increment, INCREMENT_8),
	CHOICE(NOTHING, choose_it, NOTHING),
	CHOICE(NEGATE, choose_register, NEGATE_8),
	CHOICE(COMPLEMENT, choose_register, COMPLEMENT_8),
	CHOICE(SHIFT, choose_shift, SHL_8),
	CHOICE(MULTIPLY, choose_size, MULTIPLY_8),
	CHOICE(BIT_SCAN, choose_size, BIT_SCAN_8),
	CHOICE(COUNT_ZEROS, choose_size, COUNT_ZEROS_8),
	CHOICE(DIVIDE, choose_divide, DIVIDE_8),
	CHOICE(CMOV, choose_cmov, CMOV_8),
	CHOICE(SETCC, choose_setcc, SETCC),
	CHOICE(CONVERT, choose_size, CONVERT_8),
	CHOICE(CONVERT_DOUBLE, choose_size, CONVERT_DOUBLE_8),
	CHOICE(PUSH, choose_push, PUSH),
	CHOICE(POP, choose_pop, POP),
	CHOICE(LEAVE, choose_leave, LEAVE),
	CHOICE(JUMP_CONDITIONAL, choose_condition, JUMP_O),
	CHOICE(JUMP, choose_it, JUMP_ALWAYS),
	CHOICE(JUMP_INDIRECT, choose_it, JUMP_INDIRECT),
	CHOICE(CALL, choose_it, CALL),
	CHOICE(CALL_INDIRECT, choose_it, CALL_INDIRECT),
	CHOICE(RETURN, choose_it, RETURN),
	CHOICE(FLOAT_COMPARE, choose_float_compare, FLOAT_COMPARE_8),
	CHOICE(PACKED, choose_packed, LOW_PACKED),
	CHOICE(PACKED_SHIFT, choose_it, VECTOR),
	CHOICE(PACKED_TO_OPMASK, choose_it, VECTOR),
	CHOICE(VECTOR_MOVE, choose_vector_move, LOW_MOVE),
	CHOICE(VECTOR_STORE, choose_vector_store, LOW_STORE_16),
	CHOICE(VECTOR_MERGE, choose_it, VECTOR),
	CHOICE(VECTOR_FROM_GENERAL, choose_from_general, LOW_FROM_8),
	CHOICE(VECTOR_INSERT, choose_it, VECTOR),
	CHOICE(ZERO_UPPER, choose_it, VECTOR),
	CHOICE(OPMASK_LOAD, choose_it, VECTOR),
	CHOICE(OPMASK_LOGIC, choose_it, VECTOR),
	CHOICE(OPMASK_SHIFT, choose_it, VECTOR),
	CHOICE(FLOAT_FROM_INTEGER, choose_it, VECTOR),
	CHOICE(FLOAT_WIDEN, choose_it, VECTOR),
	CHOICE(FLOAT_NARROW, choose_it, VECTOR),
	CHOICE(FUSED, choose_it, VECTOR),
	CHOICE(BROADCAST, choose_it, VECTOR),
	CHOICE(WIDEN, choose_it, VECTOR),
	CHOICE(NARROW, choose_it, VECTOR),
	CHOICE(PERMUTE, choose_it, VECTOR),
	CHOICE(PERMUTE_PARTS, choose_it, VECTOR),
	CHOICE(EXTRACT_PART, choose_it, VECTOR),
	CHOICE(INSERT_PART, choose_it, VECTOR),
	CHOICE(BLEND, choose_it, VECTOR),
	CHOICE(BLEND_OPMASK, choose_it, VECTOR),
	CHOICE(TERNARY, choose_it, VECTOR),
	CHOICE(ALIGN, choose_it, VECTOR),
	CHOICE(MOVE_MASK, choose_it, GENERAL),
	CHOICE(VECTOR_EXTRACT, choose_it, GENERAL),
	CHOICE(FLOAT_TO_INTEGER, choose_it, GENERAL),
	CHOICE(OPMASK_STORE, choose_it, GENERAL),
	CHOICE(BYTE_SWAP, choose_it, GENERAL),
	CHOICE(MULX, choose_it, GENERAL),
	CHOICE(SHIFT_PLAIN, choose_it, GENERAL),
};

void x86_step_choose(struct isa_record *r)
{
	const struct choice *c = &choices[r->op];

	if (r->size == 1 && (c->choose == choose_arithmetic || c->choose == choose_test)) {
		r->reg_byte = byte_of(r->reg);
		r->rm_byte = byte_of(r->rm);
	}
	r->far_operand = r->index != X86_NONE || r->segment || r->base == X86_RIP;
	r->step = X86_STEP_CAREFUL;
	if (c->choose && !(r->attributes & (X86_LOCK | X86_ADDRESS32)))
		r->step = (uint16_t)c->choose(r, c->first);
}
