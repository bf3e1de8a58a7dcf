/* SPDX-License-Identifier: MIT */
/* ELF: elf(5). Scripts: execve(2), and fs/binfmt_script.c. */
#include "collector/shared/program_file.h"

#include <elf.h>
#include <string.h>

#include "isa/host.h"

/* Read at once: the header of the file and of its segments, as linkers lay them out. */
#define HEAD_BYTES 1024u
/* More segments than any linker makes. */
#define SEGMENTS_MOST 256u
#define NOTES_BYTES   512u
#define NAMES_BYTES   2048u

struct look {
	const struct program_file_source *from;
	uint8_t head[HEAD_BYTES];
	size_t head_bytes;
	Elf64_Ehdr elf;
};

static size_t get_some(const struct look *l, uint64_t at, void *out, size_t bytes)
{
	if (at > l->head_bytes || l->head_bytes - at < bytes)
		return l->from->read(l->from->context, at, out, bytes);
	memcpy(out, l->head + at, bytes);
	return bytes;
}

static bool get(const struct look *l, uint64_t at, void *out, size_t bytes)
{
	return at <= UINT64_MAX - bytes && get_some(l, at, out, bytes) == bytes;
}

/* ---- notes --------------------------------------------------------------------------------- */

/* Name's size, description's size, type; name and description padded to 4 bytes. */
bool program_file_has_go_note(const void *notes, size_t size)
{
	const uint8_t *bytes = notes;
	uint32_t head[3];

	while (size >= sizeof(head) + 4) {
		uint64_t whole;

		memcpy(head, bytes, sizeof(head));
		if (head[0] == 4 && !memcmp(bytes + sizeof(head), "Go\0", 4))
			return true;
		whole = sizeof(head) + (((uint64_t)head[0] + 3) & ~(uint64_t)3) +
			(((uint64_t)head[1] + 3) & ~(uint64_t)3);
		if (whole > size)
			break;
		bytes += whole;
		size -= whole;
	}
	return false;
}

static bool is_go_segment(const struct look *l, const Elf64_Phdr *notes)
{
	uint8_t bytes[NOTES_BYTES];
	size_t wanted = notes->p_filesz < sizeof(bytes) ? notes->p_filesz : sizeof(bytes);

	return program_file_has_go_note(bytes, get_some(l, notes->p_offset, bytes, wanted));
}

/* ---- the dynamic linker -------------------------------------------------------------------- */

static bool begins(const char *text, const char *with)
{
	return !strncmp(text, with, strlen(with));
}

/* The one that this library was loaded by, or would be. */
static bool is_own_linker(const char *path)
{
	return !strcmp(path, "/lib64/" ISA_HOST_LINKER) || !strcmp(path, "/lib/" ISA_HOST_LINKER);
}

/* glibc's has these names, the second in the Linux Standard Base. */
static bool is_glibc_linker(const char *path)
{
	const char *slash = strrchr(path, '/'), *name = slash ? slash + 1 : path;

	return !strcmp(name, ISA_HOST_LINKER) || begins(name, "ld-lsb-");
}

static void look_at_interpreter(const struct look *l, const Elf64_Phdr *segment,
				struct program_file *out)
{
	char path[sizeof(out->linker)] = "";

	out->has_interpreter = true;
	if (segment->p_filesz < 2 || segment->p_filesz > sizeof(path) ||
	    !get(l, segment->p_offset, path, segment->p_filesz) || path[segment->p_filesz - 1])
		return; /* exec(2) will refuse it */
	out->has_other_libc = !is_glibc_linker(path);
	if (!is_own_linker(path))
		memcpy(out->linker, path, segment->p_filesz);
}

/* ---- sections ------------------------------------------------------------------------------ */

static bool contains(const char *bytes, size_t size, const char *name)
{
	size_t length = strlen(name) + 1;

	for (size_t i = 0; size >= length && i <= size - length; i++)
		if (bytes[i] == '.' && !memcmp(bytes + i, name, length))
			return true;
	return false;
}

/* A C program that Go code was linked into as an archive has no note, but Go's tables, which strip
 * leaves. */
static bool has_go_section(const struct look *l)
{
	const Elf64_Ehdr *elf = &l->elf;
	char names[NAMES_BYTES];
	Elf64_Shdr section;
	size_t size;

	if (!elf->e_shoff || elf->e_shstrndx >= elf->e_shnum ||
	    elf->e_shentsize != sizeof(section) ||
	    elf->e_shoff > UINT64_MAX - (uint64_t)elf->e_shstrndx * sizeof(section) ||
	    !get(l, elf->e_shoff + (uint64_t)elf->e_shstrndx * sizeof(section), &section,
		 sizeof(section)))
		return false;
	size = section.sh_size < sizeof(names) ? section.sh_size : sizeof(names);
	size = get_some(l, section.sh_offset, names, size);
	return contains(names, size, ".go.buildinfo") || contains(names, size, ".gopclntab");
}

