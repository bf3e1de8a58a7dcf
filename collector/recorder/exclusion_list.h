/* SPDX-License-Identifier: MIT */
/* The programs of a recording that were not entered, of all its processes. */
#pragma once

#include "collector/shared/exclusion.h"

#define EXCLUSION_LIST_MOST 32u

struct exclusion_list {
	struct exclusion_program programs[EXCLUSION_LIST_MOST];
	unsigned count;
	uint64_t more; /* starts of programs that found no room */
};

/* Add what a process noted. It is another's memory: what makes no sense is passed over, and names
 * can be printed. */
void exclusion_list_add(struct exclusion_list *l, const struct exclusions *shared);
/* Add one that is known otherwise. */
void exclusion_list_add_program(struct exclusion_list *l, enum exclusion reason, const char *path);
/* The most frequent first. */
void exclusion_list_sort(struct exclusion_list *l);
/* Starts of programs, in all. */
uint64_t exclusion_list_starts(const struct exclusion_list *l);
