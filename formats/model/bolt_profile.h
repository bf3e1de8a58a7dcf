/* SPDX-License-Identifier: MIT */
/* BOLT profile: branch records between symbols, as llvm-bolt's fdata holds them. */
#pragma once

#include "base/strings.h"
#include "base/vector.h"

struct bolt_location {
	uint32_t symbol; /* BOLT's name for it (`name`, `name/file.c/N`); 0 = not a symbol */
	uint64_t offset; /* bytes from the symbol */
};

struct bolt_branch {
	struct bolt_location from, to;
	uint64_t mispredicted, count;
};

struct bolt_profile {
	struct strings *strings;
	VECTOR(struct bolt_branch) branches; /* taken branches and fall-throughs alike */
};

int bolt_profile_init(struct bolt_profile *p); /* 0, or -1 without memory */
void bolt_profile_deinit(struct bolt_profile *p);
/* 0, or -1 without memory. */
int bolt_profile_add(struct bolt_profile *p, struct bolt_location from, struct bolt_location to,
		     uint64_t count, uint64_t mispredicted);
/* Order by the text of (from, to), those that are no symbol first, and sum what is there twice. */
void bolt_profile_sort(struct bolt_profile *p);
