/* SPDX-License-Identifier: MIT */
#include "collector/kernel/process_memory.h"

#include <errno.h>
#include <linux/mempolicy.h>
#include <sched.h>
#include <string.h>
#include <sys/uio.h>

#include "collector/kernel/syscall.h"

static long copy_parts(uint64_t pid, const struct iovec *parts, size_t count, void *out,
		       size_t bytes)
{
	struct iovec local = {out, bytes};

	return syscall_6(SYS_process_vm_readv, pid, (uintptr_t)&local, 1, (uintptr_t)parts, count,
			 0);
}

bool process_memory_copy(uint64_t pid, uint64_t address, void *out, size_t bytes)
{
	struct iovec remote = {(void *)(uintptr_t)address, bytes};

	return copy_parts(pid, &remote, 1, out, bytes) == (long)bytes;
}

bool process_memory_write(uint64_t pid, uint64_t address, const void *from, size_t bytes)
{
	struct iovec local = {(void *)from, bytes}, remote = {(void *)(uintptr_t)address, bytes};

	return syscall_6(SYS_process_vm_writev, pid, (uintptr_t)&local, 1, (uintptr_t)&remote, 1,
			 0) == (long)bytes;
}

/* In parts of a page at most: where the kernel stops in the middle, it does so at one's end. */
static size_t copy_some(uint64_t pid, uint64_t address, void *out, size_t bytes)
{
	struct iovec parts[MEMORY_SOME_PAGES];
	size_t count = 0, listed = 0;
	long copied;

	while (listed < bytes && count < MEMORY_SOME_PAGES) {
		size_t left = MEMORY_PAGE - (address + listed) % MEMORY_PAGE;
		size_t part = bytes - listed < left ? bytes - listed : left;

		parts[count++] = (struct iovec){(void *)(uintptr_t)(address + listed), part};
		listed += part;
	}
	copied = copy_parts(pid, parts, count, out, bytes);
	return copied < 0 ? 0 : (size_t)copied;
}

/* sigprocmask with a meaningless `how` reads the new set (8 bytes) before it refuses: EINVAL if
 * they are readable, EFAULT if not. */
static bool probe(uint64_t address)
{
	return syscall_6(SYS_rt_sigprocmask, (uint64_t)-1, address, 0, 8, 0, 0) == -EINVAL;
}

/* The node that a page is on is told where process_vm_readv could copy it, and nowhere else (both
 * are get_user_pages), in a quarter of the time: without locks nearly always. Not every kernel or
 * container has the call, and it refuses pages with a key. */
static bool has_node(uint64_t address)
{
	int node;

	return !syscall_6(SYS_get_mempolicy, (uintptr_t)&node, 0, 0, address,
			  MPOL_F_NODE | MPOL_F_ADDR, 0);
}

static bool is_ordinary(uint64_t address)
{
	uint8_t byte;

	return has_node(address) || process_memory_copy(syscall_pid(), address, &byte, 1);
}

bool process_memory_load(uint64_t address, void *out, size_t bytes)
{
	if (bytes > MEMORY_PAGE || process_memory_is_shared() || !has_node(address) ||
	    !has_node(address + bytes - 1))
		return process_memory_copy(syscall_pid(), address, out, bytes);
	memcpy(out, (const void *)(uintptr_t)address, bytes);
	return true;
}

void process_memory_init(struct memory_reader *r, struct memory_known *known)
{
	static const struct memory_source source = {.copy = process_memory_copy,
						    .copy_some = copy_some,
						    .is_ordinary = is_ordinary,
						    .probe = probe};

	memory_reader_init(r, known, &source, syscall_pid());
}

bool process_memory_can_read(void)
{
	uint64_t word = 1, copy = 0;

	return process_memory_copy(syscall_pid(), (uintptr_t)&word, &copy, sizeof(word)) &&
	       copy == word;
}

/* unshare(CLONE_VM) does nothing but fail then. */
bool process_memory_is_shared(void)
{
	return syscall_3(SYS_unshare, CLONE_VM, 0, 0) != 0;
}
