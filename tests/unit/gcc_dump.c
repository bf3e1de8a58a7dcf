/* SPDX-License-Identifier: MIT */
/* gcc's dumps of its control-flow graphs, of gcc 11 and 12 (tests/data/gcc_dump): read, refused
 * where they are not the .gcno file's, and found in a directory of keys. */
#include <limits.h>
#include <setjmp.h>
#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include <cmocka.h>

#include "base/file.h"
#include "base/memory.h"
#include "converter/gcc/files/gcc_graph.h"
#include "converter/gcc/files/gcc_dump_parts.h"
#include "converter/gcc/files/key_directory.h"

#define DATA "tests/data/gcc_dump"

static const struct {
	const char *folder, *pass;
} compilers[] = {{DATA "/11", "067"}, {DATA "/12", "069"}};

#define COMPILERS (sizeof(compilers) / sizeof(compilers[0]))

/* A .gcno file and the dump beside it, as text that may be changed. */
struct pair {
	struct gcc_graph graph;
	char *dump;
	size_t size;
};

static char *read_text(const char *path, size_t *size)
{
	struct softlbr_error e = {0};
	struct file_view v;
	char *text;

	if (file_view_open(&v, path, &e))
		fail_msg("%s", e.text);
	text = malloc(v.size + 1);
	assert_non_null(text);
	memcpy(text, v.data, v.size);
	text[v.size] = 0;
	*size = v.size;
	file_view_close(&v);
	return text;
}

static void open_pair(struct pair *p, size_t compiler, const char *graph, const char *source)
{
	struct softlbr_error e = {0};
	char path[256], *gcno;
	size_t size;

	snprintf(path, sizeof(path), "%s/%s.gcno", compilers[compiler].folder, graph);
	gcno = read_text(path, &size);
	if (gcno_read_bytes((uint8_t *)gcno, size, path, &p->graph, &e))
		fail_msg("%s", e.text);
	free(gcno);
	snprintf(path, sizeof(path), "%s/%s.%s.%si.profile", compilers[compiler].folder, source,
		 source, compilers[compiler].pass);
	p->dump = read_text(path, &p->size);
}

static void close_pair(struct pair *p)
{
	gcc_graph_deinit(&p->graph);
	free(p->dump);
}

static int read_dump(struct pair *p, struct softlbr_error *e)
{
	return gcc_dump_read_bytes((uint8_t *)p->dump, p->size, "x.profile", &p->graph, e);
}

static const struct gcc_function *function_named(const struct gcc_graph *g, const char *name)
{
	const struct gcc_function *f;

	vector_each (&g->functions, f)
		if (!strcmp(strings_text(g->strings, f->name), name))
			return f;
	fail_msg("no function %s", name);
	return NULL;
}

static const char *text(const struct pair *p, uint32_t number)
{
	return strings_text(p->graph.strings, number);
}

/* "callee:line:column ..." */
static const char *calls_of(const struct pair *p, const char *name)
{
	static char all[512];
	const struct gcc_function *f = function_named(&p->graph, name);
	const struct gcc_call *c;
	size_t length = 0;

	all[0] = 0;
	vector_each (&f->calls, c)
		length += (size_t)snprintf(all + length, sizeof(all) - length, "%s%s:%u:%u",
					   length ? " " : "", c->callee ? text(p, c->callee) : "?",
					   c->at.line, c->at.column);
	return all;
}

static unsigned gotos_of(const struct pair *p, const char *name)
{
	const struct gcc_function *f = function_named(&p->graph, name);
	const struct gcc_block *b;
	unsigned n = 0;

	vector_each (&f->blocks, b)
		n += b->computed_goto;
	return n;
}

static struct gcc_guess guess_of(const struct gcc_function *f, uint32_t from, uint32_t to)
{
	const struct gcc_guess *g;

	vector_each (&f->guesses, g)
		if (g->from == from && g->to == to)
			return *g;
	return (struct gcc_guess){.per_mille = UINT32_MAX};
}

