/* SPDX-License-Identifier: MIT */
#include "base/json.h"

#include <jansson.h>
#include <math.h>

#include "base/error.h"
#include "base/memory.h"

struct json_node {
	json_t *value;
	bool failed; /* something could not be added */
};

static bool is_ours(const struct file_guard_kind *kind, const uint8_t *data, size_t size)
{
	json_t *value = json_loadb((const char *)data, size, 0, NULL);
	bool ours = json_is_integer(json_object_get(value, "schema_version"));

	(void)kind;
	json_decref(value);
	return ours;
}

const struct file_guard_kind json_file_kind = {.name = "JSON of this kind", .is = is_ours};

static struct json_node *node_new(json_t *value)
{
	struct json_node *node = memory_alloc(sizeof(*node));

	if (!node || !value) {
		memory_free(node);
		json_decref(value);
		return NULL;
	}
	node->value = value;
	return node;
}

struct json_node *json_node_object(void)
{
	return node_new(json_object());
}

struct json_node *json_node_document(void)
{
	struct json_node *node = json_node_object();

	json_node_add_integer(node, "schema_version", JSON_SCHEMA_VERSION);
	return node;
}

struct json_node *json_node_array(void)
{
	return node_new(json_array());
}

void json_node_free(struct json_node *node)
{
	if (!node)
		return;
	json_decref(node->value);
	memory_free(node);
}

/* Takes over @value, which may be NULL. */
static void add_value(struct json_node *node, const char *key, json_t *value)
{
	int failed;

	if (!node) {
		json_decref(value);
		return;
	}
	if (key)
		failed = json_object_set_new(node->value, key, value);
	else
		failed = json_array_append_new(node->value, value);
	if (failed)
		node->failed = true;
}

/* A copy with every byte that is not plain ASCII replaced. */
static json_t *plain_text(const char *text)
{
	char *copy = memory_copy_string(text);
	json_t *value;

	if (!copy)
		return NULL;
	for (char *at = copy; *at; at++)
		if (*at & 0x80)
			*at = '?';
	value = json_string(copy);
	memory_free(copy);
	return value;
}

void json_node_add_text(struct json_node *node, const char *key, const char *text)
{
	json_t *value = json_string(text);

	add_value(node, key, value ? value : plain_text(text));
}

void json_node_add_integer(struct json_node *node, const char *key, int64_t number)
{
	add_value(node, key, json_integer(number));
}

void json_node_add_real(struct json_node *node, const char *key, double number)
{
	add_value(node, key, isfinite(number) ? json_real(number) : json_null());
}

void json_node_add_bool(struct json_node *node, const char *key, bool value)
{
	add_value(node, key, json_boolean(value));
}

void json_node_add_null(struct json_node *node, const char *key)
{
	add_value(node, key, json_null());
}

void json_node_add_take(struct json_node *node, const char *key, struct json_node *child)
{
	if (!child) {
		add_value(node, key, NULL);
		return;
	}
	if (node && child->failed)
		node->failed = true;
	add_value(node, key, json_incref(child->value));
	json_node_free(child);
}

int json_node_write(const struct json_node *node, FILE *stream, struct softlbr_error *e)
{
	if (!node || node->failed)
		return error_set_nomem(e);
	if (json_dumpf(node->value, stream, JSON_INDENT(2) | JSON_REAL_PRECISION(6)) ||
	    fputc('\n', stream) == EOF)
		return error_set_errno(e, NULL, "cannot write JSON");
	return 0;
}
