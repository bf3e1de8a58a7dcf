/* SPDX-License-Identifier: MIT */
/* One line of the text of perf script, taken apart: formats/perfscript.h says what there is. */
#pragma once

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
