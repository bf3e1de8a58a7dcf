/* SPDX-License-Identifier: MIT */
/*
 * converter/debuginfo against llvm-symbolizer: for every instruction of every function that has
 * debug information, the same stack of functions, lines, function lines and discriminators.
 */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <cmocka.h>
#include <inttypes.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "base/error.h"
#include "base/file.h"
#include "base/vector.h"
#include "base/memory.h"
#include "converter/binary.h"
#include "converter/debuginfo.h"

#define SYMBOLIZER "llvm-symbolizer-16"

static const char c_source[] =
	"#include <stdio.h>\n"
	"#include <stdlib.h>\n"
	"#include <string.h>\n"
	"struct node { struct node *next; int key; };\n"
	"static struct node *table[64];\n"
	"#define MIX(x) do { x ^= x >> 3; x *= 31; if (x & 64) x += 7; } while (0)\n"
	"static inline unsigned hash(unsigned k) { MIX(k); { int i; for (i = 0; i < 3; i++) MIX(k); } return k % 64; }\n"
	"static\n"
	"struct node *\n"
	"find(int key)\n"
	"{\n"
	"	struct node *n = table[hash(key)];\n"
	"	for (; n; n = n->next) if (n->key == key) { int deep = key; { int deeper = deep + hash(deep); if (deeper == -1) abort(); } return n; }\n"
	"	return NULL;\n"
	"}\n"
	"static void insert(int key)\n"
	"{\n"
	"	struct node *n = find(key);\n"
	"	if (!n) {\n"
	"		n = malloc(sizeof(*n));\n"
	"		if (!n) { fprintf(stderr, \"no memory\\n\"); exit(1); }\n"
	"		n->key = key;\n"
	"		n->next = table[hash(key)];\n"
	"		table[hash(key)] = n;\n"
	"	}\n"
	"}\n"
	"__attribute__((noinline)) int classify(int x)\n"
	"{\n"
	"	switch (x % 11) { case 0: return x / 3; case 1: return hash(x); case 2: puts(\"\"); return 5;\n"
	"	case 3: return x * x; case 4: insert(x); return 1; case 5: return find(x) != 0; case 7: return -x; }\n"
	"	return x > 5 ? x < 9 ? 1 : 2 : 3;\n"
	"}\n"
	"__attribute__((cold, noinline)) void rarely(int x) { printf(\"%d\\n\", x); }\n"
	"__attribute__((noinline)) long sum(const int *v, int n) { long s = 0; for (int i = 0; i < n; i++) s += v[i] > 3 ? v[i] : 1; if (s < 0) { rarely(n); rarely(3); } return s; }\n"
	"#line 5\n"
	"__attribute__((noinline)) int moved(int a)\n"
	"{\n"
	"#line 2\n"
	"	return a * hash(a);\n"
	"}\n"
	"int main(int argc, char **argv)\n"
	"{\n"
	"	long s = 0; int v[100]; memset(v, argc, sizeof(v));\n"
	"	for (int i = 0; i < 10000 * argc; i++) { insert(i % 97); s += classify(i); }\n"
	"	s += sum(v, 100) + moved(argc);\n"
	"	printf(\"%ld %s\\n\", s, argv[0] ? \"\" : \"x\");\n"
	"	return 0;\n"
	"}\n";

static const char cc_source[] =
	"#include <algorithm>\n"
	"#include <cstdio>\n"
	"#include <map>\n"
	"#include <stdexcept>\n"
	"#include <string>\n"
	"#include <vector>\n"
	"namespace app {\n"
	"struct base { virtual ~base() {} virtual int value(int x) const = 0; };\n"
	"struct one : base { int k; explicit one(int k_) : k(k_) {} int value(int x) const override; };\n"
	"int one::value(int x) const\n"
	"{\n"
	"	auto f = [&](int y) { return y > k ? y - k : k; };\n"
	"	if (x < -5) throw std::runtime_error(\"bad \" + std::to_string(x));\n"
	"	return f(x) + f(x + 1);\n"
	"}\n"
	"template <class T> struct box { std::vector<T> v; void add(const T &t) { v.push_back(t); } T best() const { return *std::max_element(v.begin(), v.end()); } };\n"
	"static int work(const base &b, int n)\n"
	"{\n"
	"	box<int> x;\n"
	"	std::map<std::string, int> names;\n"
	"	for (int i = 0; i < n; i++) { x.add(b.value(i)); names[std::to_string(i % 13)] += i; }\n"
	"	std::sort(x.v.begin(), x.v.end(), [](int a, int c) { return a % 17 < c % 17; });\n"
	"	try { b.value(-n); } catch (const std::exception &e) { std::puts(e.what()); }\n"
	"	return x.best() + (int)names.size();\n"
	"}\n"
	"}\n"
	"int main(int argc, char **)\n"
	"{\n"
	"	app::one o(argc);\n"
	"	std::printf(\"%d\\n\", app::work(o, 1000));\n"
	"}\n";

