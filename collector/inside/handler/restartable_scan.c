/* SPDX-License-Identifier: MIT */
#include "collector/inside/handler/restartable_scan.h"

#include <fcntl.h>
#include <link.h>
#include <stddef.h>
#include <string.h>

#include "base/atomics.h"
#include "collector/inside/handler/handler_state.h"
#include "collector/kernel/process_memory.h"
#include "collector/kernel/syscall.h"

/* An object is looked at so often before its sequences are relocated, as is done after listing it.
 */
#define LOOKS_MOST 200u
#define LIST_MOST  4096u

/* The dynamic linker's. Weak, so that the library does not name glibc's as one that it needs:
 * another libc could not load it then, even to stay out. */
#pragma weak _r_debug

static bool read_memory(const void *from, void *to, size_t bytes)
{
	return process_memory_load((uintptr_t)from, to, bytes);
}

static struct restartable_object *known_object(const struct link_map *o)
{
	for (unsigned i = 0; i < handler_state.restartable.count; i++)
		if (handler_state.restartable.objects[i].bias == o->l_addr &&
		    handler_state.restartable.objects[i].dynamic == (uintptr_t)o->l_ld)
			return &handler_state.restartable.objects[i];
	return NULL;
}

/* What its headers in memory say of where its code may be; all of memory if they are not at the
 * beginning, as those of a program without PIE. */
static void find_extent(struct restartable_object *o)
{
	struct restartable_file *f = &handler_state.restartable.file;
	const char *headers = (const char *)(uintptr_t)o->bias;

	o->begin = 0;
	o->end = UINT64_MAX;
	if (!read_memory(headers, &f->elf, sizeof(f->elf)) ||
	    memcmp(f->elf.e_ident, ELFMAG, SELFMAG) != 0 ||
	    f->elf.e_phentsize != sizeof(f->segments[0]) ||
	    f->elf.e_phnum > RESTARTABLE_FILE_SEGMENTS ||
	    !read_memory(headers + f->elf.e_phoff, f->segments,
			 f->elf.e_phnum * sizeof(f->segments[0])))
		return;
	o->begin = o->bias;
	o->end = o->bias;
	for (unsigned i = 0; i < f->elf.e_phnum; i++) {
		const Elf64_Phdr *p = &f->segments[i];
		uint64_t end = o->bias + p->p_vaddr + p->p_memsz;

		if (p->p_type == PT_LOAD && end > o->end)
			o->end = end;
	}
}

/* NULL: there are too many; what those have is learnt when it is met. */
static struct restartable_object *add_object(const struct link_map *entry, const struct link_map *o)
{
	struct restartable_object *new_object;

	if (handler_state.restartable.count == RESTARTABLE_RANGES)
		return NULL;
	new_object = &handler_state.restartable.objects[handler_state.restartable.count++];
	*new_object = (struct restartable_object){
		.entry = entry, .bias = o->l_addr, .dynamic = (uintptr_t)o->l_ld};
	find_extent(new_object);
	return new_object;
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
	fd = syscall_open(path, O_RDONLY);
	if (fd < 0)
		return true;
	all = restartable_file_look(&handler_state.restartable.file, r, (int)fd,
				    handler_state.restartable.pid, o->l_addr);
	syscall_close(fd);
	return all;
}

/* From @at on; true if the list's end was reached. */
static bool walk_objects(const struct link_map *at)
{
	struct link_map object;

	for (unsigned i = 0; at && i < LIST_MOST; i++, at = object.l_next) {
		struct restartable_object *o;

		if (!read_memory(at, &object, sizeof(object)) ||
		    object.l_prev != handler_state.restartable.last)
			return false;
		o = known_object(&object);
		if (!o)
			o = add_object(at, &object);
		if (o)
			o->there = true;
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

static void walk_all(void)
{
	for (unsigned i = 0; i < handler_state.restartable.count; i++)
		handler_state.restartable.objects[i].there = false;
	handler_state.restartable.last = NULL;
	if (walk_objects(_r_debug.r_map))
		drop_gone();
}

/* What was loaded and unloaded since the last time. */
static void update_objects(struct restartable *r)
{
	const struct link_map *next = NULL;

	if (handler_state.restartable.pid != r->pid) {
		handler_state.restartable.pid = r->pid;
		handler_state.restartable.last = NULL;
	}
	if (atomic_swap_if(&r->unloaded, 1, 0) || !handler_state.restartable.last ||
	    !read_memory(&handler_state.restartable.last->l_next, &next, sizeof(next)))
		walk_all();
	else if (next)
		walk_objects(next);
}

static void look_at(struct restartable *r, struct restartable_object *o)
{
	struct link_map object;

	/* else it is gone, which is seen at the next time */
	if (read_memory(o->entry, &object, sizeof(object)) && object.l_addr == o->bias &&
	    (uintptr_t)object.l_ld == o->dynamic)
		o->looked = look_at_object(r, &object) || ++o->looks == LOOKS_MOST;
}

/* At those that may contain @address; at all of them if it is 0. */
static bool look_for_sequences(struct restartable *r, uint64_t address)
{
	if (!atomic_swap_if(&handler_state.restartable.looking, 0, 1))
		return false;
	update_objects(r);
	for (unsigned i = 0; i < handler_state.restartable.count; i++) {
		struct restartable_object *o = &handler_state.restartable.objects[i];

		if (!o->looked && (!address || (address >= o->begin && address < o->end)))
			look_at(r, o);
	}
	/* acquired above */
	atomic_write_release(&handler_state.restartable.looking, 0);
	return true;
}

void restartable_scan_before_thread(struct restartable *r)
{
	if (atomic_read_relaxed(&handler_state.restartable.pid_threads) == r->pid)
		return;
	atomic_write_relaxed(&handler_state.restartable.pid_threads, r->pid);
	look_for_sequences(r, 0);
}

void restartable_scan_watch(struct restartable *r, uint32_t pid)
{
	handler_state.restartable.looking = 0; /* of a thread that a fork's child does not have */
	r->pid = pid;
	r->look = look_for_sequences;
}
