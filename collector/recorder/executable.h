/* SPDX-License-Identifier: MIT */
/* What a program's ELF file tells of how it can be recorded, before it is started. */
#ifndef COLLECTOR_RECORDER_EXECUTABLE_H
#define COLLECTOR_RECORDER_EXECUTABLE_H

#include <stdbool.h>

#include "base/file.h"
#include "collector/recorder/sanitizer.h"

struct executable {
	bool is_elf;	      /* else nothing below is known */
	bool is_32_bit;	      /* nor then what follows */
	bool has_interpreter; /* a dynamic linker, which preloads libraries; or the file is damaged,
			       * and exec(2) is to judge */
	bool is_go;	      /* signals on the stacks of goroutines, a few KB, do harm */
	struct sanitizer sanitizer;
};

/* What @v, a whole file, tells. */
void executable_look(const struct file_view *v, struct executable *out);
/* The same for the running process @pid; nothing is known where it can't be read. */
void executable_look_at_process(int pid, struct executable *out);

#endif