static char directory[] = "/tmp/softlbr-debuginfo-XXXXXX";

static char *in_directory(const char *name)
{
	static char path[4][256];
	static unsigned at;
	char *p = path[at++ % 4];

	snprintf(p, 256, "%s/%s", directory, name);
	return p;
}

static void write_source(const char *name, const char *text)
{
	FILE *f = fopen(in_directory(name), "w");

	assert_non_null(f);
	fputs(text, f);
	fclose(f);
}

static bool have(const char *tool)
{
	char command[300];

	snprintf(command, sizeof(command), "command -v %s >/dev/null 2>&1", tool);
	return !system(command);
}

/* One frame as the symbolizer prints it. */
struct frame {
	char name[512];
	long decl_line, line, discriminator;
};

struct stack {
	struct frame frames[64];
	size_t count;
};

/* One answer of llvm-symbolizer --verbose: frames, leaf first, up to an empty line. */
static bool read_stack(FILE *f, struct stack *s)
{
	char text[4096];

	s->count = 0;
	while (fgets(text, sizeof(text), f) && *text != '\n') {
		struct frame *now;

		text[strcspn(text, "\n")] = 0;
		if (*text != ' ') {
			assert_true(s->count < 64);
			s->frames[s->count] = (struct frame){0};
			snprintf(s->frames[s->count++].name, 512, "%.500s", text);
			continue;
		}
		assert_true(s->count > 0);
		now = &s->frames[s->count - 1];
		sscanf(text, " Function start line: %ld", &now->decl_line);
		sscanf(text, " Line: %ld", &now->line);
		sscanf(text, " Discriminator: %ld", &now->discriminator);
	}
	return s->count > 0;
}

static void our_stack(struct debuginfo *d, const struct debuginfo_function *info,
		      const struct binary_function *f, uint64_t va, struct stack *s)
{
	const struct debuginfo_span *span, *found = NULL;
	const struct strings *strings = debuginfo_strings(d);
	long line, discriminator;
	uint32_t scope;

	s->count = 0;
	vector_each (&info->spans, span)
		if (va >= span->begin && va < span->end)
			found = span;
	if (!found || found->scope == DEBUGINFO_NONE)
		return;
	line = found->line;
	discriminator = found->discriminator;
	for (scope = found->scope; scope != DEBUGINFO_NONE;) {
		const struct debuginfo_scope *one = &info->scopes.items[scope];
		struct frame *frame = &s->frames[s->count++];

		*frame = (struct frame){
			.decl_line = one->decl_line, .line = line, .discriminator = discriminator};
		snprintf(frame->name, sizeof(frame->name), "%s",
			 one->parent == DEBUGINFO_NONE ? f->name
						       : strings_text(strings, one->name));
		line = one->call_line;
		discriminator = one->call_discriminator;
		scope = one->parent;
	}
}

static void print_stack(const char *who, const struct stack *s)
{
	for (size_t i = 0; i < s->count; i++)
		print_message("  %s %s decl %ld line %ld disc %ld\n", who, s->frames[i].name,
			      s->frames[i].decl_line, s->frames[i].line,
			      s->frames[i].discriminator);
}

static bool same_stack(const struct stack *ours, const struct stack *theirs)
{
	if (ours->count != theirs->count)
		return false;
	for (size_t i = 0; i < ours->count; i++) {
		const struct frame *a = &ours->frames[i], *b = &theirs->frames[i];

		if (a->line != b->line || a->decl_line != b->decl_line ||
		    a->discriminator != b->discriminator)
			return false;
		/* Of symbols at one address the symbolizer may take another one than we do. */
		if (i + 1 < ours->count && strcmp(a->name, b->name))
			return false;
	}
	return true;
}

struct tally {
	size_t instructions, with_stack, inlined, wrong;
};

