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

/* kernel, shape: those that are an SSE instruction of this name */
#define X86_SSE_KERNELS(X)                                                                       \
	X(paddb, X86_LANE)                                                                       \
	X(paddw, X86_LANE)                                                                       \
	X(paddd, X86_LANE)                                                                       \
	X(paddq, X86_LANE)                                                                       \
	X(psubb, X86_LANE | X86_SELF_ZERO)                                                       \
	X(psubw, X86_LANE | X86_SELF_ZERO)                                                       \
	X(psubd, X86_LANE | X86_SELF_ZERO)                                                       \
	X(psubq, X86_LANE | X86_SELF_ZERO)                                                       \
	X(paddsb, X86_LANE)                                                                      \
	X(paddsw, X86_LANE)                                                                      \
	X(paddusb, X86_LANE)                                                                     \
	X(paddusw, X86_LANE)                                                                     \
	X(psubsb, X86_LANE | X86_SELF_ZERO)                                                      \
	X(psubsw, X86_LANE | X86_SELF_ZERO)                                                      \
	X(psubusb, X86_LANE | X86_SELF_ZERO)                                                     \
	X(psubusw, X86_LANE | X86_SELF_ZERO)                                                     \
	X(pminub, X86_LANE)                                                                      \
	X(pmaxub, X86_LANE)                                                                      \
	X(pminsw, X86_LANE)                                                                      \
	X(pmaxsw, X86_LANE)                                                                      \
	X(pminsb, X86_LANE)                                                                      \
	X(pminsd, X86_LANE)                                                                      \
	X(pminuw, X86_LANE)                                                                      \
	X(pminud, X86_LANE)                                                                      \
	X(pmaxsb, X86_LANE)                                                                      \
	X(pmaxsd, X86_LANE)                                                                      \
	X(pmaxuw, X86_LANE)                                                                      \
	X(pmaxud, X86_LANE)                                                                      \
	X(pand, X86_LANE)                                                                        \
	X(pandn, X86_LANE | X86_SELF_ZERO)                                                       \
	X(por, X86_LANE)                                                                         \
	X(pxor, X86_LANE | X86_SELF_ZERO)                                                        \
	X(pcmpeqb, X86_LANE | X86_SELF_ONES)                                                     \
	X(pcmpeqw, X86_LANE | X86_SELF_ONES)                                                     \
	X(pcmpeqd, X86_LANE | X86_SELF_ONES)                                                     \
	X(pcmpeqq, X86_LANE | X86_SELF_ONES)                                                     \
	X(pcmpgtb, X86_LANE | X86_SELF_ZERO)                                                     \
	X(pcmpgtw, X86_LANE | X86_SELF_ZERO)                                                     \
	X(pcmpgtd, X86_LANE | X86_SELF_ZERO)                                                     \
	X(pcmpgtq, X86_LANE | X86_SELF_ZERO)                                                     \
	X(pavgb, X86_LANE)                                                                       \
	X(pavgw, X86_LANE)                                                                       \
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
	X(psignb, X86_LANE)                                                                      \
	X(psignw, X86_LANE)                                                                      \
	X(psignd, X86_LANE)                                                                      \
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
	X(pabsb, X86_LANE_B)                                                                     \
	X(pabsw, X86_LANE_B)                                                                     \
	X(pabsd, X86_LANE_B)                                                                     \
	X(phminposuw, X86_CHUNK_B)                                                               \
	X(psrlw, X86_COUNT)                                                                      \
	X(psrld, X86_COUNT)                                                                      \
	X(psrlq, X86_COUNT)                                                                      \
	X(psraw, X86_COUNT)                                                                      \
	X(psrad, X86_COUNT)                                                                      \
	X(psllw, X86_COUNT)                                                                      \
	X(pslld, X86_COUNT)                                                                      \
	X(psllq, X86_COUNT)                                                                      \
	X(movddup, X86_CHUNK_B)                                                                  \
	X(movsldup, X86_LANE_B)                                                                  \
	X(movshdup, X86_LANE_B)                                                                  \
	X(aesenc, X86_CHUNK)                                                                     \
	X(aesenclast, X86_CHUNK)                                                                 \
	X(aesdec, X86_CHUNK)                                                                     \
	X(aesdeclast, X86_CHUNK)                                                                 \
	X(aesimc, X86_CHUNK_B)                                                                   \
	X(addps, X86_LANE | X86_FLOAT)                                                           \
	X(addpd, X86_LANE | X86_FLOAT)                                                           \
	X(addss, X86_SCALAR | X86_FLOAT)                                                         \
	X(addsd, X86_SCALAR | X86_FLOAT)                                                         \
	X(mulps, X86_LANE | X86_FLOAT)                                                           \
	X(mulpd, X86_LANE | X86_FLOAT)                                                           \
	X(mulss, X86_SCALAR | X86_FLOAT)                                                         \
	X(mulsd, X86_SCALAR | X86_FLOAT)                                                         \
	X(subps, X86_LANE | X86_FLOAT)                                                           \
	X(subpd, X86_LANE | X86_FLOAT)                                                           \
	X(subss, X86_SCALAR | X86_FLOAT)                                                         \
	X(subsd, X86_SCALAR | X86_FLOAT)                                                         \
	X(divps, X86_LANE | X86_FLOAT)                                                           \
	X(divpd, X86_LANE | X86_FLOAT)                                                           \
	X(divss, X86_SCALAR | X86_FLOAT)                                                         \
	X(divsd, X86_SCALAR | X86_FLOAT)                                                         \
	X(minps, X86_LANE | X86_FLOAT)                                                           \
	X(minpd, X86_LANE | X86_FLOAT)                                                           \
	X(minss, X86_SCALAR | X86_FLOAT)                                                         \
	X(minsd, X86_SCALAR | X86_FLOAT)                                                         \
	X(maxps, X86_LANE | X86_FLOAT)                                                           \
	X(maxpd, X86_LANE | X86_FLOAT)                                                           \
	X(maxss, X86_SCALAR | X86_FLOAT)                                                         \
	X(maxsd, X86_SCALAR | X86_FLOAT)                                                         \
	X(sqrtps, X86_LANE_B | X86_FLOAT)                                                        \
	X(sqrtpd, X86_LANE_B | X86_FLOAT)                                                        \
	X(sqrtss, X86_SCALAR | X86_FLOAT)                                                        \
	X(sqrtsd, X86_SCALAR_B | X86_FLOAT)                                                      \
	X(addsubps, X86_LANE | X86_FLOAT)                                                        \
	X(addsubpd, X86_LANE | X86_FLOAT)                                                        \
	X(haddps, X86_CHUNK | X86_FLOAT)                                                         \
	X(haddpd, X86_CHUNK | X86_FLOAT)                                                         \
	X(hsubps, X86_CHUNK | X86_FLOAT)                                                         \
	X(hsubpd, X86_CHUNK | X86_FLOAT)                                                         \
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
	X(psllvw, X86_LANE)                                                                       \
	X(psllvd, X86_LANE)                                                                       \
	X(psllvq, X86_LANE)                                                                       \
	X(psrlvw, X86_LANE)                                                                       \
	X(psrlvd, X86_LANE)                                                                       \
	X(psrlvq, X86_LANE)                                                                       \
	X(psravw, X86_LANE)                                                                       \
	X(psravd, X86_LANE)                                                                       \
	X(psravq, X86_LANE)                                                                       \
	X(rotate_dwords, X86_LANE_B)                                                              \
	X(rotate_qwords, X86_LANE_B)                                                              \
	X(popcntb, X86_LANE_B)                                                                    \
	X(popcntw, X86_LANE_B)                                                                    \
	X(popcntd, X86_LANE_B)                                                                    \
	X(popcntq, X86_LANE_B)                                                                    \
	X(lzcntd, X86_LANE_B)                                                                     \
	X(lzcntq, X86_LANE_B)                                                                     \
	/* full elements, of which an opmask takes the top bits: comparison as the immediate says \
	 */                                                                                       \
	X(compare_i8, X86_LANE)                                                                   \
	X(compare_i16, X86_LANE)                                                                  \
	X(compare_i32, X86_LANE)                                                                  \
	X(compare_i64, X86_LANE)                                                                  \
	X(compare_u8, X86_LANE)                                                                   \
	X(compare_u16, X86_LANE)                                                                  \
	X(compare_u32, X86_LANE)                                                                  \
	X(compare_u64, X86_LANE)                                                                  \
	X(test_8, X86_LANE)                                                                       \
	X(test_16, X86_LANE)                                                                      \
	X(test_32, X86_LANE)                                                                      \
	X(test_64, X86_LANE)                                                                      \
	X(testn_8, X86_LANE)                                                                      \
	X(testn_16, X86_LANE)                                                                     \
	X(testn_32, X86_LANE)                                                                     \
	X(testn_64, X86_LANE)                                                                     \
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
