/* SPDX-License-Identifier: MIT */
/* Which step a record is. */
#include "isa/x86_64/step.h"

#include "isa/x86_64/vector/kernel.h"

_Static_assert(X86_OP_COUNT <= 256 && X86_STEP_COUNT <= 256, "a record has a byte for each");

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

/* One of the steps of X86_STEP_OPERANDS or X86_STEP_TEST, the first of which is @first. */
static enum x86_step choose_operands(const struct isa_record *r, enum x86_step first)
{
	if (r->attributes & X86_IMMEDIATE)
		return first + (r->rm == X86_MEMORY ? 3 : 1);
	if (r->rm == X86_MEMORY)
		return first + (r->element ? 5 : 2);
	return first + (r->element ? 4 : 0);
}

/* The same for 8, 4 and 1 bytes, each @kinds of them. */
static enum x86_step choose_arithmetic(const struct isa_record *r, enum x86_step first,
				       unsigned kinds)
{
	if (r->size == 2 || uses_high(r, r->size))
		return X86_STEP_CAREFUL;
	return choose_operands(r, first + (r->size == 8 ? 0 : r->size == 4 ? 1 : 2) * kinds);
}

/* One of a step for 8 bytes and, behind it, for 4. */
static enum x86_step choose_size(const struct isa_record *r, enum x86_step of_8)
{
	return r->size == 8 ? of_8 : r->size == 4 ? of_8 + 1 : X86_STEP_CAREFUL;
}

/* The same for registers alone. */
static enum x86_step choose_register(const struct isa_record *r, enum x86_step of_8)
{
	return r->rm == X86_MEMORY ? X86_STEP_CAREFUL : choose_size(r, of_8);
}

static enum x86_step choose_load(const struct isa_record *r)
{
	if (r->size == 1 && !is_high(r->reg, 1))
		return X86_STEP_LOAD_1;
	return choose_size(r, X86_STEP_LOAD_8);
}

/* One of steps for 8, 4, 2 and 1 bytes. */
static enum x86_step choose_store(const struct isa_record *r, enum x86_step of_8)
{
	if (is_high(r->reg, r->size) && of_8 == X86_STEP_STORE_8)
		return X86_STEP_CAREFUL;
	return of_8 + (r->size == 8 ? 0 : r->size == 4 ? 1 : r->size == 2 ? 2 : 3);
}

static enum x86_step choose_set(const struct isa_record *r)
{
	if (r->rm == X86_MEMORY)
		return choose_store(r, X86_STEP_STORE_IMMEDIATE_8);
	return choose_size(r, X86_STEP_SET_8);
}

static enum x86_step choose_zero_extend(const struct isa_record *r)
{
	if (r->size == 2 || is_high(r->rm, r->element))
		return X86_STEP_CAREFUL;
	return (r->rm == X86_MEMORY ? X86_STEP_LOAD_ZERO_EXTEND_1 : X86_STEP_ZERO_EXTEND_1) +
	       (r->element == 1 ? 0 : 1);
}

static enum x86_step choose_sign_extend(const struct isa_record *r)
{
	enum x86_step of_1 = r->rm == X86_MEMORY ? X86_STEP_LOAD_SIGN_EXTEND_14
						 : X86_STEP_SIGN_EXTEND_14;

	if (r->size == 2 || is_high(r->rm, r->element))
		return X86_STEP_CAREFUL;
	if (r->element == 4)
		return r->size == 8 ? of_1 + 4 : X86_STEP_CAREFUL;
	return of_1 + (r->element == 1 ? 0 : 2) + (r->size == 8 ? 1 : 0);
}

static enum x86_step choose_shift(const struct isa_record *r)
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
		return choose_register(r, X86_STEP_SHL_8);
	case X86_SHR:
		return choose_register(r, X86_STEP_SHR_8);
	case X86_SAR:
		return choose_register(r, X86_STEP_SAR_8);
	default:
		return X86_STEP_CAREFUL;
	}
}

static enum x86_step choose_push(const struct isa_record *r)
{
	if (r->size != 8 || r->rm == X86_NONE)
		return X86_STEP_CAREFUL;
	if (r->attributes & X86_IMMEDIATE)
		return X86_STEP_PUSH_IMMEDIATE;
	return r->rm == X86_MEMORY ? X86_STEP_CAREFUL : X86_STEP_PUSH;
}

