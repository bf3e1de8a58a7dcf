/* SPDX-License-Identifier: MIT */
/*
 * Source profiles: building, merging, names by consumer, the gcov file in its three versions and
 * LLVM's text, each read back by programs that are not ours.
 */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <cmocka.h>
#include <limits.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "base/error.h"
#include "base/file.h"
#include "base/memory.h"
#include "formats/gcov.h"
#include "formats/llvm_profile.h"
#include "formats/model/source_profile.h"
#include "whole_files.h"

static char directory[] = "/tmp/softlbr-profile-XXXXXX";

static const char *in_directory(const char *name)
{
	static char path[4][256];
	static unsigned at;
	char *p = path[at++ % 4];

	snprintf(p, 256, "%s/%s", directory, name);
	return p;
}

static int run(const char *format, ...)
{
	char command[2048];
	va_list list;

	va_start(list, format);
	vsnprintf(command, sizeof(command), format, list);
	va_end(list);
	return system(command);
}

static void need(const char *tool)
{
	if (run("command -v %s >/dev/null 2>&1", tool)) {
		print_message("PARTLY SKIPPED: %s is not installed\n", tool);
		skip();
	}
}

/* The whole of a small file, as text. */
static const char *text_of(const char *name)
{
	static char text[1 << 16];
	FILE *f = fopen(in_directory(name), "r");
	size_t n;

	assert_non_null(f);
	n = fread(text, 1, sizeof(text) - 1, f);
	text[n] = 0;
	fclose(f);
	return text;
}

static void line(struct source_profile *p, struct source_function *f, int at, unsigned disc,
		 uint64_t count, const char *callee, uint64_t calls)
{
	struct source_line *l = source_function_line(f, (struct source_position){at, disc});

	assert_non_null(l);
	l->count = count;
	if (callee)
		assert_int_equal(
			source_line_add_target(l, strings_add_text(p->strings, callee), calls), 0);
}

static struct source_function *function(struct source_profile *p, const char *name, uint64_t head)
{
	struct source_function *f = source_profile_function(p, strings_add_text(p->strings, name));

	assert_non_null(f);
	f->head = head;
	f->file = strings_add_text(p->strings, "a.c");
	return f;
}

static struct source_function *callee(struct source_profile *p, struct source_function *f, int at,
				      unsigned disc, const char *name)
{
	return source_function_callee(f, (struct source_position){at, disc},
				      strings_add_text(p->strings, name));
}

/* A profile with all that the formats know: clones, nesting, targets, wrapped lines, zeros. */
static void make(struct source_profile *p)
{
	struct source_function *f, *g;

	assert_int_equal(source_profile_init(p), 0);
	f = function(p, "work.isra.0", 10);
	f->first_run_ns = 70;
	line(p, f, 7, 0, 500, "zeta", 333);
	line(p, f, 7, 0, 500, "alpha", 167);
	line(p, f, 7, 2, 40, "zeta", 40);
	line(p, f, -2, 0, 9, NULL, 0);
	line(p, f, 1, 0, 10, NULL, 0);
	g = callee(p, f, 8, 1, "inner");
	line(p, g, 1, 0, 70, NULL, 0);
	g = callee(p, f, 8, 3, "inner");
	line(p, g, 1, 0, 5, NULL, 0);
	g = callee(p, g, 2, 0, "deepest");
	line(p, g, 3, 0, 0, NULL, 0);
	f = function(p, "work.cold", 0);
	f->first_run_ns = 30;
	line(p, f, 20, 0, 3, NULL, 0);
	f = function(p, "alpha", 167);
	line(p, f, 1, 0, 167, NULL, 0);
	f = function(p, "only.part.0", 0);
	line(p, f, 1, 0, 8, NULL, 0);
	assert_int_equal(source_profile_sort(p), 0);
}

static const struct source_function *find(const struct source_profile *p, const char *name)
{
	const struct source_function *f;

	vector_each (&p->functions, f)
		if (!strcmp(strings_text(p->strings, f->name), name))
			return f;
	return NULL;
}

