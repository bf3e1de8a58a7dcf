/* SPDX-License-Identifier: MIT */
/*
 * What a program's file tells of how it can be recorded, before it is run. Asked by the recorder,
 * and by the collector before an exec, also in the child of a vfork: no system call of its own, no
 * allocation, a few hundred bytes of stack. The bytes are not to be trusted.
 */
#pragma once

#include <stdbool.h>
#include <stddef.h>

#include "collector/shared/exclusion.h"

/* All of a script that the kernel looks at (BINPRM_BUF_SIZE, include/uapi/linux/binfmts.h). */
#define PROGRAM_FILE_SCRIPT_BYTES 256u
/* Scripts whose interpreter is a script: the kernel goes no further (fs/exec.c: exec_binprm). */
#define PROGRAM_FILE_SCRIPTS_MOST 5

#define PROGRAM_FILE_LINKER_BYTES 256u

struct program_file {
	bool is_elf;	      /* else only what follows on scripts is known */
	bool is_32_bit;	      /* nothing below is known then */
	bool is_foreign;      /* for another processor; likewise */
	bool has_interpreter; /* a dynamic linker, which preloads libraries; or the file is damaged,
			       * and exec(2) is to judge */
	bool has_other_libc;  /* but by its name not glibc's */
	bool is_go;	      /* signals on the stacks of goroutines, a few KB, do harm */
	bool needs_first;     /* a library that is to be the first: AddressSanitizer's */
	char script[PROGRAM_FILE_SCRIPT_BYTES]; /* "#!": its interpreter; else "" */
	/* The dynamic linker, if it is not this system's glibc's; else "" */
	char linker[PROGRAM_FILE_LINKER_BYTES];
};

/* Where the bytes come from. */
struct program_file_source {
	/* As many as there are of @bytes from @at on; 0 if none. */
	size_t (*read)(void *context, uint64_t at, void *out, size_t bytes);
	void *context;
};

void program_file_look(const struct program_file_source *from, struct program_file *out);

/* Why the program can't be entered, or EXCLUSION_NONE as far as its file tells. */
enum exclusion program_file_exclusion(const struct program_file *f);

/* N of the newest GLIBC_2.N that a library defines or needs; 0: it is not of glibc, nor for it. */
unsigned program_file_glibc(const struct program_file_source *from);
/* The C library's path beside the dynamic linker's, in the same room; false if that is too small.
 */
bool program_file_libc_beside(char *linker, size_t bytes);

/* Has that to be the first of a program's libraries? */
bool program_file_is_first_library(const char *name);
/* Is there a Go runtime's among the @size bytes of ELF notes? */
bool program_file_has_go_note(const void *notes, size_t size);
