/* SPDX-License-Identifier: MIT */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <cmocka.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "base/memory.h"
#include "report/demangle.h"
#include "report/document.h"

static void expect_name(const char *mangled, bool arguments, const char *expected)
{
	char *name = demangle_name(mangled, arguments);

	if (expected)
		assert_string_equal(name, expected);
	else
		assert_null(name);
	memory_free(name);
}

static void names(void **state)
{
	(void)state;
	expect_name("_ZN7Counter3addEi", true, "Counter::add(int)");
	expect_name("_ZN7Counter3addEi", false, "Counter::add");
	expect_name("_ZN7CounterC2Ev", true, "Counter::Counter()");
	expect_name("_ZN3FooEv.cold", true, "Foo() [clone .cold]");
	/* rustc's, legacy with its hash and v0 */
	expect_name("_ZN4core3ptr13drop_in_place17h0123456789abcdefE", true,
		    "core::ptr::drop_in_place");
	expect_name("_RNvCs1234_7mycrate3foo", true, "mycrate::foo");
	expect_name("main", true, NULL);
	expect_name("_Z", true, NULL);
	expect_name("_R", true, NULL);
	expect_name("", true, NULL);
	expect_name("_ZN7Counter3add", true, NULL); /* cut off */
	/* D is not asked for */
	expect_name("_D4test3fooAa", true, NULL);
}

static void expect_text(const char *text, const char *expected)
{
	char *demangled = demangle_text(text);

	if (expected)
		assert_string_equal(demangled, expected);
	else
		assert_null(demangled);
	memory_free(demangled);
}

static void texts(void **state)
{
	(void)state;
	expect_text("_ZN7Counter3addEi+0x1f", "Counter::add(int)+0x1f");
	expect_text("inlined _Z1fv", "inlined f()");
	expect_text("_Znwm@PLT", "operator new(unsigned long)@PLT");
	expect_text("_ZL4worki/x.cpp/2", "work(int)/x.cpp/2"); /* llvm-bolt's */
	expect_text("_Z1fv _Z1gv", "f() g()");
	expect_text("main+0x10", NULL);
	expect_text("my_Z1fv", NULL);
	expect_text("(outside)", NULL);
}

/* Each argument is a pair of what the one before it is: 2^60 names in 400 bytes. */
static void expansion(void **state)
{
	static const char digits[] = "0123456789ABCDEFGHIJKLMNOPQRSTUVWXYZ";
	char name[4096] = "_Z1f1AIiE";

	(void)state;
	for (unsigned i = 0; i < 60; i++) {
		char number[8] = "", *end = name + strlen(name);

		if (i >= 36)
			number[0] = digits[i / 36];
		number[strlen(number)] = digits[i % 36];
		snprintf(end, sizeof(name) - (size_t)(end - name), "S_IS%s_S%s_E", number, number);
	}
	expect_name(name, true, NULL);
	/* and the same with a few is one */
	expect_name("_Z1f1AIiES_IS0_S0_E", true, "f(A<int>, A<A<int>, A<int> >)");
}

static void either_form(void **state)
{
	(void)state;
	assert_true(demangle_is("_ZN7Counter3addEii", "_ZN7Counter3addEii"));
	assert_true(demangle_is("_ZN7Counter3addEii", "Counter::add"));
	assert_true(demangle_is("_ZN7Counter3addEii", "Counter::add(int, int)"));
	assert_true(demangle_is("_ZN7Counter3addEii", "Counter::add(int,int)"));
	assert_false(demangle_is("_ZN7Counter3addEii", "Counter::add(int)"));
	assert_false(demangle_is("_ZN7Counter3addEii", "add"));
	assert_true(demangle_is("main", "main"));
	assert_false(demangle_is("main", "mai"));
}

static void shortening(void **state)
{
	char room[32];

	(void)state;
	assert_string_equal(demangle_shorten("abcdefghij", 10, room), "abcdefghij");
	assert_string_equal(demangle_shorten("abcdefghijk", 10, room), "abcd...ijk");
	assert_string_equal(demangle_shorten("abcdefghijk", 9, room), "abc...ijk");
	assert_string_equal(demangle_shorten("abcdefghijk", 3, room), "...");
	assert_string_equal(demangle_shorten("abcdefghijk", 1, room), ".");
	assert_string_equal(demangle_shorten("abcdefghijk", 0, room), "");
	/* no half of an "é": the second of "abcé", the first of "éijk" */
	assert_string_equal(demangle_shorten("abc\303\251fghijk", 10, room), "abc...ijk");
	assert_string_equal(demangle_shorten("abcdefgh\303\251jk", 10, room), "abcd...jk");
}

static char *written(const struct document *s, const struct document_style *style, bool json)
{
	char *text = NULL;
	size_t size;
	FILE *stream = open_memstream(&text, &size);

	assert_int_equal(json ? document_write_json(s, style, stream, NULL)
			      : document_write_text(s, style, stream, NULL),
			 0);
	fclose(stream);
	return text;
}

static void expect_written(const struct document *s, struct document_style style, bool json,
			   const char *part, bool has)
{
	char *text = written(s, &style, json);

	if (!strstr(text, part) == has)
		fail_msg("%s \"%s\":\n%s", has ? "no" : "there is", part, text);
	free(text);
}

static void documents(void **state)
{
	struct document s;

	(void)state;
	document_init(&s);
	document_table(&s, "functions", "Functions", "count, function, file");
	document_put_number(&s, 7);
	document_put_symbol(&s, "_ZN7Counter22add_with_a_longer_nameEii");
	document_put_text(&s, "_Z1fv"); /* no symbol: stays */
	expect_written(&s, (struct document_style){.columns = 100}, false,
		       "      7  Counter::add_with_a_longer_name(int, int)  _Z1fv\n", true);
	/* 9 of 57 columns too many, which the symbols give */
	expect_written(&s, (struct document_style){.columns = 48}, false,
		       "      7  Counter::add_wi...name(int, int)  _Z1fv\n", true);
	expect_written(&s, (struct document_style){.columns = 10}, false,
		       "      7  Counter::...nt, int)  _Z1fv\n", true);
	expect_written(&s, (struct document_style){.mangled = true, .columns = 100}, false,
		       "_ZN7Counter22add_with_a_longer_nameEii", true);
	/* programs get both, whole */
	expect_written(&s, (struct document_style){.columns = 10}, true,
		       "\"function\": \"_ZN7Counter22add_with_a_longer_nameEii\"", true);
	expect_written(&s, (struct document_style){.columns = 10}, true,
		       "\"function_demangled\": \"Counter::add_with_a_longer_name(int, int)\"",
		       true);
	expect_written(&s, (struct document_style){.mangled = true}, true, "demangled", false);
	expect_written(&s, (struct document_style){.columns = 10}, true, "file_demangled", false);
	document_deinit(&s);
}

static void out_of_memory(void **state)
{
	bool done = false;

	(void)state;
	for (size_t n = 1; n < 100 && !done; n++) {
		char *text;

		memory_fail_at(n);
		text = demangle_text("calls _ZN7Counter3addEii");
		memory_fail_at(0);
		done = text;
		memory_free(text);
	}
	assert_true(done);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(names),	 cmocka_unit_test(texts),
		cmocka_unit_test(expansion),	 cmocka_unit_test(either_form),
		cmocka_unit_test(shortening),	 cmocka_unit_test(documents),
		cmocka_unit_test(out_of_memory),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
