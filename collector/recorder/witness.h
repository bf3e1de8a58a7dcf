/* SPDX-License-Identifier: MIT */
/*
 * A process beside the command that tells to whom a signal was sent: to the recorder alone, which
 * passes it on then, or to its whole process group or control group, where the command gets its
 * own. Such are a shell's when its terminal is gone, kill(0, ...), and systemd's when it stops a
 * service.
 *
 * It runs nothing: it blocks these signals, so that the kernel tells which wait for it.
 */
#pragma once

#include <stdbool.h>
#include <sys/types.h>

struct witness {
	pid_t pid; /* 0: there is none, and every signal is the recorder's alone */
};

/* Start it. It has neither the recorder's name nor its command line, @arguments, by which that may
 * be sent signals; and ends with the recorder. */
void witness_start(struct witness *w, char *const *arguments);
/* The signal @number came to us: was it sent to others as well? Asked within milliseconds. */
bool witness_saw(const struct witness *w, int number);
void witness_end(struct witness *w);
