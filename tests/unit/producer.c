/* SPDX-License-Identifier: MIT */
/* The compiler by what compilers write, as read off their output. */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>

#include <cmocka.h>

#include "converter/debuginfo/debuginfo.h"

static void compilers_are_told_by_their_text(void **state)
{
	static const struct {
		const char *text;
		uint64_t language;
		enum producer_compiler compiler;
		const char *driver;
		unsigned major, minor;
	} cases[] = {
		{"GNU C17 12.2.0 -mtune=generic -march=x86-64 -g -O2", 0x1d, PRODUCER_GCC, "gcc",
		 12, 2},
		{"GNU C++17 13.1.0 -mtune=generic", 0x21, PRODUCER_GCC, "g++", 13, 1},
		{"GNU GIMPLE 12.2.0 -flto", 0x21, PRODUCER_GCC, "g++", 12, 2},
		{"GNU GIMPLE 12.2.0 -flto", 0x1d, PRODUCER_GCC, "gcc", 12, 2},
		{"GNU Fortran2008 11.3.0 -O2", 0x0e, PRODUCER_GCC, "gfortran", 11, 3},
		{"GNU Go 12.2.0", 0x16, PRODUCER_GCC, "gccgo", 12, 2},
		{"GNU AS 2.40", 0x8001, PRODUCER_UNKNOWN, "as", 0, 0},
		{"Debian clang version 16.0.6 (15~deb12u1)", 0x1d, PRODUCER_CLANG, "clang", 16, 0},
		{"Debian clang version 16.0.6 (15~deb12u1)", 0x21, PRODUCER_CLANG, "clang++", 16,
		 0},
		{"clang version 19.1.4", 0x2b, PRODUCER_CLANG, "clang++", 19, 1},
		{"clang LLVM (rustc version 1.63.0)", 0x1c, PRODUCER_RUSTC, "rustc", 1, 63},
		{"clang LLVM (rustc version 1.95.0 (59807616e 2026-04-14))", 0x1c, PRODUCER_RUSTC,
		 "rustc", 1, 95},
		{"Go cmd/compile go1.19.8; regabi", 0x16, PRODUCER_GO, "go", 1, 19},
		{"GNU D 16.2.0", 0x13, PRODUCER_GCC, "gdc", 16, 2},
		{"LDC 1.42.0 (LLVM 21.1.8)", 0x13, PRODUCER_LDC, "ldc2", 1, 42},
		{"Some compiler 3", 0, PRODUCER_OTHER, "", 0, 0},
		{"GNU C", 0x1d, PRODUCER_GCC, "gcc", 0, 0},
		{NULL, 0, PRODUCER_UNKNOWN, "", 0, 0},
	};

	(void)state;
	for (size_t i = 0; i < sizeof(cases) / sizeof(*cases); i++) {
		struct producer p = producer_read(cases[i].text, cases[i].language);

		assert_int_equal(p.compiler, cases[i].compiler);
		assert_string_equal(p.driver, cases[i].driver);
		assert_int_equal(p.major, cases[i].major);
		assert_int_equal(p.minor, cases[i].minor);
	}
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(compilers_are_told_by_their_text),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
