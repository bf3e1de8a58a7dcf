/* SPDX-License-Identifier: MIT */
/*
 * Exact counts of callgrind to the branch profile that complete hardware records would have given:
 * each taken branch but the returns, which callgrind does not list, and the ranges between.
 *
 * Ranges are not recorded either. Along straight code they follow from the instructions' counts:
 * where an instruction ran more often than control came from the one before it, ranges begin; at a
 * branch as many end as it was taken; the last that began is the first to end. Whatever way they
 * are paired, the counts of instructions and of fall-through edges are the exact ones.
 *
 * The modules of callgrind's exact counts: its objects.
 */
#pragma once

#include "converter/binary/binary.h"
#include "converter/samples/modules.h"
#include "formats/model/branch_profile.h"
#include "softlbr/error.h"

/* Read a callgrind.out (formats/callgrind.h) into @out (zeroed). SOFTLBR_E_BINARY if the program
 * that ran did not have @b, which is told by path or else by base name. */
int callgrind_input_read(struct binary *b, const uint8_t *data, size_t size, const char *name,
			 struct branch_profile *out, struct softlbr_error *e);

/* Add the objects that ran to @modules, and the branches that begin in each to @taken (zeroed):
 * (module, 0) -> n. 0 or a negative code. */
int callgrind_modules_read(const uint8_t *data, size_t size, const char *name,
			   struct modules *modules, struct map *taken, struct softlbr_error *e);
