/* SPDX-License-Identifier: MIT */
/* What ends a tracer's recording early; the program goes on. */
#ifndef COLLECTOR_OUTSIDE_TRACER_FAILURE_H
#define COLLECTOR_OUTSIDE_TRACER_FAILURE_H

#include "collector/outside/tracer.h"

/* @rc: 0, or a negative code whose text is in t->error. */
void tracer_failure_note(struct tracer *t, int rc);
/* @rc: what a call of ptrace returned. */
void tracer_failure_refused(struct tracer *t, int rc);

#endif
