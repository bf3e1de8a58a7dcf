/* SPDX-License-Identifier: MIT */
#include "collector/inside/handler/rwlock.h"

#include <limits.h>
#include <linux/futex.h>
#include <signal.h>

#include "base/atomics.h"
#include "collector/kernel/syscall.h"

/* Until the state is not @seen any more, or for no reason. */
static void wait_while(struct rwlock *l, uint32_t seen)
{
	syscall_6(SYS_futex, (uintptr_t)&l->state, FUTEX_WAIT_PRIVATE, seen, 0, 0, 0);
}

static void wake_all(struct rwlock *l)
{
	syscall_3(SYS_futex, (uintptr_t)&l->state, FUTEX_WAKE_PRIVATE, INT_MAX);
}

/* Add @who, a reader or the writer, when no writer is there. */
static void enter(struct rwlock *l, uint32_t who)
{
	for (;;) {
		uint32_t seen = atomic_read_relaxed(&l->state);

		if (seen & RWLOCK_WRITER)
			wait_while(l, seen);
		/* acquires the release in rwlock_write_end */
		else if (atomic_swap_if(&l->state, seen, seen + who))
			return;
	}
}

uint64_t rwlock_read(struct rwlock *l)
{
	uint64_t before = syscall_signal_mask(SIG_SETMASK, UINT64_MAX);

	enter(l, 1);
	return before;
}

void rwlock_read_end(struct rwlock *l, uint64_t before)
{
	/* acquired in rwlock_write */
	if (atomic_add_release(&l->state, -1u) == (RWLOCK_WRITER | 1))
		wake_all(l);
	syscall_signal_mask(SIG_SETMASK, before);
}

uint64_t rwlock_write(struct rwlock *l)
{
	uint64_t before = syscall_signal_mask(SIG_SETMASK, UINT64_MAX);

	enter(l, RWLOCK_WRITER);
	for (;;) {
		/* acquires the release in rwlock_read_end */
		uint32_t seen = atomic_read_acquire(&l->state);

		if (seen == RWLOCK_WRITER)
			return before;
		wait_while(l, seen);
	}
}

void rwlock_write_end(struct rwlock *l, uint64_t before)
{
	/* acquired in rwlock_read and rwlock_write */
	atomic_write_release(&l->state, 0);
	wake_all(l);
	syscall_signal_mask(SIG_SETMASK, before);
}
