/* SPDX-License-Identifier: MIT */
/*
 * libelf finds the sections; their bytes come from our own view of the file. Compressed ones
 * (SHF_COMPRESSED with zlib or zstd, and the older .zdebug_*) are decompressed here, since
 * libelf 0.188 doesn't know zstd. A section that can't be decompressed is as if it were not there.
 */
#include "converter/elf/elf_file.h"

#include <dwarf.h>
#include <gelf.h>
#include <stdio.h>
#include <string.h>

#include "base/compress.h"
#include "base/compress_whole.h"
#include "base/error.h"
#include "base/file.h"
#include "base/memory.h"
#include "converter/elf/relocate.h"

/* Not in every elf.h. */
#define COMPRESSED_ZSTD 2

/* No format packs better than this; more is a bomb. */
#define MOST_RATIO 1100

struct packing {
	bool packed;
	bool old; /* .zdebug_* */
};

struct info_section {
	struct dwarf_bytes bytes;
	struct packing packing;
};

struct elf_file {
	char *path;
	struct file_view raw;
	struct file_view view; /* the same, or of `linked` */
	uint8_t *linked;       /* a copy of a relocatable object with addresses in it */
	Elf *elf;
	uint16_t machine;
	struct build_id build_id;
	bool symbols;
	struct dwarf_file dwarf;
	struct packing packings[DWARF_SECTIONS]; /* decompressed when first asked for */
	uint8_t *inflated[DWARF_SECTIONS];
	/* GCC's type units of DWARF 5 are each a .debug_info of their own in objects and .dwo
	 * files, in any order with the one that has the code. */
	VECTOR(struct info_section) infos;
	bool loaded;
};

static const char *const section_names[DWARF_SECTIONS] = {
	[DWARF_INFO] = "info",	       [DWARF_ABBREV] = "abbrev",
	[DWARF_LINE] = "line",	       [DWARF_LINE_STR] = "line_str",
	[DWARF_STR] = "str",	       [DWARF_STR_OFFSETS] = "str_offsets",
	[DWARF_ADDR] = "addr",	       [DWARF_RANGES] = "ranges",
	[DWARF_RNGLISTS] = "rnglists", [DWARF_CU_INDEX] = "cu_index",
};

static bool raw_bytes(const struct elf_file *f, const GElf_Shdr *h, struct dwarf_bytes *out)
{
	if (h->sh_type == SHT_NOBITS || h->sh_offset > f->view.size ||
	    h->sh_size > f->view.size - h->sh_offset)
		return false;
	*out = (struct dwarf_bytes){f->view.data + h->sh_offset, (size_t)h->sh_size};
	return true;
}

/* Which of our sections is that? -1 if none. */
static int number_of(const char *name, bool split, bool *packed)
{
	static const char plain[] = ".debug_", old[] = ".zdebug_", dwo[] = ".dwo";
	const char *rest;
	size_t length;

	*packed = !strncmp(name, old, sizeof(old) - 1);
	if (!*packed && strncmp(name, plain, sizeof(plain) - 1))
		return -1;
	rest = name + (*packed ? sizeof(old) : sizeof(plain)) - 1;
	length = strlen(rest);
	if (split && length > sizeof(dwo) - 1 && !strcmp(rest + length - (sizeof(dwo) - 1), dwo))
		length -= sizeof(dwo) - 1;
	else if (split && strcmp(rest, "cu_index"))
		return -1;
	for (int i = 0; i < DWARF_SECTIONS; i++)
		if (strlen(section_names[i]) == length && !memcmp(section_names[i], rest, length))
			return i;
	return -1;
}

/* *size bytes are to come out of what follows the header, which is cut off @bytes. */
static int read_packing(const struct elf_file *f, bool old, struct dwarf_bytes *bytes,
			uint64_t *size)
{
	struct cursor c;
	int type = ELFCOMPRESS_ZLIB;

	cursor_init(&c, bytes->data, bytes->size, old || f->dwarf.big_endian);
	if (old) {
		const char *magic = cursor_bytes(&c, 4);

		if (!magic || memcmp(magic, "ZLIB", 4))
			return 0;
		*size = cursor_u64(&c);
	} else if (gelf_getclass(f->elf) == ELFCLASS64) {
		type = (int)cursor_u32(&c);
		cursor_skip(&c, 4);
		*size = cursor_u64(&c);
		cursor_skip(&c, 8);
	} else {
		type = (int)cursor_u32(&c);
		*size = cursor_u32(&c);
		cursor_skip(&c, 4);
	}
	if (c.failed)
		return 0;
	*bytes = (struct dwarf_bytes){bytes->data + c.at, bytes->size - c.at};
	return type;
}

