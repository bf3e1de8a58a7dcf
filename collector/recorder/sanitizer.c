/* SPDX-License-Identifier: MIT */
#include "collector/recorder/sanitizer.h"

#include <elf.h>
#include <stdio.h>
#include <string.h>

struct dynamic {
	const struct file_view *view;
	uint64_t begin, bytes;		 /* of the dynamic section, in the file */
	uint64_t strings, strings_bytes; /* likewise */
};

static bool get(const struct file_view *v, uint64_t at, void *out, size_t bytes)
{
	if (at > v->size || v->size - at < bytes)
		return false;
	memcpy(out, v->data + at, bytes);
	return true;
}

static bool segment(const struct file_view *v, unsigned i, Elf64_Phdr *out)
{
	Elf64_Ehdr elf;

	return get(v, 0, &elf, sizeof(elf)) && i < elf.e_phnum && elf.e_phoff <= v->size &&
	       get(v, elf.e_phoff + (uint64_t)i * sizeof(*out), out, sizeof(*out));
}

static bool entry(const struct dynamic *d, uint64_t i, Elf64_Dyn *out)
{
	return (i + 1) * sizeof(*out) <= d->bytes &&
	       get(d->view, d->begin + i * sizeof(*out), out, sizeof(*out)) &&
	       out->d_tag != DT_NULL;
}

/* Where the address @va is in the file; 0 if nowhere. */
static uint64_t file_offset(const struct file_view *v, uint64_t va)
{
	Elf64_Phdr p;

	for (unsigned i = 0; segment(v, i, &p); i++)
		if (p.p_type == PT_LOAD && va - p.p_vaddr < p.p_filesz)
			return p.p_offset + (va - p.p_vaddr);
	return 0;
}

static bool find_dynamic(const struct file_view *v, struct dynamic *d)
{
	Elf64_Phdr p;
	Elf64_Dyn e;

	*d = (struct dynamic){.view = v};
	for (unsigned i = 0; segment(v, i, &p); i++)
		if (p.p_type == PT_DYNAMIC) {
			d->begin = p.p_offset;
			d->bytes = p.p_filesz;
		}
	for (uint64_t i = 0; entry(d, i, &e); i++) {
		if (e.d_tag == DT_STRTAB)
			d->strings = file_offset(v, e.d_un.d_ptr);
		else if (e.d_tag == DT_STRSZ)
			d->strings_bytes = e.d_un.d_val;
	}
	return d->strings && d->strings <= v->size && d->strings_bytes <= v->size - d->strings;
}

static bool begins(const char *name, const char *with)
{
	return !strncmp(name, with, strlen(with));
}

void sanitizer_find(const struct file_view *elf, struct sanitizer *out)
{
	static const char tsan[] = "\0__tsan_init";
	struct dynamic d;
	const char *strings;
	bool library = false;
	Elf64_Dyn e;

	*out = (struct sanitizer){0};
	if (!find_dynamic(elf, &d))
		return;
	strings = (const char *)elf->data + d.strings;
	for (uint64_t i = 0; entry(&d, i, &e); i++) {
		char name[sizeof(out->first)] = "";

		if (e.d_tag != DT_NEEDED || e.d_un.d_val >= d.strings_bytes)
			continue;
		snprintf(name, sizeof(name), "%.*s", (int)(d.strings_bytes - e.d_un.d_val),
			 strings + e.d_un.d_val);
		if (begins(name, "libasan.so") || begins(name, "libclang_rt.asan"))
			memcpy(out->first, name, sizeof(name));
		library |= begins(name, "libtsan.so");
	}
	out->from_outside = !library && memmem(strings, d.strings_bytes, tsan, sizeof(tsan));
}
