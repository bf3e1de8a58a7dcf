/* SPDX-License-Identifier: MIT */
#include "collector/recorder/executable.h"

#include <elf.h>
#include <stdio.h>
#include <string.h>

/* Notes: name's size, description's size, type; name and description padded to 4 bytes. */
static bool is_go_note(const uint8_t *bytes, size_t size)
{
	uint32_t head[3];

	while (size >= sizeof(head) + 4) {
		size_t whole;

		memcpy(head, bytes, sizeof(head));
		if (head[0] == 4 && !memcmp(bytes + sizeof(head), "Go\0", 4))
			return true;
		whole = sizeof(head) + (((size_t)head[0] + 3) & ~(size_t)3) +
			(((size_t)head[1] + 3) & ~(size_t)3);
		if (whole > size)
			break;
		bytes += whole;
		size -= whole;
	}
	return false;
}

/* Of a 64-bit file. */
static void look_at_segments(const struct file_view *v, struct executable *out)
{
	const Elf64_Ehdr *elf = (const void *)v->data;

	for (unsigned i = 0; i < elf->e_phnum; i++) {
		uint64_t at = elf->e_phoff + (uint64_t)i * sizeof(Elf64_Phdr);
		Elf64_Phdr segment;

		if (at > v->size || v->size - at < sizeof(segment)) {
			out->has_interpreter = true;
			out->is_go = false;
			return;
		}
		memcpy(&segment, v->data + at, sizeof(segment));
		out->has_interpreter |= segment.p_type == PT_INTERP;
		if (segment.p_type == PT_NOTE && segment.p_offset <= v->size &&
		    segment.p_filesz <= v->size - segment.p_offset)
			out->is_go |= is_go_note(v->data + segment.p_offset, segment.p_filesz);
	}
}

void executable_look(const struct file_view *v, struct executable *out)
{
	*out = (struct executable){.is_elf = v->size > EI_CLASS &&
					     !memcmp(v->data, ELFMAG, SELFMAG)};
	if (!out->is_elf)
		return;
	out->is_32_bit = v->data[EI_CLASS] == ELFCLASS32;
	if (out->is_32_bit)
		return;
	if (v->size < sizeof(Elf64_Ehdr)) {
		out->has_interpreter = true;
		return;
	}
	look_at_segments(v, out);
	sanitizer_find(v, &out->sanitizer);
}

void executable_look_at_process(int pid, struct executable *out)
{
	struct softlbr_error ignored = {0};
	struct file_view v;
	char path[32];

	*out = (struct executable){0};
	snprintf(path, sizeof(path), "/proc/%d/exe", pid);
	if (file_view_open(&v, path, &ignored))
		return;
	executable_look(&v, out);
	file_view_close(&v);
}
