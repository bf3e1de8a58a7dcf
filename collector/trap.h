/* SPDX-License-Identifier: MIT */
/* SIGTRAP: where the profiled threads stop for us. */
#ifndef COLLECTOR_TRAP_H
#define COLLECTOR_TRAP_H

#include <stdbool.h>

/* What an event's signal brings besides the thread's slot (slots are aligned). */
#define TRAP_SAMPLE	0u
#define TRAP_BREAKPOINT 1u

/* Install the handler, keeping the program's own disposition. 0 or a negative errno. */
int trap_install(void);
/* Give SIGTRAP back to the program: only when no signal of ours can be under way any more. */
void trap_remove(void);
/* Is SIGTRAP's handler ours? */
bool trap_is_ours(void);

struct sigaction;
/* sigaction(SIGTRAP) as the program should see it while our handler is installed: set and get what
 * it wants for SIGTRAPs that are not ours. */
void trap_program_action(const struct sigaction *new_action, struct sigaction *old_action);

#endif
