/* SPDX-License-Identifier: MIT */
/* Where XSAVE keeps the parts of the extended state. Source: Intel SDM volume 1, chapter 13. */
#ifndef ISA_X86_64_STATE_XSAVE_H
#define ISA_X86_64_STATE_XSAVE_H

#include <stdint.h>

/* Components: bits of XSTATE_BV, and sub-leaves of CPUID leaf 0d. */
enum x86_xsave_component {
	X86_XSAVE_X87,
	X86_XSAVE_SSE,
	X86_XSAVE_YMM_UPPER,
	X86_XSAVE_OPMASK = 5,
	X86_XSAVE_ZMM_UPPER,
	X86_XSAVE_ZMM_HIGH,
	X86_XSAVE_COMPONENTS
};

/* In the standard format; zero: the CPU does not have it. CPUs differ. */
struct x86_xsave_part {
	uint32_t offset, bytes;
};

/* By component, as this CPU has them. */
const struct x86_xsave_part *x86_xsave_parts(void);

#define X86_XSAVE_HEADER_END 576

#endif