/* One of steps for 16, 8 and 4 bytes. */
static enum x86_step choose_bytes(const struct isa_record *r, enum x86_step of_16)
{
	return of_16 + (r->bytes == 16 ? 0 : r->bytes == 8 ? 1 : 2);
}

static enum x86_step choose_low_move(const struct isa_record *r)
{
	if (r->rm == X86_MEMORY)
		return choose_bytes(r, X86_STEP_LOW_LOAD_16);
	return r->bytes == 16 ? X86_STEP_LOW_MOVE : X86_STEP_VECTOR;
}

static enum x86_step choose_low_packed(const struct isa_record *r)
{
	unsigned shape = x86_kernel_table[r->variant].shape;

	if (r->rm == X86_MEMORY)
		return X86_STEP_LOW_LOAD_PACKED;
	if (r->rm != r->reg2 || !(shape & (X86_SELF_ZERO | X86_SELF_ONES)))
		return X86_STEP_LOW_PACKED;
	return shape & X86_SELF_ZERO ? X86_STEP_LOW_ZERO : X86_STEP_VECTOR;
}

/* Does the op change neither general registers nor flags? */
static bool is_vector(unsigned op)
{
	switch (op) {
	case X86_OP_PACKED:
	case X86_OP_PACKED_SHIFT:
	case X86_OP_PACKED_TO_OPMASK:
	case X86_OP_VECTOR_MOVE:
	case X86_OP_VECTOR_STORE:
	case X86_OP_VECTOR_MERGE:
	case X86_OP_VECTOR_FROM_GENERAL:
	case X86_OP_VECTOR_INSERT:
	case X86_OP_ZERO_UPPER:
	case X86_OP_OPMASK_LOAD:
	case X86_OP_OPMASK_LOGIC:
	case X86_OP_OPMASK_SHIFT:
	case X86_OP_FLOAT_FROM_INTEGER:
	case X86_OP_FLOAT_WIDEN:
	case X86_OP_FLOAT_NARROW:
	case X86_OP_FUSED:
	case X86_OP_BROADCAST:
	case X86_OP_WIDEN:
	case X86_OP_NARROW:
	case X86_OP_PERMUTE:
	case X86_OP_PERMUTE_PARTS:
	case X86_OP_EXTRACT_PART:
	case X86_OP_INSERT_PART:
	case X86_OP_BLEND:
	case X86_OP_BLEND_OPMASK:
	case X86_OP_TERNARY:
	case X86_OP_ALIGN:
		return true;
	default:
		return false;
	}
}

/* Does it change no flag? */
static bool is_general(unsigned op)
{
	switch (op) {
	case X86_OP_MOVE_MASK:
	case X86_OP_VECTOR_EXTRACT:
	case X86_OP_FLOAT_TO_INTEGER:
	case X86_OP_OPMASK_STORE:
	case X86_OP_BYTE_SWAP:
	case X86_OP_MULX:
	case X86_OP_SHIFT_PLAIN:
	case X86_OP_MOVE:
	case X86_OP_LOAD:
	case X86_OP_SET:
	case X86_OP_ZERO_EXTEND:
	case X86_OP_SIGN_EXTEND:
		return true;
	default:
		return false;
	}
}

