/* SPDX-License-Identifier: MIT */
/* Where a binary's symbols and debug information are. */
#include "converter/binary/binary_debug.h"

#include "base/compress.h"
#include "base/memory.h"
#include "converter/binary/binary_private.h"

/* MiniDebugInfo holds symbols only; more than this is no such thing. */
#define MOST_MINI_BYTES (1u << 30)

struct elf_file *binary_separate_file(struct binary *b)
{
	if (!b->separate_searched) {
		b->separate_searched = true;
		b->separate = debug_search_separate(b->search, b->file, &b->build_id, &b->notes);
	}
	return b->separate;
}

static struct elf_file *file_with_dwarf(struct binary *b)
{
	struct elf_file *f = b->file;

	if (!elf_file_has_dwarf(f))
		f = binary_separate_file(b);
	return f && elf_file_has_dwarf(f) ? f : NULL;
}

struct binary_debug_sources binary_debug_sources(struct binary *b)
{
	struct elf_file *f = file_with_dwarf(b);

	if (f && !b->alternate_searched) {
		b->alternate_searched = true;
		b->alternate = debug_search_alternate(b->search, f, &b->notes);
	}
	return (struct binary_debug_sources){
		.path = b->path,
		.file = f,
		.alternate = b->alternate,
		.search = b->search,
		.notes = &b->notes,
	};
}

uint8_t *binary_mini_debug_info(const struct binary *b, size_t *size)
{
	struct bytes packed;

	if (!elf_file_section(b->file, ".gnu_debugdata", &packed))
		return NULL;
	return compress_inflate_xz(packed.data, packed.size, MOST_MINI_BYTES, size);
}

const char *const *binary_notes(const struct binary *b, size_t *count)
{
	*count = b->notes.list.count;
	return (const char *const *)b->notes.list.items;
}
