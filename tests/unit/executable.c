/* SPDX-License-Identifier: MIT */
/* What a program's file tells of how it can be recorded: whole, damaged and none. */
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <setjmp.h>
#include <cmocka.h>
#include <elf.h>
#include <string.h>
#include <unistd.h>

#include "collector/recorder/command.h"

static struct {
	Elf64_Ehdr elf;
	Elf64_Phdr segments[2];
	uint8_t note[16];
} image;

static void make(uint32_t first, uint32_t second)
{
	memset(&image, 0, sizeof(image));
	memcpy(image.elf.e_ident, ELFMAG, SELFMAG);
	image.elf.e_ident[EI_CLASS] = ELFCLASS64;
	image.elf.e_machine = EM_X86_64;
	image.elf.e_phoff = sizeof(image.elf);
	image.elf.e_phnum = 2;
	image.segments[0] = (Elf64_Phdr){.p_type = first};
	image.segments[1] = (Elf64_Phdr){.p_type = second,
					 .p_offset = offsetof(__typeof__(image), note),
					 .p_filesz = sizeof(image.note)};
}

static struct program_file look(size_t size)
{
	struct file_view v = {.data = (const uint8_t *)&image, .size = size};
	struct executable found;

	executable_look(&v, "image", &found);
	return found.file;
}

static void kinds(void **state)
{
	struct program_file x;

	(void)state;
	make(PT_INTERP, PT_LOAD);
	x = look(sizeof(image));
	assert_true(x.is_elf && x.has_interpreter && !x.is_go && !x.is_32_bit);
	make(PT_LOAD, PT_LOAD);
	x = look(sizeof(image));
	assert_true(x.is_elf && !x.has_interpreter);
	make(PT_LOAD, PT_NOTE);
	memcpy(image.note, "\4\0\0\0\0\0\0\0\4\0\0\0Go\0\0", 16);
	assert_true(look(sizeof(image)).is_go);
	image.elf.e_ident[EI_CLASS] = ELFCLASS32;
	x = look(sizeof(image));
	assert_true(x.is_elf && x.is_32_bit && !x.is_go && !x.has_interpreter);
}

/* Cut anywhere, it is exec(2)'s to judge: not taken for static. */
static void cut(void **state)
{
	(void)state;
	make(PT_LOAD, PT_NOTE);
	for (size_t size = 0; size < sizeof(image.elf) + sizeof(image.segments); size++) {
		struct program_file x = look(size);

		assert_int_equal(x.is_elf, size > EI_CLASS);
		assert_int_equal(x.has_interpreter, x.is_elf);
		assert_false(x.is_go || x.is_32_bit);
	}
	memcpy(&image, "#!/bin/sh\n", 10);
	assert_false(look(sizeof(image)).is_elf);
}

static void processes(void **state)
{
	struct executable x;

	(void)state;
	executable_look_at_process(getpid(), &x);
	assert_true(x.file.is_elf && x.file.has_interpreter && !x.file.is_32_bit);
	executable_look_at_process(-1, &x);
	assert_false(x.file.is_elf || x.file.is_32_bit);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(kinds),
		cmocka_unit_test(cut),
		cmocka_unit_test(processes),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
