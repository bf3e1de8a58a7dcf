/* SPDX-License-Identifier: MIT */
/*
 * The six atomic operations that the lock-free parts use, so that each use says what it needs.
 * An acquire names its release in a comment beside it.
 */
#pragma once

#define atomic_read_relaxed(p)	   __atomic_load_n((p), __ATOMIC_RELAXED)
#define atomic_read_acquire(p)	   __atomic_load_n((p), __ATOMIC_ACQUIRE)
#define atomic_write_relaxed(p, v) __atomic_store_n((p), (v), __ATOMIC_RELAXED)
#define atomic_write_release(p, v) __atomic_store_n((p), (v), __ATOMIC_RELEASE)
#define atomic_add_relaxed(p, v)   __atomic_fetch_add((p), (v), __ATOMIC_RELAXED)
#define atomic_add_release(p, v)   __atomic_fetch_add((p), (v), __ATOMIC_RELEASE)
/* True if *p was @from and is now @to; acquires on success. */
#define atomic_swap_if(p, from, to)                                                     \
	__extension__({                                                                 \
		__typeof__(*(p)) expected_ = (from);                                    \
		__atomic_compare_exchange_n((p), &expected_, (to), 0, __ATOMIC_ACQ_REL, \
					    __ATOMIC_RELAXED);                          \
	})
