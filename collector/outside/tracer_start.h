/* SPDX-License-Identifier: MIT */
/* How a tracer comes to its first threads. */
#ifndef COLLECTOR_OUTSIDE_TRACER_START_H
#define COLLECTOR_OUTSIDE_TRACER_START_H

#include <signal.h>

#include "collector/outside/tracer.h"

/* Trace the process t->options->pid. 0, or an error. */
int tracer_start_attach(struct tracer *t, struct softlbr_error *e);
/* Start t->options->command, traced, with the signal mask @mask. 0, or an error;
 * t->result->exec_errno says if it could not be run. */
int tracer_start_command(struct tracer *t, const sigset_t *mask, struct softlbr_error *e);

#endif