static void write_addresses(struct binary *b, const char *path)
{
	const struct binary_function *f;
	FILE *out = fopen(path, "w");
	struct isa_insn insn;
	size_t count;

	assert_non_null(out);
	f = binary_functions(b, &count);
	for (size_t i = 0; i < count; i++)
		for (uint64_t va = f[i].begin; va < f[i].end; va += insn.length) {
			if (!binary_decode(b, va, &insn))
				break;
			fprintf(out, "0x%" PRIx64 "\n", va);
		}
	fclose(out);
}

static void compare_function(struct binary *b, struct debuginfo *d, const struct binary_function *f,
			     FILE *answers, struct tally *t)
{
	static struct stack ours, theirs;
	struct debuginfo_function info = {0};
	struct softlbr_error e = {0};
	struct isa_insn insn;

	assert_int_equal(debuginfo_look_up(d, f->begin, f->end, &info, &e), 0);
	for (uint64_t va = f->begin; va < f->end; va += insn.length) {
		if (!binary_decode(b, va, &insn))
			break;
		assert_true(read_stack(answers, &theirs));
		our_stack(d, &info, f, va, &ours);
		t->instructions++;
		t->with_stack += ours.count > 0;
		t->inlined += ours.count > 1;
		/* No debug information at all: the symbolizer still tells the symbol. */
		if (!ours.count && theirs.count == 1 && !theirs.frames[0].line)
			continue;
		if (same_stack(&ours, &theirs) || t->wrong++ > 5)
			continue;
		print_message("%s+0x%" PRIx64 " (0x%" PRIx64 "):\n", f->name, va - f->begin, va);
		print_stack("ours", &ours);
		print_stack("llvm", &theirs);
	}
	debuginfo_function_deinit(&info);
}

static struct tally compare_binary(const char *path)
{
	struct softlbr_error e = {0};
	struct binary *b = binary_open(path, &e);
	const struct binary_function *f;
	struct debuginfo *d;
	struct tally t = {0};
	char command[1024];
	FILE *answers;
	size_t count;

	assert_non_null(b);
	d = debuginfo_open(path, &e);
	if (!d)
		print_message("%s\n", e.text);
	assert_non_null(d);
	write_addresses(b, in_directory("addresses"));
	snprintf(command, sizeof(command),
		 SYMBOLIZER " --obj=%s --verbose --inlines --functions=linkage --no-demangle <%s",
		 path, in_directory("addresses"));
	answers = popen(command, "r");
	assert_non_null(answers);
	f = binary_functions(b, &count);
	for (size_t i = 0; i < count; i++)
		compare_function(b, d, &f[i], answers, &t);
	assert_int_equal(pclose(answers), 0);
	debuginfo_close(d);
	binary_close(b);
	return t;
}

static void build(const char *compiler, const char *flags, const char *source, const char *out)
{
	char command[1024];

	snprintf(command, sizeof(command), "%s -w %s %s -o %s", compiler, flags,
		 in_directory(source), in_directory(out));
	assert_int_equal(system(command), 0);
}

static void check(const char *compiler, const char *flags, const char *source, size_t least)
{
	struct tally t;

	if (!have(compiler) || !have(SYMBOLIZER)) {
		print_message("skipped: no %s or no " SYMBOLIZER "\n", compiler);
		skip();
	}
	build(compiler, flags, source, "binary");
	t = compare_binary(in_directory("binary"));
	print_message("%s %s: %zu instructions, %zu with a stack, %zu inlined, %zu differ\n",
		      compiler, flags, t.instructions, t.with_stack, t.inlined, t.wrong);
	assert_true(t.inlined >= least);
	assert_int_equal(t.wrong, 0);
}

static void gcc_dwarf_5(void **state)
{
	(void)state;
	check("gcc-12", "-O2 -g -gdwarf-5", "a.c", 100);
	check("gcc-12", "-O2 -g1 -gdwarf-5 -no-pie", "a.c", 100);
}

static void gcc_dwarf_4(void **state)
{
	(void)state;
	check("gcc-12", "-O2 -g -gdwarf-4", "a.c", 100);
	check("gcc-11", "-O3 -g -gdwarf-4 -static", "a.c", 100);
}

static void gcc_link_time_optimisation(void **state)
{
	(void)state;
	check("gcc-12", "-O2 -g -flto", "a.c", 100);
}

static void gcc_cxx(void **state)
{
	(void)state;
	check("g++-12", "-O2 -g", "a.cc", 500);
	check("g++-12", "-O2 -g -gdwarf-4 -flto", "a.cc", 500);
}

static void clang_line_tables(void **state)
{
	(void)state;
	check("clang-16", "-O2 -gline-tables-only -fdebug-info-for-profiling", "a.c", 100);
	check("clang-16", "-O3 -g -gdwarf-4 -fdebug-info-for-profiling", "a.c", 100);
	check("clang-16", "-O2 -g", "a.c", 100);
}

