/* SPDX-License-Identifier: MIT */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <cmocka.h>
#include <stdio.h>
#include <string.h>
#include <unistd.h>

#include "base/cursor.h"
#include "base/error.h"
#include "base/file.h"
#include "base/file_output.h"
#include "base/map.h"
#include "base/memory.h"
#include "base/strings.h"
#include "base/suggestion.h"
#include "base/text.h"
#include "base/vector.h"

static const char *meant(const char *word)
{
	static const char *const names[] = {"record", "convert", "merge", "show", "check", "diff"};
	struct suggestion s;

	suggestion_begin(&s, word);
	for (size_t i = 0; i < sizeof(names) / sizeof(names[0]); i++)
		suggestion_offer(&s, names[i]);
	return s.nearest;
}

static void misspelt_names_are_guessed(void **state)
{
	static const char much[] = "recordrecordrecordrecordrecordrecordrecord";

	(void)state;
	assert_string_equal(meant("recrod"), "record");
	assert_string_equal(meant("rcord"), "record");
	assert_string_equal(meant("converrt"), "convert");
	assert_string_equal(meant("mwrge"), "merge");
	assert_string_equal(meant("dif"), "diff");
	assert_string_equal(meant("chekc"), "check");
	assert_null(meant("xyzzy"));
	assert_null(meant(""));
	assert_null(meant("s"));
	assert_null(meant(much));
}

static void first_error_wins(void **state)
{
	struct softlbr_error e = {0};

	(void)state;
	assert_int_equal(error_set(&e, SOFTLBR_E_INPUT, "a", "first %d", 1), -SOFTLBR_E_INPUT);
	assert_int_equal(error_set(&e, SOFTLBR_E_USAGE, "b", "second"), -SOFTLBR_E_USAGE);
	assert_string_equal(e.text, "first 1");
	assert_int_equal(e.code, SOFTLBR_E_INPUT);
	assert_int_equal(error_set(NULL, SOFTLBR_E_EMPTY, NULL, "x"), -SOFTLBR_E_EMPTY);
}

static void names_are_listed_while_there_is_room(void **state)
{
	char names[16] = "";

	(void)state;
	error_add_name(names, sizeof(names), "gcov");
	error_add_name(names, sizeof(names), "llvm-text");
	assert_string_equal(names, "gcov, llvm-text"); /* and nothing is left of the 16 */
	error_add_name(names, sizeof(names), "x");
	assert_string_equal(names, "gcov, llvm-text");
}

static void cursor_stops_at_the_end(void **state)
{
	static const uint8_t data[] = {1, 2, 3, 4, 'h', 'i', 0};
	struct cursor c;

	(void)state;
	cursor_init(&c, data, sizeof(data), false);
	assert_int_equal(cursor_u32(&c), 0x04030201);
	assert_string_equal(cursor_string(&c), "hi");
	assert_int_equal(cursor_u8(&c), 0);
	assert_true(c.failed);
	cursor_init(&c, data, sizeof(data), true);
	assert_int_equal(cursor_u16(&c), 0x0102);
	assert_null(cursor_bytes(&c, 6));
	assert_int_equal(cursor_left(&c), 0);
	cursor_init(&c, data, 6, false);
	cursor_skip(&c, 4);
	assert_null(cursor_string(&c));
}

static void map_counts_and_sorts(void **state)
{
	struct map m = {0};
	struct map_entry **list;

	(void)state;
	for (uint64_t i = 0; i < 5000; i++)
		map_at(&m, i * 7919 % 1000, i % 3)->n++;
	list = map_sorted(&m);
	assert_non_null(list);
	for (size_t i = 1; i < m.count; i++)
		assert_true(list[i - 1]->a < list[i]->a ||
			    (list[i - 1]->a == list[i]->a && list[i - 1]->b < list[i]->b));
	assert_null(map_find(&m, 5000, 0));
	memory_free(list);
	map_deinit(&m);
}

