/* SPDX-License-Identifier: MIT */
/*
 * Pointer authentication codes: they depend on keys that no program can read, so signing makes
 * their bits unknown, and authentication, which a running program passes, known again.
 * Source: Arm ARM, D5.1.4 and the functions AddPAC, Auth and Strip.
 */
#ifndef ISA_AARCH64_INTEGER_POINTER_H
#define ISA_AARCH64_INTEGER_POINTER_H

#include "isa/aarch64/operand.h"

/* @v without its code. */
struct isa_value aarch64_pointer_strip_code(const struct isa_state *s, struct isa_value v);

#endif
