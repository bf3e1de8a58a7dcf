/* SPDX-License-Identifier: MIT */
/* What a program's file tells: kinds of programs, scripts, and files that are cut anywhere. */
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <setjmp.h>
#include <cmocka.h>
#include <elf.h>
#include <string.h>

#include "collector/shared/program_file.h"

static struct {
	Elf64_Ehdr elf;
	Elf64_Phdr segments[2];
	char interpreter[64];
	uint8_t note[16];
	Elf64_Shdr names;
	char strings[64];
} image;

static size_t image_bytes;

static size_t read_image(void *unused, uint64_t at, void *out, size_t bytes)
{
	(void)unused;
	if (at >= image_bytes)
		return 0;
	if (bytes > image_bytes - at)
		bytes = image_bytes - (size_t)at;
	memcpy(out, (const char *)&image + at, bytes);
	return bytes;
}

#define LIBRARY_BYTES (sizeof(Elf64_Ehdr) + 2 * sizeof(Elf64_Phdr) + 3 * sizeof(Elf64_Dyn) + 3000)

static size_t read_library(void *library, uint64_t at, void *out, size_t bytes)
{
	if (at >= LIBRARY_BYTES)
		return 0;
	if (bytes > LIBRARY_BYTES - at)
		bytes = LIBRARY_BYTES - (size_t)at;
	memcpy(out, (const char *)library + at, bytes);
	return bytes;
}

static struct program_file look(size_t bytes)
{
	static const struct program_file_source from = {read_image, NULL};
	struct program_file f;

	image_bytes = bytes;
	program_file_look(&from, &f);
	return f;
}

static enum exclusion exclusion(void)
{
	struct program_file f = look(sizeof(image));

	return program_file_exclusion(&f);
}

/* A program for glibc, or with another interpreter; NULL: none. */
static void make(const char *interpreter)
{
	memset(&image, 0, sizeof(image));
	memcpy(image.elf.e_ident, ELFMAG, SELFMAG);
	image.elf.e_ident[EI_CLASS] = ELFCLASS64;
	image.elf.e_machine = EM_X86_64;
	image.elf.e_phoff = sizeof(image.elf);
	image.elf.e_phnum = 2;
	if (!interpreter)
		return;
	image.segments[0] = (Elf64_Phdr){.p_type = PT_INTERP,
					 .p_offset = offsetof(__typeof__(image), interpreter),
					 .p_filesz = strlen(interpreter) + 1};
	strcpy(image.interpreter, interpreter);
}

static void name_sections(const char *names, size_t bytes)
{
	image.elf.e_shoff = offsetof(__typeof__(image), names);
	image.elf.e_shnum = 1;
	image.elf.e_shentsize = sizeof(Elf64_Shdr);
	image.names = (Elf64_Shdr){.sh_offset = offsetof(__typeof__(image), strings),
				   .sh_size = bytes};
	memcpy(image.strings, names, bytes);
}

static void kinds(void **state)
{
	(void)state;
	make("/lib64/ld-linux-x86-64.so.2");
	assert_int_equal(exclusion(), EXCLUSION_NONE);
	make("/gnu/store/x-glibc-2.35/lib/ld-linux-x86-64.so.2");
	assert_int_equal(exclusion(), EXCLUSION_NONE);
	make("/lib/ld-musl-x86_64.so.1");
	assert_int_equal(exclusion(), EXCLUSION_LIBC);
	make("/system/bin/linker64");
	assert_int_equal(exclusion(), EXCLUSION_LIBC);
	make(NULL);
	assert_int_equal(exclusion(), EXCLUSION_STATIC);
	image.elf.e_machine = EM_AARCH64;
	assert_int_equal(exclusion(), EXCLUSION_MACHINE);
	image.elf.e_ident[EI_CLASS] = ELFCLASS32;
	assert_int_equal(exclusion(), EXCLUSION_32_BIT);
}

static void go(void **state)
{
	static const char names[] = "\0.text\0.gopclntab\0", others[] = "\0.text\0.gopclnt";

	(void)state;
	make("/lib64/ld-linux-x86-64.so.2");
	image.segments[1] = (Elf64_Phdr){.p_type = PT_NOTE,
					 .p_offset = offsetof(__typeof__(image), note),
					 .p_filesz = sizeof(image.note)};
	memcpy(image.note, "\4\0\0\0\0\0\0\0\4\0\0\0Go\0\0", 16);
	assert_int_equal(exclusion(), EXCLUSION_GO);
	image.note[12] = 'C';
	assert_int_equal(exclusion(), EXCLUSION_NONE);
	/* sizes whose sum wraps in 32 bits end the notes */
	memcpy(image.note, "\xfd\xff\xff\xff\xff\xff\xff\xff\4\0\0\0Go\0\0", 16);
	assert_int_equal(exclusion(), EXCLUSION_NONE);
	name_sections(names, sizeof(names));
	assert_int_equal(exclusion(), EXCLUSION_GO);
	name_sections(others, sizeof(others));
	assert_int_equal(exclusion(), EXCLUSION_NONE);
	image.elf.e_shoff = UINT64_MAX - 8;
	assert_int_equal(exclusion(), EXCLUSION_NONE);
}

