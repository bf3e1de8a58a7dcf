/* SPDX-License-Identifier: MIT */
/*
 * Ranges, samples and branches as autofdo (sample_merger, create_gcov --profiler=text) and
 * llvm-profgen (--unsymbolized-profile) exchange them: sections that begin with the number of their
 * lines, hexadecimal addresses without 0x:
 *
 *	N	BEGIN-END:COUNT ...	both inclusive, END is the start of the last instruction
 *	M	ADDRESS:COUNT ...	autofdo's alone
 *	K	FROM->TO:COUNT ...	1 stands for a place outside
 *
 * simpleperf has two lines behind the sections of each file, of which there may be several:
 *
 *	// build_id: 0xHEX	padded with zeros to 20 bytes; all zeros: none
 *	// PATH
 *
 * llvm-profgen indents them, and has a line [MAIN:1 @ FUNCTION] before those of each calling
 *context, if it was given call stacks: contexts are added up.
 *
 * What the addresses are relative to is not in the file: converter/samples/text_input.c finds out.
 */
#pragma once

#include <stdio.h>

#include "formats/build_tags.h"
#include "softlbr/error.h"

/* Write the sections, sorted, that of samples too, if @autofdo reads them, to a stream, whose own
 * errors are the caller's to look for. */
int ranges_text_write_to(const struct branch_profile *p, bool autofdo, FILE *out,
			 struct softlbr_error *e);
bool ranges_text_is(const uint8_t *data, size_t size);
/* Add the file's records to @p, addresses as they are, but for those of files that it names, which
 * @tags is told. */
int ranges_text_read_bytes(struct branch_profile *p, const uint8_t *data, size_t size,
			   const char *name, struct build_tags *tags, struct softlbr_error *e);
