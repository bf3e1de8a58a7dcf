/* SPDX-License-Identifier: MIT */
/*
 * Evaluating lines of instructions: step by step while the state is whole, and else by their ops.
 */
#include <string.h>

#include "isa/path.h"
#include "isa/x86_64/arithmetic.h"
#include "isa/x86_64/operand.h"
#include "isa/x86_64/state/status.h"
#include "isa/x86_64/step.h"
#include "isa/x86_64/vector/kernel.h"
#include "isa/x86_64/vector/vector_operands.h"

#define INLINE static inline __attribute__((always_inline))
#define FAR    static __attribute__((noinline))

/* ---- memory -------------------------------------------------------------------------------- */

/* Of an instruction of the block at @begin. */
INLINE uint64_t address_of(const struct isa_record *r, struct isa_state *s, uint64_t begin)
{
	uint64_t address = (uint64_t)(int64_t)r->displacement;

	if (r->far_operand) {
		s->gpr[X86_RIP] = begin + r->behind;
		address += (s->gpr[r->index] << r->scale) + s->segment_base[r->segment];
	}
	return address + s->gpr[r->base];
}

/* Behind whatever may have read of @m. */
INLINE void check_memory(struct isa_state *s, const struct isa_memory *m)
{
	if (__builtin_expect(s->shadow.replaced != m->replaced, 0))
		isa_shadow_forget_recent(&s->shadow, m->replaced);
}

/* By value: a variable whose address is taken is in memory. */
struct loaded {
	uint64_t bits;
	bool known; /* all of it */
};

FAR struct loaded load_anew(struct isa_state *s, const struct isa_memory *m, uint64_t address,
			    unsigned bytes)
{
	struct isa_value v;
	bool read = isa_shadow_load_again(&s->shadow, m, address, bytes, &v);

	check_memory(s, m);
	return (struct loaded){v.bits, read && x86_is_known(v, bytes)};
}

INLINE struct loaded load(struct isa_state *s, const struct isa_memory *m, uint64_t address,
			  unsigned bytes)
{
	const uint8_t *at = isa_shadow_recall(&s->shadow, address, bytes);
	uint64_t bits = 0;

	if (!at) {
		at = isa_shadow_touch(&s->shadow, m, address, bytes);
		if (!at)
			return load_anew(s, m, address, bytes);
	}
	memcpy(&bits, at, bytes);
	return (struct loaded){bits, true};
}

/* False: the shadow is full. */
INLINE bool store(struct isa_state *s, const struct isa_memory *m, uint64_t address, unsigned bytes,
		  uint64_t bits)
{
	uint8_t *at = isa_shadow_recall_written(&s->shadow, address, bytes);

	if (!at)
		return isa_shadow_store_again(&s->shadow, m, address, bytes,
					      x86_known(bits, bytes));
	memcpy(at, &bits, bytes);
	return true;
}

/* ---- registers ----------------------------------------------------------------------------- */

INLINE void set_8(struct isa_state *s, unsigned reg, uint64_t bits)
{
	s->gpr[reg] = bits;
}

INLINE void set_4(struct isa_state *s, unsigned reg, uint32_t bits)
{
	s->gpr[reg] = bits;
}

INLINE void set_2(struct isa_state *s, unsigned reg, uint16_t bits)
{
	memcpy(&s->gpr[reg], &bits, sizeof(bits));
}

INLINE void set_1(struct isa_state *s, unsigned reg, uint8_t bits)
{
	*(uint8_t *)&s->gpr[reg] = bits;
}

/* Registers that a record names as `reg` or `rm`, by size: bytes are anywhere in them. */
#define REGISTER_8(which) s->gpr[r->which]
#define REGISTER_4(which) s->gpr[r->which]
#define REGISTER_2(which) s->gpr[r->which]
#define REGISTER_1(which) ((uint8_t *)s->gpr)[r->which##_byte]

/* ---- vectors of at most 16 bytes ----------------------------------------------------------- */

#define LOW_LANES 3u

INLINE bool low_known(const struct isa_state *s, unsigned a, unsigned b)
{
	return (s->vector_known[a] & s->vector_known[b] & LOW_LANES) == LOW_LANES;
}

INLINE __m128i low_get(const struct isa_state *s, unsigned reg)
{
	return _mm_load_si128((const __m128i *)&s->vector[reg]);
}

