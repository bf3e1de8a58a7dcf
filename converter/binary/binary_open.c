/* SPDX-License-Identifier: MIT */
/*
 * Opening a binary: its segments, sections and build-id; symbols.c and plt.c find the rest. libelf
 * parses the tables of either class and byte order. ELF-64 Object File Format, version 1.5; Tool
 * Interface Standard, ELF 1.2 (ELF32).
 */
#include <gelf.h>
#include <string.h>

#include "base/error.h"
#include "base/memory.h"
#include "base/order.h"
#include "converter/binary/binary_private.h"

static int bad_input(const struct binary *b, struct softlbr_error *e, const char *why)
{
	return error_set(e, SOFTLBR_E_INPUT, b->path, "%s: %s", b->path, why);
}

static int read_header(struct binary *b, Elf *elf, struct softlbr_error *e)
{
	GElf_Ehdr header;

	if (!gelf_getehdr(elf, &header))
		return bad_input(b, e, "damaged: no ELF header");
	if (header.e_type != ET_EXEC && header.e_type != ET_DYN && header.e_type != ET_REL)
		return bad_input(b, e, "not a program, shared object or kernel module");
	b->object = header.e_type == ET_REL;
	if (b->object && header.e_ident[EI_DATA] != ELFDATA2LSB)
		return bad_input(b, e,
				 "a big-endian object, which is not linked here; give the "
				 "program that it became a part of");
	b->machine = header.e_machine;
	b->entry = header.e_entry;
	b->big_endian = header.e_ident[EI_DATA] == ELFDATA2MSB;
	b->relocatable_base = header.e_type == ET_DYN;
	if (!isa_decoder_is_known(b->machine) &&
	    debug_notes_add(&b->notes,
			    "%s is code of a CPU that softlbr doesn't decode (ELF machine %u): its "
			    "branches and ranges are believed, not checked",
			    b->path, b->machine))
		return error_set_nomem(e);
	return 0;
}

static int add_segment(struct binary *b, const GElf_Phdr *p, struct softlbr_error *e)
{
	uint64_t available = p->p_offset < b->view.size ? b->view.size - p->p_offset : 0;
	uint64_t bytes = p->p_filesz < available ? p->p_filesz : available;

	if (bytes > p->p_memsz)
		bytes = p->p_memsz;
	if (p->p_memsz > UINT64_MAX - p->p_vaddr)
		return bad_input(b, e, "damaged: a segment ends beyond the address space");
	if (vector_add(&b->segments, (struct binary_segment){
					     .va = p->p_vaddr,
					     .memory_bytes = p->p_memsz,
					     .offset = p->p_offset,
					     .file_bytes = bytes,
					     .code = p->p_flags & PF_X,
				     }))
		return error_set_nomem(e);
	return 0;
}

/* An object has no segments: each section that is in memory counts as one. */
static int read_section_segments(struct binary *b, Elf *elf, struct softlbr_error *e)
{
	Elf_Scn *scn = NULL;
	bool code = false;
	GElf_Shdr h;

	while ((scn = elf_nextscn(elf, scn))) {
		GElf_Phdr p;

		if (!gelf_getshdr(scn, &h) || !(h.sh_flags & SHF_ALLOC) ||
		    h.sh_type == SHT_NOBITS || !h.sh_size)
			continue;
		p = (GElf_Phdr){
			.p_vaddr = h.sh_addr,
			.p_memsz = h.sh_size,
			.p_offset = h.sh_offset,
			.p_filesz = h.sh_size,
			.p_flags = h.sh_flags & SHF_EXECINSTR ? PF_X : 0,
		};
		if (add_segment(b, &p, e))
			return -e->code;
		code |= p.p_flags & PF_X;
	}
	return code ? 0 : bad_input(b, e, "an object without code");
}

static int read_segments(struct binary *b, Elf *elf, struct softlbr_error *e)
{
	bool code = false;
	size_t count;

	if (b->object)
		return read_section_segments(b, elf, e);
	if (elf_getphdrnum(elf, &count))
		return bad_input(b, e, "damaged: no program headers can be read");
	for (size_t i = 0; i < count; i++) {
		GElf_Phdr p;

		if (!gelf_getphdr(elf, (int)i, &p))
			return bad_input(b, e, "damaged: a program header can't be read");
		if (p.p_type != PT_LOAD)
			continue;
		if (add_segment(b, &p, e))
			return -e->code;
		code |= p.p_flags & PF_X && p.p_filesz;
	}
	if (!code)
		return bad_input(b, e,
				 "no executable segment; is it a separate debug file? "
				 "Give the program itself");
	return 0;
}

ORDER_BY(compare_sections, struct binary_section, ORDER_UP(begin) ?: ORDER_UP(end));

