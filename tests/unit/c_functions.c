/* SPDX-License-Identifier: MIT */
/* Which functions C and C++ texts define, on which lines: texts whose answer is plain to see. */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <stdio.h>
#include <string.h>
#include <cmocka.h>

#include "converter/update/c_functions.h"

/* "NAME@LINE-END ..." of a text. */
static void expect(const char *text, const char *expected)
{
	struct strings *strings = strings_new();
	struct c_functions found = {0};
	const struct c_function *f;
	char all[1024] = "";
	size_t used = 0;

	assert_int_equal(
		c_functions_read(&found, (struct text){text, text + strlen(text)}, 0, strings), 0);
	vector_each (&found.list, f)
		used += (size_t)snprintf(all + used, sizeof(all) - used, "%s%s@%u-%u",
					 used ? " " : "", strings_text(strings, f->name),
					 f->name_line, f->end_line);
	assert_string_equal(all, expected);
	c_functions_deinit(&found);
	strings_free(strings);
}

static void test_c(void **state)
{
	(void)state;
	expect("int a;\nint f(int x)\n{\n\treturn x;\n}\nint g(void);\nint\nh(void) { return 1; }\n",
	       "f@2-5 h@8-8");
	expect("/* { */ int f(void) { return '{' + \"}{\"[0]; } // }\nint g(void) {}\n",
	       "f@1-1 g@2-2");
	expect("struct s { int a; } v = { 1 };\nint t[] = { 1, 2 };\nint f(void) {\n}\n", "f@3-4");
	expect("API_FUNC(int) f(int a) {\n}\n", "f@1-2");
	expect("__attribute__((noinline)) static int f(int a) {\n}\n", "f@1-2");
	/* one that returns a pointer to a function, and one of the old kind */
	expect("static void (*f(int a))(int) {\n}\n", "f@1-2");
	expect("int f(a, b)\n\tint a;\n\tchar *b;\n{\n}\nint g(void) {}\n", "f@1-5 g@6-6");
}

/* Alternatives of the preprocessor. */
static void test_directives(void **state)
{
	(void)state;
	expect("int f(int a)\n{\n#if X\n\tif (a) {\n#else\n\tif (!a) {\n#endif\n\t}\n}\nint g(void) {}\n",
	       "f@1-9 g@10-10");
	expect("#if X\nint f(int a) {\n#else\nint f(int a, int b) {\n#endif\n\treturn a;\n}\nint g(void) {}\n",
	       "f@2-7 g@8-8");
	expect("#define OPEN(x) do { \\\n\tx {\nint f(void) {}\n", "f@3-3");
	expect("int f(\n#if X\n\tint a\n#else\n\tint b\n#endif\n) {\n}\n", "f@1-8");
}

static void test_cxx(void **state)
{
	(void)state;
	expect("namespace a { namespace {\nclass B : public C<int(int)> {\n public:\n  B(int x) : x_{x}, y_(2) {}\n"
	       "  ~B() {}\n  int get() const { return x_; }\n};\n}\nint B::set(int v) {\n}\n}\nint main() {}\n",
	       "a::B::B@4-4 a::B::~B@5-5 a::B::get@6-6 a::B::set@9-10 main@12-12");
	expect("template <class T, int N = (1)>\nT List<T>::at(int i) noexcept {\n}\n",
	       "List::at@2-3");
	expect("bool operator<(const A& a, const A& b) {\n}\nint A::operator()(int x) { return x; }\n",
	       "operator<@1-2 A::operator()@3-3");
	expect("extern \"C\" {\nint f() { return R\"x(})\" )x\"[0]; }\n}\nint g() { return 1'000; }\n",
	       "f@2-2 g@4-4");
}

static uint64_t parameters_of(const char *text)
{
	struct strings *strings = strings_new();
	struct c_functions found = {0};
	uint64_t parameters;

	assert_int_equal(
		c_functions_read(&found, (struct text){text, text + strlen(text)}, 0, strings), 0);
	assert_int_equal(found.list.count, 1);
	parameters = found.list.items[0].parameters;
	c_functions_deinit(&found);
	strings_free(strings);
	return parameters;
}

/* Types of parameters tell, their names and default values don't: so is it in linkage names. */
static void test_parameters(void **state)
{
	uint64_t slice = parameters_of("void f(const Slice& key, int n) {}");

	(void)state;
	assert_true(parameters_of("void f(const Slice& k, int count = 3) {}") == slice);
	assert_true(parameters_of("void f(const Slice&, int) {}") == slice);
	assert_true(parameters_of("void f(const Slice& key, long n) {}") != slice);
	assert_true(parameters_of("void f(const Slice* key, int n) {}") != slice);
	assert_true(parameters_of("void f(const Slice& key) {}") != slice);
	assert_true(parameters_of("void f(void) {}") == parameters_of("void f() {}"));
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(test_c),
		cmocka_unit_test(test_directives),
		cmocka_unit_test(test_cxx),
		cmocka_unit_test(test_parameters),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
