/* SPDX-License-Identifier: MIT */
/*
 * From version 16 on gcc packs three numbers into a discriminator (gcc/input.h): in the lowest 8
 * bits the base, which older ones have alone; in 7 bits above how many copies a vectorised loop's
 * statement stands for (0 means 1); in 11 bits above those which copy of an unrolled or versioned
 * loop's it is (0: the first).
 */
#pragma once

#include <stdint.h>

#define GCC_DISCRIMINATOR_SINCE 16 /* this version of gcc */

static inline uint32_t gcc_discriminator_base(uint32_t d)
{
	return d & 0xff;
}

static inline uint32_t gcc_discriminator_factor(uint32_t d)
{
	return d >> 8 & 0x7f ? d >> 8 & 0x7f : 1;
}

/* The base, and the copy's number in the bits above it. */
static inline uint32_t gcc_discriminator_of_copy(uint32_t d)
{
	return (d >> 15 & 0x7ff) << 8 | gcc_discriminator_base(d);
}