static enum x86_step choose_by_op(const struct isa_record *r)
{
	switch (r->op) {
	case X86_OP_NOTHING:
		return X86_STEP_NOTHING;
	case X86_OP_MOVE_4:
	case X86_OP_MOVE_8:
		return choose_size(r, X86_STEP_MOVE_8);
	case X86_OP_LOAD:
	case X86_OP_LOAD_4:
	case X86_OP_LOAD_8:
		return choose_load(r);
	case X86_OP_STORE:
	case X86_OP_STORE_4:
	case X86_OP_STORE_8:
		return choose_store(r, X86_STEP_STORE_8);
	case X86_OP_SET:
	case X86_OP_SET_4:
	case X86_OP_SET_8:
		return choose_set(r);
	case X86_OP_LEA_4:
	case X86_OP_LEA_8:
		return choose_size(r, X86_STEP_LEA_8);
	case X86_OP_ZERO_EXTEND_4:
	case X86_OP_ZERO_EXTEND_8:
		return choose_zero_extend(r);
	case X86_OP_SIGN_EXTEND_4:
	case X86_OP_SIGN_EXTEND_8:
		return choose_sign_extend(r);
	case X86_OP_ADD ... X86_OP_ADD_8:
		return choose_arithmetic(r, X86_STEP_ADD_8_RR, 6);
	case X86_OP_OR ... X86_OP_OR_8:
		return choose_arithmetic(r, X86_STEP_OR_8_RR, 6);
	case X86_OP_AND ... X86_OP_AND_8:
		return choose_arithmetic(r, X86_STEP_AND_8_RR, 6);
	case X86_OP_SUB ... X86_OP_SUB_8:
		return choose_arithmetic(r, X86_STEP_SUB_8_RR, 6);
	case X86_OP_XOR ... X86_OP_XOR_8:
		return choose_arithmetic(r, X86_STEP_XOR_8_RR, 6);
	case X86_OP_CMP ... X86_OP_CMP_8:
		return r->size == 2 ? choose_operands(r, X86_STEP_CMP_2_RR)
				    : choose_arithmetic(r, X86_STEP_CMP_8_RR, 6);
	case X86_OP_TEST ... X86_OP_TEST_8:
		return r->size == 2 ? choose_operands(r, X86_STEP_TEST_2_RR)
				    : choose_arithmetic(r, X86_STEP_TEST_8_RR, 4);
	case X86_OP_INCREMENT_4:
	case X86_OP_INCREMENT_8:
		return choose_register(r, r->variant ? X86_STEP_DECREMENT_8 : X86_STEP_INCREMENT_8);
	case X86_OP_NEGATE:
		return choose_register(r, X86_STEP_NEGATE_8);
	case X86_OP_COMPLEMENT:
		return choose_register(r, X86_STEP_COMPLEMENT_8);
	case X86_OP_SHIFT:
		return choose_shift(r);
	case X86_OP_MULTIPLY:
		return choose_size(r, X86_STEP_MULTIPLY_8);
	case X86_OP_CMOV:
		return choose_register(r, X86_STEP_CMOV_8);
	case X86_OP_SETCC:
		return r->rm == X86_MEMORY || is_high(r->rm, 1) ? X86_STEP_CAREFUL : X86_STEP_SETCC;
	case X86_OP_CONVERT:
		return choose_size(r, X86_STEP_CONVERT_8);
	case X86_OP_CONVERT_DOUBLE:
		return choose_size(r, X86_STEP_CONVERT_DOUBLE_8);
	case X86_OP_PUSH:
		return choose_push(r);
	case X86_OP_POP:
		return r->size == 8 && r->rm != X86_MEMORY ? X86_STEP_POP : X86_STEP_CAREFUL;
	case X86_OP_LEAVE:
		return r->size == 8 ? X86_STEP_LEAVE : X86_STEP_CAREFUL;
	case X86_OP_VECTOR_MOVE_LOW:
		return choose_low_move(r);
	case X86_OP_VECTOR_STORE_LOW:
		return choose_bytes(r, X86_STEP_LOW_STORE_16);
	case X86_OP_PACKED_LOW:
		return choose_low_packed(r);
	case X86_OP_FLOAT_COMPARE:
		return r->element == 8 ? X86_STEP_FLOAT_COMPARE_8 : X86_STEP_FLOAT_COMPARE_4;
	case X86_OP_JUMP_CONDITIONAL:
		return X86_STEP_JUMP_O + r->variant;
	case X86_OP_JUMP:
		return X86_STEP_JUMP_ALWAYS;
	case X86_OP_JUMP_INDIRECT:
		return X86_STEP_JUMP_INDIRECT;
	case X86_OP_CALL:
		return X86_STEP_CALL;
	case X86_OP_CALL_INDIRECT:
		return X86_STEP_CALL_INDIRECT;
	case X86_OP_RETURN:
		return X86_STEP_RETURN;
	default:
		return X86_STEP_CAREFUL;
	}
}

void x86_step_choose(struct isa_record *r)
{
	enum x86_step step = X86_STEP_CAREFUL;

	r->far_operand = r->index != X86_NONE || r->segment;
	if (r->attributes & (X86_LOCK | X86_ADDRESS32)) {
		r->step = X86_STEP_CAREFUL;
		return;
	}
	step = choose_by_op(r);
	if (step == X86_STEP_CAREFUL && is_vector(r->op))
		step = X86_STEP_VECTOR;
	else if (step == X86_STEP_CAREFUL && is_general(r->op))
		step = X86_STEP_GENERAL;
	r->step = (uint8_t)step;
}
