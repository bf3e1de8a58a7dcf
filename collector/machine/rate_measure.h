/* SPDX-License-Identifier: MIT */
/* What memory costs on this machine, measured. */
#ifndef COLLECTOR_MACHINE_RATE_MEASURE_H
#define COLLECTOR_MACHINE_RATE_MEASURE_H

#include "collector/engine/rate.h"

const char *rate_method_text(enum timer_correction correction);
/* Takes some 200 us; 0, or -1 without memory. */
int rate_measure(struct rate_machine *m);

#endif
