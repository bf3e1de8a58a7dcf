/* SPDX-License-Identifier: MIT */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <cmocka.h>
#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "base/error.h"
#include "base/json.h"
#include "base/memory.h"

static char *written(struct json_node *node, int *status)
{
	char *text = NULL;
	size_t size;
	struct softlbr_error e = {0};
	FILE *stream = open_memstream(&text, &size);

	assert_non_null(stream);
	*status = json_node_write(node, stream, &e);
	fclose(stream);
	json_node_free(node);
	return text;
}

static struct json_node *sample(void)
{
	struct json_node *top = json_node_object(), *list = json_node_array();

	json_node_add_integer(list, NULL, INT64_MIN);
	json_node_add_null(list, NULL);
	json_node_add_text(top, "z", "a \"quoted\" line\n\xc3\xa9");
	json_node_add_real(top, "half", 0.5);
	json_node_add_real(top, "nan", NAN);
	json_node_add_bool(top, "yes", true);
	json_node_add_take(top, "list", list);
	return top;
}

static void order_and_quoting_are_kept(void **state)
{
	int status;
	char *text = written(sample(), &status);

	(void)state;
	assert_int_equal(status, 0);
	assert_string_equal(text, "{\n  \"z\": \"a \\\"quoted\\\" line\\n\xc3\xa9\",\n"
				  "  \"half\": 0.5,\n  \"nan\": null,\n  \"yes\": true,\n"
				  "  \"list\": [\n    -9223372036854775808,\n    null\n  ]\n}\n");
	free(text);
}

static void a_document_begins_with_its_version(void **state)
{
	struct json_node *top = json_node_document();
	int status;
	char *text;

	(void)state;
	json_node_add_bool(top, "yes", true);
	text = written(top, &status);
	assert_int_equal(status, 0);
	assert_string_equal(text, "{\n  \"schema_version\": 1,\n  \"yes\": true\n}\n");
	assert_true(json_file_kind.is(&json_file_kind, (const uint8_t *)text, strlen(text)));
	assert_false(json_file_kind.is(&json_file_kind, (const uint8_t *)"{\"version\": 1}", 14));
	free(text);
}

static void text_that_is_not_utf8_is_replaced(void **state)
{
	struct json_node *top = json_node_object();
	int status;
	char *text;

	(void)state;
	json_node_add_text(top, "path", "/tmp/\xff\xfe.c");
	text = written(top, &status);
	assert_int_equal(status, 0);
	assert_string_equal(text, "{\n  \"path\": \"/tmp/??.c\"\n}\n");
	free(text);
}

static void a_lost_value_fails_the_writing(void **state)
{
	struct json_node *top = json_node_object();
	int status;

	(void)state;
	json_node_add_take(top, "list", NULL);
	free(written(top, &status));
	assert_int_equal(status, -SOFTLBR_E_SYSTEM);
	free(written(NULL, &status));
	assert_int_equal(status, -SOFTLBR_E_SYSTEM);
}

static void every_failed_allocation_is_survived(void **state)
{
	int status;

	(void)state;
	for (size_t n = 1; n < 4; n++) {
		memory_fail_at(n);
		free(written(sample(), &status));
		assert_int_equal(status, n <= 2 ? -SOFTLBR_E_SYSTEM : 0);
	}
	memory_fail_at(0);
}

static void a_full_disk_is_reported(void **state)
{
	struct softlbr_error e = {0};
	struct json_node *node = sample();
	FILE *full = fopen("/dev/full", "w");

	(void)state;
	assert_non_null(full);
	setbuf(full, NULL);
	assert_int_equal(json_node_write(node, full, &e), -SOFTLBR_E_SYSTEM);
	assert_non_null(strstr(e.text, "JSON"));
	fclose(full);
	json_node_free(node);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(order_and_quoting_are_kept),
		cmocka_unit_test(a_document_begins_with_its_version),
		cmocka_unit_test(text_that_is_not_utf8_is_replaced),
		cmocka_unit_test(a_lost_value_fails_the_writing),
		cmocka_unit_test(every_failed_allocation_is_survived),
		cmocka_unit_test(a_full_disk_is_reported),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
