/* SPDX-License-Identifier: MIT */
/* The calls that change what is mapped, which look-ahead remembers. Each passes straight on while
 * nothing is profiled. */
#include <dlfcn.h>
#include <stdarg.h>
#include <sys/ioctl.h>
#include <sys/mman.h>

#include "base/atomics.h"
#include "collector/inside/handler/handler_state.h"
#include "collector/inside/interpose/interposed.h"

/* What look-ahead knows of memory it must learn anew when files are mapped: one may be a device, or
 * a file whose pages a program brings. */
EXPORT void *mmap(void *address, size_t bytes, int protection, int flags, int fd, off_t offset)
{
	void *mapped;

	if (handler_state.process.pid && fd >= 0)
		own_pages_before_mapping(&handler_state.process.pages, fd);
	mapped = NEXT(mmap)(address, bytes, protection, flags, fd, offset);
	if (handler_state.process.pid && fd >= 0)
		memory_reader_forget_known(&handler_state.process.known);
	if (protection & PROT_EXEC)
		handler_state_forget_code();
	return mapped;
}

/* Descriptors of /dev/userfaultfd, too, and those of a bare system call, are first made ready. */
EXPORT int ioctl(int fd, unsigned long request, ...)
{
	va_list rest;
	void *argument;

	va_start(rest, request);
	argument = va_arg(rest, void *);
	va_end(rest);
	own_pages_before(&handler_state.process.pages, SYS_ioctl, request);
	return NEXT(ioctl)(fd, request, argument);
}

EXPORT void *mmap64(void *address, size_t bytes, int protection, int flags, int fd, off_t offset)
	__attribute__((alias("mmap")));

/* Code that was written becomes code that runs: what was decoded there before is something else. */
EXPORT int mprotect(void *address, size_t bytes, int protection)
{
	int rc = NEXT(mprotect)(address, bytes, protection);

	if (protection & PROT_EXEC)
		handler_state_forget_code();
	return rc;
}

/* Another library may come to the same addresses. */
EXPORT int dlclose(void *handle)
{
	int rc = NEXT(dlclose)(handle);

	atomic_write_release(&handler_state.process.restartable.unloaded, 1);
	handler_state_forget_code();
	return rc;
}
