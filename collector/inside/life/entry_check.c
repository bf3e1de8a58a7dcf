/* SPDX-License-Identifier: MIT */
/*
 * Asked when the collector has been loaded into a program: may it begin? The second line behind
 * exec_guard.c, for programs that were started around libc, by libc itself, or by who is not
 * recorded.
 */
#include "collector/inside/life/exclusion_checks.h"

#include <dlfcn.h>
#include <errno.h>
#include <fcntl.h>
#include <link.h>
#include <stdbool.h>
#include <stdint.h>
#include <string.h>
#include <sys/mman.h>

#include "collector/kernel/syscall.h"
#include "collector/shared/program_file.h"
#include "collector/shared/session.h"
#include "isa/host.h"

/* clang's runtime, which is part of the program (gcc's is a library, and no trouble). */
extern char tsan_runtime __asm__("__tsan_init") __attribute__((weak));

/* ---- the session's files ------------------------------------------------------------------- */

static long open_file(const char *directory, const char *name, int flags)
{
	char path[256];

	if (strlen(directory) + strlen(name) >= sizeof(path))
		return -ENAMETOOLONG;
	strcpy(path, directory);
	strcpy(path + strlen(path), name);
	return syscall_open(path, flags | O_NOFOLLOW | O_NONBLOCK);
}

/* A container's filter is the recorder's as well. */
static bool is_filtered(const char *directory, uint32_t filters)
{
	struct session_options o = {.filters = 0};
	long fd;

	if (!filters)
		return false;
	fd = open_file(directory, "/control", O_RDONLY);
	if (fd < 0)
		return false; /* nothing will be joined */
	syscall_read_at(fd, &o.filters, sizeof(o.filters),
			offsetof(struct session_control, options.filters));
	syscall_close(fd);
	return filters > o.filters;
}

void entry_check_note(const char *directory, enum exclusion reason)
{
	long fd = open_file(directory, "/" SESSION_EXCLUDED, O_RDWR);
	struct exclusions *shared;
	char program[256];

	if (fd < 0)
		return;
	syscall_read_link("/proc/self/exe", program, sizeof(program));
	shared = syscall_map(sizeof(*shared), PROT_READ | PROT_WRITE, MAP_SHARED, fd, 0);
	syscall_close(fd);
	if (!shared)
		return;
	exclusion_note(shared, reason, program);
	syscall_unmap(shared, sizeof(*shared));
}

/* ---- where we are -------------------------------------------------------------------------- */

#define VALGRIND_RUNNING 0x1001u

static bool is_emulated(void)
{
	const uint64_t request[6] = {VALGRIND_RUNNING};

	return isa_host_ask_valgrind(request) != 0;
}

struct objects {
	unsigned count;
	bool go, tsan;
	bool tls;		  /* the program has variables of threads */
	const char *tsan_runtime; /* NULL: there is none */
};

/* Is all of it in memory, to be read? */
static bool is_loaded(const struct dl_phdr_info *o, uint64_t va, uint64_t bytes)
{
	for (unsigned i = 0; i < o->dlpi_phnum; i++) {
		const ElfW(Phdr) *p = &o->dlpi_phdr[i];

		if (p->p_type == PT_LOAD && p->p_flags & PF_R && va >= p->p_vaddr &&
		    va - p->p_vaddr < p->p_filesz && p->p_filesz - (va - p->p_vaddr) >= bytes)
			return true;
	}
	return false;
}

/* The program is the first. */
static int entry_check_object(struct dl_phdr_info *o, size_t size, void *found)
{
	struct objects *f = found;

	(void)size;
	for (unsigned i = 0; i < o->dlpi_phnum; i++) {
		const ElfW(Phdr) *p = &o->dlpi_phdr[i];

		f->tls |= !f->count && p->p_type == PT_TLS;
		if (p->p_type == PT_NOTE && is_loaded(o, p->p_vaddr, p->p_filesz))
			f->go |= program_file_has_go_note((void *)(o->dlpi_addr + p->p_vaddr),
							  p->p_filesz);
	}
	if (!f->count++ && f->tsan_runtime)
		f->tsan = is_loaded(o, (uintptr_t)f->tsan_runtime - o->dlpi_addr, 1);
	return 0;
}

static size_t read_own_file(void *descriptor, uint64_t at, void *out, size_t bytes)
{
	return syscall_read_at(*(long *)descriptor, out, bytes, at);
}