static void clang_19(void **state)
{
	(void)state;
	check("clang-19", "-O2 -gline-tables-only -fdebug-info-for-profiling", "a.c", 100);
}

static void clang_cxx(void **state)
{
	(void)state;
	check("clang++-16", "-O2 -gline-tables-only -fdebug-info-for-profiling", "a.cc", 500);
	check("clang++-16", "-O2 -g -fdebug-info-for-profiling", "a.cc", 500);
}

static void no_debug_information_is_said(void **state)
{
	struct softlbr_error e = {0};
	struct binary *b;

	(void)state;
	if (!have("gcc-12"))
		skip();
	build("gcc-12", "-O2", "a.c", "binary");
	b = binary_open(in_directory("binary"), &e);
	assert_non_null(b);
	assert_null(debuginfo_open(binary_path(b), &e));
	assert_int_equal(e.code, SOFTLBR_E_INPUT);
	assert_non_null(strstr(e.text, "-g"));
	binary_close(b);
}

/* LLVM can make such of a base and a duplication factor; elfutils 0.188 refuses the whole table. */
static void large_discriminators_are_read(void **state)
{
	struct debuginfo_function info = {0};
	const struct binary_function *f;
	struct softlbr_error e = {0};
	struct debuginfo *d;
	struct binary *b;
	bool found = false;
	size_t count;

	(void)state;
	if (!have("gcc-12"))
		skip();
	write_source("big.s", "	.text\n	.globl main\n	.type main,@function\n"
			      "	.file 1 \"a.c\"\nmain:\n	.loc 1 5 1\n	nop\n"
			      "	.loc 1 6 1 discriminator 20000000\n	nop\n	ret\n"
			      "	.size main,.-main\n	.section .note.GNU-stack\n");
	build("gcc-12", "-g", "big.s", "binary");
	b = binary_open(in_directory("binary"), &e);
	assert_non_null(b);
	d = debuginfo_open(binary_path(b), &e);
	assert_non_null(d);
	assert_int_equal(debuginfo_unreadable_units(d), 0);
	f = binary_functions(b, &count);
	for (size_t i = 0; i < count; i++)
		if (!strcmp(f[i].name, "main")) {
			assert_int_equal(debuginfo_look_up(d, f[i].begin, f[i].end, &info, &e), 0);
			found = true;
		}
	assert_true(found);
	assert_int_equal(debuginfo_unreadable_units(d), 0);
	assert_int_equal(info.spans.count, 2);
	assert_int_equal(info.spans.items[0].line, 5);
	assert_int_equal(info.spans.items[1].line, 6);
	assert_int_equal(info.spans.items[1].discriminator, 20000000);
	debuginfo_function_deinit(&info);
	debuginfo_close(d);
	binary_close(b);
}

static void flow_sensitive_discriminators_are_refused(void **state)
{
	struct softlbr_error e = {0};
	struct binary *b;

	(void)state;
	if (!have("clang-16"))
		skip();
	build("clang-16",
	      "-O2 -gline-tables-only -fdebug-info-for-profiling -mllvm -enable-fs-discriminator",
	      "a.c", "binary");
	b = binary_open(in_directory("binary"), &e);
	assert_non_null(b);
	assert_null(debuginfo_open(binary_path(b), &e));
	assert_non_null(strstr(e.text, "flow-sensitive"));
	binary_close(b);
}

static int set_up(void **state)
{
	(void)state;
	if (!mkdtemp(directory))
		return -1;
	write_source("a.c", c_source);
	write_source("a.cc", cc_source);
	return 0;
}

static int tear_down(void **state)
{
	char command[300];

	(void)state;
	snprintf(command, sizeof(command), "rm -rf %s", directory);
	return system(command);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(gcc_dwarf_5),
		cmocka_unit_test(gcc_dwarf_4),
		cmocka_unit_test(gcc_link_time_optimisation),
		cmocka_unit_test(gcc_cxx),
		cmocka_unit_test(clang_line_tables),
		cmocka_unit_test(clang_19),
		cmocka_unit_test(clang_cxx),
		cmocka_unit_test(no_debug_information_is_said),
		cmocka_unit_test(large_discriminators_are_read),
		cmocka_unit_test(flow_sensitive_discriminators_are_refused),
	};

	return cmocka_run_group_tests(tests, set_up, tear_down);
}
