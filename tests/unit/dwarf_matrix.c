/* SPDX-License-Identifier: MIT */
/*
 * Debug information of every compiler, in every shape and place, against llvm-symbolizer: for every
 * instruction of every function the same inline stack, lines, function lines and discriminators.
 * Every line table against llvm-dwarfdump, row by row.
 * Without arguments a part; with `all` everything, which takes minutes.
 */
#include "tests/unit/symbolizer.h"

#include "converter/debuginfo/debuginfo_private.h"
#include "converter/dwarf/dwarf.h"

static bool all;

struct compiler {
	const char *c, *cxx, *lld, *lto, *dwp;
	bool clang;
};

static const struct compiler compilers[] = {
	{"gcc", "g++", NULL, "-flto", "dwp", false},
	{"clang" LLVM, "clang++" LLVM, "ld.lld" LLVM, "-flto -fuse-ld=lld" LLVM, "llvm-dwp" LLVM,
	 true},
	{"clang-16", "clang++-16", "ld.lld-16", "-flto -fuse-ld=lld-16", "llvm-dwp-16", true},
	{"clang-14", "clang++-14", "ld.lld-16", "-flto -fuse-ld=lld-16", "llvm-dwp-16", true},
};
#define COMPILERS (all ? sizeof(compilers) / sizeof(*compilers) : 2)

static size_t compared, instructions, rows;

/* ---- line tables, row by row, against llvm-dwarfdump ---- */

struct table {
	struct dwarf_row list[20000];
	size_t count;
};

/* A sequence has ended: as ours, without what the linker removed and without rows of no code. */
static void end_sequence(struct table *t, size_t first)
{
	struct dwarf_row end = t->list[t->count - 1];

	while (t->count - 1 > first && t->list[t->count - 2].address == end.address)
		t->count--;
	t->list[t->count - 1] = end;
	if (!t->list[first].address || t->list[first].address >= UINT64_MAX - 1)
		t->count = first;
}

/* The table that llvm-dwarfdump prints next; its heading was read when the one before ended. */
static void read_table(FILE *f, struct table *t)
{
	unsigned long line, column, file, isa, discriminator;
	uint64_t address;
	size_t first = 0;
	char text[400];

	t->count = 0;
	while (fgets(text, sizeof(text), f) && strncmp(text, "debug_line[", 11)) {
		if (sscanf(text, "0x%" SCNx64 " %lu %lu %lu %lu %lu", &address, &line, &column,
			   &file, &isa, &discriminator) != 6)
			continue;
		assert_true(t->count < 20000);
		t->list[t->count++] = (struct dwarf_row){address,
							 (int32_t)line,
							 (uint32_t)column,
							 (uint32_t)file,
							 (uint32_t)discriminator,
							 strstr(text, "end_sequence") != NULL};
		if (strstr(text, "end_sequence")) {
			end_sequence(t, first);
			first = t->count;
		}
	}
}

static int by_address(const void *x, const void *y)
{
	const struct dwarf_row *a = x, *b = y;

	if (a->address != b->address)
		return a->address < b->address ? -1 : 1;
	return a->end != b->end ? (a->end ? -1 : 1) : 0;
}

/* Rows of equal address keep their order: no two tables of these programs share code. */
static void sort(struct table *t)
{
	for (size_t i = 1; i < t->count; i++) {
		struct dwarf_row row = t->list[i];
		size_t at = i;

		for (; at && by_address(&row, &t->list[at - 1]) < 0; at--)
			t->list[at] = t->list[at - 1];
		t->list[at] = row;
	}
}