INLINE void low_set(struct isa_state *s, const struct isa_record *r, __m128i v)
{
	union x86_vector *to = &s->vector[r->reg];

	_mm_store_si128((__m128i *)to, v);
	if (r->attributes & X86_KEEP_UPPER) {
		s->vector_known[r->reg] |= LOW_LANES;
		return;
	}
	memset(to->u8 + sizeof(v), 0, sizeof(*to) - sizeof(v));
	s->vector_known[r->reg] = X86_ALL_LANES;
}

/* False: the op has to do it. */
INLINE bool low_compute(struct isa_state *s, const struct isa_record *r, const union x86_chunk *b)
{
	const struct x86_kernel *k = &x86_kernel_table[r->variant];
	union x86_chunk d;

	if (k->shape & X86_FLOAT) {
		if (!x86_vector_operands_rounds_by_default(s))
			return false;
		x86_mxcsr_raise(s);
	}
	k->compute(&d, (const union x86_chunk *)&s->vector[r->reg2], b,
		   (unsigned)r->immediate & 0xffff);
	low_set(s, r, d.v);
	return true;
}

#define FLOAT_HOST(bytes, text)                                     \
	INLINE uint16_t float_compare_##bytes(__m128i a, __m128i b) \
	{                                                           \
		uint64_t ax;                                        \
                                                                    \
		__asm__(#text " %2, %1\n\tlahf\n\tmovb $0, %%al"    \
			: "=&a"(ax)                                 \
			: "x"(a), "x"(b)                            \
			: "cc");                                    \
		return (uint16_t)ax;                                \
	}

FLOAT_HOST(8, comisd)
FLOAT_HOST(4, comiss)

/* ---- steps --------------------------------------------------------------------------------- */

#define NEXT()                        \
	do {                          \
		r++;                  \
		goto *steps[r->step]; \
	} while (0)

#define TAKEN(to)            \
	do {                 \
		bits = (to); \
		goto taken;  \
	} while (0)

/* Of the instruction, and of the one behind it. */
#define HERE()	 (begin + r->behind - r->length)
#define BEHIND() (begin + r->behind)

/* The operand in memory. */
#define ADDRESS() address_of(r, s, begin)

/* To a variable of 8 bytes, of which the upper ones are zero then. */
#define LOAD(address, bytes, to)                                       \
	do {                                                           \
		struct loaded loaded = load(s, m, (address), (bytes)); \
                                                                       \
		if (!loaded.known)                                     \
			goto careful;                                  \
		(to) = loaded.bits;                                    \
	} while (0)

#define STORE(address, bytes, from)                           \
	do {                                                  \
		if (!store(s, m, (address), (bytes), (from))) \
			goto careful;                         \
	} while (0)

#define PUSH(from)                                     \
	do {                                           \
		STORE(s->gpr[X86_RSP] - 8, 8, (from)); \
		s->gpr[X86_RSP] -= 8;                  \
	} while (0)

/* What an instruction reads of rm, a register or memory. */
#define READ(bytes, to)                             \
	do {                                        \
		if (r->rm == X86_MEMORY)            \
			LOAD(ADDRESS(), bytes, to); \
		else                                \
			(to) = s->gpr[r->rm];       \
	} while (0)

#define WRITE_8(which, value) set_8(s, r->which, value)
#define WRITE_4(which, value) set_4(s, r->which, value)
#define WRITE_2(which, value) set_2(s, r->which, value)
#define WRITE_1(which, value) REGISTER_1(which) = (value)

/* What only compares does not write. */
#define WRITE_REGISTER(size, which, value) WRITE_##size(which, value)
#define WRITE_MEMORY(size, at, value)	   STORE(at, size, value)
#define WRITE_NOTHING(size, to, value)	   (void)(value)

#define WITH_REGISTER(step, name, size, to, b_, WRITE)            \
	step : {                                                  \
		bits_##size a = (bits_##size)REGISTER_##size(to); \
                                                                  \
		s->status = name##_##size(&a, (bits_##size)(b_)); \
		WRITE(size, to, a);                               \
		NEXT();                                           \
	}
