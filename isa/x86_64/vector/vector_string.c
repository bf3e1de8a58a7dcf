/* SPDX-License-Identifier: MIT */
/*
 * pcmpistri, pcmpistrm, pcmpestri, pcmpestrm. Source: Intel SDM volume 1, 14.12.2 (the string
 * instructions of SSE4.2: data format, aggregation, polarity, output).
 */
#include "isa/x86_64/operand.h"
#include "isa/x86_64/vector/vector_operands.h"

enum { EQUAL_ANY, RANGES, EQUAL_EACH, EQUAL_ORDERED };
enum { WORDS = 1, SIGNED = 2, MOST_SIGNIFICANT = 0x40, EXPANDED = 0x40 };

struct string {
	int32_t element[16];
	unsigned length; /* of what is valid */
};

static void read_elements(const union x86_vector *v, unsigned format, struct string *s)
{
	unsigned count = format & WORDS ? 8 : 16;

	for (unsigned i = 0; i < count; i++) {
		if (format & WORDS)
			s->element[i] = format & SIGNED ? (int16_t)v->u16[i] : v->u16[i];
		else
			s->element[i] = format & SIGNED ? (int8_t)v->u8[i] : v->u8[i];
	}
}

static unsigned implicit_length(const struct string *s, unsigned count)
{
	unsigned n = 0;

	while (n < count && s->element[n])
		n++;
	return n;
}

/* The absolute value of eax or rax, at most @count; false if it is not known. */
static bool explicit_length(const struct isa_state *s, unsigned reg, unsigned bytes, unsigned count,
			    unsigned *length)
{
	struct isa_value v = x86_register(s, reg, bytes);
	int64_t n = x86_sign_extend(v.bits, bytes);
	uint64_t magnitude = n < 0 ? -(uint64_t)n : (uint64_t)n;

	*length = magnitude > count ? count : (unsigned)magnitude;
	return x86_is_known(v, bytes);
}

static bool in_ranges(const struct string *a, int32_t element)
{
	for (unsigned i = 0; i + 1 < a->length; i += 2) {
		if (a->element[i] <= element && element <= a->element[i + 1])
			return true;
	}
	return false;
}

static bool is_any(const struct string *a, int32_t element)
{
	for (unsigned i = 0; i < a->length; i++) {
		if (a->element[i] == element)
			return true;
	}
	return false;
}

/* Does @a stand in @b at @at, as far as the vector shows? */
static bool stands_at(const struct string *a, const struct string *b, unsigned at, unsigned count)
{
	for (unsigned i = 0; i < a->length && at + i < count; i++) {
		if (at + i >= b->length || a->element[i] != b->element[at + i])
			return false;
	}
	return true;
}

static bool aggregate(const struct string *a, const struct string *b, unsigned how, unsigned j,
		      unsigned count)
{
	switch (how) {
	case EQUAL_ANY:
		return j < b->length && is_any(a, b->element[j]);
	case RANGES:
		return j < b->length && in_ranges(a, b->element[j]);
	case EQUAL_EACH:
		if (j >= a->length || j >= b->length)
			return j >= a->length && j >= b->length;
		return a->element[j] == b->element[j];
	}
	return stands_at(a, b, j, count);
}

static unsigned vector_string_compare(const struct string *a, const struct string *b,
				      unsigned control, unsigned count)
{
	unsigned result = 0, all = (1u << count) - 1;

	for (unsigned j = 0; j < count; j++)
		result |= (unsigned)aggregate(a, b, control >> 2 & 3, j, count) << j;
	switch (control >> 4 & 3) {
	case 1:
		return ~result & all;
	case 3: /* only where b is valid */
		return result ^ ((1u << b->length) - 1);
	}
	return result;
}

static void write_index(struct isa_state *s, unsigned result, unsigned control, unsigned count)
{
	unsigned index = count;

	if (result && (control & MOST_SIGNIFICANT))
		index = 31 - (unsigned)__builtin_clz(result);
	else if (result)
		index = (unsigned)__builtin_ctz(result);
	x86_register_set(s, X86_RCX, 4, x86_known(index, 4));
}

static void write_mask(const struct isa_record *r, struct isa_state *s, unsigned result,
		       unsigned control, unsigned count)
{
	struct x86_packed v = {.known = X86_ALL_LANES};

	if (!(control & EXPANDED)) {
		v.v.u64[0] = result;
	} else {
		for (unsigned i = 0; i < 16; i++)
			v.v.u8[i] = result >> i * count / 16 & 1 ? 0xff : 0;
	}
	x86_vector_operands_write(r, s, 0, &v);
}

static enum isa_outcome unknown(const struct isa_record *r, struct isa_state *s)
{
	struct x86_packed v = {.known = 0};

	x86_flags_set(s, X86_STATUS_FLAGS, 0, X86_AF | X86_PF);
	if (r->variant & 1)
		x86_register_set(s, X86_RCX, 4, ISA_UNKNOWN);
	else
		x86_vector_operands_write(r, s, 0, &v);
	return ISA_NEXT;
}

/* `variant`: the low two bits of the opcode: bit 0 index, else mask; bit 1 implicit lengths.
 * `element`: bytes of the explicit lengths. */
X86_EVALUATOR(vector_string)
{
	unsigned control = (unsigned)r->immediate & 0xff, count = control & WORDS ? 8 : 16, result;
	struct x86_packed first, second;
	struct string a, b;

	x86_vector_operands_rm(r, s, m, &second);
	x86_vector_read(s, r->reg, &first);
	if ((first.known & second.known & 3) != 3)
		return unknown(r, s);
	read_elements(&first.v, control, &a);
	read_elements(&second.v, control, &b);
	if (r->variant & 2) {
		a.length = implicit_length(&a, count);
		b.length = implicit_length(&b, count);
	} else if (!explicit_length(s, X86_RAX, r->element, count, &a.length) ||
		   !explicit_length(s, X86_RDX, r->element, count, &b.length)) {
		return unknown(r, s);
	}
	result = vector_string_compare(&a, &b, control, count);
	if (r->variant & 1)
		write_index(s, result, control, count);
	else
		write_mask(r, s, result, control, count);
	x86_flags_set(s, X86_STATUS_FLAGS,
		      (result ? X86_CF : 0) | (b.length < count ? X86_ZF : 0) |
			      (a.length < count ? X86_SF : 0) | (result & 1 ? X86_OF : 0),
		      X86_STATUS_FLAGS);
	return ISA_NEXT;
}