/* Free entries look as if they had this key. */
static void map_has_the_key_zero_or_not(void **state)
{
	struct map m = {0};
	struct map_entry *e;

	(void)state;
	assert_null(map_find(&m, 0, 0));
	assert_null(map_next(&m, NULL));
	map_at(&m, 7, 0)->n = 1;
	assert_null(map_find(&m, 0, 0));
	e = map_next(&m, NULL);
	assert_int_equal(e->a, 7);
	assert_null(map_next(&m, e));

	map_at(&m, 0, 0)->n = 5;
	assert_int_equal(map_at(&m, 0, 0)->n++, 5);
	assert_int_equal(m.count, 2);
	for (uint64_t i = 1; i < 500; i++) /* it moves to larger tables, too */
		map_at(&m, 0, i)->n = i;
	assert_int_equal(m.count, 501);
	assert_int_equal(map_find(&m, 0, 0)->n, 6);
	assert_int_equal(map_find(&m, 0, 499)->n, 499);
	for (e = NULL; (e = map_next(&m, e));)
		m.count--;
	assert_int_equal(m.count, 0);
	map_deinit(&m);
}

static void map_keeps_its_place_when_reserved(void **state)
{
	struct map m = {0};
	struct map_entry *first;

	(void)state;
	first = map_at(&m, 1, 2);
	assert_non_null(first);
	first->n = 3;
	assert_int_equal(map_reserve(&m, 1000), 0);
	first = map_find(&m, 1, 2);
	assert_non_null(first);
	assert_int_equal(first->n, 3);
	for (uint64_t i = 0; i < 999; i++)
		assert_non_null(map_at(&m, i, 7));
	assert_ptr_equal(map_find(&m, 1, 2), first); /* nothing has moved */
	assert_int_equal(map_reserve(&m, 10), 0);
	assert_int_equal(m.count, 1000);
	map_deinit(&m);
}

static void map_adds_up_to_the_greatest_number(void **state)
{
	struct map m = {0};
	const struct map_entry *e;

	(void)state;
	assert_int_equal(map_add(&m, 1, 2, 3, 4), 0);
	assert_int_equal(map_add(&m, 1, 2, UINT64_MAX - 1, 5), 0);
	e = map_find(&m, 1, 2);
	assert_non_null(e);
	assert_true(e->n == UINT64_MAX && e->m == 9);
	map_deinit(&m);
}

static void map_numbers_the_items_of_a_vector(void **state)
{
	VECTOR(int) items = {0};
	struct map m = {0};
	int *item;

	(void)state;
	assert_non_null(map_item(&m, 7, 0, &items, 70));
	assert_non_null(map_item(&m, 8, 0, &items, 80));
	item = map_item(&m, 7, 0, &items, 71);
	assert_ptr_equal(item, items.items);
	assert_int_equal(*item, 70);
	assert_int_equal(items.count, 2);
	vector_deinit(&items);
	map_deinit(&m);
}

static void text_is_taken_from_its_front(void **state)
{
	const char whole[] = "  12ff:x\n\ncut";
	struct text rest = {whole, whole + sizeof(whole) - 1}, line;
	uint64_t number;

	(void)state;
	assert_true(text_take_line(&rest, &line));
	assert_false(text_is_cut(rest, line));
	text_skip(&line, " \t");
	assert_true(text_begins(line, "12"));
	assert_false(text_take(&line, "13"));
	assert_ptr_equal(text_find(line, ":x"), whole + 6);
	assert_true(text_take_number(&line, 16, &number));
	assert_int_equal(number, 0x12ff);
	assert_false(text_take_number(&line, 16, &number));
	assert_true(text_take(&line, ":x"));
	assert_int_equal(text_length(line), 0);
	assert_true(text_take_line(&rest, &line));
	assert_int_equal(text_length(line), 0);
	assert_true(text_take_line(&rest, &line));
	assert_true(text_is_cut(rest, line));
	assert_false(text_take_line(&rest, &line));
}

static void numbers_that_do_not_fit_are_refused(void **state)
{
	const char most[] = "18446744073709551615", more[] = "18446744073709551616";
	struct text t = {most, most + sizeof(most) - 1};
	uint64_t number;

	(void)state;
	assert_true(text_take_number(&t, 10, &number));
	assert_true(number == UINT64_MAX);
	t = (struct text){more, more + sizeof(more) - 1};
	assert_false(text_take_number(&t, 10, &number));
}

static void texts_are_made_as_printf_makes_them(void **state)
{
	char *text = memory_format("%s/%d", "a", 7);

	(void)state;
	assert_string_equal(text, "a/7");
	memory_free(text);
	memory_fail_at(1);
	assert_null(memory_format("%s", "a"));
	memory_fail_at(0);
}

