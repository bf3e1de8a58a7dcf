/* SPDX-License-Identifier: MIT */
/* Unsigned numbers as the text formats have them. */
#pragma once

#include <stdbool.h>
#include <stdint.h>

/* The value of a digit up to 16; 16 for what is none. */
static inline unsigned text_number_digit(char c)
{
	char low = (char)(c | 32);

	if (c >= '0' && c <= '9')
		return (unsigned)(c - '0');
	return low >= 'a' && low <= 'f' ? (unsigned)(low - 'a' + 10) : 16;
}

/* Read the digits at *at, behind which *at is then. False if there are none, or too many for 64
 * bits. */
static inline bool text_number_read(const char **at, const char *end, unsigned base, uint64_t *out)
{
	const char *begin = *at;
	uint64_t value = 0;

	for (; *at < end; ++*at) {
		unsigned digit = text_number_digit(**at);

		if (digit >= base)
			break;
		if (__builtin_mul_overflow(value, base, &value) ||
		    __builtin_add_overflow(value, digit, &value))
			return false;
	}
	*out = value;
	return *at > begin;
}