static uint64_t count_of(const struct source_function *f, int at, unsigned disc)
{
	const struct source_line *l;

	vector_each (&f->lines, l)
		if (l->at.line == at && l->at.discriminator == disc)
			return l->count;
	return UINT64_MAX;
}

static void names_are_cut_as_consumers_cut_them(void **state)
{
	static const struct {
		const char *name;
		enum source_name_rule rule;
		const char *cut;
	} cases[] = {
		{"foo", SOURCE_NAMES_GCC, "foo"},
		{"foo.isra.0.cold", SOURCE_NAMES_GCC, "foo"},
		{".hidden.part.1", SOURCE_NAMES_GCC, ".hidden"},
		{"main._omp_fn.0", SOURCE_NAMES_GCC, "main"},
		{"main._omp_fn.0", SOURCE_NAMES_GCC16, "main._omp_fn.0"},
		{"foo.isra.0.part.12.cold", SOURCE_NAMES_GCC16, "foo"},
		{"foo.lto_priv.3", SOURCE_NAMES_GCC16, "foo"},
		{"isra.0", SOURCE_NAMES_GCC16, "isra.0"},
		{"foo.llvm.1234", SOURCE_NAMES_LLVM, "foo"},
		{"_ZL3foov.__uniq.77.llvm.1234", SOURCE_NAMES_LLVM, "_ZL3foov.__uniq.77"},
		{"_ZL3foov.__uniq.77.part.0.cold", SOURCE_NAMES_LLVM, "_ZL3foov.__uniq.77"},
		{"", SOURCE_NAMES_GCC, ""},
	};

	(void)state;
	for (size_t i = 0; i < sizeof(cases) / sizeof(*cases); i++) {
		size_t n = source_name_length(cases[i].name, cases[i].rule);

		assert_int_equal(n, strlen(cases[i].cut));
		assert_memory_equal(cases[i].name, cases[i].cut, n);
	}
	assert_true(source_name_is_part_of("foo.cold", "foo"));
	assert_true(source_name_is_part_of("foo.isra.0.cold", "foo.isra.0"));
	assert_true(source_name_is_part_of("foo.part.0", "foo"));
	assert_true(source_name_is_part_of("foo.__part.1", "foo"));
	assert_true(source_name_is_part_of("foo.part.0.cold", "foo.part.0"));
	assert_false(source_name_is_part_of("foo", "foo.cold"));
	assert_false(source_name_is_part_of("foo.isra.0", "foo"));
	assert_false(source_name_is_part_of("foobar.cold", "foo"));
}

static void clones_and_parts_are_added_up(void **state)
{
	struct source_profile p, gcc;
	const struct source_function *f;

	(void)state;
	make(&p);
	assert_int_equal(source_profile_for_consumer(&p, SOURCE_NAMES_GCC, &gcc), 0);
	assert_int_equal(gcc.functions.count, 3);
	f = find(&gcc, "work");
	assert_non_null(f);
	assert_int_equal(f->head, 10);
	assert_int_equal(count_of(f, 20, 0), 3);
	assert_int_equal(count_of(f, 65534, 0), 9);
	assert_int_equal(source_function_total(f), 500 + 40 + 9 + 10 + 70 + 5 + 3);
	f = find(&gcc, "only");
	assert_int_equal(f->head, 1); /* it ran */
	source_profile_deinit(&gcc);
	source_profile_deinit(&p);
}

/* Go's names are package.function; C of the same program has gcc's suffixes. */
static void dots_stay_where_they_are_part_of_names(void **state)
{
	static const enum source_name_rule rules[] = {SOURCE_NAMES_GCC, SOURCE_NAMES_LLVM};
	struct source_profile p, out;

	(void)state;
	for (size_t i = 0; i < sizeof(rules) / sizeof(*rules); i++) {
		assert_int_equal(source_profile_init(&p), 0);
		p.dotted_names = true;
		function(&p, "main.work", 3);
		function(&p, "main.main.func1", 3);
		function(&p, "c_part.isra.0.cold", 3);
		assert_int_equal(source_profile_for_consumer(&p, rules[i], &out), 0);
		assert_int_equal(out.functions.count, 3);
		assert_non_null(find(&out, "main.work"));
		assert_non_null(find(&out, "main.main.func1"));
		assert_non_null(find(&out, "c_part"));
		source_profile_deinit(&out);
		source_profile_deinit(&p);
	}
}

