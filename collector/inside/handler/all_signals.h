/* SPDX-License-Identifier: MIT */
/*
 * All signals, blocked in the calling thread for as long as it has a lock: the program's handlers
 * could leave by longjmp.
 */
#ifndef COLLECTOR_INSIDE_ALL_SIGNALS_H
#define COLLECTOR_INSIDE_ALL_SIGNALS_H

#include <signal.h>
#include <stdint.h>

#include "collector/kernel/syscall.h"

/* The mask before. */
static inline uint64_t all_signals_block(void)
{
	uint64_t all = ~0ull, before = 0;

	syscall_6(SYS_rt_sigprocmask, SIG_SETMASK, (uintptr_t)&all, (uintptr_t)&before, sizeof(all),
		  0, 0);
	return before;
}

static inline void all_signals_restore(uint64_t before)
{
	syscall_6(SYS_rt_sigprocmask, SIG_SETMASK, (uintptr_t)&before, 0, sizeof(before), 0, 0);
}

#endif
