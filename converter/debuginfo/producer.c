/* SPDX-License-Identifier: MIT */
/*
 * Which compiler made a compilation unit, by its DW_AT_producer: what to hand a profile to. The
 * text is free; this is what gcc, clang, rustc and Go write.
 */
#include "converter/debuginfo/debuginfo.h"

#include <ctype.h>
#include <dwarf.h>
#include <stdlib.h>
#include <string.h>

/* DWARF 6's, which no dwarf.h has yet; compilers write them under -gdwarf-5 already */
#define LANG_C_PLUS_PLUS_17 0x2b
#define LANG_C_PLUS_PLUS_20 0x2c

static bool is_cplusplus(const char *text, uint64_t language)
{
	switch (language) {
	case DW_LANG_C_plus_plus:
	case DW_LANG_C_plus_plus_03:
	case DW_LANG_C_plus_plus_11:
	case DW_LANG_C_plus_plus_14:
	case LANG_C_PLUS_PLUS_17:
	case LANG_C_PLUS_PLUS_20:
		return true;
	}
	return strstr(text, "C++");
}

/* The first number behind @text that a dot follows: "C17 12.2.0" has 12.2. */
static void read_version(const char *text, struct producer *p)
{
	for (; *text; text++) {
		char *end;
		unsigned long major;

		if (!isdigit((unsigned char)*text))
			continue;
		major = strtoul(text, &end, 10);
		if (*end == '.') {
			p->major = (unsigned)major;
			p->minor = (unsigned)strtoul(end + 1, NULL, 10);
			return;
		}
		text = end - 1;
		if (!*end)
			return;
	}
}

/* "GNU C17 12.2.0 -mtune=...": GNU's front ends by their languages; link-time optimization says
 * GIMPLE. */
static struct producer read_gnu(const char *text, uint64_t language)
{
	static const char *const others[][2] = {{"GNU Fortran", "gfortran"},
						{"GNU Go", "gccgo"},
						{"GNU Ada", "gnatmake"},
						{"GNU D ", "gdc"}};
	struct producer p = {PRODUCER_GCC, is_cplusplus(text, language) ? "g++" : "gcc", 0, 0};

	if (!strncmp(text, "GNU AS", 6))
		return (struct producer){PRODUCER_UNKNOWN, "as", 0, 0};
	for (size_t i = 0; i < sizeof(others) / sizeof(*others); i++)
		if (!strncmp(text, others[i][0], strlen(others[i][0])))
			p.driver = others[i][1];
	read_version(text, &p);
	return p;
}

struct producer producer_read(const char *text, uint64_t language)
{
	static const struct {
		const char *mark;
		enum producer_compiler compiler;
		const char *driver;
	} marks[] = {{"rustc version ", PRODUCER_RUSTC, "rustc"}, /* before clang: it says both */
		     {"Go cmd/compile go", PRODUCER_GO, "go"},
		     {"LDC ", PRODUCER_LDC, "ldc2"},
		     {"clang version ", PRODUCER_CLANG, "clang"}};
	struct producer p = {PRODUCER_OTHER, "", 0, 0};

	if (!text)
		return (struct producer){PRODUCER_UNKNOWN, "", 0, 0};
	if (!strncmp(text, "GNU ", 4))
		return read_gnu(text, language);
	for (size_t i = 0; i < sizeof(marks) / sizeof(*marks); i++) {
		const char *at = strstr(text, marks[i].mark);

		if (!at)
			continue;
		p.compiler = marks[i].compiler;
		p.driver = marks[i].driver;
		if (p.compiler == PRODUCER_CLANG && is_cplusplus(text, language))
			p.driver = "clang++";
		read_version(at, &p);
		return p;
	}
	return p;
}
