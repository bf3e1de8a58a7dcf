/* SPDX-License-Identifier: MIT */
/*
 * Memory of this process, or of another one, by the kernel, for which what can't be read is no
 * fault: what the engine's memory reader asks. In handlers too.
 */
#pragma once

#include "collector/engine/memory_reader.h"

/* A reader of this process's memory. */
void process_memory_init(struct memory_reader *r, struct memory_known *known);
/* Copy @bytes at @address of the process @pid. False if they are not all there. */
bool process_memory_copy(uint64_t pid, uint64_t address, void *out, size_t bytes);
/* The same of this process, 1 byte at least, and cheaper where no other thread can unmap it
 * meanwhile. */
bool process_memory_load(uint64_t address, void *out, size_t bytes);
/* Write @bytes at @address of the process @pid. False if not all were. */
bool process_memory_write(uint64_t pid, uint64_t address, const void *from, size_t bytes);
/* Can this process read itself so? A seccomp filter may forbid it. */
bool process_memory_can_read(void);
/* Does another thread or process have this memory, too? */
bool process_memory_is_shared(void);