#define WITH_MEMORY(step, name, size, b_, WRITE)               \
	step : {                                               \
		bits_##size a;                                 \
		uint16_t status;                               \
                                                               \
		address = ADDRESS();                           \
		LOAD(address, size, bits);                     \
		a = (bits_##size)bits;                         \
		status = name##_##size(&a, (bits_##size)(b_)); \
		WRITE(size, address, a);                       \
		s->status = status;                            \
		NEXT();                                        \
	}

/* Steps of X86_STEP_TEST, of X86_STEP_OPERANDS, and those for 8, 4, 2 and 1 bytes. */
#define TEST(NAME, name, size, TO_REGISTER, TO_MEMORY)                                      \
	WITH_REGISTER(step_##NAME##_##size##_RR, name, size, rm, REGISTER_##size(reg),      \
		      TO_REGISTER)                                                          \
	WITH_REGISTER(step_##NAME##_##size##_RI, name, size, rm, r->immediate, TO_REGISTER) \
	WITH_MEMORY(step_##NAME##_##size##_MR, name, size, REGISTER_##size(reg), TO_MEMORY) \
	WITH_MEMORY(step_##NAME##_##size##_MI, name, size, r->immediate, TO_MEMORY)
#define OPERANDS(NAME, name, size, TO_REGISTER, TO_MEMORY)                             \
	TEST(NAME, name, size, TO_REGISTER, TO_MEMORY)                                 \
	WITH_REGISTER(step_##NAME##_##size##_RX, name, size, reg, REGISTER_##size(rm), \
		      TO_REGISTER)                                                     \
	step_##NAME##_##size##_RM:                                                     \
	{                                                                              \
		bits_##size a = (bits_##size)REGISTER_##size(reg);                     \
                                                                                       \
		LOAD(ADDRESS(), size, bits);                                           \
		s->status = name##_##size(&a, (bits_##size)bits);                      \
		TO_REGISTER(size, reg, a);                                             \
		NEXT();                                                                \
	}
#define ARITHMETIC(NAME, name, TO_REGISTER, TO_MEMORY)  \
	OPERANDS(NAME, name, 8, TO_REGISTER, TO_MEMORY) \
	OPERANDS(NAME, name, 4, TO_REGISTER, TO_MEMORY) \
	OPERANDS(NAME, name, 2, TO_REGISTER, TO_MEMORY) \
	OPERANDS(NAME, name, 1, TO_REGISTER, TO_MEMORY)

#define SHIFT(NAME, name, size, ...)                                                        \
	step_##NAME##_##size:                                                               \
	{                                                                                   \
		bits_##size v = (bits_##size)s->gpr[r->rm];                                 \
		uint8_t count = (uint8_t)(r->attributes & X86_IMMEDIATE ? r->immediate      \
									: s->gpr[X86_RCX]); \
                                                                                            \
		count &= (size) == 8 ? 63 : 31;                                             \
		if (!count || count >= (size)*8)                                            \
			goto careful;                                                       \
		s->status = name##_##size(&v, count, ##__VA_ARGS__);                        \
		set_##size(s, r->rm, v);                                                    \
		NEXT();                                                                     \
	}

/* A register, and another one, memory or an immediate. */
#define CARRY(NAME, name, size)                                                               \
	step_##NAME##_##size:                                                                 \
	{                                                                                     \
		unsigned to = r->element ? r->reg : r->rm;                                    \
		bits_##size a = (bits_##size)s->gpr[to];                                      \
                                                                                              \
		if (s->status & X86_STATUS_NO_CF)                                             \
			goto careful;                                                         \
		if (r->element)                                                               \
			READ(size, bits);                                                     \
		else                                                                          \
			bits = r->attributes & X86_IMMEDIATE ? r->immediate : s->gpr[r->reg]; \
		s->status = name##_##size(&a, (bits_##size)bits, s->status);                  \
		set_##size(s, to, a);                                                         \
		NEXT();                                                                       \
	}

#define COUNT(size)                                                                  \
	step_INCREMENT_##size:                                                       \
	{                                                                            \
		bits_##size v = (bits_##size)s->gpr[r->rm];                          \
                                                                                     \
		s->status = keep_carry(s->status, add_##size(&v, 1));                \
		set_##size(s, r->rm, v);                                             \
		NEXT();                                                              \
	}                                                                            \
	step_DECREMENT_##size:                                                       \
	{                                                                            \
		bits_##size v = (bits_##size)s->gpr[r->rm];                          \
                                                                                     \
		s->status = keep_carry(s->status, sub_##size(&v, 1));                \
		set_##size(s, r->rm, v);                                             \
		NEXT();                                                              \
	}                                                                            \
	step_NEGATE_##size:                                                          \
	{                                                                            \
		bits_##size v = 0;                                                   \
                                                                                     \
		s->status = sub_##size(&v, (bits_##size)s->gpr[r->rm]);              \
		set_##size(s, r->rm, v);                                             \
		NEXT();                                                              \
	}                                                                            \
	step_COMPLEMENT_##size : set_##size(s, r->rm, (bits_##size) ~s->gpr[r->rm]); \
	NEXT();

#define MULTIPLY(size)                                                                \
	step_MULTIPLY_##size:                                                         \
	{                                                                             \
		bits_##size a;                                                        \
                                                                                      \
		READ(size, bits);                                                     \
		a = (bits_##size)bits;                                                \
		bits = r->attributes & X86_IMMEDIATE ? r->immediate : s->gpr[r->reg]; \
		s->status = multiply_##size(&a, (bits_##size)bits);                   \
		set_##size(s, r->reg, a);                                             \
		NEXT();                                                               \
	}

#define DIVIDE(NAME, name, size)                                                   \
	step_##NAME##_##size : READ(size, bits);                                   \
	if (!name##_##size(&s->gpr[X86_RAX], &s->gpr[X86_RDX], (bits_##size)bits)) \
		goto careful;                                                      \
	s->status = X86_STATUS_NO_ALL;                                             \
	NEXT();

/* bsf and bsr, tzcnt and lzcnt, of a bit that is there. */
#define FIRST_SET(size)                                                                     \
	step_BIT_SCAN_##size : READ(size, bits);                                            \
	bits = (bits_##size)bits;                                                           \
	if (!bits)                                                                          \
		goto careful;                                                               \
	bits = (uint64_t)(r->variant ? 63 - __builtin_clzll(bits) : __builtin_ctzll(bits)); \
	s->status = X86_STATUS_NO_ALL & ~X86_STATUS_NO_ZF;                                  \
	set_##size(s, r->reg, (bits_##size)bits);                                           \
	NEXT();                                                                             \
	step_COUNT_ZEROS_##size : READ(size, bits);                                         \
	bits = (bits_##size)bits;                                                           \
	if (!bits)                                                                          \
		goto careful;                                                               \
	bits = (uint64_t)(r->variant ? __builtin_clzll(bits) - (64 - 8 * (size))            \
				     : __builtin_ctzll(bits));                              \
	s->status = (X86_STATUS_NO_ALL & ~(X86_STATUS_NO_ZF | X86_STATUS_NO_CF)) |          \
		    (bits ? 0 : X86_STATUS_ZF);                                             \
	set_##size(s, r->reg, (bits_##size)bits);                                           \
	NEXT();

#define CMOV(size)                                                       \
	step_CMOV_##size:                                                \
	{                                                                \
		int holds = x86_status_condition(s->status, r->variant); \
                                                                         \
		if (holds < 0)                                           \
			goto careful;                                    \
		bits = s->gpr[holds ? r->rm : r->reg];                   \
		set_##size(s, r->reg, (bits_##size)bits);                \
		NEXT();                                                  \
	}

#define JUMP(NAME, condition, needs)                              \
	step_JUMP_##NAME : if (s->status & (needs)) goto careful; \
	if (condition)                                            \
		TAKEN(r->target);                                 \
	goto not_taken;
#define JUMPS(NAME, N_NAME, condition, needs) \
	JUMP(NAME, condition, needs)          \
	JUMP(N_NAME, !(condition), needs)

#define IS_LESS ((s->status >> 15 ^ s->status) & 1)

#define LOAD_EXTEND(NAME, bytes, type, to)               \
	step_LOAD_##NAME : LOAD(ADDRESS(), bytes, bits); \
	s->gpr[r->reg] = (to)(type)bits;                 \
	NEXT();
#define EXTEND(NAME, bytes, type, to)                           \
	step_##NAME : s->gpr[r->reg] = (to)(type)s->gpr[r->rm]; \
	NEXT();                                                 \
	LOAD_EXTEND(NAME, bytes, type, to)

#define LOW_LOAD(bytes)                                       \
	step_LOW_LOAD_##bytes : LOAD(ADDRESS(), bytes, bits); \
	low_set(s, r, _mm_cvtsi64_si128((int64_t)bits));      \
	NEXT();
#define LOW_STORE(bytes)                                                               \
	step_LOW_STORE_##bytes : if (!(s->vector_known[r->reg] & 1)) goto step_VECTOR; \
	STORE(ADDRESS(), bytes, s->vector[r->reg].u64[0]);                             \
	NEXT();

/* A chunk's bytes of memory. */
#define LOAD_CHUNK(size)                                                                         \
	do {                                                                                     \
		address = ADDRESS();                                                             \
		LOAD(address, (size) < 8 ? 4 : 8, bits);                                         \
		chunk.v = _mm_cvtsi64_si128((int64_t)bits);                                      \
		if ((size) == 16) {                                                              \
			LOAD(address + 8, 8, bits);                                              \
			chunk.v = _mm_unpacklo_epi64(chunk.v, _mm_cvtsi64_si128((int64_t)bits)); \
		}                                                                                \
	} while (0)

#define FLOAT_COMPARE(bytes)                                                                     \
	step_FLOAT_COMPARE_##bytes                                                               \
	    : if (!(s->vector_known[r->reg] & 1) || !x86_vector_operands_rounds_by_default(s) || \
		  (r->rm != X86_MEMORY && !(s->vector_known[r->rm] & 1))) goto careful;          \
	if (r->rm == X86_MEMORY) {                                                               \
		LOAD(ADDRESS(), bytes, bits);                                                    \
		chunk.v = _mm_cvtsi64_si128((int64_t)bits);                                      \
	} else {                                                                                 \
		chunk.v = low_get(s, r->rm);                                                     \
	}                                                                                        \
	x86_mxcsr_raise(s);                                                                      \
	s->status = float_compare_##bytes(low_get(s, r->reg), chunk.v);                          \
	NEXT();

#define STORES(bytes)                                                         \
	step_STORE_##bytes : STORE(ADDRESS(), bytes, s->gpr[r->reg]);         \
	NEXT();                                                               \
	step_STORE_IMMEDIATE_##bytes : STORE(ADDRESS(), bytes, r->immediate); \
	NEXT();

#define ALL_ARITHMETIC                                     \
	ARITHMETIC(ADD, add, WRITE_REGISTER, WRITE_MEMORY) \
	ARITHMETIC(OR, or, WRITE_REGISTER, WRITE_MEMORY)   \
	ARITHMETIC(AND, and, WRITE_REGISTER, WRITE_MEMORY) \
	ARITHMETIC(SUB, sub, WRITE_REGISTER, WRITE_MEMORY) \
	ARITHMETIC(XOR, xor, WRITE_REGISTER, WRITE_MEMORY) \
	ARITHMETIC(CMP, cmp, WRITE_NOTHING, WRITE_NOTHING) \
	TEST(TEST, test, 8, WRITE_NOTHING, WRITE_NOTHING)  \
	TEST(TEST, test, 4, WRITE_NOTHING, WRITE_NOTHING)  \
	TEST(TEST, test, 2, WRITE_NOTHING, WRITE_NOTHING)  \
	TEST(TEST, test, 1, WRITE_NOTHING, WRITE_NOTHING)

/* Of any size. */
#define OF_SIZE(size)                     \
	SHIFT(SHL, shl, size)             \
	SHIFT(SHR, shr, size)             \
	SHIFT(SAR, sar, size)             \
	SHIFT(ROL, rol, size, s->status)  \
	SHIFT(ROR, ror, size, s->status)  \
	CARRY(ADD_CARRY, add_carry, size) \
	CARRY(SUB_CARRY, sub_carry, size) \
	COUNT(size)

#define ALL_SHIFTS                              \
	OF_SIZE(8)                              \
	OF_SIZE(4)                              \
	OF_SIZE(2)                              \
	OF_SIZE(1)                              \
	MULTIPLY(8)                             \
	MULTIPLY(4)                             \
	DIVIDE(DIVIDE, divide, 8)               \
	DIVIDE(DIVIDE, divide, 4)               \
	DIVIDE(DIVIDE_SIGNED, divide_signed, 8) \
	DIVIDE(DIVIDE_SIGNED, divide_signed, 4) \
	FIRST_SET(8)                            \
	FIRST_SET(4)                            \
	CMOV(8)                                 \
	CMOV(4)

#define ALL_JUMPS                                                  \
	JUMPS(O, NO, s->status &X86_STATUS_OF, X86_STATUS_NO_OF)   \
	JUMPS(B, AE, s->status &X86_STATUS_CF, X86_STATUS_NO_CF)   \
	JUMPS(E, NE, s->status &X86_STATUS_ZF, X86_STATUS_NO_ZF)   \
	JUMPS(BE, A, s->status &(X86_STATUS_CF | X86_STATUS_ZF),   \
	      X86_STATUS_NO_CF | X86_STATUS_NO_ZF)                 \
	JUMPS(S, NS, s->status &X86_STATUS_SF, X86_STATUS_NO_SF)   \
	JUMPS(P, NP, s->status &X86_STATUS_PF, X86_STATUS_NO_PF)   \
	JUMPS(L, GE, IS_LESS, X86_STATUS_NO_OF | X86_STATUS_NO_SF) \
	JUMPS(LE, G, s->status &X86_STATUS_ZF || IS_LESS,          \
	      X86_STATUS_NO_OF | X86_STATUS_NO_SF | X86_STATUS_NO_ZF)

#define ALL_LOADS_AND_STORES                         \
	STORES(8)                                    \
	STORES(4)                                    \
	STORES(2)                                    \
	STORES(1)                                    \
	EXTEND(ZERO_EXTEND_1, 1, uint8_t, uint64_t)  \
	EXTEND(ZERO_EXTEND_2, 2, uint16_t, uint64_t) \
	EXTEND(SIGN_EXTEND_14, 1, int8_t, uint32_t)  \
	EXTEND(SIGN_EXTEND_18, 1, int8_t, uint64_t)  \
	EXTEND(SIGN_EXTEND_24, 2, int16_t, uint32_t) \
	EXTEND(SIGN_EXTEND_28, 2, int16_t, uint64_t) \
	EXTEND(SIGN_EXTEND_48, 4, int32_t, uint64_t) \
	LOW_LOAD(8)                                  \
	LOW_LOAD(4)                                  \
	LOW_STORE(8)                                 \
	LOW_STORE(4)                                 \
	FLOAT_COMPARE(8)                             \
	FLOAT_COMPARE(4)                             \
	LOAD_EXTEND(8, 8, uint64_t, uint64_t)        \
	LOAD_EXTEND(4, 4, uint32_t, uint64_t)

/* Between registers and constants. */
#define MOVES                                                            \
	step_LOAD_1:                                                     \
	LOAD(ADDRESS(), 1, bits);                                        \
	set_1(s, r->reg, (uint8_t)bits);                                 \
	NEXT();                                                          \
	step_NOTHING:                                                    \
	NEXT();                                                          \
	step_MOVE_8:                                                     \
	s->gpr[r->reg] = s->gpr[r->rm];                                  \
	NEXT();                                                          \
	step_MOVE_4:                                                     \
	s->gpr[r->reg] = (uint32_t)s->gpr[r->rm];                        \
	NEXT();                                                          \
	step_SET_8:                                                      \
	s->gpr[r->rm] = r->immediate;                                    \
	NEXT();                                                          \
	step_SET_4:                                                      \
	s->gpr[r->rm] = (uint32_t)r->immediate;                          \
	NEXT();                                                          \
	step_LEA_8:                                                      \
	s->gpr[r->reg] = ADDRESS();                                      \
	NEXT();                                                          \
	step_LEA_4:                                                      \
	s->gpr[r->reg] = (uint32_t)ADDRESS();                            \
	NEXT();                                                          \
	step_SETCC : {                                                   \
		int holds = x86_status_condition(s->status, r->variant); \
                                                                         \
		if (holds < 0)                                           \
			goto careful;                                    \
		set_1(s, r->rm, (uint8_t)holds);                         \
		NEXT();                                                  \
	}                                                                \
	step_CONVERT_8:                                                  \
	s->gpr[X86_RAX] = (uint64_t)(int32_t)s->gpr[X86_RAX];            \
	NEXT();                                                          \
	step_CONVERT_4:                                                  \
	s->gpr[X86_RAX] = (uint32_t)(int16_t)s->gpr[X86_RAX];            \
	NEXT();                                                          \
	step_CONVERT_DOUBLE_8:                                           \
	s->gpr[X86_RDX] = (uint64_t)((int64_t)s->gpr[X86_RAX] >> 63);    \
	NEXT();                                                          \
	step_CONVERT_DOUBLE_4:                                           \
	s->gpr[X86_RDX] = (uint32_t)((int32_t)s->gpr[X86_RAX] >> 31);    \
	NEXT();

/* The stack. */
#define STACK                                  \
	step_PUSH:                             \
	PUSH(s->gpr[r->rm]);                   \
	NEXT();                                \
	step_PUSH_IMMEDIATE:                   \
	PUSH(r->immediate);                    \
	NEXT();                                \
	step_POP:                              \
	LOAD(s->gpr[X86_RSP], 8, bits);        \
	s->gpr[X86_RSP] += 8;                  \
	s->gpr[r->rm] = bits;                  \
	NEXT();                                \
	step_LEAVE:                            \
	LOAD(s->gpr[X86_RBP], 8, bits);        \
	s->gpr[X86_RSP] = s->gpr[X86_RBP] + 8; \
	s->gpr[X86_RBP] = bits;                \
	NEXT();

/* Jumps, calls and returns that depend on no flag. */
#define TRANSFERS                            \
	step_JUMP_ALWAYS:                    \
	TAKEN(r->target);                    \
	step_JUMP_INDIRECT:                  \
	READ(8, bits);                       \
	TAKEN(bits);                         \
	step_CALL:                           \
	PUSH(BEHIND());                      \
	TAKEN(r->target);                    \
	step_CALL_INDIRECT:                  \
	READ(8, bits);                       \
	PUSH(BEHIND());                      \
	TAKEN(bits);                         \
	step_RETURN:                         \
	LOAD(s->gpr[X86_RSP], 8, bits);      \
	s->gpr[X86_RSP] += 8 + r->immediate; \
	TAKEN(bits);

/* What rounds needs the rounding that we have, too. */
#define READY_TO_ROUND(rounds)                                         \
	do {                                                           \
		if (rounds) {                                          \
			if (!x86_vector_operands_rounds_by_default(s)) \
				goto step_VECTOR;                      \
			x86_mxcsr_raise(s);                            \
		}                                                      \
	} while (0)

#define KERNEL(name, bytes, rounds)                                                   \
	step_LOW_##name : if (!low_known(s, r->reg2, r->rm)) goto step_VECTOR;        \
	READY_TO_ROUND(rounds);                                                       \
	chunk.v = low_get(s, r->reg2);                                                \
	__asm__(#name " %1, %0" : "+x"(chunk.v) : "x"(low_get(s, r->rm)));            \
	low_set(s, r, chunk.v);                                                       \
	NEXT();                                                                       \
	step_LOW_LOAD_##name : if (!low_known(s, r->reg2, r->reg2)) goto step_VECTOR; \
	LOAD_CHUNK(bytes);                                                            \
	READY_TO_ROUND(rounds);                                                       \
	{                                                                             \
		__m128i a = low_get(s, r->reg2);                                      \
                                                                                      \
		__asm__(#name " %1, %0" : "+x"(a) : "x"(chunk.v));                    \
		low_set(s, r, a);                                                     \
	}                                                                             \
	NEXT();

/* At most 16 bytes of vectors. */
#define LOW                                                                 \
	step_LOW_ZERO:                                                      \
	low_set(s, r, _mm_setzero_si128());                                 \
	NEXT();                                                             \
	step_LOW_MOVE:                                                      \
	if (!low_known(s, r->rm, r->rm))                                    \
		goto step_VECTOR;                                           \
	low_set(s, r, low_get(s, r->rm));                                   \
	NEXT();                                                             \
	step_LOW_FROM_8:                                                    \
	low_set(s, r, _mm_cvtsi64_si128((int64_t)s->gpr[r->rm]));           \
	NEXT();                                                             \
	step_LOW_FROM_4:                                                    \
	low_set(s, r, _mm_cvtsi32_si128((int32_t)s->gpr[r->rm]));           \
	NEXT();                                                             \
	step_LOW_LOAD_16:                                                   \
	LOAD_CHUNK(16);                                                     \
	low_set(s, r, chunk.v);                                             \
	NEXT();                                                             \
	step_LOW_STORE_16:                                                  \
	if (!low_known(s, r->reg, r->reg))                                  \
		goto step_VECTOR;                                           \
	address = ADDRESS();                                                \
	STORE(address, 8, s->vector[r->reg].u64[0]);                        \
	STORE(address + 8, 8, s->vector[r->reg].u64[1]);                    \
	NEXT();                                                             \
	step_LOW_PACKED:                                                    \
	if (!low_known(s, r->reg2, r->rm) ||                                \
	    !low_compute(s, r, (const union x86_chunk *)&s->vector[r->rm])) \
		goto step_VECTOR;                                           \
	NEXT();                                                             \
	step_LOW_LOAD_PACKED:                                               \
	if (!low_known(s, r->reg2, r->reg2))                                \
		goto step_VECTOR;                                           \
	LOAD_CHUNK(r->bytes);                                               \
	if (!low_compute(s, r, &chunk))                                     \
		goto step_VECTOR;                                           \
	NEXT();

/* By the op of an instruction that changes no flag. */
#define RUN_OP()                                             \
	do {                                                 \
		s->pc = HERE();                              \
		s->gpr[X86_RIP] = BEHIND();                  \
		outcome = x86_op_evaluators[r->op](r, s, m); \
		check_memory(s, m);                          \
		if (outcome != ISA_NEXT)                     \
			goto stopped;                        \
	} while (0)

/* The state stays whole as far as it can. */
#define BY_OP                              \
	step_VECTOR:                       \
	RUN_OP();                          \
	NEXT();                            \
	step_GENERAL:                      \
	RUN_OP();                          \
	if (x86_status_registers_known(s)) \
		NEXT();                    \
	x86_status_end(s);                 \
	goto over_carefully;

/* Evaluate the line from *first on; with @block, which is @p's, that and what comes behind it. */
static enum isa_outcome evaluate(const struct isa_record **first, struct isa_path *p,
				 const struct isa_block *block, struct isa_state *s,
				 const struct isa_memory *m)
{
#define X(name) [X86_STEP_##name] = &&step_##name,
	static const void *const steps[X86_STEP_COUNT] = {X86_STEPS(X)};
#undef X
	const struct isa_record *r = *first;
	const struct isa_block *next;
	uint64_t begin = s->pc + r->length - r->behind, bits, address;
	enum isa_outcome outcome;
	union x86_chunk chunk;

	check_memory(s, m);
enter:
	if (s->whole || x86_status_begin(s))
		goto *steps[r->step];
	goto careful;

	ALL_ARITHMETIC;
	ALL_SHIFTS;
	ALL_JUMPS;
	ALL_LOADS_AND_STORES;
	MOVES;
	STACK;
	TRANSFERS;
	LOW;
	X86_STEP_KERNELS(KERNEL);

	BY_OP;
step_CAREFUL:
careful:
	x86_status_end(s);
	s->pc = HERE();
	outcome = x86_op_evaluate(r, s, m);
	check_memory(s, m);
	if (outcome == ISA_TAKEN) {
		bits = s->pc;
		goto taken;
	}
	if (outcome != ISA_NEXT)
		goto stopped;
	if (r->kind != ISA_OTHER)
		goto not_taken;
over_carefully:
	r++;
	if (r->step == X86_STEP_END)
		goto step_END;
	if (x86_status_begin(s))
		goto *steps[r->step];
	goto careful;
taken:
	outcome = ISA_TAKEN;
	goto leave;
not_taken:
	r++;
step_END:
	bits = begin + r[-1].behind;
	outcome = ISA_NEXT;
leave:
	next = block ? isa_path_leave(p, block, &s->shadow, outcome == ISA_TAKEN, bits) : NULL;
	if (next) {
		block = next;
		r = next->records;
		begin = bits;
		goto enter;
	}
	s->pc = bits;
stopped:
	*first = r;
	if (block)
		p->block = block;
	return outcome;
}

enum isa_outcome isa_evaluate_line(const struct isa_record **r, struct isa_state *s,
				   const struct isa_memory *m)
{
	return evaluate(r, NULL, NULL, s, m);
}

enum isa_outcome isa_evaluate_path(struct isa_path *p, struct isa_state *s,
				   const struct isa_memory *m)
{
	p->record = p->block->records;
	return evaluate(&p->record, p, p->block, s, m);
}
