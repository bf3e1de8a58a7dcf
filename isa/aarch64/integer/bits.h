/* SPDX-License-Identifier: MIT */
/* Shifts of values of which only some bits are known. */
#ifndef ISA_AARCH64_INTEGER_BITS_H
#define ISA_AARCH64_INTEGER_BITS_H

#include "isa/aarch64/op.h"
#include "isa/aarch64/operand.h"

/* @v, which has zeros above @bytes (4 or 8), shifted within them by less than they have bits. */
struct isa_value aarch64_bits_shifted(struct isa_value v, enum aarch64_shift how, unsigned distance,
				      unsigned bytes);

#endif