/* ---- needed libraries ---------------------------------------------------------------------- */

#define DYNAMIC_ENTRIES 48u /* read at once */
#define DYNAMIC_BLOCKS	8u
#define NEEDED_BYTES	24u

static bool get_segment(const struct look *l, unsigned i, Elf64_Phdr *out)
{
	uint64_t at = l->elf.e_phoff + (uint64_t)i * sizeof(*out);

	return at >= l->elf.e_phoff && get(l, at, out, sizeof(*out));
}

/* Where the address @va is in the file; 0: nowhere. */
static uint64_t offset_of(const struct look *l, uint64_t va)
{
	Elf64_Phdr p;

	for (unsigned i = 0; i < l->elf.e_phnum && i < SEGMENTS_MOST && get_segment(l, i, &p); i++)
		if (p.p_type == PT_LOAD && va - p.p_vaddr < p.p_filesz)
			return p.p_offset + (va - p.p_vaddr);
	return 0;
}

/* The names of libraries, in the file, and how many bytes they are; 0 if they are not found. */
static uint64_t strings_offset(const struct look *l, uint64_t begin, uint64_t *bytes)
{
	Elf64_Dyn block[DYNAMIC_ENTRIES];
	uint64_t offset = 0;

	*bytes = 0;
	for (unsigned blocks = 0; blocks < DYNAMIC_BLOCKS; blocks++, begin += sizeof(block)) {
		size_t count = get_some(l, begin, block, sizeof(block)) / sizeof(block[0]);

		for (size_t i = 0; i < count && block[i].d_tag != DT_NULL; i++) {
			if (block[i].d_tag == DT_STRTAB)
				offset = offset_of(l, block[i].d_un.d_ptr);
			else if (block[i].d_tag == DT_STRSZ)
				*bytes = block[i].d_un.d_val;
		}
		if (count < DYNAMIC_ENTRIES || (offset && *bytes))
			break;
	}
	return offset;
}

/* AddressSanitizer's runtime ends a program in which it is not the first library: gcc's, and
 * clang's as a library. Their drivers name it before other libraries. */
static bool needs_first(const struct look *l, const Elf64_Phdr *dynamic)
{
	uint64_t bytes, strings = strings_offset(l, dynamic->p_offset, &bytes);
	Elf64_Dyn block[DYNAMIC_ENTRIES];
	size_t count = get_some(l, dynamic->p_offset, block, sizeof(block)) / sizeof(block[0]);

	for (size_t i = 0; strings && i < count && block[i].d_tag != DT_NULL; i++) {
		char name[NEEDED_BYTES] = "";

		if (block[i].d_tag == DT_NEEDED &&
		    block[i].d_un.d_val <= UINT64_MAX - strings - sizeof(name) &&
		    get_some(l, strings + block[i].d_un.d_val, name, sizeof(name) - 1) &&
		    program_file_is_first_library(name))
			return true;
	}
	return false;
}

/* ---- versions of glibc --------------------------------------------------------------------- */

/* Read at once, with the end of what was read before. */
#define VERSION_BLOCK 1024u
#define VERSION_MOST  16u
#define STRINGS_MOST  (1u << 20)

static unsigned newest_version(const char *text, size_t bytes)
{
	static const char name[] = "GLIBC_2.";
	unsigned newest = 0;

	for (size_t i = 0; i + sizeof(name) < bytes; i++) {
		unsigned number = 0;

		if (text[i] != 'G' || memcmp(text + i, name, sizeof(name) - 1))
			continue;
		for (size_t k = i + sizeof(name) - 1; k < bytes; k++) {
			if (text[k] < '0' || text[k] > '9' || number > 9999)
				break;
			number = number * 10 + (unsigned)(text[k] - '0');
		}
		if (number > newest)
			newest = number;
	}
	return newest;
}

static unsigned versions_among(const struct look *l, uint64_t at, uint64_t bytes)
{
	char block[VERSION_BLOCK + VERSION_MOST];
	unsigned newest = 0;

	/* a name that is cut at the end is whole in the next block */
	for (uint64_t done = 0; done < bytes && done < STRINGS_MOST; done += VERSION_BLOCK) {
		uint64_t left = bytes - done;
		size_t got = get_some(l, at + done, block,
				      left < sizeof(block) ? (size_t)left : sizeof(block));
		unsigned found = newest_version(block, got);

		if (found > newest)
			newest = found;
	}
	return newest;
}

