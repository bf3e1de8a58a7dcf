/* SPDX-License-Identifier: MIT */
/*
 * Reading memory in place: what our own loads may not, as it has a protection key, is copied.
 *
 * Few machines have keys. A system call filter does here what they do to the kernel's access for
 * us: the call that asks whether a page may be loaded is told EFAULT of one page, and
 * process_vm_readv is not. What is read in place is seen to change; a copy stays as it was. Pages
 * of the kernel's own that every process has ([vvar]) are to it what a device's are.
 */
#include "collector/kernel/process_memory.h"
#include "collector/engine/memory_reader.h"

#include <errno.h>
#include <linux/filter.h>
#include <linux/seccomp.h>
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>
#include <sys/prctl.h>
#include <sys/syscall.h>
#include <unistd.h>
/* cmocka needs the above first */
#include <cmocka.h>

#define PAGES 3u

static uint8_t *pages; /* the second one has a key */
static struct memory_reader *reader;

static void begin(void)
{
	memory_reader_begin(reader, process_memory_is_shared());
	if (reader->copy)
		skip(); /* unshare(2) is forbidden here: all is copied */
}

static uint8_t read_byte(const uint8_t *at)
{
	uint8_t byte = 0;

	assert_true(reader->memory.read(reader, (uintptr_t)at, &byte, 1));
	return byte;
}

/* Is what is written to @at within a run seen in it? */
static bool is_in_place(uint8_t *at)
{
	uint8_t before = *at;

	assert_int_equal(read_byte(at), before);
	*at = (uint8_t)(before + 1);
	if (read_byte(at) == *at)
		return true;
	assert_int_equal(read_byte(at), before);
	return false;
}

static bool refuse_second_page(void)
{
	uint64_t page = (uintptr_t)pages + MEMORY_PAGE;
	struct sock_filter code[] = {
		BPF_STMT(BPF_LD | BPF_W | BPF_ABS, offsetof(struct seccomp_data, nr)),
		BPF_JUMP(BPF_JMP | BPF_JEQ | BPF_K, SYS_rt_sigprocmask, 0, 5),
		BPF_STMT(BPF_LD | BPF_W | BPF_ABS, offsetof(struct seccomp_data, args[1])),
		BPF_JUMP(BPF_JMP | BPF_JEQ | BPF_K, (uint32_t)page, 0, 3),
		BPF_STMT(BPF_LD | BPF_W | BPF_ABS, offsetof(struct seccomp_data, args[1]) + 4),
		BPF_JUMP(BPF_JMP | BPF_JEQ | BPF_K, (uint32_t)(page >> 32), 0, 1),
		BPF_STMT(BPF_RET | BPF_K, SECCOMP_RET_ERRNO | EFAULT),
		BPF_STMT(BPF_RET | BPF_K, SECCOMP_RET_ALLOW),
	};
	struct sock_fprog program = {sizeof(code) / sizeof(code[0]), code};

	return !prctl(PR_SET_NO_NEW_PRIVS, 1, 0, 0, 0) &&
	       !prctl(PR_SET_SECCOMP, SECCOMP_MODE_FILTER, &program, 0, 0);
}

/* Found ordinary, and loaded, before it has a key. */
static void test_key_comes_later(void **state)
{
	(void)state;
	begin();
	for (unsigned i = 0; i < PAGES; i++)
		assert_true(is_in_place(pages + i * MEMORY_PAGE));
	if (!refuse_second_page())
		skip();
	begin();
	assert_true(is_in_place(pages));
	assert_false(is_in_place(pages + MEMORY_PAGE + 100));
	assert_true(is_in_place(pages + 2 * MEMORY_PAGE));
}

/* Never met before: the first look must not be process_vm_readv's alone. */
static void test_first_look(void **state)
{
	(void)state;
	memory_reader_forget_known(reader->known);
	begin();
	assert_true(is_in_place(pages));
	assert_false(is_in_place(pages + MEMORY_PAGE + 200));
	begin();
	assert_false(is_in_place(pages + MEMORY_PAGE + 300));
}