/* A macro's code, or what #line moves, may be above its function. */
static void call_sites_wrap_as_lines_do(void **state)
{
	struct source_profile p, out;
	struct source_function *f;

	(void)state;
	assert_int_equal(source_profile_init(&p), 0);
	f = function(&p, "below", 1);
	line(&p, f, -4, 0, 5, NULL, 0);
	line(&p, callee(&p, f, -4, 0, "above"), 1, 0, 7, NULL, 0);
	line(&p, callee(&p, f, 65532, 0, "above"), 1, 0, 2, NULL, 0);
	assert_int_equal(source_profile_sort(&p), 0);
	assert_int_equal(source_profile_for_consumer(&p, SOURCE_NAMES_LLVM, &out), 0);
	f = (struct source_function *)find(&out, "below");
	assert_int_equal(count_of(f, 65532, 0), 5);
	assert_int_equal(f->callsites.count, 1);
	assert_int_equal(f->callsites.items[0].at.line, 65532);
	assert_int_equal(count_of(&f->callsites.items[0].callee, 1, 0), 9);
	source_profile_deinit(&out);
	source_profile_deinit(&p);
}

static void a_constructor_is_that_of_the_complete_object(void **state)
{
	struct source_profile p, gcc;

	(void)state;
	assert_int_equal(source_profile_init(&p), 0);
	function(&p, "_ZN3boxC4Ev", 1);
	function(&p, "_ZN3boxD4Ev", 1);
	assert_int_equal(source_profile_for_consumer(&p, SOURCE_NAMES_GCC, &gcc), 0);
	assert_non_null(find(&gcc, "_ZN3boxC2Ev"));
	assert_non_null(find(&gcc, "_ZN3boxD2Ev"));
	source_profile_deinit(&gcc);
	source_profile_deinit(&p);
}

static void collapsing_leaves_the_greatest_record_of_a_line(void **state)
{
	struct source_profile p, gcc;
	const struct source_function *f;

	(void)state;
	make(&p);
	assert_int_equal(source_profile_for_consumer(&p, SOURCE_NAMES_GCC, &gcc), 0);
	assert_int_equal(gcov_collapse_profile(&gcc), 0);
	f = find(&gcc, "work");
	assert_int_equal(f->lines.count, 4);
	assert_int_equal(count_of(f, 7, 0), 500);
	assert_int_equal(f->lines.items[1].targets.count, 2);
	assert_int_equal(f->lines.items[1].targets.items[1].count, 373);
	assert_int_equal(f->callsites.count, 1);
	assert_int_equal(f->callsites.items[0].callee.lines.items[0].count, 75);
	source_profile_deinit(&gcc);
	source_profile_deinit(&p);
}

static void same(const struct source_function *a, const struct source_profile *pa,
		 const struct source_function *b, const struct source_profile *pb)
{
	assert_string_equal(strings_text(pa->strings, a->name), strings_text(pb->strings, b->name));
	assert_int_equal(a->head, b->head);
	assert_int_equal(a->lines.count, b->lines.count);
	for (size_t i = 0; i < a->lines.count; i++) {
		const struct source_line *x = &a->lines.items[i], *y = &b->lines.items[i];

		assert_int_equal(x->at.line, y->at.line);
		assert_int_equal(x->at.discriminator, y->at.discriminator);
		assert_int_equal(x->count, y->count);
		assert_int_equal(x->targets.count, y->targets.count);
		for (size_t k = 0; k < x->targets.count; k++) {
			assert_string_equal(strings_text(pa->strings, x->targets.items[k].name),
					    strings_text(pb->strings, y->targets.items[k].name));
			assert_int_equal(x->targets.items[k].count, y->targets.items[k].count);
		}
	}
	assert_int_equal(a->callsites.count, b->callsites.count);
	for (size_t i = 0; i < a->callsites.count; i++)
		same(&a->callsites.items[i].callee, pa, &b->callsites.items[i].callee, pb);
}