/* Go code that is part of a C program has no note, but a variable of its runtime's for each thread
 * (runtime.tlsg): most programs have none, and are not read. */
static bool is_go_archive(void)
{
	long fd = syscall_open("/proc/self/exe", O_RDONLY);
	struct program_file_source from = {read_own_file, &fd};
	struct program_file f;

	if (fd < 0)
		return false;
	program_file_look(&from, &f);
	syscall_close(fd);
	return f.is_go;
}

enum exclusion entry_check(const char *directory, const struct task_status *status)
{
	struct objects objects = {.tsan_runtime = &tsan_runtime};

	if (is_filtered(directory, status->filters))
		return EXCLUSION_SECCOMP;
	if (is_emulated())
		return EXCLUSION_EMULATED;
	if (status->tracer)
		return EXCLUSION_TRACED;
	dl_iterate_phdr(entry_check_object, &objects);
	return objects.go || (objects.tls && is_go_archive()) ? EXCLUSION_GO
	       : objects.tsan				      ? EXCLUSION_SANITIZER
							      : EXCLUSION_NONE;
}

/* ---- Go code in a C program ------------------------------------------------------------------ */

/* Weak: another libc lacks it, and would not load the library, which is to stay out there. */
#pragma weak _dl_find_object

/* Where the object begins that @code is in, or NULL. */
static const Elf64_Ehdr *find_go_object(const void *code)
{
	Dl_info slow;

#if __GLIBC_PREREQ(2, 35)
	struct dl_find_object found;

	if (_dl_find_object)
		return _dl_find_object((void *)(uintptr_t)code, &found) ? NULL
									: found.dlfo_map_start;
#endif
	return dladdr(code, &slow) ? slow.dli_fbase : NULL;
}

/* As in DT_GNU_HASH: a hash per symbol, the last of a chain with its lowest bit set. */
struct go_symbols {
	const uint32_t *hash;
	const Elf64_Sym *symbols;
	const char *names;
};

static uint32_t gnu_hash(const char *name)
{
	uint32_t hash = 5381;

	while (*name)
		hash = hash * 33 + (uint8_t)*name++;
	return hash;
}

static bool is_defined(const struct go_symbols *s, const char *name)
{
	uint32_t hash = gnu_hash(name), count, first, words, i;
	const uint32_t *buckets, *chains;

	if (!s->hash || !s->symbols || !s->names || !s->hash[0])
		return false;
	count = s->hash[0];
	first = s->hash[1];
	words = s->hash[2] * (uint32_t)(sizeof(uint64_t) / sizeof(uint32_t));
	buckets = s->hash + 4 + words;
	chains = buckets + count;
	for (i = buckets[hash % count]; i >= first; i++) {
		if ((chains[i - first] | 1) == (hash | 1) &&
		    !strcmp(s->names + s->symbols[i].st_name, name))
			return true;
		if (chains[i - first] & 1)
			break;
	}
	return false;
}

/* Also where the note was left out (-ldflags=-buildid=): what C code calls Go through is there. */
static bool calls_go(const Elf64_Dyn *d, uint64_t base)
{
	struct go_symbols s = {0};

	for (; d->d_tag != DT_NULL; d++) {
		/* the dynamic linker has relocated it, unless the section is read-only */
		uint64_t address = d->d_un.d_ptr < base ? base + d->d_un.d_ptr : d->d_un.d_ptr;

		switch (d->d_tag) {
		case DT_GNU_HASH:
			s.hash = (const void *)address;
			break;
		case DT_SYMTAB:
			s.symbols = (const void *)address;
			break;
		case DT_STRTAB:
			s.names = (const void *)address;
			break;
		}
	}
	return is_defined(&s, "crosscall2");
}

bool entry_check_is_go(const void *code)
{
	const Elf64_Ehdr *elf = find_go_object(code);
	const Elf64_Phdr *segment;
	uint64_t base;

	if (!elf || memcmp(elf->e_ident, ELFMAG, SELFMAG))
		return false;
	base = elf->e_type == ET_EXEC ? 0 : (uint64_t)elf;
	segment = (const void *)((const uint8_t *)elf + elf->e_phoff);
	for (unsigned i = 0; i < elf->e_phnum; i++, segment++) {
		const void *bytes = (const void *)(base + segment->p_vaddr);

		if ((segment->p_type == PT_NOTE &&
		     program_file_has_go_note(bytes, segment->p_memsz)) ||
		    (segment->p_type == PT_DYNAMIC && calls_go(bytes, base)))
			return true;
	}
	return false;
}
