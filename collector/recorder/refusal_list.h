/* SPDX-License-Identifier: MIT */
/* The programs of a recording that were not entered, of all its processes. */
#pragma once

#include <stdint.h>

#include "collector/shared/refusal.h"

#define REFUSAL_LIST_MOST 32u

struct refusal_list {
	struct refusal_program programs[REFUSAL_LIST_MOST];
	unsigned count;
	uint64_t more; /* starts of programs that found no room */
};

/* Add what a process noted. It is another's memory: what makes no sense is passed over, and names
 * can be printed. */
void refusal_list_add(struct refusal_list *l, const struct refusals *shared);
/* Add one that is known otherwise. */
void refusal_list_add_program(struct refusal_list *l, enum refusal reason, const char *path);
/* The most frequent first. */
void refusal_list_sort(struct refusal_list *l);
/* Starts of programs, in all. */
uint64_t refusal_list_starts(const struct refusal_list *l);
