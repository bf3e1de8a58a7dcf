/* SPDX-License-Identifier: MIT */
/*
 * The debug sections of an ELF file, decompressed, and libdw's handle of them. What libdw 0.188
 * can't read is made into an ELF file in memory that it can: sections compressed with zstd; several
 * .debug_info, of which it takes the first; damaged tables of sections, where it would give up.
 *
 * Compressed sections (SHF_COMPRESSED with zlib or zstd, and the older .zdebug_*) are decompressed
 * here, all of them: within bounds of what a compressor can do, and into memory that may run out.
 * A section that can't be decompressed is as if it were not there.
 */
#include "converter/debuginfo/debuginfo_private.h"

#include <dwarf.h>
#include <string.h>

#include "base/compress.h"
#include "base/memory.h"
#include "converter/dwarf/dwarf.h"

/* Not in every elf.h. */
#define COMPRESSED_ZSTD 2

/* No format packs better than this; more is a bomb. */
#define MOST_RATIO 1100

/* A section as it is in the file. */
struct section {
	struct bytes bytes; /* behind the header, if packed */
	size_t size;	    /* of what is in it; 0: not there, or not to be had */
	int packing;	    /* ELFCOMPRESS_*; 0: as it is */
};

struct loader {
	const struct elf_file *file;
	bool split;
	bool odd;	 /* not as libdw wants it */
	size_t sections; /* seen */
	struct section of[DWARF_SECTIONS];
	/* GCC's type units of DWARF 5 are each a .debug_info of their own in objects and .dwo
	 * files, in any order with the one that has the code. */
	VECTOR(struct section) infos;
};

/* Reads the header, which is cut off. */
static void read_packing(const struct loader *l, bool old, struct section *s)
{
	uint64_t size = 0;
	struct cursor c;

	cursor_init(&c, s->bytes.data, s->bytes.size, old || elf_file_is_big_endian(l->file));
	if (old) {
		const char *magic = cursor_bytes(&c, 4);

		s->packing = magic && !memcmp(magic, "ZLIB", 4) ? ELFCOMPRESS_ZLIB : 0;
		size = cursor_u64(&c);
	} else if (gelf_getclass(elf_file_elf(l->file)) == ELFCLASS64) {
		s->packing = (int)cursor_u32(&c);
		cursor_skip(&c, 4);
		size = cursor_u64(&c);
		cursor_skip(&c, 8);
	} else {
		s->packing = (int)cursor_u32(&c);
		size = cursor_u32(&c);
		cursor_skip(&c, 4);
	}
	s->bytes.data += c.at;
	s->bytes.size -= c.at;
	s->size = (size_t)size;
	if (c.failed || (s->packing != ELFCOMPRESS_ZLIB && s->packing != COMPRESSED_ZSTD) ||
	    size / MOST_RATIO > s->bytes.size + 64)
		s->size = 0;
}

/* Write what is in it to @out. */
static bool expand(const struct section *s, uint8_t *out)
{
	switch (s->packing) {
	case ELFCOMPRESS_ZLIB:
		return compress_inflate_zlib(s->bytes.data, s->bytes.size, out, s->size);
	case COMPRESSED_ZSTD:
		return compress_inflate_zstd(s->bytes.data, s->bytes.size, out, s->size);
	}
	memcpy(out, s->bytes.data, s->size);
	return true;
}

/* The number of the section among ours; -1 if it is none. */
static int number_of(const char *name, bool split, bool *old)
{
	static const char plain[] = ".debug_", packed[] = ".zdebug_", dwo[] = ".dwo";
	const char *rest;
	size_t length;

	*old = !strncmp(name, packed, sizeof(packed) - 1);
	if (!*old && strncmp(name, plain, sizeof(plain) - 1))
		return -1;
	rest = name + (*old ? sizeof(packed) : sizeof(plain)) - 1;
	length = strlen(rest);
	if (split && length > sizeof(dwo) - 1 && !strcmp(rest + length - (sizeof(dwo) - 1), dwo))
		length -= sizeof(dwo) - 1;
	else if (split && strcmp(rest, "cu_index"))
		return -1;
	for (int i = 0; i < DWARF_SECTIONS; i++) {
		const char *its = dwarf_section_name((enum dwarf_section)i);

		if (strlen(its) == length && !memcmp(its, rest, length))
			return i;
	}
	return -1;
}

/* Would libdw take that section otherwise than we do? */
static bool is_odd(const char *name, const GElf_Shdr *h)
{
	size_t length = strlen(name);

	/* what dwz took out is looked for by libdw, if it knows where: we did */
	return !length || h->sh_flags & (SHF_COMPRESSED | SHF_GROUP) ||
	       !strncmp(name, ".zdebug", 7) || !strncmp(name, ".gnu.debuglto", 13) ||
	       !strcmp(name, ".gnu_debugaltlink") ||
	       (length > 4 && !strcmp(name + length - 4, ".dwo"));
}

