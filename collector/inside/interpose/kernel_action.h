/* SPDX-License-Identifier: MIT */
/* What SIGTRAP is set to by syscall(2), in the kernel's struct. Programs that bring their own table
 * of signals do so: Chromium, in the children that it forks. */
#ifndef COLLECTOR_INSIDE_KERNEL_ACTION_H
#define COLLECTOR_INSIDE_KERNEL_ACTION_H

#include <stdbool.h>
#include <stdint.h>

/* rt_sigaction(2), as the program should see it: *rc is what the kernel would return. False: it is
 * none of our business, and to be passed on. */
bool kernel_action_set(const uint64_t arguments[6], long *rc);

#endif
