/* SPDX-License-Identifier: MIT */
/* Requests to valgrind: instructions that come to nothing, and that it knows (its manual, "The
 * Client Request mechanism", and valgrind.h). */
#pragma once

#if defined(__x86_64__)
#include "collector/inside/life/valgrind_x86_64.h"
#elif defined(__aarch64__)
#include "collector/inside/life/valgrind_aarch64.h"
#else
#error "softlbr's collector does not know this CPU yet"
#endif

#define VALGRIND_RUNNING 0x1001u

/* What valgrind answers; 0 without it. */
static inline uint64_t valgrind_request(uint64_t code)
{
	uint64_t request[6] = {code};

	return valgrind_ask(request);
}