/* What crosses into such a page is read by both ways, code as well, and only real lines are timed.
 */
static void test_across(void **state)
{
	struct cache_lines *lines = calloc(1, sizeof(*lines));
	uint8_t got[300], *at = pages + MEMORY_PAGE - 100;

	(void)state;
	assert_non_null(lines);
	cache_lines_begin(lines);
	reader->lines = lines;
	begin();
	memset(got, 0, sizeof(got));
	assert_true(reader->memory.read(reader, (uintptr_t)at, got, sizeof(got)));
	assert_memory_equal(got, at, sizeof(got));
	memset(got, 0, sizeof(got));
	assert_true(reader->memory.fetch(reader, (uintptr_t)at, got, sizeof(got)));
	assert_memory_equal(got, at, sizeof(got));
	assert_int_equal(lines->listed, 2); /* any load is slower than 0 ticks */
	for (unsigned i = 0; i < lines->listed; i++)
		assert_in_range((uintptr_t)lines->list[i], (uintptr_t)pages,
				(uintptr_t)pages + MEMORY_PAGE - 1);
	reader->lines = NULL;
	free(lines);
}

/* Of a page that is copied, the first line is timed, once in a look-ahead. */
static void test_copied_lines(void **state)
{
	struct cache_lines *lines = calloc(1, sizeof(*lines));

	(void)state;
	assert_non_null(lines);
	reader->lines = lines;
	cache_lines_begin(lines);
	memory_reader_begin(reader, true);
	read_byte(pages);
	assert_int_equal(lines->slow, 0); /* nobody asked for it */
	memory_reader_time_lines(reader, (uint64_t)1 << 60);
	read_byte(pages + MEMORY_PAGE);
	assert_int_equal(lines->slow, 0);
	reader->slow_ticks = 1; /* any call takes longer */
	for (unsigned i = 0; i < 2; i++) {
		memory_reader_begin(reader, true);
		read_byte(pages + 2 * MEMORY_PAGE);
		read_byte(pages + 2 * MEMORY_PAGE + 200);
		read_byte(pages); /* met before */
	}
	assert_int_equal(lines->slow, 1);
	assert_int_equal(lines->copied, 4);
	assert_int_equal(lines->listed, 0);
	reader->lines = NULL;
	reader->slow_ticks = 0;
	free(lines);
}

#define MANY (MEMORY_COPIES + 36u)

/* The pages that were asked for, where a run comes by each of many twice. */
static uint64_t ask_twice(const uint8_t *many)
{
	uint64_t before = reader->asked;

	memory_reader_begin(reader, true);
	for (unsigned i = 0; i < 2 * MANY; i++)
		assert_int_equal(read_byte(many + i % MANY * MEMORY_PAGE), i % MANY);
	return reader->asked - before;
}

/* More pages than there are places are copied again; with as many places as pages, none is. */
static void test_lent_places(void **state)
{
	uint8_t(*copies)[MEMORY_PAGE] = calloc(MEMORY_PAGES, MEMORY_PAGE);
	uint8_t *many = mmap(NULL, (size_t)MANY * MEMORY_PAGE, PROT_READ | PROT_WRITE,
			     MAP_PRIVATE | MAP_ANONYMOUS, -1, 0);

	(void)state;
	assert_non_null(copies);
	assert_true(many != MAP_FAILED);
	for (unsigned i = 0; i < MANY; i++)
		many[(size_t)i * MEMORY_PAGE] = (uint8_t)i;
	assert_true(ask_twice(many) > MANY);
	memory_reader_lend(reader, copies);
	assert_int_equal(ask_twice(many), MANY);
	process_memory_init(reader, reader->known);
	munmap(many, (size_t)MANY * MEMORY_PAGE);
	free(copies);
}

