/* SPDX-License-Identifier: MIT */
/* What /proc/TID/status tells of a thread (proc(5)). */
#ifndef COLLECTOR_OUTSIDE_TRACEE_STATUS_H
#define COLLECTOR_OUTSIDE_TRACEE_STATUS_H

#include <stdbool.h>
#include <stdint.h>
#include <sys/types.h>

struct tracee_status {
	char state;  /* as ps(1) prints it */
	bool kernel; /* it is a thread of the kernel's */
	uint32_t pid, parent, tracer;
	uint32_t threads;  /* of the process */
	uint32_t users[3]; /* real, effective, saved */
	uint64_t pending;  /* signals: tracee_status_signal */
	uint64_t blocked, ignored, caught;
	uint32_t queued, queued_most; /* of the user's signals that queue */
};

/* 0, or a negative errno; -ESRCH if there is no such thread. */
int tracee_status_read(pid_t tid, struct tracee_status *s);

static inline uint64_t tracee_status_signal(int number)
{
	return 1ull << (number - 1);
}

#define TRACEE_STATUS_LIBC (UINT64_C(3) << 31) /* SIGCANCEL and SIGSETXID */

/* One of libc's own two signals is blocked. Libc does that with all of them where it makes a
 * thread, for a moment, and lets no program do it; but one may call the kernel itself. */
static inline bool tracee_status_is_masked(const struct tracee_status *s)
{
	return s->blocked & TRACEE_STATUS_LIBC;
}

/* It is there only for its parent to ask for its status, or no more. */
bool tracee_status_has_ended(const struct tracee_status *s);
/* Does the process ignore a signal? As it does by default with some. */
bool tracee_status_ignores(const struct tracee_status *s, int number);

#endif
