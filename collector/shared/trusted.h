/* SPDX-License-Identifier: MIT */
/*
 * Each check of what the other side of a session wrote. A process of the recording can write
 * anything into its own file, and whoever is the session's user into the control page. What is read
 * there is copied first (trusted_bytes_read), and used only if it can be true: as these functions
 * say, and sample_check_keep of records. What a process measured of itself is handed on to the next
 * one, so a false figure would spoil the weights of others.
 */
#pragma once

#include <linux/futex.h>
#include <sys/uio.h>

#include "base/atomics.h"
#include "collector/shared/exclusion.h"
#include "collector/shared/session.h"

/* ---- the control page, read by processes --------------------------------------------------- */

/* Are these options that this collector can carry out? */
bool trusted_options(const struct session_options *o);

/* The liveness word: the recorder has ended without a word. Processes ask it in handlers. */
static inline bool trusted_is_orphaned(const struct session_control *c)
{
	return atomic_read_relaxed(&c->alive) & FUTEX_OWNER_DIED;
}

/* ---- costs, read by both sides ------------------------------------------------------------- */

/* Can a trace cost so much? */
bool trusted_trace_ns(uint64_t ns);
/* The lag of samples (budget.h); none, if it is not known. */
uint32_t trusted_lag(const struct session_costs *c);
/* Take over what can be true, but for what a process measures once; while others write. */
void trusted_costs_copy(struct session_costs *to, const struct session_costs *from);

/* ---- a process's file, read by the recorder ------------------------------------------------ */

/* Is this the header of process @pid's file, which has room for @chunks_most chunks? */
bool trusted_header(const struct process_header *h, uint32_t pid, uint32_t chunk_bytes,
		    uint32_t chunks_most);
/* Can a chunk of @chunk_bytes hold @used bytes of records, more than the @drained ones? */
bool trusted_chunk(uint32_t used, uint32_t drained, uint32_t chunk_bytes);
/* The errno of an event that could not be opened, or 0. */
int trusted_errno(const struct process_header *h);
/* Add a counter: who counts what never was makes no sum of others' less. */
void trusted_add(uint64_t *sum, uint64_t more);
/* Copy a program that was not entered; false if it makes no sense. Its name can be printed. */
bool trusted_exclusion(const struct exclusion_program *shared, struct exclusion_program *out);

/* ---- bytes --------------------------------------------------------------------------------- */

/*
 * Memory that another process may change, and take away by making its file shorter, at any moment:
 * it is copied by the kernel, to which a page that is missing is no SIGBUS but a short answer
 * (process_vm_readv(2), of ourselves). What was copied is checked, and never read twice.
 */

/* Places of one call of trusted_bytes_gather. */
#define TRUSTED_BYTES_PARTS 256u

bool trusted_bytes_read(void *to, const void *from, size_t bytes);
/* Copy from several places, one after the other in this order; how many bytes there were. */
size_t trusted_bytes_gather(void *to, size_t bytes, const struct iovec *from, size_t parts);
bool trusted_bytes_write(void *to, const void *from, size_t bytes);

/* ---- records (sample_check.c) --------------------------------------------------------------- */

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
