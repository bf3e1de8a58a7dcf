/* SPDX-License-Identifier: MIT */
/* Questions to an open binary; code bytes come from our own bounds-checked view of the file. */
#include "converter/binary/binary.h"

#include <stdio.h>
#include <inttypes.h>
#include <string.h>

#include "base/compress.h"
#include "converter/binary/binary_private.h"

const struct elf_file *binary_elf_file(const struct binary *b)
{
	return b->file;
}

const char *binary_path(const struct binary *b)
{
	return b->path;
}

const struct build_id *binary_build_id(const struct binary *b)
{
	return &b->build_id;
}

uint16_t binary_machine(const struct binary *b)
{
	return b->machine;
}

bool binary_is_big_endian(const struct binary *b)
{
	return b->big_endian;
}

bool binary_is_decoded(const struct binary *b)
{
	return isa_decoder_is_known(b->machine);
}

bool binary_is_stripped(const struct binary *b)
{
	return b->stripped;
}

bool binary_is_position_independent(const struct binary *b)
{
	return b->relocatable_base;
}

const struct binary_function *binary_functions(const struct binary *b, size_t *count)
{
	*count = b->functions.count;
	return b->functions.items;
}

const struct binary_alias *binary_aliases(const struct binary *b, size_t *count)
{
	*count = b->aliases.count;
	return b->aliases.items;
}

const struct binary_alias *binary_bolt_aliases(const struct binary *b, size_t *count)
{
	*count = b->bolt_aliases.count;
	return b->bolt_aliases.items;
}

/* Steps without a branch: addresses come in no order, half of the guesses would be wrong. */
const struct binary_function *binary_function_at(const struct binary *b, uint64_t va)
{
	const struct binary_function *f = b->functions.items;

	if (!b->functions.count)
		return NULL;
	for (size_t left = b->functions.count, half; left > 1; left -= half) {
		half = left / 2;
		f += f[half].begin <= va ? half : 0;
	}
	return f->begin <= va && va < f->end ? f : NULL;
}

const struct binary_function *binary_function_run(const struct binary *b,
						  struct map_entry *const *entries, size_t count,
						  size_t *length)
{
	const struct binary_function *f = binary_function_at(b, entries[0]->a);
	size_t n = 1;

	while (n < count && (f ? entries[n]->a < f->end : !binary_function_at(b, entries[n]->a)))
		n++;
	*length = n;
	return f;
}

const char *binary_plt_at(const struct binary *b, uint64_t va, uint64_t *begin)
{
	const struct binary_plt_stub *s;
	size_t count = vector_count_while(&b->plt_stubs, s, s->begin <= va);

	if (!count || va >= b->plt_stubs.items[count - 1].end)
		return NULL;
	s = &b->plt_stubs.items[count - 1];
	if (begin)
		*begin = s->begin;
	return s->name;
}

const struct binary_section *binary_section_named(const struct binary *b, const char *name)
{
	const struct binary_section *s;

	vector_each (&b->sections, s)
		if (!strcmp(s->name, name))
			return s;
	return NULL;
}

const struct binary_section *binary_section_at(const struct binary *b, uint64_t va)
{
	const struct binary_section *s;

	vector_each (&b->sections, s)
		if (va >= s->begin && va < s->end)
			return s;
	return NULL;
}

bool binary_is_bolted(const struct binary *b)
{
	struct bytes note;

	return elf_file_section(b->file, ".note.bolt_info", &note) ||
	       elf_file_section(b->file, ".bolt.org.text", &note) || binary_has_bolt_table(b);
}

bool binary_has_bolt_table(const struct binary *b)
{
	struct bytes note;

	return elf_file_section(b->file, ".note.bolt_bat", &note);
}

bool binary_has_relocations(const struct binary *b)
{
	struct bytes text;

	return elf_file_section(b->file, ".rela.text", &text) ||
	       elf_file_section(b->file, ".rel.text", &text);
}

bool binary_is_object(const struct binary *b)
{
	return b->object;
}

bool binary_kernel_symbol(const struct binary *b, const char *name, uint64_t *va)
{
	*va = !strcmp(name, "_text")	? b->kernel_text
	      : !strcmp(name, "_stext") ? b->kernel_stext
					: 0;
	return *va;
}

uint64_t binary_offset_to_va(const struct binary *b, uint64_t offset)
{
	const struct binary_segment *s;

	vector_each (&b->segments, s)
		if (s->code && offset >= s->offset && offset - s->offset < s->file_bytes)
			return s->va + (offset - s->offset);
	return BRANCH_OUTSIDE;
}

uint64_t binary_va_to_offset(const struct binary *b, uint64_t va)
{
	const struct binary_segment *s;

	vector_each (&b->segments, s)
		if (s->code && va >= s->va && va - s->va < s->file_bytes)
			return s->offset + (va - s->va);
	return BRANCH_OUTSIDE;
}

bool binary_is_code(const struct binary *b, uint64_t va)
{
	const struct binary_segment *s;

	vector_each (&b->segments, s)
		if (s->code && va >= s->va && va - s->va < s->memory_bytes)
			return true;
	return false;
}

static const uint8_t *bytes_at(const struct binary *b, uint64_t va, bool code, size_t *size)
{
	const struct binary_segment *s;

	vector_each (&b->segments, s) {
		if ((code && !s->code) || va < s->va || va - s->va >= s->file_bytes)
			continue;
		*size = s->file_bytes - (va - s->va);
		return b->view.data + s->offset + (va - s->va);
	}
	return NULL;
}

const uint8_t *binary_code(const struct binary *b, uint64_t va, size_t *size)
{
	return bytes_at(b, va, true, size);
}

const uint8_t *binary_bytes(const struct binary *b, uint64_t va, size_t size)
{
	size_t available;
	const uint8_t *bytes = bytes_at(b, va, false, &available);

	return bytes && available >= size ? bytes : NULL;
}

bool binary_decode(struct binary *b, uint64_t va, struct isa_insn *out)
{
	size_t size;
	const uint8_t *bytes = binary_code(b, va, &size);

	return bytes && isa_decoder_decode(b->machine, bytes, size, va, out);
}

bool binary_instruction_text(struct binary *b, uint64_t va, char *room, size_t room_bytes)
{
	size_t size;
	const uint8_t *bytes = binary_code(b, va, &size);

	if (!b->text)
		b->text = isa_text_new(b->machine);
	return bytes && b->text && isa_text_write(b->text, bytes, size, va, room, room_bytes);
}

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

bool binary_place_text(const struct binary *b, const char *module, uint64_t va, char *room,
		       size_t size)
{
	const struct binary_function *f = b ? binary_function_at(b, va) : NULL;
	const char *stub;
	uint64_t begin;

	if (va == BRANCH_OUTSIDE) {
		snprintf(room, size, "(outside)");
		return false;
	}
	if (f) {
		snprintf(room, size, "%s+0x%" PRIx64, f->name, va - f->begin);
		return true;
	}
	stub = b ? binary_plt_at(b, va, &begin) : NULL;
	if (stub) {
		snprintf(room, size, "%s", stub);
		return true;
	}
	snprintf(room, size, "%s%s0x%" PRIx64, module ? file_base_name(module) : "",
		 module ? "+" : "", va);
	return false;
}