static unsigned ordinary_asked;

static bool count_ordinary(uint64_t address)
{
	(void)address;
	ordinary_asked++;
	return true;
}

static bool probe_nothing(uint64_t address)
{
	(void)address;
	return true;
}

#define FEW 300u

/* What is ordinary is asked once for a page, of those that share a first place as well. */
static void test_asked_once(void **state)
{
	static const struct memory_source source = {.is_ordinary = count_ordinary,
						    .probe = probe_nothing};
	const size_t span = (size_t)MEMORY_KNOWN * MEMORY_PAGE;
	uint8_t *room = mmap(NULL, 2 * span, PROT_READ, MAP_PRIVATE | MAP_ANONYMOUS | MAP_NORESERVE,
			     -1, 0);
	/* from a multiple of MEMORY_KNOWN on, so that no two pages have the same other place */
	uint8_t *many = room + (span - (uintptr_t)room % span) % span;
	/* and so far apart that no other place is a first one of these */
	uint64_t other = ((uintptr_t)many / span) % MEMORY_KNOWN / MEMORY_KNOWN_FIRST;
	size_t apart = (other == 1 ? 2 : 1) * MEMORY_KNOWN_FIRST;

	(void)state;
	assert_ptr_not_equal(room, MAP_FAILED);
	memory_reader_forget_known(reader->known);
	memory_reader_init(reader, reader->known, &source, 0);
	for (unsigned round = 0; round < 3; round++) {
		memory_reader_begin(reader, false);
		for (unsigned i = 0; i < FEW; i++) {
			read_byte(many + (size_t)i * MEMORY_PAGE);
			read_byte(many + (i + apart) * MEMORY_PAGE);
		}
		assert_int_equal(ordinary_asked, 2 * FEW);
	}
	process_memory_init(reader, reader->known);
	munmap(room, 2 * span);
}

/* Neither way reads what nobody may, and what was in place may be gone in the next run. */
static void test_unreadable(void **state)
{
	uint64_t word = 0;
	uint8_t byte;

	(void)state;
	begin();
	assert_true(is_in_place(pages));
	mprotect(pages + MEMORY_PAGE, MEMORY_PAGE, PROT_NONE);
	assert_true(process_memory_load((uintptr_t)pages + MEMORY_PAGE - 4, &word, 4));
	assert_memory_equal(&word, pages + MEMORY_PAGE - 4, 4);
	assert_false(process_memory_load((uintptr_t)pages + MEMORY_PAGE - 4, &word, 8));
	mprotect(pages, PAGES * MEMORY_PAGE, PROT_NONE);
	begin();
	for (unsigned i = 0; i < PAGES; i++)
		assert_false(
			reader->memory.read(reader, (uintptr_t)pages + i * MEMORY_PAGE, &byte, 1));
	munmap(pages, PAGES * MEMORY_PAGE);
	begin();
	assert_false(reader->memory.fetch(reader, (uintptr_t)pages, &byte, 1));
}

/* The kernel's page of clocks: loads would find it, and the kernel copies it for nobody. */
static uint64_t find_vvar(void)
{
	unsigned long begin = 0;
	char line[256], name[64] = "";
	FILE *maps = fopen("/proc/self/maps", "r");

	assert_non_null(maps);
	while (strcmp(name, "[vvar]") != 0 && fgets(line, sizeof(line), maps))
		if (sscanf(line, "%lx-%*x %*s %*s %*s %*s %63s", &begin, name) < 2)
			name[0] = 0;
	fclose(maps);
	return strcmp(name, "[vvar]") ? 0 : begin;
}

