/* SPDX-License-Identifier: MIT */
/*
 * The section __rseq_cs of an object in memory (collector/engine/restartable.h). Section headers
 * are in the file only; the entries are read in memory, where they are relocated. A file may be
 * another than what was loaded from it: nothing is believed that its segments do not bear out.
 */
#pragma once

#include <elf.h>

#include "collector/engine/restartable.h"

#define RESTARTABLE_FILE_SEGMENTS 32u
#define RESTARTABLE_FILE_SECTIONS 256u
#define RESTARTABLE_FILE_NAMES	  4096u

/* What is read of a file. The caller's, for one look at a time: it is large, and a handler's stack
 * is small. */
struct restartable_file {
	Elf64_Ehdr elf;
	Elf64_Phdr segments[RESTARTABLE_FILE_SEGMENTS];
	Elf64_Shdr sections[RESTARTABLE_FILE_SECTIONS];
	char names[RESTARTABLE_FILE_NAMES];
};

/* Both may be called in handlers. */

/*
 * Add to @r what the file @fd tells, an object that process @pid has loaded @bias above the file's
 * addresses; for one caller at a time. False if some of it is not borne out by the process's
 * memory, as before the dynamic linker has relocated it.
 */
bool restartable_file_look(struct restartable_file *f, struct restartable *r, int fd, uint32_t pid,
			   uint64_t bias);
/* The bias of an object whose code at file offset @offset is mapped at @begin. */
bool restartable_file_bias(struct restartable_file *f, int fd, uint64_t begin, uint64_t offset,
			   uint64_t *bias);
