/* SPDX-License-Identifier: MIT */
#include "collector/shared/shared_bytes.h"

#include <unistd.h>

size_t shared_bytes_gather(void *to, size_t bytes, const struct iovec *from, size_t parts)
{
	struct iovec local = {to, bytes};
	ssize_t got = process_vm_readv(getpid(), &local, 1, from, parts, 0);

	return got < 0 ? 0 : (size_t)got;
}

bool shared_bytes_read(void *to, const void *from, size_t bytes)
{
	struct iovec remote = {(void *)from, bytes};

	return shared_bytes_gather(to, bytes, &remote, 1) == bytes;
}

bool shared_bytes_write(void *to, const void *from, size_t bytes)
{
	struct iovec local = {(void *)from, bytes}, remote = {to, bytes};

	return process_vm_writev(getpid(), &local, 1, &remote, 1, 0) == (ssize_t)bytes;
}