unsigned program_file_glibc(const struct program_file_source *from)
{
	struct look l = {.from = from};
	uint64_t bytes, at;
	Elf64_Phdr p;

	l.head_bytes = from->read(from->context, 0, l.head, sizeof(l.head));
	if (l.head_bytes <= EI_CLASS || memcmp(l.head, ELFMAG, SELFMAG) ||
	    l.head[EI_CLASS] != ELFCLASS64 || !get(&l, 0, &l.elf, sizeof(l.elf)))
		return 0;
	for (unsigned i = 0; i < l.elf.e_phnum && i < SEGMENTS_MOST && get_segment(&l, i, &p);
	     i++) {
		if (p.p_type != PT_DYNAMIC)
			continue;
		at = strings_offset(&l, p.p_offset, &bytes);
		return at && at <= UINT64_MAX - STRINGS_MOST ? versions_among(&l, at, bytes) : 0;
	}
	return 0;
}

bool program_file_libc_beside(char *linker, size_t bytes)
{
	static const char name[] = "libc.so.6";
	char *slash = strrchr(linker, '/');
	size_t length = slash ? (size_t)(slash + 1 - linker) : 0;

	if (length + sizeof(name) > bytes)
		return false;
	memcpy(linker + length, name, sizeof(name));
	return true;
}

bool program_file_is_first_library(const char *name)
{
	return begins(name, "libasan.so") || begins(name, "libclang_rt.asan");
}

/* ---- the whole ----------------------------------------------------------------------------- */

static void look_at_segments(const struct look *l, struct program_file *out)
{
	const Elf64_Ehdr *elf = &l->elf;

	for (unsigned i = 0; i < elf->e_phnum && i < SEGMENTS_MOST; i++) {
		Elf64_Phdr segment;

		if (!get_segment(l, i, &segment)) {
			out->has_interpreter = true;
			out->has_other_libc = out->is_go = out->needs_first = false;
			return;
		}
		if (segment.p_type == PT_INTERP && !out->has_interpreter)
			look_at_interpreter(l, &segment, out);
		else if (segment.p_type == PT_NOTE && !out->is_go)
			out->is_go = is_go_segment(l, &segment);
		else if (segment.p_type == PT_DYNAMIC && !out->needs_first)
			out->needs_first = needs_first(l, &segment);
	}
	out->is_go = out->is_go || has_go_section(l);
}

static void look_at_elf(struct look *l, struct program_file *out)
{
	out->is_elf = true;
	out->is_32_bit = l->head[EI_CLASS] == ELFCLASS32;
	if (out->is_32_bit)
		return;
	if (!get(l, 0, &l->elf, sizeof(l->elf))) {
		out->has_interpreter = true;
		return;
	}
	out->is_foreign = l->elf.e_machine != ISA_HOST_MACHINE;
	if (!out->is_foreign)
		look_at_segments(l, out);
}

static bool ends_word(char byte)
{
	return byte == ' ' || byte == '\t' || byte == '\n' || !byte;
}

/* A name that has no end among these bytes makes it no script. */
static void look_at_script(const struct look *l, struct program_file *out)
{
	size_t size = l->head_bytes, begin = 2, end;

	if (size > PROGRAM_FILE_SCRIPT_BYTES)
		size = PROGRAM_FILE_SCRIPT_BYTES;
	while (begin < size && (l->head[begin] == ' ' || l->head[begin] == '\t'))
		begin++;
	for (end = begin; end < size && !ends_word((char)l->head[end]);)
		end++;
	if (end == PROGRAM_FILE_SCRIPT_BYTES)
		return;
	memcpy(out->script, l->head + begin, end - begin);
	out->script[end - begin] = 0;
}

void program_file_look(const struct program_file_source *from, struct program_file *out)
{
	struct look l;

	*out = (struct program_file){0};
	l.from = from;
	l.head_bytes = from->read(from->context, 0, l.head, sizeof(l.head));
	if (l.head_bytes > EI_CLASS && !memcmp(l.head, ELFMAG, SELFMAG))
		look_at_elf(&l, out);
	else if (l.head_bytes > 2 && l.head[0] == '#' && l.head[1] == '!')
		look_at_script(&l, out);
}

enum exclusion program_file_exclusion(const struct program_file *f)
{
	if (!f->is_elf)
		return EXCLUSION_NONE;
	return f->is_32_bit	     ? EXCLUSION_32_BIT
	       : f->is_foreign	     ? EXCLUSION_MACHINE
	       : f->is_go	     ? EXCLUSION_GO
	       : !f->has_interpreter ? EXCLUSION_STATIC
	       : f->has_other_libc   ? EXCLUSION_LIBC
				     : EXCLUSION_NONE;
}
