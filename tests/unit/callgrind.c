/* SPDX-License-Identifier: MIT */
/* callgrind.out: compressed names and positions, costs, calls and jumps; damaged files. */
#include <setjmp.h>
#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include <cmocka.h>

#include "formats/callgrind.h"

static const char text[] = "# callgrind format\n"
			   "version: 1\n"
			   "creator: callgrind-3.19.0\n"
			   "positions: instr line\n"
			   "events: Dr Ir\n"
			   "summary: 0 66\n"
			   "\n"
			   "ob=(1) /bin/program\n"
			   "fl=(1) a.c\n"
			   "fn=(1) main\n"
			   "0x1000 7 0 10\n"
			   "+4 * 0 10\n"
			   "jcnd=9/10 -4 7\n"
			   "* *\n"
			   "+0x10 +1 2 1\n"
			   "cob=(2) /lib/libc.so.6\n"
			   "cfn=(2) write\n"
			   "calls=3 0x500 0\n"
			   "* * 1 44\n"
			   "calls=2 +12 8\n"
			   "* * 1 1\n"
			   "jump=5 0x1000 7\n"
			   "0x1014 9\n"
			   "\n"
			   "ob=(2)\n"
			   "fn=(2)\n"
			   "0x500 0 0 44\n"
			   "ob=(1)\n"
			   "fn=(1)\n"
			   "0x1000 7 0 1\n"
			   "totals: 2 66\n";

static int read_text(struct callgrind *c, const char *of, size_t size, struct softlbr_error *e)
{
	*c = (struct callgrind){0};
	*e = (struct softlbr_error){0};
	return callgrind_read_bytes(c, (const uint8_t *)of, size, "file", e);
}

static uint64_t count(const struct callgrind *c, const char *object, uint64_t address)
{
	uint32_t number = strings_find(c->strings, object, strlen(object));
	const struct map_entry *i = map_find(&c->instructions, number, address);

	return i ? i->n : 0;
}

static void assert_transfer(const struct callgrind *c, size_t i, bool call, uint64_t from,
			    const char *object, uint64_t to, uint64_t taken)
{
	const struct callgrind_transfer *t = &c->transfers.items[i];

	assert_string_equal(strings_text(c->strings, t->object), "/bin/program");
	assert_string_equal(strings_text(c->strings, t->target_object), object);
	assert_int_equal(t->call, call);
	assert_int_equal(t->from, from);
	assert_int_equal(t->to, to);
	assert_int_equal(t->taken, taken);
}

static void counts_jumps_and_calls_are_read(void **state)
{
	struct softlbr_error e;
	struct callgrind c;

	(void)state;
	assert_true(callgrind_is((const uint8_t *)text, sizeof(text) - 1));
	assert_int_equal(read_text(&c, text, sizeof(text) - 1, &e), 0);
	assert_int_equal(c.objects.count, 2);
	assert_int_equal(c.instructions.count, 4);
	assert_int_equal(count(&c, "/bin/program", 0x1000), 11);
	assert_int_equal(count(&c, "/bin/program", 0x1004), 10);
	assert_int_equal(count(&c, "/bin/program", 0x1014), 1);
	assert_int_equal(count(&c, "/lib/libc.so.6", 0x500), 44);
	assert_int_equal(c.transfers.count, 4);
	assert_transfer(&c, 0, false, 0x1004, "/bin/program", 0x1000, 9);
	assert_transfer(&c, 1, true, 0x1014, "/lib/libc.so.6", 0x500, 3);
	assert_transfer(&c, 2, true, 0x1014, "/bin/program", 0x1020, 2);
	assert_transfer(&c, 3, false, 0x1014, "/bin/program", 0x1000, 5);
	callgrind_deinit(&c);
}

static void a_cut_file_is_refused_at_every_byte(void **state)
{
	struct softlbr_error e;
	struct callgrind c;

	(void)state;
	for (size_t size = 0; size < sizeof(text) - 1; size++) {
		assert_int_equal(read_text(&c, text, size, &e), -SOFTLBR_E_INPUT);
		assert_non_null(strstr(e.text, "file:"));
		callgrind_deinit(&c);
	}
}

static void assert_refused(const char *body, const char *why)
{
	struct softlbr_error e;
	struct callgrind c;
	char whole[512];

	snprintf(whole, sizeof(whole), "positions: instr line\nevents: Ir\n%s\ntotals: 1\n", body);
	assert_int_equal(read_text(&c, whole, strlen(whole), &e), -SOFTLBR_E_INPUT);
	if (!strstr(e.text, why))
		fail_msg("%s: %s", body, e.text);
	callgrind_deinit(&c);
}

static void what_is_wrong_is_said(void **state)
{
	(void)state;
	assert_refused("positions: line\n7 1", "--dump-instr=yes");
	assert_refused("events: Cycles", "no event Ir");
	assert_refused("ob=(7)", "not named before");
	assert_refused("ob=(7", "not whole");
	assert_refused("calls=3", "target's position");
	assert_refused("jump=2 0x10 3\nfn=(1) main", "position of the call or jump");
	assert_refused("0x10 3 abc", "expected a count");
	assert_refused("+1 3 18446744073709551616", "expected a count");
	assert_refused("0x10 3 18446744073709551615\n* 3 1", "too large");
	assert_refused("-1 3 1", "expected an address");
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(counts_jumps_and_calls_are_read),
		cmocka_unit_test(a_cut_file_is_refused_at_every_byte),
		cmocka_unit_test(what_is_wrong_is_said),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
