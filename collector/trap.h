/* SPDX-License-Identifier: MIT */
/* SIGTRAP: where the profiled threads stop for us. */
#ifndef COLLECTOR_TRAP_H
#define COLLECTOR_TRAP_H

/* What an event's signal brings besides the thread's slot (slots are aligned). */
#define TRAP_SAMPLE	0u
#define TRAP_BREAKPOINT 1u

/* Install the handler, keeping the program's own disposition. 0 or a negative errno. */
int trap_install(void);
/* Put the program's disposition back. */
void trap_remove(void);

struct sigaction;
/* sigaction(SIGTRAP) as the program should see it while our handler is installed: set and get what
 * it wants for SIGTRAPs that are not ours. */
void trap_program_action(const struct sigaction *new_action, struct sigaction *old_action);

#endif
