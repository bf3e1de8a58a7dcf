/* SPDX-License-Identifier: MIT */
/* What memory costs on this machine, measured. */
#pragma once

#include "collector/engine/rate.h"

const char *rate_method_text(enum timer_correction correction);
/* Takes some 200 us; 0, or -1 without memory. */
int rate_measure(struct rate_machine *m);
