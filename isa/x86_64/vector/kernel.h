/* SPDX-License-Identifier: MIT */
/*
 * What packed instructions compute of 16 bytes: wider vectors are several of these. Where SSE has
 * the instruction, it computes itself, so that rounding and not-a-numbers are the machine's.
 * Inside isa/x86_64 only.
 */
#pragma once

#include <emmintrin.h>
#include <stdbool.h>
#include <stdint.h>

union x86_chunk {
	__m128i v;
	uint8_t u8[16];
	uint16_t u16[8];
	uint32_t u32[4];
	uint64_t u64[2];
	float f32[4];
	double f64[2];
} __attribute__((may_alias)); /* parts of a union x86_vector */

/* What a result's 8 bytes need of the operands a (reg2) and b (rm). */
enum x86_shape {
	X86_LANE,     /* the same 8 bytes of both */
	X86_CHUNK,    /* 16 bytes of both */
	X86_LANE_B,   /* the same 8 bytes of b only */
	X86_CHUNK_B,  /* 16 bytes of b only */
	X86_COUNT,    /* the same 8 bytes of a, and b's lowest 8 bytes: a shift's count */
	X86_SCALAR,   /* the lowest 8 bytes of both; the upper 8 bytes are a's */
	X86_SCALAR_B, /* the same, of b only */
	X86_SHAPE = 0x0f,
	X86_SELF_ZERO = 0x10, /* zero if a and b are one register */
	X86_SELF_ONES = 0x20,
	X86_FLOAT = 0x40, /* rounds as MXCSR says */
};

/* Families: by the width of their elements in the name's last letter, or by what they compute on.
 */