static void check_c(struct pair *p)
{
	const struct gcc_function *f = function_named(&p->graph, "other");

	assert_int_equal(f->blocks.count, 5);
	assert_int_equal(f->blocks.items[2].condition.line, 7);
	assert_int_equal(f->blocks.items[2].condition.column, 53);
	assert_string_equal(text(p, f->blocks.items[2].condition.file), "a file.y");
	assert_int_equal(f->blocks.items[3].discriminator, 1);
	assert_int_equal(f->blocks.items[4].discriminator, 4);
	assert_true(guess_of(f, 2, 3).per_mille == 330);
	assert_true(guess_of(f, 2, 4).per_mille == 670);
	assert_true(guess_of(f, 4, 1).per_mille == 1000);
	assert_int_equal(guess_of(f, 2, 3).edge, GCC_EDGE_TRUE);
	assert_int_equal(guess_of(f, 2, 4).edge, GCC_EDGE_FALSE);
	assert_int_equal(guess_of(f, 4, 1).edge, GCC_EDGE_ALWAYS);
	assert_int_equal(guess_of(f, 2, 3).count, 354334800);
	assert_int_equal(guess_of(f, 2, 4).count, 719407024);
	assert_int_equal(f->statements.items[0].block, 2);
	assert_int_equal(f->statements.items[0].at.column, 33);
	assert_string_equal(calls_of(p, "other"), "add_1:7:44");
	assert_string_equal(calls_of(p, "calls"), "?:26:10 add_1:28:10");
	assert_int_equal(function_named(&p->graph, "calls")->blocks.items[2].condition.line, 24);
	assert_string_equal(calls_of(p, "values"), "memcpy:37:2");
	assert_int_equal(gotos_of(p, "goes"), 1);
	assert_int_equal(gotos_of(p, "calls"), 0);
}

static void check_values(const struct pair *p)
{
	static const struct gcc_value_site sites[] = {
		{2, {0, 37, 2}, COUNTER_KIND_TOPN, 0, 3},
		{2, {0, 37, 2}, COUNTER_KIND_AVERAGE, 0, 2},
		{2, {0, 37, 2}, COUNTER_KIND_IOR, 0, 1},
		{3, {0, 38, 55}, COUNTER_KIND_TOPN, 3, 3},
		{3, {0, 38, 55}, COUNTER_KIND_POW2, 0, 2},
		{3, {0, 38, 55}, COUNTER_KIND_INTERVAL, 0, 4},
		{5, {0, 38, 40}, COUNTER_KIND_TOPN, 6, 3},
	};
	const struct gcc_function *f = function_named(&p->graph, "values");

	assert_int_equal(f->values.count, sizeof(sites) / sizeof(sites[0]));
	for (size_t i = 0; i < f->values.count; i++) {
		const struct gcc_value_site *s = &f->values.items[i];

		assert_int_equal(s->block, sites[i].block);
		assert_int_equal(s->at.line, sites[i].at.line);
		assert_int_equal(s->at.column, sites[i].at.column);
		assert_int_equal(s->kind, sites[i].kind);
		assert_int_equal(s->first, sites[i].first);
		assert_int_equal(s->count, sites[i].count);
	}
	f = function_named(&p->graph, "calls");
	assert_int_equal(f->values.count, 1);
	assert_int_equal(f->values.items[0].kind, COUNTER_KIND_INDIRECT);
	assert_int_equal(f->values.items[0].block, f->calls.items[0].block);
	assert_int_equal(function_named(&p->graph, "other")->values.count, 0);
}

static void reads_c(void **state)
{
	(void)state;
	for (size_t i = 0; i < COMPILERS; i++) {
		struct softlbr_error e = {0};
		struct pair p;

		open_pair(&p, i, "c", "c");
		if (read_dump(&p, &e))
			fail_msg("%s", e.text);
		check_c(&p);
		check_values(&p);
		close_pair(&p);
	}
}

static void reads_cpp(void **state)
{
	(void)state;
	for (size_t i = 0; i < COMPILERS; i++) {
		struct softlbr_error e = {0};
		const struct gcc_function *f;
		struct pair p;

		open_pair(&p, i, "cc", "cc");
		if (read_dump(&p, &e))
			fail_msg("%s", e.text);
		assert_string_equal(calls_of(&p, "_Z6caughtP4basei"),
				    "?:18:16 __builtin_eh_pointer:19:15 __cxa_begin_catch:19:15 "
				    "__cxa_end_catch:21:2");
		f = function_named(&p.graph, "_Z8comparedRK6holderIlLi5EES2_");
		assert_int_equal(f->blocks.items[2].condition.line, 26);
		close_pair(&p);
	}
}

static void same_items(const void *a, size_t a_count, const void *b, size_t b_count, size_t bytes)
{
	assert_int_equal(a_count, b_count);
	if (a_count)
		assert_memory_equal(a, b, a_count * bytes);
}

#define SAME(a, b) same_items((a)->items, (a)->count, (b)->items, (b)->count, sizeof(*(a)->items))

