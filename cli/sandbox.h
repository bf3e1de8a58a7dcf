/* SPDX-License-Identifier: MIT */
/*
 * A process that only reads files and writes files gives up the rest: no program is executed, no
 * socket opened, no process looked into, nothing of the system changed, whatever a hostile input
 * makes of it. Files it reads and writes as before.
 */
#pragma once

/* From now on, in this process and its threads to come, which may be one thread yet. Where the
 * kernel has no seccomp nothing happens. */
void sandbox_enter(void);
