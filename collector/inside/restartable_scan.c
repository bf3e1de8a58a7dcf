/* SPDX-License-Identifier: MIT */
/*
 * The objects in this process, as the dynamic linker's list for debuggers has them (<link.h>,
 * struct r_debug): new ones are appended, so that a look is one word if there are none. The list
 * belongs to other threads, or to what the handler interrupts: it is read as what may be gone.
 */
#include <fcntl.h>
#include <link.h>
#include <stddef.h>
#include <sys/uio.h>

#include "base/atomics.h"
#include "collector/core/restartable.h"
#include "collector/session/syscall.h"

/* An object is looked at so often before its sequences are relocated, as is done after listing it.
 */
#define LOOKS_MOST 200u
#define LIST_MOST  4096u

static uint32_t looking; /* atomic: one at a time */

/* What was found in the list. */
static struct {
	uint32_t pid;
	const struct link_map *last; /* the last that was looked at; NULL: none */
	unsigned looks;		     /* at the next one */
	unsigned count;
	struct known_object {
		uint64_t bias, dynamic; /* where it was loaded: which one it is */
		bool there;		/* at this walk */
	} objects[RESTARTABLE_RANGES];
} list;

static bool read_memory(const void *from, void *to, size_t bytes)
{
	struct iovec local = {to, bytes};
	struct iovec remote = {(void *)(uintptr_t)from, bytes};

	return syscall_6(SYS_process_vm_readv, list.pid, (uintptr_t)&local, 1, (uintptr_t)&remote,
			 1, 0) == (long)bytes;
}

static struct known_object *known(const struct link_map *o)
{
	for (unsigned i = 0; i < list.count; i++)
		if (list.objects[i].bias == o->l_addr &&
		    list.objects[i].dynamic == (uintptr_t)o->l_ld)
			return &list.objects[i];
	return NULL;
}

static void know(const struct link_map *o)
{
	if (list.count < RESTARTABLE_RANGES)
		list.objects[list.count++] = (struct known_object){o->l_addr, (uintptr_t)o->l_ld,
								   true};
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
	all = restartable_look_at_file(r, (int)fd, list.pid, o->l_addr);
	syscall_3(SYS_close, (uint64_t)fd, 0, 0);
	return all;
}

/* From @at on; true if the list's end was reached. */
static bool walk(struct restartable *r, const struct link_map *at)
{
	struct link_map object;

	for (unsigned i = 0; at && i < LIST_MOST; i++, at = object.l_next) {
		struct known_object *k;

		if (!read_memory(at, &object, sizeof(object)) || object.l_prev != list.last)
			return false;
		k = known(&object);
		if (k)
			k->there = true;
		else if (!look_at_object(r, &object) && ++list.looks < LOOKS_MOST)
			return false;
		else
			know(&object);
		list.looks = 0;
		list.last = at;
	}
	return true;
}

/* Others may be where those were that are gone. */
static void drop_gone(void)
{
	unsigned kept = 0;

	for (unsigned i = 0; i < list.count; i++)
		if (list.objects[i].there)
			list.objects[kept++] = list.objects[i];
	list.count = kept;
}

static void walk_all(struct restartable *r)
{
	for (unsigned i = 0; i < list.count; i++)
		list.objects[i].there = false;
	list.last = NULL;
	if (walk(r, _r_debug.r_map))
		drop_gone();
}

static bool look(struct restartable *r, uint64_t address)
{
	const struct link_map *next = NULL;

	(void)address;
	if (!atomic_swap_if(&looking, 0, 1))
		return false;
	if (list.pid != r->pid) {
		list.pid = r->pid;
		list.last = NULL;
	}
	if (atomic_swap_if(&r->unloaded, 1, 0) || !list.last ||
	    !read_memory(&list.last->l_next, &next, sizeof(next)))
		walk_all(r);
	else if (next)
		walk(r, next);
	/* acquired above */
	atomic_write_release(&looking, 0);
	return true;
}

void restartable_watch(struct restartable *r, uint32_t pid)
{
	looking = 0; /* of a thread that a fork's child does not have */
	r->pid = pid;
	r->look = look;
	look(r, 0);
}
