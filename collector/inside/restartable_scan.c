/* SPDX-License-Identifier: MIT */
#include "collector/inside/restartable_scan.h"

#include <fcntl.h>
#include <link.h>
#include <stddef.h>
#include <sys/uio.h>

#include "base/atomics.h"
#include "collector/inside/handler_state.h"
#include "collector/session/syscall.h"

/* An object is looked at so often before its sequences are relocated, as is done after listing it.
 */
#define LOOKS_MOST 200u
#define LIST_MOST  4096u

/* The dynamic linker's. Weak, so that the library does not name glibc's as one that it needs:
 * another libc could not load it then, even to stay out. */
#pragma weak _r_debug

static bool read_memory(const void *from, void *to, size_t bytes)
{
	struct iovec local = {to, bytes};
	struct iovec remote = {(void *)(uintptr_t)from, bytes};

	return syscall_6(SYS_process_vm_readv, handler_state.restartable.pid, (uintptr_t)&local, 1,
			 (uintptr_t)&remote, 1, 0) == (long)bytes;
}

static struct restartable_object *known(const struct link_map *o)
{
	for (unsigned i = 0; i < handler_state.restartable.count; i++)
		if (handler_state.restartable.objects[i].bias == o->l_addr &&
		    handler_state.restartable.objects[i].dynamic == (uintptr_t)o->l_ld)
			return &handler_state.restartable.objects[i];
	return NULL;
}

static void know(const struct link_map *o)
{
	if (handler_state.restartable.count < RESTARTABLE_RANGES)
		handler_state.restartable.objects[handler_state.restartable.count++] =
			(struct restartable_object){o->l_addr, (uintptr_t)o->l_ld, true};
}

/* The program itself has no name; the kernel's part (vdso) has one that is no path. */
static bool look_at_object(struct restartable *r, const struct link_map *o)
{
	char first = 0;
	const char *path = o->l_name;
	bool all;
	long fd;

	if (!read_memory(path, &first, 1))
		return true;
	if (!first)
		path = "/proc/self/exe";
	fd = syscall_3(SYS_openat, (uint64_t)AT_FDCWD, (uintptr_t)path, O_RDONLY | O_CLOEXEC);
	if (fd < 0)
		return true;
	all = restartable_file_look(&handler_state.restartable.file, r, (int)fd,
				    handler_state.restartable.pid, o->l_addr);
	syscall_3(SYS_close, (uint64_t)fd, 0, 0);
	return all;
}

/* From @at on; true if the list's end was reached. */
static bool walk(struct restartable *r, const struct link_map *at)
{
	struct link_map object;

	for (unsigned i = 0; at && i < LIST_MOST; i++, at = object.l_next) {
		struct restartable_object *k;

		if (!read_memory(at, &object, sizeof(object)) ||
		    object.l_prev != handler_state.restartable.last)
			return false;
		k = known(&object);
		if (k)
			k->there = true;
		else if (!look_at_object(r, &object) &&
			 ++handler_state.restartable.looks < LOOKS_MOST)
			return false;
		else
			know(&object);
		handler_state.restartable.looks = 0;
		handler_state.restartable.last = at;
	}
	return true;
}

/* Others may be where those were that are gone. */
static void drop_gone(void)
{
	unsigned kept = 0;

	for (unsigned i = 0; i < handler_state.restartable.count; i++)
		if (handler_state.restartable.objects[i].there)
			handler_state.restartable.objects[kept++] =
				handler_state.restartable.objects[i];
	handler_state.restartable.count = kept;
}

static void walk_all(struct restartable *r)
{
	for (unsigned i = 0; i < handler_state.restartable.count; i++)
		handler_state.restartable.objects[i].there = false;
	handler_state.restartable.last = NULL;
	if (walk(r, _r_debug.r_map))
		drop_gone();
}

static bool look(struct restartable *r, uint64_t address)
{
	const struct link_map *next = NULL;

	(void)address;
	if (!atomic_swap_if(&handler_state.restartable.looking, 0, 1))
		return false;
	if (handler_state.restartable.pid != r->pid) {
		handler_state.restartable.pid = r->pid;
		handler_state.restartable.last = NULL;
	}
	if (atomic_swap_if(&r->unloaded, 1, 0) || !handler_state.restartable.last ||
	    !read_memory(&handler_state.restartable.last->l_next, &next, sizeof(next)))
		walk_all(r);
	else if (next)
		walk(r, next);
	/* acquired above */
	atomic_write_release(&handler_state.restartable.looking, 0);
	return true;
}

void restartable_scan_watch(struct restartable *r, uint32_t pid)
{
	handler_state.restartable.looking = 0; /* of a thread that a fork's child does not have */
	r->pid = pid;
	r->look = look;
}
