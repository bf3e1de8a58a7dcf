/* SPDX-License-Identifier: MIT */
/*
 * Comparing converter/debuginfo with llvm-symbolizer, instruction by instruction, on two programs
 * of a page each: what tests/unit/debuginfo.c and dwarf_matrix.c share.
 */
#pragma once

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
#include "base/memory.h"
#include "base/vector.h"
#include "converter/binary/binary.h"
#include "converter/debuginfo/debuginfo.h"
#include "tests/unit/tools.h"

#define SYMBOLIZER "llvm-symbolizer" LLVM

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
	static char path[8][256];
	static unsigned at;
	char *p = path[at++ % 8];

	snprintf(p, 256, "%s/%s", directory, name);
	return p;
}

static inline void write_source(const char *name, const char *text)
{
	FILE *f = fopen(in_directory(name), "w");

	assert_non_null(f);
	fputs(text, f);
	fclose(f);
}

/* One frame as the symbolizer prints it. */
struct context_frame {
	char name[512];
	long decl_line, line, discriminator;
};

struct stack {
	struct context_frame frames[64];
	size_t count;
};

/* One answer of llvm-symbolizer --verbose: frames, leaf first, up to an empty line. */
static inline bool read_stack(FILE *f, struct stack *s)
{
	char text[4096];

	s->count = 0;
	while (fgets(text, sizeof(text), f) && *text != '\n') {
		struct context_frame *now;

		text[strcspn(text, "\n")] = 0;
		if (*text != ' ') {
			assert_true(s->count < 64);
			s->frames[s->count] = (struct context_frame){0};
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

static inline void our_stack(struct debuginfo *d, const struct debuginfo_function *info,
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
		struct context_frame *frame = &s->frames[s->count++];

		*frame = (struct context_frame){
			.decl_line = one->decl_line, .line = line, .discriminator = discriminator};
		snprintf(frame->name, sizeof(frame->name), "%s",
			 one->parent == DEBUGINFO_NONE ? f->name
						       : strings_text(strings, one->name));
		line = one->call_line;
		discriminator = one->call_discriminator;
		scope = one->parent;
	}
}

static inline void print_stack(const char *who, const struct stack *s)
{
	for (size_t i = 0; i < s->count; i++)
		print_message("  %s %s decl %ld line %ld disc %ld\n", who, s->frames[i].name,
			      s->frames[i].decl_line, s->frames[i].line,
			      s->frames[i].discriminator);
}

static inline bool same_stack(const struct stack *ours, const struct stack *theirs)
{
	if (ours->count != theirs->count)
		return false;
	for (size_t i = 0; i < ours->count; i++) {
		const struct context_frame *a = &ours->frames[i], *b = &theirs->frames[i];

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

static inline void write_addresses(struct binary *b, const char *path)
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

static inline void compare_function(struct binary *b, struct debuginfo *d,
				    const struct binary_function *f, FILE *answers, struct tally *t)
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

/* @reference: a file of the same code whose debug information the symbolizer can read. */
static inline struct tally compare_binary(const char *path, const char *reference)
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
	d = debuginfo_open(b, &e);
	if (!d)
		print_message("%s\n", e.text);
	assert_non_null(d);
	write_addresses(b, in_directory("addresses"));
	snprintf(command, sizeof(command),
		 SYMBOLIZER " --obj=%s --verbose --inlines --functions=linkage --no-demangle <%s",
		 reference, in_directory("addresses"));
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

static inline void build(const char *compiler, const char *flags, const char *source,
			 const char *out)
{
	char command[1024];

	snprintf(command, sizeof(command), "%s -w %s %s -o %s", compiler, flags,
		 in_directory(source), in_directory(out));
	assert_int_equal(system(command), 0);
}

/* Run a shell command in the directory. */
__attribute__((format(printf, 1, 2))) static inline void run(const char *format, ...)
{
	char command[2048];
	int length = snprintf(command, sizeof(command), "cd %s && ", directory);
	va_list list;

	va_start(list, format);
	vsnprintf(command + length, sizeof(command) - (size_t)length, format, list);
	va_end(list);
	if (system(command))
		fail_msg("failed: %s", command);
}

/* The fixture of a group of tests: the directory, with both sources. */
static inline int make_directory(void **state)
{
	(void)state;
	if (!mkdtemp(directory))
		return -1;
	write_source("a.c", c_source);
	write_source("a.cc", cc_source);
	return 0;
}

static inline int remove_directory(void **state)
{
	char command[300];

	(void)state;
	snprintf(command, sizeof(command), "rm -rf %s", directory);
	return system(command);
}
