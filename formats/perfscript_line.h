/* SPDX-License-Identifier: MIT */
/* One line of the text of perf script, taken apart: formats/perfscript.h says what there is. */
#pragma once

#include "base/map.h"
#include "base/vector.h"
#include "formats/build_tags.h"
#include "formats/perfdata.h"

#define PERFSCRIPT_STACK_MOST 2048
#define PERFSCRIPT_PATH_BYTES 4096

enum perfscript_line_kind {
	PERFSCRIPT_EMPTY,
	PERFSCRIPT_MMAP,
	PERFSCRIPT_KERNEL_MMAP, /* which is passed over */
	PERFSCRIPT_TASK,	/* FORK, COMM or EXIT */
	PERFSCRIPT_COUNT,
	PERFSCRIPT_ADDRESS,
	PERFSCRIPT_STACK,
	PERFSCRIPT_OTHER,   /* which perf script prints as well */
	PERFSCRIPT_SYMBOLS, /* branches between symbols (-F brstacksym): known, not read */
	PERFSCRIPT_TRACED,  /* a branch of a hardware trace: known, not read */
	PERFSCRIPT_DAMAGED
};

struct perfscript_line {
	enum perfscript_line_kind kind;
	const char *event; /* its name, in the text */
	size_t event_length;
	/* what a sample's process or thread is numbered by, if it was printed; where it is the
	 * only number before the branches it may also be an address that was cut out */
	bool has_pid;
	uint32_t pid;
	uint64_t number; /* of a count line; of a sample its address */
	size_t branches;
	struct perfdata_mmap mmap;
	uint32_t task_type; /* PERF_RECORD_* */
	struct perfdata_task task;
	struct build_tags tags; /* of all lines */
	/* what the mapping and the branches of a line stand in; not cleared */
	struct perfdata_branch stack[PERFSCRIPT_STACK_MOST];
	char path[PERFSCRIPT_PATH_BYTES];
};

/* Start zeroed. */
void perfscript_line_deinit(struct perfscript_line *p);
/* Read the line, which has no line feed. */
void perfscript_line_read(struct perfscript_line *p, struct text line);

/* ---- whose sample it is (perfscript_processes.c) ------------------------------------------- */

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
