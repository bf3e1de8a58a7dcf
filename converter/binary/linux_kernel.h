/* SPDX-License-Identifier: MIT */
/*
 * How recordings name the kernel and its modules, and where in their files an address is. perf's
 * maps of them are made up: "[kernel.kallsyms]_text" begins at run-time addresses and has the
 * run-time address of the symbol behind the bracket as its file offset; a module's ("[ext4]", or
 * the path of the .ko) begins with its .text, at offset 0.
 */
#pragma once

#include <stdbool.h>
#include <stdint.h>

#include "converter/binary/binary.h"

/* May a map of that name be of @b, a vmlinux or a kernel module? */
bool linux_kernel_is_name_of(const struct binary *b, const char *name);
/* An address in a map -> virtual address in @b, whatever @b is; BRANCH_OUTSIDE if in no code. */
uint64_t linux_kernel_map_to_va(const struct binary *b, const char *name, uint64_t start,
				uint64_t file_offset, uint64_t address);
