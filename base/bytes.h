/* SPDX-License-Identifier: MIT */
/* A run of bytes that somebody else owns: a section of a file, what a table says is in it. */
#ifndef BASE_BYTES_H
#define BASE_BYTES_H

#include <stddef.h>
#include <stdint.h>

struct bytes {
	const uint8_t *data;
	size_t size;
};

#endif
