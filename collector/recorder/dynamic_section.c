/* SPDX-License-Identifier: MIT */
#include "collector/recorder/dynamic_section.h"

#include <stdio.h>
#include <string.h>

static bool get(const struct file_view *v, uint64_t at, void *out, size_t bytes)
{
	if (at > v->size || v->size - at < bytes)
		return false;
	memcpy(out, v->data + at, bytes);
	return true;
}

bool dynamic_section_segment(const struct file_view *v, unsigned i, Elf64_Phdr *out)
{
	Elf64_Ehdr elf;

	return get(v, 0, &elf, sizeof(elf)) && i < elf.e_phnum && elf.e_phoff <= v->size &&
	       get(v, elf.e_phoff + (uint64_t)i * sizeof(*out), out, sizeof(*out));
}

bool dynamic_section_entry(const struct dynamic_section *d, uint64_t i, Elf64_Dyn *out)
{
	return (i + 1) * sizeof(*out) <= d->bytes &&
	       get(d->view, d->begin + i * sizeof(*out), out, sizeof(*out)) &&
	       out->d_tag != DT_NULL;
}

/* Where the address @va is in the file; 0 if nowhere. */
static uint64_t file_offset(const struct file_view *v, uint64_t va)
{
	Elf64_Phdr p;

	for (unsigned i = 0; dynamic_section_segment(v, i, &p); i++)
		if (p.p_type == PT_LOAD && va - p.p_vaddr < p.p_filesz)
			return p.p_offset + (va - p.p_vaddr);
	return 0;
}

bool dynamic_section_find(const struct file_view *v, struct dynamic_section *d)
{
	Elf64_Phdr p;
	Elf64_Dyn e;

	*d = (struct dynamic_section){.view = v};
	for (unsigned i = 0; dynamic_section_segment(v, i, &p); i++)
		if (p.p_type == PT_DYNAMIC) {
			d->begin = p.p_offset;
			d->bytes = p.p_filesz;
		}
	for (uint64_t i = 0; dynamic_section_entry(d, i, &e); i++) {
		if (e.d_tag == DT_STRTAB)
			d->strings = file_offset(v, e.d_un.d_ptr);
		else if (e.d_tag == DT_STRSZ)
			d->strings_bytes = e.d_un.d_val;
	}
	return d->strings && d->strings <= v->size && d->strings_bytes <= v->size - d->strings;
}

void dynamic_section_string(const struct dynamic_section *d, uint64_t offset, char *out,
			    size_t bytes)
{
	out[0] = 0;
	if (offset < d->strings_bytes)
		snprintf(out, bytes, "%.*s", (int)(d->strings_bytes - offset),
			 (const char *)d->view->data + d->strings + offset);
}

bool dynamic_section_has_symbol(const struct dynamic_section *d, const char *name)
{
	char whole[64] = ""; /* a string begins behind the end of another one */

	snprintf(whole + 1, sizeof(whole) - 1, "%s", name);
	return memmem(d->view->data + d->strings, d->strings_bytes, whole, strlen(name) + 2);
}
