/* SPDX-License-Identifier: MIT */
#include "collector/inside/life/go_runtime.h"

#include <dlfcn.h>
#include <link.h>
#include <stdint.h>
#include <string.h>

#include "collector/shared/program_file.h"

/* Weak: another libc lacks it, and would not load the library, which is to stay out there. */
#pragma weak _dl_find_object

/* Where the object begins that @code is in, or NULL. */
static const Elf64_Ehdr *find_object(const void *code)
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
struct symbols {
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

static bool is_defined(const struct symbols *s, const char *name)
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
	struct symbols s = {0};

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

bool go_runtime_at(const void *code)
{
	const Elf64_Ehdr *elf = find_object(code);
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