/* -1 without memory. */
static int inflate(struct elf_file *f, int number)
{
	struct dwarf_bytes bytes = f->dwarf.sections[number];
	uint64_t size = 0;
	int type = read_packing(f, f->packings[number].old, &bytes, &size);
	uint8_t *out;
	bool good;

	f->dwarf.sections[number] = (struct dwarf_bytes){0};
	if ((type != ELFCOMPRESS_ZLIB && type != COMPRESSED_ZSTD) || !size ||
	    size / MOST_RATIO > bytes.size + 64)
		return 0;
	out = memory_resize_array(NULL, (size_t)size, 1);
	if (!out)
		return -1;
	good = type == COMPRESSED_ZSTD
		       ? compress_inflate_zstd(bytes.data, bytes.size, out, (size_t)size)
		       : compress_inflate_zlib(bytes.data, bytes.size, out, (size_t)size);
	if (!good) {
		memory_free(out);
		return 0;
	}
	f->inflated[number] = out;
	f->dwarf.sections[number] = (struct dwarf_bytes){out, (size_t)size};
	return 0;
}

/* -1 without memory. */
static int read_section(struct elf_file *f, const GElf_Shdr *h, const char *name, bool split)
{
	struct dwarf_bytes bytes;
	struct packing packing;
	bool old;
	int number = number_of(name, split, &old);

	if (number < 0 || !raw_bytes(f, h, &bytes))
		return 0;
	packing = (struct packing){old || h->sh_flags & SHF_COMPRESSED, old};
	if (number == DWARF_INFO && bytes.size) {
		struct info_section *slot = vector_push(&f->infos);

		if (!slot)
			return -1;
		*slot = (struct info_section){bytes, packing};
	}
	if (f->dwarf.sections[number].size)
		return 0;
	f->packings[number] = packing;
	f->dwarf.sections[number] = bytes;
	return 0;
}

/* The first NT_GNU_BUILD_ID in a run of notes. */
static void read_note(struct elf_file *f, const GElf_Shdr *h)
{
	struct dwarf_bytes bytes;
	struct cursor c;

	if (!raw_bytes(f, h, &bytes))
		return;
	cursor_init(&c, bytes.data, bytes.size, f->dwarf.big_endian);
	while (cursor_left(&c) && !f->build_id.size) {
		uint32_t name_size = cursor_u32(&c), size = cursor_u32(&c), type = cursor_u32(&c);
		const char *name = cursor_bytes(&c, ((size_t)name_size + 3) & ~(size_t)3);
		const void *id = cursor_bytes(&c, ((size_t)size + 3) & ~(size_t)3);

		if (!name || !id || type != NT_GNU_BUILD_ID || name_size != 4 ||
		    memcmp(name, "GNU", 4) || !size || size > sizeof(f->build_id.bytes))
			continue;
		f->build_id.size = (uint8_t)size;
		memcpy(f->build_id.bytes, id, size);
	}
}

/* -1 without memory. */
static int read_sections(struct elf_file *f, bool split)
{
	Elf_Scn *scn = NULL;
	GElf_Shdr h;
	size_t names;

	if (elf_getshdrstrndx(f->elf, &names))
		return 0; /* none */
	while ((scn = elf_nextscn(f->elf, scn))) {
		const char *name;

		if (!gelf_getshdr(scn, &h))
			continue;
		name = elf_strptr(f->elf, names, h.sh_name);
		if (h.sh_type == SHT_NOTE)
			read_note(f, &h);
		f->symbols |= h.sh_type == SHT_SYMTAB;
		if (name && read_section(f, &h, name, split))
			return -1;
	}
	return 0;
}

static int open_file(struct elf_file *f, const char *path, bool split, struct softlbr_error *e)
{
	struct build_id id;
	GElf_Ehdr header;
	int rc;

	f->path = memory_copy_string(path);
	if (!f->path)
		return error_set_nomem(e);
	rc = compress_view_open(&f->raw, path, e); /* kernels and their modules often are */
	if (rc)
		return rc;
	f->view = f->raw;
	if (!split && relocate_is_needed(f->raw.data, f->raw.size)) {
		f->linked = relocate_object(f->raw.data, f->raw.size);
		if (!f->linked)
			return error_set_nomem(e);
		f->view.data = f->linked;
	}
	elf_version(EV_CURRENT);
	f->elf = elf_memory((char *)f->view.data, f->view.size);
	if (!f->elf || elf_kind(f->elf) != ELF_K_ELF || !gelf_getehdr(f->elf, &header))
		return error_set(e, SOFTLBR_E_INPUT, path,
				 "%s: not an ELF file; give the program or shared object itself",
				 path);
	f->machine = header.e_machine;
	f->dwarf.big_endian = header.e_ident[EI_DATA] == ELFDATA2MSB;
	if (read_sections(f, split))
		return error_set_nomem(e);
	/* a supplement of dwz -5 has no other id */
	if (!f->build_id.size && !elf_file_supplement(f, &id))
		f->build_id = id;
	return 0;
}

static struct elf_file *open_any(const char *path, bool split, struct softlbr_error *e)
{
	struct elf_file *f = memory_alloc(sizeof(*f));
	struct softlbr_error local = {0};

