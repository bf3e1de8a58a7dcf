/* SPDX-License-Identifier: MIT */
/* ptrace(2) as a tracee's calls use it. */
#ifndef COLLECTOR_OUTSIDE_TRACEE_REQUEST_H
#define COLLECTOR_OUTSIDE_TRACEE_REQUEST_H

#include <errno.h>
#include <stdint.h>
#include <sys/ptrace.h>
#include <sys/types.h>

/* 0, or a negative errno. */
static inline int tracee_request(enum __ptrace_request request, pid_t tid, uintptr_t address,
				 uintptr_t data)
{
	return ptrace(request, tid, (void *)address, (void *)data) < 0 ? -errno : 0;
}

#endif
