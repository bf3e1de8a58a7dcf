/* SPDX-License-Identifier: MIT */
/* libelf finds the sections; their bytes come from our own view of the file. */
#include "converter/elf/elf_file.h"

#include <string.h>

#include "base/compress.h"
#include "base/error.h"
#include "base/memory.h"

struct elf_file {
	char *path;
	struct file_view raw;
	struct file_view view; /* the same, or of `linked` */
	uint8_t *linked;       /* a copy of a relocatable object with addresses in it */
	Elf *elf;
	uint16_t machine;
	bool big_endian;
	struct build_id build_id;
	bool symbols, info, abbreviations;
};

static void raw_bytes(const struct elf_file *f, const GElf_Shdr *h, struct bytes *out)
{
	if (h->sh_type == SHT_NOBITS || h->sh_offset > f->view.size ||
	    h->sh_size > f->view.size - h->sh_offset)
		return;
	*out = (struct bytes){f->view.data + h->sh_offset, (size_t)h->sh_size};
}

/* The first NT_GNU_BUILD_ID in a run of notes. */
static void read_note(struct elf_file *f, struct bytes bytes)
{
	struct cursor c;

	cursor_init(&c, bytes.data, bytes.size, f->big_endian);
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

static int look_at_section(void *context, const char *name, const GElf_Shdr *h, struct bytes bytes)
{
	struct elf_file *f = context;

	if (h->sh_type == SHT_NOTE)
		read_note(f, bytes);
	f->symbols |= h->sh_type == SHT_SYMTAB;
	if (!bytes.size)
		return 0;
	f->info |= !strcmp(name, ".debug_info") || !strcmp(name, ".zdebug_info");
	f->abbreviations |= !strcmp(name, ".debug_abbrev") || !strcmp(name, ".zdebug_abbrev");
	return 0;
}

/* Kernels and their modules often are compressed. */
static int view_found(struct file_view *v, const char *path, struct softlbr_error *e)
{
	struct file_view packed;
	int rc = file_view_open_found(&packed, path, e);

	return rc ? rc : compress_view_take(v, &packed, path, e);
}

static int open_file(struct elf_file *f, const char *path, bool found, bool split,
		     struct softlbr_error *e)
{
	struct build_id id;
	GElf_Ehdr header;
	int rc;

	f->path = memory_copy_string(path);
	if (!f->path)
		return error_set_nomem(e);
	rc = found ? view_found(&f->raw, path, e) : compress_view_open(&f->raw, path, e);
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
	f->big_endian = header.e_ident[EI_DATA] == ELFDATA2MSB;
	elf_file_each_section(f, look_at_section, f);
	/* a supplement of dwz -5 has no other id */
	if (!f->build_id.size && !elf_file_supplement(f, &id))
		f->build_id = id;
	return 0;
}

static struct elf_file *open_any(const char *path, bool found, bool split, struct softlbr_error *e)
{
	struct elf_file *f = memory_alloc(sizeof(*f));
	struct softlbr_error local = {0};

	if (!f) {
		error_set_nomem(e);
		return NULL;
	}
	if (open_file(f, path, found, split, e ? e : &local)) {
		elf_file_close(f);
		return NULL;
	}
	return f;
}

struct elf_file *elf_file_open(const char *path, struct softlbr_error *e)
{
	return open_any(path, false, false, e);
}

struct elf_file *elf_file_open_found(const char *path, struct softlbr_error *e)
{
	return open_any(path, true, false, e);
}

struct elf_file *elf_file_open_split(const char *path, struct softlbr_error *e)
{
	return open_any(path, true, true, e);
}

void elf_file_close(struct elf_file *f)
{
	if (!f)
		return;
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
	return f->big_endian;
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
	return f->info && f->abbreviations;
}

bool elf_file_has_symbols(const struct elf_file *f)
{
	return f->symbols;
}

const struct file_view *elf_file_view(const struct elf_file *f)
{
	return &f->view;
}

int elf_file_each_section(const struct elf_file *f, elf_file_take_section *take, void *context)
{
	Elf_Scn *scn = NULL;
	size_t names;
	int rc = 0;

	if (elf_getshdrstrndx(f->elf, &names))
		return 0; /* none */
	while (!rc && (scn = elf_nextscn(f->elf, scn))) {
		struct bytes bytes = {0};
		const char *name;
		GElf_Shdr h;

		if (!gelf_getshdr(scn, &h))
			continue;
		name = elf_strptr(f->elf, names, h.sh_name);
		raw_bytes(f, &h, &bytes);
		rc = take(context, name ? name : "", &h, bytes);
	}
	return rc;
}

struct wanted {
	const char *name;
	struct bytes bytes;
};

static int is_wanted(void *context, const char *name, const GElf_Shdr *header, struct bytes bytes)
{
	struct wanted *w = context;

	(void)header;
	if (strcmp(name, w->name))
		return 0;
	w->bytes = bytes;
	return 1;
}

bool elf_file_section(const struct elf_file *f, const char *name, struct bytes *out)
{
	struct wanted w = {.name = name};

	elf_file_each_section(f, is_wanted, &w);
	*out = w.bytes;
	return w.bytes.size;
}

const char *elf_file_supplement(const struct elf_file *f, struct build_id *id)
{
	struct bytes bytes;
	struct cursor c;
	const char *name;
	const void *checksum;
	uint64_t size;

	*id = (struct build_id){0};
	if (!elf_file_section(f, ".debug_sup", &bytes))
		return NULL;
	cursor_init(&c, bytes.data, bytes.size, f->big_endian);
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
