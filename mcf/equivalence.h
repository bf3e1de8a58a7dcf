/* SPDX-License-Identifier: MIT */
/*
 * Which nodes of a flow network have the same flow, whatever the flow is? Those that every cycle
 * through one of them passes all of (Johnson, Pearson, Pingali: The Program Structure Tree, PLDI
 * 1994). What is known of one is known of the others.
 */
#ifndef MCF_EQUIVALENCE_H
#define MCF_EQUIVALENCE_H

#include "mcf/flow.h"

/* Nodes without an edge from, or to, them have one from, or to, the outside. labels[node]: equal
 * for nodes of equal flow; 0 = no flow goes there. 0, or -1 without memory. */
int equivalence_classes(const struct flow_network *n, uint64_t *labels);

#endif
