/* SPDX-License-Identifier: MIT */
/* FNV-1a of 64 bits. Not for what an attacker may choose keys of. */
#pragma once

#include <stddef.h>
#include <stdint.h>

#define HASH_OF_NOTHING UINT64_C(0xcbf29ce484222325)

/* @hash, that of what goes before (HASH_OF_NOTHING: nothing), goes on with these bytes. */
static inline uint64_t hash_on(uint64_t hash, const void *bytes, size_t count)
{
	const uint8_t *at = bytes;

	for (size_t i = 0; i < count; i++)
		hash = (hash ^ at[i]) * UINT64_C(0x100000001b3);
	return hash;
}
