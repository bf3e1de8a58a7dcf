/* SPDX-License-Identifier: MIT */
/*
 * The sections __rseq_cs of the objects in this process. Section headers are in the files only; the
 * entries are read in memory, where they are relocated. A file may be another than what was loaded
 * from it: nothing is believed that the object's segments do not bear out.
 */
#include <elf.h>
#include <fcntl.h>
#include <link.h>
#include <string.h>

#include "base/atomics.h"
#include "collector/restartable.h"
#include "collector/syscall.h"

#define SECTIONS_MAX   256u
#define NAMES_MAX      4096u
#define SEQUENCE_BYTES 65536u /* longer ones are none */

/* struct rseq_cs of the kernel. */
struct sequence {
	uint32_t version, flags;
	uint64_t start, post_commit_offset, abort;
};

/* One look at a time: these are large, and a thread's stack may be small. */
static struct {
	uint32_t busy; /* atomic */
	unsigned long long loads;
	Elf64_Shdr sections[SECTIONS_MAX];
	char names[NAMES_MAX];
} look;

static bool read_at(long fd, void *to, size_t bytes, uint64_t at)
{
	return syscall_6(SYS_pread64, (uint64_t)fd, (uintptr_t)to, bytes, at, 0, 0) == (long)bytes;
}

/* Is [at,at+bytes) in a segment with these flags? */
static bool in_segment(const struct dl_phdr_info *o, uint64_t at, uint64_t bytes, uint32_t flags)
{
	for (unsigned i = 0; i < o->dlpi_phnum; i++) {
		const ElfW(Phdr) *p = &o->dlpi_phdr[i];
		uint64_t offset = at - o->dlpi_addr - p->p_vaddr;

		if (p->p_type == PT_LOAD && (p->p_flags & flags) == flags && offset < p->p_memsz &&
		    bytes <= p->p_memsz - offset)
			return true;
	}
	return false;
}

static void add_sequences(struct restartable *r, const struct dl_phdr_info *o, const Elf64_Shdr *s)
{
	const struct sequence *sequence = (const void *)(o->dlpi_addr + s->sh_addr);

	if (!s->sh_size || !in_segment(o, (uintptr_t)sequence, s->sh_size, PF_R))
		return;
	for (uint64_t i = 0; i < s->sh_size / sizeof(*sequence); i++, sequence++)
		if (sequence->post_commit_offset < SEQUENCE_BYTES &&
		    in_segment(o, sequence->start, sequence->post_commit_offset, PF_X))
			restartable_add(r, sequence->start,
					sequence->start + sequence->post_commit_offset);
}

static void look_at_sections(struct restartable *r, const struct dl_phdr_info *o, long fd)
{
	static const char wanted[] = "__rseq_cs";
	const Elf64_Shdr *strings;
	uint64_t names_bytes;
	Elf64_Ehdr elf;

	if (!read_at(fd, &elf, sizeof(elf), 0) || memcmp(elf.e_ident, ELFMAG, SELFMAG) ||
	    elf.e_shentsize != sizeof(Elf64_Shdr) || elf.e_shnum > SECTIONS_MAX ||
	    elf.e_shstrndx >= elf.e_shnum ||
	    !read_at(fd, look.sections, elf.e_shnum * sizeof(Elf64_Shdr), elf.e_shoff))
		return;
	strings = &look.sections[elf.e_shstrndx];
	names_bytes = strings->sh_size < NAMES_MAX ? strings->sh_size : NAMES_MAX;
	if (!read_at(fd, look.names, names_bytes, strings->sh_offset))
		return;
	for (unsigned i = 0; i < elf.e_shnum; i++) {
		const Elf64_Shdr *s = &look.sections[i];

		if (s->sh_name < names_bytes && names_bytes - s->sh_name >= sizeof(wanted) &&
		    s->sh_flags & SHF_ALLOC && s->sh_type != SHT_NOBITS &&
		    !memcmp(look.names + s->sh_name, wanted, sizeof(wanted)))
			add_sequences(r, o, s);
	}
}

static int look_at_object(struct dl_phdr_info *o, size_t size, void *restartable)
{
	const char *path = o->dlpi_name[0] ? o->dlpi_name : "/proc/self/exe";
	long fd;

	(void)size;
	if (look.loads == o->dlpi_adds + o->dlpi_subs)
		return 1;
	fd = syscall_3(SYS_openat, (uint64_t)AT_FDCWD, (uintptr_t)path, O_RDONLY | O_CLOEXEC);
	if (fd < 0)
		return 0; /* the vdso is no file */
	look_at_sections(restartable, o, fd);
	syscall_3(SYS_close, (uint64_t)fd, 0, 0);
	return 0;
}

static int count_loads(struct dl_phdr_info *o, size_t size, void *loads)
{
	(void)size;
	*(unsigned long long *)loads = o->dlpi_adds + o->dlpi_subs;
	return 1;
}

void restartable_scan(struct restartable *r)
{
	unsigned long long loads = 0;

	if (!atomic_swap_if(&look.busy, 0, 1))
		return;
	dl_iterate_phdr(look_at_object, r);
	dl_iterate_phdr(count_loads, &loads);
	look.loads = loads;
	atomic_write_release(&look.busy, 0);
}