static void check_device(uint8_t *ordinary)
{
	uint64_t vvar = find_vvar(), word;

	memory_reader_forget_known(reader->known);
	begin();
	assert_true(is_in_place(ordinary));
	assert_true(process_memory_load((uintptr_t)ordinary, &word, sizeof(word)));
	assert_memory_equal(&word, ordinary, sizeof(word));
	if (!vvar)
		return;
	assert_false(reader->memory.read(reader, vvar, &word, sizeof(word)));
	assert_false(process_memory_load(vvar, &word, sizeof(word)));
}

static bool refuse_nodes(void)
{
	struct sock_filter code[] = {
		BPF_STMT(BPF_LD | BPF_W | BPF_ABS, offsetof(struct seccomp_data, nr)),
		BPF_JUMP(BPF_JMP | BPF_JEQ | BPF_K, SYS_get_mempolicy, 0, 1),
		BPF_STMT(BPF_RET | BPF_K, SECCOMP_RET_ERRNO | EPERM),
		BPF_STMT(BPF_RET | BPF_K, SECCOMP_RET_ALLOW),
	};
	struct sock_fprog program = {sizeof(code) / sizeof(code[0]), code};

	return !prctl(PR_SET_NO_NEW_PRIVS, 1, 0, 0, 0) &&
	       !prctl(PR_SET_SECCOMP, SECCOMP_MODE_FILTER, &program, 0, 0);
}

/* What a device's is is not loaded, with the call that tells a page's node and without it. */
static void test_device(void **state)
{
	static uint8_t ordinary[2 * MEMORY_PAGE];

	(void)state;
	ordinary[MEMORY_PAGE] = 1;
	check_device(&ordinary[MEMORY_PAGE]);
	if (!refuse_nodes())
		skip();
	check_device(&ordinary[MEMORY_PAGE]);
}

/* A page that holds its number everywhere. */
static bool copy_number(uint64_t pid, uint64_t address, void *out, size_t bytes)
{
	(void)pid;
	for (size_t at = 0; at < bytes; at += 8)
		memcpy((uint8_t *)out + at, &(uint64_t){address / MEMORY_PAGE}, 8);
	return true;
}

/* Whatever copies take each other's places, what was read is found where it is, or not at all. */
static void test_copies_of_many_pages(void **state)
{
	static const struct memory_source source = {.copy = copy_number};
	static struct memory_reader copies;
	static struct memory_known known;
	uint64_t number = 1, found;

	(void)state;
	memory_reader_init(&copies, &known, &source, 1);
	memory_reader_begin(&copies, true);
	for (unsigned i = 0; i < 100000; i++) {
		uint64_t address;
		const uint8_t *at;

		number = number * 6364136223846793005u + 1442695040888963407u;
		address = (0x10000 + (number >> 33) % 4096) * MEMORY_PAGE + 8;
		at = copies.memory.touch(&copies, address, 8);
		if (at)
			memcpy(&found, at, 8);
		else
			assert_true(copies.memory.read(&copies, address, &found, 8));
		assert_int_equal(found, address / MEMORY_PAGE);
	}
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(test_key_comes_later),
		cmocka_unit_test(test_first_look),
		cmocka_unit_test(test_across),
		cmocka_unit_test(test_copied_lines),
		cmocka_unit_test(test_lent_places),
		cmocka_unit_test(test_asked_once),
		cmocka_unit_test(test_copies_of_many_pages),
		cmocka_unit_test(test_unreadable),
		cmocka_unit_test(test_device),
	};

	reader = calloc(1, sizeof(*reader));
	pages = mmap(NULL, PAGES * MEMORY_PAGE, PROT_READ | PROT_WRITE, MAP_PRIVATE | MAP_ANONYMOUS,
		     -1, 0);
	if (!reader || pages == MAP_FAILED)
		return 1;
	for (unsigned i = 0; i < PAGES * MEMORY_PAGE; i++)
		pages[i] = (uint8_t)(i * 37 >> 3);
	process_memory_init(reader, calloc(1, sizeof(struct memory_known)));
	return cmocka_run_group_tests(tests, NULL, NULL);
}
