/* SPDX-License-Identifier: MIT */
/*
 * What programs share that serve their own page faults: a reader of pages, and a server that needs
 * a lock to bring one which the reader held until just before.
 */
#pragma once

#include <stdatomic.h>
#include <stddef.h>
#include <stdint.h>
#include <unistd.h>

#define PAGE  4096u
#define PAGES 32u
#define BYTES ((size_t)PAGES * PAGE)

static atomic_int *lock;

static uint64_t burn(unsigned turns)
{
	volatile uint64_t x = 1;

	for (unsigned i = 0; i < turns; i++)
		x = x * 6364136223846793005u + 1442695040888963407u;
	return x;
}

static void take(void)
{
	while (atomic_exchange(lock, 1))
		usleep(10);
}

static void release(void)
{
	atomic_store_explicit(lock, 0, memory_order_release);
}

/* Takes its time with few branches: the reader's samples are here, and a read is within reach. */
static uint64_t stir(uint64_t x)
{
	for (unsigned turn = 0; turn < 48; turn++)
#pragma GCC unroll 256
		for (unsigned i = 0; i < 256; i++)
			x = x * 6364136223846793005u + 1442695040888963407u;
	return x;
}