static void gcov_reads_back_what_it_wrote(void **state)
{
	struct softlbr_error e = {0};
	struct source_profile p, wanted, back;
	unsigned version;

	(void)state;
	make(&p);
	for (unsigned gcc = 11; gcc <= GCOV_NEWEST_GCC + 1; gcc++) {
		const char *path = in_directory("x.gcov");

		assert_int_equal(
			source_profile_for_consumer(
				&p, gcc >= 16 ? SOURCE_NAMES_GCC16 : SOURCE_NAMES_GCC, &wanted),
			0);
		if (gcc <= 12)
			gcov_collapse_profile(&wanted);
		if (gcc >= 16)
			gcov_drop_unseen(&wanted);
		assert_int_equal(gcov_write(&p, gcc, path, &e), 0);
		assert_int_equal(gcov_read(path, &back, &version, &e), 0);
		assert_int_equal(version, gcov_version_for(gcc));
		assert_true(gcov_newest_gcc_for(version) >= gcc || gcc > GCOV_NEWEST_GCC);
		assert_int_equal(back.functions.count, wanted.functions.count);
		for (size_t i = 0; i < back.functions.count; i++)
			same(&back.functions.items[i], &back, &wanted.functions.items[i], &wanted);
		/* the earlier one of both parts, and of two profiles */
		assert_int_equal(find(&back, "work")->first_run_ns, version < 3 ? 0 : 30);
		assert_int_equal(source_profile_add(&back, &p, 3), 0);
		assert_int_equal(find(&back, "work.cold")->first_run_ns, 30);
		assert_int_equal(find(&back, "alpha")->first_run_ns, 0);
		source_profile_deinit(&back);
		source_profile_deinit(&wanted);
	}
	assert_int_equal(gcov_write(&p, 4, in_directory("y"), &e), -SOFTLBR_E_USAGE);
	source_profile_deinit(&p);
}

/* GCC inlines whatever has a total of 2; a discriminator that does not fit would be another line's.
 */
static void noise_and_what_does_not_fit_are_left_out(void **state)
{
	struct softlbr_error e = {0};
	const struct source_function *f;
	struct source_profile p, back;
	struct source_function *g;
	unsigned version;

	(void)state;
	assert_int_equal(source_profile_init(&p), 0);
	f = function(&p, "caller", 10);
	line(&p, (struct source_function *)f, 1, 0, 100, NULL, 0);
	line(&p, (struct source_function *)f, 2, 70000, 50, NULL, 0);
	g = callee(&p, (struct source_function *)f, 3, 0, "once");
	line(&p, g, 1, 0, 1, NULL, 0);
	g = callee(&p, (struct source_function *)f, 4, 0, "twice");
	line(&p, g, 1, 0, 2, NULL, 0);
	g = callee(&p, (struct source_function *)f, 5, 0, "never");
	line(&p, g, 1, 0, 0, NULL, 0);
	assert_int_equal(source_profile_sort(&p), 0);
	assert_int_equal(gcov_write(&p, 13, in_directory("noise.gcov"), &e), 0);
	assert_int_equal(gcov_read(in_directory("noise.gcov"), &back, &version, &e), 0);
	f = find(&back, "caller");
	assert_non_null(f);
	assert_int_equal(f->lines.count, 1);
	assert_int_equal(count_of(f, 1, 0), 100);
	assert_int_equal(f->callsites.count, 2);
	assert_string_equal(strings_text(back.strings, f->callsites.items[0].callee.name), "twice");
	assert_string_equal(strings_text(back.strings, f->callsites.items[1].callee.name), "never");
	source_profile_deinit(&back);
	/* GCC 16 warns of calls that it does not find */
	assert_int_equal(gcov_write(&p, 16, in_directory("noise.gcov"), &e), 0);
	assert_int_equal(gcov_read(in_directory("noise.gcov"), &back, &version, &e), 0);
	f = find(&back, "caller");
	assert_int_equal(f->callsites.count, 1);
	assert_string_equal(strings_text(back.strings, f->callsites.items[0].callee.name), "twice");
	source_profile_deinit(&back);
	source_profile_deinit(&p);
}

