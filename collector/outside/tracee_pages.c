/* SPDX-License-Identifier: MIT */
/* Format: Documentation/admin-guide/mm/pagemap.rst in the kernel's source. */
#include "collector/outside/tracee_pages.h"

#include <fcntl.h>
#include <stdio.h>
#include <string.h>
#include <unistd.h>

#define PAGE_PRESENT (1ull << 63) /* what was swapped out is not worth waiting for, either */

void tracee_pages_open(struct tracee_pages *p, uint32_t pid)
{
	char path[64];

	memset(p, 0, sizeof(*p));
	snprintf(path, sizeof(path), "/proc/%u/pagemap", pid);
	p->file = open(path, O_RDONLY | O_CLOEXEC);
	p->stop = 1;
}

void tracee_pages_close(struct tracee_pages *p)
{
	if (p->file >= 0)
		close(p->file);
	p->file = -1;
}

void tracee_pages_forget(struct tracee_pages *p)
{
	if (++p->stop)
		return;
	memset(p->groups, 0, sizeof(p->groups)); /* wrapped */
	p->stop = 1;
}

bool tracee_pages_are_there(void *pages, uint64_t number)
{
	struct tracee_pages *p = pages;
	uint64_t group = number / TRACEE_PAGES_GROUP;
	unsigned at = (unsigned)(group ^ group >> 8) % TRACEE_PAGES_GROUPS;

	if (p->file < 0)
		return true;
	if (p->groups[at].number != group || p->groups[at].stop != p->stop) {
		off_t offset = (off_t)(group * sizeof(p->groups[at].pages));

		p->groups[at].number = group;
		p->groups[at].stop = p->stop;
		if (pread(p->file, p->groups[at].pages, sizeof(p->groups[at].pages), offset) !=
		    (ssize_t)sizeof(p->groups[at].pages))
			memset(p->groups[at].pages, 0, sizeof(p->groups[at].pages));
	}
	return p->groups[at].pages[number % TRACEE_PAGES_GROUP] & PAGE_PRESENT;
}
