/* SPDX-License-Identifier: MIT */
/*
 * Whose sample is it? The processes that a text of perf script tells of by its lines of mappings
 * and tasks. It may name processes whose mappings it does not have (workers that were forked, in a
 * text without FORK lines), or none at all: samples that no process can be found for belong to
 * PERFSCRIPT_ANY_PROCESS, which has the mappings of all, a younger one over an older.
 */
#pragma once

#include "base/map.h"
#include "base/vector.h"
#include "formats/perfscript_line.h"

/* Behind it is what perf numbers the kernel by. */
#define PERFSCRIPT_ANY_PROCESS (UINT32_MAX - 1)

struct perfscript_code {
	uint64_t start, end; /* end exclusive */
	uint64_t what;	     /* the same where code of one file is at one place */
	uint32_t pid;
};

/* Start zeroed. */
struct perfscript_processes {
	struct map numbers; /* (pid or tid, 0) -> n = pid, m = it has mappings, own or inherited */
	VECTOR(struct perfscript_code) code; /* in the order of the text, then of pid and start */
	bool have_tasks;		     /* there are lines of FORK */
};

void perfscript_processes_deinit(struct perfscript_processes *p);
/* Note a line of a mapping or a task, in the order of the text: 0, or -1 without memory. */
int perfscript_processes_note(struct perfscript_processes *p, const struct perfscript_line *l);
/* All lines were noted. Returns whether processes have different files at one place: then
 * PERFSCRIPT_ANY_PROCESS may have a sample's code in the wrong one. */
bool perfscript_processes_sort(struct perfscript_processes *p);
/* Whose sample @l is. */
uint32_t perfscript_processes_of(const struct perfscript_processes *p,
				 const struct perfscript_line *l);
