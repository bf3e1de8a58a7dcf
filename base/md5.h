/* SPDX-License-Identifier: MIT */
/* MD5 (RFC 1321), of which LLVM makes function numbers. Not for anything that must be secure. */
#pragma once

#include <stddef.h>
#include <stdint.h>

/* The first eight bytes of the digest as a little-endian number. */
uint64_t md5_low64(const void *data, size_t size);