/* Numbers of strings are equal, too: the same lines come in the same order. */
static void reads_the_same_of_a_short_one(void **state)
{
	(void)state;
	for (size_t i = 0; i < 2 * COMPILERS; i++) {
		const char *name = i % 2 ? "c" : "cc";
		struct softlbr_error e = {0};
		struct pair whole, shorter;
		FILE *out;

		open_pair(&whole, i / 2, name, name);
		open_pair(&shorter, i / 2, name, name);
		free(shorter.dump);
		out = open_memstream(&shorter.dump, &shorter.size);
		gcc_dump_short_write((uint8_t *)whole.dump, whole.size, out);
		fclose(out);
		assert_true(shorter.size < whole.size / 4);
		assert_int_equal(read_dump(&whole, &e), 0);
		assert_int_equal(read_dump(&shorter, &e), 0);
		for (size_t j = 0; j < whole.graph.functions.count; j++) {
			const struct gcc_function *a = &whole.graph.functions.items[j];
			const struct gcc_function *b = &shorter.graph.functions.items[j];

			assert_true(a->blocks.count > 0);
			SAME(&a->blocks, &b->blocks);
			SAME(&a->statements, &b->statements);
			SAME(&a->calls, &b->calls);
			SAME(&a->values, &b->values);
			assert_int_equal(a->guesses.count, b->guesses.count);
		}
		close_pair(&whole);
		close_pair(&shorter);
	}
}

/* The text behind the first @what becomes @with, of the same length. */
static void change(struct pair *p, const char *what, const char *with)
{
	char *at = strstr(p->dump, what);

	assert_non_null(at);
	assert_int_equal(strlen(what), strlen(with));
	memcpy(at, with, strlen(with));
}

/* ---- gcc 13 to 16: made of gcc 12's files by what is known of the differences ------------------
 */

/* A record of gcc 14's on, of conditions, which this reader passes over. */
static const uint32_t conditions[] = {0x01470000, 8, 3, 2};

static void open_newer_graph(struct pair *p, uint32_t version)
{
	static const uint8_t lines[] = {0, 0, 0x45, 1};
	const char *path = DATA "/12/c.gcno";
	struct softlbr_error e = {0};
	char *gcno, *newer, *at;
	size_t size;

	gcno = read_text(path, &size);
	newer = malloc(size + sizeof(conditions));
	assert_non_null(newer);
	at = memmem(gcno, size, lines, sizeof(lines));
	assert_non_null(at);
	memcpy(newer, gcno, (size_t)(at - gcno));
	memcpy(newer + (at - gcno), conditions, sizeof(conditions));
	memcpy(newer + (at - gcno) + sizeof(conditions), at, size - (size_t)(at - gcno));
	memcpy(newer + 4, &version, sizeof(version));
	if (gcno_read_bytes((uint8_t *)newer, size + sizeof(conditions), path, &p->graph, &e))
		fail_msg("%s", e.text);
	free(newer);
	free(gcno);
}

/* A block's discriminator stands at each of its statements instead. */
static void open_newer_dump(struct pair *p)
{
	static const char word[] = ", discriminator ";
	char *old = read_text(DATA "/12/c.c.069i.profile", &p->size), *save = NULL, *out;
	unsigned discriminator = 0, moved = 0;
	FILE *f = open_memstream(&out, &p->size);

	assert_non_null(f);
	for (char *line = strtok_r(old, "\n", &save); line; line = strtok_r(NULL, "\n", &save)) {
		char *at = strstr(line, word), *end = strchr(line, ']');

		if (!strncmp(line, ";;   basic block ", 17))
			discriminator = 0;
		if (!strncmp(line, ";;", 2) && at) {
			discriminator = (unsigned)atoi(at + sizeof(word) - 1);
			*at = 0;
		}
		if (discriminator && end && !strncmp(line, "  [", 3)) {
			fprintf(f, "%.*s discrim %u%s\n", (int)(end - line), line, discriminator,
				end);
			moved++;
		} else {
			fprintf(f, "%s\n", line);
		}
	}
	fclose(f);
	free(old);
	assert_true(moved > 3);
	p->dump = out;
}

static void reads_newer_ones_as_they_are_described(void **state)
{
	static const uint32_t versions[] = {0x4233332a, 0x4234322a, 0x4235312a, 0x4236312a};

	(void)state;
	for (size_t i = 0; i < sizeof(versions) / sizeof(versions[0]); i++) {
		struct softlbr_error e = {0};
		struct pair p;

		open_newer_graph(&p, versions[i]);
		open_newer_dump(&p);
		if (read_dump(&p, &e))
			fail_msg("%s", e.text);
		check_c(&p);
		check_values(&p);
		close_pair(&p);
	}
}

