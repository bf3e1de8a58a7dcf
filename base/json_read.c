/* SPDX-License-Identifier: MIT */
#include "base/json_read.h"

#include <jansson.h>
#include <math.h>
#include <string.h>

#include "base/error.h"

/* An alias of jansson's, so that no other file includes it. */
struct json_file {
	json_t root;
};

struct json_file *json_file_read(const char *path, struct softlbr_error *e)
{
	json_error_t why;
	json_t *root = json_load_file(path, 0, &why);

	if (!root)
		error_set(e, SOFTLBR_E_INPUT, path, "%s is no JSON: %s (line %d)", path, why.text,
			  why.line);
	return (struct json_file *)root;
}

void json_file_free(struct json_file *f)
{
	json_decref((json_t *)f);
}

static const json_t *find_value(const struct json_file *f, const char *key)
{
	const json_t *value = (const json_t *)f;

	while (value && *key) {
		size_t length = strcspn(key, ".");

		value = json_object_getn(value, key, length);
		key += length + (key[length] == '.');
	}
	return value;
}

const char *json_file_text(const struct json_file *f, const char *key)
{
	return json_string_value(find_value(f, key));
}

double json_file_number(const struct json_file *f, const char *key)
{
	const json_t *value = find_value(f, key);

	return json_is_number(value) ? json_number_value(value) : NAN;
}