static int read_sections(struct binary *b, Elf *elf, struct softlbr_error *e)
{
	size_t names;
	Elf_Scn *scn = NULL;

	if (elf_getshdrstrndx(elf, &names))
		return 0; /* no sections: symbols.c says what that means */
	while ((scn = elf_nextscn(elf, scn))) {
		const char *name;
		uint32_t number;
		GElf_Shdr h;

		if (!gelf_getshdr(scn, &h) || !(h.sh_flags & SHF_ALLOC) || h.sh_flags & SHF_TLS ||
		    h.sh_size > UINT64_MAX - h.sh_addr)
			continue;
		name = elf_strptr(elf, names, h.sh_name);
		number = strings_add_text(b->names, name ? name : "");
		if (number == STRINGS_NONE ||
		    vector_add(&b->sections, (struct binary_section){
						     .name = strings_text(b->names, number),
						     .begin = h.sh_addr,
						     .end = h.sh_addr + h.sh_size,
						     .code = h.sh_flags & SHF_EXECINSTR,
					     }))
			return error_set_nomem(e);
	}
	vector_sort(&b->sections, compare_sections);
	return 0;
}

/* The first NT_GNU_BUILD_ID in a run of notes. */
static bool find_build_id(Elf_Data *data, struct build_id *id)
{
	size_t at = 0, name, descriptor;
	GElf_Nhdr n;

	while (data && (at = gelf_getnote(data, at, &n, &name, &descriptor)) > 0) {
		const char *bytes = data->d_buf;

		if (n.n_type != NT_GNU_BUILD_ID || n.n_namesz != 4 ||
		    memcmp(bytes + name, "GNU", 4) || !n.n_descsz || n.n_descsz > sizeof(id->bytes))
			continue;
		id->size = (uint8_t)n.n_descsz;
		memcpy(id->bytes, bytes + descriptor, n.n_descsz);
		return true;
	}
	return false;
}

/* From the PT_NOTE segments, which survive any stripping. */
static void read_build_id(struct binary *b, Elf *elf)
{
	size_t count = 0;

	elf_getphdrnum(elf, &count);
	for (size_t i = 0; i < count; i++) {
		GElf_Phdr p;
		Elf_Data *data;

		if (!gelf_getphdr(elf, (int)i, &p) || p.p_type != PT_NOTE ||
		    p.p_offset > INT64_MAX || p.p_filesz > b->view.size)
			continue;
		data = elf_getdata_rawchunk(elf, (int64_t)p.p_offset, p.p_filesz,
					    p.p_align == 8 ? ELF_T_NHDR8 : ELF_T_NHDR);
		if (find_build_id(data, &b->build_id))
			return;
	}
}

/* A profile of lines is of no use to a compiler that is told to expect probes. */
static int note_probes(struct binary *b, struct softlbr_error *e)
{
	struct bytes probes;

	if (!elf_file_section(b->file, ".pseudo_probe_desc", &probes) ||
	    !debug_notes_add(&b->notes,
			     "%s has pseudo probes, which are not read: profiles of it are of "
			     "lines, to be used without -fpseudo-probe-for-profiling",
			     b->path))
		return 0;
	return error_set_nomem(e);
}

static int read_elf(struct binary *b, Elf *elf, struct softlbr_error *e)
{
	int rc = read_header(b, elf, e)
	       ?: note_probes(b, e)
	       ?: read_segments(b, elf, e)
	       ?: read_sections(b, elf, e);

	if (rc)
		return rc;
	read_build_id(b, elf);
	if (!b->build_id.size)
		b->build_id = *elf_file_build_id(b->file);
	rc = symbols_read(b, elf, e);
	return rc ?: plt_read(b, elf, e);
}

static int open_file(struct binary *b, const char *path, struct softlbr_error *e)
{
	b->path = memory_copy_string(path);
	b->names = strings_new();
	if (!b->path || !b->names)
		return error_set_nomem(e);
	b->file = elf_file_open(path, e);
	if (!b->file)
		return -e->code;
	b->view = *elf_file_view(b->file);
	return read_elf(b, elf_file_elf(b->file), e);
}

struct binary *binary_open_with(const char *path, const struct debug_search *search,
				struct softlbr_error *e)
{
	struct binary *b = memory_alloc(sizeof(*b));
	struct softlbr_error local = {0};

	if (!b) {
		error_set_nomem(e);
		return NULL;
	}
	b->search = search;
	if (open_file(b, path, e ? e : &local)) {
		binary_close(b);
		return NULL;
	}
	return b;
}

struct binary *binary_open(const char *path, struct softlbr_error *e)
{
	return binary_open_with(path, NULL, e);
}

void binary_close(struct binary *b)
{
	if (!b)
		return;
	isa_text_free(b->text);
	vector_deinit(&b->segments);
	vector_deinit(&b->sections);
	vector_deinit(&b->functions);
	vector_deinit(&b->aliases);
	vector_deinit(&b->bolt_aliases);
	vector_deinit(&b->plt_stubs);
	strings_free(b->names);
	debug_notes_deinit(&b->notes);
	elf_file_close(b->alternate);
	elf_file_close(b->separate);
	elf_file_close(b->file);
	memory_free(b->path);
	memory_free(b);
}