/* Instrumenting may rename what a statement reads. */
static void finds_values_of_renamed_statements(void **state)
{
	struct softlbr_error e = {0};
	struct pair p;

	(void)state;
	open_pair(&p, 1, "c", "c");
	change(&p, "memcpy (to_14(D), from_15(D), _1)", "memcpy (to_77(D), from_15(D), _9)");
	assert_int_equal(read_dump(&p, &e), 0);
	check_values(&p);
	assert_false(function_named(&p.graph, "values")->values_lost);
	close_pair(&p);
}

static void knows_of_values_that_it_lost(void **state)
{
	struct softlbr_error e = {0};
	struct pair p;

	(void)state;
	open_pair(&p, 1, "c", "c");
	change(&p, "memcpy (to_14", "memxpy (to_14");
	assert_int_equal(read_dump(&p, &e), 0);
	assert_true(function_named(&p.graph, "values")->values_lost);
	assert_int_equal(function_named(&p.graph, "values")->values.count, 4);
	assert_false(function_named(&p.graph, "calls")->values_lost);
	close_pair(&p);
}

static size_t read_functions(const struct gcc_graph *g)
{
	const struct gcc_function *f;
	size_t n = 0;

	vector_each (&g->functions, f) {
		n += f->blocks.count > 0;
		assert_true(f->blocks.count || (!f->statements.count && !f->guesses.count));
	}
	return n;
}

/* Of four functions the first in the file is left out, and the others are read. */
static void leave_one(const char *what, const char *with)
{
	struct softlbr_error e = {0};
	struct pair p;

	open_pair(&p, 1, "c", "c");
	change(&p, what, with);
	assert_int_equal(read_dump(&p, &e), 0);
	assert_int_equal(read_functions(&p.graph), 3);
	assert_int_equal(function_named(&p.graph, "other")->blocks.count, 0);
	close_pair(&p);
}

static void leaves_what_does_not_agree(void **state)
{
	(void)state;
	leave_one("succ:       3 ", "succ:       4 ");
	leave_one("succ:       3 ", "succ:       9 ");
	leave_one("basic block 3,", "basic block 2,");
	leave_one("basic block 3,", "basic block 7,");
	leave_one("(other, funcdef", "(othex, funcdef");
	leave_one("\n}\n", "\n)\n");
}

static void refuses_another_dump(void **state)
{
	struct softlbr_error e = {0};
	struct pair p;

	(void)state;
	open_pair(&p, 1, "c", "cc");
	assert_int_equal(read_dump(&p, &e), -SOFTLBR_E_INPUT);
	assert_non_null(strstr(e.text, "x.profile is not what gcc 12 prints"));
	assert_non_null(strstr(e.text, "none of its functions"));
	close_pair(&p);
	/* the same functions, in a form that is not known */
	open_pair(&p, 0, "c", "c");
	for (char *at = p.dump; (at = strstr(at, "basic block ")); at++)
		memcpy(at, "base", 4);
	e = (struct softlbr_error){0};
	assert_int_equal(read_dump(&p, &e), -SOFTLBR_E_INPUT);
	assert_non_null(strstr(e.text, "gcc 11 prints"));
	assert_non_null(strstr(e.text, "in other: the .gcno file has more blocks"));
	close_pair(&p);
}

/* Whole functions only, wherever it is cut. */
static void reads_a_torn_dump(void **state)
{
	struct pair p;
	size_t size;

	(void)state;
	open_pair(&p, 1, "c", "c");
	size = p.size;
	close_pair(&p);
	for (size_t n = 0; n < size; n += 97) {
		struct softlbr_error e = {0};
		int rc;

		open_pair(&p, 1, "c", "c");
		p.size = n;
		rc = read_dump(&p, &e);
		assert_int_equal(rc, -e.code);
		assert_true((e.code == 0) == (read_functions(&p.graph) > 0));
		close_pair(&p);
	}
}

/* Whichever allocation fails: an error, and nothing is lost. */
static void survives_a_lack_of_memory(void **state)
{
	size_t failures = 0;

	(void)state;
	for (size_t n = 1;; n += 3) {
		struct softlbr_error e = {0};
		struct pair p;
		int rc;

		open_pair(&p, 1, "c", "c");
		memory_fail_at(n);
		rc = read_dump(&p, &e);
		memory_fail_at(0);
		assert_int_equal(rc, -e.code);
		close_pair(&p);
		if (!rc)
			break;
		assert_int_equal(rc, -SOFTLBR_E_SYSTEM);
		failures++;
	}
	assert_true(failures > 10);
}

