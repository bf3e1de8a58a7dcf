/* SPDX-License-Identifier: MIT */
/*
 * Memory that another process may change, and take away by making its file shorter, at any moment:
 * it is copied by the kernel, to which a page that is missing is no SIGBUS but a short answer
 * (process_vm_readv(2), of ourselves). What was copied is checked, and never read twice.
 */
#pragma once

#include <stdbool.h>
#include <stddef.h>
#include <sys/uio.h>

/* Places of one call of shared_bytes_gather. */
#define SHARED_BYTES_PARTS 256u

bool shared_bytes_read(void *to, const void *from, size_t bytes);
/* Copy from several places, one after the other in this order; how many bytes there were. */
size_t shared_bytes_gather(void *to, size_t bytes, const struct iovec *from, size_t parts);
bool shared_bytes_write(void *to, const void *from, size_t bytes);
