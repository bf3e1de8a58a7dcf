/* SPDX-License-Identifier: MIT */
/* The kernels that are SSE instructions, and the table of all. */
#include "isa/x86_64/vector/kernel.h"

/* `volatile` keeps them between changes of MXCSR */
#define X(name, shape)                                                       \
	static void sse_##name(union x86_chunk *d, const union x86_chunk *a, \
			       const union x86_chunk *b, unsigned immediate) \
	{                                                                    \
		__m128i v = a->v;                                            \
                                                                             \
		(void)immediate;                                             \
		__asm__ volatile(#name " %1, %0" : "+x"(v) : "x"(b->v));     \
		d->v = v;                                                    \
	}
X86_SSE_KERNELS(X)
#undef X

const struct x86_kernel x86_kernel_table[X86_KERNELS] = {
#define X(name, shape) [X86_KERNEL_##name] = {sse_##name, shape},
	X86_SSE_KERNELS(X)
#undef X
#define X(name, shape) [X86_KERNEL_##name] = {x86_kernel_##name, shape},
		X86_OTHER_KERNELS(X)
#undef X
};
