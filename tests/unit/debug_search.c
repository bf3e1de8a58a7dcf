/* SPDX-License-Identifier: MIT */
/* Debug information that is not in the program is found where it belongs, and told. */
#include "tests/unit/symbolizer.h"

#include "converter/elf/debug_search.h"

/* Build whole (with debug information) and stripped, and say the build-id's two parts. */
static void build_pair(char first[3], char rest[64])
{
	char text[100] = "";
	FILE *f;

	if (!tools_have("gcc") || !tools_have("readelf"))
		skip();
	run("rm -rf root .debug *.debug stripped; gcc -w -O2 -g -Wl,--build-id a.c -o whole");
	run("strip -s whole -o stripped && readelf -n whole | sed -n 's/.*Build ID: //p' >id");
	f = fopen(in_directory("id"), "r");
	assert_non_null(f);
	assert_non_null(fgets(text, sizeof(text), f));
	fclose(f);
	text[strcspn(text, "\n")] = '\0';
	snprintf(first, 3, "%.2s", text);
	snprintf(rest, 64, "%.60s", text + 2);
}

static bool noted(const struct binary *b, const char *text)
{
	size_t count;
	const char *const *notes = binary_notes(b, &count);

	for (size_t i = 0; i < count; i++)
		if (strstr(notes[i], text))
			return true;
	return false;
}

/* Does the binary have the functions of a.c, and lines of them? */
static void assert_found(const struct debug_search *search, const char *name, const char *note)
{
	struct debuginfo_function info = {0};
	struct softlbr_error e = {0};
	struct binary *b = binary_open_with(in_directory(name), search, &e);
	const struct binary_function *f;
	size_t count, seen = 0;
	struct debuginfo *d;

	if (!b)
		fail_msg("%s", e.text);
	d = debuginfo_open(b, &e);
	if (!d)
		fail_msg("%s", e.text);
	f = binary_functions(b, &count);
	for (size_t i = 0; i < count; i++)
		if (!strcmp(f[i].name, "classify")) {
			assert_int_equal(debuginfo_look_up(d, f[i].begin, f[i].end, &info, &e), 0);
			assert_true(info.spans.count > 10);
			assert_true(info.scopes.count > 3);
			seen++;
		}
	assert_int_equal(seen, 1);
	assert_true(noted(b, note));
	debuginfo_function_deinit(&info);
	debuginfo_close(d);
	binary_close(b);
}

static void by_build_id(void **state)
{
	struct debug_search search = {.symfs = in_directory("root")};
	char first[3], rest[64];

	(void)state;
	build_pair(first, rest);
	run("mkdir -p root/usr/lib/debug/.build-id/%s && objcopy --only-keep-debug whole "
	    "root/usr/lib/debug/.build-id/%s/%s.debug",
	    first, first, rest);
	assert_found(&search, "stripped", "root/usr/lib/debug/.build-id/");
}

static void by_link(void **state)
{
	char first[3], rest[64];

	(void)state;
	build_pair(first, rest);
	run("objcopy --only-keep-debug whole its.debug && objcopy --add-gnu-debuglink=its.debug "
	    "stripped");
	assert_found(NULL, "stripped", "its.debug");
	run("mkdir .debug && mv its.debug .debug");
	assert_found(NULL, "stripped", ".debug/its.debug");
}

/* Without build-ids the CRC decides. */
static void by_crc(void **state)
{
	struct softlbr_error e = {0};
	char first[3], rest[64];
	struct binary *b;

	(void)state;
	build_pair(first, rest);
	run("gcc -w -O2 -g -Wl,--build-id=none a.c -o whole && strip -s whole -o stripped && "
	    "objcopy --only-keep-debug whole its.debug && "
	    "objcopy --add-gnu-debuglink=its.debug stripped");
	assert_found(NULL, "stripped", "its.debug");
	run("printf x >>its.debug");
	b = binary_open(in_directory("stripped"), &e);
	assert_non_null(b); /* its functions are found, but not named */
	assert_true(noted(b, "is stripped"));
	assert_null(debuginfo_open(b, &e));
	assert_int_equal(e.code, SOFTLBR_E_INPUT);
	binary_close(b);
}