/* Every table of .debug_line in turn, whichever unit it is of. */
static void same_lines(const char *label, const char *reference)
{
	struct elf_file *file = elf_file_open(in_directory(reference), NULL);
	struct dwarf_file dwarf = {0};
	static struct table theirs;
	char command[400];
	uint64_t offset = 0;
	FILE *f;

	if (!tools_have("llvm-dwarfdump" LLVM))
		return;
	assert_non_null(file);
	assert_int_equal(dwarf_load(file, &dwarf), 0);
	assert_true(dwarf.units.count > 0);
	snprintf(command, sizeof(command), "llvm-dwarfdump" LLVM " --debug-line %s 2>/dev/null",
		 in_directory(reference));
	f = popen(command, "r");
	assert_non_null(f);
	read_table(f, &theirs); /* what is before the first */
	while (offset < dwarf.sections.of[DWARF_LINE].size) {
		struct cursor c = dwarf_form_cursor(&dwarf.sections, DWARF_LINE, offset);
		struct dwarf_lines ours = {0};
		uint8_t offset_size;
		uint64_t length = dwarf_form_length(&c, &offset_size);

		assert_true(length > 0);
		read_table(f, &theirs);
		sort(&theirs);
		assert_int_equal(dwarf_lines_read(&dwarf.units.items[0], offset, &ours), 0);
		if (ours.damaged || ours.rows.count != theirs.count)
			fail_msg("%s: %zu rows of %zu", label, ours.rows.count, theirs.count);
		for (size_t i = 0; i < theirs.count; i++) {
			const struct dwarf_row *a = &ours.rows.items[i], *b = &theirs.list[i];

			if (a->address != b->address || a->end != b->end ||
			    (!a->end &&
			     (a->line != b->line || a->column != b->column || a->file != b->file ||
			      a->discriminator != b->discriminator)))
				fail_msg("%s: row %zu at %" PRIx64
					 ": file %u line %d column %u discriminator %u, not "
					 "%" PRIx64 " %u %d %u %u",
					 label, i, a->address, a->file, a->line, a->column,
					 a->discriminator, b->address, b->file, b->line, b->column,
					 b->discriminator);
		}
		rows += theirs.count;
		dwarf_lines_deinit(&ours);
		offset = c.at + length;
	}
	pclose(f);
	dwarf_close(&dwarf);
	elf_file_close(file);
}

/* @what is code that has debug information as @reference has it. */
static void same(const char *label, const char *what, const char *reference)
{
	struct tally t = compare_binary(in_directory(what), in_directory(reference));

	if (t.wrong || t.inlined < 50)
		fail_msg("%s: %zu of %zu instructions differ, %zu inlined", label, t.wrong,
			 t.instructions, t.inlined);
	same_lines(label, reference);
	compared++;
	instructions += t.instructions;
}

static void compile(const struct compiler *c, bool cxx, const char *flags, const char *out)
{
	run("%s -w -O2 %s %s %s -o %s", cxx ? c->cxx : c->c,
	    c->clang ? "-fdebug-info-for-profiling" : "", flags, cxx ? "a.cc" : "a.c", out);
}

/* Every compiler that is there, C and C++. */
static void each(void (*check)(const struct compiler *c, bool cxx, const char *label))
{
	size_t ran = 0;

	compared = instructions = rows = 0;
	for (size_t i = 0; i < COMPILERS; i++)
		for (int cxx = 0; cxx < 2; cxx++) {
			char label[64];

			if (!tools_have(cxx ? compilers[i].cxx : compilers[i].c) ||
			    !tools_have(SYMBOLIZER))
				continue;
			snprintf(label, sizeof(label), "%s",
				 cxx ? compilers[i].cxx : compilers[i].c);
			check(&compilers[i], cxx, label);
			ran++;
		}
	print_message("%zu binaries, %zu instructions, %zu rows, no difference\n", compared,
		      instructions, rows);
	if (!ran)
		skip();
}

static void check_flags(const struct compiler *c, bool cxx, const char *label)
{
	static const char *const flags[] = {
		"-g -gdwarf-5",
		"-g1 -gdwarf-4",
		"-g1 -gdwarf-5 -no-pie",
		"-g -gdwarf-4",
		"-g -gdwarf-3",
		"-g -gdwarf-2",
		"-g -gdwarf-5 -O3",
		"-g -gdwarf-4 -O1",
		"-g -gdwarf-5 -static",
		"-g -gdwarf-4 -fdebug-types-section",
		"-g -gdwarf-5 -ffunction-sections -Wl,--gc-sections",
	};

	for (size_t i = 0; i < (all ? sizeof(flags) / sizeof(*flags) : 2); i++) {
		char text[200];

		compile(c, cxx, flags[i], "plain");
		snprintf(text, sizeof(text), "%s %s", label, flags[i]);
		same(text, "plain", "plain");
	}
}

static void flags(void **state)
{
	(void)state;
	each(check_flags);
}

