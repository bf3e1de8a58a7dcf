/* SPDX-License-Identifier: MIT */
/* Names of functions in sources and in profiles: what g++ makes of them (c++filt says the same). */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <cmocka.h>

#include "base/memory.h"
#include "converter/update/function_names.h"
#include "report/demangle.h"

static void expect_spelled(const char *linkage, const char *expected)
{
	char *spelled = function_name_spell(linkage, demangle_name);

	if (expected)
		assert_string_equal(spelled, expected);
	else
		assert_null(spelled);
	memory_free(spelled);
}

static void test_spelling(void **state)
{
	(void)state;
	expect_spelled("main", "main");
	expect_spelled("parse.constprop.0", "parse");
	expect_spelled("_ZN7leveldb5Table4OpenERKNS_7OptionsE", "leveldb::Table::Open");
	expect_spelled("_ZN7leveldb12_GLOBAL__N_18PosixEnv3runEv.llvm.77",
		       "leveldb::PosixEnv::run");
	expect_spelled("_ZN4ListIiE2atEi", "List::at");
	expect_spelled("_ZNK1AclEi", "A::operator()");
	expect_spelled("_ZN1AD2Ev", "A::~A");
	expect_spelled("_ZZ4mainENKUliE_clEi", NULL); /* a lambda */
}

static void test_parameters(void **state)
{
	(void)state;
	assert_int_equal(function_name_parameters("main", demangle_name), -1);
	assert_int_equal(function_name_parameters("_Z1fv", demangle_name), 0);
	assert_int_equal(function_name_parameters("_Z1fi", demangle_name), 1);
	assert_int_equal(function_name_parameters("_ZN1A1fEiRKSt3mapIiiE", demangle_name), 2);
}

static void test_agreement(void **state)
{
	(void)state;
	assert_true(function_name_agrees("leveldb::Table::Open", "Table::Open"));
	assert_true(function_name_agrees("Open", "Table::Open"));
	assert_false(function_name_agrees("ReOpen", "Open"));
	assert_false(function_name_agrees("Cache::Open", "Table::Open"));
}

static void expect_renamed(const char *linkage, const char *before, const char *after,
			   const char *expected)
{
	char *name = function_name_rename(linkage, before, after);

	if (expected)
		assert_string_equal(name, expected);
	else
		assert_null(name);
	memory_free(name);
}

static void test_renaming(void **state)
{
	(void)state;
	expect_renamed("parse.part.0", "parse", "read_it", "read_it.part.0");
	expect_renamed("_ZN7leveldb5Table4OpenEi", "leveldb::Table::Open", "leveldb::Table::Reopen",
		       "_ZN7leveldb5Table6ReopenEi");
	expect_renamed("_ZN7leveldb5TableC2Ei", "leveldb::Table::Table",
		       "leveldb::SortedTable::SortedTable", "_ZN7leveldb11SortedTableC2Ei");
	expect_renamed("_ZL4skipi", "skip", "skip_all", "_ZL8skip_alli");
	expect_renamed("_ZN1A4OpenEi", "A::Open", "B::A::Open", NULL);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(test_spelling),
		cmocka_unit_test(test_parameters),
		cmocka_unit_test(test_agreement),
		cmocka_unit_test(test_renaming),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