static void a_cut_gcov_is_refused_at_every_byte(void **state)
{
	struct softlbr_error e = {0};
	struct source_profile p, back;
	struct file_view v;

	(void)state;
	make(&p);
	for (unsigned gcc = 11; gcc <= 16; gcc++) {
		assert_int_equal(gcov_write(&p, gcc, in_directory("x.gcov"), &e), 0);
		assert_int_equal(file_view_open(&v, in_directory("x.gcov"), &e), 0);
		for (size_t n = 0; n < v.size; n++) {
			uint8_t *cut = memory_alloc(n + 1); /* its own block: for ASan */

			memcpy(cut, v.data, n);
			error_clear(&e);
			assert_int_equal(gcov_read_bytes(cut, n, "cut", &back, NULL, &e),
					 -SOFTLBR_E_INPUT);
			assert_non_null(strstr(e.text, "cut"));
			source_profile_deinit(&back);
			memory_free(cut);
		}
		error_clear(&e);
		file_view_close(&v);
	}
	source_profile_deinit(&p);
}

static void gcov_is_read_by_others(void **state)
{
	struct softlbr_error e = {0};
	struct source_profile p;

	(void)state;
	make(&p);
	assert_int_equal(gcov_write(&p, 16, in_directory("16.gcov"), &e), 0);
	assert_int_equal(gcov_write(&p, 14, in_directory("14.gcov"), &e), 0);
	assert_int_equal(gcov_write(&p, 11, in_directory("11.gcov"), &e), 0);
	source_profile_deinit(&p);
	/* The oracle's own writer makes the same bytes from what it read. */
	for (int gcc = 11, v = 1; v <= 3; v++, gcc = v == 2 ? 14 : 16) {
		assert_int_equal(run("d=%s; python3 tests/oracles/gcov_profile.py copy $d/%d.gcov "
				     "$d/again && cmp $d/again $d/%d.gcov",
				     directory, gcc, gcc),
				 0);
		assert_int_equal(run("python3 tests/oracles/gcov_profile.py dump %s/%d.gcov "
				     ">%s/dump",
				     directory, gcc, directory),
				 0);
		assert_non_null(strstr(text_of("dump"), "work head 10"));
		assert_non_null(strstr(text_of("dump"), "65534.0: 9"));
	}
}

static void dump_gcov_reads_version_1(void **state)
{
	struct softlbr_error e = {0};
	struct source_profile p;

	(void)state;
	need("dump_gcov");
	make(&p);
	assert_int_equal(gcov_write(&p, 11, in_directory("11.gcov"), &e), 0);
	source_profile_deinit(&p);
	assert_int_equal(
		run("dump_gcov --gcov_version=1 %s/11.gcov >%s/dump 2>&1", directory, directory),
		0);
	assert_non_null(strstr(text_of("dump"), "work total:"));
	assert_non_null(strstr(text_of("dump"), "alpha:167"));
}

/* LLVM insists on another version word; the rest is version 1. */
static void llvm_profdata_reads_version_1(void **state)
{
	struct softlbr_error e = {0};
	struct source_profile p;

	(void)state;
	need("llvm-profdata" LLVM);
	make(&p);
	assert_int_equal(gcov_write(&p, 11, in_directory("11.gcov"), &e), 0);
	source_profile_deinit(&p);
	assert_int_equal(run("cd %s && printf '*704' | dd of=11.gcov bs=1 seek=4 conv=notrunc "
			     "2>/dev/null && llvm-profdata" LLVM
			     " merge --sample --text 11.gcov -o t",
			     directory),
			 0);
	assert_string_equal(text_of("t"), "work:597:10\n"
					  " 1: 10\n"
					  " 7: 500 zeta:373 alpha:167\n"
					  " 20: 3\n"
					  " 65534: 9\n"
					  " 8: inner:75\n"
					  "  1: 75\n"
					  "  2: deepest:0\n"
					  "   3: 0\n"
					  "alpha:167:167\n"
					  " 1: 167\n"
					  "only:8:1\n"
					  " 1: 8\n");
}