static void check_linkers(const struct compiler *c, bool cxx, const char *label)
{
	char linked[100];

	if (!c->lld || tools_have(c->lld)) {
		snprintf(linked, sizeof(linked), "-g %s", c->lto);
		compile(c, cxx, linked, "lto");
		same(label, "lto", "lto");
	}
	if (!c->lld || !tools_have(c->lld)) /* gcc knows LLD by another name */
		return;
	snprintf(linked, sizeof(linked), "-g -ffunction-sections -Wl,--gc-sections -fuse-ld=%s",
		 c->lld + 3);
	compile(c, cxx, linked, "lld");
	same(label, "lld", "lld");
}

static void linkers(void **state)
{
	(void)state;
	each(check_linkers);
}

static void check_split(const struct compiler *c, bool cxx, const char *label)
{
	/* with type units, GCC's DWARF 5 has many .debug_info.dwo in one file */
	for (int version = 4; version <= 6; version++) {
		char flags_text[100], name[48];

		/* the truth: the same build, not split */
		snprintf(flags_text, sizeof(flags_text), "-g -gdwarf-%d%s",
			 version < 6 ? version : 5, version < 6 ? "" : " -fdebug-types-section");
		compile(c, cxx, flags_text, "whole");
		run("rm -f *.dwo *.dwp; %s -w -O2 %s %s -gsplit-dwarf -c %s -o part.o",
		    cxx ? c->cxx : c->c, c->clang ? "-fdebug-info-for-profiling" : "", flags_text,
		    cxx ? "a.cc" : "a.c");
		run("%s part.o -o split", cxx ? c->cxx : c->c);
		snprintf(name, sizeof(name), "split DWARF %d%s", version < 6 ? version : 5,
			 version < 6 ? "" : ", type units");
		print_message("%s %s\n", label, name);
		same(label, "split", "whole");
		if (!tools_have(c->dwp) || (version >= 5 && !c->clang))
			continue; /* binutils' dwp reads DWARF 4 only */
		run("%s -e split -o split.dwp && rm -f *.dwo", c->dwp);
		same(label, "split", "whole");
	}
}

static void split(void **state)
{
	(void)state;
	each(check_split);
}

static void check_places(const struct compiler *c, bool cxx, const char *label)
{
	compile(c, cxx, "-g -Wl,--build-id", "whole");
	run("rm -rf .debug zlib gnu zstd stripped linked; objcopy --compress-debug-sections=zlib "
	    "whole zlib");
	same(label, "zlib", "whole");
	run("objcopy --compress-debug-sections=zlib-gnu whole gnu");
	same(label, "gnu", "whole");
	if (tools_have("llvm-objcopy" LLVM)) {
		run("llvm-objcopy" LLVM " --compress-debug-sections=zstd whole zstd");
		same(label, "zstd", "whole");
	}
	run("objcopy --only-keep-debug whole whole.debug && mkdir .debug && mv whole.debug .debug && "
	    "strip -s whole -o linked && cd .debug && objcopy --add-gnu-debuglink=whole.debug "
	    "../linked");
	same(label, "linked", "whole");
}

static void places(void **state)
{
	(void)state;
	each(check_places);
}

static void no_build_id(const char *name)
{
	struct binary *b = binary_open(in_directory(name), NULL);

	assert_non_null(b);
	assert_int_equal(binary_build_id(b)->size, 0);
	binary_close(b);
}

static void check_dwz(const struct compiler *c, bool cxx, const char *label)
{
	if (!tools_have("dwz"))
		return;
	/* this version of dwz does not read DWARF 5 of clang */
	compile(c, cxx, "-g -gdwarf-4 -Wl,--build-id", "whole");
	run("rm -f shared one two; cp whole one; cp whole two; dwz -m shared one two 2>dwz.log");
	same(label, "one", "whole");
	if (c->clang)
		return;
	/* the supplementary file as DWARF 5 has it; without a build-id, the program has none */
	compile(c, cxx, "-g -gdwarf-5 -Wl,--build-id=none", "whole");
	run("rm -f shared one two; cp whole one; cp whole two; dwz -5 -m shared one two 2>dwz.log");
	run("readelf -SW one | grep -q debug_sup");
	same(label, "one", "whole");
	no_build_id("one");
}

static void dwz(void **state)
{
	(void)state;
	each(check_dwz);
}

int main(int argc, char **argv)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(flags),  cmocka_unit_test(linkers), cmocka_unit_test(split),
		cmocka_unit_test(places), cmocka_unit_test(dwz),
	};

	all = argc > 1 && !strcmp(argv[1], "all");
	return cmocka_run_group_tests(tests, make_directory, remove_directory);
}