/* Cut anywhere, it is exec(2)'s to judge: not taken for static. */
static void cut(void **state)
{
	(void)state;
	make("/lib/ld-musl-x86_64.so.1");
	for (size_t size = 0; size < sizeof(image.elf) + sizeof(image.segments); size++) {
		struct program_file f = look(size);

		assert_int_equal(f.is_elf, size > EI_CLASS);
		assert_int_equal(f.has_interpreter, f.is_elf);
		assert_int_equal(program_file_exclusion(&f), EXCLUSION_NONE);
	}
	image.segments[0].p_filesz--; /* its end is missing: exec(2) says ENOEXEC */
	assert_int_equal(exclusion(), EXCLUSION_NONE);
}

static void scripts(void **state)
{
	static const struct {
		const char *line, *interpreter;
	} lines[] = {
		{"#!/bin/sh\n", "/bin/sh"},
		{"#! \t/bin/sh -e\n", "/bin/sh"},
		{"#!/bin/sh", "/bin/sh"},
		{"#!interpreter\targument", "interpreter"},
		{"#!\n/bin/sh\n", ""},
		{"# /bin/sh\n", ""},
		{"#!   ", ""},
	};
	struct program_file f;

	(void)state;
	for (size_t i = 0; i < sizeof(lines) / sizeof(lines[0]); i++) {
		memset(&image, 0, sizeof(image));
		strcpy((char *)&image, lines[i].line);
		f = look(strlen(lines[i].line));
		assert_false(f.is_elf);
		assert_string_equal(f.script, lines[i].interpreter);
		assert_int_equal(program_file_exclusion(&f), EXCLUSION_NONE);
	}
	/* as much as the kernel reads, without an end */
	memset(&image, 'x', sizeof(image));
	memcpy(&image, "#!/", 3);
	f = look(sizeof(image));
	assert_string_equal(f.script, "");
	f = look(PROGRAM_FILE_SCRIPT_BYTES - 1);
	assert_int_equal(strlen(f.script), PROGRAM_FILE_SCRIPT_BYTES - 3);
}

/* The newest version that dynamic strings name, wherever a block that is read at once ends. */
static void versions(void **state)
{
	static struct {
		Elf64_Ehdr elf;
		Elf64_Phdr segments[2];
		Elf64_Dyn entries[3];
		char strings[3000];
	} library;
	static const struct program_file_source from = {read_library, &library};

	_Static_assert(sizeof(library) == LIBRARY_BYTES, "read_library");
	(void)state;
	memcpy(library.elf.e_ident, ELFMAG, SELFMAG);
	library.elf.e_ident[EI_CLASS] = ELFCLASS64;
	library.elf.e_phoff = sizeof(library.elf);
	library.elf.e_phnum = 2;
	library.segments[0] = (Elf64_Phdr){.p_type = PT_LOAD, .p_filesz = sizeof(library)};
	library.segments[1] = (Elf64_Phdr){.p_type = PT_DYNAMIC,
					   .p_offset = offsetof(__typeof__(library), entries)};
	library.entries[0] = (Elf64_Dyn){.d_tag = DT_STRTAB,
					 .d_un.d_ptr = offsetof(__typeof__(library), strings)};
	library.entries[1] = (Elf64_Dyn){.d_tag = DT_STRSZ, .d_un.d_val = sizeof(library.strings)};
	assert_int_equal(program_file_glibc(&from), 0);
	strcpy(library.strings + 1, "GLIBC_2.2.5");
	assert_int_equal(program_file_glibc(&from), 2);
	for (size_t at = 1000; at < sizeof(library.strings) - 20; at++) {
		strcpy(library.strings + at, "GLIBC_2.136");
		assert_int_equal(program_file_glibc(&from), 136);
		memset(library.strings + at, 0, 12);
	}
	/* what is said not to be theirs */
	library.entries[1].d_un.d_val = 20;
	strcpy(library.strings + 20, "GLIBC_2.9");
	assert_int_equal(program_file_glibc(&from), 2);
	library.entries[1].d_un.d_val = UINT64_MAX;
	library.entries[0].d_un.d_ptr = UINT64_MAX - 8;
	assert_int_equal(program_file_glibc(&from), 0);
}

static void libc(void **state)
{
	char path[32] = "/x/linker", small[12] = "/x/linker", bare[16] = "linker";

	(void)state;
	assert_true(program_file_libc_beside(path, sizeof(path)));
	assert_string_equal(path, "/x/libc.so.6");
	assert_false(program_file_libc_beside(small, sizeof(small)));
	assert_true(program_file_libc_beside(bare, sizeof(bare)));
	assert_string_equal(bare, "libc.so.6");
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(kinds),   cmocka_unit_test(go),       cmocka_unit_test(cut),
		cmocka_unit_test(scripts), cmocka_unit_test(versions), cmocka_unit_test(libc),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
