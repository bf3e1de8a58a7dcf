/* SPDX-License-Identifier: MIT */
/*
 * What `softlbr convert` knew of the recording that a directory of counters is made of, as lines of
 * text beside them: gcc does not look at it.
 *
 *	softlbr-counters 1
 *	keys ../keys		from this directory on
 *	traces 1234
 *	overlap 0.93 0.9 0.96 0.01 0 0.1 20.5
 */
#pragma once

#include <stdbool.h>
#include <stdint.h>
#include <stdio.h>

#include "softlbr/error.h"

#define COUNTER_NOTE "softlbr-counters"

struct counter_note {
	bool is_known;
	char *keys; /* to be opened, or NULL: not known, or not there */
	uint64_t traces;
	/* The expected overlap with exact counts, if has_overlap: as struct expected_overlap
	 * (converter/pipeline/verdict.h) has it. */
	bool has_overlap;
	double value, low, high, by_noise, untimed, seconds;
	unsigned cause;
};

/* Of a directory without a note nothing is known. @n is initialised by the call; 0, or -1 without
 * memory. */
int counter_note_read(struct counter_note *n, const char *directory);
void counter_note_deinit(struct counter_note *n);
/* The note of @directory, which is there; @n->keys is as the user gave it. Errors of the stream are
 * the caller's to look for. -1 without memory. */
int counter_note_write(const struct counter_note *n, const char *directory, FILE *out);
/* Is it one? */
bool counter_note_is(const uint8_t *data, size_t size);
