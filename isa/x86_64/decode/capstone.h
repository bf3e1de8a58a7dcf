/* SPDX-License-Identifier: MIT */
/* Capstone, opened for x86 alone. */
#ifndef ISA_X86_64_DECODE_CAPSTONE_H
#define ISA_X86_64_DECODE_CAPSTONE_H

#include <capstone/capstone.h>
#include <stdbool.h>

/* As cs_open: a handle to close with cs_close. */
cs_err capstone_open(bool i386, csh *handle);
/* Of all handles: Capstone also prints what it decodes, which takes longer than decoding. Leave its
 * text empty. */
void capstone_be_silent(void);

#endif