	if (!f) {
		error_set_nomem(e);
		return NULL;
	}
	if (open_file(f, path, split, e ? e : &local)) {
		elf_file_close(f);
		return NULL;
	}
	return f;
}

struct elf_file *elf_file_open(const char *path, struct softlbr_error *e)
{
	return open_any(path, false, e);
}

struct elf_file *elf_file_open_split(const char *path, struct softlbr_error *e)
{
	return open_any(path, true, e);
}

void elf_file_close(struct elf_file *f)
{
	if (!f)
		return;
	dwarf_file_deinit(&f->dwarf);
	for (int i = 0; i < DWARF_SECTIONS; i++)
		memory_free(f->inflated[i]);
	vector_deinit(&f->infos);
	if (f->elf)
		elf_end(f->elf);
	memory_free(f->linked);
	file_view_close(&f->raw);
	memory_free(f->path);
	memory_free(f);
}

const char *elf_file_path(const struct elf_file *f)
{
	return f->path;
}

Elf *elf_file_elf(const struct elf_file *f)
{
	return f->elf;
}

bool elf_file_is_big_endian(const struct elf_file *f)
{
	return f->dwarf.big_endian;
}

uint16_t elf_file_machine(const struct elf_file *f)
{
	return f->machine;
}

const struct build_id *elf_file_build_id(const struct elf_file *f)
{
	return &f->build_id;
}

bool elf_file_has_dwarf(const struct elf_file *f)
{
	return f->dwarf.sections[DWARF_INFO].size && f->dwarf.sections[DWARF_ABBREV].size;
}

bool elf_file_has_symbols(const struct elf_file *f)
{
	return f->symbols;
}

/* Does .debug_info begin with a type unit? */
static bool begins_with_types(const struct dwarf_file *d)
{
	struct cursor c = dwarf_cursor(d, DWARF_INFO, 0);
	uint8_t offset_size, type;

	dwarf_read_length(&c, &offset_size);
	if (cursor_u16(&c) != 5)
		return false;
	type = cursor_u8(&c);
	return !c.failed && (type == DW_UT_type || type == DW_UT_split_type);
}

/* Of several .debug_info the first that is not of types alone. -1 without memory. */
static int choose_info(struct elf_file *f)
{
	for (size_t i = 0; i < f->infos.count; i++) {
		const struct info_section *s = &f->infos.items[i];

		memory_free(f->inflated[DWARF_INFO]);
		f->inflated[DWARF_INFO] = NULL;
		f->dwarf.sections[DWARF_INFO] = s->bytes;
		f->packings[DWARF_INFO] = s->packing;
		if (s->packing.packed && inflate(f, DWARF_INFO))
			return -1;
		if (!begins_with_types(&f->dwarf))
			return 0;
	}
	return 0;
}

struct dwarf_file *elf_file_dwarf(struct elf_file *f)
{
	if (f->loaded)
		return &f->dwarf;
	if (choose_info(f))
		return NULL;
	for (int i = 0; i < DWARF_SECTIONS; i++)
		if (i != DWARF_INFO && f->packings[i].packed && inflate(f, i))
			return NULL;
	if (dwarf_file_read_units(&f->dwarf))
		return NULL;
	f->loaded = true;
	return &f->dwarf;
}

const struct file_view *elf_file_view(const struct elf_file *f)
{
	return &f->view;
}

bool elf_file_section(const struct elf_file *f, const char *name, struct dwarf_bytes *out)
{
	Elf_Scn *scn = NULL;
	GElf_Shdr h;
	size_t names;

	if (elf_getshdrstrndx(f->elf, &names))
		return false;
	while ((scn = elf_nextscn(f->elf, scn))) {
		const char *its;

		if (!gelf_getshdr(scn, &h))
			continue;
		its = elf_strptr(f->elf, names, h.sh_name);
		if (its && !strcmp(its, name))
			return raw_bytes(f, &h, out) && out->size;
	}
	return false;
}

const char *elf_file_supplement(const struct elf_file *f, struct build_id *id)
{
	struct dwarf_bytes bytes;
	struct cursor c;
	const char *name;
	const void *checksum;
	uint64_t size;

	*id = (struct build_id){0};
	if (!elf_file_section(f, ".debug_sup", &bytes))
		return NULL;
	cursor_init(&c, bytes.data, bytes.size, f->dwarf.big_endian);
	if (cursor_u16(&c) != 5)
		return NULL;
	cursor_u8(&c); /* is it the supplement itself? it has no name then */
	name = cursor_string(&c);
	size = cursor_uleb128(&c);
	checksum = name && size <= sizeof(id->bytes) ? cursor_bytes(&c, (size_t)size) : NULL;
	if (!checksum)
		return NULL;
	id->size = (uint8_t)size;
	memcpy(id->bytes, checksum, (size_t)size);
	return *name ? name : NULL;
}