#define X86_BW(X, name, shape)	 X(name##b, shape) X(name##w, shape)
#define X86_BWD(X, name, shape)	 X86_BW(X, name, shape) X(name##d, shape)
#define X86_BWDQ(X, name, shape) X86_BWD(X, name, shape) X(name##q, shape)
#define X86_WDQ(X, name, shape)	 X(name##w, shape) X(name##d, shape) X(name##q, shape)
#define X86_BITS(X, name, shape) \
	X(name##8, shape) X(name##16, shape) X(name##32, shape) X(name##64, shape)
#define X86_TWO_FLOATS(X, name, shape) \
	X(name##ps, (shape) | X86_FLOAT) X(name##pd, (shape) | X86_FLOAT)
#define X86_FLOATS(X, name)               \
	X86_TWO_FLOATS(X, name, X86_LANE) \
	X(name##ss, X86_SCALAR | X86_FLOAT) X(name##sd, X86_SCALAR | X86_FLOAT)

/* kernel, shape: those that are an SSE instruction of this name */
#define X86_SSE_KERNELS(X)                                                                       \
	X86_BWDQ(X, padd, X86_LANE)                                                              \
	X86_BWDQ(X, psub, X86_LANE | X86_SELF_ZERO)                                              \
	X86_BW(X, padds, X86_LANE)                                                               \
	X86_BW(X, paddus, X86_LANE)                                                              \
	X86_BW(X, psubs, X86_LANE | X86_SELF_ZERO)                                               \
	X86_BW(X, psubus, X86_LANE | X86_SELF_ZERO)                                              \
	X86_BWD(X, pmins, X86_LANE)                                                              \
	X86_BWD(X, pminu, X86_LANE)                                                              \
	X86_BWD(X, pmaxs, X86_LANE)                                                              \
	X86_BWD(X, pmaxu, X86_LANE)                                                              \
	X(pand, X86_LANE)                                                                        \
	X(pandn, X86_LANE | X86_SELF_ZERO)                                                       \
	X(por, X86_LANE)                                                                         \
	X(pxor, X86_LANE | X86_SELF_ZERO)                                                        \
	X86_BWDQ(X, pcmpeq, X86_LANE | X86_SELF_ONES)                                            \
	X86_BWDQ(X, pcmpgt, X86_LANE | X86_SELF_ZERO)                                            \
	X86_BW(X, pavg, X86_LANE)                                                                \
	X(pmullw, X86_LANE)                                                                      \
	X(pmulhw, X86_LANE)                                                                      \
	X(pmulhuw, X86_LANE)                                                                     \
	X(pmulhrsw, X86_LANE)                                                                    \
	X(pmulld, X86_LANE)                                                                      \
	X(pmuludq, X86_LANE)                                                                     \
	X(pmuldq, X86_LANE)                                                                      \
	X(pmaddwd, X86_LANE)                                                                     \
	X(pmaddubsw, X86_LANE)                                                                   \
	X(psadbw, X86_LANE)                                                                      \
	X86_BWD(X, psign, X86_LANE)                                                              \
	X(packsswb, X86_CHUNK)                                                                   \
	X(packssdw, X86_CHUNK)                                                                   \
	X(packuswb, X86_CHUNK)                                                                   \
	X(packusdw, X86_CHUNK)                                                                   \
	X(punpcklbw, X86_CHUNK)                                                                  \
	X(punpcklwd, X86_CHUNK)                                                                  \
	X(punpckldq, X86_CHUNK)                                                                  \
	X(punpcklqdq, X86_CHUNK)                                                                 \
	X(punpckhbw, X86_CHUNK)                                                                  \
	X(punpckhwd, X86_CHUNK)                                                                  \
	X(punpckhdq, X86_CHUNK)                                                                  \
	X(punpckhqdq, X86_CHUNK)                                                                 \
	X(pshufb, X86_CHUNK)                                                                     \
	X(phaddw, X86_CHUNK)                                                                     \
	X(phaddd, X86_CHUNK)                                                                     \
	X(phaddsw, X86_CHUNK)                                                                    \
	X(phsubw, X86_CHUNK)                                                                     \
	X(phsubd, X86_CHUNK)                                                                     \
	X(phsubsw, X86_CHUNK)                                                                    \
	X86_BWD(X, pabs, X86_LANE_B)                                                             \
	X(phminposuw, X86_CHUNK_B)                                                               \
	X86_WDQ(X, psrl, X86_COUNT)                                                              \
	X(psraw, X86_COUNT)                                                                      \
	X(psrad, X86_COUNT)                                                                      \
	X86_WDQ(X, psll, X86_COUNT)                                                              \
	X(movddup, X86_CHUNK_B)                                                                  \
	X(movsldup, X86_LANE_B)                                                                  \
	X(movshdup, X86_LANE_B)                                                                  \
	X(aesenc, X86_CHUNK)                                                                     \
	X(aesenclast, X86_CHUNK)                                                                 \
	X(aesdec, X86_CHUNK)                                                                     \
	X(aesdeclast, X86_CHUNK)                                                                 \
	X(aesimc, X86_CHUNK_B)                                                                   \
	X86_FLOATS(X, add)                                                                       \
	X86_FLOATS(X, mul)                                                                       \
	X86_FLOATS(X, sub)                                                                       \
	X86_FLOATS(X, div)                                                                       \
	X86_FLOATS(X, min)                                                                       \
	X86_FLOATS(X, max)                                                                       \
	X86_TWO_FLOATS(X, sqrt, X86_LANE_B)                                                      \
	X(sqrtss, X86_SCALAR | X86_FLOAT)                                                        \
	X(sqrtsd, X86_SCALAR_B | X86_FLOAT)                                                      \
	X86_TWO_FLOATS(X, addsub, X86_LANE)                                                      \
	X86_TWO_FLOATS(X, hadd, X86_CHUNK)                                                       \
	X86_TWO_FLOATS(X, hsub, X86_CHUNK)                                                       \
	X(cvtdq2ps, X86_LANE_B | X86_FLOAT)                                                      \
	X(cvtps2dq, X86_LANE_B | X86_FLOAT)                                                      \
	X(cvttps2dq, X86_LANE_B | X86_FLOAT)                                                     \
	X(cvtss2sd, X86_SCALAR_B | X86_FLOAT)                                                    \
	X(cvtsd2ss, X86_SCALAR | X86_FLOAT)                                                      \
	/* by themselves they use 8 bytes of b, or make 8 of 16: WIDEN_FLOAT and NARROW_FLOAT */ \
	X(cvtdq2pd, X86_LANE_B | X86_FLOAT)                                                      \
	X(cvtps2pd, X86_LANE_B | X86_FLOAT)                                                      \
	X(cvtpd2ps, X86_CHUNK_B | X86_FLOAT)                                                     \
	X(cvtpd2dq, X86_CHUNK_B | X86_FLOAT)                                                     \
	X(cvttpd2dq, X86_CHUNK_B | X86_FLOAT)

/* those written out: with an immediate, or younger than SSE */
#define X86_OTHER_KERNELS(X)                                                                      \
	X(shift_words, X86_LANE_B)                                                                \
	X(shift_dwords, X86_LANE_B)                                                               \
	X(shift_qwords, X86_LANE_B)                                                               \
	X(shift_bytes, X86_CHUNK_B)                                                               \
	X(pshufd, X86_CHUNK_B)                                                                    \
	X(pshuflw, X86_LANE_B)                                                                    \
	X(pshufhw, X86_LANE_B)                                                                    \
	X(palignr, X86_CHUNK)                                                                     \
	X(shufps, X86_CHUNK)                                                                      \
	X(permute_dwords, X86_CHUNK)                                                              \
	X(blend_words, X86_LANE)                                                                  \
	X(pclmulqdq, X86_CHUNK)                                                                   \
	X(compare_float, X86_LANE | X86_FLOAT)                                                    \
	X(compare_double, X86_LANE | X86_FLOAT)                                                   \
	X(compare_float_low, X86_SCALAR | X86_FLOAT)                                              \
	X(compare_double_low, X86_SCALAR | X86_FLOAT)                                             \
	X(round_float, X86_LANE_B | X86_FLOAT)                                                    \
	X(round_double, X86_LANE_B | X86_FLOAT)                                                   \
	X(round_float_low, X86_SCALAR | X86_FLOAT)                                                \
	X(round_double_low, X86_SCALAR_B | X86_FLOAT)                                             \
	X(insertps, X86_CHUNK)                                                                    \
	X(pminsq, X86_LANE)                                                                       \
	X(pmaxsq, X86_LANE)                                                                       \
	X(pminuq, X86_LANE)                                                                       \
	X(pmaxuq, X86_LANE)                                                                       \
	X(pmullq, X86_LANE)                                                                       \
	X(pabsq, X86_LANE_B)                                                                      \
	X(psraq, X86_COUNT)                                                                       \
	X86_WDQ(X, psllv, X86_LANE)                                                               \
	X86_WDQ(X, psrlv, X86_LANE)                                                               \
	X86_WDQ(X, psrav, X86_LANE)                                                               \
	X(rotate_dwords, X86_LANE_B)                                                              \
	X(rotate_qwords, X86_LANE_B)                                                              \
	X86_BWDQ(X, popcnt, X86_LANE_B)                                                           \
	X(lzcntd, X86_LANE_B)                                                                     \
	X(lzcntq, X86_LANE_B)                                                                     \
	/* full elements, of which an opmask takes the top bits: comparison as the immediate says \
	 */                                                                                       \
	X86_BITS(X, compare_i, X86_LANE)                                                          \
	X86_BITS(X, compare_u, X86_LANE)                                                          \
	X86_BITS(X, test_, X86_LANE)                                                              \
	X86_BITS(X, testn_, X86_LANE)                                                             \
	X(sign, X86_LANE_B)

enum x86_kernel_number {
#define X(name, shape) X86_KERNEL_##name,
	X86_SSE_KERNELS(X) X86_OTHER_KERNELS(X)
#undef X
		X86_KERNELS
};

struct x86_kernel {
	void (*compute)(union x86_chunk *d, const union x86_chunk *a, const union x86_chunk *b,
			unsigned immediate);
	uint8_t shape; /* enum x86_shape */
};

extern const struct x86_kernel x86_kernel_table[X86_KERNELS];
