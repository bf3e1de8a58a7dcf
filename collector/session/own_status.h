/* SPDX-License-Identifier: MIT */
/* What /proc/thread-self/status (proc(5)) says of the calling thread. By system calls alone, with
 * little stack: also in the child of a vfork. */
#ifndef COLLECTOR_SESSION_OWN_STATUS_H
#define COLLECTOR_SESSION_OWN_STATUS_H

#include <stdint.h>

struct own_status {
	uint32_t tracer;  /* who traces it; 0: nobody */
	uint32_t filters; /* seccomp filters; 1 where the kernel tells only that there are some */
};

/* All zero where there is no /proc. */
void own_status_read(struct own_status *out);

#endif
