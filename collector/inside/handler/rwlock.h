/* SPDX-License-Identifier: MIT */
/*
 * A readers-writer lock, for ordinary code: any number of readers, or one writer. Who has to wait
 * sleeps, and a writer that waits goes before readers that come later. A lock of zeroes is free.
 *
 * Who has it has all signals blocked: handlers of the program's could leave by longjmp.
 */
#pragma once

#include <stdint.h>

struct rwlock {
	uint32_t state; /* RWLOCK_WRITER, and the number of readers; atomic */
};

#define RWLOCK_WRITER (1u << 31)

/* What the thread blocked before: for the end. */
uint64_t rwlock_read(struct rwlock *l);
void rwlock_read_end(struct rwlock *l, uint64_t before);
uint64_t rwlock_write(struct rwlock *l);
void rwlock_write_end(struct rwlock *l, uint64_t before);
