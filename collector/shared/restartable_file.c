/* SPDX-License-Identifier: MIT */
#include "collector/shared/restartable_file.h"

#include <string.h>

#include "collector/kernel/process_memory.h"
#include "collector/kernel/syscall.h"

#define SEQUENCE_BYTES 65536u /* longer ones are none */
#define PAGE_BYTES     4096u

/* struct rseq_cs of the kernel. */
struct sequence {
	uint32_t version, flags;
	uint64_t start, post_commit_offset, abort;
};

static bool read_at(int fd, void *to, size_t bytes, uint64_t at)
{
	return syscall_read_at(fd, to, bytes, at) == bytes;
}

static bool read_segments(struct restartable_file *f, int fd)
{
	Elf64_Ehdr *elf = &f->elf;

	return read_at(fd, elf, sizeof(*elf), 0) && !memcmp(elf->e_ident, ELFMAG, SELFMAG) &&
	       elf->e_ident[EI_CLASS] == ELFCLASS64 && elf->e_phentsize == sizeof(Elf64_Phdr) &&
	       elf->e_phnum <= RESTARTABLE_FILE_SEGMENTS &&
	       read_at(fd, f->segments, elf->e_phnum * sizeof(Elf64_Phdr), elf->e_phoff);
}

static bool read_sections(struct restartable_file *f, int fd)
{
	const Elf64_Ehdr *elf = &f->elf;
	const Elf64_Shdr *strings = &f->sections[elf->e_shstrndx];

	if (elf->e_shentsize != sizeof(Elf64_Shdr) || elf->e_shnum > RESTARTABLE_FILE_SECTIONS ||
	    elf->e_shstrndx >= elf->e_shnum ||
	    !read_at(fd, f->sections, elf->e_shnum * sizeof(Elf64_Shdr), elf->e_shoff))
		return false;
	memset(f->names, 0, sizeof(f->names));
	return read_at(fd, f->names,
		       strings->sh_size < RESTARTABLE_FILE_NAMES ? strings->sh_size
								 : RESTARTABLE_FILE_NAMES - 1,
		       strings->sh_offset);
}

/* Is [at,at+bytes) in a segment with these flags? */
static bool in_segment(const struct restartable_file *f, uint64_t bias, uint64_t at, uint64_t bytes,
		       uint32_t flags)
{
	for (unsigned i = 0; i < f->elf.e_phnum; i++) {
		const Elf64_Phdr *p = &f->segments[i];
		uint64_t offset = at - bias - p->p_vaddr;

		if (p->p_type == PT_LOAD && (p->p_flags & flags) == flags && offset < p->p_memsz &&
		    bytes <= p->p_memsz - offset)
			return true;
	}
	return false;
}

static bool add_sequences(const struct restartable_file *f, struct restartable *r, uint32_t pid,
			  uint64_t bias, const Elf64_Shdr *s)
{
	uint64_t at = bias + s->sh_addr, count = s->sh_size / sizeof(struct sequence);
	struct sequence q;
	bool all = true;

	if (!s->sh_size || !in_segment(f, bias, at, s->sh_size, PF_R))
		return true;
	for (uint64_t i = 0; i < count && i < RESTARTABLE_RANGES; i++) {
		if (!process_memory_copy(pid, at + i * sizeof(q), &q, sizeof(q)))
			return true;
		if (q.post_commit_offset < SEQUENCE_BYTES &&
		    in_segment(f, bias, q.start, q.post_commit_offset, PF_X))
			restartable_add(r, q.start, q.start + q.post_commit_offset);
		else
			all = false;
	}
	return all;
}

static bool is_wanted(const struct restartable_file *f, const Elf64_Shdr *s)
{
	static const char wanted[] = "__rseq_cs";

	return s->sh_name <= RESTARTABLE_FILE_NAMES - sizeof(wanted) && s->sh_flags & SHF_ALLOC &&
	       s->sh_type != SHT_NOBITS && !memcmp(f->names + s->sh_name, wanted, sizeof(wanted));
}

bool restartable_file_look(struct restartable_file *f, struct restartable *r, int fd, uint32_t pid,
			   uint64_t bias)
{
	bool all = true;

	if (!read_segments(f, fd) || !read_sections(f, fd))
		return true;
	for (unsigned i = 0; i < f->elf.e_shnum; i++)
		if (is_wanted(f, &f->sections[i]))
			all &= add_sequences(f, r, pid, bias, &f->sections[i]);
	return all;
}

bool restartable_file_bias(struct restartable_file *f, int fd, uint64_t begin, uint64_t offset,
			   uint64_t *bias)
{
	if (!read_segments(f, fd))
		return false;
	for (unsigned i = 0; i < f->elf.e_phnum; i++) {
		const Elf64_Phdr *p = &f->segments[i];
		uint64_t first = p->p_offset & -(uint64_t)PAGE_BYTES;

		if (p->p_type != PT_LOAD || !(p->p_flags & PF_X) || offset < first ||
		    offset - first >= p->p_offset - first + p->p_filesz)
			continue;
		*bias = begin - offset + p->p_offset - p->p_vaddr;
		return true;
	}
	return false;
}
