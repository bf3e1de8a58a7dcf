/* SPDX-License-Identifier: MIT */
/*
 * Look-ahead replayed from recorded registers and memory, with no perf event and no program: the
 * recordings are traces that tests/live/lockstep.c verified against the machine (its --save).
 */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <cmocka.h>
#include <elf.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include "tests/snapshot.h"

#define LINE_BYTES   32u
#define LINES_MAX    4096u
#define BRANCHES_MAX 512u

struct line {
	uint64_t address;
	uint8_t bytes[LINE_BYTES];
};

struct branch {
	uint64_t from, to;
};

static struct line lines[LINES_MAX];
static struct branch branches[BRANCHES_MAX];
static unsigned line_count, branch_count;
static struct snapshot registers;
static struct isa_state state;

static bool parse_bytes(const char *text, uint8_t *out, size_t count)
{
	for (size_t i = 0; i < count; i++) {
		unsigned byte;

		if (sscanf(text + 2 * i, "%2x", &byte) != 1)
			return false;
		out[i] = (uint8_t)byte;
	}
	return true;
}

static void load_fixture(const char *path)
{
	static char text[32768];
	FILE *f = fopen(path, "r");

	if (!f)
		fail_msg("%s: cannot be opened", path);
	line_count = branch_count = 0;
	while (fgets(text, sizeof(text), f)) {
		struct branch b;
		struct line l;
		int at;

		if (sscanf(text, "branch %lx %lx", &b.from, &b.to) == 2) {
			assert_true(branch_count < BRANCHES_MAX);
			branches[branch_count++] = b;
		} else if (sscanf(text, "memory %lx %n", &l.address, &at) == 1) {
			assert_true(line_count < LINES_MAX);
			assert_true(parse_bytes(text + at, l.bytes, LINE_BYTES));
			lines[line_count++] = l;
		} else {
			assert_true(!strncmp(text, "registers ", 10));
			assert_true(
				parse_bytes(text + 10, (uint8_t *)&registers, sizeof(registers)));
		}
	}
	fclose(f);
}

static bool read_byte(uint64_t address, uint8_t *out)
{
	for (unsigned i = 0; i < line_count; i++) {
		if (address - lines[i].address < LINE_BYTES) {
			*out = lines[i].bytes[address - lines[i].address];
			return true;
		}
	}
	return false;
}

static bool read_memory(void *context, uint64_t address, void *out, size_t bytes)
{
	(void)context;
	for (size_t i = 0; i < bytes; i++) {
		if (!read_byte(address + i, (uint8_t *)out + i))
			return false;
	}
	return true;
}

static const struct isa_memory memory = {.read = read_memory};

static enum isa_outcome evaluate_next(void)
{
	uint64_t pc = isa_state_pc(&state);
	struct isa_record r;
	uint8_t bytes[15];
	size_t size = 15;

	while (size && !read_memory(NULL, pc, bytes, size))
		size--;
	if (!isa_record_decode(bytes, size, pc, &r))
		fail_msg("nothing decodes at %lx", pc);
	return isa_evaluate(&r, &state, &memory);
}

static void follow(void)
{
	for (unsigned taken = 0; taken < branch_count;) {
		uint64_t from = isa_state_pc(&state);

		switch (evaluate_next()) {
		case ISA_TAKEN:
			assert_int_equal(branches[taken].from, from);
			assert_int_equal(branches[taken].to, isa_state_pc(&state));
			taken++;
			break;
		case ISA_NEXT:
			break;
		default:
			fail_msg("stop at %lx: %s", from, isa_state_cause(&state));
		}
	}
}

static void replay(const char *name)
{
	char path[256];

	snprintf(path, sizeof(path), "tests/unit/replay/%s.trace", name);
	load_fixture(path);
	assert_true(branch_count >= 16);
	for (unsigned i = 0; i < 2; i++) { /* the second is not disturbed by the first's stores */
		snapshot_load(&state, &registers);
		follow();
	}
}

static void lua(void **s)
{
	(void)s;
	replay("lua");
}

static void python(void **s)
{
	(void)s;
	replay("python");
}

static void sqlite(void **s)
{
	(void)s;
	replay("sqlite");
}

/* What look-ahead was not told is unknown, and a branch on it unresolved; nothing is made up. */
static void without_memory(void **s)
{
	static const uint8_t code[] = {0x48, 0x8b, 0x07, 0x48, 0x85, 0xc0, 0x74, 0x00};
	struct snapshot start = {.pc = 0x1000, .gpr = {[7] = 0x5000}};

	(void)s;
	line_count = 1;
	lines[0] = (struct line){.address = 0x1000};
	memcpy(lines[0].bytes, code, sizeof(code));
	snapshot_load(&state, &start);
	assert_int_equal(evaluate_next(), ISA_NEXT); /* mov rax, [rdi] */
	assert_int_equal(evaluate_next(), ISA_NEXT); /* test rax, rax */
	assert_int_equal(evaluate_next(), ISA_UNRESOLVED);
	assert_int_equal(isa_state_pc(&state), 0x1006);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(lua),
		cmocka_unit_test(python),
		cmocka_unit_test(sqlite),
		cmocka_unit_test(without_memory),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
