/* SPDX-License-Identifier: MIT */
/*
 * What a process published is passed on only if it is what the collector writes (trace_record_put,
 * trace_record_put_value, trace_record_put_stack): samples, of exactly that layout, of that
 * process, of the time of this recording. So a program that writes into its buffers can spoil its
 * own samples, but makes no mappings, build-ids or other processes' samples in a perf.data, and no
 * record that a reader stumbles over.
 */
#pragma once

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

struct sample_check_rule {
	uint32_t pid;	       /* whose they are */
	uint32_t stack;	       /* most branches in one */
	bool tagged;	       /* more than traces is recorded */
	uint32_t stack_copy;   /* most bytes of a copied stack */
	uint64_t since, until; /* CLOCK_MONOTONIC */
};

struct sample_check_result {
	size_t kept;	  /* bytes, moved to the begin */
	size_t looked_at; /* bytes; behind them stands no whole record */
	uint64_t refused; /* records */
};

/* Keep the good ones of the records in @bytes. */
struct sample_check_result sample_check_keep(uint8_t *bytes, size_t size,
					     const struct sample_check_rule *rule);
