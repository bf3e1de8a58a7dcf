/* SPDX-License-Identifier: MIT */
/* What record --aggregate tells at its end. */
#ifndef CLI_RECORD_AGGREGATE_H
#define CLI_RECORD_AGGREGATE_H

#include "converter/pipeline/accumulate.h"

void record_aggregate_print(const struct accumulate *a);

#endif