/* The program itself keeps its symbols: what is refused is told. */
static void another_build_is_refused(void **state)
{
	struct softlbr_error e = {0};
	char first[3], rest[64];
	struct binary *b;

	(void)state;
	build_pair(first, rest);
	run("gcc -w -O1 -g -Wl,--build-id a.c -o other && objcopy --only-keep-debug other "
	    "its.debug && strip -g whole -o stripped && "
	    "objcopy --add-gnu-debuglink=its.debug stripped");
	b = binary_open(in_directory("stripped"), &e);
	assert_non_null(b);
	assert_null(debuginfo_open(b, &e));
	assert_int_equal(e.code, SOFTLBR_E_INPUT);
	assert_true(noted(b, "another build"));
	binary_close(b);
}

static void from_debuginfod(void **state)
{
	char first[3], rest[64], url[300];

	(void)state;
	build_pair(first, rest);
	if (system("ldconfig -p 2>/dev/null | grep -q libdebuginfod.so.1 || "
		   "/sbin/ldconfig -p | grep -q libdebuginfod.so.1")) {
		print_message("PARTLY SKIPPED: no libdebuginfod\n");
		skip();
	}
	run("mkdir -p root/buildid/%s%s && objcopy --only-keep-debug whole "
	    "root/buildid/%s%s/debuginfo",
	    first, rest, first, rest);
	snprintf(url, sizeof(url), "file://%s", in_directory("root"));
	setenv("DEBUGINFOD_URLS", url, 1);
	setenv("DEBUGINFOD_CACHE_PATH", in_directory("cache"), 1);
	assert_found(NULL, "stripped", "cache/");
	unsetenv("DEBUGINFOD_URLS");
	unsetenv("DEBUGINFOD_CACHE_PATH");
}

static void mini_debug_info(void **state)
{
	struct softlbr_error e = {0};
	const struct binary_function *f;
	char first[3], rest[64];
	size_t count, found = 0;
	struct binary *b;

	(void)state;
	build_pair(first, rest);
	if (!tools_have("xz"))
		skip();
	run("objcopy -S --remove-section .gdb_index --remove-section .comment --keep-symbol=classify "
	    "--keep-symbol=sum --only-keep-debug whole mini 2>/dev/null; rm -f mini.xz; xz mini && "
	    "objcopy --add-section .gnu_debugdata=mini.xz stripped");
	b = binary_open(in_directory("stripped"), &e);
	if (!b)
		fail_msg("%s", e.text);
	f = binary_functions(b, &count);
	for (size_t i = 0; i < count; i++)
		found += !strcmp(f[i].name, "classify") || !strcmp(f[i].name, "sum");
	assert_int_equal(found, 2);
	assert_true(noted(b, "MiniDebugInfo"));
	binary_close(b);
}

/* .dwo files that moved are found with --path-prefix; without them it is told. */
static void moved_split_files(void **state)
{
	struct debug_prefix prefix = {in_directory("build"), in_directory("moved")};
	struct debug_search search = {.prefixes = {&prefix, 1, 1}};
	struct softlbr_error e = {0};
	struct debuginfo_function info = {0};
	const struct binary_function *f;
	char first[3], rest[64];
	struct debuginfo *d;
	struct binary *b;
	size_t count;

	(void)state;
	build_pair(first, rest);
	run("rm -rf build moved && mkdir build && cd build && "
	    "gcc -w -O2 -g -gsplit-dwarf -c ../a.c -o a.o && gcc a.o -o ../split && cd .. && "
	    "mv build moved");
	assert_found(&search, "split", "moved/a.dwo");

	b = binary_open(in_directory("split"), &e);
	assert_non_null(b);
	d = debuginfo_open(b, &e);
	assert_non_null(d);
	f = binary_functions(b, &count);
	for (size_t i = 0; i < count; i++)
		assert_int_equal(debuginfo_look_up(d, f[i].begin, f[i].end, &info, &e), 0);
	assert_true(noted(b, "is not found"));
	debuginfo_function_deinit(&info);
	debuginfo_close(d);
	binary_close(b);
}

static int set_up(void **state)
{
	unsetenv("DEBUGINFOD_URLS");
	return make_directory(state);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(by_build_id),
		cmocka_unit_test(by_link),
		cmocka_unit_test(by_crc),
		cmocka_unit_test(another_build_is_refused),
		cmocka_unit_test(from_debuginfod),
		cmocka_unit_test(mini_debug_info),
		cmocka_unit_test(moved_split_files),
	};

	return cmocka_run_group_tests(tests, set_up, remove_directory);
}