static void strings_are_shared(void **state)
{
	struct strings *s = strings_new();
	char text[16];

	(void)state;
	assert_int_equal(strings_add_text(s, ""), 0);
	for (int round = 0; round < 2; round++)
		for (uint32_t i = 0; i < 1000; i++) {
			snprintf(text, sizeof(text), "name%u", i);
			assert_int_equal(strings_add_text(s, text), i + 1);
		}
	assert_string_equal(strings_text(s, 1000), "name999");
	assert_int_equal(strings_find(s, "absent", 6), STRINGS_NONE);
	strings_free(s);
}

static void output_appears_only_when_complete(void **state)
{
	char directory[] = "/tmp/softlbr-base-XXXXXX", path[64];
	struct softlbr_error e = {0};
	struct file_output o;
	struct file_view v;

	(void)state;
	assert_non_null(mkdtemp(directory));
	snprintf(path, sizeof(path), "%s/out", directory);
	assert_int_equal(file_output_open(&o, path, &e), 0);
	fputs("abandoned", o.stream);
	file_output_abandon(&o);
	assert_int_not_equal(access(path, F_OK), 0);
	assert_int_equal(rmdir(directory), 0); /* nothing left */
	assert_int_equal(file_output_open(&o, path, &e), -SOFTLBR_E_SYSTEM);
	assert_non_null(strstr(e.text, path));

	strcpy(directory, "/tmp/softlbr-base-XXXXXX");
	assert_non_null(mkdtemp(directory));
	snprintf(path, sizeof(path), "%s/out", directory);
	error_clear(&e);
	assert_int_equal(file_output_open(&o, path, &e), 0);
	fputs("kept", o.stream);
	assert_int_not_equal(access(path, F_OK), 0);
	assert_int_equal(file_output_commit(&o, &e), 0);
	assert_int_equal(file_view_open(&v, path, &e), 0);
	assert_int_equal(v.size, 4);
	assert_memory_equal(v.data, "kept", 4);
	file_view_close(&v);
	unlink(path);
	rmdir(directory);
}

static void full_disk_is_reported(void **state)
{
	struct softlbr_error e = {0};
	struct file_output o;

	(void)state;
	assert_int_equal(file_output_open(&o, "/dev/full", &e), 0);
	fputs("no room", o.stream);
	assert_int_equal(file_output_commit(&o, &e), -SOFTLBR_E_SYSTEM);
	assert_non_null(strstr(e.text, "No space left"));
}

/* In an empty vector there is no place, and no offset from NULL is computed (UBSan looks). */
static void places_in_an_empty_vector_are_none(void **state)
{
	VECTOR(int) v = {0};
	int *i;

	(void)state;
	assert_null(vector_at(&v, 0));
	assert_int_equal(vector_count_while(&v, i, *i < 3), 0);
	for (int n = 0; n < 5; n++)
		*(int *)vector_push(&v) = n;
	assert_int_equal(*vector_at(&v, 3), 3);
	assert_ptr_equal(vector_at(&v, v.count), v.items + 5);
	vector_deinit(&v);
	assert_null(vector_at(&v, v.count));
}

static void every_failed_allocation_is_survived(void **state)
{
	(void)state;
	for (size_t n = 1; n < 40; n++) {
		VECTOR(int) v = {0};
		struct strings *s;

		memory_fail_at(n);
		s = strings_new();
		if (s)
			strings_add_text(s, "x");
		vector_push(&v);
		vector_deinit(&v);
		strings_free(s);
	}
	memory_fail_at(0);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(first_error_wins),
		cmocka_unit_test(names_are_listed_while_there_is_room),
		cmocka_unit_test(cursor_stops_at_the_end),
		cmocka_unit_test(map_counts_and_sorts),
		cmocka_unit_test(map_has_the_key_zero_or_not),
		cmocka_unit_test(map_keeps_its_place_when_reserved),
		cmocka_unit_test(map_adds_up_to_the_greatest_number),
		cmocka_unit_test(map_numbers_the_items_of_a_vector),
		cmocka_unit_test(text_is_taken_from_its_front),
		cmocka_unit_test(numbers_that_do_not_fit_are_refused),
		cmocka_unit_test(texts_are_made_as_printf_makes_them),
		cmocka_unit_test(strings_are_shared),
		cmocka_unit_test(misspelt_names_are_guessed),
		cmocka_unit_test(output_appears_only_when_complete),
		cmocka_unit_test(full_disk_is_reported),
		cmocka_unit_test(places_in_an_empty_vector_are_none),
		cmocka_unit_test(every_failed_allocation_is_survived),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