static void llvm_text_is_what_llvm_profdata_writes(void **state)
{
	static const char *const tools[] = {"llvm-profdata-16", "llvm-profdata" LLVM};
	struct softlbr_error e = {0};
	struct source_profile p;

	(void)state;
	make(&p);
	assert_int_equal(llvm_text_write(&p, in_directory("p.txt"), &e), 0);
	source_profile_deinit(&p);
	assert_string_equal(text_of("p.txt"), "work:637:10\n"
					      " 1: 10\n"
					      " 7: 500 zeta:333 alpha:167\n"
					      " 7.2: 40 zeta:40\n"
					      " 20: 3\n"
					      " 65534: 9\n"
					      " 8.1: inner:70\n"
					      "  1: 70\n"
					      " 8.3: inner:5\n"
					      "  1: 5\n"
					      "  2: deepest:0\n"
					      "   3: 0\n"
					      "alpha:167:167\n"
					      " 1: 167\n"
					      "only:8:1\n"
					      " 1: 8\n");
	for (int i = 0; i < 2; i++) {
		need(tools[i]);
		assert_int_equal(run("cd %s && %s merge --sample --text p.txt -o again && "
				     "cmp p.txt again",
				     directory, tools[i]),
				 0);
	}
}

static void summary_counts_the_hottest_first(void **state)
{
	struct profile_summary s;
	struct source_profile p;

	(void)state;
	make(&p);
	assert_int_equal(source_profile_summarize(&p, &s), 0);
	source_profile_deinit(&p);
	assert_int_equal(s.total, 500 + 40 + 9 + 10 + 70 + 5 + 0 + 3 + 167 + 8);
	assert_int_equal(s.greatest, 500);
	assert_int_equal(s.greatest_head, 167);
	assert_int_equal(s.counts, 10);
	assert_int_equal(s.entries[5].cutoff, 500000);
	assert_int_equal(s.entries[5].counts, 1); /* 500 of 812 */
	assert_int_equal(s.entries[8].cutoff, 800000);
	assert_int_equal(s.entries[8].least, 167); /* 500 + 167 of 812 = 82 % */
	assert_int_equal(s.entries[15].counts, 9); /* all but the zero */
}

static void every_failed_allocation_is_survived(void **state)
{
	struct softlbr_error e;
	struct source_profile p;
	size_t failures = 0;

	(void)state;
	make(&p);
	for (size_t n = 1; n < 400; n++) {
		int rc;

		error_clear(&e);
		memory_fail_at(n);
		rc = gcov_write(&p, 12, in_directory("oom"), &e);
		if (!rc)
			rc = llvm_text_write(&p, in_directory("oom"), &e);
		memory_fail_at(0);
		assert_true(!rc || e.code == SOFTLBR_E_SYSTEM);
		failures += rc != 0;
	}
	assert_true(failures > 50);
	source_profile_deinit(&p);
}

static int set_up(void **state)
{
	(void)state;
	return mkdtemp(directory) ? 0 : -1;
}

static int tear_down(void **state)
{
	(void)state;
	return run("rm -rf %s", directory);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(names_are_cut_as_consumers_cut_them),
		cmocka_unit_test(clones_and_parts_are_added_up),
		cmocka_unit_test(dots_stay_where_they_are_part_of_names),
		cmocka_unit_test(call_sites_wrap_as_lines_do),
		cmocka_unit_test(a_constructor_is_that_of_the_complete_object),
		cmocka_unit_test(collapsing_leaves_the_greatest_record_of_a_line),
		cmocka_unit_test(gcov_reads_back_what_it_wrote),
		cmocka_unit_test(noise_and_what_does_not_fit_are_left_out),
		cmocka_unit_test(a_cut_gcov_is_refused_at_every_byte),
		cmocka_unit_test(gcov_is_read_by_others),
		cmocka_unit_test(dump_gcov_reads_version_1),
		cmocka_unit_test(llvm_profdata_reads_version_1),
		cmocka_unit_test(llvm_text_is_what_llvm_profdata_writes),
		cmocka_unit_test(summary_counts_the_hottest_first),
		cmocka_unit_test(every_failed_allocation_is_survived),
	};

	return cmocka_run_group_tests(tests, set_up, tear_down);
}