static int take_section(void *context, const char *name, const GElf_Shdr *h, struct bytes bytes)
{
	struct loader *l = context;
	struct section s = {bytes, bytes.size, 0};
	bool old;
	int number = number_of(name, l->split, &old);

	l->sections++;
	l->odd |= is_odd(name, h);
	if (number < 0 || !bytes.size)
		return 0;
	if (old || h->sh_flags & SHF_COMPRESSED)
		read_packing(l, old, &s);
	if (number == DWARF_INFO) {
		if (vector_add(&l->infos, s))
			return -1;
	}
	if (l->of[number].bytes.size)
		l->odd = true;
	else
		l->of[number] = s;
	return 0;
}

/* Does this .debug_info begin with a type unit? -1 without memory. */
static int begins_with_types(const struct loader *l, const struct section *s)
{
	uint8_t *expanded = s->size ? memory_resize_array(NULL, s->size, 1) : NULL;
	uint8_t offset_size, type = 0;
	struct cursor c;

	if (!s->size)
		return false;
	if (!expanded)
		return -1;
	cursor_init(&c, expanded, expand(s, expanded) ? s->size : 0,
		    elf_file_is_big_endian(l->file));
	dwarf_form_length(&c, &offset_size);
	if (cursor_u16(&c) == 5)
		type = cursor_u8(&c);
	memory_free(expanded);
	return !c.failed && (type == DW_UT_type || type == DW_UT_split_type);
}

/* Find the first .debug_info that is not of types alone. -1 without memory. */
static int choose_info(struct loader *l)
{
	for (size_t i = 0; l->infos.count > 1 && i < l->infos.count; i++) {
		int types = begins_with_types(l, &l->infos.items[i]);

		l->of[DWARF_INFO] = l->infos.items[i];
		if (types <= 0)
			return types;
	}
	return 0;
}

/* -1 without memory. */
static int find_sections(struct loader *l)
{
	size_t count = 0;
	int rc = elf_file_each_section(l->file, take_section, l) ?: choose_info(l);

	vector_deinit(&l->infos);
	elf_getshdrnum(elf_file_elf(l->file), &count);
	l->odd |= l->sections + 1 != count;
	return rc;
}

/* As it is: the file's bytes are not copied. */
static int load_plain(const struct loader *l, struct dwarf_file *out)
{
	const struct file_view *view = elf_file_view(l->file);
	Elf *elf = elf_memory((char *)view->data, view->size);

	for (int i = 0; i < DWARF_SECTIONS; i++)
		out->sections.of[i] = l->of[i].bytes;
	return elf ? dwarf_open(out, elf, NULL) : -1;
}

static int load_image(const struct loader *l, struct dwarf_file *out)
{
	size_t sizes[DWARF_SECTIONS];
	struct dwarf_image image;
	Elf *elf;

	for (int i = 0; i < DWARF_SECTIONS; i++)
		sizes[i] = l->of[i].size;
	if (dwarf_image_init(&image, sizes, out->sections.big_endian))
		return -1;
	for (int i = 0; i < DWARF_SECTIONS; i++)
		if (sizes[i] && expand(&l->of[i], image.at[i]))
			out->sections.of[i] = (struct bytes){image.at[i], sizes[i]};
		else
			dwarf_image_drop(&image, (enum dwarf_section)i);
	elf = elf_memory((char *)image.bytes, image.size);
	if (!elf) {
		memory_free(image.bytes);
		return -1;
	}
	return dwarf_open(out, elf, image.bytes);
}

int dwarf_load(const struct elf_file *f, struct dwarf_file *out)
{
	struct loader l = {.file = f};

	out->sections.big_endian = elf_file_is_big_endian(f);
	if (find_sections(&l))
		return -1;
	return l.odd ? load_image(&l, out) : load_plain(&l, out);
}

static int load_split_section(const struct section *from, struct bytes *to, uint8_t **expanded)
{
	if (!from->packing) {
		*to = from->bytes;
		return 0;
	}
	if (!from->size)
		return 0;
	*expanded = memory_resize_array(NULL, from->size, 1);
	if (!*expanded)
		return -1;
	if (expand(from, *expanded))
		*to = (struct bytes){*expanded, from->size};
	return 0;
}

int dwarf_load_split(const struct elf_file *f, struct dwarf_load_split *out)
{
	struct loader l = {.file = f, .split = true};

	*out = (struct dwarf_load_split){.sections.big_endian = elf_file_is_big_endian(f)};
	if (find_sections(&l))
		return -1;
	for (int i = 0; i < DWARF_SECTIONS; i++)
		if (load_split_section(&l.of[i], &out->sections.of[i], &out->expanded[i]))
			return -1;
	return 0;
}

void dwarf_load_split_deinit(struct dwarf_load_split *s)
{
	for (int i = 0; i < DWARF_SECTIONS; i++)
		memory_free(s->expanded[i]);
}