static void check_line(const char *line, const char *callee, unsigned column)
{
	struct gimple_line l;

	assert_true(gimple_line_parse(&l, (struct text){line, line + strlen(line)}));
	assert_int_equal(l.call, callee != NULL);
	if (callee) {
		assert_int_equal(text_length(l.callee), strlen(callee));
		assert_memory_equal(l.callee.at, callee, strlen(callee));
	}
	assert_int_equal(l.has_place ? l.place.column : 0, column);
}

static void reads_lines(void **state)
{
	struct gimple_line l;
	const char *line = "  [a b.c:3:5 discrim 2] if (x_2 != 0)";

	(void)state;
	check_line("  [a.c:3:5] f (1);", "f", 5);
	check_line("  [a.c:3:5] _1 = [a.c:3:9] f (\" = \");", "f", 5);
	check_line("  _1 = f_2(D) (3);", "", 0);
	check_line("  [a.c:3:5] *x_1 = OBJ_TYPE_REF(_2;(struct b)b_5(D)->0B) (b_5(D));", "", 5);
	check_line("  [a.c:3:5] x[[a.c:3:6] i_1] = [a.c:3:8] y_1 + 3;", NULL, 5);
	check_line("  x[i_1] = [a.c:3:8] &y;", NULL, 8);
	check_line("  _1 = (int) x_2;", NULL, 0);
	check_line("  [a.c:3:5] .MASK_STORE (x_1, 2);", NULL, 5);
	check_line("  [a.c:3:5] *f (1);", "f", 5);
	check_line("  [0:3:5] _1 = \"[a.c:3:9] f (\";", NULL, 5);
	check_line("  [a.c:99999999999:5] f (1);", NULL, 0);
	assert_true(gimple_line_parse(&l, (struct text){line, line + strlen(line)}));
	assert_true(l.condition);
	assert_int_equal(l.place.discriminator, 2);
	assert_int_equal(text_length(l.place.file), 5);
	line = "  # x_1 = PHI <1(2), 2(3)>";
	assert_false(gimple_line_parse(&l, (struct text){line, line + strlen(line)}));
	line = "  [a.c:3:5] # DEBUG BEGIN_STMT";
	assert_false(gimple_line_parse(&l, (struct text){line, line + strlen(line)}));
}

static void reads_a_directory(void **state)
{
	static const char *const names[] = {"11/c", "11/cc", "12/c", "12/cc"};
	struct softlbr_error e = {0};
	struct key_directory d;
	char link[64] = "/tmp/softlbr-XXXXXX", path[PATH_MAX];

	(void)state;
	if (key_directory_open(&d, DATA "/", &e))
		fail_msg("%s", e.text);
	assert_int_equal(d.objects.count, 4);
	for (size_t i = 0; i < 4; i++) {
		if (key_directory_read(&d, i, &e))
			fail_msg("%s", e.text);
		assert_string_equal(d.objects.items[i].name, names[i]);
		assert_true(d.objects.items[i].dumped);
	}
	assert_int_equal(d.without_dump, 0);
	assert_int_equal(d.functions, 12);
	assert_int_equal(d.functions_without, 0);
	assert_null(d.root);
	key_directory_deinit(&d);
	/* a link to it is as good */
	assert_non_null(mkdtemp(link));
	strcat(link, "/keys");
	assert_non_null(realpath(DATA, path));
	assert_int_equal(symlink(path, link), 0);
	if (key_directory_open(&d, link, &e))
		fail_msg("%s", e.text);
	assert_int_equal(d.objects.count, 4);
	assert_string_equal(d.objects.items[0].name, names[0]);
	key_directory_deinit(&d);
	unlink(link);
	*strrchr(link, '/') = 0;
	rmdir(link);
	assert_int_equal(key_directory_open(&d, "tests/data/bursts", &e), -SOFTLBR_E_INPUT);
	assert_non_null(strstr(e.text, "no .gcno file"));
	key_directory_deinit(&d);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(reads_c),
		cmocka_unit_test(reads_cpp),
		cmocka_unit_test(reads_the_same_of_a_short_one),
		cmocka_unit_test(reads_newer_ones_as_they_are_described),
		cmocka_unit_test(finds_values_of_renamed_statements),
		cmocka_unit_test(knows_of_values_that_it_lost),
		cmocka_unit_test(leaves_what_does_not_agree),
		cmocka_unit_test(refuses_another_dump),
		cmocka_unit_test(reads_a_torn_dump),
		cmocka_unit_test(survives_a_lack_of_memory),
		cmocka_unit_test(reads_lines),
		cmocka_unit_test(reads_a_directory),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
