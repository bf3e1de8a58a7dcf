/* SPDX-License-Identifier: MIT */
/* Pieces of ordinary code for lookahead.c to follow. */
#pragma once

#include <stdint.h>

struct lookahead_kernel {
	const char *name;
	void (*run)(uint64_t rounds);
	uint64_t warm; /* rounds before it is followed */
};

extern const struct lookahead_kernel lookahead_kernels[];
extern const unsigned lookahead_kernel_count;

/* NULL: there is none of that name. */
const struct lookahead_kernel *lookahead_kernel_find(const char *name);
