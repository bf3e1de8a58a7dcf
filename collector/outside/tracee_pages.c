/* SPDX-License-Identifier: MIT */
/* Format: Documentation/admin-guide/mm/pagemap.rst in the kernel's source. */
#include "collector/outside/tracee_pages.h"

#include <dirent.h>
#include <fcntl.h>
#include <stdio.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

#define PAGE_PRESENT (1ull << 63) /* what was swapped out is not worth waiting for, either */
#define PAGE_SWAPPED (1ull << 62)
/* A page of a file, or a shared one. Whoever serves it (FUSE) may be a process or thread with
 * descriptors of its own, and stand still as well: such a page is asked for in each stop. */
#define PAGE_OF_FILE (1ull << 61)

#define PAGE_BYTES 4096u

/* Of a process with more, each page is asked for: they are looked at whenever their number has
 * changed. */
#define DESCRIPTORS_MOST 64
/* One may have been closed and another opened since they were looked at, which leaves their number:
 * while a program starts they are looked at in each stop, and later in one of so many. */
#define STARTING_STOPS	64
#define LOOKED_AT_EVERY 32

void tracee_pages_open(struct tracee_pages *p, uint32_t pid, bool starts)
{
	char path[64];

	memset(p, 0, sizeof(*p));
	snprintf(path, sizeof(path), "/proc/%u/pagemap", pid);
	p->file = open(path, O_RDONLY | O_CLOEXEC);
	snprintf(path, sizeof(path), "/proc/%u/fd", pid);
	p->descriptors = open(path, O_RDONLY | O_DIRECTORY | O_CLOEXEC);
	p->stop = starts ? 1 : STARTING_STOPS;
}

void tracee_pages_close(struct tracee_pages *p)
{
	if (p->file >= 0)
		close(p->file);
	if (p->descriptors >= 0)
		close(p->descriptors);
	p->file = p->descriptors = -1;
}

void tracee_pages_forget(struct tracee_pages *p)
{
	if (++p->stop)
		return;
	memset(p->groups, 0, sizeof(p->groups)); /* wrapped */
	p->faults.stop = p->faults.looked = 0;
	p->stop = 1;
}

void tracee_pages_forget_known(struct tracee_pages *p)
{
	memset(p->known, 0, sizeof(p->known));
}

static bool serves_faults(int directory, const char *name)
{
	static const char *const servers[] = {"anon_inode:[userfaultfd]", "/dev/fuse"};
	char target[64];
	ssize_t length = readlinkat(directory, name, target, sizeof(target) - 1);

	target[length > 0 ? length : 0] = 0;
	return !strcmp(target, servers[0]) || !strcmp(target, servers[1]);
}

/* Does one of them? True as well if they can't be read. */
static bool one_serves_faults(int descriptors)
{
	int copy = openat(descriptors, ".", O_RDONLY | O_DIRECTORY | O_CLOEXEC);
	DIR *d = copy < 0 ? NULL : fdopendir(copy);
	struct dirent *entry;
	bool found = !d;

	while (!found && (entry = readdir(d)))
		found = serves_faults(copy, entry->d_name);
	if (d)
		closedir(d);
	else if (copy >= 0)
		close(copy);
	return found;
}

uint64_t tracee_pages_descriptors(const struct tracee_pages *p)
{
	struct stat st;

	return p->descriptors < 0 || fstat(p->descriptors, &st) ? 0 : (uint64_t)st.st_size;
}

static bool has_to_look(const struct tracee_pages *p)
{
	return !p->faults.looked || p->stop < STARTING_STOPS ||
	       p->stop - p->faults.looked >= LOOKED_AT_EVERY;
}

/* Once a stop. What they are is looked at when their number has stayed from one stop to the next:
 * while it changes each page is asked for, which is cheaper. */
static bool may_serve_faults(struct tracee_pages *p)
{
	uint64_t number;

	if (p->faults.stop == p->stop)
		return p->faults.serves;
	p->faults.stop = p->stop;
	number = tracee_pages_descriptors(p);
	if (number != p->faults.number || !number || number > DESCRIPTORS_MOST) {
		p->faults.number = number;
		p->faults.looked = 0;
		p->faults.serves = true;
	} else if (has_to_look(p)) {
		p->faults.looked = p->stop;
		p->faults.serves = one_serves_faults(p->descriptors);
	}
	return p->faults.serves;
}

static uint64_t *place_of(struct tracee_pages *p, uint64_t number)
{
	return &p->known[(number ^ number >> 12) % TRACEE_PAGES_KNOWN];
}

static void read_group(struct tracee_pages *p, uint64_t group, uint64_t *pages)
{
	size_t bytes = TRACEE_PAGES_GROUP * sizeof(*pages);

	if (pread(p->file, pages, bytes, (off_t)(group * bytes)) != (ssize_t)bytes)
		memset(pages, 0, bytes);
	for (unsigned i = 0; i < TRACEE_PAGES_GROUP; i++)
		if ((pages[i] & (PAGE_PRESENT | PAGE_OF_FILE)) == PAGE_PRESENT)
			*place_of(p, group * TRACEE_PAGES_GROUP + i) = group * TRACEE_PAGES_GROUP +
								       i;
}

static bool ask(struct tracee_pages *p, uint64_t number)
{
	uint64_t group = number / TRACEE_PAGES_GROUP;
	unsigned at = (unsigned)(group ^ group >> 8) % TRACEE_PAGES_GROUPS;

	if (p->groups[at].number != group || p->groups[at].stop != p->stop) {
		p->groups[at].number = group;
		p->groups[at].stop = p->stop;
		read_group(p, group, p->groups[at].pages);
	}
	return p->groups[at].pages[number % TRACEE_PAGES_GROUP] & PAGE_PRESENT;
}

bool tracee_pages_are_there(void *pages, uint64_t number)
{
	struct tracee_pages *p = pages;

	return p->file < 0 || (*place_of(p, number) == number && !may_serve_faults(p)) ||
	       ask(p, number);
}

bool tracee_pages_are_of_files(const struct tracee_pages *p, uint64_t begin, uint64_t end)
{
	uint64_t pages[512];

	for (uint64_t at = begin / PAGE_BYTES; at < end / PAGE_BYTES;) {
		uint64_t left = end / PAGE_BYTES - at, most = sizeof(pages) / sizeof(*pages);
		size_t bytes = (left < most ? left : most) * sizeof(*pages);

		if (pread(p->file, pages, bytes, (off_t)(at * sizeof(*pages))) != (ssize_t)bytes)
			return false;
		for (size_t i = 0; i < bytes / sizeof(*pages); i++)
			if (pages[i] & (PAGE_PRESENT | PAGE_SWAPPED) && !(pages[i] & PAGE_OF_FILE))
				return false;
		at += bytes / sizeof(*pages);
	}
	return true;
}
