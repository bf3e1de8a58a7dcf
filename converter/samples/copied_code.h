/* SPDX-License-Identifier: MIT */
/*
 * Anonymous memory over a file's code is a copy of that code, or the file was unmapped before and a
 * just-in-time compiler got its addresses. Recordings do not tell of unmapping, but the file does:
 * branches that its code can't have taken are not its.
 */
#pragma once

#include "converter/binary/binary.h"
#include "converter/samples/aggregate.h"

/* Look at the maps that are taken as copies of module number @module, whose file @b is; those that
 * are none are anonymous memory again. */
void copied_code_judge(struct aggregate_recording *recording, struct modules *modules,
		       size_t module, struct binary *b);
